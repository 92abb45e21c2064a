"""A level cut down to a few pieces of its library: what is brought into another level."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..animations.animations import animation_models, model_animations
from ..animations.key_places import find_keys
from ..level.level import Level
from ..meshes.meshes import decode_meshes, encode_block
from ..new_levels.kit import kit_of


def cut_to(
    level: Level,
    models: Collection[int] = (),
    static_meshes: Collection[int] = (),
    sprites: Collection[int] = (),
) -> Level:
    """Return a level of the same game that has some pieces of another one's library, and nothing else.

    The pieces keep their ids; meshes, animations, object textures, sprite textures and pages get new numbers.
    An animation that led to one that is not there any more leads nowhere.

    Args:
        level: any level; it stays as it is.
        models: the ids of the models.
        static_meshes: the ids of the static meshes.
        sprites: the ids of the sprite sequences.

    Raises:
        ExportError: where the file holds texture pages only.
        FormatError: where its meshes are damaged.
    """
    cut = level.copy()
    if not level.has("models"):
        return kit_of(cut)
    stays = _first_of_each(level.models, models)
    cut.static_meshes = level.static_meshes[_first_of_each(level.static_meshes, static_meshes)].copy()
    _cut_animations(cut, stays)
    _cut_meshes(cut)
    _cut_sprites(cut, sprites)
    return kit_of(cut)


def _first_of_each(records: NDArray[Any], ids: Collection[int]) -> NDArray[np.int64]:
    """Return the rows of records with some ids: where a level holds one twice, games take the first."""
    found, rows = np.unique(records["id"], return_index=True)
    return np.sort(rows[np.isin(found, np.array(list(ids), np.int64))])


def _cut_animations(cut: Level, stays: NDArray[np.int64]) -> None:
    """Keep some models, by their rows, and their animations."""
    models, animations = cut.models, cut.animations
    first, count = model_animations(models, animations)
    own = np.unique(first[stays][first[stays] >= 0], return_index=True)[1]
    own = stays[first[stays] >= 0][own]
    kept = np.concatenate([np.arange(first[row], first[row] + count[row]) for row in own] or [stays[:0]])
    numbers = np.full(len(animations) + 1, -1, np.int64)  # the last one stands for all that are not there
    numbers[kept] = np.arange(len(kept))
    words = _cut_frames(cut, kept)
    cut.models = models[stays].copy()
    cut.models["frame_offset"] = _moved(cut.models["frame_offset"], words)
    has = first[stays] >= 0
    cut.models["animation"][has] = numbers[first[stays][has]]
    cut.models["animation"][~has] = 0xFFFF
    cut.animations = animations[kept].copy()
    cut.animations["frame_offset"] = _moved(cut.animations["frame_offset"], words)
    following = numbers[np.minimum(cut.animations["next_animation"].astype(np.int64), len(animations))]
    cut.animations["next_animation"] = np.where(following < 0, np.arange(len(kept)), following)
    cut.animation_dispatches = cut.animation_dispatches.copy()
    leads_to = cut.animation_dispatches["next_animation"].astype(np.int64)
    known = (leads_to >= 0) & (leads_to < len(animations))
    cut.animation_dispatches["next_animation"] = numbers[np.where(known, leads_to, len(animations))]


def _cut_frames(cut: Level, kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep the key frames of some animations; return where each word of the frames, and their end, is then.

    The key frames of an animation reach to the next ones, so none may be left behind the last one.
    """
    frames = cut.frames
    owned = animation_models(cut.models, cut.animations) >= 0
    places = find_keys(cut.game, frames, cut.animations, owned)
    is_kept = np.isin(np.repeat(np.arange(len(owned)), places.key_counts), kept)
    borders = np.zeros(len(frames) + 1, np.int64)
    np.add.at(borders, places.words[is_kept], 1)
    np.add.at(borders, (places.words + places.lengths)[is_kept], -1)
    stays = borders.cumsum()[:-1] > 0
    cut.frames = frames[stays]
    return np.append(0, stays.cumsum())


def _moved(offsets: NDArray[np.uint32], words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where offsets of key frames, in bytes, lead among the words that were kept."""
    found = offsets.astype(np.int64)
    even = found % 2 == 0
    return np.where(even, 2 * words[np.minimum(found // 2, len(words) - 1)], found)


def shares_animations(level: Level, model: int) -> int | None:
    """Return the id of the model whose animations a model has, too, or None where they are its own.

    Args:
        level: the level.
        model: the model's id.
    """
    rows = np.flatnonzero(level.models["id"] == model)
    first, _ = model_animations(level.models, level.animations)
    if not len(rows) or first[rows[0]] < 0:
        return None
    owner = int(animation_models(level.models, level.animations)[first[rows[0]]])
    return None if owner == rows[0] else int(level.models["id"][owner])


def _cut_meshes(cut: Level) -> None:
    """Keep the meshes that models and static meshes show."""
    block = decode_meshes(cut.game, cut.mesh_data, cut.mesh_pointers)
    first = cut.models["first_mesh"].astype(np.int64)
    count = cut.models["meshes"].astype(np.int64)
    spans = [np.arange(start, start + size) for start, size in zip(first, count, strict=True)]
    starts = np.cumsum([0, *count])
    entries = np.concatenate([*spans, cut.static_meshes["mesh"].astype(np.int64)])
    # What leads out of the list does so afterwards, too, and is told by whoever reads it.
    is_there = entries < len(block.pointers)
    pointers = block.pointers[entries[is_there]]
    used, numbers = np.unique(pointers, return_inverse=True)
    cut.mesh_data, cut.mesh_pointers = encode_block(
        [block.meshes[each].raw for each in used.tolist()], numbers.reshape(-1).astype(np.int32)
    )
    places = np.where(is_there, np.cumsum(is_there) - 1, 0xFFFF)
    cut.models["first_mesh"] = np.append(places, 0)[starts[:-1]]
    cut.static_meshes["mesh"] = places[starts[-1] :]


def _cut_sprites(cut: Level, sprites: Collection[int]) -> None:
    """Keep some sprite sequences, and the sprite textures that they show."""
    records = cut.sprite_sequences[_first_of_each(cut.sprite_sequences, sprites)].copy()
    first = records["first"].astype(np.int64)
    end = first - records["negative_length"].astype(np.int64)
    stays = np.zeros(len(cut.sprite_textures), np.bool_)
    for start, stop in zip(first.tolist(), end.tolist(), strict=True):
        stays[max(start, 0) : max(stop, 0)] = True
    numbers = np.cumsum(np.append(0, stays))
    records["first"] = numbers[np.clip(first, 0, len(stays))]
    cut.sprite_textures, cut.sprite_sequences = cut.sprite_textures[stays], records
