"""Everything in which the supported Blender versions differ, and nothing else."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Material, Mesh, ShaderNodeTree
from numpy.typing import NDArray

_FREE_NORMALS = bpy.app.version >= (5, 0, 0)


def set_display_normals(mesh: Mesh, normals: NDArray[np.float32]) -> None:
    """Let Blender shade a mesh by normals, shape (n, 3), of any length.

    From 5.0 on an attribute does that, and stays when vertices move. Before, Blender stores normals
    relative to the faces around, so that moving a vertex would seem to edit them: there the file's
    normals wait in their own attribute only, and Blender shades smooth.
    """
    if not _FREE_NORMALS or not len(normals):
        return
    lengths = np.linalg.norm(normals, axis=1)
    unit = normals / np.where(lengths > 0, lengths, 1)[:, None]
    mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "POINT")
    mesh.attributes["custom_normal"].data.foreach_set("vector", unit.astype(np.float32).ravel())


def material_nodes(material: Material) -> ShaderNodeTree:
    """Return a material's node tree. From 5.0 on every material has one, and asking for it warns."""
    if material.node_tree is None:
        material.use_nodes = True
    assert material.node_tree is not None
    return material.node_tree


def used_nodes(material: Material) -> ShaderNodeTree | None:
    """Return the node tree that a material is drawn with, or None. Before 5.0 it can be switched off."""
    if bpy.app.version >= (5, 0, 0) or material.use_nodes:
        return material.node_tree
    return None


def cull_back_faces(material: Material, cull: bool) -> None:
    """Show a material's faces from one side only, or from both, wherever Blender can be told."""
    material.use_backface_culling = cull
    material.use_backface_culling_shadow = cull
