"""Comparison of a model with its source file: poses, texels and sounds as a game reads them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.outfits import DRAWN, SKINS, outfit
from io_tomb_raider.formats import Level
from io_tomb_raider.formats.base.arrays.typing import Pixels
from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.formats.levels.animations.animations import (
    PLAY_SOUND,
    decode_commands,
    model_animations,
)
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.sounds.details import run_of
from io_tomb_raider.formats.levels.sounds.forms import FloatSamples, decode_sound, resample
from io_tomb_raider.formats.levels.textures.textiles import decode_pages, encode_pages8, expand_palette
from io_tomb_raider.scene.subjects.models.lara import merged_models
from io_tomb_raider.scene.transfer.engine.ids import library_number

from .reading import has_keys, model_meshes, other_faces, poses, row_of

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of an animation
MOST_ANIMATIONS = 5
_TURN = 0.008  # a step of a turn of 1024
_PLACE = 3  # units
_COLOR = 12  # 16-bit pages hold 32 steps of each color, and palettes 256 colors
_SOUND = 0x3FFF
_PARTS = 100  # of a sample
_HEARD, _SILENCE = 0.25, 0.01
_SECONDS = 0.05


def enemy_of(level: Level) -> int | None:
    """Return the model with most animations of its own, except for Lara, or None."""
    rows = model_animations(level.models, level.animations)[1]
    own = set(outfit(level.game, set(level.models["id"].tolist())).values())
    called = names(level.game)
    found = [
        (int(count), -int(number))
        for number, count in zip(level.models["id"].tolist(), rows.tolist(), strict=True)
        if number not in own and number and not called.model(number).startswith("Lara")
    ]
    return -max(found)[1] if found and max(found)[0] else None


def other_poses(there: Level, one: int, here: Level, other: int) -> list[str]:
    """Return the first animations whose poses differ between two models, and how."""
    count = int(model_animations(there.models, there.animations)[1][row_of(there, one)])
    found = []
    for animation in range(min(count, MOST_ANIMATIONS)):
        if not has_keys(there, one, animation):
            continue  # some animations have no keys
        before, after = (
            poses(level, model, animation, SHARES) for level, model in ((there, one), (here, other))
        )
        if before.shape != after.shape:
            found.append(f"animation {animation}: {before.shape} meshes and keys, now {after.shape}")
            continue
        turned, moved = (
            float(np.abs(before[..., part] - after[..., part]).max(initial=0))
            for part in (slice(0, 3), slice(3, 4))
        )
        if turned >= _TURN or moved > _PLACE:
            found.append(f"animation {animation}: turned by {turned:.4f}, moved by {moved:.1f}")
    return found


def seen_pages(there: Level, here: Level) -> NDArray[np.uint8]:
    """Return the pages of a level in the colors of another level, (n, 256, 256, 4)."""
    pages = decode_pages(pages_of(there))
    if here.game.traits.has_16bit_pages:
        return pages
    known = expand_palette(here.palette)
    seen = pages.copy()
    seen[..., :3] = known[encode_pages8(np.where(pages[..., 3:] > 0, pages, 0), here.palette)]
    return seen


def other_looks(
    there: Level, one: int, here: Level, other: int, pages: tuple[Pixels, Pixels] | None = None
) -> list[str]:
    """Return the meshes of a model that look different from those of another one, and how.

    Args:
        there, one: the source file, and the id of the model in it.
        here, other: the target level, and the id of the model in it.
        pages: the pages of both, the first as :func:`seen_pages`; None to decode them.
    """
    found = []
    pages = pages or (seen_pages(there, here), decode_pages(pages_of(here)))
    both = model_meshes(there, one), model_meshes(here, other)
    if len(both[0]) != len(both[1]):
        return [f"{len(both[0])} meshes, now {len(both[1])}"]
    fitted = _fitted(there, one, here, other)
    for number, (before, after) in enumerate(zip(*both, strict=True)):
        if number in fitted:
            continue
        if not np.array_equal(np.unique(before.vertices, axis=0), np.unique(after.vertices, axis=0)):
            found.append(f"mesh {number}: other vertices")
            continue
        lost, away = other_faces(there, before, here, after, pages)
        if lost or away > _COLOR:
            found.append(f"mesh {number}: {lost} faces are others, colors differ by {away:.0f}")
    return found


def _fitted(there: Level, one: int, here: Level, other: int) -> set[int]:
    """Return the meshes of a model of Lara's that become others, as the other game draws her otherwise."""
    if there.game is here.game:
        return set()
    skin = SKINS.get(there.game, LARA)
    if skin != LARA and one in (LARA, skin):
        is_other = here.game not in SKINS or merged_models(there.game, here.game)
        return set(range(len(model_meshes(there, one)))) if is_other else set()
    return set(DRAWN[here.game].get(other, ())) - {*DRAWN[there.game].get(one, ())}


def played_sounds(level: Level, model: int) -> Iterator[int]:
    """Yield the numbers of the sounds that a model's animations play."""
    first, count = (
        int(part[row_of(level, model)]) for part in model_animations(level.models, level.animations)
    )
    for record in level.animations[first : first + count]:
        start, commands = int(record["first_command"]), int(record["commands"])
        for command in decode_commands(level.animation_commands, start, commands):
            if command.type == PLAY_SOUND:
                yield command.operands[1] & _SOUND


def waves_of(level: Level, number: int, waves: list[bytes]) -> list[tuple[FloatSamples, int]] | None:
    """Return the samples of a sound of a level, (n, channels), each with its rate; None where it has none."""
    if not 0 <= number < len(level.sound_map) or not 0 <= level.sound_map[number] < len(level.sound_details):
        return None
    run = run_of(level.sound_details[level.sound_map[number]])
    if not all(place < len(waves) and waves[place] for place in run):
        return None
    return [decode_sound(waves[place]) for place in run]


def other_sounds(
    there: Level, one: int, had: set[int], here: Level, other: int, waves: tuple[list[bytes], list[bytes]]
) -> list[str]:
    """Return the sounds of a model that differ from those of its file.

    Args:
        there, one: the source file, and the id of the model in it.
        had: the sounds of the target level before; those with the same names are kept.
        here, other: the target level, and the id of the model in it.
        waves: the samples of both.
    """
    called = names(there.game)
    plays = set(played_sounds(here, other))
    found = []
    for number in sorted(set(played_sounds(there, one))):
        known = library_number("sound", number, there.game, here.game).exact
        if known is not None and known in had:
            if known not in plays:
                found.append(f"{called.sound(number)}: the level has it, and it is not played")
            continue
        before = waves_of(there, number, waves[0])
        if before is None:
            continue  # the file has no samples of it itself
        alike = [waves_of(here, each, waves[1]) for each in ({known} if known is not None else plays - had)]
        if not any(_is_alike(before, each) for each in alike):
            found.append(f"{called.sound(number)}: none that the animations play sounds so")
    return found


def own_sounds(level: Level) -> set[int]:
    """Return the numbers of the sounds that a level has."""
    return set(np.flatnonzero((level.sound_map >= 0) & (level.sound_map < len(level.sound_details))).tolist())


def _is_alike(one: list[tuple[FloatSamples, int]], other: list[tuple[FloatSamples, int]] | None) -> bool:
    """Return whether two sounds have the same length and loudness over time, up to packing losses."""
    if other is None or len(one) != len(other):
        return False
    for (before, rate), (after, to) in zip(one, other, strict=True):
        if abs(len(before) / rate - len(after) / to) > _SECONDS:
            return False
        lower = min(rate, to)
        loud = [
            np.array([np.abs(part).mean() for part in np.array_split(each.mean(axis=1), _PARTS) if len(part)])
            for each in (resample(before, rate, lower), resample(after, to, lower))
        ]
        count = min(map(len, loud))
        away = np.linalg.norm(loud[0][:count] - loud[1][:count])
        if away > _HEARD * np.linalg.norm(loud[0]) + _SILENCE:
            return False
    return True


def outfits(there: Level, here: Level) -> list[tuple[int, int]]:
    """Return the pairs of models of two levels that are the same part of Lara's outfit."""
    ours, theirs = (outfit(level.game, set(level.models["id"].tolist())) for level in (here, there))
    return [(theirs[part], number) for part, number in ours.items() if part in theirs]
