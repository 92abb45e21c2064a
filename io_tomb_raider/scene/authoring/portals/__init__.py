"""Portals: openings between rooms, and how rooms are connected."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .apart import Apart, Remedy, mend, why_apart
    from .connect import connect_part
    from .openings import Connected, NotMeetingError, connect_all, connect_rooms, level_rooms
else:
    __getattr__ = lazy_exports(__name__)
