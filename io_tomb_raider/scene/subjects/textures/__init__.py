"""Texture pages, palettes, materials, and users' pictures."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .images import compress_pictures, pack_painted
    from .materials import is_drawn_as_level, materials_in_other_light, user_image
else:
    __getattr__ = lazy_exports(__name__)
