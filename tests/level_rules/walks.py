"""Rules that every level must keep, checked by walking through it like the games.

This is deliberately slow and simple, and uses only the readers of `formats`, since it judges the exporter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, Room
from io_tomb_raider.formats.levels.collision.sectors import split_boxes
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import (
    ActionType,
    Function,
    Portal,
    Slant,
    Triangulation,
    Trigger,
)
from io_tomb_raider.formats.levels.floor.grammar import RETAIL_RULES, Rules
from io_tomb_raider.formats.levels.pathfinding.overlaps import components, decode_overlaps
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces

SECTOR = 1024
WALL, NOWHERE = -127, 255
Place = tuple[int, int]  # the middle of a sector in world units


class _Walk:
    """A level, and the steps that are possible in it."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.rules = Rules(trng=True) if level.has_trng_footer else RETAIL_RULES
        self.base = {
            room.alternate_room: number
            for number, room in enumerate(level.rooms)
            if 0 <= room.alternate_room < len(level.rooms)
            and (level.rooms[room.alternate_room].x, level.rooms[room.alternate_room].z) == (room.x, room.z)
        }

    def functions(self, record: Any) -> tuple[Function, ...]:
        return decode(self.level.floor_data, int(record["floor_data"]), self.rules)

    def wall(self, record: Any) -> int | None:
        return next((f.room for f in self.functions(record) if isinstance(f, Portal)), None)

    def sectors(self, number: int) -> Iterator[tuple[Place, Any]]:
        room = self.level.rooms[number]
        for place, record in enumerate(room.sectors):
            x, z = divmod(place, room.z_sectors)
            yield (room.x + x * SECTOR + SECTOR // 2, room.z + z * SECTOR + SECTOR // 2), record

    def at(self, number: int, place: Place) -> Any | None:
        """Return the sector of a room at a world position, or None outside the room."""
        if not 0 <= number < len(self.level.rooms):
            return None
        room: Room = self.level.rooms[number]
        x, z = (place[0] - room.x) // SECTOR, (place[1] - room.z) // SECTOR
        inside = 0 <= x < room.x_sectors and 0 <= z < room.z_sectors
        return room.sectors[x * room.z_sectors + z] if inside else None

    def same(self, number: int) -> int:
        return self.base.get(number, number)

    def end(self, number: int, place: Place) -> tuple[int, Any | None]:
        """Return the room and sector reached from a position by following wall portals, like the games."""
        for _ in range(16):
            record = self.at(number, place)
            further = None if record is None else self.wall(record)
            if further is None:
                return number, record
            number = further
        return number, None

    def leads_to(self, number: int, place: Place, target: int) -> bool:
        """Return whether any step from a position in a room enters the given room."""
        for x, z in ((SECTOR, 0), (-SECTOR, 0), (0, SECTOR), (0, -SECTOR)):
            record = self.at(number, (place[0] + x, place[1] + z))
            if record is not None:
                targets = (self.wall(record), int(record["room_below"]), int(record["room_above"]))
                if self.same(target) in (
                    self.same(other) for other in targets if other not in (None, NOWHERE)
                ):
                    return True
        return False


def lost_openings(level: Level) -> list[tuple[int, int]]:
    """Return (room, target) of every opening without a target sector, with a solid one, or in a cycle."""
    walk, found = _Walk(level), []
    for number in range(len(level.rooms)):
        for place, record in walk.sectors(number):
            wall = walk.wall(record)
            targets = [] if wall is None else [(wall, walk.end(wall, place)[1])]
            for name in ("room_below", "room_above"):
                if record[name] != NOWHERE:
                    targets.append((int(record[name]), walk.at(int(record[name]), place)))
            found += [(number, to) for to, end in targets if end is None or end["floor"] == WALL]
    return found


def one_way_openings(level: Level) -> set[tuple[int, int]]:
    """Return (room, target) of the openings without an opening back."""
    walk, found = _Walk(level), set()
    for number in range(len(level.rooms)):
        for place, record in walk.sectors(number):
            wall = walk.wall(record)
            if wall is not None:
                end = walk.end(wall, place)[0]
                if end == wall and not walk.leads_to(end, place, number):
                    found.add((number, wall))
            for name, back in (("room_below", "room_above"), ("room_above", "room_below")):
                to = int(record[name])
                end_record = walk.at(to, place) if to != NOWHERE else None
                if end_record is not None and walk.same(int(end_record[back])) != walk.same(number):
                    found.add((number, to))
    return found


def lonely_portals(level: Level) -> set[tuple[int, int]]:
    """Return (room, target) of the portals without an identical portal back."""
    walk, rooms, found = _Walk(level), level.rooms, set()
    for number, room in enumerate(rooms):
        for portal in room.portals:
            target = int(portal["room"])
            others = rooms[target].portals if target < len(rooms) else ()
            backs = [p for p in others if walk.same(int(p["room"])) == walk.same(number)]
            mine = _corners(room, portal)
            if not any(mine == _corners(rooms[target], back) for back in backs):
                found.add((number, target))
    return found


def _corners(room: Room, portal: Any) -> set[tuple[int, int, int]]:
    return {(x + room.x, y, z + room.z) for x, y, z in portal["vertices"].astype(int).tolist()}


def sectors_without_box(level: Level) -> list[tuple[int, Place]]:
    """Return (room, position) of every floor that has no box, or one elsewhere.

    From TR3 on, floors with a slope of three clicks or more have none.
    """
    walk, found = _Walk(level), []
    unit = 1 if level.game is Game.TR1 else SECTOR
    for number in range(len(level.rooms)):
        for place, record in walk.sectors(number):
            if record["floor"] == WALL or record["room_below"] != NOWHERE or walk.wall(record) is not None:
                continue
            if level.game.traits.has_materials and _is_steep(walk.functions(record)):
                continue
            box = int(split_boxes(np.atleast_1d(record["box"]), level.game)[0][0])
            if not 0 <= box < len(level.boxes):
                found.append((number, place))
                continue
            edges = level.boxes[box]
            sides = [[int(edges[f"{axis}_{end}"]) * unit for end in ("min", "max")] for axis in "xz"]
            if not all(low <= at <= high for at, (low, high) in zip(place, sides, strict=True)):
                found.append((number, place))
    return found


def _is_steep(functions: tuple[Function, ...]) -> bool:
    for each in functions:
        if isinstance(each, Slant) and not each.ceiling and max(abs(each.x), abs(each.z)) > 2:
            return True
        if isinstance(each, Triangulation) and not each.ceiling and max(each.corners) > 2:
            return True
    return False


def one_way_overlaps(level: Level) -> set[tuple[int, int]]:
    """Return (box, other) of every overlap that is missing in the other direction."""
    pairs = {(one, other) for one, other in decode_overlaps(level.game, level.boxes, level.overlaps).tolist()}
    return {(one, other) for one, other in pairs if (other, one) not in pairs}


def reachable(
    game: Game, boxes: NDArray[np.void], overlaps: NDArray[np.uint16], zones: NDArray[np.uint16]
) -> NDArray[np.int64]:
    """Return group numbers of boxes that a kind of creature can reach from each other, shape (boxes,).

    Args:
        game: the level's game.
        boxes: (boxes,) records.
        overlaps: lists of overlaps.
        zones: (boxes,) zones of this kind of creature, which cannot leave its zone.
    """
    pairs = decode_overlaps(game, boxes, overlaps)
    return components(pairs[zones[pairs[:, 0]] == zones[pairs[:, 1]]], len(boxes))


def broken_indices(level: Level) -> list[str]:
    """Return every reference to something that does not exist."""
    found: list[str] = []
    rooms, walk = len(level.rooms), _Walk(level)

    def check(what: str, number: int, count: int) -> None:
        if not 0 <= number < count:
            found.append(f"{what}: {number} of {count}")

    for number, room in enumerate(level.rooms):
        name = f"room {number}"
        if room.alternate_room != -1:
            check(f"{name} alternate", room.alternate_room, rooms)
        for portal in room.portals:
            check(f"{name} portal", int(portal["room"]), rooms)
        for sprite in room.sprites:
            check(f"{name} sprite vertex", int(sprite["vertex"]), len(room.vertices))
            check(f"{name} sprite texture", int(sprite["texture"]), len(level.sprite_textures))
        for faces in decode_faces(level.game, room):
            if len(faces.corners):
                check(f"{name} face", int(faces.corners.max()), len(room.vertices))
        ids = level.static_meshes["id"].tolist()
        found += [
            f"{name} static {s['static_mesh']}" for s in room.static_meshes if s["static_mesh"] not in ids
        ]
        box, _, _ = split_boxes(room.sectors["box"], level.game)
        check(f"{name} box", int(box.max(initial=-1)) if len(level.boxes) else 0, max(len(level.boxes), 1))
        for _, record in walk.sectors(number):
            for other in ("room_below", "room_above"):
                if record[other] != NOWHERE:
                    check(f"{name} {other}", int(record[other]), rooms)
            for function in walk.functions(record):
                _check_function(check, name, function, level)
    for section in ("entities", "ai_objects", "flyby_cameras"):
        for record in getattr(level, section) if level.has(section) else ():
            check(section, int(record["room"]), rooms)
    return [each for each in found if "box: -1" not in each]


def _check_function(check: Any, name: str, function: Function, level: Level) -> None:
    if isinstance(function, Portal):
        check(f"{name} wall", function.room, len(level.rooms))
    elif isinstance(function, Trigger):
        if function.reference is not None:
            check(f"{name} trigger", function.reference, len(level.entities))
        for action in function.actions:
            if action.type in (ActionType.OBJECT, ActionType.LOOK_AT):
                check(f"{name} action", action.parameter, len(level.entities))
            elif action.type in (ActionType.CAMERA, ActionType.SINK):
                check(f"{name} action", action.parameter, len(level.cameras))


def is_loaded_by_its_game(level: Level) -> bool:
    """Return whether the loaders of the original games find the sounds that they need."""
    if level.game in (Game.TR4, Game.TR5):
        return True  # their loaders go on without
    details, samples = level.sound_details, level.sample_indices
    if level.game is Game.TR1 and not (level.sample_data[:4].tobytes() == b"RIFF" and (samples == 0).any()):
        return False
    return len(details) > 0 and len(samples) > 0 and bool((details["sample"] < len(samples)).all())
