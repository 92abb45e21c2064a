"""Collision from mesh: sectors of a room from its mesh, by vertical rays."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .make import CollisionReport, add_collision_from_mesh, room_from_mesh
    from .refresh import gaps_of, refresh_from_mesh
else:
    __getattr__ = lazy_exports(__name__)
