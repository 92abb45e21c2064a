"""Levels in scenes, for tests: import, edit, export, and compare what a game reads."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Collection

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.pipeline.checks.notes import Note
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import Path, differences
from tests.scene.exporting import export_level

# A file without data-blocks of these kinds is empty.
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
# Levels that were imported into an empty file, and the paths of those that were saved.
_imported: set[bytes] = set()
_saved: dict[bytes, str] = {}


def import_anew(data: bytes) -> Collection:
    """Import a level into the current scene, and return its root collection."""
    return import_level(data, ImportOptions(beside=False), name="Level").root


def import_scene(data: bytes) -> Collection:
    """Return the root collection of a level in the current scene, imported or loaded.

    Most tests start from one of few levels in an empty file. Blender opens such a file in a third of the time
    of an import, so a level that is imported a second time is saved for later tests. Opening it invalidates
    all references to Blender's data.
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
    """Export a level from what its scene holds alone, and read the file back, as a game would."""
    return exported(root, rebuild=rebuild)[0]


def exported(root: Collection, **options: Any) -> tuple[Level, list[str]]:
    """Export a level as `export_scene` does; return it and the warnings."""
    original.forget()
    level, report = export_level(root, **options)
    return read_level(level.to_bytes()), report.warnings


def changes(
    data: bytes, edit: Callable[[Collection], None], start: Callable[[bytes], Collection] = import_scene
) -> list[Path]:
    """Return what differs in the export after an edit of the imported scene.

    Args:
        data: the level.
        edit: what the user does, given the root collection.
        start: how the level is imported.
    """
    root = start(data)
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


def lara(root: Collection) -> Any:
    """Return the armature of Lara."""
    return next(obj for obj in objects(root, "MODEL") if obj.tomb_raider.model.id == 0)


def light_object(root: Collection, kind: str = "POINT") -> Any:
    """Return the first light of one of Blender's types."""
    return next(obj for obj in objects(root, "LIGHT") if obj.data and obj.data.type == kind)


def collection_of(root: Collection, kind: str) -> Collection:
    """Return the first collection of one kind: the level's own, or one in it."""
    return next(each for each in (root, *root.children_recursive) if each.tomb_raider.kind == kind)


def mesh_of(root: Collection, number: int) -> Any:
    """Return the data-block of a mesh by its number in the file."""
    used = (obj for kind in ("MODEL_MESH", "STATIC_MESH") for obj in objects(root, kind))
    return next(obj.data for obj in used if obj.data.tomb_raider.index == number)


def shown_by(root: Collection, mesh: Any) -> str:
    """Return the name of the object that shows a mesh."""
    return next(obj.name for obj in root.all_objects if obj.data == mesh)


def drawn_vertices(obj: Any) -> Any:
    """Return the world positions of the vertices of the meshes that an object instances, (n, 3)."""
    found = []
    for each in bpy.context.evaluated_depsgraph_get().object_instances:
        if each.is_instance and each.parent.original == obj and each.object.type == "MESH":
            found += [each.matrix_world @ vertex.co for vertex in each.object.data.vertices]
    return np.array(found)


def matrix_of(obj: Any) -> Any:
    """Return the world matrix of an object, as Blender shows it."""
    return obj.matrix_world


def copy_of(obj: Any) -> Any:
    """Duplicate an object as Shift+D does: all its settings, the same data, parent and collections."""
    made: Any = obj.copy()
    for collection in obj.users_collection:
        collection.objects.link(made)
    return made


def move_to(obj: Any, place: Any) -> None:
    """Move an object to a place of the world, whatever its parent is."""
    matrix = world_matrix(obj)
    matrix.translation = place
    obj.matrix_basis = (
        matrix
        if obj.parent is None
        else obj.matrix_parent_inverse.inverted() @ world_matrix(obj.parent).inverted() @ matrix
    )


def worth_telling(root: Collection) -> list[Note]:
    """Return what a check finds, except information."""
    bpy.context.view_layer.update()
    return [note for note in check_scene(root) if note.severity != "INFO"]


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
