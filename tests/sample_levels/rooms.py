"""Rooms of the sample levels: the lit faces of a map, in the records of each game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Room
from io_tomb_raider.formats.base.bytes.records import (
    LAYER_TR5,
    ROOM_QUAD,
    ROOM_SPRITE,
    ROOM_STATIC,
    ROOM_TRIANGLE,
    ROOM_VERTEX,
)
from io_tomb_raider.formats.levels.rooms.geometry import FaceSet, encode_faces, encode_layers
from io_tomb_raider.formats.levels.rooms.rooms_tr5 import new_header

from .colors import to_argb, to_darkness, to_rgb555, to_tint
from .lights import build_fog_bulbs, build_lights, shine
from .plan import CLICK, SECTOR, RoomPlan, SampleObject
from .sectors import Ground, build_portals
from .surfaces import Face, Point, Surfaces
from .texture_records import SPRITE_INDEX, TextureTable

# Bits of the vertex attributes from TR3 on: the surface moves, and it glimmers.
_MOVES, _GLIMMERS = 0x2000, 0x4000


def build_room(
    game: Game,
    plan: RoomPlan,
    rooms: tuple[RoomPlan, ...],
    ground: Ground,
    textures: TextureTable,
    statics: dict[str, int],
) -> Room:
    """Return one room. ``statics`` has the ids of the static meshes by name."""
    index = {each.name: number for number, each in enumerate(rooms)}
    surfaces = Surfaces(game, plan, {each.name: each for each in rooms}, textures)
    if plan.name == "hall":
        surfaces.add_ornaments()
    room = Room()
    room.x, room.z = (side * SECTOR for side in plan.origin)
    heights = [point[1] for face in surfaces.faces for point in face.points] or [0]
    room.y_bottom, room.y_top = max(heights), min(heights)
    room.x_sectors, room.z_sectors = plan.size
    room.sectors = ground.sectors[plan.name]
    room.portals = build_portals(game, plan, rooms)
    room.lights = build_lights(game, plan)
    room.static_meshes = _static_meshes(game, plan, statics)
    room.alternate_room = index[plan.alternate] if plan.alternate else -1
    room.flags = plan.flags
    _set_lighting(game, room, plan)
    _set_mesh(game, room, plan, surfaces.faces)
    return room


def _set_lighting(game: Game, room: Room, plan: RoomPlan) -> None:
    ambient = np.array([plan.ambient])
    darkness = int(to_darkness(ambient)[0])
    if game <= Game.TR3:
        room.ambient, room.ambient2, room.light_mode = darkness, darkness, 0
    else:
        room.color = int(to_argb(ambient)[0])
    if game >= Game.TR3:
        room.water_scheme = 15 if plan.flags & 1 else 0
        room.reverb, room.alternate_group = (2 if plan.flags & 1 else 1), int(bool(plan.alternate))
    if game is Game.TR5:
        room.y = 0
        room.fog_bulbs = build_fog_bulbs(plan)


def _static_meshes(game: Game, plan: RoomPlan, ids: dict[str, int]) -> NDArray[Any]:
    out = np.zeros(len(plan.statics), ROOM_STATIC[game])
    for record, obj in zip(out, plan.statics, strict=True):
        x, z, y = obj.place
        color = shine(plan, np.array([[x * SECTOR, y * CLICK, z * SECTOR]]))
        record["x"], record["z"] = (plan.origin[0] + x) * SECTOR, (plan.origin[1] + z) * SECTOR
        record["y"], record["angle"], record["static_mesh"] = y * CLICK, obj.angle, ids[obj.name]
        if game <= Game.TR2:
            record["intensity"] = to_darkness(color)[0]
        if game is Game.TR2:
            record["intensity2"] = record["intensity"]
        if game >= Game.TR3:
            record["color"] = to_tint(color)[0]
    return out


def _set_mesh(game: Game, room: Room, plan: RoomPlan, faces: list[Face]) -> None:
    points = sorted({point for face in faces for point in face.points})
    sprites = [] if game is Game.TR5 else list(plan.sprites)
    positions = np.array(points + [_sprite_point(sprite) for sprite in sprites], float).reshape(-1, 3)
    room.sprites = np.zeros(len(sprites), ROOM_SPRITE)
    room.sprites["vertex"] = len(points) + np.arange(len(sprites))
    room.sprites["texture"] = [SPRITE_INDEX[sprite.name] for sprite in sprites]
    quads, triangles = (_face_set(plan, faces, points, count) for count in (4, 3))
    vertices = _vertices(game, plan, positions, [quads, triangles])
    if game is Game.TR5:
        _set_layers(room, plan, vertices, quads, triangles)
    else:
        room.vertices = vertices
        room.quads, room.triangles = encode_faces(game, quads, triangles)
        room.geometry_words = (0, -1)  # not known yet: counted when it is written


def _face_set(plan: RoomPlan, faces: list[Face], points: list[Point], count: int) -> FaceSet:
    """Return the faces with a number of corners; in rooms with layers, the east is the second layer."""
    chosen = [face for face in faces if len(face.points) == count]
    number = {point: place for place, point in enumerate(points)}
    corners = [[number[point] for point in face.points] for face in chosen]
    middle = plan.size[0] * SECTOR / 2
    return FaceSet(
        np.array(corners, np.int32).reshape(-1, count),
        np.array([face.texture for face in chosen], np.uint16),
        np.zeros(len(chosen), np.uint16),
        np.array([plan.layers > 1 and face.center[0] > middle for face in chosen], np.int32),
    )


def _set_layers(
    room: Room, plan: RoomPlan, vertices: NDArray[Any], quads: FaceSet, triangles: FaceSet
) -> None:
    """Set the mesh of a TR5 room. A room without layers has no vertices, and an empty header."""
    room.header = new_header()
    if not plan.layers:
        room.vertices, room.layers = vertices, np.zeros(0, LAYER_TR5)
        room.quads, room.triangles = np.zeros(0, ROOM_QUAD[Game.TR5]), np.zeros(0, ROOM_TRIANGLE[Game.TR5])
        for name in ("triangles", "quads"):
            room.header[name] = 0xCDCDCDCD
        for name in ("y_top2", "y_bottom2", "position"):
            room.header[name].view("u1")[:] = 0xCD
        return
    layer_of = np.zeros(len(vertices), np.int32)
    for faces in (triangles, quads):
        layer_of[faces.corners.reshape(-1)] = np.repeat(faces.layer, faces.corners.shape[1])
    mesh = encode_layers(vertices, layer_of, quads, triangles)
    room.vertices, room.layers = mesh.vertices, mesh.layers
    room.quads, room.triangles = mesh.quads, mesh.triangles


def _sprite_point(obj: SampleObject) -> tuple[int, int, int]:
    x, z, y = obj.place
    return round(x * SECTOR), round(y * CLICK), round(z * SECTOR)


def _vertices(
    game: Game, plan: RoomPlan, positions: NDArray[np.float64], sets: list[FaceSet]
) -> NDArray[Any]:
    out = np.zeros(len(positions), ROOM_VERTEX[game])
    for axis, name in enumerate("xyz"):
        out[name] = positions[:, axis]
    colors = shine(plan, positions)
    if game is Game.TR5:
        for axis, name in enumerate(("nx", "ny", "nz")):
            out[name] = _normals(positions, sets)[:, axis]
        out["color"] = to_argb(colors)
    elif game >= Game.TR3:
        out["color"] = to_rgb555(colors)
        out["light"] = out["color"]
        if plan.name == "hall":
            out["attributes"] = np.where(positions[:, 1] == CLICK, _MOVES | _GLIMMERS, 0)
        elif plan.flags & 1:
            out["attributes"] = _GLIMMERS
    else:
        out["light"] = to_darkness(colors)
        if game is Game.TR2:
            out["light2"] = out["light"]
            out["attributes"] = 0x10
    return out


def _normals(positions: NDArray[np.float64], sets: list[FaceSet]) -> NDArray[np.float64]:
    """Return unit normals, (n, 3): normalized sums of the normals of the faces around each vertex."""
    sums = np.zeros_like(positions)
    for faces in sets:
        corners = positions[faces.corners]
        normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 1] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        for corner in range(faces.corners.shape[1]):
            np.add.at(sums, faces.corners[:, corner], normals / np.maximum(lengths, 1e-9))
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 1e-6, sums / np.maximum(lengths, 1e-6), (0.0, -1.0, 0.0))
