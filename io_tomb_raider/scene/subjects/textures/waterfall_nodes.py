"""Nodes that scroll the texture of waterfall objects, as the engines of TR4 and TR5 do.

They move a window of 64 pixels up the page by 7 pixels per frame, and begin again after 64. An attribute of
faces chooses those that scroll, so a material can have other faces as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bpy.types import Material, Mesh, NodeSocket, NodeTree
from numpy.typing import NDArray

from ....formats.levels.textures import PAGE_SIZE
from ...core.blender import compat
from ...core.blender.node_builder import COLUMN, NodeBuilder, follow_frame, shader_nodes

GROUP_NAME = "Tomb Raider Waterfall"
WATERFALL = "tr_waterfall"  # of scrolling faces: upper edge, share by which the window is lower, 1
_SPEED = 7.0  # pixels per frame
_WINDOW = 64.0  # pixels
_ROUNDING = 2.0  # pixels: corners are half a pixel inside of their texture
_FRAME = "Scene Frame"
# As of the groups that play animated textures, by which exports know them.
_OUTPUTS = {"UV": "Vector", "Picture": "Float"}


def is_waterfall_group(tree: NodeTree | None) -> bool:
    """Return whether a node group scrolls waterfalls, also for appended copies."""
    return tree is not None and tree.name.startswith(GROUP_NAME)


def windows(uvs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the values of the attribute for faces with these UVs, (n, corners, 2), as (n, 3)."""
    top, bottom = uvs[..., 1].max(axis=1), uvs[..., 1].min(axis=1)
    window, height = _WINDOW / PAGE_SIZE, top - bottom
    usual = np.abs(height - window) <= _ROUNDING / PAGE_SIZE
    lower = np.where(usual, 0.0, 1 - window / np.maximum(height, 1 / PAGE_SIZE))
    return np.stack((top, lower, np.ones_like(top)), axis=1).astype(np.float32)


def set_waterfalls(mesh: Mesh, faces: NDArray[np.int64], values: NDArray[np.float32]) -> None:
    """Scroll faces of a mesh, whose materials have the nodes from :func:`attach_waterfall`."""
    all_values = np.zeros((len(mesh.polygons), 3), np.float32)
    all_values[faces] = values
    layer: Any = mesh.attributes.get(WATERFALL) or mesh.attributes.new(WATERFALL, "FLOAT_VECTOR", "FACE")
    layer.data.foreach_set("vector", all_values.ravel())


def attach_waterfall(material: Material) -> None:
    """Scroll the images of a material on faces that have the attribute, unless they are animated already."""
    tree: Any = compat.material_nodes(material)
    sockets = [node.inputs[0] for node in tree.nodes if node.type == "TEX_IMAGE" and not node.inputs[0].links]
    if not sockets or any(is_waterfall_group(getattr(node, "node_tree", None)) for node in tree.nodes):
        return
    player = tree.nodes.new("ShaderNodeGroup")
    player.node_tree = shader_nodes(GROUP_NAME, {}, _OUTPUTS, _add_scrolling)
    player.location = (-4 * COLUMN, 0)
    for socket in sockets:
        tree.links.new(player.outputs[0], socket)


def _add_scrolling(build: NodeBuilder, _inputs: Sequence[NodeSocket]) -> list[NodeSocket]:
    frame = build.constant(0.0, _FRAME).outputs[0]
    uv = build.node("ShaderNodeUVMap", row=1).outputs[0]
    window = build.node("ShaderNodeAttribute", "window", 2, attribute_name=WATERFALL).outputs[1]
    coordinates = build.node("ShaderNodeSeparateXYZ", row=1)
    values = build.node("ShaderNodeSeparateXYZ", row=2)
    build.link(uv, coordinates.inputs[0])
    build.link(window, values.inputs[0])
    top, lower, scrolls = values.outputs[:3]
    pixels = build.math("FLOORED_MODULO", build.math("MULTIPLY", frame, -_SPEED), _WINDOW)
    offset = build.math("MULTIPLY", build.math("DIVIDE", pixels, float(PAGE_SIZE)), scrolls)
    below = build.math("SUBTRACT", top, coordinates.outputs[1], row=1, label="below the top")
    moved = build.math("MULTIPLY_ADD", below, lower, coordinates.outputs[1], row=1)
    result = build.node("ShaderNodeCombineXYZ", row=1)
    build.link(coordinates.outputs[0], result.inputs[0])
    build.link(build.math("SUBTRACT", moved, offset, row=1), result.inputs[1])
    follow_frame(build.tree, _FRAME)
    return [result.outputs[0]]
