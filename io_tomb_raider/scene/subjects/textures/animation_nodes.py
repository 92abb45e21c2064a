"""Nodes that play animated textures by moving UVs with the frame of the scene.

The games exchange whole object textures: a face that begins with the third picture of a group shows the
fourth next. The nodes compare the picture with which a face began, an attribute of faces, with the present
one, and move its UVs from one to the other. No handler is needed.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Image, Material, NodeSocket, NodeTree
from numpy.typing import NDArray

from ....formats.levels.textures import PAGE_SIZE
from ...core.blender import compat
from ...core.blender.node_builder import COLUMN, NodeBuilder, follow_frame

START = "tr_frame"  # the picture with which a face begins; without it, the first one

_FRAME, _PACE, _SPEED = "Scene Frame", "Frames per Picture", "Pixels per Frame"
_BEFORE, _AFTER = "Before", "After"  # names of nodes with the positions of pictures
_WINDOW = 32  # pixels: visible height of scrolling textures, and range of the scrolling
_SAME = 1.5 / PAGE_SIZE  # tolerance of sides of pictures of the same shape


def pictures(group: Any) -> tuple[NDArray[np.float64], list[Image | None]]:
    """Return the corners of a group's frames as UVs (n, 4, 2), and the image of each."""
    images = [frame.image for frame in group.frames]
    corners = np.array([list(frame.corners) for frame in group.frames], np.float64).reshape(-1, 4, 2)
    sizes = np.array([picture_size(image) for image in images], np.float64).reshape(-1, 1, 2)
    uv = corners / sizes
    uv[..., 1] = 1 - uv[..., 1]
    for row, frame in enumerate(group.frames):
        if frame.is_triangle:
            uv[row, 3] = uv[row, 0] + uv[row, 2] - uv[row, 1]
    return uv, images


def picture_size(image: Image | None) -> tuple[int, int]:
    """Return the width and height of an image; Blender does not have to read pages of a level for it."""
    if image is None or image.tomb_raider.kind == "PAGE":
        return PAGE_SIZE, PAGE_SIZE
    size = image.size
    return max(size[0], 1), max(size[1], 1)


def make_player(root: Collection, group: Any) -> NodeTree:
    """Make or rebuild the node group that plays an animated texture, and return it.

    Its outputs are the UVs and the number of the shown picture.
    """
    settings = root.tomb_raider.animated
    table, _ = pictures(group)
    tree: Any = group.player
    if tree is None:
        is_exchanged = _is_rigid(table) and not _is_scrolling(settings, group)
        similar = _player_of(settings, len(table)) if is_exchanged else None
        if similar is not None:
            # A copy is ten times as fast as new nodes.
            tree = group.player = similar.copy()
            tree.name = f"{root.name} {group.name}"
            for number, position in enumerate(_flat(table[:, 0])):
                for name in (_BEFORE, _AFTER):
                    tree.nodes[f"{name} {number}"].inputs[1].default_value = position
            return tree
        tree = bpy.data.node_groups.new(f"{root.name} {group.name}", "ShaderNodeTree")
        tree.interface.new_socket("UV", in_out="OUTPUT", socket_type="NodeSocketVector")
        tree.interface.new_socket("Picture", in_out="OUTPUT", socket_type="NodeSocketFloat")
        group.player = tree
    else:
        tree.animation_data_clear()
        tree.nodes.clear()
    with NodeBuilder(tree) as build:
        frame = build.constant(0.0, _FRAME)
        uv = build.node("ShaderNodeUVMap", row=2).outputs[0]
        start = build.node("ShaderNodeAttribute", "first picture", 1, attribute_name=START).outputs[2]
        if _is_scrolling(settings, group):
            speed = build.constant(settings.scroll_speed, _SPEED, row=1).outputs[0]
            picture, uv = start, _scrolled(build, frame.outputs[0], speed, start, uv, table)
        else:
            pace = build.constant(settings.frames_per_picture, _PACE, row=1).outputs[0]
            passed = build.math("FLOOR", build.math("DIVIDE", frame.outputs[0], pace))
            count = max(len(table), 1)
            picture = build.math("FLOORED_MODULO", build.math("ADD", passed, start), count, label="picture")
            if len(table):
                uv = _exchanged(build, start, picture, uv, table)
        outputs = build.node("NodeGroupOutput").inputs
        build.link(uv, outputs[0])
        build.link(picture, outputs[1])
    follow_frame(tree, _FRAME)
    return tree


def _is_scrolling(settings: Any, group: Any) -> bool:
    """Return whether pictures move over their faces: without a speed the games exchange them instead."""
    return bool(group.scrolls) and round(settings.scroll_speed) != 0


def _is_rigid(table: NDArray[np.float64]) -> bool:
    """Return whether all pictures of a group have the same shape."""
    sides = np.diff(table[:, :3], axis=1)
    return bool(len(table)) and bool(np.abs(sides - sides[:1]).max() < _SAME)


def _player_of(settings: Any, count: int) -> NodeTree | None:
    """Return the node group of another animated texture with as many pictures of one shape, or None."""
    for group in settings.groups:
        nodes = () if group.player is None else group.player.nodes
        if len(nodes) and f"{_AFTER} {count - 1}" in nodes and f"{_AFTER} {count}" not in nodes:
            result: NodeTree = group.player
            return result
    return None


def _switches(build: NodeBuilder, number: NodeSocket, count: int, row: int) -> list[NodeSocket]:
    """Add for every picture a value that is 1 where ``number`` is the picture's, else 0."""
    return [build.math("COMPARE", number, float(each), 0.5, row=row) for each in range(count)]


def _exchanged(
    build: NodeBuilder, start: NodeSocket, picture: NodeSocket, uv: NodeSocket, table: NDArray[np.float64]
) -> NodeSocket:
    """Add nodes that move UVs from the picture with which a face began to the shown one."""
    before = _switches(build, start, len(table), 3)
    after = _switches(build, picture, len(table), 4)
    origin, sides = table[:, 0], np.stack((table[:, 1] - table[:, 0], table[:, 2] - table[:, 1]), axis=1)
    if _is_rigid(table):
        positions = _flat(origin)
        offset = build.vector("SUBTRACT", uv, build.picked(before, positions, 3, _BEFORE))
        return build.vector("ADD", offset, build.picked(after, positions, 4, _AFTER))
    # Different shapes: keep the coordinates relative to the sides of the pictures.
    inverse = _inverse(sides)
    inside = build.vector("SUBTRACT", uv, build.picked(before, _flat(origin), 3))
    result = build.picked(after, _flat(origin), 4)
    for side in range(2):
        share = build.node("ShaderNodeVectorMath", row=5 + side, operation="DOT_PRODUCT")
        build.link(inside, share.inputs[0])
        build.link(build.picked(before, _flat(inverse[:, side]), 3), share.inputs[1])
        along = build.picked(after, _flat(sides[:, side]), 4)
        add = build.node("ShaderNodeVectorMath", row=5 + side, operation="MULTIPLY_ADD")
        build.link(share.outputs[1], add.inputs[0])
        build.link(along, add.inputs[1])
        build.link(result, add.inputs[2])
        result = add.outputs[0]
    return result


def _inverse(sides: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse matrices of sides, (n, 2, 2); zero for pictures without area."""
    (ax, ay), (bx, by) = sides[:, 0].T, sides[:, 1].T
    area = ax * by - ay * bx
    safe = np.where(np.abs(area) < 1e-9, np.inf, area)
    return np.stack((np.stack((by, -bx), axis=1), np.stack((-ay, ax), axis=1)), axis=1) / safe[:, None, None]


def _flat(points: NDArray[np.float64]) -> list[list[float]]:
    return [[x, y, 0.0] for x, y in points.tolist()]


def _scrolled(
    build: NodeBuilder,
    frame: NodeSocket,
    speed: NodeSocket,
    start: NodeSocket,
    uv: NodeSocket,
    table: NDArray[np.float64],
) -> NodeSocket:
    """Add nodes that move a window of 32 pixels over each picture, like the engines of TR4 and TR5."""
    if not len(table):
        return uv
    top, bottom = table[..., 1].max(axis=1), table[..., 1].min(axis=1)
    ratio = _WINDOW / PAGE_SIZE / np.maximum(top - bottom, 1 / PAGE_SIZE)
    rows = np.stack((top, ratio, np.zeros_like(top)), axis=1).tolist()
    values = build.node("ShaderNodeSeparateXYZ", row=3)
    build.link(build.picked(_switches(build, start, len(table), 3), rows, 3), values.inputs[0])
    coordinates = build.node("ShaderNodeSeparateXYZ", row=2)
    build.link(uv, coordinates.inputs[0])
    pixels = build.math("MULTIPLY", build.math("MULTIPLY", frame, speed), -1.0)
    offset = build.math("DIVIDE", build.math("FLOORED_MODULO", pixels, float(_WINDOW)), float(PAGE_SIZE))
    below = build.math("SUBTRACT", values.outputs[0], coordinates.outputs[1], row=2, label="below the top")
    below = build.math("MULTIPLY_ADD", below, values.outputs[1], offset, row=2)
    moved = build.node("ShaderNodeCombineXYZ", row=2)
    build.link(coordinates.outputs[0], moved.inputs[0])
    build.link(build.math("SUBTRACT", values.outputs[0], below, row=2), moved.inputs[1])
    return moved.outputs[0]


def attach_player(material: Material, group: Any, image: Image) -> None:
    """Play an animated texture, possibly of several images, in a material.

    ``image`` is the material's image; its node remains the first and active one.
    """
    tree: Any = compat.material_nodes(material)
    texture = tree.nodes.active
    player: Any = tree.nodes.new("ShaderNodeGroup")
    player.node_tree = group.player
    player.location = (-4 * COLUMN, 0)
    tree.links.new(player.outputs[0], texture.inputs[0])
    _, images = pictures(group)
    color, alpha = texture.outputs[0], texture.outputs[1]
    outgoing = [link for link in tree.links if link.from_node == texture]
    targets = [(link.from_socket.identifier, link.to_socket) for link in outgoing]
    others = [each for each in dict.fromkeys(images) if each is not None and each != image]
    for row, other in enumerate(others, 1):
        node: Any = tree.nodes.new("ShaderNodeTexImage")
        node.image, node.interpolation, node.extension = other, texture.interpolation, texture.extension
        node.location = (-2 * COLUMN, -2 * COLUMN * row)
        tree.links.new(player.outputs[0], node.inputs[0])
        numbers = [number for number, each in enumerate(images) if each == other]
        switch = _any_of(tree, player.outputs[1], numbers)
        color = _mixed(tree, "RGBA", switch, color, node.outputs[0])
        alpha = _mixed(tree, "FLOAT", switch, alpha, node.outputs[1])
    if others:
        for identifier, target in targets:
            tree.links.new(color if identifier == "Color" else alpha, target)
    tree.nodes.active = texture


def _any_of(tree: NodeTree, number: NodeSocket, numbers: list[int]) -> NodeSocket:
    with NodeBuilder(tree) as build:
        total = build.math("COMPARE", number, float(numbers[0]), 0.5, row=6)
        for each in numbers[1:]:
            total = build.math("ADD", total, build.math("COMPARE", number, float(each), 0.5, row=6), row=6)
    return total


def _mixed(
    tree: NodeTree, kind: str, factor: NodeSocket, first: NodeSocket, second: NodeSocket
) -> NodeSocket:
    node: Any = tree.nodes.new("ShaderNodeMix")
    node.data_type = kind
    index = 6 if kind == "RGBA" else 2
    tree.links.new(factor, node.inputs[0])
    tree.links.new(first, node.inputs[index])
    tree.links.new(second, node.inputs[index + 1])
    return node.outputs[2 if kind == "RGBA" else 0]


def set_pace(root: Any) -> None:
    """Set the pace of all animated textures of a level to that of its settings."""
    settings = root.tomb_raider.animated
    for group in settings.groups:
        if group.player is not None and (_SPEED in group.player.nodes) != _is_scrolling(settings, group):
            make_player(root, group)
        for name, value in ((_PACE, settings.frames_per_picture), (_SPEED, settings.scroll_speed)):
            node = group.player.nodes.get(name) if group.player is not None else None
            if node is not None:
                node.outputs[0].default_value = value


def replay(root: Any) -> None:
    """Rebuild the existing node groups of animated textures of a level."""
    for group in root.tomb_raider.animated.groups:
        if group.player is not None:
            make_player(root, group)
