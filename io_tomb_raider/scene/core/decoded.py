"""A level and what its records decode to."""

from __future__ import annotations

from functools import cached_property

from ...formats import FormatError
from ...formats.checks.check import check_level
from ...formats.checks.findings import CheckedLevel, Finding
from ...formats.collision.sectors import Sectors, level_sectors
from ...formats.floor.lists import FloorLists
from ...formats.level.decoded import Decoded
from ..subjects.collision.build import RoomsCollision
from ..subjects.collision.level import level_collision


class DecodedLevel(Decoded):
    """A level with its decoded views, also those of rooms. Nobody changes them."""

    def prepare(self, *, collision: bool, models: bool, animations: bool) -> None:
        """Make views now that will be asked for later: damage shows before there is anything in Blender.

        Args:
            collision: what rooms' collision looks like.
            models: the mesh trees. They come before key frames, as their errors say more.
            animations: the key frames.

        Raises:
            FormatError: where one of them is damaged.
        """
        views = {"collision": collision, "mesh_trees": models, "keys": animations}
        for name in (name for name, is_wanted in views.items() if is_wanted):
            getattr(self, name)

    @cached_property
    def floor_lists(self) -> FloorLists:
        """The lists of floor data.

        Raises:
            FormatError: where they are too damaged to be told apart.
        """
        return FloorLists.read(self.level)

    @cached_property
    def sectors(self) -> Sectors:
        """The sectors of all rooms, one room after the other.

        Where floor data is too damaged to be told apart, they are as if there were none.
        """
        try:
            lists = self.floor_lists
        except FormatError:
            lists = None
        return level_sectors(self.level, lists)

    @cached_property
    def collision(self) -> tuple[RoomsCollision, list[list[int]]]:
        """What the collision of every room looks like, and the rooms that it leads to."""
        return level_collision(self.level, self.sectors)

    @cached_property
    def findings(self) -> list[Finding]:
        """What a game would trip over in the level as it was imported.

        Raises:
            FormatError: where floor data or meshes are too damaged to be looked at.
        """
        if not self.level.has("models"):
            return []
        return check_level(CheckedLevel(self.level, self.floor_lists, self.sectors, self.meshes))
