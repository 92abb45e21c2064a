"""Effects of the vertices of rooms: edits of an attribute, in edit mode or not."""

from __future__ import annotations

from typing import Any

import bmesh
import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ....formats import Game
from ....formats.levels.rooms import STRENGTH, attribute_word, changed_attributes, new_attributes
from ...mesh.blender_mesh import read_ints
from ..meshes.arrays import VERTEX_FLAGS


def selected_vertices(mesh: Mesh) -> NDArray[np.bool_]:
    """Return which vertices of a mesh are selected in edit mode, (n,); outside of it, all."""
    if not mesh.is_editmode:
        return np.ones(len(mesh.vertices), np.bool_)
    edited = bmesh.from_edit_mesh(mesh)
    return np.array([vertex.select for vertex in edited.verts], np.bool_)


def active_attributes(mesh: Mesh) -> int | None:
    """Return the attributes of the active vertex in edit mode, or None."""
    edited = bmesh.from_edit_mesh(mesh)
    layer, active = edited.verts.layers.int.get(VERTEX_FLAGS), edited.select_history.active
    if layer is None or not isinstance(active, bmesh.types.BMVert):
        return None
    return attribute_word(active[layer])


def change_attributes(
    mesh: Mesh, game: Game, rows: NDArray[np.bool_], add: NDArray[Any] | int, remove: NDArray[Any] | int
) -> int:
    """Set bits of the attributes of vertices, and return the number of vertices that change.

    ``rows`` chooses the vertices, (n,). The bits to set, and those to clear before, are of each vertex or of
    all.
    """
    stored = _read(mesh)
    words = np.full(len(rows), new_attributes(game), np.int32) if stored is None else stored
    new_words = changed_attributes(words, rows, add, remove, game)
    changed = int((new_words != words).sum())
    if changed:
        _write(mesh, new_words)
    return changed


def set_strength(mesh: Mesh, game: Game, rows: NDArray[np.bool_], strength: int) -> int:
    """Set the strength of light modes on vertices, and return the number of vertices that change."""
    return change_attributes(mesh, game, rows, strength, STRENGTH)


def _read(mesh: Mesh) -> NDArray[np.int32] | None:
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        layer = edited.verts.layers.int.get(VERTEX_FLAGS)
        return None if layer is None else np.array([vertex[layer] for vertex in edited.verts], np.int32)
    return read_ints(mesh.attributes.get(VERTEX_FLAGS), "POINT", len(mesh.vertices))


def _write(mesh: Mesh, values: NDArray[np.int32]) -> None:
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        layers = edited.verts.layers.int
        layer = layers.get(VERTEX_FLAGS) or layers.new(VERTEX_FLAGS)
        for vertex, value in zip(edited.verts, values.tolist(), strict=True):
            vertex[layer] = value
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
        return
    attribute: Any = mesh.attributes.get(VERTEX_FLAGS)
    if attribute is not None and (attribute.domain, attribute.data_type) != ("POINT", "INT"):
        mesh.attributes.remove(attribute)
        attribute = None
    attribute = attribute or mesh.attributes.new(VERTEX_FLAGS, "INT", "POINT")
    attribute.data.foreach_set("value", values)
    mesh.update()
