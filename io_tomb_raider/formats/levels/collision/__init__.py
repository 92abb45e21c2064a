"""Collision of sectors: heights, walls, openings and marks (chapters 3.2.3 and 4.4)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .grid import SIDE_BITS, SIDE_STEPS, SectorGrid, rectangles
    from .openings import OpeningKind, Openings, Uprights, find_openings, native_uprights
    from .sector_fit import SectorFit, fit_sectors, storeys
    from .sectors import (
        NO_ROOM,
        STONE,
        EncodedSectors,
        Sectors,
        changed_sectors,
        crossed,
        decode_sectors,
        encode_sectors,
        join_boxes,
        new_sectors,
        no_box,
        put_sectors,
        sector_name,
        split_boxes,
        supports,
        wall_sectors,
    )
    from .spaces import MIDDLE, Spaces, find_spaces
    from .surfaces import TRIANGLES, WALL, Split, Surface, round_surface, triangles_at
else:
    __getattr__ = lazy_exports(__name__)
