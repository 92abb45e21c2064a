"""Summary of a level by subject, independent of numbers, so that rooms can be added and removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from io_tomb_raider.formats import Level, Room
from io_tomb_raider.formats.levels.animations.animations import decode_state_changes, model_animations
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import ActionType, Trigger
from io_tomb_raider.formats.levels.floor.grammar import RETAIL_RULES, Rules
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces

SECTOR = 1024
Summary = dict[str, Counter[Any]]
# Subjects with elements that are tuples starting with a position.
POINTS = ("entities", "ai_objects", "cameras", "sound_sources", "static_meshes", "lights", "flyby_cameras")


def summary(level: Level) -> Summary:
    """Return the elements of every subject in world space, with their counts."""
    rules = Rules(trng=True) if level.has_trng_footer else RETAIL_RULES
    found: Summary = {
        "entities": _placed(level, "entities", "type", "angle", "flags"),
        "ai_objects": _placed(level, "ai_objects", "type", "angle", "ocb"),
        "cameras": _placed(level, "cameras"),
        "sound_sources": _placed(level, "sound_sources", "sound", "flags"),
        "flyby_cameras": _placed(level, "flyby_cameras", "sequence", "index", "fov", "speed"),
        "static_meshes": Counter(
            (*_place(record), int(record["static_mesh"]), int(record["angle"]))
            for room in level.rooms
            for record in room.static_meshes
        ),
        "lights": Counter(_place(record) for room in level.rooms for record in room.lights),
        "rooms": Counter(_shape(level, room) for room in level.rooms),
        "sectors": Counter(each for room in level.rooms for each in _heights(room)),
        "portals": Counter(each for room in level.rooms for each in _portals(room)),
        "triggers": Counter(each for room in level.rooms for each in _triggers(level, room, rules)),
        "animations": Counter(_animations(level)),
        "transitions": Counter(_transitions(level)),
        "meshes": _meshes(level),
        "sound_details": Counter(record.tobytes() for record in level.sound_details),
    }
    return found


def _place(record: Any) -> tuple[int, int, int]:
    return round(float(record["x"])), round(float(record["y"])), round(float(record["z"]))


def _placed(level: Level, section: str, *fields: str) -> Counter[Any]:
    records: Any = getattr(level, section, ())  # not all games have all sections
    names = [name for name in fields if len(records) and name in records.dtype.names]
    return Counter((*_place(record), *(int(record[name]) for name in names)) for record in records)


def _shape(level: Level, room: Room) -> tuple[Any, ...]:
    """Return the world positions of the corners of a room's faces, as a hash."""
    where = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(int) + np.array(
        (room.x, 0, room.z)
    )
    faces = decode_faces(level.game, room)
    corners = sorted(
        tuple(sorted(map(tuple, where[each].tolist()))) for group in faces for each in group.corners
    )
    return (room.x, room.z, hash(tuple(corners)), tuple(len(group.corners) for group in faces))


def _heights(room: Room) -> Iterator[tuple[int, int, int, int]]:
    for place, record in enumerate(room.sectors):
        x, z = divmod(place, room.z_sectors)
        yield room.x + x * SECTOR, room.z + z * SECTOR, int(record["floor"]), int(record["ceiling"])


def _portals(room: Room) -> Iterator[tuple[Any, ...]]:
    for portal in room.portals:
        corners = portal["vertices"].astype(int) + np.array((room.x, 0, room.z))
        yield tuple(sorted(map(tuple, corners.tolist())))


def _triggers(level: Level, room: Room, rules: Rules) -> Iterator[tuple[Any, ...]]:
    for place, record in enumerate(room.sectors):
        x, z = divmod(place, room.z_sectors)
        for each in decode(level.floor_data, int(record["floor_data"]), rules):
            if isinstance(each, Trigger):
                # Targets are numbers, which change when other objects are removed.
                lone = tuple(
                    (int(action.type), action.parameter)
                    for action in each.actions
                    if action.type
                    not in (ActionType.OBJECT, ActionType.LOOK_AT, ActionType.CAMERA, ActionType.SINK)
                )
                place_of_it = (room.x + x * SECTOR, room.z + z * SECTOR)
                yield (*place_of_it, int(each.type), each.timer, each.mask, len(each.actions), lone)


def _animations(level: Level) -> Iterator[tuple[Any, ...]]:
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    firsts, counts = model_animations(level.models, level.animations)
    for model, first, count in zip(
        level.models["id"].tolist(), firsts.tolist(), counts.tolist(), strict=True
    ):
        for number in range(first, first + count):
            poses = keys.keys(number)
            yield model, number - first, poses.offsets.tobytes(), poses.angles.tobytes()


def _transitions(level: Level) -> Iterator[tuple[Any, ...]]:
    """Yield the next animations and the state changes of models, by numbers within models."""
    firsts, counts = model_animations(level.models, level.animations)
    ids = level.models["id"].tolist()
    names: dict[Any, tuple[int, int]] = {}
    for model, first, count in zip(ids, firsts.tolist(), counts.tolist(), strict=True):
        for number in range(count):
            names.setdefault(first + number, (model, number))
    for index, name in names.items():
        changes = decode_state_changes(
            level.animations, level.state_changes, level.animation_dispatches, index
        )
        rows = tuple(
            (change.state, each.low, each.high, names.get(each.next_animation, each.next_animation))
            for change in changes
            for each in change.dispatches
        )
        following = int(level.animations["next_animation"][index])
        yield (*name, names.get(following, following), rows)


def _meshes(level: Level) -> Counter[Any]:
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    found = Counter[Any]()
    for record in level.static_meshes:
        found["static", int(record["id"]), _points(block, int(record["mesh"]))] += 1
    for record in level.models:
        first, count = int(record["first_mesh"]), int(record["meshes"])
        for number in range(first, first + count):
            found["model", int(record["id"]), number - first, _points(block, number)] += 1
    return found


def _points(block: Any, pointer: int) -> bytes:
    return bytes(np.ascontiguousarray(block.meshes[block.pointers[pointer]].vertices).tobytes())
