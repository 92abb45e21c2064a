"""Lights of rooms."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .fog import follow_fog_bulbs
    from .light_sync import take_over_all, take_over_restored
    from .object_lighting import light_again, light_level, light_restored
else:
    __getattr__ = lazy_exports(__name__)
