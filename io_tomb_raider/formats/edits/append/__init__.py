"""Reducing a level to the pieces that are imported into another one."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .cut import PieceChoice, cut_to, shares_animations
    from .textures import Box, Frame, Texture, textures_of
else:
    __getattr__ = lazy_exports(__name__)
