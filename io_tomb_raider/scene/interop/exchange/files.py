"""Files of prepared objects, written by Blender's own exporters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import addon_utils
import bpy
import numpy as np
from bpy.types import Action, Collection, Object, ViewLayer

from ....formats import ExportError
from ....formats.base import T
from ...authoring.motion.sampling import TICKS
from ...core.blender import compat
from ...core.reporting.report import Report
from .preparing import PreparedObjects, PrepareOptions, discard, prepare

SUFFIXES = (".glb", ".gltf", ".fbx", ".obj")
_ADDONS = {".glb": "io_scene_gltf2", ".gltf": "io_scene_gltf2", ".fbx": "io_scene_fbx"}
_HANDLERS = {".glb": "IO_FH_gltf2", ".fbx": "IO_FH_fbx", ".obj": "IO_FH_obj"}
_NEEDS_FILES = frozenset({".fbx", ".obj"})


def needs_images(path: Path) -> bool:
    """Return whether a file format refers to images as files, so that these must exist."""
    return path.suffix.lower() in _NEEDS_FILES


def settings_of(suffix: str, *, alone: bool = True, wadtool: bool = False) -> dict[str, Any]:
    """Return the settings of Blender's exporter for a file format, without the animations of other models.

    Args:
        alone: whether :func:`write` calls the exporter with keys at the ends of animations. Then glTF files
            keep the game's keys; otherwise every frame is sampled.
        wadtool: whether WadTool imports the file: without animations, and with vertices along its axes.
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
            "bake_anim": not wadtool,
            "bake_space_transform": wadtool,
            "apply_scale_options": "FBX_SCALE_ALL" if wadtool else "FBX_SCALE_NONE",
        }
    return {"export_colors": True, "path_mode": "RELATIVE"}


class Exported(NamedTuple):
    """The result of an export."""

    animations: int  #: the number of animations.
    report: Report  #: the warnings.


def export(
    objects: Iterable[Object], path: Path, layer: ViewLayer, scene: Collection, options: PrepareOptions
) -> Exported:
    """Write models, static meshes and rooms to a file for other programs. The scene is then unchanged.

    Images that the file cannot contain are saved next to it, in a folder of its name.

    Args:
        objects, layer, scene, options: see :func:`~.preparing.prepare`.
        path: the file; its suffix selects the exporter.

    Raises:
        ExportError: if nothing can be prepared or written.
    """
    _check_kind(path, SUFFIXES[:-1] if options.wadtool else SUFFIXES)
    if needs_images(path) and options.folder is None:
        options = replace(options, folder=path.with_name(f"{path.stem} textures"))
    prepared = prepare(objects, layer, scene, options)
    try:
        write(prepared, path, wadtool=options.wadtool)
        return Exported(len(prepared.actions), prepared.report)
    finally:
        discard(prepared)


def _check_kind(path: Path, suffixes: Sequence[str] = SUFFIXES) -> None:
    if path.suffix.lower() not in suffixes:
        raise ExportError(
            path.name, T("files of Blender's exporters end with {suffixes}", suffixes=", ".join(suffixes))
        )


def add_exporters(prepared: PreparedObjects, stem: str) -> None:
    """Add Blender's exporters with the right settings to a prepared collection, for *Export All*.

    Args:
        stem: the path of the files without suffix, "" for Blender's default.
    """
    for suffix, name in _HANDLERS.items():
        if suffix in _ADDONS:
            addon_utils.enable(_ADDONS[suffix])
        # The only API to add collection exporters is an operator.
        with bpy.context.temp_override(collection=prepared.home):
            bpy.ops.collection.exporter_add(name=name)
        exporter: Any = prepared.home.exporters[-1]
        settings = exporter.export_properties
        if stem:
            settings.filepath = f"{stem}{suffix}"
        for key, value in settings_of(suffix, alone=False).items():
            setattr(settings, key, value)


def write(prepared: PreparedObjects, path: Path, *, wadtool: bool = False) -> None:
    """Write prepared objects.

    Args:
        prepared: the objects; their images must have files if :func:`needs_images`.
        path: the file; its suffix selects the exporter.
        wadtool: see :func:`settings_of`.

    Raises:
        ExportError: if there is no exporter for the format, or it fails.
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
    armatures = [each for each in prepared.objects if each.type == "ARMATURE"]
    with keys_at_ends(armatures if suffix in (".glb", ".gltf") else []), _alone(prepared):
        try:
            operator(
                filepath=str(path), collection=prepared.home.name, **settings_of(suffix, wadtool=wadtool)
            )
        except RuntimeError as error:  # errors that operators report
            raise ExportError(path.name, str(error).strip().removeprefix("Error: ")) from error


@contextmanager
def _alone(prepared: PreparedObjects) -> Iterator[None]:
    """Show only the prepared objects, since exporters process all frames and objects of a scene.

    The window shows the temporary scene, as the glTF exporter sets the window's scene anyway.
    """
    window, user_scene = bpy.context.window, bpy.context.scene
    scene = bpy.data.scenes.new("Exchange")
    try:
        scene.render.fps, scene.render.fps_base = TICKS, 1.0  # other programs play by time
        scene.collection.children.link(prepared.home)
        layer = scene.view_layers[0]
        layer.update()
        first = next((each for each in prepared.objects if each.type == "ARMATURE"), None)
        layer.objects.active = first or next(iter(prepared.objects), None)
        if window is not None:
            window.scene = scene
        yield
    finally:
        if window is not None and user_scene is not None:
            window.scene = user_scene
        # Without a window, as in timers, scenes.remove() crashes Blender 4.2.
        bpy.data.batch_remove([scene])


# --- Animations that end between two keys ----------------------------------------


_ON_KEY = 1e-3  # frames


@contextmanager
def keys_at_ends(armatures: Sequence[Object]) -> Iterator[None]:
    """Give actions on NLA tracks keys at their ends, in temporary copies with the same names."""
    copies: list[tuple[Object, Any, Any]] = []
    try:
        for armature in armatures:
            for action in dict.fromkeys(strip.action for strip in _strips(armature)):
                if action is not None and _ends_between(action, armature):
                    copies.append((armature, action, _with_key_at_end(action, armature)))
        yield
    finally:
        for armature, action, copy in copies:
            name = copy.name
            _play(armature, copy, action)
            bpy.data.actions.remove(copy)
            action.name = name


def _strips(armature: Object) -> list[Any]:
    data = armature.animation_data
    return [] if data is None else [strip for track in data.nla_tracks for strip in track.strips]


def _play(armature: Object, action: Action, other: Action) -> None:
    """Replace an action of an armature and its NLA strips by another one."""
    for strip in _strips(armature):
        if strip.action == action:
            strip.action = other
            compat.assign_strip_slot(strip, armature)
    if armature.animation_data is not None and armature.animation_data.action == action:
        compat.assign_as(armature, other, armature)


def _ends_between(action: Action, user: Object) -> bool:
    """Return whether an action has keys after its end."""
    if not action.use_frame_range:
        return False
    channels = compat.find_channels(action, user)
    curves = () if channels is None else channels.fcurves
    return any(curve.range()[1] > action.frame_end + _ON_KEY for curve in curves)


def _with_key_at_end(action: Any, user: Object) -> Any:
    """Replace an armature's action by a copy of the same name with its last keys at its end."""
    name = action.name
    copy = action.copy()
    action.name = f"{name}~"
    copy.name = name
    end = float(action.frame_end)
    for curve in compat.find_channels(copy, user).fcurves:
        points = curve.keyframe_points
        value = curve.evaluate(end)
        keys = np.empty(2 * len(points), np.float32)
        points.foreach_get("co", keys)
        kept = keys.reshape(-1, 2)
        kept = np.concatenate([kept[kept[:, 0] < end - _ON_KEY], [(end, value)]]).astype(np.float32)
        points.clear()
        points.add(len(kept))
        points.foreach_set("interpolation", np.full(len(kept), compat.LINEAR, np.uint8))
        points.foreach_set("co", kept.ravel())
        curve.update()
    _play(user, action, copy)
    return copy
