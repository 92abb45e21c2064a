"""Rules of object textures, sprites and animated textures."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Bools, Ints
from ...base.messages import N_
from ...levels.textures.animated import MOST_SCROLLING_FRAMES, MOST_SCROLLING_GROUPS, decode_animated
from ...levels.textures.coordinates import QUAD_MOVES, TRIANGLE_MOVES
from ...levels.textures.object_textures import BUMP, PAGE_MASK, TRIANGLE_BIT
from ...levels.views.decoded import Decoded
from . import needs
from .rule import (
    ALL,
    CROFTENGINE,
    EVERYONE,
    NO_PLACES,
    OPENLARA,
    OPENTOMB,
    ORIGINAL,
    TOMB_EDITOR,
    TR1,
    TR2,
    TR3,
    TR4,
    TR5,
    TRX,
    Harm,
    Places,
    Rule,
    once_if,
    where,
)
from .view import Uses, texture_uses

_LAST_ATTRIBUTE = {1: 1, 2: 2, 3: 2, 4: 7, 5: 7}
_MOST_SHARED = 256
_SPRITE_BYTE = 256
_PAGE = 256  # pixels
_SCROLLING_HEIGHT = 64


def _raw(checked: Decoded) -> Ints:
    return checked.level.object_textures["uv"].astype(np.int64)


def _triangle(checked: Decoded) -> Bools:
    return (checked.level.object_textures["page"] & TRIANGLE_BIT) != 0


def _used(uses: Uses) -> Bools:
    return np.asarray(uses.by_quads | uses.by_triangles)


def _spans(checked: Decoded, triangle: Bools) -> tuple[Ints, Ints]:
    """Return the least and the greatest coordinates of each texture, (n, 2)."""
    raw = _raw(checked)
    skip = np.zeros(raw.shape, np.bool_)
    skip[triangle, 3] = True
    return np.where(skip, 0xFFFF, raw).min(axis=1), np.where(skip, 0, raw).max(axis=1)


def _attributes(checked: Decoded) -> Places:
    used = _used(texture_uses(checked))
    attribute = checked.level.object_textures["attribute"]
    return where(used & (attribute > _LAST_ATTRIBUTE[checked.level.game]))


def _fractions(checked: Decoded) -> Places:
    uses = texture_uses(checked)
    triangle = uses.by_triangles & ~uses.by_quads
    raw = _raw(checked)
    low, high = _spans(checked, triangle)
    is_wide = (high - low > 256)[:, None] & np.ones(raw.shape, np.bool_)
    is_wide[triangle, 3] = False
    rounds_up = raw & 0x80 != 0
    wrong = is_wide & (((raw == low[:, None]) & rounds_up) | ((raw == high[:, None]) & ~rounds_up))
    return where(_used(uses) & wrong.any(axis=(1, 2)))


def _mapping(checked: Decoded) -> Places:
    """Find textures of which the engine moves a corner outwards."""
    raw, triangle = _raw(checked), _triangle(checked)
    low, high = _spans(checked, triangle)
    kind = checked.level.object_textures["flags"].astype(np.int64) & 7
    moves = np.zeros(raw.shape)
    moves[~triangle] = QUAD_MOVES[kind[~triangle] & 1]
    moves[triangle, :3] = TRIANGLE_MOVES[kind[triangle]]
    at_low, at_high = raw == low[:, None], raw == high[:, None]
    is_flat = (high - low < 256)[:, None]
    outwards = ((at_low & (moves < 0)) | (at_high & (moves > 0))) & ~is_flat
    return where(_used(texture_uses(checked)) & outwards.any(axis=(1, 2)))


def _triangle_bit(checked: Decoded) -> Places:
    uses, triangle = texture_uses(checked), _triangle(checked)
    return where((uses.by_quads & triangle) | (uses.by_triangles & ~triangle))


def _sizes(checked: Decoded) -> Places:
    uses = texture_uses(checked)
    low, high = _spans(checked, uses.by_triangles & ~uses.by_quads)
    return where(_used(uses) & (high == low).any(axis=1))


def _shared(checked: Decoded) -> Places:
    uses = texture_uses(checked)
    animated = np.zeros(len(uses.by_models), np.bool_)
    for group in _groups(checked):
        animated[[each for each in group if each < len(animated)]] = True
    is_shared = uses.by_models & (uses.by_rooms | uses.by_statics | animated)
    return once_if(int(is_shared.sum()) > _MOST_SHARED)


def _sequences(checked: Decoded) -> Places:
    return once_if(bool((checked.level.sprite_sequences["negative_length"] >= 0).any()))


def _rectangles(checked: Decoded) -> Places:
    level = checked.level
    if not level.game.traits.has_sprite_sides:
        return NO_PLACES
    sprites = level.sprite_textures
    ends = [
        sprites[start].astype(np.int64) + (sprites[size] >> 8)
        for start, size in (("x", "width"), ("y", "height"))
    ]
    return once_if(any(bool((end >= _PAGE).any()) for end in ends))


def _effect_sprites(checked: Decoded) -> Places:
    sprites, sequences = needs.EFFECT_SPRITES[checked.level.game], checked.level.sprite_sequences
    rows = sequences[np.isin(sequences["id"], sprites.sequences)]
    lengths = -rows["negative_length"].astype(np.int64)
    is_enough = (lengths >= sprites.least) & (rows["first"] + lengths < _SPRITE_BYTE)
    return once_if(not is_enough.any())


def _animated(checked: Decoded) -> Places:
    words = checked.level.animated_textures
    if not len(words):
        return once_if(True)
    groups = decode_animated(words).groups
    index = 1
    for _ in range(int(words[0])):
        if index >= len(words):
            return once_if(True)
        index += 2 + int(words[index])
    return once_if(index > len(words) or len(groups) != int(words[0]))


def _groups(checked: Decoded) -> list[list[int]]:
    return decode_animated(checked.level.animated_textures).groups


def _one_group(checked: Decoded) -> Places:
    textures = [texture for group in _groups(checked) for texture in set(group)]
    values, counts = np.unique(np.array(textures, np.int64), return_counts=True)
    return values[counts > 1]


def _group_attributes(checked: Decoded) -> Places:
    attribute, result = checked.level.object_textures["attribute"], []
    for number, group in enumerate(_groups(checked)):
        exists = [each for each in group if each < len(attribute)]
        if len(np.unique(attribute[exists])) > 1:
            result.append(number)
    return np.array(result, np.int64)


def _scrolling(checked: Decoded) -> Places:
    groups = _groups(checked)[: checked.level.uv_rotates]
    many = len(groups) > MOST_SCROLLING_GROUPS
    return once_if(many or any(len(group) > MOST_SCROLLING_FRAMES for group in groups))


def _scrolling_shape(checked: Decoded) -> Places:
    raw, result = _raw(checked) >> 8, []
    for number, group in enumerate(_groups(checked)[: checked.level.uv_rotates]):
        exists = [each for each in group if each < len(raw)]
        v = raw[exists, :, 1]
        is_upright = (v[:, 0] == v[:, 1]) & (v[:, 2] == v[:, 3]) & (v[:, 2] > v[:, 0])
        height = v[:, 2] - v[:, 0] + 1
        if not (is_upright & (np.abs(height - _SCROLLING_HEIGHT) <= 1)).all():
            result.append(number)
    return np.array(result, np.int64)


def _fourth_corner(checked: Decoded) -> Places:
    uses = texture_uses(checked)
    is_zero = (checked.level.object_textures["uv"][:, 3] == 0).all(axis=1)
    return where(
        (uses.by_triangles & ~uses.by_quads & ~is_zero) | (uses.by_quads & ~uses.by_triangles & is_zero)
    )


def _bumps(checked: Decoded) -> Places:
    level = checked.level
    page = (level.object_textures["page"] & PAGE_MASK).astype(np.int64)
    first = level.room_textiles + level.object_textiles
    bumped = BUMP.of(level.object_textures["flags"].astype(np.int64)) > 0
    inside = (page >= first) & (page < first + (level.bump_textiles + 1) // 2)
    return where(bumped & ~inside)


RULES = (
    Rule(
        "texture pages",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines end: object textures or sprites are on pages that do not exist",
        None,
    ),
    Rule(
        "blend modes",
        Harm.WRONG,
        ALL,
        EVERYONE,
        N_("{count} object textures are drawn opaque: the game does not know their blend mode"),
        _attributes,
    ),
    Rule(
        "texture fractions",
        Harm.COSMETIC,
        TR2 | TR3,
        (ORIGINAL,),
        N_("the original game moves {count} object textures by up to a pixel"),
        _fractions,
    ),
    Rule(
        "texture corners",
        Harm.COSMETIC,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game shows half a pixel of the neighbors of {count} object textures"),
        _mapping,
    ),
    Rule(
        "triangle mark",
        Harm.COSMETIC,
        TR4 | TR5,
        (ORIGINAL, OPENTOMB),
        N_(
            "the original game moves corners of {count} object textures wrongly: quads and triangles use the "
            "same ones"
        ),
        _triangle_bit,
    ),
    Rule(
        "texture size",
        Harm.COSMETIC,
        ALL,
        (OPENTOMB, CROFTENGINE),
        N_("CroftEngine leaves out {count} object textures: they have no width or no height"),
        _sizes,
    ),
    Rule(
        "shared textures",
        Harm.CRASH,
        ALL,
        (OPENLARA,),
        N_("OpenLara ends: models share more than 256 object textures with rooms"),
        _shared,
    ),
    Rule(
        "sprite sequences",
        Harm.CRASH,
        ALL,
        (CROFTENGINE, TRX, OPENLARA),
        N_("engines end: sprite sequences are empty. Delete them"),
        _sequences,
    ),
    Rule(
        "sprite rectangles",
        Harm.CRASH,
        TR1 | TR2 | TR3,
        (OPENTOMB,),
        N_("OpenTomb crashes: a sprite is outside of its page"),
        _rectangles,
    ),
    Rule(
        "number of sprites",
        Harm.CRASH,
        TR1 | TR2 | TR3,
        (TRX, ORIGINAL),
        "the original game has memory for 512 sprites",
        None,
    ),
    Rule(
        "effect sprites",
        Harm.WRONG,
        TR3 | TR4 | TR5,
        (ORIGINAL, OPENLARA),
        N_(
            "splashes, blood and fire show wrong pictures, and OpenLara crashes: the sprites of effects are "
            "missing. Append them from a level of this game"
        ),
        _effect_sprites,
    ),
    Rule(
        "animated textures",
        Harm.CRASH,
        ALL,
        (OPENTOMB, TRX, ORIGINAL),
        N_("engines read beyond the animated textures"),
        _animated,
    ),
    Rule(
        "one animated texture",
        Harm.COSMETIC,
        ALL,
        (OPENTOMB,),
        N_("OpenTomb plays one of the animated textures: {count} object textures are in several"),
        _one_group,
    ),
    Rule(
        "blend mode of animated textures",
        Harm.WRONG,
        ALL,
        (OPENLARA,),
        N_("OpenLara draws all textures of {count} animated textures alike: they have several blend modes"),
        _group_attributes,
    ),
    Rule(
        "scrolling textures",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game has memory for 16 scrolling textures of 8 frames"),
        _scrolling,
    ),
    Rule(
        "scrolling shape",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game stretches {count} scrolling textures: they are 64 pixels high, upright quads"),
        _scrolling_shape,
    ),
    Rule(
        "number of textures",
        Harm.CRASH,
        ALL,
        (ORIGINAL,),
        "the original game has no memory for so many object textures",
        None,
    ),
    Rule(
        "fourth corner",
        Harm.COSMETIC,
        TR1 | TR2 | TR3,
        (TOMB_EDITOR,),
        N_(
            "Tomb Editor takes {count} object textures of quads for those of triangles, or the other way "
            "round"
        ),
        _fourth_corner,
    ),
    Rule(
        "bump level",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL,),
        N_("{count} object textures have a bump level, but are on pages without height maps"),
        _bumps,
    ),
    Rule(
        "textures of animated textures",
        Harm.WRONG,
        ALL,
        EVERYONE,
        "engines show other pictures: frames of animated textures do not exist",
        None,
    ),
)
