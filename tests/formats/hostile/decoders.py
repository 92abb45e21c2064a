"""All decoders of parts of a level, in one list: add every new decoder here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.levels.animations.animations import (
    animation_models,
    decode_commands,
    decode_state_changes,
    model_animations,
    ticks,
)
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.animations.rotations import quaternions_from_angles
from io_tomb_raider.formats.levels.floor.floor_data import decode_all, parse
from io_tomb_raider.formats.levels.level.footer import split_footer
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces, vertex_layers
from io_tomb_raider.formats.levels.textures.animated import animated_places
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.packing import object_texture_rects
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites
from io_tomb_raider.formats.levels.textures.textiles import Pages, decode_pages


@dataclass(frozen=True)
class Decoder:
    """A decoder, and the attributes of a level that it reads."""

    name: str
    inputs: tuple[str, ...]
    decode: Callable[[Level], Any]


def _meshes(level: Level) -> Any:
    return decode_meshes(level.game, level.mesh_data, level.mesh_pointers)


def _faces(level: Level) -> Any:
    faces = [decode_faces(level.game, room) for room in level.rooms]
    return faces, [vertex_layers(room) for room in level.rooms if level.game is Game.TR5]


def _frames(level: Level) -> Any:
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    each = [keys.keys(number) for number in range(len(level.animations))]
    return each, quaternions_from_angles(keys.angles)


def _mesh_trees(level: Level) -> Any:
    trees = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))
    return [tree.origins() for tree in trees]


def _animations(level: Level) -> Any:
    owners = (
        model_animations(level.models, level.animations),
        animation_models(level.models, level.animations),
    )
    return owners, ticks(level.animations)


def _commands(level: Level) -> Any:
    return [
        decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"]), first_frame=3
        )
        for record in level.animations
    ]


def _state_changes(level: Level) -> Any:
    tables = level.animations, level.state_changes, level.animation_dispatches
    return [decode_state_changes(*tables, number) for number in range(len(level.animations))]


def _textiles(level: Level) -> Any:
    names = ("textiles8", "textiles16", "textiles32", "palette")
    forms: Any = [getattr(level, name, None) for name in names]
    return decode_pages(Pages(*forms))


def _object_textures(level: Level) -> Any:
    records = level.object_textures
    return decode_object_textures(records, level.game), object_texture_rects(records, level.game)


def _floor_data(level: Level) -> Any:
    sectors = [room.sectors["floor_data"] for room in level.rooms]
    return decode_all(parse(level.floor_data, sectors, trng=level.has_trng_footer))


def _footer(level: Level) -> Any:
    return split_footer(np.asarray(getattr(level, "footer", np.zeros(0, np.uint8))).tobytes())


DECODERS = (
    Decoder("meshes", ("mesh_data", "mesh_pointers"), _meshes),
    Decoder("faces", ("rooms",), _faces),
    Decoder("frames and rotations", ("frames", "animations", "models"), _frames),
    Decoder("mesh trees", ("models", "mesh_trees", "mesh_pointers"), _mesh_trees),
    Decoder("animations", ("models", "animations"), _animations),
    Decoder("commands", ("animations", "animation_commands"), _commands),
    Decoder("state changes", ("animations", "state_changes", "animation_dispatches"), _state_changes),
    Decoder("textiles", ("textiles8", "textiles16", "textiles32", "palette"), _textiles),
    Decoder("object textures", ("object_textures",), _object_textures),
    Decoder("sprites", ("sprite_textures",), lambda level: decode_sprites(level.sprite_textures, level.game)),
    Decoder(
        "animated textures", ("animated_textures",), lambda level: animated_places(level.animated_textures)
    ),
    Decoder("floor data", ("floor_data", "rooms", "has_trng_footer"), _floor_data),
    Decoder("footer", ("footer",), _footer),
)
