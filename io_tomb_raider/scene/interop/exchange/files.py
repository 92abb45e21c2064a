"""Files of what was prepared, by Blender's own exporters, with the settings that it is made for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import addon_utils
import bpy
from bpy.types import Collection, Object, ViewLayer

from ....formats import ExportError
from ...core.report import Report
from .ends import keys_at_ends
from .prepare import PreparedObjects, PrepareOptions, discard, prepare

SUFFIXES = (".glb", ".gltf", ".fbx", ".obj")
_ADDONS = {".glb": "io_scene_gltf2", ".gltf": "io_scene_gltf2", ".fbx": "io_scene_fbx"}
_HANDLERS = {".glb": "IO_FH_gltf2", ".fbx": "IO_FH_fbx", ".obj": "IO_FH_obj"}
_NEEDS_FILES = frozenset({".fbx", ".obj"})


def needs_images(path: Path) -> bool:
    """Tell whether a file names its images by their files, which have to be there."""
    return path.suffix.lower() in _NEEDS_FILES


def settings_of(suffix: str, *, alone: bool = True) -> dict[str, Any]:
    """Return the settings of Blender's exporter for a kind of files: what other models play stays out.

    Args:
        suffix: how the files end.
        alone: whether :func:`write` calls the exporter, and animations have keys where they end. Then keys
            can stand in files of glTF where the game has them; else there is one for each frame.
    """
    if suffix in (".glb", ".gltf"):
        return {
            "export_format": "GLB" if suffix == ".glb" else "GLTF_SEPARATE",
            "use_active_scene": True,
            "export_animation_mode": "ACTIONS",
            "export_anim_single_armature": False,
            "export_force_sampling": not alone,
            "export_vertex_color": "ACTIVE",
            "export_all_vertex_colors": False,
        }
    if suffix == ".fbx":
        return {
            "bake_anim_use_all_actions": False,
            "bake_anim_use_nla_strips": True,
            "bake_anim_simplify_factor": 0.0,
            "add_leaf_bones": False,
            "colors_type": "LINEAR",
            "path_mode": "RELATIVE",
        }
    return {"export_colors": True, "path_mode": "RELATIVE"}


class Exported(NamedTuple):
    """What was written.

    Attributes:
        animations: how many animations.
        report: what there is to tell.
    """

    animations: int
    report: Report


def export(
    objects: Iterable[Object], path: Path, layer: ViewLayer, scene: Collection, wanted: PrepareOptions
) -> Exported:
    """Write models, static meshes and rooms to a file for other programs; the scene is as it was afterwards.

    Images that the file cannot hold are saved in a folder beside it, which has the file's name.

    Args:
        objects, layer, scene, wanted: see :func:`~.prepare.prepare`.
        path: the file, by whose end the exporter is chosen.

    Raises:
        ExportError: where nothing can be prepared or written.
    """
    _check_kind(path)
    if needs_images(path) and wanted.folder is None:
        wanted = replace(wanted, folder=path.with_name(f"{path.stem} textures"))
    prepared = prepare(objects, layer, scene, wanted)
    try:
        write(prepared, path)
        return Exported(len(prepared.actions), prepared.report)
    finally:
        discard(prepared)


def _check_kind(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise ExportError(path.name, f"files of Blender's exporters end with {', '.join(SUFFIXES)}")


def add_exporters(prepared: PreparedObjects, stem: str) -> None:
    """Give a prepared collection exporters of Blender's own with the right settings, for its *Export All*.

    Args:
        prepared: the collection.
        stem: the path of the files without their end, "" for where Blender puts them.
    """
    for suffix, name in _HANDLERS.items():
        if suffix in _ADDONS:
            addon_utils.enable(_ADDONS[suffix])
        # Exporters of collections have no other way in.
        with bpy.context.temp_override(collection=prepared.home):
            bpy.ops.collection.exporter_add(name=name)
        exporter: Any = prepared.home.exporters[-1]
        settings = exporter.export_properties
        if stem:
            settings.filepath = f"{stem}{suffix}"
        for key, value in settings_of(suffix, alone=False).items():
            setattr(settings, key, value)


def write(prepared: PreparedObjects, path: Path) -> None:
    """Write what was prepared.

    Args:
        prepared: what; its images have files where :func:`needs_images` says so.
        path: the file, by whose end the exporter is chosen.

    Raises:
        ExportError: where there is no exporter for such files, or it fails.
    """
    _check_kind(path)
    suffix = path.suffix.lower()
    if suffix in _ADDONS:
        addon_utils.enable(_ADDONS[suffix])
    operators: dict[str, Callable[..., Any]] = {
        ".fbx": bpy.ops.export_scene.fbx,
        ".obj": bpy.ops.wm.obj_export,
    }
    operator = operators.get(suffix, bpy.ops.export_scene.gltf)
    played = [each for each in prepared.objects if each.type == "ARMATURE"]
    with keys_at_ends(played if suffix in (".glb", ".gltf") else []), _alone(prepared):
        try:
            operator(filepath=str(path), collection=prepared.home.name, **settings_of(suffix))
        except RuntimeError as error:  # what operators report
            raise ExportError(path.name, str(error).strip().removeprefix("Error: ")) from error


@contextmanager
def _alone(prepared: PreparedObjects) -> Iterator[None]:
    """Let exporters see nothing else: they go through all frames of all there is.

    The window shows the scene meanwhile, as the exporter to glTF gives the window whatever scene it writes.
    """
    window, shown = bpy.context.window, bpy.context.scene
    scene = bpy.data.scenes.new("Exchange")
    try:
        if shown is not None:
            scene.render.fps, scene.render.fps_base = shown.render.fps, shown.render.fps_base
        scene.collection.children.link(prepared.home)
        layer = scene.view_layers[0]
        layer.update()
        first = next((each for each in prepared.objects if each.type == "ARMATURE"), None)
        layer.objects.active = first or next(iter(prepared.objects), None)
        if window is not None:
            window.scene = scene
        yield
    finally:
        if window is not None and shown is not None:
            window.scene = shown
        # Where there is no window, as in timers, scenes.remove() crashes Blender 4.2.
        bpy.data.batch_remove([scene])
