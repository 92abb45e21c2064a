"""Generated animations for tests, encoded and decoded word by word, independently of the code under test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import (
    ANIMATION_DISPATCH,
    ANIMATION_RECORD,
    MODEL_RECORD,
    STATE_CHANGE,
)
from io_tomb_raider.formats.levels.animations.animations import (
    decode_commands,
    decode_state_changes,
    model_animations,
)
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.animations.plan import AnimationTables

Angles = tuple[int, int, int]


def spell_rotation(game: Game, angles: Angles) -> list[int]:
    """Return the words of a rotation given in 1/65536 turns, as documented (chapter 6.2.7)."""
    x, y, z = (angle >> 6 for angle in angles)
    high, low = x << 4 | y >> 6, (y & 63) << 10 | z
    if game == Game.TR1:
        return [low, high]
    turned = [axis for axis in range(3) if angles[axis]]
    if len(turned) > 1:
        return [high, low]
    axis = turned[0] if turned else 2
    return [(axis + 1) << 14 | (angles[axis] >> (4 if game >= Game.TR4 else 6))]


def read_rotations(game: Game, words: Sequence[int], count: int) -> list[Angles]:
    """Return the rotations of words, in 1/65536 turns: all complete ones, at most `count`."""
    result: list[Angles] = []
    position = 0
    while len(result) < count and position < len(words):
        word = words[position]
        if game != Game.TR1 and word >= 0x4000:
            value = (word & 0xFFF) << 4 if game >= Game.TR4 else (word & 0x3FF) << 6
            angles = [0, 0, 0]
            angles[(word >> 14) - 1] = value
            result.append((angles[0], angles[1], angles[2]))
            position += 1
            continue
        if position + 1 == len(words):
            break
        pair = (words[position], words[position + 1])
        high, low = pair[::-1] if game == Game.TR1 else pair
        x, y, z = high >> 4 & 0x3FF, (high & 15) << 6 | low >> 10, low & 0x3FF
        result.append((x << 6, y << 6, z << 6))
        position += 2
    return result


def key_words(game: Game, head: Sequence[int], rotations: Sequence[Angles]) -> list[int]:
    """Return one key frame without padding: nine words of box and position, and the rotations."""
    words = [value & 0xFFFF for value in head]
    if game == Game.TR1:
        words.append(len(rotations))
    return words + [word for angles in rotations for word in spell_rotation(game, angles)]


def records(dtype: np.dtype, rows: Sequence[dict[str, int]]) -> NDArray[Any]:
    """Return records with some fields set and the rest 0."""
    result = np.zeros(len(rows), dtype)
    for index, row in enumerate(rows):
        for name, value in row.items():
            result[name][index] = value
    return result


def random_angles(game: Game, rng: np.random.Generator) -> Angles:
    """Return angles that the game can store: about zero to three axes."""
    coarse = [int(value) * 64 for value in rng.integers(0, 1024, 3)]
    turned = int(rng.integers(0, 4))
    if turned == 1:
        step = 16 if game >= Game.TR4 else 64
        angles = [0, 0, 0]
        angles[int(rng.integers(3))] = int(rng.integers(65536 // step)) * step
    else:
        angles = [value if axis < turned else 0 for axis, value in enumerate(coarse)]
    return angles[0], angles[1], angles[2]


def make_tables(game: Game, seed: int, members: Sequence[int] = (2, 0, 3, 1)) -> AnimationTables:
    """Return the animations of a generated level, as the original tools write them.

    Args:
        game: the game.
        seed: of the random numbers.
        members: the number of animations of each model; 0 makes a model whose animation is 0xFFFF.
    """
    rng = np.random.default_rng(seed)
    total = sum(members)
    lengths = [int(rng.integers(0, 7)) for _ in range(total)]
    firsts = []
    for number in members:
        start = 0
        for _ in range(number):
            firsts.append(start)
            start += lengths[len(firsts) - 1] + 1
    frames: list[int] = []
    animations: list[dict[str, int]] = []
    changes: list[dict[str, int]] = []
    dispatches: list[dict[str, int]] = []
    stream: list[int] = []
    models: list[dict[str, int]] = []
    for model, number in enumerate(members):
        meshes = int(rng.integers(1, 4))
        row = {"id": 10 * model, "meshes": meshes, "frame_offset": 2 * len(frames)}
        models.append(row | {"animation": len(animations) if number else 0xFFFF})
        for _ in range(number):
            index = len(animations)
            target = int(rng.integers(total))
            row = {"state": index, "speed": int(rng.integers(-99, 99)), "frame_rate": int(rng.integers(1, 4))}
            row |= _frames(game, rng, frames, meshes, lengths[index], row["frame_rate"])
            row |= {"first_frame": firsts[index], "last_frame": firsts[index] + lengths[index]}
            row |= {
                "next_animation": target,
                "next_frame": firsts[target] + int(rng.integers(lengths[target] + 1)),
            }
            row |= {"state_changes": int(rng.integers(0, 3)), "first_state_change": len(changes)}
            for _ in range(row["state_changes"]):
                change = {"state": int(rng.integers(50)), "dispatches": int(rng.integers(0, 3))}
                changes.append(change | {"first_dispatch": len(dispatches)})
                for _ in range(change["dispatches"]):
                    target = int(rng.integers(total))
                    low = firsts[index] + int(rng.integers(lengths[index] + 1))
                    dispatches.append(
                        {
                            "low": low,
                            "high": firsts[index] + lengths[index],
                            "next_animation": target,
                            "next_frame": firsts[target] + int(rng.integers(lengths[target] + 1)),
                        }
                    )
            row |= {"commands": int(rng.integers(0, 4)), "first_command": len(stream)}
            for _ in range(row["commands"]):
                frame = firsts[index] + int(rng.integers(lengths[index] + 1))
                choices = [[1, 5, -6, 7], [2, -8, 9], [3], [4], [5, frame, 0x4003], [6, frame, 32]]
                stream += choices[int(rng.integers(6))]
            animations.append(row)
    if game == Game.TR5:
        frames += [0x7777] * (len(frames) % 2)
        stream += [0] * (len(stream) % 2)
    return AnimationTables(
        animations=records(ANIMATION_RECORD[game], animations),
        state_changes=records(STATE_CHANGE, changes),
        animation_dispatches=records(ANIMATION_DISPATCH, dispatches),
        animation_commands=np.array(stream, "<i2"),
        frames=np.array(frames, "<u2"),
        models=records(MODEL_RECORD[game], models),
    )


def _frames(
    game: Game, rng: np.random.Generator, frames: list[int], meshes: int, ticks: int, rate: int
) -> dict[str, int]:
    """Append the key frames of one animation; return the fields of its record."""
    offset = 2 * len(frames)
    keys = []
    for _ in range(-(-ticks // rate) + 1):
        head = rng.integers(-3000, 3000, 9).tolist()
        keys.append(key_words(game, head, [random_angles(game, rng) for _ in range(meshes)]))
    size = 0 if game == Game.TR1 else max(map(len, keys))
    for key in keys:
        frames += key + [0x1234] * max(size - len(key), 0)
    return {"frame_offset": offset, "frame_size": size}


def describe(game: Game, tables: AnimationTables, names: Sequence[object]) -> dict[object, dict[str, Any]]:
    """Return the game's view of each animation, independent of offsets and indices.

    Args:
        game: the game.
        tables: the records.
        names: a name for each animation, by which others refer to it.
    """
    keys = decode_frames(game, tables.frames, tables.animations, tables.models)
    assert not keys.problems
    firsts = tables.animations["first_frame"].astype(int).tolist()

    def leads(target: int, frame: int, relative: bool) -> tuple[object, int]:
        if target >= len(names):
            return target, frame
        return names[target], frame if relative else frame - firsts[target]

    result: dict[object, dict[str, Any]] = {}
    for index, record in enumerate(tables.animations):
        own = keys.keys(index)
        plain = {name: int(record[name]) for name in ("state", "speed", "acceleration", "frame_rate")}
        changes = decode_state_changes(
            tables.animations, tables.state_changes, tables.animation_dispatches, index
        )
        commands = decode_commands(
            tables.animation_commands,
            int(record["first_command"]),
            int(record["commands"]),
            first_frame=firsts[index],
        )
        result[names[index]] = plain | {
            "ticks": int(record["last_frame"]) - firsts[index],
            "keys": (own.boxes.tolist(), own.offsets.tolist(), own.angles.tolist()),
            "next": leads(int(record["next_animation"]), int(record["next_frame"]), False),
            "changes": [
                (
                    change.state,
                    [
                        (each.low, each.high, leads(int(str(each.next_animation)), each.next_frame, True))
                        for each in change.dispatches
                    ],
                )
                for change in changes
            ],
            "commands": [(command.type, command.operands) for command in commands],
        }
    return result


def members_of(tables: AnimationTables) -> list[list[int]]:
    """Return the indices of each model's animations."""
    first, count = model_animations(tables.models, tables.animations)
    return [
        list(range(start, start + number))
        for start, number in zip(first.tolist(), count.tolist(), strict=True)
    ]
