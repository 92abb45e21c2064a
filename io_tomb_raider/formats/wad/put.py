"""Insertion of one model or one animation into the level of a WAD; everything else keeps its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..animations.animations import NO_ANIMATION, decode_commands, model_animations
from ..animations.edits import edit_animations
from ..animations.frames import decode_frames, encode_frames
from ..animations.plan import AnimationEdit, AnimationTables
from ..appending.cut import PieceChoice, cut_meshes, cut_to
from ..base.messages import T
from ..base.records import U16
from ..errors import ExportError
from ..games import Game
from ..level.level import Level
from ..meshes.meshes import MeshBlock, decode_meshes, encode_block, encode_mesh
from ..models.mesh_trees import NODE_WORDS
from ..textures.face_words import mesh_texture_mask
from ..textures.object_textures import TRIANGLE_BIT
from .order import in_model_order

_GAME = Game.TR4
_MASK = mesh_texture_mask(_GAME)


def put_model(target: Level, source: Level, model: int, to: int) -> Level:
    """Return a level of objects with a model of another one, replacing the one with that number.

    Args:
        target: the level of a WAD; it is not modified.
        source: a level of TR4.
        model: the number of the model there.
        to: its number in the WAD.

    Raises:
        ExportError: if there is no such model, or other animations refer to those of the replaced one.
    """
    piece = cut_to(source, PieceChoice(frozenset({model}), frozenset(), frozenset()))
    if not len(piece.models):
        raise ExportError(T("model {number}", number=model), T("the file has no model of this number"))
    piece.models = piece.models[:1].copy()
    piece.models["id"] = to
    first = int(piece.models["mesh_tree"][0])
    piece.mesh_trees = piece.mesh_trees[first:][: NODE_WORDS * max(int(piece.models["meshes"][0]) - 1, 0)]
    piece.models["mesh_tree"] = 0
    result = target.copy()
    _delete_model(result, to)
    first_texture = _join_textures(result, piece)
    _join_meshes(result, piece, first_texture)
    _join_animations(result, piece)
    result.mesh_trees = np.concatenate([result.mesh_trees, piece.mesh_trees])
    result.models = np.concatenate([result.models, piece.models])
    return in_model_order(result)


def _delete_model(level: Level, number: int) -> None:
    """Delete the models of a number, with the animations and meshes that only they use."""
    gone = level.models["id"] == number
    if not gone.any():
        return
    first, count = model_animations(level.models, level.animations)
    used = {int(each) for each in first[~gone]}
    rows = np.flatnonzero(gone & (first >= 0))
    deleted = [index for row in rows for index in range(first[row], first[row] + count[row])]
    deleted = [] if any(int(first[row]) in used for row in rows) else deleted
    edit_animations(_GAME, AnimationTables.of(level), deleted=deleted).store(level)
    level.models = level.models[~gone]
    cut_meshes(level)


def _join_textures(level: Level, piece: Level) -> int:
    """Add the object textures of a piece and their pages; return the number of the first."""
    first, pages = len(level.object_textures), len(level.textiles32)
    records = piece.object_textures.copy()
    used = records["page"] & ~np.uint16(TRIANGLE_BIT)
    shown, numbers = np.unique(used[used < len(piece.textiles32)], return_inverse=True)
    is_there = used < len(piece.textiles32)
    page = used.astype(np.int64)
    page[is_there] = pages + numbers.reshape(-1)
    records["page"] = page.astype(U16) | (records["page"] & np.uint16(TRIANGLE_BIT))
    level.object_textures = np.concatenate([level.object_textures, records])
    level.textiles32 = np.concatenate([level.textiles32, piece.textiles32[shown]])
    level.textiles16 = np.concatenate([level.textiles16, piece.textiles16[shown]])
    level.object_textiles += len(shown)
    return first


def _join_meshes(level: Level, piece: Level, first_texture: int) -> None:
    block: MeshBlock = decode_meshes(_GAME, level.mesh_data, level.mesh_pointers)
    new = decode_meshes(_GAME, piece.mesh_data, piece.mesh_pointers)
    encoded = [mesh.raw for mesh in block.meshes]
    for number, mesh in enumerate(new.meshes):
        for faces in ("quads", "triangles"):
            records = getattr(mesh, faces).copy()
            index = (records["texture"] & _MASK).astype(np.int64) + first_texture
            if len(index) and int(index.max()) > _MASK:
                raise ExportError("textures", T("there are too many uses of textures"), limit=_MASK)
            records["texture"] = (records["texture"] & ~np.uint16(_MASK)) | index.astype(U16)
            setattr(mesh, faces, records)
        encoded.append(encode_mesh(_GAME, mesh, f"mesh {number}"))
    pointers = np.concatenate([block.pointers, new.pointers + len(block.meshes)])
    piece.models["first_mesh"] += len(block.pointers)
    level.mesh_data, level.mesh_pointers = encode_block(encoded, pointers.astype(np.int32))


def _join_animations(level: Level, piece: Level) -> None:
    """Append the animations of a piece, and set the first animation of its model."""
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
        raise ExportError(T("animations"), T("a WAD cannot hold so many"), limit=int(info.max))
    return moved.astype(values.dtype)


def put_animation(
    target: Level, source: Level, what: tuple[int, int], to: tuple[int, int]
) -> tuple[Level, int]:
    """Return a level of objects with an animation of another one, and its number there.

    A replaced animation keeps its next animation and state changes, which refer to the same file. A number
    out of range appends a new animation.

    Args:
        target: the level of a WAD; it is not modified.
        source: a level of TR4.
        what: the number of the model there, and of its animation.
        to: the same in the WAD.

    Raises:
        ExportError: if there is no such animation or model, or their bones are not the same.
    """
    first, _, bones = _find(source, what[0])
    start, count, others = _find(target, to[0])
    if bones != others:
        problem = T(
            "the animation has {bones} bones, and the model in the file has {others}",
            bones=bones,
            others=others,
        )
        raise ExportError(T("animation {number}", number=what[1]), problem)
    index = first + what[1]
    record = source.animations[index]
    keys = decode_frames(_GAME, source.frames, source.animations, source.models).keys(index)
    first_frame = int(record["first_frame"])
    begin, amount = int(record["first_command"]), int(record["commands"])
    commands = decode_commands(source.animation_commands, begin, amount, first_frame=first_frame)
    edit = AnimationEdit(
        frames=encode_frames(_GAME, keys),
        frame_rate=int(record["frame_rate"]),
        ticks=int(record["last_frame"]) - first_frame,
        state=int(record["state"]),
        speed=int(record["speed"]),
        acceleration=int(record["acceleration"]),
        lateral_speed=int(record["lateral_speed"]),
        lateral_acceleration=int(record["lateral_acceleration"]),
        commands=commands,
    )
    result = target.copy()
    tables = AnimationTables.of(result)
    number = to[1] if 0 <= to[1] < count else count
    if number < count:
        edited = edit_animations(_GAME, tables, {start + number: edit})
    else:
        row = int(np.flatnonzero(target.models["id"] == to[0])[0])
        edited = edit_animations(_GAME, tables, added={row: [edit]})
    edited.store(result)
    return result, number


def _find(level: Level, model: int) -> tuple[int, int, int]:
    """Return the first animation of a model, its number of animations, and of bones."""
    rows = np.flatnonzero(level.models["id"] == model)
    if not len(rows):
        raise ExportError(T("model {number}", number=model), T("the file has no model of this number"))
    first, count = model_animations(level.models, level.animations)
    row = int(rows[0])
    return int(first[row]), int(count[row]), int(level.models["meshes"][row])
