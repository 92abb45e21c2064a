"""Sky: the horizon model around the camera, behind everything (TR2 to TR5).

The game draws it if a room with the sky flag is visible. It is not exported; its object shares the mesh of
the library's model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, NodeSocket, Object
from mathutils import Quaternion

from ....formats import Game
from ....formats.base import SECTOR_SIZE
from ....formats.levels.animations import quaternions_from_angles
from ....formats.levels.lights import sky_brightness
from ...core.blender.node_builder import NodeBuilder, geometry_nodes, show_through
from ...core.context import ImportContext
from ...core.membership import members_of
from ...core.space import direction_to_blender
from ...core.stages import ROOMS, SHOWN, ImportStage, Steps
from ...core.subjects import Kind
from .layers import SIZE, layer_number, show_layers

GROUP_NAME = "Tomb Raider Sky"
HORIZONS = {Game.TR2: 254, Game.TR3: 355, Game.TR4: 459, Game.TR5: 454}
_FARNESS = 4.0  # radius of the horizon relative to the level's


def import_sky(context: ImportContext) -> None:
    """Make the horizon around the scene's camera, if the level has a horizon model."""
    model = SHOWN.of(context).get(HORIZONS.get(context.level.game, -1))
    parts = () if model is None else model.objects
    part = next((each for each in parts if _is_horizon(each)), None)
    if model is None or part is None or not ROOMS.of(context).objects:
        return
    sky = bpy.data.objects.new("Sky", part.data)
    sky.tomb_raider.kind = Kind.SKY
    low, high = _bounds(context)
    sky.location = context.space.to_blender((low + high) / 2).tolist()
    sky.rotation_euler = _turn(context, int(model.tomb_raider.model.tomb_raider.index)).to_euler()
    sky.tomb_raider.lit.ambient = (*[sky_brightness(context.level.game)] * 3, 1.0)
    sky.hide_select = True
    corners = np.array(part.bound_box)
    reach = max(float(np.abs(corners).max()), context.space.scale)
    size = _FARNESS * float(np.linalg.norm(high - low)) / 2 * context.space.scale / reach
    show_through(sky, "Sky", geometry_nodes(GROUP_NAME, {SIZE: "Float"}, _surround), **{SIZE: max(size, 1.0)})
    context.collection("Sky", Kind.SKY).objects.link(sky)
    show_whole_sky(context.root)


def show_whole_sky(root: Collection) -> None:
    """Update horizon and layers of a level to its settings."""
    show_layers(root)
    show_sky(root)


def show_sky(root: Collection) -> bool:
    """Show the sky of a level if a room has the sky flag, else hide it. Return whether that changed it."""
    skies = [obj for child in root.children if child.tomb_raider.kind == Kind.SKY for obj in child.objects]
    if not skies:
        return False
    rooms = members_of(root, Kind.ROOM)
    is_seen = any(room.tomb_raider.room.shows_sky for room in rooms)
    has_horizon = root.tomb_raider.level.shows_horizon
    is_changed = False
    for obj in skies:
        is_hidden = not (is_seen and (has_horizon or layer_number(obj) >= 0))
        if obj.tomb_raider.kind == Kind.SKY and obj.hide_render != is_hidden:
            obj.hide_render = obj.hide_viewport = is_hidden
            is_changed = True
    return is_changed


def _is_horizon(part: Object) -> bool:
    settings = part.tomb_raider
    return settings.kind == Kind.MODEL_MESH and settings.index == 0 and part.type == "MESH"


def _bounds(context: ImportContext) -> tuple[Any, Any]:
    """Return the corners of the box around all rooms, (3,) each, in the file's units and axes."""
    points = []
    for room in context.level.rooms:
        x, z = int(room.x), int(room.z)
        points.append((x, int(room.y_top), z))
        wide, deep = SECTOR_SIZE * room.x_sectors, SECTOR_SIZE * room.z_sectors
        points.append((x + wide, int(room.y_bottom), z + deep))
    corners = np.array(points, np.float64)
    return corners.min(axis=0), corners.max(axis=0)


def _turn(context: ImportContext, model: int) -> Quaternion:
    """Return the rotation of the horizon: TR2 and TR3 use the first frame of its model."""
    animation = int(context.level.models[model]["animation"])
    if context.level.game.traits.has_light_ranges or animation >= len(context.keys.key_counts):
        return Quaternion()
    keys = context.keys.keys(animation)
    if not keys.angles.size:
        return Quaternion()
    turn = quaternions_from_angles(keys.angles[:1, :1], np.float64)[0, 0]
    return Quaternion((float(turn[0]), *direction_to_blender(turn[1:]).tolist()))


def _surround(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> NodeSocket:
    """Add nodes that scale a mesh and move it to the scene's camera."""
    geometry, size = inputs
    camera = build.node("GeometryNodeInputActiveCamera").outputs[0]
    info = build.node("GeometryNodeObjectInfo", transform_space="RELATIVE")
    build.link(camera, info.inputs[0])
    moved = build.node("GeometryNodeTransform")
    build.link(geometry, moved.inputs["Geometry"])
    build.link(info.outputs["Location"], moved.inputs["Translation"])
    build.link(size, moved.inputs["Scale"])
    result: NodeSocket = moved.outputs[0]
    return result


STEPS = Steps({ImportStage.IN_ROOMS: import_sky})
