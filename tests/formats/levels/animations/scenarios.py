"""Random edits of generated animations, and their expected results by an independent computation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.animations.animations import (
    AddedAnimation,
    AnimationCommand,
    Dispatch,
    StateChange,
    decode_commands,
)
from io_tomb_raider.formats.levels.animations.edits import edit_animations
from io_tomb_raider.formats.levels.animations.frames import Keys, encode_frames
from io_tomb_raider.formats.levels.animations.plan import AnimationEdit, AnimationTables

from .samples import describe, make_tables, members_of, random_angles

Description = dict[object, dict[str, Any]]


def some_keys(game: Game, rng: np.random.Generator, number: int, meshes: int) -> Keys:
    angles = [[random_angles(game, rng) for _ in range(meshes)] for _ in range(number)]
    return Keys(
        rng.integers(-999, 999, (number, 6)),
        rng.integers(-999, 999, (number, 3)),
        np.array(angles, np.int64).reshape(number, meshes, 3),
    )


def key_values(keys: Keys) -> tuple[Any, Any, Any]:
    """Keys as `describe` has them."""
    return keys.boxes.tolist(), keys.offsets.tolist(), keys.angles.tolist()


class Scenario:
    """A generated level, random edits of it, and the result expected independently of the code under test."""

    def __init__(self, game: Game, seed: int, sharing: bool = False) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed)
        members = self.rng.integers(0, 4, int(self.rng.integers(1, 5))).tolist()
        if not sum(members):
            members[0] = 2
        self.tables = make_tables(game, seed, members)
        if sharing:
            self.share_lists()
        self.names: list[object] = list(range(len(self.tables.animations)))
        self.before = describe(game, self.tables, self.names)
        self.expected: Description = {name: dict(each) for name, each in self.before.items()}
        self.models: list[list[object]] = [list(each) for each in members_of(self.tables)]
        self.choose_deleted()
        self.choose_added()
        self.edits: dict[int, AnimationEdit] = {}
        for index in self.kept:
            self.choose_edit(index)
        self.cut_lost_frames()

    def share_lists(self) -> None:
        """Make animations share lists, or ends of them, and make some extend beyond the records."""
        animations = self.tables.animations.copy()
        total = len(animations)
        for index in np.flatnonzero(self.rng.random(total) < 0.5).tolist():
            other = animations[int(self.rng.integers(total))]
            number = int(other["state_changes"])
            skipped = int(self.rng.integers(number + 1))
            animations["state_changes"][index] = number - skipped + int(self.rng.integers(2))
            animations["first_state_change"][index] = int(other["first_state_change"]) + skipped
        for index in np.flatnonzero(self.rng.random(total) < 0.5).tolist():
            other = animations[int(self.rng.integers(total))]
            start, number = int(other["first_command"]), int(other["commands"])
            places = [each.word for each in decode_commands(self.tables.animation_commands, start, number)]
            skipped = int(self.rng.integers(len(places) + 1))
            animations["commands"][index] = len(places) - skipped + int(self.rng.integers(2))
            animations["first_command"][index] = [*places, start][skipped]
        self.tables = replace(self.tables, animations=animations)

    def choose_deleted(self) -> None:
        total = len(self.names)
        chosen = self.rng.random(total) < self.rng.choice([0, 0, 0.3])
        self.deleted = np.flatnonzero(chosen).tolist()[: total - 1]
        self.kept = [index for index in range(total) if index not in self.deleted]
        for index in self.deleted:
            del self.expected[index]
        self.models = [[name for name in each if name not in self.deleted] for each in self.models]

    def choose_added(self) -> None:
        self.added: dict[int, list[AnimationEdit]] = {}
        self.references: dict[object, Any] = {index: index for index in self.kept}
        numbers = self.rng.choice([0, 0, 1, 2], len(self.models)).tolist()
        for model, number in enumerate(numbers):
            for position in range(number):
                self.references[model, position] = AddedAnimation(model, position)
        for model, number in enumerate(numbers):
            for position in range(number):
                self.expected[model, position] = self.nothing((model, position))
                edit = self.make_edit((model, position), model, {"frames", *self.some_parts()})
                self.added.setdefault(model, []).append(edit)
                self.models[model].append((model, position))

    @staticmethod
    def nothing(name: object) -> dict[str, Any]:
        plain = {"state": 0, "speed": 0, "acceleration": 0, "frame_rate": 1, "ticks": 0}
        return plain | {"keys": ([], [], []), "next": (name, 0), "changes": [], "commands": []}

    def some_parts(self) -> set[str]:
        parts = ["frames", "plain", "next", "changes", "commands"]
        return {part for part in parts if self.rng.random() < 0.4}

    def choose_edit(self, index: int) -> None:
        old = self.before[index]
        parts = self.some_parts() if self.rng.random() < 0.6 else set()
        if old["next"][0] in self.deleted:
            parts.add("next")
        if any(to in self.deleted for _, leads in old["changes"] for _, _, (to, _) in leads):
            parts.add("changes")
        if parts:
            owner = next(model for model, names in enumerate(self.models) if index in names)
            self.edits[index] = self.make_edit(index, owner, parts)

    def make_edit(self, name: object, model: int, parts: set[str]) -> AnimationEdit:
        """Return an edit of some parts of an animation, and update `expected`."""
        rng, after = self.rng, self.expected[name]
        edit = AnimationEdit(name=f"action {name}")
        if "frames" in parts:
            length, rate = int(rng.integers(0, 9)), int(rng.integers(1, 4))
            meshes = int(self.tables.models["meshes"][model])
            keys = some_keys(self.game, rng, -(-length // rate) + 1, meshes)
            edit = replace(edit, frames=encode_frames(self.game, keys), ticks=length, frame_rate=rate)
            after |= {"keys": key_values(keys), "ticks": length, "frame_rate": rate}
        if "plain" in parts:
            edit = replace(edit, state=int(rng.integers(100)), speed=-5, acceleration=70000)
            after |= {"state": edit.state, "speed": -5, "acceleration": 70000}
        if "next" in parts:
            target, frame = self.anywhere()
            edit = replace(edit, next_animation=self.references[target], next_frame=frame)
            after["next"] = (target, frame)
        if "changes" in parts:
            changes = []
            told = []
            for state in range(int(rng.integers(0, 3))):
                leads = [(int(rng.integers(5)), 6, self.anywhere()) for _ in range(int(rng.integers(0, 3)))]
                dispatches = [Dispatch(low, high, self.references[to], at) for low, high, (to, at) in leads]
                changes.append(StateChange(state, tuple(dispatches)))
                told.append((state, leads))
            edit = replace(edit, state_changes=tuple(changes))
            after["changes"] = told
        if "commands" in parts:
            options = [
                AnimationCommand(1, (1, 2, 3)),
                AnimationCommand(4),
                AnimationCommand(5, (3, 9)),
                AnimationCommand(6, (4, 32)),
            ]
            commands = [options[int(rng.integers(4))] for _ in range(int(rng.integers(0, 4)))]
            edit = replace(edit, commands=tuple(commands))
            after["commands"] = [(command.type, command.operands) for command in commands]
        return edit

    def anywhere(self) -> tuple[object, int]:
        names = list(self.references)
        return names[int(self.rng.integers(len(names)))], int(self.rng.integers(2))

    def cut_lost_frames(self) -> None:
        """Clamp references to frames that were cut off to the last frame of the animation."""

        def cut(lead: tuple[object, int]) -> tuple[object, int]:
            name, frame = lead
            if name in self.before and self.expected[name]["ticks"] < frame <= self.before[name]["ticks"]:
                return name, self.expected[name]["ticks"]
            return name, frame

        for each in self.expected.values():
            each["next"] = cut(each["next"])
            each["changes"] = [
                (state, [(low, high, cut(lead)) for low, high, lead in leads])
                for state, leads in each["changes"]
            ]

    def run(self) -> AnimationTables:
        return edit_animations(self.game, self.tables, self.edits, added=self.added, deleted=self.deleted)
