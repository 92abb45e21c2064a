"""Damage to textures, sprites, entities, cameras and sounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.edits.rules.view import texture_uses
from io_tomb_raider.formats.levels.views.decoded import Decoded

from .edits import DOOR, breaks, put

_OLD, _NEW = (Game.TR1, Game.TR2, Game.TR3), (Game.TR4, Game.TR5)


# --- Textures and sprites ------------------------------------------------------------------------------

breaks("sprite sequences", *Game)(lambda level: put(level, "sprite_sequences", 0, negative_length=0))


def _of_quads(level: Level) -> int:
    """Return a texture that only quads use, on the first page, which is not animated."""
    uses = texture_uses(Decoded(level))
    rows = np.flatnonzero(uses.by_quads & ~uses.by_triangles & (level.object_textures["page"] == 0))
    return int(np.setdiff1d(rows, level.animated_textures)[0])


def _of_triangles(level: Level) -> int:
    """Return a texture that only triangles use."""
    uses = texture_uses(Decoded(level))
    return int(np.flatnonzero(uses.by_triangles & ~uses.by_quads)[0])


def _put_uv(level: Level, row: int, uv: object) -> None:
    put(level, "object_textures", row, uv=uv)


_BLEND_MODES = {Game.TR1: 2, Game.TR2: 3, Game.TR3: 3, Game.TR4: 8, Game.TR5: 8}


def _blend(level: Level, *, beyond: int) -> None:
    mode = _BLEND_MODES[level.game] - 1 + beyond
    put(level, "object_textures", _of_quads(level), attribute=mode)


breaks("blend modes", *Game, keep=partial(_blend, beyond=0))(partial(_blend, beyond=1))


@breaks("texture fractions", Game.TR2, Game.TR3)
def _wrong_fractions(level: Level) -> None:
    row = _of_quads(level)
    _put_uv(level, row, level.object_textures["uv"][row] ^ 0x80)


# The corners with which the textures of triangles begin, by their kind, and those of quads.
_TRIANGLES = ("TL TR BL", "TR BR TL", "BR BL TR", "BL TL BR", "TR TL BR", "TL BL TR", "BL BR TL", "BR TR BL")
_QUADS = ("TL TR BR BL", "TR TL BL BR")


def _corner_names(uv: np.ndarray) -> list[str]:
    """Return which corners of their rectangle some corners are."""
    middle = (uv.min(axis=0).astype(float) + uv.max(axis=0)) / 2
    return [("B" if v > middle[1] else "T") + ("R" if u > middle[0] else "L") for u, v in uv.tolist()]


def _begin_at_right_angles(level: Level, step: int = 1) -> None:
    """Bring the corners of textures into an order that the games know, and set their kinds.

    Of several kinds it takes the first one, or with step -1 the last one.
    """
    textures = level.object_textures.copy()
    for texture in textures:
        is_triangle = bool(texture["page"] & 0x8000)
        uv = texture["uv"][: 3 if is_triangle else 4].copy()
        if (uv.max(axis=0) - uv.min(axis=0) < 256).any():
            continue
        names = _corner_names(uv)
        for kind, order in list(enumerate(_TRIANGLES if is_triangle else _QUADS))[::step]:
            if set(order.split()) == set(names):
                texture["uv"][: len(uv)] = uv[[names.index(name) for name in order.split()]]
                texture["flags"] = texture["flags"] & 0xFFF8 | kind
                break
    level.object_textures = textures


def _change_kind(level: Level, texture: Callable[[Level], int], change: int) -> None:
    row = texture(level)
    put(level, "object_textures", row, flags=level.object_textures["flags"][row] ^ change)


for _step in (1, -1):
    for _change in (1, 2, 3, 4):
        breaks("texture corners", *_NEW, keep=partial(_begin_at_right_angles, step=_step))(
            partial(_change_kind, texture=_of_triangles, change=_change)
        )
    breaks("texture corners", *_NEW, keep=partial(_begin_at_right_angles, step=_step))(
        partial(_change_kind, texture=_of_quads, change=1)
    )


@breaks("triangle mark", *_NEW)
def _marked_quad(level: Level) -> None:
    put(level, "object_textures", _of_quads(level), page=0x8000)


@breaks("triangle mark", *_NEW)
def _unmarked_triangle(level: Level) -> None:
    row = _of_triangles(level)
    put(level, "object_textures", row, page=level.object_textures["page"][row] & 0x7FFF)


def _flatten(level: Level, axis: int) -> None:
    row = _of_quads(level)
    uv = level.object_textures["uv"][row].copy()
    uv[:, axis] = uv[0, axis]
    _put_uv(level, row, uv)


for _axis in range(2):
    breaks("texture size", *Game)(partial(_flatten, axis=_axis))


_EFFECTS = {Game.TR3: (296, 19), Game.TR4: (463, 29), Game.TR5: (458, 29)}


def _have_effects(level: Level, *, first: int = 0, missing: int = 0) -> None:
    slot, count = _EFFECTS[level.game]
    put(level, "sprite_sequences", 0, id=slot, negative_length=missing - count, first=first)


breaks("effect sprites", *_EFFECTS, keep=_have_effects)(lambda level: _have_effects(level, missing=1))
breaks("effect sprites", *_EFFECTS, keep=lambda level: _have_effects(level, first=200))(
    lambda level: _have_effects(level, first=256 - _EFFECTS[level.game][1])
)


def _animate(level: Level, *groups: list[int]) -> None:
    words = [word for group in groups for word in (len(group) - 1, *group)]
    level.animated_textures = np.array([len(groups), *words], np.uint16)


breaks("one animated texture", *Game, keep=lambda level: _animate(level, [0, 1, 0], [2]))(
    lambda level: _animate(level, [0, 1], [1, 2])
)


@breaks("blend mode of animated textures", *Game)
def _other_blend_mode(level: Level) -> None:
    row = int(level.animated_textures[2])
    put(level, "object_textures", row, attribute=int(level.object_textures["attribute"][row] == 0))


def _scroll(level: Level, top: int, bottom: int) -> None:
    level.uv_rotates = 1
    corners = np.array([(0, top), (63, top), (63, bottom), (0, bottom)]) << 8
    put(level, "object_textures", level.animated_textures[2:5], uv=corners, flags=0)


breaks("scrolling shape", *_NEW, keep=lambda level: _scroll(level, 0, 63))(
    lambda level: _scroll(level, 0, 31)
)
breaks("scrolling shape", *_NEW, keep=lambda level: _scroll(level, 64, 127))(
    lambda level: _scroll(level, 127, 64)  # upside down
)


@breaks("fourth corner", *_OLD)
def _quad_as_triangle(level: Level) -> None:
    row = _of_quads(level)
    uv = level.object_textures["uv"][row].copy()
    uv[3] = 0
    _put_uv(level, row, uv)


@breaks("fourth corner", *_OLD)
def _triangle_as_quad(level: Level) -> None:
    row = _of_triangles(level)
    uv = level.object_textures["uv"][row].copy()
    uv[3] = uv[0]
    _put_uv(level, row, uv)


def _bump(level: Level, page: int) -> None:
    """Give bumps to a texture, and put it on a page, counted from the first one with bumps."""
    row = int(level.rooms[0].quads["texture"][0]) & 0x3FFF
    first = level.room_textiles + level.object_textiles
    flags = level.object_textures["flags"][row] & ~np.uint16(0x600) | 0x200
    put(level, "object_textures", row, flags=flags, page=first + page)


for _page in (-1, 1):  # before, and a height map
    breaks("bump level", *_NEW, keep=partial(_bump, page=0))(partial(_bump, page=_page))


# --- Entities and cameras ------------------------------------------------------------------------------


@breaks("direction of doors", *Game)
def _turned_door(level: Level) -> None:
    put(level, "entities", 4, angle=0x1000, type=DOOR[level.game])


@breaks("place of pushable blocks", *Game)
def _pushed(level: Level) -> None:
    slot = {Game.TR1: 48, Game.TR2: 67, Game.TR3: 97, Game.TR4: 156, Game.TR5: 137}[level.game]
    put(level, "entities", 4, type=slot, x=int(level.entities["x"][4]) // 1024 * 1024 + 100)


def _fly(level: Level, *rows: int) -> None:
    level.flyby_cameras = level.flyby_cameras[list(rows)]


breaks("order of flybys", *_NEW)(lambda level: _fly(level, 0, 1, 3, 2, 6, 7))  # another order
breaks("order of flybys", *_NEW)(lambda level: _fly(level, 0, 1, 6, 7, 2, 3))  # in two parts
breaks("order of flybys", *_NEW)(lambda level: _fly(level, 0, 1, 1, 2))  # one twice


_SECOND_OF_PATROL = 3  # after the first one


def _at_an_enemy(level: Level) -> None:
    enemy = level.entities[1]
    put(level, "ai_objects", slice(None), **{name: enemy[name] for name in ("x", "z", "room")})
    # The second point of a patrol is anywhere.
    put(level, "ai_objects", 0, type=level.ai_objects["type"].max() + _SECOND_OF_PATROL, x=0)


def _move_ai_object(level: Level, field: str) -> None:
    put(level, "ai_objects", 1, **{field: int(level.ai_objects[field][1]) + 1})


for _field in ("x", "z", "room"):
    breaks("place of AI objects", *_NEW, keep=_at_an_enemy)(partial(_move_ai_object, field=_field))


# --- Sounds and cutscenes ------------------------------------------------------------------------------

breaks("loudness", Game.TR1, Game.TR2, keep=lambda level: put(level, "sound_details", 0, volume=0x7FFF))(
    lambda level: put(level, "sound_details", 0, volume=0x8000)
)
breaks("samples of sounds", *Game, places=3)(lambda level: put(level, "sound_details", slice(None), flags=0))
breaks("order of samples", Game.TR2, Game.TR3)(
    lambda level: setattr(level, "sample_indices", level.sample_indices[::-1])
)
breaks("order of samples", Game.TR2, Game.TR3)(
    lambda level: setattr(level, "sample_indices", np.repeat(level.sample_indices, 2))
)


@breaks("sound sources", *Game)
def _silent(level: Level) -> None:
    put(level, "sound_sources", 0, sound=int(np.flatnonzero(level.sound_map < 0)[0]))


@breaks("cinematic frames", *_OLD)
def _one_frame(level: Level) -> None:
    level.cinematic_frames = level.cinematic_frames[:1]
