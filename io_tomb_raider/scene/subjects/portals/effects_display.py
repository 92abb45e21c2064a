"""Display of the effects of room vertices by modifiers: marks on the vertices, and motion on playback.

Exports ignore the modifiers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import tau
from typing import Any

import bpy
from bpy.types import Collection, Material, NodeSocket, Object

from ....formats import Game
from ....formats.levels.rooms import NEUTRAL, effect_bits, has_strength, water_motion
from ...core.blender import compat
from ...core.blender.display import DISPLAY_GROUP
from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_through
from ...core.space import Space
from ..meshes.arrays import VERTEX_FLAGS
from ..meshes.layers import shown_color

MARKS, MOTION = "Vertex Effects", "Vertex Motion"
_STRENGTH = "STRENGTH"
# Linear red, green and blue of the marks, from the lowest up.
COLORS = {
    "WAVES": (0.02, 0.25, 1.0),
    "CAUSTICS": (1.0, 0.75, 0.02),
    "STILL": (0.9, 0.02, 0.02),
    _STRENGTH: (0.9, 0.02, 0.8),
}
_BITS = {name: bit for game in Game for name, bit in effect_bits(game).items()}
_RADIUS = 40  # units, of a mark
_PERIOD = 64.0  # frames: water repeats
_PULSE = 32.0  # frames: pulsing light repeats
_SUNSET = 36000.0  # frames until the light of a sunset is gone
_GRID = 64.0  # units: vertices so close move alike, in all rooms
_STRONGEST = 256 / 8191  # what a step of strength does to light
_SWAY = 768 / 8191 * 255  # TR2: what water does to light
_SCREEN = 2.2
_MODES = ("Flicker", "Pulse", "Sunset")  # light modes 1 to 3 of TR2


def shows_effects(obj: Object, label: str) -> bool:
    """Return whether a room shows the marks, or the motion, of its vertices."""
    return _modifier(obj, label) is not None


def show_effects(root: Collection, rooms: Iterable[Object], label: str, on: bool) -> None:
    """Turn marks (:data:`MARKS`) or motion (:data:`MOTION`) of the vertices of rooms on or off."""
    for obj in rooms:
        modifier = _modifier(obj, label)
        if modifier is not None:
            obj.modifiers.remove(modifier)
        if on and label == MARKS:
            tree = geometry_nodes(f"{DISPLAY_GROUP} {label}", {"Size": "Float"}, _add_marks)
            show_through(obj, label, tree, Size=_RADIUS * Space.of(root).scale)
        elif on:
            inputs = {name: "Float" for name in ("Scale", "Height", "Shimmer", "Glow", "All", *_MODES)}
            tree = geometry_nodes(f"{DISPLAY_GROUP} {label}", inputs | {"Light": "String"}, _add_motion)
            show_through(obj, label, tree, **_motion_of(root, obj))


def _modifier(obj: Object, label: str) -> Any | None:
    for modifier in obj.modifiers:
        tree = getattr(modifier, "node_group", None)
        if tree is not None and tree.name.startswith(f"{DISPLAY_GROUP} {label}"):
            return modifier
    return None


def _motion_of(root: Collection, obj: Object) -> dict[str, Any]:
    """Return the inputs for a room's motion."""
    game, settings = Game[root.tomb_raider.game], obj.tomb_raider.room
    color = shown_color(obj.data) if isinstance(obj.data, bpy.types.Mesh) else None
    values: dict[str, Any] = {"Scale": Space.of(root).scale, "Light": "" if color is None else color.name}
    if not has_strength(game):
        motion = water_motion(settings.water_scheme)
        return values | {
            "Height": float(motion.height),
            "Shimmer": motion.shimmer / 255,
            "Glow": motion.glow / 255,
        }
    mode = settings.light_mode
    if settings.has_water and not mode:
        values |= {"All": 1.0, "Shimmer": _SWAY / 255}
    return values | {name: float(mode == number) for number, name in enumerate(_MODES, 1)}


# --- Nodes


def _flags(build: NodeBuilder) -> tuple[NodeSocket, NodeSocket]:
    """Add the attributes of vertices, and 1 if a mesh has them."""
    named = build.node("GeometryNodeInputNamedAttribute", data_type="FLOAT", row=1)
    named.inputs["Name"].default_value = VERTEX_FLAGS
    return named.outputs["Attribute"], named.outputs["Exists"]


def _bit(build: NodeBuilder, flags: NodeSocket, bit: int) -> NodeSocket:
    """Add 1 where a bit is set."""
    shifted = build.math("FLOOR", build.math("DIVIDE", flags, float(bit), row=1), row=1)
    return build.math("MODULO", shifted, 2.0, row=1)


def _strength(build: NodeBuilder, flags: NodeSocket) -> NodeSocket:
    """Add the strength of light modes, from neutral; new vertices, which have 0, are neutral."""
    away = build.math("SUBTRACT", build.math("MODULO", flags, 32.0, row=2), float(NEUTRAL), row=2)
    return build.math("MULTIPLY", away, build.math("GREATER_THAN", flags, 0.5, row=2), row=2)


def _add_marks(build: NodeBuilder, given: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that put a small sphere on each vertex for each of its effects, one above the other."""
    geometry, size = given
    flags, _ = _flags(build)
    joined = build.node("GeometryNodeJoinGeometry", row=0)
    build.link(geometry, joined.inputs[0])
    for index, name in enumerate(COLORS):
        sphere = build.node("GeometryNodeMeshIcoSphere", row=3 + index)
        sphere.inputs["Subdivisions"].default_value = 2
        build.link(size, sphere.inputs["Radius"])
        raised = build.node("ShaderNodeCombineXYZ", row=3 + index)
        build.link(build.math("MULTIPLY", size, 2.0 * index, row=3 + index), raised.inputs[2])
        moved = build.node("GeometryNodeTransform", row=3 + index)
        build.link(sphere.outputs["Mesh"], moved.inputs["Geometry"])
        build.link(raised.outputs[0], moved.inputs["Translation"])
        painted = build.node("GeometryNodeSetMaterial", row=3 + index)
        build.link(moved.outputs[0], painted.inputs["Geometry"])
        painted.inputs["Material"].default_value = _material(name)
        if name == _STRENGTH:
            away = build.math("ABSOLUTE", _strength(build, flags), row=3 + index)
            selection = build.math("MULTIPLY", away, _is_light_mode(build, flags), row=3 + index)
        else:
            selection = _bit(build, flags, _BITS[name])
        instances = build.node("GeometryNodeInstanceOnPoints", row=3 + index)
        build.link(geometry, instances.inputs["Points"])
        build.link(build.math("GREATER_THAN", selection, 0.5, row=3 + index), instances.inputs["Selection"])
        build.link(painted.outputs[0], instances.inputs["Instance"])
        build.link(instances.outputs[0], joined.inputs[0])
    result: NodeSocket = joined.outputs[0]
    return result


def _is_light_mode(build: NodeBuilder, flags: NodeSocket) -> NodeSocket:
    """Add 1 where the lowest bits are a strength: games without strength have none of them set."""
    return build.math("GREATER_THAN", build.math("MODULO", flags, 32.0, row=2), 0.5, row=2)


def _add_motion(build: NodeBuilder, given: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that move vertices, and change their light, with the frame of the scene."""
    geometry, scale, height, shimmer, glow, everywhere, flicker, pulse, sunset, light = given
    frame = build.node("GeometryNodeInputSceneTime", row=2).outputs["Frame"]
    flags, is_there = _flags(build)
    waves = _bit(build, flags, _BITS["WAVES"])
    swing = build.math("SINE", _phase(build, frame, scale), row=3)
    rise = build.math("MULTIPLY", build.math("MULTIPLY", height, scale, row=3), swing, row=3)
    offset = build.node("ShaderNodeCombineXYZ", row=3)
    build.link(build.math("MULTIPLY", rise, waves, row=3), offset.inputs[2])
    moved = build.node("GeometryNodeSetPosition")
    build.link(geometry, moved.inputs["Geometry"])
    build.link(offset.outputs[0], moved.inputs["Offset"])
    changing = build.math("MAXIMUM", waves, _bit(build, flags, _BITS["CAUSTICS"]), row=4)
    changing = build.math("MAXIMUM", changing, everywhere, row=4)
    added = build.math("MULTIPLY", build.math("MULTIPLY_ADD", shimmer, swing, glow, row=4), changing, row=4)
    mode = build.math("MULTIPLY", flicker, _noise(build, frame), row=5)
    turn = build.math("SINE", build.math("MULTIPLY", frame, tau / _PULSE, row=5), row=5)
    mode = build.math("MULTIPLY_ADD", pulse, build.math("MULTIPLY_ADD", turn, 0.5, 0.5, row=5), mode, row=5)
    past = build.math("MINIMUM", build.math("DIVIDE", frame, _SUNSET, row=5), 1.0, row=5)
    mode = build.math("MULTIPLY_ADD", sunset, past, mode, row=5)
    strength = build.math("MULTIPLY", _strength(build, flags), is_there, row=5)
    by_mode = build.math("MULTIPLY", strength, mode, row=5)
    added = build.math("MULTIPLY_ADD", by_mode, -_STRONGEST, added, row=5)
    return _lit(build, moved.outputs[0], light, added)


def _phase(build: NodeBuilder, frame: NodeSocket, scale: NodeSocket) -> NodeSocket:
    """Add the phase of each vertex by its world position, so that rooms stay joined."""
    info = build.node("GeometryNodeObjectInfo", row=6, transform_space="ORIGINAL")
    build.link(build.node("GeometryNodeSelfObject", row=6).outputs[0], info.inputs[0])
    local = build.node("GeometryNodeInputPosition", row=6).outputs[0]
    position = build.vector("ADD", local, info.outputs["Location"], row=6)
    units = build.node("ShaderNodeVectorMath", row=6, operation="SCALE")
    build.link(position, units.inputs[0])
    build.link(build.math("DIVIDE", 1 / _GRID, scale, row=6), units.inputs["Scale"])
    # Half a step aside, since most vertices are on the grid.
    cell = build.vector("FLOOR", build.vector("ADD", units.outputs[0], 0.5, row=6), row=6)
    noise = build.node("ShaderNodeTexWhiteNoise", row=6, noise_dimensions="3D")
    build.link(cell, noise.inputs["Vector"])
    along = build.math("MULTIPLY_ADD", noise.outputs["Value"], _PERIOD, frame, row=6)
    return build.math("MULTIPLY", along, tau / _PERIOD, row=6)


def _noise(build: NodeBuilder, frame: NodeSocket) -> NodeSocket:
    """Add a random number for each frame."""
    noise = build.node("ShaderNodeTexWhiteNoise", row=5, noise_dimensions="1D")
    build.link(build.math("FLOOR", frame, row=5), noise.inputs["W"])
    result: NodeSocket = noise.outputs["Value"]
    return result


def _lit(build: NodeBuilder, geometry: NodeSocket, light: NodeSocket, added: NodeSocket) -> NodeSocket:
    """Add nodes that add to the screen values of a color attribute."""
    named = build.node("GeometryNodeInputNamedAttribute", data_type="FLOAT_COLOR", row=7)
    build.link(light, named.inputs["Name"])
    parts = build.node("FunctionNodeSeparateColor", row=7)
    build.link(named.outputs["Attribute"], parts.inputs[0])
    color = build.node("FunctionNodeCombineColor", row=7)
    for channel in range(3):
        screen = build.math("POWER", parts.outputs[channel], 1 / _SCREEN, row=7)
        total = build.math("MAXIMUM", build.math("ADD", screen, added, row=7), 0.0, row=7)
        build.link(build.math("POWER", total, _SCREEN, row=7), color.inputs[channel])
    build.link(parts.outputs[3], color.inputs[3])
    stored = build.node("GeometryNodeStoreNamedAttribute", data_type="FLOAT_COLOR", domain="CORNER")
    build.link(geometry, stored.inputs["Geometry"])
    build.link(named.outputs["Exists"], stored.inputs["Selection"])
    build.link(light, stored.inputs["Name"])
    build.link(color.outputs[0], stored.inputs["Value"])
    result: NodeSocket = stored.outputs[0]
    return result


def _material(name: str) -> Material:
    """Return the material of an effect's marks."""
    title = f"{DISPLAY_GROUP} {name.title()}"
    existing: Any = bpy.data.materials.get(title)
    if existing is not None and existing.library is None:
        return existing
    material: Any = bpy.data.materials.new(title)
    material.tomb_raider.kind = "GUIDE"
    material.diffuse_color = (*COLORS[name], 1.0)
    tree = compat.material_nodes(material)
    tree.nodes.clear()
    surface = tree.nodes.new("ShaderNodeEmission")
    surface.location = (-200, 0)
    surface.inputs[0].default_value = (*COLORS[name], 1.0)
    tree.links.new(surface.outputs[0], tree.nodes.new("ShaderNodeOutputMaterial").inputs[0])
    return material
