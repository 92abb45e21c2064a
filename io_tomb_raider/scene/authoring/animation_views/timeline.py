"""Frames of a scene as frames of the actions that a model shows, alone or in a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object

from ....formats.base import Floats
from ...subjects.animations.changes import chains
from ...subjects.animations.changes.chains import Link
from ...subjects.animations.changes.layers import action_in_use
from ...subjects.animations.keys.ranges import first_frame


@dataclass(frozen=True)
class Timeline:
    """The parts that a model plays."""

    links: Sequence[Link]  #: at least one; a single action is a chain of one.
    start: int  #: the frame of the scene at which the first one begins.
    is_chain: bool  #: whether a chain plays.
    moves: bool  #: whether the chain moves the armature.

    @classmethod
    def of(cls, armature: Object) -> Timeline | None:
        """Return what an armature shows, or None if it has no action."""
        links, moves = chains.links_of(armature)
        if links:
            return cls(links, 0, is_chain=True, moves=moves)
        action = action_in_use(armature)
        if action is None:
            return None
        return cls([Link(action, 0, chains.length(action))], first_frame(action), is_chain=False, moves=False)

    @property
    def frames(self) -> int:
        """The number of frames."""
        return sum(link.frames for link in self.links)

    def shown(self, frame: int) -> tuple[Action, int] | None:
        """Return the action at a frame of the scene and the frame in it, or None outside."""
        number, inside = chains.link_at(self.links, frame - self.start)
        if number < 0:
            return None
        action = self.links[number].action
        return action, inside + first_frame(action)

    def positions(self) -> Floats:
        """Return where the games' speeds put the model at each frame, (frames, 3) in units of the games."""
        return np.asarray(chains.positions_of(list(self.links), 1.0), float)

    def round_trip(self) -> Floats:
        """Return how far an action moves the model from its start to that of the next round, (3,)."""
        twice = chains.positions_of([*self.links, *self.links], 1.0)
        return np.asarray(twice[self.frames], float)


class Belt:
    """The position of a treadmill: it runs on where a repeated animation begins again.

    Only numbers are stored, since undo replaces data-blocks.
    """

    def __init__(self) -> None:
        self._key: tuple[int, int] = (0, 0)
        self._rounds = 0
        self._last = 0

    def place(self, key: tuple[int, int], timeline: Timeline, frame: int) -> Floats:
        """Return how far the model has run, (3,) in units of the games.

        Args:
            key: identifies model and animation; the belt starts anew with another one.
            timeline: what plays.
            frame: of the scene, clamped to the timeline.
        """
        inside = min(max(frame - timeline.start, 0), timeline.frames - 1)
        if key != self._key:
            self._key, self._rounds = key, 0
        elif not timeline.is_chain and inside < self._last and self._last >= timeline.frames - 2:
            self._rounds += 1  # playback may skip the last frame
        self._last = inside
        return np.asarray(timeline.positions()[inside] + self._rounds * timeline.round_trip())
