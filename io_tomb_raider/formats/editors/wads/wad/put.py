"""Insertion of one model or one animation into the level of a WAD; everything else keeps its numbers."""

from __future__ import annotations

import numpy as np

from ....base.errors import ExportError
from ....base.games import Game
from ....base.messages import T
from ....edits.append.cut import PieceChoice, cut_meshes, cut_to
from ....edits.append.join import join_animations, join_meshes, join_textures
from ....levels.animations.animations import decode_commands, model_animations
from ....levels.animations.edits import edit_animations
from ....levels.animations.frames import decode_frames, encode_frames
from ....levels.animations.plan import AnimationEdit, AnimationTables
from ....levels.level.level import Level
from ....levels.models.mesh_trees import NODE_WORDS
from .order import in_model_order

_GAME = Game.TR4


def put_model(target: Level, source: Level, model: int, to: int) -> Level:
    """Return a level of objects with a model of another one, replacing the one with that number.

    Args:
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
    join_textures(result, piece)
    join_meshes(result, piece)
    join_animations(result, piece)
    result.models = np.concatenate([result.models, piece.models])
    return in_model_order(result)


def _delete_model(level: Level, number: int) -> None:
    """Delete the models of a number, with the animations and meshes that only they use."""
    is_deleted = level.models["id"] == number
    if not is_deleted.any():
        return
    first, count = model_animations(level.models, level.animations)
    kept_starts = {int(each) for each in first[~is_deleted]}
    rows = np.flatnonzero(is_deleted & (first >= 0))
    deleted = [index for row in rows for index in range(first[row], first[row] + count[row])]
    deleted = [] if any(int(first[row]) in kept_starts for row in rows) else deleted
    edit_animations(_GAME, AnimationTables.of(level), deleted=deleted).store(level)
    level.models = level.models[~is_deleted]
    cut_meshes(level)


def put_animation(
    target: Level, source: Level, source_place: tuple[int, int], place: tuple[int, int]
) -> tuple[Level, int]:
    """Return a level of objects with an animation of another one, and its number there.

    A replaced animation keeps its next animation and state changes, which refer to the same file. A number
    out of range appends a new animation.

    Args:
        source: a level of TR4.
        source_place: the number of the model there, and of its animation.
        place: the same in the WAD.

    Raises:
        ExportError: if there is no such animation or model, or their bones are not the same.
    """
    first, _, bones = _find(source, source_place[0])
    start, count, target_bones = _find(target, place[0])
    if bones != target_bones:
        problem = T(
            "the animation has {bones} bones, and the model in the file has {others}",
            bones=bones,
            others=target_bones,
        )
        raise ExportError(T("animation {number}", number=source_place[1]), problem)
    index = first + source_place[1]
    record = source.animations[index]
    keys = decode_frames(_GAME, source.frames, source.animations, source.models).keys(index)
    first_frame = int(record["first_frame"])
    first_command, command_count = int(record["first_command"]), int(record["commands"])
    stream = source.animation_commands
    commands = decode_commands(stream, first_command, command_count, first_frame=first_frame)
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
    number = place[1] if 0 <= place[1] < count else count
    if number < count:
        edited = edit_animations(_GAME, tables, {start + number: edit})
    else:
        row = int(np.flatnonzero(target.models["id"] == place[0])[0])
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
