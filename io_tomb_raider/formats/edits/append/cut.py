"""Reducing a level to some pieces of its library, for kits and for import into another level."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...levels.animations.animations import (
    EVENT_NUMBER,
    PLAY_SOUND,
    animation_models,
    decode_commands,
    model_animations,
)
from ...levels.animations.edits import edit_animations
from ...levels.animations.plan import AnimationTables
from ...levels.level.level import Level
from ...levels.meshes.meshes import decode_meshes, encode_block
from ...levels.sounds.arrangement import Copied, arrange_samples
from ...levels.sounds.details import put_run, run_of
from ...levels.sounds.samples import SampleStorage, replace_samples, sample_count, sample_storage
from ...levels.views.decoded import Decoded
from ..new_levels.kit import kit_of
from ..references.renumbering import extend, positions, remove, renumber, used


@dataclass(frozen=True)
class PieceChoice:
    """The ids of the wanted pieces of a level; None for all of a kind.

    If a level has an id twice, its first is meant, as in the games.
    """

    models: frozenset[int] | None = None
    static_meshes: frozenset[int] | None = None
    sprites: frozenset[int] | None = None
    sounds: frozenset[int] | None = None


def cut_to(level: Level, choice: PieceChoice, *, follow: bool = False, world: bool = False) -> Level:
    """Return a level of the same game with some pieces of another one's library, and an empty world.

    The pieces keep their ids; meshes, animations, object textures, sprite textures and pages are renumbered.
    Sounds that animations play are kept. Mesh trees keep their offsets.

    Args:
        follow: whether to keep animations of other models that the wanted ones refer to. Otherwise an
            animation followed by one of them repeats, and such state changes lose their transitions.
        world: whether to keep rooms with their contents, textures and sprites.

    Raises:
        ExportError: if the file has texture pages only.
        FormatError: if its meshes are damaged.
    """
    cut = level.copy() if world and level.has("models") else kit_of(level)
    if choice == PieceChoice():
        return cut
    if choice.models is not None:
        _cut_models(cut, _first_of_each(cut.models, choice.models), follow=follow)
    if choice.static_meshes is not None:
        rows = _first_of_each(cut.static_meshes, choice.static_meshes)
        cut.static_meshes = cut.static_meshes[rows]
    cut_meshes(cut)
    if choice.sprites is not None and not world:
        cut.sprite_sequences = cut.sprite_sequences[_first_of_each(cut.sprite_sequences, choice.sprites)]
        remove(cut, "sprite_textures", used(cut, "sprite_textures", "sprite_sequences"))
    if choice.sounds is not None:
        cut_sounds(cut, choice.sounds | played_sounds(cut))
    return cut if world else kit_of(cut)


def shares_animations(level: Level, model: int) -> int | None:
    """Return the id of the model whose animations a model shares, or None if it has its own."""
    rows = np.flatnonzero(level.models["id"] == model)
    first, _ = model_animations(level.models, level.animations)
    if not len(rows) or first[rows[0]] < 0:
        return None
    owner = int(animation_models(level.models, level.animations)[first[rows[0]]])
    return None if owner == rows[0] else int(level.models["id"][owner])


def _first_of_each(records: NDArray[np.void], ids: Collection[int]) -> Ints:
    """Return the rows of records with some ids; of duplicates the first, as in the games."""
    known_ids, rows = np.unique(records["id"], return_index=True)
    return np.sort(rows[np.isin(known_ids, np.array(list(ids), np.int64))])


def _cut_models(cut: Level, rows: Ints, *, follow: bool) -> None:
    """Keep some models and their animations."""
    if len(rows) == len(cut.models):
        return
    first, count = model_animations(cut.models, cut.animations)
    is_kept = np.zeros(len(cut.animations), np.bool_)
    for start, size in zip(first[rows].tolist(), count[rows].tolist(), strict=True):
        is_kept[max(start, 0) : max(start, 0) + size] = True
    if follow:  # for example, vehicles refer to Lara's animations
        kept_rows = {"animations": is_kept}
        for name in ("state_changes", "animation_dispatches"):
            kept_rows[name] = np.zeros(len(getattr(cut, name)), np.bool_)
        extend(Decoded(cut), kept_rows)
        is_kept = kept_rows["animations"]
    else:
        _drop_references(cut, is_kept)
    # Frame numbers count through the animations of a model, so all models stay until these are deleted.
    tables = AnimationTables.of(cut)
    edit_animations(cut.game, tables, deleted=np.flatnonzero(~is_kept).tolist()).store(cut)
    cut.models = cut.models[rows]


def _drop_references(cut: Level, is_kept: Bools) -> None:
    """Remove references to animations that are not marked."""
    count = len(is_kept)
    cut.animations = cut.animations.copy()
    following = cut.animations["next_animation"].astype(np.int64)
    rows = np.flatnonzero((following < count) & ~is_kept[np.minimum(following, count - 1)])
    cut.animations["next_animation"][rows] = rows
    cut.animations["next_frame"][rows] = cut.animations["first_frame"][rows]
    cut.animation_dispatches = cut.animation_dispatches.copy()
    targets = cut.animation_dispatches["next_animation"].astype(np.int64)
    is_lost = (targets >= 0) & (targets < count)
    is_lost[is_lost] = ~is_kept[targets[is_lost]]
    cut.animation_dispatches["next_animation"][is_lost] = -1


def cut_meshes(cut: Level) -> None:
    """Remove the meshes that neither models nor static meshes use, in place."""
    is_used = used(cut, "mesh_pointers", "models", "static_meshes")
    if is_used.all():
        return
    block = decode_meshes(cut.game, cut.mesh_data, cut.mesh_pointers)
    offsets, pointers = np.unique(block.pointers[is_used], return_inverse=True)
    encoded = [block.meshes[index].raw for index in offsets.tolist()]
    cut.mesh_data, cut.mesh_pointers = encode_block(encoded, pointers.reshape(-1).astype(np.int32))
    renumber(cut, "mesh_pointers", positions(is_used))


def played_sounds(level: Level) -> frozenset[int]:
    """Return the sounds that the animations of a level play, by their numbers in the sound map."""
    sounds = set()
    for record in level.animations:  # each has its own stream of commands
        stream, first = level.animation_commands, int(record["first_command"])
        for command in decode_commands(stream, first, int(record["commands"])):
            if command.type == PLAY_SOUND:
                sounds.add(EVENT_NUMBER.of(command.operands[1]))
    return frozenset(sounds)


def cut_sounds(level: Level, wanted: Collection[int]) -> None:
    """Keep some sounds of a level, by their numbers in the sound map, with their samples, in place."""
    details, count = level.sound_details, len(level.sound_details)
    numbers = level.sound_map.astype(np.int64)
    is_kept = np.isin(np.arange(len(numbers)), list(wanted)) & (numbers >= 0) & (numbers < count)
    kept_rows = np.unique(numbers[is_kept])
    arrangement = arrange_samples(
        sample_count(level),
        [run_of(record) for record in details],
        [(row, list(run_of(details[row]))) for row in kept_rows.tolist()],
        ascending=sample_storage(level) is SampleStorage.MAIN_SFX,
    )
    entries = [entry.index if isinstance(entry, Copied) else entry for entry in arrangement.entries]
    samples = [entry for entry in entries if isinstance(entry, int)]
    records = details[kept_rows].copy()
    for record, (first, size), row in zip(records, arrangement.runs, kept_rows.tolist(), strict=True):
        put_run(record, first, size, f"sound {row}")
    if sample_storage(level) is SampleStorage.MAIN_SFX:
        level.sample_indices = level.sample_indices[samples]
    elif len(samples) < sample_count(level):
        replace_samples(level, samples)
    level.sound_details = records
    level.sound_map = np.where(is_kept, np.searchsorted(kept_rows, numbers), -1).astype(level.sound_map.dtype)
