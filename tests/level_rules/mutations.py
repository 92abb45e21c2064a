"""Random damage to levels, in the fields that rules of readers speak of."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Level

# Values at the borders of rules, besides those that occur.
_EDGES = (0, 1, 2, 3, 5, 8, 9, 10, 15, 16, 17, 33, 63, 64, 127, 128, 254, 255, 256, 1023, 1024, 2047, 0x7FFF)
_LARGE = (0x3FFF, 0x8000, 0x8001, 0xC000, 0xFEFF, 0xFFFE, 0xFFFF, 0x10000, 120_000, -1, -2, -1024, -70_000)
_SLOTS = {
    1: (0, 1, 7, 27),
    2: (0, 16, 17, 22, 23, 41, 42, 49, 50),
    3: (0, 70, 71, 74, 122, 123, 315, 355),
    4: (0, 8, 9, 30, 37, 39, 417, 418, 423),
    5: (0, 8, 9, 30, 410, 434),
}
_FIELDS = {
    "models": ("id", "meshes", "first_mesh", "mesh_tree", "frame_offset", "animation"),
    "static_meshes": ("id", "mesh"),
    "animations": (
        "frame_offset",
        "frame_rate",
        "frame_size",
        "state",
        "first_frame",
        "last_frame",
        "next_animation",
        "state_changes",
        "first_state_change",
        "commands",
        "first_command",
    ),
    "state_changes": ("state", "dispatches", "first_dispatch"),
    "animation_dispatches": ("next_animation",),
    "object_textures": ("page",),
    "sprite_textures": ("page", "x", "y", "width", "height"),
    "sprite_sequences": ("id", "negative_length", "first"),
    "boxes": ("x_min", "x_max", "z_min", "z_max", "overlap"),
    "flyby_cameras": ("sequence", "index", "timer", "flags", "room"),
    "entities": ("type", "room", "x", "y", "z"),
    "sound_details": ("sample", "volume"),
}
_WORDS = (
    "floor_data",
    "animation_commands",
    "mesh_trees",
    "frames",
    "mesh_pointers",
    "overlaps",
    "animated_textures",
    "sound_map",
    "sample_indices",
    "demo_data",
)
_NUMBERS = (
    "room_textiles",
    "object_textiles",
    "bump_textiles",
    "weather",
    "lara_type",
    "uv_rotates",
    "sample_count",
)
_ROOM_NUMBERS = ("x", "z", "alternate_room", "alternate_group", "water_scheme")
_ROOM_FIELDS = {
    "sectors": ("floor_data", "floor", "ceiling", "room_below", "room_above"),
    "static_meshes": ("x", "z", "static_mesh"),
    "lights": ("x", "type"),
    "header": ("quads", "triangles", "vertex_bytes", "lights2", "faces_offset2", "lights"),
    "layers": ("vertices", "quads", "triangles"),
    "quads": ("texture",),
    "triangles": ("texture",),
}
_GROWING = ("models", "static_meshes", "sprite_textures", "sprite_sequences", "object_textures", "entities")
_GROWN = (1, 2, 20, 300)


def _value(random_: random.Random, old: int, others: list[int], *more: int) -> int:
    kind = random_.randrange(4)
    if kind == 0:
        return old + random_.choice((-1024, -4, -2, -1, 1, 2, 4, 1024))
    if kind == 1:
        return random_.choice(others)
    return random_.choice((*more, *_EDGES, *_LARGE) if kind == 2 else (*more, *_EDGES))


def _fit(value: int, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return value
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.kind == "i" and value >> (bits - 1) else value


def _changed(random_: random.Random, values: NDArray[Any], *more: int) -> NDArray[Any]:
    """Return a copy of an array with another number at a random place."""
    result = np.array(values)
    if result.size:
        flat = result.reshape(-1)
        at = random_.randrange(len(flat))
        others = [int(flat[random_.randrange(len(flat))])] if flat.dtype.kind != "f" else [0]
        old = int(flat[at]) if flat.dtype.kind != "f" else 0
        flat[at] = _fit(_value(random_, old, others, *more), flat.dtype)
    return result


def _field(random_: random.Random, owner: Any, section: str, names: tuple[str, ...]) -> None:
    records = np.array(getattr(owner, section))
    names = tuple(name for name in names if name in (records.dtype.names or ()))
    if len(records) and names:
        name = random_.choice(names)
        records[name] = _changed(random_, records[name])
        setattr(owner, section, records)


def _records(random_: random.Random, level: Level) -> None:
    section = random_.choice([each for each in _FIELDS if level.has(each)])  # type: ignore[arg-type]
    _field(random_, level, section, _FIELDS[section])


def _of_room(random_: random.Random, level: Level) -> None:
    room = random_.choice(level.rooms)
    section = random_.choice([each for each in _ROOM_FIELDS if room.has(each)])
    _field(random_, room, section, _ROOM_FIELDS[section])


def _number_of_room(random_: random.Random, level: Level) -> None:
    room = random_.choice(level.rooms)
    name = random_.choice([each for each in _ROOM_NUMBERS if room.has(each)])
    number = random_.randrange(len(level.rooms))
    value = _value(random_, getattr(room, name), [number])
    if name in "xz":
        value = room.x + 1024 * (value % 256 - 128)  # off the grid, a place would be in no sector
    limits = (-(2**31), 2**31 - 1) if name in "xz" else (-1, 0x7FFF)
    setattr(room, name, min(max(value, limits[0]), limits[1]))


def _words(random_: random.Random, level: Level) -> None:
    section = random_.choice([each for each in _WORDS if level.has(each)])  # type: ignore[arg-type]
    setattr(level, section, _changed(random_, getattr(level, section)))


def _floor_word(random_: random.Random, level: Level) -> None:
    words = np.array(level.floor_data)
    at = random_.randrange(len(words))
    words[at] ^= random_.choice((0x8000, 1, 2, 3, 4, 5, 6, 0x0400, 0x2400, 0x100, 0x3FF))
    level.floor_data = words


def _sector(random_: random.Random, level: Level) -> None:
    """Give a sector the number of a room, or an inner sector another list."""
    room = random_.choice(level.rooms)
    sectors = np.array(room.sectors)
    name = random_.choice(("room_below", "room_above", "floor_data"))
    limit = len(level.floor_data) if name == "floor_data" else len(level.rooms) + 1
    sectors[name][random_.randrange(len(sectors))] = random_.randrange(limit)
    room.sectors = sectors


def _mesh(random_: random.Random, level: Level) -> None:
    """Change the low byte of a word of the meshes, so that most of them can still be read."""
    data = np.array(level.mesh_data)
    if len(data):
        at = 2 * random_.randrange(len(data) // 2)
        data[at] = random_.choice((0, 1, 2, 3, 255, int(data[at]) ^ 1))
        level.mesh_data = data


def _single(random_: random.Random, level: Level) -> None:
    names = [each for each in _NUMBERS if each in level.__dict__]
    if names:
        name = random_.choice(names)
        setattr(level, name, max(_value(random_, getattr(level, name), [0]) & 0xFF, 0))


def _length(random_: random.Random, level: Level) -> None:
    """Take the end of a section away."""
    names = (
        *_FIELDS,
        "animated_textures",
        "sound_map",
        "sample_indices",
        "mesh_pointers",
        "animation_commands",
    )
    section = random_.choice([each for each in names if level.has(each)])  # type: ignore[arg-type]
    values = getattr(level, section)
    setattr(level, section, values[: random_.choice((0, max(len(values) - 1, 0), len(values) // 2))])


def _growth(random_: random.Random, level: Level) -> None:
    """Append copies of the last element of a section."""
    section = random_.choice(_GROWING)
    values = getattr(level, section)
    if len(values):
        more = np.repeat(values[-1:], random_.choice(_GROWN))
        if "id" in (more.dtype.names or ()) and random_.random() < 0.8:
            more["id"] += 1 + np.arange(len(more), dtype=more["id"].dtype)
        setattr(level, section, np.concatenate([values, more]))


# --- Damage of one rule each, which single numbers rarely do -------------------------------------------


def _slot(random_: random.Random, level: Level) -> None:
    """Give a model or an entity the number of a slot that rules speak of."""
    section, name = random_.choice((("models", "id"), ("models", "id"), ("entities", "type")))
    records = np.array(getattr(level, section))
    if len(records):
        which = slice(None) if random_.random() < 0.2 and name == "type" else random_.randrange(len(records))
        records[name][which] = random_.choice(_SLOTS[int(level.game)])
        setattr(level, section, np.sort(records, order="id") if section == "models" else records)


def _reset(random_: random.Random, level: Level) -> None:
    """Set a number to 0, or to the greatest one."""
    section = random_.choice([each for each in _FIELDS if level.has(each)])  # type: ignore[arg-type]
    records = np.array(getattr(level, section))
    if len(records):
        name = random_.choice(_FIELDS[section])
        if name in (records.dtype.names or ()):
            value = random_.choice((0, -1))
            records[name][random_.randrange(len(records))] = _fit(value, records.dtype[name])
            setattr(level, section, records)


def _new_list(random_: random.Random, level: Level) -> None:
    """Give a sector a trigger with some actions."""
    room = random_.choice(level.rooms)
    kind, parameter = (
        random_.choice((0, 0, 3, 8, 9, 12)),
        random_.choice((0, 1, 2, 16, 17, 46, 47, 58, 59, 200)),
    )
    actions = [kind << 10 | parameter] * random_.choice((1, 2, 32, 33))
    actions[-1] |= 0x8000
    words = [0x8004 | random_.choice((0, 0, 1, 2, 3)) << 8, 0x3E00, *actions]
    sectors = np.array(room.sectors)
    if len(level.floor_data) > 0xFFFF:
        return
    sectors["floor_data"][random_.randrange(len(sectors))] = len(level.floor_data)
    room.sectors = sectors
    level.floor_data = np.concatenate([level.floor_data, np.array(words, np.uint16)])


def _many(random_: random.Random, level: Level) -> None:
    """Exceed the room that engines have for something."""
    what = random_.choice(
        ("rooms", "sprite_textures", "object_textures", "meshes", "entities", "flyby_cameras")
    )
    if what == "rooms":
        level.rooms = [*level.rooms, *([random_.choice(level.rooms)] * random_.choice((70, 255)))]
    elif what == "meshes":
        start = len(level.mesh_data)
        dummies = np.zeros(1100 * 20, np.uint8)
        level.mesh_data = np.concatenate([level.mesh_data, dummies])
        places = np.arange(start, start + len(dummies), 20, dtype=np.uint32)
        level.mesh_pointers = np.concatenate([level.mesh_pointers, places])
    elif what in level.__dict__ and len(getattr(level, what)):
        values = getattr(level, what)
        count = {"object_textures": 0x8000, "flyby_cameras": 17}.get(what, 600)
        setattr(level, what, np.resize(values, count))


def _stored(random_: random.Random, level: Level) -> None:
    """Change what the file stores beside its sections."""
    room = random_.choice(level.rooms)
    if room.has("geometry_words") and random_.random() < 0.5:
        room.geometry_words = (room.geometry_words[0] + random_.choice((-1, 1)), room.geometry_words[1])
    else:
        level.demo_data = np.frombuffer(random_.choice((bytes(3), b"\xff" * 4, b"\xff" * 40000)), np.uint8)


def _own_room(random_: random.Random, level: Level) -> None:
    """Change lights of TR5 to those that stand for fog bulbs, or move Lara up or down."""
    room = random_.choice(level.rooms)
    if "direction2" in (room.lights.dtype.names or ()) and random_.random() < 0.5:
        room.lights = np.frombuffer(b"\xcd" * (2 * room.lights.dtype.itemsize), room.lights.dtype)
    else:
        entities = np.array(level.entities)
        entities["y"][entities["type"] == 0] += random_.choice((-20_000, 20_000, 256))
        level.entities = entities


_CROWDS = (
    "ropes",
    "flyby_cameras",
    "groups",
    "sounds",
    "tree",
    "lara",
    "sizes",
    "rates",
    "pointer",
    "shared",
)


def _crowd(random_: random.Random, level: Level) -> None:
    """Make an element that only a game has many times: ropes, flybys, groups of scrolling textures."""
    what = random_.choice(_CROWDS)
    if what == "ropes":
        level.entities = np.resize(level.entities, 20)
        level.entities["type"] = 146
    elif what == "flyby_cameras" and what in level.__dict__ and len(level.flyby_cameras):
        level.flyby_cameras = np.resize(level.flyby_cameras, random_.choice((17, 129, 257)))
        level.flyby_cameras["sequence"] = random_.choice((0, 7, 8, 15, 16))
        level.flyby_cameras["flags"] = random_.choice((0, 2, 8))
    elif what == "groups":
        length = random_.choice((1, 8, 9))
        level.animated_textures = np.array([17] + 17 * [length - 1, *range(length)], np.uint16)
        level.uv_rotates = random_.choice((0, 1, 16, 17))
    elif what == "sounds" and "samples" in level.__dict__:
        sizes = [random_.choice((4, 32, 33, 262176, 262177)), random_.choice((0, 8))]
        count = random_.choice((1, 256, 257))
        level.samples = np.frombuffer((np.array(sizes, "<u4").tobytes() + bytes(sizes[1])) * count, np.uint8)
        level.sample_count = count
    elif what == "tree":
        trees = np.array(level.mesh_trees)
        trees[::4] = [random_.choice((0, 2, 2, 2, 1, 3)) for _ in trees[::4]]
        level.mesh_trees = trees
    elif what == "lara":
        animations = np.resize(level.animations, 500)
        animations["state"][random_.randrange(500)] = random_.choice((55, 56, 71, 89, 118, 138, 500))
        level.animations = animations
        models = np.array(level.models)
        models["animation"][1:] = 500
        level.models = models
    elif what == "sizes":
        room = random_.choice(level.rooms)
        before = room.vertices.nbytes
        room.vertices = np.resize(room.vertices, random_.choice((8192, 8193, 12001)))
        if room.has("geometry_words"):
            words = room.geometry_words[0] + (room.vertices.nbytes - before) // 2
            room.geometry_words = words, words
    elif what == "rates":
        animations = np.array(level.animations)
        animations[random_.choice(("frame_rate", "frame_size"))][random_.randrange(len(animations))] = 0
        level.animations = animations
    elif what == "pointer":
        pointers = np.array(level.mesh_pointers)
        pointers[-1] = len(level.mesh_data) + random_.choice((-4, 0, 4))
        level.mesh_pointers = pointers
    elif what == "shared":
        count = random_.choice((256, 257))
        level.object_textures = np.resize(level.object_textures, 300)
        room = level.rooms[0]
        before = room.quads.nbytes
        room.quads = np.resize(room.quads, 300)
        room.quads["texture"] = np.arange(300)
        if room.has("geometry_words"):
            words = room.geometry_words[0] + (room.quads.nbytes - before) // 2
            room.geometry_words = words, words
        effects = [0] if int(level.game) >= 4 else []
        quads = [word for number in range(count) for word in (0, 0, 0, 0, number, *effects)]
        words_of_mesh = [*([0] * 5), 1, 0, 0, 0, 1, 0, 0, 0, count, *quads, 0, *([] if effects else [0, 0])]
        level.mesh_data = np.array(words_of_mesh, np.uint16).view(np.uint8)
        level.mesh_pointers = np.zeros(len(level.mesh_pointers), np.uint32)


def _mesh_head(random_: random.Random, level: Level) -> None:
    """Replace the meshes by one with a face, shining or not, and as many vertices as wanted."""
    count = random_.choice((4, 33, 256))
    lit = random_.random() < 0.5
    normals = (-count if lit else count) + random_.choice((0, 0, 1))
    effects = [random_.choice((0, 2))] if int(level.game) >= 4 else []
    triangles = random_.choice((0, 0, 3, 15, 16))
    head = (
        [0] * 5
        + [count]
        + [0] * (3 * count)
        + [normals & 0xFFFF]
        + [0] * ((1 if normals < 0 else 3) * abs(normals))
    )
    quad = [1, 0, 1, 2, 3, 0, *effects] if random_.random() < 0.5 else [0]
    tail = [0] if effects else [0, 0, triangles] + [0, 1, 2, 0] * triangles
    words = head + quad + tail
    level.mesh_data = np.array(words, np.uint16).view(np.uint8)
    level.mesh_pointers = np.zeros(len(level.mesh_pointers), np.uint32)


_WAYS: tuple[Callable[[random.Random, Level], None], ...] = (
    *(3 * (_records,)),
    *(2 * (_of_room,)),
    _number_of_room,
    _words,
    _floor_word,
    _sector,
    _mesh,
    _single,
    _length,
    _growth,
    *(2 * (_slot,)),
    _reset,
    _new_list,
    _many,
    _stored,
    _own_room,
    *(2 * (_crowd,)),
    *(2 * (_mesh_head,)),
)


def mutated(level: Level, seed: int) -> Level:
    """Return a copy of a level with one to three random changes."""
    random_, result = random.Random(seed), level.copy()
    for _ in range(random_.choice((1, 1, 2, 3))):
        random_.choice(_WAYS)(random_, result)
    return result
