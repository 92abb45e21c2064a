"""A level and what its records decode to."""

from __future__ import annotations

from functools import cached_property

from ..formats import Level
from ..formats.frames import LevelKeys, decode_frames
from ..formats.mesh_trees import MeshTree, decode_mesh_trees
from ..formats.meshes import MeshBlock, decode_meshes
from .floor_data import FloorLists


class DecodedLevel:
    """A level with its decoded views, each made once, when it is first asked for. Nobody changes them.

    Attributes:
        level: the level as it was read.
    """

    def __init__(self, level: Level) -> None:
        self.level = level

    @cached_property
    def meshes(self) -> MeshBlock:
        """The decoded mesh block."""
        return decode_meshes(self.level.game, self.level.mesh_data, self.level.mesh_pointers)

    @cached_property
    def mesh_trees(self) -> list[MeshTree]:
        """The decoded mesh trees by index of the model."""
        level = self.level
        return decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))

    @cached_property
    def keys(self) -> LevelKeys:
        """The decoded key frames of all animations."""
        level = self.level
        return decode_frames(level.game, level.frames, level.animations, level.models)

    @cached_property
    def floor_lists(self) -> FloorLists:
        """The lists of floor data.

        Raises:
            FormatError: where they are too damaged to be told apart.
        """
        return FloorLists.read(self.level)
