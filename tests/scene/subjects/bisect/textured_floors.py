"""Floors with repeating pictures."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from io_tomb_raider.scene.core.blender import compat

SECTOR = 2.0


def brick_material(**settings: Any) -> Any:
    """Return a material of the user's own that shows a picture of 64 by 32 pixels."""
    material = bpy.data.materials.new("Bricks")
    tree: Any = compat.material_nodes(material)
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images.new("Bricks", 64, 32)
    for name, value in settings.items():
        setattr(node, name, value)
    tree.links.new(node.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material


def add_ground(points: Any, faces: Any, uvs: Any, material: Any) -> Any:
    """Add a mesh with UVs (corner by corner), a color that grows along x, and a number on faces."""
    mesh: Any = bpy.data.meshes.new("Ground")
    mesh.from_pydata(points, [], faces)
    mesh.materials.append(material)
    layer = mesh.uv_layers.new(name="UVMap")
    layer.data.foreach_set("uv", np.asarray(uvs, np.float32).ravel())
    color = mesh.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
    color.data.foreach_set("color", np.ravel([(point[0] / 100, 0, 0, 1) for point in points]))
    mesh.attributes.new("mine", "INT", "FACE").data.foreach_set("value", np.arange(len(faces)) + 7)
    obj = bpy.data.objects.new("Ground", mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


def quad(width: float, depth: float, across: float, along: float, material: Any) -> Any:
    """Add a floor, with sizes in sectors, and the number of repeats of its picture."""
    points = [(0, 0, 0), (width * SECTOR, 0, 0), (width * SECTOR, depth * SECTOR, 0), (0, depth * SECTOR, 0)]
    uvs = [(0.25, 0), (0.25 + across, 0), (0.25 + across, along), (0.25, along)]
    return add_ground(points, [(0, 1, 2, 3)], uvs, material)
