"""Meshes of models and static meshes as mesh data, and functions for all faces."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .limits import MOST_SPLIT
    from .placed import rooms_with_vertices, world_corners
else:
    __getattr__ = lazy_exports(__name__)
