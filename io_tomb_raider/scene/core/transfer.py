"""The context of a transfer of objects to another level, another game, or both."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import bpy
from bpy.types import Collection, Material, Mesh, Object

from ...catalogue import equivalent, names
from ...formats import Game
from ...formats.base import T, about, joined
from .membership import members
from .reporting.report import Message, Report, first_few
from .space import Space

_NAMED = 8  # objects in one warning

# Numbers in the level by kind ("model", "static", "sprite", "sound") and number in the source; None for data
# that is not transferred.
NumberMaps = dict[str, dict[int, int | None]]


def near_text(number: int, target: Game) -> str:
    """Return the note on an object that is replaced by the nearest one of a game."""
    return T(
        "its closest counterpart in this game is {entity}, which replaces it",
        entity=names(target).entity(number),
    )


@dataclass(eq=False)
class Transfer:
    """One transfer. The subjects' ``transfer`` modules remap the objects that it names."""

    root: Collection  #: the target level.
    source: Game  #: the game of the objects before the transfer.
    target: Game
    report: Report = field(default_factory=Report)  #: receives warnings about lost and replaced data.
    moved: list[Object] | None = None  #: the transferred objects; None for all objects of the level.
    #: see :data:`NumberMaps`; a number without an entry maps by :func:`equivalent`.
    numbers: NumberMaps = field(default_factory=dict)
    #: reasons for lost and replaced numbers, by kind and number in the source.
    notes: dict[tuple[str, int], str] = field(default_factory=dict)
    #: the objects that triggers and cameras may refer to; None for all that are not discarded.
    present: Container[Object] | None = None
    flip_group: int | None = None  #: the only group of rooms that still flips; None for all.
    has_trng: bool = False  #: whether triggers are TRNG's.
    #: unsupported objects, which are removed at the end.
    discarded: dict[Object, None] = field(default_factory=dict)
    #: whether to unlink discarded objects from their collections instead: a depsgraph handler must not remove
    #: objects.
    only_unlinks: bool = False
    #: for each warning that names a few objects and counts the rest, the text with all names.
    full_texts: dict[Message, str] = field(default_factory=dict)

    @property
    def is_foreign(self) -> bool:
        """Whether the objects are from another game than the level's."""
        return self.source is not self.target

    @cached_property
    def space(self) -> Space:
        """The space of the level, between the units of the file and Blender's."""
        return Space.of(self.root)

    # --- The objects

    def objects(self, *kinds: str) -> list[Object]:
        """Return the transferred objects of some kinds, in file order."""
        objects = [
            obj for obj in self._every() if obj.tomb_raider.kind in kinds and obj not in self.discarded
        ]
        return sorted(objects, key=lambda obj: (obj.tomb_raider.index < 0, obj.tomb_raider.index))

    def meshes(self, *kinds: str) -> list[Mesh]:
        """Return the meshes of objects of some kinds, each once."""
        data = (obj.data for obj in self.objects(*kinds))
        return list(dict.fromkeys(mesh for mesh in data if isinstance(mesh, Mesh)))

    def materials(self) -> list[Material]:
        """Return the materials of the transferred objects, each once."""
        materials = (slot.material for obj in self._every() for slot in obj.material_slots)
        return list(dict.fromkeys(each for each in materials if each is not None))

    def _every(self) -> list[Object]:
        return members(self.root) if self.moved is None else self.moved

    def has(self, obj: Object | None) -> bool:
        """Return whether the level has a referenced object."""
        if obj is None or obj in self.discarded:
            return False
        return self.present is None or obj in self.present

    def discard(self, objects: Iterable[Object]) -> None:
        """Mark objects for removal at the end."""
        self.discarded.update(dict.fromkeys(objects))

    def replace(self, objects: Mapping[Object, Object]) -> None:
        """Replace objects by others, and remove them."""
        if self.moved is not None:
            self.moved[:] = [objects.get(each, each) for each in self.moved]
        bpy.data.batch_remove(list(objects))

    # --- Numbers

    def number(self, kind: str, number: int) -> int | None:
        """Return the number in the level of a number in the source, or None if there is none.

        Args:
            kind: "model", "static", "sprite", "sound" or "flipeffect".
        """
        mapped = self.numbers.get(kind, {})
        if number in mapped:
            return mapped[number]
        counterpart = equivalent(kind, number, self.source, self.target)
        return None if counterpart is None else counterpart.number

    # --- The report

    def lose(self, subject: str, names: Iterable[str], text: str) -> None:
        """Warn about several objects at once.

        Args:
            text: the lost data and the reason.
        """
        unique = list(dict.fromkeys(names))
        if unique:
            message = Message(subject, T("{text}: {names}", text=text, names=first_few(unique, _NAMED)))
            self.report.warn(*message)
            self.full_texts[message] = T("{text}: {names}", text=text, names=joined(", ", unique))

    def lines(self) -> list[str]:
        """Return all warnings, one line each, with all names."""
        return [about(each.subject, self.full_texts.get(each, each.text)) for each in self.report.messages]
