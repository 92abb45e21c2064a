"""Splitting of large meshes and whole scenes into rooms that the games can hold."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .plan import RoomLimits
    from .split import split_into_rooms
else:
    __getattr__ = lazy_exports(__name__)
