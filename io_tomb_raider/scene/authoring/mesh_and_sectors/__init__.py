"""Fixes of rooms whose mesh and sectors are apart, together with those of all other findings."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .fixes import FIXES
else:
    __getattr__ = lazy_exports(__name__)
