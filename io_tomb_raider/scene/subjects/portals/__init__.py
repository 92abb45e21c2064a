"""Portals, the rooms that they link, and copies of rooms."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .room_tools import delete_room, duplicate_room, open_portals
else:
    __getattr__ = lazy_exports(__name__)
