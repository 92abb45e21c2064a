"""Adding the models, static meshes and sprites of one level to another level of the same game.

The pieces keep their ids. Meshes, animations, object textures, sprites and pages get the numbers after those
of the level, so everything else keeps its numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..animations.animations import NO_ANIMATION
from ..base.messages import T
from ..base.records import U16
from ..errors import ExportError
from ..level.level import Level
from ..meshes.meshes import MeshBlock, decode_meshes, encode_block, encode_mesh
from ..textures.face_words import mesh_texture_mask
from ..textures.object_textures import BUMP, PAGE_MASK

_PAGE_FORMS = ("textiles8", "textiles16", "textiles32")


def join_objects(level: Level, piece: Level) -> None:
    """Add the library of a piece to a level, which is modified.

    Pages are appended as those of objects, so the level must not have bumped pages. Games with a palette
    share that of the level.

    Args:
        level: the level.
        piece: a level of the same game with an empty world (:func:`.cut.cut_to`); its records are modified.

    Raises:
        ExportError: if there are too many of something.
    """
    first_texture = join_textures(level, piece)
    _join_sprites(level, piece)
    piece.models, piece.static_meshes = piece.models.copy(), piece.static_meshes.copy()
    join_meshes(level, piece, first_texture)
    join_animations(level, piece)
    level.mesh_trees = np.concatenate([level.mesh_trees, piece.mesh_trees])
    level.models = np.concatenate([level.models, piece.models])
    level.static_meshes = np.concatenate([level.static_meshes, piece.static_meshes])


def join_textures(level: Level, piece: Level) -> int:
    """Add the object textures of a piece and their pages; return the number of the first.

    Sprites of the piece follow their pages to their new numbers.
    """
    first = len(level.object_textures)
    forms = [name for name in _PAGE_FORMS if name in vars(level)]
    pages, count = len(getattr(level, forms[0])), len(getattr(piece, forms[0]))
    mask = PAGE_MASK if level.game.traits.has_texture_flags else 0xFFFF
    records, sprites = piece.object_textures.copy(), piece.sprite_textures.copy()
    used = [(each["page"] & np.uint16(mask)).astype(np.int64) for each in (records, sprites)]
    together = np.concatenate(used)
    shown = np.unique(together[together < count])
    for each, page in zip((records, sprites), used, strict=True):
        is_there = page < count
        page[is_there] = pages + np.searchsorted(shown, page[is_there])
        each["page"] = page.astype(U16) | (each["page"] & np.uint16(~mask & 0xFFFF))
    if level.game.traits.has_bump:
        records["flags"] = BUMP.put(records["flags"], 0)
    piece.sprite_textures = sprites
    level.object_textures = np.concatenate([level.object_textures, records])
    for name in forms:
        setattr(level, name, np.concatenate([getattr(level, name), getattr(piece, name)[shown]]))
    if level.game.traits.has_32bit_pages:
        level.object_textiles += len(shown)
    return first


def _join_sprites(level: Level, piece: Level) -> None:
    sequences = piece.sprite_sequences.copy()
    sequences["first"] = _moved(sequences["first"], len(level.sprite_textures))
    level.sprite_textures = np.concatenate([level.sprite_textures, piece.sprite_textures])
    level.sprite_sequences = np.concatenate([level.sprite_sequences, sequences])


def join_meshes(level: Level, piece: Level, first_texture: int) -> None:
    """Add the meshes of a piece, whose models and static meshes follow them to their new numbers.

    Args:
        level: the level.
        piece: the piece; its models and static meshes must be writable.
        first_texture: the number of its first object texture in the level.
    """
    game, mask = level.game, mesh_texture_mask(level.game)
    block: MeshBlock = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    new = decode_meshes(game, piece.mesh_data, piece.mesh_pointers)
    encoded = [mesh.raw for mesh in block.meshes]
    for number, mesh in enumerate(new.meshes):
        for faces in ("quads", "triangles"):
            records = getattr(mesh, faces).copy()
            index = (records["texture"] & mask).astype(np.int64) + first_texture
            if len(index) and int(index.max()) > mask:
                raise ExportError("textures", T("there are too many uses of textures"), limit=mask)
            records["texture"] = (records["texture"] & np.uint16(~mask & 0xFFFF)) | index.astype(U16)
            setattr(mesh, faces, records)
        encoded.append(encode_mesh(game, mesh, f"mesh {number}"))
    pointers = np.concatenate([block.pointers, new.pointers + len(block.meshes)])
    piece.models["first_mesh"] += len(block.pointers)
    piece.static_meshes["mesh"] += len(block.pointers)
    level.mesh_data, level.mesh_pointers = encode_block(encoded, pointers.astype(np.int32))


def join_animations(level: Level, piece: Level) -> None:
    """Add the animations of a piece, and set the first animations, frames and trees of its models."""
    animations, changes = piece.animations.copy(), piece.state_changes.copy()
    dispatches = piece.animation_dispatches.copy()
    count = len(level.animations)
    animations["frame_offset"] += 2 * len(level.frames)
    for name, others in (
        ("next_animation", count),
        ("first_state_change", len(level.state_changes)),
        ("first_command", len(level.animation_commands)),
    ):
        animations[name] = _moved(animations[name], others)
    changes["first_dispatch"] = _moved(changes["first_dispatch"], len(level.animation_dispatches))
    dispatches["next_animation"] = _moved(dispatches["next_animation"], count)
    has = piece.models["animation"] != NO_ANIMATION
    piece.models["animation"][has] += np.uint16(count)
    piece.models["frame_offset"] += 2 * len(level.frames)
    piece.models["mesh_tree"] += len(level.mesh_trees)
    level.frames = np.concatenate([level.frames, piece.frames])
    level.animation_commands = np.concatenate([level.animation_commands, piece.animation_commands])
    level.state_changes = np.concatenate([level.state_changes, changes])
    level.animation_dispatches = np.concatenate([level.animation_dispatches, dispatches])
    level.animations = np.concatenate([level.animations, animations])


def _moved(values: NDArray[Any], by: int) -> NDArray[Any]:
    """Return numbers plus an offset, checked against their type."""
    info = np.iinfo(values.dtype)
    moved = values.astype(np.int64) + by
    if len(moved) and int(moved.max()) > info.max:
        raise ExportError(T("animations"), T("a WAD cannot contain so many"), limit=int(info.max))
    return moved.astype(values.dtype)
