"""Levels in scenes, for tests: import, edits like those of users, export, and comparison."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import bmesh
import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.formats.meshes.meshes import decode_meshes
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import Path, differences
from tests.scene.exporting import export_level

# A file with any of these may have objects of a user.
_KINDS = (
    "collections",
    "objects",
    "meshes",
    "armatures",
    "actions",
    "materials",
    "images",
    "sounds",
    "texts",
)
# Levels that were imported into an empty file, and those that were saved, with the paths.
_imported: set[bytes] = set()
_saved: dict[bytes, str] = {}


def import_anew(data: bytes) -> Collection:
    """Import a level into the current scene, and return its root collection."""
    return import_level(data, ImportOptions(beside=False), name="Level").root


def import_scene(data: bytes) -> Collection:
    """Return the root collection of a level in the current scene, imported or loaded.

    Most tests use one of few levels in an empty file. Opening a file takes a third of the time of an import,
    so a level that is imported twice is saved. References to Blender's data are invalid after this call.
    """
    if any(getattr(bpy.data, kind) for kind in _KINDS):
        return import_anew(data)
    if data in _saved:
        # As a start-up file: the file has no path, as if it was never saved.
        bpy.ops.wm.read_homefile(filepath=_saved[data], load_ui=False)
        return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    root = import_anew(data)
    if data in _imported:
        path = f"{os.environ['BLENDER_USER_RESOURCES']}/imported {os.getpid()} {len(_saved)}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=True, compress=False)
        _saved[data] = path
    _imported.add(data)
    return root


def export_scene(root: Collection, *, rebuild: bool = False) -> Level:
    """Export a level from its scene, and read the file back."""
    original.forget()
    level, _ = export_level(root, rebuild=rebuild)
    return read_level(level.to_bytes())


def changes(data: bytes, edit: Callable[[Collection], None]) -> list[Path]:
    """Return the differences of the export after an edit of the imported scene."""
    root = import_scene(data)
    edit(root)
    bpy.context.view_layer.update()
    return differences(_read(data), export_scene(root))


@lru_cache(maxsize=16)
def _read(data: bytes) -> Level:
    """Read a level. It is shared, so it must not be changed."""
    return read_level(data)


def objects(root: Collection, kind: str) -> list[Any]:
    """Return the objects of one kind by index."""
    found = [obj for obj in root.all_objects if obj.tomb_raider.kind == kind]
    return sorted(found, key=lambda obj: obj.tomb_raider.index)


def mesh_of(root: Collection, number: int) -> Any:
    """Return the data-block of a mesh by its number in the file."""
    used = (obj for kind in ("MODEL_MESH", "STATIC_MESH") for obj in objects(root, kind))
    return next(obj.data for obj in used if obj.data.tomb_raider.index == number)


def matrix_of(obj: Any) -> Any:
    """Return the evaluated world matrix of an object."""
    return obj.matrix_world


def copy_of(obj: Any) -> Any:
    """Duplicate an object as Shift+D does: all its settings, the same data, parent and collections."""
    made: Any = obj.copy()
    for collection in obj.users_collection:
        collection.objects.link(made)
    return made


def stand_at(obj: Any, place: Any) -> None:
    """Move an object to a place in world space, whatever its parent."""
    matrix = world_matrix(obj)
    matrix.translation = place
    obj.matrix_basis = (
        matrix
        if obj.parent is None
        else obj.matrix_parent_inverse.inverted() @ world_matrix(obj.parent).inverted() @ matrix
    )


UNIT = 1 / 512


def meshes_of(level: Level) -> list[Any]:
    return decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes


def edit_bmesh(mesh: Any, edit: Callable[[bmesh.types.BMesh], object]) -> None:
    """Edit a mesh by a BMesh, as edit mode does."""
    bm = bmesh.new()
    bm.from_mesh(mesh)
    bm.verts.ensure_lookup_table()
    bm.faces.ensure_lookup_table()
    edit(bm)
    bm.to_mesh(mesh)
    bm.free()
    mesh.update()


def room_object(root: Collection, number: int) -> Any:
    return objects(root, "ROOM")[number]
