"""Actions of users, for tests of the interface: import and export by the menus, select, add objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection, Object

from io_tomb_raider.formats import Game
from io_tomb_raider.ui import pending
from tests.sample_levels import SAMPLES, named_sample

# Names as the games have them.
FILE_NAMES = {
    Game.TR1: "LEVEL1.PHD",
    Game.TR2: "WALL.TR2",
    Game.TR3: "JUNGLE.TR2",
    Game.TR4: "angkor1.tr4",
    Game.TR5: "Andrea1.trc",
}


def start_as_users() -> None:
    """Open what Blender opens: a cube, a light and a camera, and all its workspaces."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)


def sample_file(folder: Path, sample: str | Game = "tr1", name: str = "") -> Path:
    """Write a sample level, by its game or its name in `SAMPLES`, into a folder."""
    sample = sample.name.lower() if isinstance(sample, Game) else sample
    path = folder / (name or FILE_NAMES[SAMPLES[sample][0]])
    path.write_bytes(named_sample(sample))
    return path


def import_file(path: Path, **options: Any) -> Collection:
    """Import a level by its operator, and return its root collection."""
    before = set(levels())
    assert bpy.ops.import_scene.tomb_raider(filepath=str(path), **options) == {"FINISHED"}
    (root,) = set(levels()) - before
    return root


def import_sample(folder: Path, sample: str | Game = "tr1", name: str = "", **options: Any) -> Collection:
    """Write a sample level into a folder, and import it as the menu does."""
    return import_file(sample_file(folder, sample, name), **options)


def export_file(path: Path, **options: Any) -> bytes:
    """Export a level by its operator, and return the file's content."""
    assert bpy.ops.export_scene.tomb_raider(filepath=str(path), **options) == {"FINISHED"}
    return path.read_bytes()


def after_events() -> None:
    """Do what Blender does between events:

    update the view layer, and call the timer, which needs a window.
    """
    bpy.context.view_layer.update()
    pending.work()


def levels() -> list[Collection]:
    """Return the root collections of all levels in the file."""
    return [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"]


def all_datablocks() -> dict[str, list[str]]:
    """Return the names of all data-blocks, by type."""
    lists = [each.identifier for each in bpy.types.BlendData.bl_rna.properties if each.type == "COLLECTION"]
    return {name: sorted(each.name_full for each in getattr(bpy.data, name)) for name in lists}


def state() -> dict[str, Any]:
    """Return everything that a failed import must not change."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    active = layer.objects.active
    return {
        "datablocks": all_datablocks(),
        "users": sorted((obj.name, obj.users) for obj in bpy.data.objects),
        "collections": sorted(each.name for each in scene.collection.children_recursive),
        "active": active and (active.name, active.mode),
        "selected": sorted(obj.name for obj in bpy.context.selected_objects),
        "active collection": layer.active_layer_collection.name,
        "mode": bpy.context.mode,
        "frame rate": (scene.render.fps, scene.render.fps_base),
        "view": scene.view_settings.view_transform,
        "frame": scene.frame_current,
    }


def add_cube(name: str = "Cube") -> Object:
    """Add a cube to the scene, active and selected."""
    import bmesh

    mesh = bpy.data.meshes.new(name)
    made = bmesh.new()
    bmesh.ops.create_cube(made)
    made.to_mesh(mesh)
    made.free()
    return add_object(name, mesh)


def add_object(name: str, data: Any) -> Object:
    """Add an object to the scene, active and selected."""
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    return obj


def write_image(path: Path, size: tuple[int, int], color: tuple[float, ...]) -> Path:
    """Write an image file of one color."""
    image: Any = bpy.data.images.new("Mine", *size, alpha=True)
    image.pixels.foreach_set(np.tile(np.array(color, np.float32), size[0] * size[1]))
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)
    return path


def select(*chosen: Any) -> None:
    """Make objects of the hidden library visible, and select them."""
    for layer in bpy.context.view_layer.layer_collection.children:
        for child in layer.children:
            child.exclude = False
    bpy.ops.object.select_all(action="DESELECT")
    for obj in chosen:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = chosen[0] if chosen else None


def edit_faces(obj: Any, *faces: int) -> None:
    """Enter edit mode with some faces selected."""
    import bmesh  # importable only after bpy

    select(obj)
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    bpy.ops.object.mode_set(mode="EDIT")
    edited: Any = bmesh.from_edit_mesh(obj.data)
    for face in edited.faces:
        face.select_set(face.index in faces)
    edited.select_flush_mode()
    bmesh.update_edit_mesh(obj.data)


def error_of(operator: Callable[..., object], **options: Any) -> str:
    """Run an operator that has to fail, and return its error."""
    with pytest.raises(RuntimeError) as caught:
        operator(**options)
    return str(caught.value)


def fails(operator: Callable[..., object], **options: Any) -> str:
    """Run an operator that has to fail and to change nothing; return its report."""
    before = state()
    with pytest.raises(RuntimeError) as caught:
        operator(**options)
    assert state() == before
    text = str(caught.value)
    assert text.startswith("Error: ") and not is_unexpected(caught.value)
    return text


def is_unexpected(error: RuntimeError) -> bool:
    """Return whether an operator has failed because of a defect of its code."""
    return "an unexpected error" in str(error) or "Traceback" in str(error)


@contextmanager
def in_view() -> Iterator[Any]:
    """Set the context to a 3D view, and yield it."""
    window = bpy.context.window_manager.windows[0]
    area: Any = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        yield area.spaces.active
