"""The state of an update: the project, and the level before and after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import PureWindowsPath

import numpy as np

from ....base.arrays.typing import Ints
from ....levels.views.decoded import Decoded
from ..compile.compiled import Compiled
from ..from_level.rooms.narrow import size_of
from ..from_level.rooms.parts import LevelParts
from ..model.project import Project
from ..model.rooms import ProjectRoom
from .cut import without_cut_walls
from .face_rows import FaceRows, level_without
from .imported import PlacedModel, faces_of_origin
from .sources import UNKNOWN, Sources

_EDITED = "{}_edited"


@dataclass
class Updated:
    """The results of an update, besides the changed project."""

    files: dict[str, bytes] = field(default_factory=dict)  #: files next to the project, by name.
    notes: list[str] = field(default_factory=list)  #: messages on edits that a project cannot have.
    #: by section of the level, in which that of rooms counts on, the numbers of the objects of its records.
    numbers: dict[str, dict[int, int]] = field(default_factory=dict)


class State:
    """The project, and its level as it was compiled and as it is now; see :func:`.update.update_project`."""

    def __init__(
        self,
        project: Project,
        compiled: Compiled,
        edited: Decoded,
        name: str,
        models: Sequence[PlacedModel] | None,
        sources: Sources | None,
    ) -> None:
        self.project, self.origin, self.name = project, compiled.origin, free_name(project, name)
        self.models, self.sources = models, sources
        before = Decoded(compiled.level)
        sizes = {size_of(room) for room in compiled.level.rooms}
        #: the rooms of the edited level, at the positions of their objects in the scene.
        self.uncut = edited.level.rooms
        if sources is not None:
            edited = without_cut_walls(before, edited, sources.rooms)
        after = edited
        sinks = None if sources is None else sources.sinks
        #: the edited level with the faces of imported geometry; `before` and `after` are without them.
        self.whole = LevelParts(edited, sizes=sizes, sinks=sinks, has_own_boxes=False)
        if models is not None:
            by_room: defaultdict[int, list[FaceRows]] = defaultdict(list)
            for each in models:
                by_room[each.room].append(each.faces)
            before = level_without(before, faces_of_origin(compiled.origin))
            after = level_without(edited, {number: FaceRows.joined(rows) for number, rows in by_room.items()})
        self.before = LevelParts(before, sizes=sizes, has_own_boxes=False)
        self.after = (
            self.whole
            if after is edited
            else LevelParts(after, sizes=sizes, sinks=sinks, has_own_boxes=False)
        )
        #: the project's objects with their rooms, by their numbers.
        self.owners = {each.number: (room, each) for room, each in project.objects()}
        self.result = Updated()
        self._number = project.new_number() - 1
        #: the number of the texture for an image of the edited pages, and whether anything shows it.
        self.image = max((each.number for each in project.settings.textures), default=-1) + 1
        self.needs_image = False
        by_number = {room.number: room for room in project.rooms}
        #: old, new: the project's rooms in the order of the level before and after.
        self.old = [by_number[number] for number in self.origin.rooms]
        self.new: list[ProjectRoom] = []
        #: the rooms at their positions before, by their numbers.
        self.rooms_before = {room.number: replace(room) for room in project.rooms}
        #: how far the sectors of rooms with another size moved.
        self.offsets: dict[int, tuple[int, int]] = {}

    def next_number(self) -> int:
        """Return a number that no object of the project has."""
        self._number += 1
        return self._number

    def skip_used_numbers(self) -> None:
        """Continue after the numbers that the project's objects have now."""
        self._number = max(self._number, self.project.new_number() - 1)

    def sources_of(self, name: str, count: int) -> Ints:
        """Return the sources of the parts of a list of the edited level."""
        return np.full(count, UNKNOWN) if self.sources is None else self.sources.of(name, count)


def free_name(project: Project, name: str) -> str:
    """Return the start of names of new files that no file of the project has."""
    settings = project.settings
    paths = [each.path for each in settings.textures]
    paths += [each.path for each in settings.imported_geometries]
    names = [PureWindowsPath(path).name.lower() for path in paths]
    start = _EDITED.format(name)
    for number in count(1):
        result = start if number == 1 else f"{start}_{number}"
        if not any(each.startswith((f"{result.lower()}.", f"{result.lower()}_")) for each in names):
            return result
    raise AssertionError
