"""Edits of the geometry of rooms, baked into a level as the engine makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.messages import T
from ...base.schema.fields import Record
from ...levels.injections.kinds import RoomEdit
from ...levels.rooms.rooms import Room
from ...levels.textures.face_words import DOUBLE_SIDED
from ...levels.textures.sprites import FIRST_ROOM_SPRITES
from .baking import Baking, NotAppliedError


def apply_room_edit(baking: Baking, record: Record) -> None:
    """Bake an edit of a room's geometry.

    Raises:
        NotAppliedError: if the level cannot hold it, or lacks its element.
    """
    _KINDS[record["type"]](baking, baking.room(record["room"]), record)


def faces_of(room: Room, face_type: int) -> str:
    """Return the name of a room's faces of a type."""
    if face_type > 1:
        raise NotAppliedError(T("rooms have no colored faces"))
    return "triangles" if face_type else "quads"


def _row(records: NDArray[Any], number: int, what: str) -> int:
    if not 0 <= number < len(records):
        raise NotAppliedError(T("the room has no {what} {number}", what=what, number=number))
    return number


def _face(baking: Baking, room: Room, record: Record) -> tuple[NDArray[Any], int]:
    """Return the faces of a room that may be written to, and the number of that of an edit."""
    faces = baking.own(room, faces_of(room, record["face_type"]))
    return faces, _row(faces, record["face"], T("face"))


def _source_texture(baking: Baking, record: Record, face_type: int) -> int:
    room = baking.room(record["source_room"])
    faces = getattr(room, faces_of(room, face_type))
    return int(faces["texture"][_row(faces, record["source_face"], T("face"))])


def _texture(baking: Baking, room: Room, record: Record) -> None:
    word = _source_texture(baking, record, record["source_face_type"])
    faces, row = _face(baking, room, record)
    faces["texture"][row] = word


def _move_face(baking: Baking, room: Room, record: Record) -> None:
    faces, row = _face(baking, room, record)
    corners = faces["vertices"][row].copy()
    for move in record["moves"]:
        if not 0 <= move["corner"] < len(corners):
            raise NotAppliedError(T("the face has no corner {number}", number=move["corner"]))
        corners[move["corner"]] = _row(room.vertices, move["vertex"], T("vertex"))
    faces["vertices"][row] = corners


def _move_vertex(baking: Baking, room: Room, record: Record) -> None:
    vertices = baking.own(room, "vertices")
    row = _row(vertices, record["vertex"], T("vertex"))
    for axis in "xyz":
        vertices[axis][row] += np.int16(record[axis])
    if not baking.level.game.traits.has_color_light:
        for name in ("light", "light2"):
            if name in (vertices.dtype.names or ()):
                vertices[name][row] += np.int16(record["shade"])


def _turn(baking: Baking, room: Room, record: Record) -> None:
    faces, row = _face(baking, room, record)
    faces["vertices"][row] = np.roll(faces["vertices"][row], -record["turns"])


def _add_face(baking: Baking, room: Room, record: Record) -> None:
    word = _source_texture(baking, record, record["face_type"])
    corners = [_row(room.vertices, each, T("vertex")) for each in record["vertices"]]
    baking.append(room, faces_of(room, record["face_type"]), vertices=corners, texture=word)


def _add_vertex(baking: Baking, room: Room, record: Record) -> None:
    position = {axis: record[axis] for axis in "xyz"}
    shade = record["shade"]
    has_color = baking.level.game.traits.has_color_light
    light = {"color": shade} if has_color else {"light": shade, "light2": shade}
    baking.append(room, "vertices", **position, **light)


def _add_sprite(baking: Baking, room: Room, record: Record) -> None:
    level = baking.level
    first = FIRST_ROOM_SPRITES[level.game]
    rows = np.flatnonzero(level.sprite_sequences["id"] == record["sprite"] + first)
    if not len(rows):
        raise NotAppliedError(T("the level has no sprite {number}", number=record["sprite"] + first))
    sequence = level.sprite_sequences[rows[0]]
    vertex = _row(room.vertices, record["vertex"], T("vertex"))
    baking.append(room, "sprites", vertex=vertex, texture=int(sequence["first"]) + record["image"])


def _light(baking: Baking, value: int) -> dict[str, int]:
    """Return the fields of a static mesh with the light of an edit."""
    has_color = baking.level.game.traits.has_color_light
    return {"color": value} if has_color else {"intensity": value, "intensity2": value}


def _add_static_mesh(baking: Baking, room: Room, record: Record) -> None:
    position = {axis: record[axis] for axis in "xyz"}
    values = position | _light(baking, record["light"])
    baking.append(room, "static_meshes", angle=np.int16(record["angle"]), static_mesh=record["id"], **values)


def _move_static_mesh(baking: Baking, room: Room, record: Record) -> None:
    meshes = baking.own(room, "static_meshes")
    row = _row(meshes, record["static_mesh"], T("static mesh"))
    for axis in "xyz":
        meshes[axis][row] = record[axis]
    meshes["angle"][row] = np.int16(record["angle"]).astype(np.uint16)
    for name, value in _light(baking, record["light"]).items():
        if name in (meshes.dtype.names or ()):
            meshes[name][row] = value


def _vertex_flags(baking: Baking, room: Room, record: Record) -> None:
    if "attributes" not in (room.vertices.dtype.names or ()):
        raise NotAppliedError(T("vertices have no flags in this game"))
    vertices = baking.own(room, "vertices")
    vertices["attributes"][_row(vertices, record["vertex"], T("vertex"))] = record["flags"]


def _double_sided(baking: Baking, room: Room, record: Record) -> None:
    faces, row = _face(baking, room, record)
    if not baking.level.game.traits.has_double_sided_faces:
        raise NotAppliedError(T("faces have one side only in this game"))
    faces["texture"][row] = DOUBLE_SIDED.put(int(faces["texture"][row]), bool(record["double_sided"]))


_KINDS: Mapping[int, Callable[[Baking, Room, Record], None]] = {
    RoomEdit.TEXTURE: _texture,
    RoomEdit.CORNERS: _move_face,
    RoomEdit.VERTEX: _move_vertex,
    RoomEdit.TURN: _turn,
    RoomEdit.NEW_FACE: _add_face,
    RoomEdit.NEW_VERTEX: _add_vertex,
    RoomEdit.NEW_SPRITE: _add_sprite,
    RoomEdit.NEW_STATIC_MESH: _add_static_mesh,
    RoomEdit.STATIC_MESH: _move_static_mesh,
    RoomEdit.VERTEX_FLAGS: _vertex_flags,
    RoomEdit.DOUBLE_SIDED: _double_sided,
}


def apply_portal_edit(baking: Baking, record: Record) -> None:
    """Move the corners of a portal. One whose corners all become 0 is removed."""
    room = baking.room(record["room"])
    rows = np.flatnonzero(room.portals["room"] == record["to_room"])
    if not 0 <= record["portal"] < len(rows):
        raise NotAppliedError(T("the room has no such portal to room {room}", room=record["to_room"]))
    row = int(rows[record["portal"]])
    portals = baking.own(room, "portals")
    portals["vertices"][row] += np.array(record["corners"], np.int16).reshape(4, 3)
    if not portals["vertices"][row].any():
        baking.put(room, "portals", np.delete(portals, row))
