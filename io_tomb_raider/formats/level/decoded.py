"""A level and what the records of its library decode to, each once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..animations.animations import model_animations
from ..animations.frames import LevelKeys, decode_frames
from ..meshes.meshes import MeshBlock, decode_meshes
from ..models.bounding import vertex_boxes
from ..models.mesh_trees import MeshTree, decode_mesh_trees
from ..textures.level_pages import pages_of
from ..textures.textiles import decode_pages, expand_palette
from .level import Level


class Decoded:
    """A level with its decoded views, each made once, when it is first asked for. Nobody changes them.

    Where what one decodes is damaged, it raises a FormatError.

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
    def mesh_boxes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The boxes around the vertices of all meshes, see :func:`~..models.bounding.vertex_boxes`."""
        return vertex_boxes([mesh.vertices for mesh in self.meshes.meshes])

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
    def model_animations(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first animation of each model, -1 for none, and how many it has."""
        return model_animations(self.level.models, self.level.animations)

    @cached_property
    def texels(self) -> NDArray[np.uint8]:
        """The texture pages as they are kept, (n, 256, 256, 4); opaque faces show all of them."""
        return decode_pages(pages_of(self.level)._replace(opaque=None))

    @cached_property
    def colors(self) -> NDArray[np.uint8]:
        """The colors of faces of one color, (k, 3), in TR1 to TR3."""
        level = self.level
        if level.game.traits.has_16bit_pages and level.game.traits.has_palette:
            return np.asarray(level.palette16[:, :3])
        return expand_palette(level.palette)
