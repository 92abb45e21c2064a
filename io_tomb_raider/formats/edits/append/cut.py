"""Reducing a level to some pieces of its library, for kits and for import into another level."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...levels.animations.animations import animation_models, model_animations
from ...levels.animations.edits import edit_animations
from ...levels.animations.plan import AnimationTables
from ...levels.level.level import Level
from ...levels.meshes.meshes import decode_meshes, encode_block
from ...levels.views.decoded import Decoded
from ..new_levels.kit import kit_of
from ..references.renumbering import extend, positions, remove, renumber, used
from .cut_sounds import cut_sounds, played_sounds


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
        _cut_sprites(cut, choice.sprites)
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


def _first_of_each(records: NDArray[np.void], ids: Collection[int]) -> NDArray[np.int64]:
    """Return the rows of records with some ids; of duplicates the first, as in the games."""
    found, rows = np.unique(records["id"], return_index=True)
    return np.sort(rows[np.isin(found, np.array(list(ids), np.int64))])


def _cut_models(cut: Level, rows: NDArray[np.int64], *, follow: bool) -> None:
    """Keep some models and their animations."""
    if len(rows) == len(cut.models):
        return
    first, count = model_animations(cut.models, cut.animations)
    stays = np.zeros(len(cut.animations), np.bool_)
    for start, size in zip(first[rows].tolist(), count[rows].tolist(), strict=True):
        stays[max(start, 0) : max(start, 0) + size] = True
    if follow:
        stays = _with_following(cut, stays)
    else:
        _drop_references(cut, stays)
    # Frame numbers count through the animations of a model, so all models stay until these are deleted.
    tables = AnimationTables.of(cut)
    edit_animations(cut.game, tables, deleted=np.flatnonzero(~stays).tolist()).store(cut)
    cut.models = cut.models[rows]


def _with_following(cut: Level, stays: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return marked animations and all that they refer to: for example, vehicles refer to Lara's."""
    kept = {"animations": stays}
    for name in ("state_changes", "animation_dispatches"):
        kept[name] = np.zeros(len(getattr(cut, name)), np.bool_)
    extend(Decoded(cut), kept)
    return kept["animations"]


def _drop_references(cut: Level, stays: NDArray[np.bool_]) -> None:
    """Remove references to animations that are not marked."""
    count = len(stays)
    cut.animations = cut.animations.copy()
    following = cut.animations["next_animation"].astype(np.int64)
    lost = np.flatnonzero((following < count) & ~stays[np.minimum(following, count - 1)])
    cut.animations["next_animation"][lost] = lost
    cut.animations["next_frame"][lost] = cut.animations["first_frame"][lost]
    cut.animation_dispatches = cut.animation_dispatches.copy()
    leads_to = cut.animation_dispatches["next_animation"].astype(np.int64)
    known = (leads_to >= 0) & (leads_to < count)
    known[known] = ~stays[leads_to[known]]
    cut.animation_dispatches["next_animation"][known] = -1


def cut_meshes(cut: Level) -> None:
    """Remove the meshes that neither models nor static meshes use, in place."""
    stays = used(cut, "mesh_pointers", "models", "static_meshes")
    if stays.all():
        return
    block = decode_meshes(cut.game, cut.mesh_data, cut.mesh_pointers)
    kept, pointers = np.unique(block.pointers[stays], return_inverse=True)
    encoded = [block.meshes[each].raw for each in kept.tolist()]
    cut.mesh_data, cut.mesh_pointers = encode_block(encoded, pointers.reshape(-1).astype(np.int32))
    renumber(cut, "mesh_pointers", positions(stays))


def _cut_sprites(cut: Level, sprites: Collection[int]) -> None:
    """Keep some sprite sequences, and the sprite textures that they use."""
    cut.sprite_sequences = cut.sprite_sequences[_first_of_each(cut.sprite_sequences, sprites)]
    remove(cut, "sprite_textures", used(cut, "sprite_textures", "sprite_sequences"))
