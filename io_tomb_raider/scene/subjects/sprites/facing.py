"""Sprites that face the scene's camera, as in the games, if enabled in the level's settings.

A modifier that exports ignore rotates the geometry; transforms of objects do not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import pi
from typing import Any

from bpy.types import Collection, Mesh, NodeSocket, Object

from ...core.blender.display import DISPLAY_GROUP
from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_through
from ...core.membership import members
from ...core.subjects import Kind

_NAME = f"{DISPLAY_GROUP} Facing"
_PICTURED = (Kind.SPRITE, Kind.ENTITY)  # kinds of objects that may show a sprite


def face_camera(root: Collection, faces: bool) -> None:
    """Set whether the sprites of a level face the camera."""
    for obj in members(root):
        turn_sprite(obj, faces)


def turn_sprite(obj: Object, faces: bool) -> None:
    """Set whether an object that shows a sprite faces the camera."""
    if obj.tomb_raider.kind not in _PICTURED or not isinstance(obj.data, Mesh):
        return
    modifiers: Any = obj.modifiers
    groups = [(each, each.node_group) for each in modifiers if each.type == "NODES"]
    facing_modifiers = [each for each, group in groups if group and group.name.startswith(_NAME)]
    if faces and not facing_modifiers:
        show_through(obj, "Facing", geometry_nodes(_NAME, {}, _turn))
    elif not faces:
        for modifier in facing_modifiers:
            modifiers.remove(modifier)


@contextmanager
def facing(root: Collection) -> Iterator[None]:
    """Make the sprites of a level face the camera in this block."""
    settings = root.tomb_raider.level
    before = settings.sprites_face_camera
    settings.sprites_face_camera = True
    try:
        yield
    finally:
        settings.sprites_face_camera = before


def _turn(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that turn a quad, which faces -y, to the camera."""
    (quad,) = inputs
    camera = build.node("GeometryNodeObjectInfo", transform_space="RELATIVE")
    build.link(build.node("GeometryNodeInputActiveCamera").outputs[0], camera.inputs[0])
    upright = build.node("GeometryNodeTransform")
    upright.inputs["Rotation"].default_value = (-pi / 2, 0, 0)
    build.link(quad, upright.inputs["Geometry"])
    turned = build.node("GeometryNodeTransform")
    build.link(upright.outputs[0], turned.inputs["Geometry"])
    build.link(camera.outputs["Rotation"], turned.inputs["Rotation"])
    # Without a camera its scale is zero.
    length = build.vector("LENGTH", camera.outputs["Scale"]).node.outputs[1]
    switch = build.node("GeometryNodeSwitch", input_type="GEOMETRY")
    build.link(build.math("GREATER_THAN", length, 0.0), switch.inputs["Switch"])
    build.link(quad, switch.inputs["False"])
    build.link(turned.outputs[0], switch.inputs["True"])
    result: NodeSocket = switch.outputs[0]
    return result
