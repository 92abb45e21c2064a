"""Entities and AI objects."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .drops import drops_of, show_drops
    from .shown import shown_type
else:
    __getattr__ = lazy_exports(__name__)
