"""Readers of the pieces of each kind in an exported level, and their expected values in another game.

Light, tints and flags are expected as formats.converting computes them, whose own tests compare it with the
documentation. Each reader has comments on the numbers that it leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, Room
from io_tomb_raider.formats.base.bytes.colors import split_tint
from io_tomb_raider.formats.edits.convert.flags import entity_flags
from io_tomb_raider.formats.edits.convert.lights import light_values_of, neutral_light
from io_tomb_raider.formats.edits.convert.rooms import (
    entity_light,
    mesh_light,
    placed_light,
    room_flags,
    room_light,
)
from io_tomb_raider.formats.edits.convert.triggers import timer_of
from io_tomb_raider.formats.levels.animations.animations import (
    FLIP_EFFECT,
    PLAY_SOUND,
    decode_commands,
    model_animations,
)
from io_tomb_raider.formats.levels.floor.functions import ActionType, Portal, Trigger
from io_tomb_raider.formats.levels.floor.lists import FloorLists
from io_tomb_raider.formats.levels.lights.lights import (
    PLACEHOLDER_TYPE,
    SHADOW,
    SPOT,
    SUN,
    decode_light,
    kind_of,
    new_light,
)
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.formats.levels.rooms.effects import effect_bits
from io_tomb_raider.formats.levels.sounds.details import flags_of, run_of

from ..subjects.textures.reliefs import reliefs
from .append.judging import other_looks, other_poses, seen_pages
from .append.reading import other_faces
from .sources import ANGLE, MASK, STATIC, number_of, sprite_id

Facts = dict[Any, Any]
Pair = tuple[Game, Game]

_FAR = 50 * 1024  # in x: objects of the sources are beyond it, those of the targets are not
_COLOR = 14  # of 255: 16-bit pages hold 32 steps of each color, and palettes 256 colors
_LAND, _WATER = 0x4000, 0x8000
_FOOTPRINT = 32
_NO_ROOM = 255


class Kind(NamedTuple):
    """A kind of pieces.

    Attributes:
        read: returns the facts of the piece in a level, or nothing.
        expect: returns the expected facts in another game, from those of the source and both games.
        roads: the roads by which such a piece can be transferred.
    """

    read: Callable[[Level, Level], Facts]
    expect: Callable[[Facts, Game, Game], Facts]
    roads: tuple[str, ...]


# --- Static meshes


def _static_mesh(level: Level, there: Level) -> tuple[Any, Mesh] | None:
    """Return the record and the mesh of the dented lamp, found by its shape."""
    shape = _library_mesh(there, STATIC).vertices
    for record in level.static_meshes:
        mesh = _library_mesh(level, int(record["id"]))
        if np.array_equal(mesh.vertices, shape):
            return record, mesh
    return None


def _library_mesh(level: Level, number: int) -> Mesh:
    entry = int(level.static_meshes["mesh"][level.static_meshes["id"] == number][0])
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    return block.meshes[block.pointers[entry]]


def _read_static_mesh(level: Level, there: Level) -> Facts:
    found = _static_mesh(level, there)
    if found is None:
        return {}
    record, mesh = found
    # Its number among the meshes is left out: it depends on the other meshes.
    return {name: record[name].tolist() for name in ("id", "visibility_box", "collision_box", "flags")} | {
        "center": mesh.center,
        "radius": mesh.radius,
        "flags of the mesh": mesh.flags,
        "normals": None if mesh.normals is None else mesh.normals.tolist(),
        "lights": None if mesh.lights is None else mesh.lights.tolist(),
        "effects": sorted({int(each) for each in _effects(mesh)}),
    }


def _effects(mesh: Mesh) -> Any:
    fields = mesh.quads.dtype.names or ()
    return np.concatenate([mesh.quads["effects"], mesh.triangles["effects"]]) if "effects" in fields else [0]


def _expect_static_mesh(facts: Facts, source: Game, target: Game) -> Facts:
    # TR1 to TR3 draw it only with bit 1 (convert.md, chapter 4); TR4 and TR5 ignore it. Bit 0, no
    # collision, is kept; in TR4 and TR5 a box without size says so.
    flagged, asks = (each.traits.has_static_mesh_flags for each in (source, target))
    flags, box = facts["flags"] | (2 if asks else 0), facts["collision_box"]
    if asks and not flagged:
        flags = flags & ~1 | (len(set(box)) == 1)
    elif flagged and not asks and flags & 1:
        box = [1] * 6
    return {**facts, "flags": flags, "collision_box": box, "lights": _other_lights(facts, source, target)}


def _other_lights(facts: Facts, source: Game, target: Game) -> list[int] | None:
    lights = facts["lights"]
    return None if lights is None else mesh_light(np.array(lights), source, target).tolist()


def _read_looks(level: Level, there: Level) -> Facts:
    found = _static_mesh(level, there)
    if found is None:
        return {}
    lost, away = other_faces(there, _library_mesh(there, STATIC), level, found[1])
    # Pages and positions of texels are left out: pages are packed again.
    return {"other faces": lost, "other colors": away > _COLOR}


def _read_heights(level: Level, _there: Level) -> Facts:
    return {f"bump {strength}": _rounded(texels, heights) for strength, texels, heights in reliefs(level)}


def _rounded(*parts: Any) -> list[list[int]]:
    """Return the mean of texels and heights, rounded to a step of 16-bit pages."""
    return [[round(each / 8) for each in part.reshape(-1, 3).mean(axis=0).tolist()] for part in parts]


# --- Models and animations


def _models(level: Level, there: Level) -> list[int]:
    """Return the ids of the models with the dented body, found by its shape."""
    shape = _first_mesh(there, number_of("model", there.game)).vertices
    found = (int(each["id"]) for each in level.models if each["meshes"] == 3)
    return [each for each in found if np.array_equal(_first_mesh(level, each).vertices, shape)]


def _first_mesh(level: Level, number: int) -> Mesh:
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    return block.meshes[block.pointers[int(level.models["first_mesh"][level.models["id"] == number][0])]]


def _read_model(level: Level, there: Level) -> Facts:
    found = _models(level, there)
    if not found:
        return {}
    number = found[0]
    one = number_of("model", there.game)
    # Numbers of meshes, bones and frames are left out: they depend on the other models.
    return {
        "ids": found,
        "other poses": other_poses(there, one, level, number),
        "other looks": other_looks(
            there, one, level, number, (seen_pages(there, level), seen_pages(level, level))
        ),
    }


def _expect_model(facts: Facts, _source: Game, target: Game) -> Facts:
    # The row of equivalents.tsv is exact in all games.
    return {**facts, "ids": [number_of("model", target)]}


_FIELDS = ("frame_rate", "state", "speed", "acceleration", "state_changes")
_LATERAL = ("lateral_speed", "lateral_acceleration")


def _read_action(level: Level, there: Level) -> Facts:
    found = _models(level, there)
    if not found:
        return {}
    row = int(np.flatnonzero(level.models["id"] == found[0])[0])
    first, count = (int(each[row]) for each in model_animations(level.models, level.animations))
    facts: Facts = {}
    for place in range(count):
        record = level.animations[first + place]
        start = int(record["first_frame"])
        commands = decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"]), first_frame=start
        )
        # Numbers of animations and frames are relative to the model.
        facts[f"animation {place}"] = {
            **{name: int(record[name]) for name in _FIELDS},
            **{name: int(record[name]) if name in record.dtype.names else 0 for name in _LATERAL},
            "ticks": int(record["last_frame"]) - start,
            "follows": int(record["next_animation"]) - first,
            # The order of commands of one frame is left out: games go by frames.
            "commands": sorted((each.type, *(word & 0xFFFF for word in each.operands)) for each in commands),
        }
    return facts


def _expect_action(facts: Facts, source: Game, target: Game) -> Facts:
    found: Facts = {}
    for name, animation in facts.items():
        lateral = animation if target.traits.has_lateral_speed else dict.fromkeys(_LATERAL, 0)
        commands = (_expect_command(each, source, target) for each in animation["commands"])
        found[name] = {
            **animation,
            **{each: lateral[each] for each in _LATERAL},
            "commands": sorted(each for each in commands if each is not None),
        }
    return found


def _expect_command(command: tuple[int, ...], source: Game, target: Game) -> tuple[int, ...] | None:
    """Return a command in another game (convert.md, chapter 4)."""
    if command[0] not in (PLAY_SOUND, FLIP_EFFECT):
        return command
    kind, frame, word = command
    number, sides = word & 0x3FFF, word & 0xC000
    if kind == PLAY_SOUND:
        # TR1 has no bits for land and water. The other numbers are the same sound in all games.
        number = number_of("sound", target) if number == number_of("sound", source) else number
        return kind, frame, number | (sides if target.traits.has_sound_conditions else 0)
    # Footprints and their feet exist from TR3 on.
    if number == _FOOTPRINT and not target.traits.has_foot_conditions:
        return None
    return kind, frame, number | (sides if target.traits.has_foot_conditions else 0)


# --- Sounds


def _read_sound(level: Level, there: Level) -> Facts:
    number = number_of("sound", level.game)
    details = int(level.sound_map[number])
    if details < 0:
        return {"numbers": np.flatnonzero(level.sound_map >= 0).tolist()}
    record = level.sound_details[details]
    # Numbers of samples are left out: they depend on the other sounds.
    fields = (name for name in record.dtype.names if name not in ("sample", "flags"))
    return {
        **{name: int(record[name]) for name in fields},
        "samples": len(run_of(record)),
        "flags": flags_of(record),
    }


def _expect_sound(facts: Facts, source: Game, target: Game) -> Facts:
    """Return the playback values of a sound in another game (convert.md, chapter 9)."""
    found = {"samples": facts["samples"]}
    most, limit = (0xFF if game.traits.has_sound_range else 0x7FFF for game in (source, target))
    for name in ("volume", "chance"):
        found[name] = round(facts[name] * limit / most)
    if target.traits.has_sound_range:
        found["range"], found["pitch"] = facts.get("range", 8), facts.get("pitch", 0)
    # TR1 counts the modes of loops from 0 and the others from 1.
    found["flags"] = facts["flags"] + (source is Game.TR1) - (target is Game.TR1)
    return found


def _read_sound_source(level: Level, _there: Level) -> Facts:
    found = [each for each in level.sound_sources if each["x"] > _FAR]
    number = number_of("sound", level.game)
    # The source of the pool: the other one is in the corridor.
    wanted = [each for each in found if each["flags"] == 0xC0]
    return {"sounds": ["piece" if each["sound"] == number else int(each["sound"]) for each in wanted]}


# --- Sprites


def _read_sprite(level: Level, _there: Level) -> Facts:
    rows = level.sprite_sequences[level.sprite_sequences["id"] == sprite_id(level.game)]
    if not len(rows):
        return {"ids": sorted(level.sprite_sequences["id"].tolist())}
    first, count = int(rows[0]["first"]), -int(rows[0]["negative_length"])
    records = level.sprite_textures[first : first + count]
    return {"pictures": [_picture(level, each) for each in records]}


def _picture(level: Level, record: Any) -> Facts:
    # Its place on a page is left out. TR1 to TR3 write 256 for a texel but for the last one.
    facts: Facts = {name: (int(record[name]) + 255) // 256 for name in ("width", "height")}
    if level.game.traits.has_sprite_sides:
        facts["sides"] = [int(record[name]) for name in ("left", "top", "right", "bottom")]
    else:
        facts["width"] += 1
        facts["height"] += 1
    return facts


def _expect_sprite(facts: Facts, source: Game, target: Game) -> Facts:
    found = []
    for each in facts["pictures"]:
        facts = {name: each[name] for name in ("width", "height")}
        if target.traits.has_sprite_sides:
            facts["sides"] = each["sides"] if source.traits.has_sprite_sides else _shown_sides(facts)
        found.append(facts)
    return {"pictures": found}


def _shown_sides(facts: Facts) -> list[int]:
    """Return the sides of a picture in Blender, where the file has none."""
    width, height = facts["width"], facts["height"]
    return [-4 * width, -4 * height, 4 * width, 4 * height]


# --- Rooms and objects listed in them


def _room(level: Level) -> Room | None:
    return next((each for each in level.rooms if each.x > _FAR and each.x_sectors == 11), None)


_ROOM_FIELDS = ("ambient", "ambient2", "light_mode", "reverb", "water_scheme", "alternate_group")


def _read_room(level: Level, _there: Level) -> Facts:
    room = _room(level)
    if room is None:
        return {}
    facts: Facts = {name: int(getattr(room, name)) for name in _ROOM_FIELDS if room.has(name)}
    if room.has("color"):
        facts["color"] = [room.color >> shift & 0xFF for shift in (16, 8, 0)]
    return facts | {"flags": room.flags}


def _expect_room(facts: Facts, source: Game, target: Game) -> Facts:
    values = {"ambient": 0, "light_mode": 0, "reverb": 0, "water_scheme": 0, **facts}
    values["color"] = [*(each / 255 for each in facts.get("color", (0, 0, 0))), 1.0]
    found = room_light(values, source, target)
    color = [round(each * 255) for each in found["color"][:3]]
    traits = target.traits
    return {
        **({"ambient": found["ambient"]} if traits.has_ambient else {}),
        **({"ambient2": found["ambient2"]} if target is Game.TR2 else {}),
        **({"light_mode": found["light_mode"]} if traits.has_light_mode else {}),
        **({"color": color} if traits.has_room_color else {}),
        **({name: found[name] for name in ("reverb", "water_scheme")} if traits.has_reverb else {}),
        # A filler in TR3; the room is in no flip group.
        **({"alternate_group": 0} if traits.has_reverb else {}),
        "flags": room_flags(facts["flags"], source, target)[0],
    }


def _read_room_mesh(level: Level, there: Level) -> Facts:
    room = _room(level)
    if room is None:
        return {}
    # Effects of water that the source does not have are left out: they depend on the rooms around.
    known = effect_bits(there.game)
    left_out = {name: bit for name, bit in effect_bits(level.game).items() if name not in known}
    masks = {"attributes": ~sum(left_out.values())}
    points = np.stack([np.rint(room.vertices[axis]).astype(int) for axis in "xyz"], axis=1)
    lights: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for point, record in zip(points.tolist(), room.vertices, strict=True):
        fields = (name for name in record.dtype.names if name in ("light", "light2", "color", "attributes"))
        # Vertices at one place may differ in light, and their order is left out.
        lights.setdefault(tuple(point), set()).add(
            tuple(int(record[name]) & masks.get(name, -1) for name in fields)
        )
    return {"vertices": lights, "faces": (len(room.quads), len(room.triangles))}


def _read_sectors(level: Level, there: Level) -> Facts:
    room, before = _room(level), _room(there)
    if room is None or before is None:
        return {}
    lists, known = (FloorLists.read(each) for each in (level, there))
    found = {}
    rows = enumerate(zip(before.sectors, known.of(before.sectors["floor_data"]), strict=True))
    here = lists.of(room.sectors["floor_data"])
    for place, (old, functions) in rows:
        # Sectors with portals are left out: a room that is transferred alone has none.
        is_open = old["room_below"] != _NO_ROOM or old["room_above"] != _NO_ROOM
        if is_open or any(isinstance(each, Portal) for each in functions):
            continue
        record = room.sectors[place]
        kept = sorted(repr(each) for each in here[place] if not isinstance(each, (Portal, Trigger)))
        # Boxes are left out, as they are rebuilt; materials are in the same word.
        material = int(record["box"]) & 0xF if level.game.traits.has_materials else 0
        found[f"sector {place}"] = (int(record["floor"]), int(record["ceiling"]), material, kept)
    return found


def _read_lights(level: Level, there: Level) -> Facts:
    room = _room(level)
    if room is None:
        return {}
    found = {}
    for record in (*room.lights, *room.fog_bulbs):
        values = decode_light(record)
        place = tuple(
            int(record[axis]) - start for axis, start in zip("xyz", (room.x, 0, room.z), strict=True)
        )
        if values.get("type") != PLACEHOLDER_TYPE:  # TR5 lists one such light for every fog bulb
            # The expectation needs all values of the source.
            found[place] = values if level is there else _steady(level.game, values)
    return found


def _steady(game: Game, values: Facts) -> Facts:
    """Return the values of a light that games read in lights of its kind."""
    kind = kind_of(game, values)
    unread = {name for name in ("shadow",) if kind != SHADOW}
    # TR3's suns have a direction instead of intensity and falloff.
    unread |= {"direction"} if kind not in (SUN, SPOT) else set()
    unread |= {"inner", "outer", "length", "cutoff", "falloff"} if kind == SUN else set()
    unread |= {"intensity"} if kind == SUN and not game.traits.has_light_ranges else set()
    unread |= {"length", "cutoff", "range", "inner_angle", "outer_angle"} if kind != SPOT else set()
    found = {name: each for name, each in values.items() if name not in unread}
    if game in (Game.TR3, Game.TR4):
        found["color"] = tuple(round(part * 255) / 255 for part in found["color"])  # stored in bytes
    return found


def _expect_lights(facts: Facts, source: Game, target: Game) -> Facts:
    found = {}
    for place, values in facts.items():
        light = neutral_light(source, values)
        other = light_values_of(target, light)
        if other is not None:
            # Keep the fields of the record of the game.
            known = decode_light(new_light(target, light.kind))
            found[place] = _steady(target, {name: other.get(name, known[name]) for name in known})
    return found


def _read_placement(level: Level, there: Level) -> Facts:
    room, mesh = _room(level), _static_mesh(level, there)
    if room is None or mesh is None:
        return {}
    found = [each for each in room.static_meshes if each["static_mesh"] == mesh[0]["id"]]
    lights = mesh[1].lights
    return {
        "records": [_placed(each) for each in found],
        "lights": None if lights is None else lights.tolist(),
    }


def _placed(record: Any) -> Facts:
    fields = ("angle", "intensity", "intensity2", "color", "unused")
    return {name: int(record[name]) for name in fields if name in record.dtype.names}


def _expect_placement(facts: Facts, source: Game, target: Game) -> Facts:
    found = []
    lights = _other_lights(facts, source, target)
    gray = lights
    if lights is not None and target.traits.has_color_light:
        gray = mesh_light(np.array(lights), target, Game.TR1).tolist()
    mean = None if gray is None else float(np.mean(gray))
    for each in facts["records"]:
        parts = split_tint(each.get("color", 0))
        second = each.get("intensity2", each.get("unused", 0))
        shade, other, tint = placed_light(each.get("intensity", 0), second, parts, source, target, mean)
        values = {"angle": each["angle"]}
        if target.traits.has_color_light:
            color = each["color"] if source.traits.has_color_light else tint[0] | tint[1] << 5 | tint[2] << 10
            values |= {"color": color, "unused": other}
        else:
            values |= {"intensity": shade} | ({"intensity2": other} if target.traits.has_second_light else {})
        found.append(values)
    return {"records": found, "lights": lights}


def _read_room_sprites(level: Level, _there: Level) -> Facts:
    room = _room(level)
    if room is None:
        return {}
    rows = level.sprite_sequences[level.sprite_sequences["id"] == sprite_id(level.game)]
    first = {int(each["first"]) for each in rows}
    shown = [each for each in room.sprites if int(each["texture"]) in first] if room.has("sprites") else []
    return {"places": [[int(room.vertices[axis][each["vertex"]]) for axis in "xyz"] for each in shown]}


def _expect_room_sprites(facts: Facts, _source: Game, target: Game) -> Facts:
    # Rooms of TR5 have no sprites.
    return {"places": [] if target.traits.has_room_layers else facts["places"]}


# --- Entities and triggers


def _read_entity(level: Level, _there: Level) -> Facts:
    found = [each for each in level.entities if each["x"] > _FAR and each["angle"] == ANGLE]
    fields = ("type", "intensity", "intensity2", "ocb", "flags")
    names = [name for name in fields if name in (level.entities.dtype.names or ())]
    return {"records": [{name: int(each[name]) for name in names} for each in found]}


def _expect_entity(facts: Facts, source: Game, target: Game) -> Facts:
    """Return an entity in another game (convert.md, chapter 7)."""
    (each,) = facts["records"]
    light = entity_light(each["intensity"], source, target)
    found = {"type": number_of("model", target), "intensity": light}
    found["flags"] = entity_flags(each["flags"], source, target)
    if target in (Game.TR2, Game.TR3):
        found["intensity2"] = light
    if target.traits.has_ai_objects:
        found["ocb"] = each.get("ocb", 0)
    return {"records": [found]}


def _read_trigger(level: Level, _there: Level) -> Facts:
    room = _room(level)
    if room is None:
        return {}
    # One trigger may be on several sectors.
    found = {
        function
        for functions in FloorLists.read(level).of(room.sectors["floor_data"])
        for function in functions
        if isinstance(function, Trigger) and function.mask == MASK
    }
    return {"triggers": [_trigger(level, each) for each in found]}


def _trigger(level: Level, trigger: Trigger) -> Facts:
    actions = []
    for action in trigger.actions:
        what: Any = action.parameter
        if action.type in (ActionType.OBJECT, ActionType.LOOK_AT):
            record = level.entities[what]
            # The angle identifies the entity: its number differs.
            what = int(record["angle"])
        elif action.type == ActionType.CAMERA:
            what = (int(level.cameras[what]["flags"]), int(level.cameras[what]["y"]))
        actions.append((action.type, what, action.extra))
    return {
        "type": trigger.type,
        "timer": trigger.timer - 256 * (level.game >= Game.TR4 and trigger.timer > 127),
        "one shot": trigger.one_shot,
        "actions": actions,
    }


def _expect_trigger(facts: Facts, source: Game, target: Game) -> Facts:
    """Return a trigger in another game: all its actions are known everywhere (convert.md, chapter 8.3)."""
    (each,) = facts["triggers"]
    return {"triggers": [{**each, "timer": timer_of(each["timer"], source, target)}]}


# --- All kinds

_EVERYWHERE = ("append", "replace", "drag", "paste", "link", "local", "asset", "convert", "kit")
_WITH_ROOM = ("append", "drag", "paste", "link", "local", "asset", "convert")
# The asset of a room has no entities and triggers.
_IN_WORLD = ("append", "drag", "paste", "link", "local", "convert")


def _same(facts: Facts, _source: Game, _target: Game) -> Facts:
    return facts


KINDS: dict[str, Kind] = {
    "static mesh": Kind(_read_static_mesh, _expect_static_mesh, _EVERYWHERE),
    "texture": Kind(_read_looks, _same, _EVERYWHERE),
    "height map": Kind(_read_heights, _same, _EVERYWHERE),
    "model": Kind(_read_model, _expect_model, (*_EVERYWHERE, "exchange")),
    "action": Kind(_read_action, _expect_action, (*_EVERYWHERE, "exchange")),
    "sound": Kind(_read_sound, _expect_sound, _EVERYWHERE),
    "sprite": Kind(_read_sprite, _expect_sprite, _EVERYWHERE),
    "room": Kind(_read_room, _expect_room, _WITH_ROOM),
    "light": Kind(_read_lights, _expect_lights, _WITH_ROOM),
    "placement": Kind(_read_placement, _expect_placement, _WITH_ROOM),
    "room sprite": Kind(_read_room_sprites, _expect_room_sprites, _WITH_ROOM),
    "entity": Kind(_read_entity, _expect_entity, _IN_WORLD),
    "sound source": Kind(_read_sound_source, _same, _IN_WORLD),
    "trigger": Kind(_read_trigger, _expect_trigger, _IN_WORLD),
}
# Facts without expected numbers are compared with the converted level.
AS_CONVERTED: dict[str, Kind] = {
    "room mesh": Kind(_read_room_mesh, _same, _WITH_ROOM[:-1]),
    "sectors": Kind(_read_sectors, _same, _WITH_ROOM[:-1]),
}


def has_piece(kind: str, road: str, came_from: Game, game: Game) -> bool:
    """Return whether a kind of pieces exists in both games and can be transferred by a road."""
    if kind == "height map":
        return came_from.traits.has_bump and game.traits.has_bump
    if kind in ("sound", "sound source") and road in ("convert", "kit"):
        # Samples of TR2 and TR3 are in a MAIN.SFX, and a converted level has none.
        return game not in (Game.TR2, Game.TR3)
    return True


def differing(found: Any, expected: Any, where: str = "") -> list[str]:
    """Return the differences between two sets of facts. Floats may differ by 32-bit rounding."""
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        pairs = [(f"{where} {key}".strip(), found[key], expected[key]) for key in expected]
        return [text for name, one, other in pairs for text in differing(one, other, name)]
    is_list = isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple))
    if is_list and len(found) == len(expected):
        each = enumerate(zip(found, expected, strict=True))
        return [text for place, (one, other) in each for text in differing(one, other, f"{where}[{place}]")]
    if isinstance(found, float) or isinstance(expected, float):
        is_same = found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    else:
        is_same = found == expected
    return [] if is_same else [f"{where}: {found}, expected {expected}"]
