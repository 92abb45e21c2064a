"""Boxes, overlaps and zones (documentation, chapter 7.3) for the pathfinding of enemies."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .boxes import Pathfinding, RoomGround, find_paths, room_ground, same_ground
    from .overlaps import BLOCK_BITS, NO_LIST, blockable_bits, decode_overlaps
else:
    __getattr__ = lazy_exports(__name__)
