"""Addons for TRX 1.11 and newer: models with names instead of slots, which any level can load.

An addon is an injection of TRXI whose models are symbols: the engine gives each name the slot that its
catalog has for it, or a free one. An outfit takes names that the catalog has for outfits, so that
``outfits.json5`` may refer to it before a level is loaded. What an addon needs besides is text for the game
flow, for ``outfits.json5``, or for a script.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...base.errors import ExportError
from ...base.messages import T
from ...base.schema.fields import Record
from ...levels.animations.animations import (
    EVENT_NUMBER,
    PLAY_SOUND,
    AnimationCommand,
    decode_commands,
    encode_commands,
    model_animations,
)
from ...levels.injections.canonical import NO_FRAMES
from ...levels.injections.convert import converted
from ...levels.injections.fields import TRXI
from ...levels.injections.kinds import BlockId, ReferenceKind
from ...levels.injections.records import GAME_TEST
from ...levels.injections.trxj import Injection
from ...levels.level.level import Level
from ...levels.sounds.samples import SampleStorage, sample_storage, sample_waves
from .make import sound_record
from .make_data import put_data

_TRXJ = 11  # the version that becomes TRXI
_NAME = re.compile(r"[a-z0-9:_-]{1,255}")
_HAIR_ROOT = {"x": 0, "y": -23, "z": -55}  # from the joint of the head, in TR2 and TR3


@dataclass(frozen=True)
class Addon:
    """An addon."""

    injection: Injection  #: of TRXI.
    lost: list[str]  #: what it cannot hold, as messages.


def make_addon(
    level: Level, models: Mapping[int, str], *, outfit: bool = False, any_game: bool = False
) -> Addon:
    """Return models of a level as an addon.

    Args:
        level: of TR1 to TR4.
        models: the name of each model by its id.
        outfit: leave their animations out.
        any_game: for all games; else the addon has the condition that the game is that of the level.
            Animations play sounds by their numbers, which other games use for other sounds, so they are
            silent then.

    Raises:
        ExportError: if a name or a model is not possible.
        FormatError: if the level is damaged.
    """
    if not level.game.traits.is_in_trx:
        raise ExportError("TRXI", T("TRX plays levels of TR1 to TR4"))
    for name in models.values():
        if _NAME.fullmatch(name) is None:
            raise ExportError(name, T("a name in TRX has small letters, digits, and : _ - only"))
    for id_ in sorted(models.keys() - {*level.models["id"].tolist()}):
        raise ExportError(models[id_], T("the level has no model {number}", number=id_))
    lost: list[str] = []
    source = level
    sounds = set() if outfit else _sounds_of(level, models)
    if any_game and sounds:
        source = _silent(level, models)
        lost.append(T("sounds of animations, since other games have other sounds under their numbers"))
    made = Injection(_TRXJ, 0, level.game)
    put_data(made, source, models, (), models if outfit else ())
    if sounds and not any_game:
        made.replace(BlockId.SOUNDS, _sound_records(level, sounds))
        if sample_storage(level) is not SampleStorage.BLOCK:
            lost.append(T("sounds of animations: the game plays its own under their numbers"))
    result = converted(made, TRXI)
    _give_poses(result.injection)
    _give_names(result.injection, models)
    if any_game:
        result.injection.tests = [each for each in result.injection.tests if each["type"] != GAME_TEST]
    return Addon(result.injection, [*lost, *result.lost])


class OutfitModels(NamedTuple):
    """The ids of the models of an outfit, -1 for those that a level does not have."""

    body: int
    joints: int = -1
    hair: int = -1

    def names(self, number: int) -> dict[int, str]:
        """Return the names of the models as an outfit, 2 to :data:`OUTFITS`. The hair has the one before."""
        names = (f"swap_{number}", f"joints_{number}", f"swap_{number - 1}")
        return {id_: f"lara_skin_{name}" for id_, name in zip(self, names, strict=True) if id_ >= 0}


# --- Text for the mod ----------------------------------------------------------------------------


def addon_text(names: Mapping[int, str], file_name: str, *, pickup: bool = False) -> str:
    """Return the lines that make TRX load an addon of models.

    Args:
        names: of its models, by their ids in the level.
        file_name: of the addon, without folder.
        pickup: the models are pickups.
    """
    return "\n".join([*_loading(file_name), "", *_script_lines(names, file_name, pickup=pickup)]) + "\n"


def outfit_text(outfit: OutfitModels, number: int, file_name: str) -> str:
    """Return the lines that make TRX load an addon with an outfit, and offer the outfit."""
    key = re.sub(r"[^a-z0-9_]+", "_", file_name.rpartition(".")[0].lower()) or "outfit"
    names = outfit.names(number)
    entry: dict[str, object] = {
        "name_gs": f"dynamic/enums/lara_outfit/{key}",
        "mesh_object": names[outfit.body],
        "gun_map": 0,
        "combat_face_offset": -1,
    }
    if outfit.joints >= 0:
        entry["joints_object"] = names[outfit.joints]
    if outfit.hair >= 0:
        entry["extra_object"] = names[outfit.hair]
        entry["braid"] = [{"mesh_offset": 0, "position": _HAIR_ROOT}]
    text = json.dumps({key: entry}, indent=2).splitlines()[1:-1]
    lines = [
        *_loading(file_name),
        f'"lara_outfit": "{key}",  // in levels that begin with it',
        "",
        '// In "outfits" of cfg/outfits.json5:',
        *(line.removeprefix("  ") for line in text),
    ]
    return "\n".join(lines) + ",\n"


def _loading(file_name: str) -> list[str]:
    path = json.dumps(f"data/injections/{file_name}")
    return ["// In the game flow, for all levels or for one:", f'"injections": [{path}],']


def _script_lines(names: Mapping[int, str], file_name: str, *, pickup: bool) -> list[str]:
    lines = ["-- Or in a script beside the file, instead of the line in the game flow:"]
    for name in names.values():
        lines.append(f'local {_variable(name)} = trx.catalog.mint(trx.catalog.Context.OBJECTS, "{name}")')
    lines += ["trx.inject.declare(function()", f"  return {{ {json.dumps(file_name)} }}", "end)"]
    for number, name in enumerate(names.values() if pickup else ()):
        title, variable = name.rpartition(":")[2].replace("_", " ").title(), _variable(name)
        lines += [
            "",
            f'trx.locale.declare({{ ["objects/{name}/name"] = "{title}" }})',
            f'trx.objects[{variable}]:add_family("pickup")',
            f'trx.objects[{variable}]:add_family("inventory")',
            "trx.inventory.declare_ring_item({",
            f'  object_id = "{name}",',
            *(f"  {field} = 1," for field in _RING),
            f"  inv_pos = {_FIRST_PLACE + number},",
            "})",
        ]
    return lines


_RING = ("frames_total", "anim_direction", "anim_speed", "meshes_sel", "meshes_drawn")
_FIRST_PLACE = 20  # in the inventory, after those of the games


def _variable(name: str) -> str:
    return re.sub(r"[^a-z0-9_]", "_", re.sub(r"^.*:", "", name)).lstrip("0123456789") or "object"


# --- Models --------------------------------------------------------------------------------------


def _give_names(injection: Injection, models: Mapping[int, str]) -> None:
    """Refer to models by names: a name's number is its place in the table."""
    slots = {id_: slot for slot, id_ in enumerate(models)}
    for record in injection.records(BlockId.OBJECTS):
        record["object"] = {"kind": ReferenceKind.SYMBOL, "id": slots[record["object"]["id"]]}
    symbols: list[Record] = [
        {"context": 0, "slot": slots[id_], "name": name, "reserved": 0} for id_, name in models.items()
    ]
    injection.replace(BlockId.SYMBOLS, symbols)


def _give_poses(injection: Injection) -> None:
    """Give models without animations a frame at rest: the engine loads no model without one."""
    blocks = [block for block in injection.blocks if block.type == BlockId.FRAMES]
    count = sum(block.count for block in blocks)
    content = bytearray()
    for record in injection.records(BlockId.OBJECTS):
        if record["frame"] != NO_FRAMES:
            continue
        record["frame"], record["animation"] = count, -1
        meshes = record["mesh_count"]
        content += bytes(2 * 9) + struct.pack("<H", meshes) + bytes(2 * 3 * meshes)
        count += 1
    if content and blocks:
        blocks[0].content = (blocks[0].content or b"") + bytes(content)
        blocks[0].count = count
    elif content:
        injection.add_bytes(BlockId.FRAMES, count, bytes(content))


# --- Sounds --------------------------------------------------------------------------------------


def _rows(level: Level, models: Collection[int]) -> list[int]:
    """Return the animations of models."""
    firsts, counts = model_animations(level.models, level.animations)
    rows = np.flatnonzero(np.isin(level.models["id"], list(models)))
    return [
        int(first) + number
        for first, count in zip(firsts[rows], counts[rows], strict=True)
        for number in range(count)
    ]


def _sounds_of(level: Level, models: Collection[int]) -> set[int]:
    """Return the numbers of the sounds that the animations of models play."""
    return {
        int(EVENT_NUMBER.of(command.operands[1]))
        for row in _rows(level, models)
        for command in _commands(level, row)
        if command.type == PLAY_SOUND
    }


def _commands(level: Level, row: int) -> tuple[AnimationCommand, ...]:
    record = level.animations[row]
    return decode_commands(level.animation_commands, int(record["first_command"]), int(record["commands"]))


def _silent(level: Level, models: Collection[int]) -> Level:
    """Return a level in which the animations of models play no sounds."""
    result = level.copy()
    result.animations = level.animations.copy()
    words = [level.animation_commands]
    size = len(level.animation_commands)
    for row in _rows(level, models):
        commands = [each for each in _commands(level, row) if each.type != PLAY_SOUND]
        words.append(encode_commands(commands))
        result.animations["first_command"][row] = size
        result.animations["commands"][row] = len(commands)
        size += len(words[-1])
    result.animation_commands = np.concatenate(words)
    return result


def _sound_records(level: Level, sounds: Collection[int]) -> list[Record]:
    if sample_storage(level) is not SampleStorage.BLOCK:
        return []
    waves = sample_waves(level)
    numbers = (number for number in sorted(sounds) if number < len(level.sound_map))
    records = (sound_record(level, number, waves) for number in numbers)
    return [each for each in records if each is not None]
