"""What the subjects of one conversion share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import bpy
from bpy.types import Collection, Material, Mesh, Object

from ....formats import Game
from ...core.members import members
from ...core.report import Message, Report, first_few
from ...core.space import Space

_NAMED = 8  # things in one warning


@dataclass(frozen=True, eq=False)
class Conversion:
    """One conversion of a level.

    Attributes:
        root: the level's root collection.
        source: the game that it was for.
        target: the game that it is for from now on.
        report: takes what is lost, or was replaced by the nearest.
        whole: of warnings that name some things and count the rest, those that name all.
    """

    root: Collection
    source: Game
    target: Game
    report: Report = field(default_factory=Report)
    whole: dict[Message, str] = field(default_factory=dict)

    @cached_property
    def space(self) -> Space:
        """Between the units of the file and Blender's."""
        return Space.of(self.root)

    def things(self, *kinds: str) -> list[Object]:
        """Return the objects of the level that are of some kinds, as they stood in the file."""
        found = [each for each in members(self.root) if each.tomb_raider.kind in kinds]
        return sorted(found, key=lambda thing: (thing.tomb_raider.index < 0, thing.tomb_raider.index))

    def meshes(self, *kinds: str) -> list[Mesh]:
        """Return the meshes of objects of some kinds, each once."""
        found = (thing.data for thing in self.things(*kinds))
        return list(dict.fromkeys(mesh for mesh in found if isinstance(mesh, Mesh)))

    def materials(self) -> list[Material]:
        """Return the materials that objects of the level show, each once."""
        slots = (slot for thing in members(self.root) for slot in thing.material_slots)
        shown = (slot.material for slot in slots)
        return list(dict.fromkeys(each for each in shown if each is not None))

    def lose(self, subject: str, names: Iterable[str], text: str) -> None:
        """Tell of several things at once what is lost of them.

        Args:
            subject: what they are all together.
            names: of the things.
            text: what is lost, and why.
        """
        found = list(dict.fromkeys(names))
        if found:
            message = Message(subject, f"{text}: {first_few(found, _NAMED)}")
            self.report.warn(*message)
            self.whole[message] = f"{text}: {', '.join(found)}"

    def lines(self) -> list[str]:
        """Return all that there is to tell, a line each."""
        return [f"{each.subject}: {self.whole.get(each, each.text)}" for each in self.report.messages]

    def remove(self, things: Iterable[Object]) -> None:
        """Remove objects of the level."""
        bpy.data.batch_remove(list(things))
