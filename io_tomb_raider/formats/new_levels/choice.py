"""A part of a kit: some of its models, static meshes, sprites and sounds, with what these need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..animations.animations import PLAY_SOUND, decode_commands, decode_state_changes, model_animations
from ..animations.edits import edit_animations
from ..animations.plan import AnimationTables
from ..level.level import Level
from ..meshes.meshes import decode_meshes, encode_block
from ..sounds.details import Copied, arrange_samples, put_run, run_of
from ..sounds.samples import Home, home_of, replace_samples, sample_count
from .kit import kit_of

_SOUND = 0x3FFF  # of the operand of a command: the higher bits say where it is heard


@dataclass(frozen=True)
class Choice:
    """Which of a kit's things are wanted, by their ids; None for all."""

    models: frozenset[int] | None = None
    static_meshes: frozenset[int] | None = None
    sprites: frozenset[int] | None = None
    sounds: frozenset[int] | None = None


def part_of(level: Level, choice: Choice) -> Level:
    """Return a kit of a level with what is wanted of it alone.

    Animations of models go with them, but for those that others lead to; sounds that animations play stay;
    textures and pages go that nothing shows any more. Mesh trees keep their places.

    Args:
        level: any level; it stays as it is.
        choice: what is wanted.

    Raises:
        ExportError: where the file holds texture pages only.
        FormatError: where its meshes are damaged.
    """
    kit = kit_of(level)
    if choice == Choice():
        return kit
    if choice.models is not None:
        _keep_models(kit, choice.models)
    if choice.static_meshes is not None:
        kit.static_meshes = kit.static_meshes[np.isin(kit.static_meshes["id"], list(choice.static_meshes))]
    _drop_meshes(kit)
    if choice.sprites is not None:
        _keep_sprites(kit, choice.sprites)
    if choice.sounds is not None:
        _keep_sounds(kit, choice.sounds | _played(kit))
    return kit_of(kit)


def _keep_models(kit: Level, wanted: frozenset[int]) -> None:
    """Keep some models and their animations."""
    stays = np.isin(kit.models["id"], list(wanted))
    if stays.all():
        return
    first, count = model_animations(kit.models, kit.animations)
    animations = np.zeros(len(kit.animations), np.bool_)
    for start, size in zip(first[stays].tolist(), count[stays].tolist(), strict=True):
        animations[start : start + size] = True
    _follow(kit, animations)
    # Frames count on through the animations of a model, so all models are there while some of these go.
    tables = AnimationTables.of(kit)
    edit_animations(kit.game, tables, deleted=np.flatnonzero(~animations).tolist()).store(kit)
    kit.models = kit.models[stays]


def _follow(kit: Level, stays: NDArray[np.bool_]) -> None:
    """Mark what the animations that are marked lead to: vehicles lead to Lara's, for one."""
    left = np.flatnonzero(stays).tolist()
    while left:  # each animation once, and it leads to few others
        number = left.pop()
        changes = decode_state_changes(kit.animations, kit.state_changes, kit.animation_dispatches, number)
        found = [int(kit.animations["next_animation"][number])]
        for change in changes:
            found += [
                each.next_animation for each in change.dispatches if isinstance(each.next_animation, int)
            ]
        new = [each for each in found if 0 <= each < len(stays) and not stays[each]]
        stays[new] = True
        left += set(new)


def _drop_meshes(kit: Level) -> None:
    """Leave out the meshes that neither models nor static meshes have."""
    count = len(kit.mesh_pointers)
    used = np.zeros(count, np.bool_)
    for start, size in zip(kit.models["first_mesh"].tolist(), kit.models["meshes"].tolist(), strict=True):
        used[start : start + size] = True
    used[kit.static_meshes["mesh"][kit.static_meshes["mesh"] < count]] = True
    if used.all():
        return
    block = decode_meshes(kit.game, kit.mesh_data, kit.mesh_pointers)
    kept, pointers = np.unique(block.pointers[used], return_inverse=True)
    encoded = [block.meshes[each].raw for each in kept.tolist()]
    kit.mesh_data, kit.mesh_pointers = encode_block(encoded, pointers.reshape(-1).astype(np.int32))
    places = np.append(np.cumsum(used) - used, used.sum())  # also of what is not there
    for name, field in (("models", "first_mesh"), ("static_meshes", "mesh")):
        records = getattr(kit, name).copy()
        records[field] = places[np.minimum(records[field], count)]
        setattr(kit, name, records)


def _keep_sprites(kit: Level, wanted: frozenset[int]) -> None:
    count = len(kit.sprite_textures)
    sequences = kit.sprite_sequences[np.isin(kit.sprite_sequences["id"], list(wanted))].copy()
    used = np.zeros(count, np.bool_)
    for record in sequences:
        used[int(record["first"]) : int(record["first"]) - int(record["negative_length"])] = True
    places = np.append(np.cumsum(used) - used, used.sum())
    sequences["first"] = places[np.clip(sequences["first"], 0, count)]
    kit.sprite_sequences, kit.sprite_textures = sequences, kit.sprite_textures[used]


def _played(kit: Level) -> frozenset[int]:
    """Return the sounds that animations play, by their numbers in the sound map."""
    found = set()
    for record in kit.animations:
        stream, first = kit.animation_commands, int(record["first_command"])
        for command in decode_commands(stream, first, int(record["commands"])):
            if command.type == PLAY_SOUND:
                found.add(command.operands[1] & _SOUND)
    return frozenset(found)


def _keep_sounds(kit: Level, wanted: frozenset[int]) -> None:
    """Keep some sounds, with their samples."""
    details, count = kit.sound_details, len(kit.sound_details)
    numbers = kit.sound_map.astype(np.int64)
    stays = np.isin(np.arange(len(numbers)), list(wanted)) & (numbers >= 0) & (numbers < count)
    kept = np.unique(numbers[stays])
    arrangement = arrange_samples(
        sample_count(kit),
        [run_of(record) for record in details],
        [(row, list(run_of(details[row]))) for row in kept.tolist()],
        ascending=home_of(kit) is Home.MAIN_SFX,
    )
    entries = [each.index if isinstance(each, Copied) else each for each in arrangement.entries]
    rows = [each for each in entries if isinstance(each, int)]
    records = details[kept].copy()
    for record, (first, size), row in zip(records, arrangement.runs, kept.tolist(), strict=True):
        put_run(record, first, size, f"sound {row}")
    if home_of(kit) is Home.MAIN_SFX:
        kit.sample_indices = kit.sample_indices[rows]
    elif len(rows) < sample_count(kit):
        replace_samples(kit, rows)
    kit.sound_details = records
    kit.sound_map = np.where(stays, np.searchsorted(kept, numbers), -1).astype(kit.sound_map.dtype)
