"""Checks for rooms that look wrong, cannot flip, or are where engines expect none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays.typing import Bools, Floats
from ...base.messages import T
from ...base.units import SECTOR_SIZE
from ...levels.rooms.geometry import decode_faces
from ...levels.rooms.rooms import WATER, Room
from ...levels.textures.face_words import is_double_sided, room_texture_mask
from ...levels.views.decoded import Decoded
from ...levels.views.findings import OTHER, Element, Finding, Severity

INSIDE_OUT = "inside out"
_BESIDE = 64  # units in front of a face and behind it
_FEWEST = 3  # faces that are enough to judge a room
_LARGEST_SCHEME = 21  # of the tables of the engines; level editors offer 15


def check_facing(checked: Decoded) -> Iterator[Finding]:
    """Find rooms whose faces look out of the space between floor and ceiling, so that they are not drawn."""
    for number, room in enumerate(checked.level.rooms):
        right, wrong = _facing(checked, number, room)
        if wrong >= _FEWEST and wrong > right:
            text = T(
                "it is inside out: {wrong} of its faces point outward, so the game does not draw them",
                wrong=wrong,
            )
            yield Finding(INSIDE_OUT, Severity.WARNING, Element("room", number), text, count=wrong)


def _facing(checked: Decoded, number: int, room: Room) -> tuple[int, int]:
    """Return how many of a room's faces look into its space, and how many look out of it.

    Faces with space on both sides or on none, and those that are drawn from both sides, are not counted.
    """
    right = wrong = 0
    if not len(room.vertices) or not len(room.sectors):
        return right, wrong
    game = checked.level.game
    vertices = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(np.float64)
    for faces in decode_faces(game, room):
        corners = vertices[np.minimum(faces.corners, len(vertices) - 1)]
        # y points down, and corners run clockwise as seen from the front.
        normals = np.cross(corners[:, -1] - corners[:, 0], corners[:, 1] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1)
        is_judged = (length > 0) & ~is_double_sided(faces.texture, room_texture_mask(game))
        step = normals * (_BESIDE / np.where(length > 0, length, 1.0))[:, None]
        before, behind = (_in_space(checked, number, corners.mean(axis=1) + sign * step) for sign in (1, -1))
        right += int((is_judged & before & ~behind).sum())
        wrong += int((is_judged & behind & ~before).sum())
    return right, wrong


def _in_space(checked: Decoded, number: int, points: Floats) -> Bools:
    """Return which points, (n, 3) from the room's corner, are between a floor and a ceiling of a room."""
    room = checked.level.rooms[number]
    cells = np.floor(points[:, [0, 2]] / SECTOR_SIZE).astype(np.int64)
    size = np.array((room.x_sectors, room.z_sectors))
    inside = ((cells >= 0) & (cells < size)).all(axis=1)
    cells = np.clip(cells, 0, size - 1)
    sector = checked.grid.starts[number] + cells[:, 0] * room.z_sectors + cells[:, 1]
    between = (points[:, 1] > checked.ceiling_top[sector]) & (points[:, 1] < checked.floor_bottom[sector])
    return np.asarray(inside & checked.is_open[sector] & between)


def check_water(checked: Decoded) -> Iterator[Finding]:
    """Find portals with water on one side and air on the other, except where the air is above the water.

    Rooms that exist only while rooms are flipped are left out: original levels drain pools behind doors.
    """
    rooms = checked.level.rooms
    flipped = {room.alternate_room for room in rooms}
    for number, room in enumerate(rooms):
        if not room.flags & WATER or number in flipped:
            continue
        for portal in room.portals:
            target = int(portal["room"])
            if target >= len(rooms) or target in flipped or rooms[target].flags & WATER:
                continue
            middle = portal["vertices"].astype(np.float64).mean(axis=0)
            # Whether its normal is turned the right way is another question.
            if portal["normal"][1] and room.y_top + room.y_bottom > 2 * middle[1]:
                continue
            text = T(
                "its room has water and {other} does not, so the water ends at it like a wall. Give "
                "both rooms water, or neither",
                other=OTHER,
            )
            obj, others = Element("portal", number), (Element("room", target),)
            place = float(middle[0] + room.x), float(middle[1]), float(middle[2] + room.z)
            yield Finding("water and air", Severity.WARNING, obj, text, others, place=place)


def check_alternates(checked: Decoded) -> Iterator[Finding]:
    """Find alternate rooms that engines cannot exchange for their originals."""
    rooms = checked.level.rooms
    owners: dict[int, int] = {}
    for number, room in enumerate(rooms):
        alternate = int(room.alternate_room)
        if not 0 <= alternate < len(rooms):
            continue
        text = ""
        if alternate == number:
            text = T("it is its own alternate room, so nothing flips. Choose another room, or none")
        elif alternate in owners:
            text = T(
                "its alternate room, {other}, is also that of another room. Give each room its own",
                other=OTHER,
            )
        elif _grid(rooms[alternate]) != _grid(room):
            text = T(
                "its alternate room, {other}, has another size or place, and the games exchange both as a"
                " whole. Give both the same sectors",
                other=OTHER,
            )
        owners.setdefault(alternate, number)
        if text:
            obj, others = Element("room", number), (Element("room", alternate),)
            yield Finding("alternate room", Severity.WARNING, obj, text, others)


def _grid(room: Room) -> tuple[int, int, int, int]:
    return room.x, room.z, room.x_sectors, room.z_sectors


def check_water_schemes(checked: Decoded) -> Iterator[Finding]:
    """Find water schemes that the engines have no waves for."""
    for number, room in enumerate(checked.level.rooms):
        if room.has("water_scheme") and room.water_scheme > _LARGEST_SCHEME:
            text = T(
                "its Water Scheme is {scheme}, and the game has waves up to {limit}: they would be random",
                scheme=int(room.water_scheme),
                limit=_LARGEST_SCHEME,
            )
            yield Finding("water scheme", Severity.WARNING, Element("room", number), text)


def check_negative_places(checked: Decoded) -> Iterator[Finding]:
    """Find rooms whose interior is at negative places."""
    for number, room in enumerate(checked.level.rooms):
        if min(room.x, room.z) < -SECTOR_SIZE:  # sectors of the border may be outside
            text = T(
                "it is at a negative place, where the games expect no room. Move the level so that X and Y of"
                " all rooms are above 0"
            )
            yield Finding("negative place", Severity.WARNING, Element("room", number), text)
