"""New textures, meshes, animations and models of an injection, appended to a level as the engine does.

The parts of an injection count from its own first element; here they get the numbers of the level.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints
from ...base.bytes.records import (
    ANIMATION_DISPATCH,
    ANIMATION_RECORD,
    MODEL_RECORD,
    OBJECT_TEXTURE_RECORD,
    SPRITE_SEQUENCE,
    SPRITE_TEXTURE,
    STATE_CHANGE,
    STATIC_MESH,
)
from ...base.errors import FormatError
from ...base.games import Game
from ...base.messages import T
from ...base.schema.fields import Record
from ...levels.injections.canonical import NO_FRAMES, to_game
from ...levels.injections.convert import names_symbol
from ...levels.injections.kinds import BlockId, ReferenceKind
from ...levels.injections.trxj import Injection
from ...levels.level.level import Level
from ...levels.level.level_pages import page_count
from ...levels.meshes.meshes import Mesh, decode_meshes
from ...levels.textures.face_words import color_words
from ...levels.textures.light_map import nearest_rgb_entries
from ...levels.textures.sprites import FIRST_ROOM_SPRITES
from ...levels.textures.textiles import expand_palette
from .baking import Baking, NotAppliedError, engine_only

_PAGE_SIZE = 256 * 256
_NO_ANIMATION = 0xFFFF


def _array(injection: Injection, type_: int, dtype: Any) -> NDArray[Any]:
    content = b"".join(block.content or b"" for block in injection.blocks if block.type == type_)
    dtype = np.dtype(dtype)
    if len(content) % dtype.itemsize:
        raise NotAppliedError(T("its records have the form of another game"))
    return np.frombuffer(content, dtype)


# --- Names ---------------------------------------------------------------------------------------

OUTFITS = 32  # names for outfits in TRX's catalog
# Where TRX has the models of outfits: the first body, and the first joints, after which are the last slots.
_BODIES = {Game.TR1: 258, Game.TR2: 302, Game.TR3: 393, Game.TR4: 465}
_JOINTS = {Game.TR1: 296, Game.TR2: 340, Game.TR3: 433, Game.TR4: 502}
_OUTFIT = re.compile(r"lara_skin_(swap|joints)_([1-9]\d?)")


def catalog_slot(name: str, game: Game) -> int | None:
    """Return the slot that TRX has for an outfit's name in a game; None for names that get a free one."""
    match = _OUTFIT.fullmatch(name)
    if match is None or not game.traits.is_in_trx or int(match[2]) > OUTFITS:
        return None
    return (_BODIES if match[1] == "swap" else _JOINTS)[game] + int(match[2]) - 1


def give_slots(injection: Injection, level: Level) -> dict[str, int]:
    """Replace the names of models and sprites in an injection by slots of a level, in place.

    Returns:
        The slots by name: those of TRX's catalog for outfits, else the first that are free behind it.
    """
    if not level.game.traits.is_in_trx:
        return {}
    taken = {*level.models["id"].tolist(), *level.sprite_sequences["id"].tolist()}
    free = (each for each in count(_JOINTS[level.game] + OUTFITS + 1) if each not in taken)
    slots: dict[str, int] = {}
    by_number: dict[int, int] = {}
    for record in injection.records(BlockId.SYMBOLS):
        name = record["name"]
        if record["context"] == 0:
            slot = catalog_slot(name, level.game)
            slots[name] = by_number[record["slot"]] = next(free) if slot is None else slot
    for block in injection.blocks:
        for record in block.records:
            _bind(record, by_number)
    return slots


def _bind(record: Record, slots: Mapping[int, int]) -> None:
    if record.get("kind") == ReferenceKind.SYMBOL and record.get("id") in slots:
        record["kind"], record["id"] = ReferenceKind.MODEL, slots[record["id"]]
    for value in record.values():
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, dict):
                _bind(each, slots)


# --- Elements ------------------------------------------------------------------------------------


class _Firsts:
    """The numbers of the level's elements before the injection's."""

    def __init__(self, baking: Baking) -> None:
        level = baking.level
        self.page = page_count(level)
        self.texture, self.sprite = len(level.object_textures), len(level.sprite_textures)
        self.mesh = baking.mesh_count
        self.change, self.dispatch = len(level.state_changes), len(level.animation_dispatches)
        self.command, self.tree = len(level.animation_commands), len(level.mesh_trees)
        self.frame, self.animation = 2 * len(level.frames), len(level.animations)


def apply_data(baking: Baking, injection: Injection) -> None:
    """Append the new data of an injection, and replace the models that it has.

    Raises:
        NotAppliedError: if it is damaged, or for another game.
        FormatError, ExportError: if data of TRXI is damaged, or the game cannot hold it.
    """
    if any(
        names_symbol(record)
        for type_ in (BlockId.SPRITE_SEQUENCES, BlockId.OBJECTS)
        for record in injection.records(type_)
    ):
        raise engine_only()  # a name that the file does not have
    if injection.is_trxi:
        injection = copy.deepcopy(injection)
        to_game(injection, baking.level.game)
    first = _Firsts(baking)
    meshes = _meshes(baking, injection, first)
    objects = injection.records(BlockId.OBJECTS)
    for record in objects:
        if record["object"]["kind"] != ReferenceKind.MODEL:
            raise NotAppliedError(T("one of its models is no model"))
        if not 0 <= record["first_mesh"] <= record["first_mesh"] + record["mesh_count"] <= len(meshes):
            raise NotAppliedError(T("a model has meshes that do not exist"))
    _textures(baking, injection, first)
    for mesh in meshes:
        baking.add_mesh(mesh)
    _animations(baking, injection, first)
    for record in objects:
        _model(baking, record, first)
    for record in injection.records(BlockId.STATIC_MESHES):
        _static_mesh(baking, record, first)


def _extend(baking: Baking, name: str, records: NDArray[Any]) -> None:
    if len(records):
        old = getattr(baking.level, name)
        baking.put(baking.level, name, np.concatenate([old, records.astype(old.dtype)]))


def _textures(baking: Baking, injection: Injection, first: _Firsts) -> None:
    level = baking.level
    content = b"".join(
        block.content or b"" for block in injection.blocks if block.type == BlockId.TEXTURE_PAGES
    )
    count = sum(block.count for block in injection.blocks if block.type == BlockId.TEXTURE_PAGES)
    if len(content) != count * 5 * _PAGE_SIZE:
        raise NotAppliedError(T("its texture pages have another size"))
    if count:
        pages = np.frombuffer(content, np.uint8, count * 4 * _PAGE_SIZE)
        baking.add_pages(pages.reshape(count, 256, 256, 4))
    textures = _array(injection, BlockId.OBJECT_TEXTURES, OBJECT_TEXTURE_RECORD[level.game]).copy()
    textures["page"] += first.page
    _extend(baking, "object_textures", textures)
    sprites = _array(injection, BlockId.SPRITES, SPRITE_TEXTURE).copy()
    sprites["page"] += first.page
    _extend(baking, "sprite_textures", sprites)
    sprite = first.sprite
    for record in injection.records(BlockId.SPRITE_SEQUENCES):
        reference = record["object"]
        id_ = reference["id"] + (
            FIRST_ROOM_SPRITES[level.game] if reference["kind"] == ReferenceKind.ROOM_SPRITE else 0
        )
        _put(
            baking,
            "sprite_sequences",
            SPRITE_SEQUENCE,
            id=id_,
            negative_length=record["length"],
            first=sprite,
        )
        sprite += abs(record["length"])


def _put(baking: Baking, name: str, dtype: np.dtype, **values: Any) -> None:
    """Replace the record of an id, or append one."""
    records = baking.own(baking.level, name)
    rows = np.flatnonzero(records["id"] == values["id"])
    if not len(rows):
        baking.append(baking.level, name, **values)
        return
    for field, value in values.items():
        if field in (dtype.names or ()):
            records[field][rows[0]] = value


def _meshes(baking: Baking, injection: Injection, first: _Firsts) -> list[Mesh]:
    """Return the meshes by pointer, with the textures and colors of the level."""
    game = baking.level.game
    data, pointers = (
        _array(injection, BlockId.MESHES, np.uint8),
        _array(injection, BlockId.MESH_POINTERS, "<u4"),
    )
    try:
        block = decode_meshes(game, data, pointers)
    except FormatError as error:
        raise NotAppliedError(T("its meshes are damaged ({error})", error=str(error))) from None
    colors = _colors(baking, injection)
    return [
        _with_level_words(block.meshes[number], first.texture, colors) for number in block.pointers.tolist()
    ]


def _colors(baking: Baking, injection: Injection) -> Ints | None:
    """Return the words of the level's colors for those of the injection's palette."""
    palette = _array(injection, BlockId.PALETTES, np.dtype((np.uint8, (3,))))
    if not len(palette) or not baking.level.game.traits.has_palette:
        return None
    level = baking.level
    colors = expand_palette(palette).astype(np.float64)
    words8 = nearest_rgb_entries(expand_palette(level.palette).astype(np.float64), colors)
    if not level.game.traits.has_16bit_pages:
        return words8.astype(np.int64)
    words16 = nearest_rgb_entries(level.palette16[:, :3].astype(np.float64), colors)
    return color_words(words16.astype(np.int64), words8.astype(np.int64))


def _with_level_words(mesh: Mesh, first: int, colors: Ints | None) -> Mesh:
    result = replace(mesh, raw=b"")
    for name in ("quads", "triangles"):
        faces = getattr(mesh, name).copy()
        faces["texture"] += first
        setattr(result, name, faces)
    if colors is not None:
        for name in ("colored_quads", "colored_triangles"):
            faces = getattr(mesh, name).copy()
            faces["texture"] = colors[np.minimum(faces["texture"] & 0xFF, len(colors) - 1)]
            setattr(result, name, faces)
    return result


def _animations(baking: Baking, injection: Injection, first: _Firsts) -> None:
    game = baking.level.game
    changes = _array(injection, BlockId.STATE_CHANGES, STATE_CHANGE).copy()
    changes["first_dispatch"] += first.dispatch
    _extend(baking, "state_changes", changes)
    dispatches = _array(injection, BlockId.DISPATCHES, ANIMATION_DISPATCH).copy()
    dispatches["next_animation"][dispatches["next_animation"] >= 0] += first.animation
    _extend(baking, "animation_dispatches", dispatches)
    _extend(baking, "animation_commands", _array(injection, BlockId.COMMANDS, "<i2"))
    _extend(baking, "mesh_trees", _array(injection, BlockId.MESH_TREES, "<i4"))
    _extend(baking, "frames", _array(injection, BlockId.FRAMES, "<u2"))
    animations = _array(injection, BlockId.ANIMATIONS, ANIMATION_RECORD[game]).copy()
    for field, start in (
        ("frame_offset", first.frame),
        ("next_animation", first.animation),
        ("first_state_change", first.change),
        ("first_command", first.command),
    ):
        animations[field] += animations[field].dtype.type(start)
    _extend(baking, "animations", animations)


def _model(baking: Baking, record: Record, first: _Firsts) -> None:
    values: dict[str, int] = {"id": record["object"]["id"]}
    if record["mesh_count"]:
        values |= {
            "meshes": record["mesh_count"],
            "first_mesh": first.mesh + record["first_mesh"],
            "mesh_tree": first.tree + record["tree"],
        }
    if record["frame"] != NO_FRAMES:
        has_animation = record["animation"] >= 0
        values |= {
            "frame_offset": first.frame + record["frame"],
            "animation": first.animation + record["animation"] if has_animation else _NO_ANIMATION,
        }
    elif not (baking.level.models["id"] == values["id"]).any():
        values["animation"] = _NO_ANIMATION
    _put(baking, "models", MODEL_RECORD[baking.level.game], **values)


def _static_mesh(baking: Baking, record: Record, first: _Firsts) -> None:
    values = {name: record[name] for name in ("id", "visibility_box", "collision_box", "flags")}
    _put(baking, "static_meshes", STATIC_MESH, mesh=first.mesh + record["mesh"], **values)
