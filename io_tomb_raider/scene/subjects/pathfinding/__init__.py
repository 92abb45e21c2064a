"""Boxes, overlaps and zones as an overlay."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .boxes import BLOCKABLE, draw_boxes, set_zone
else:
    __getattr__ = lazy_exports(__name__)
