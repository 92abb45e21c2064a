"""Sky of a level: horizon and clouds around the camera."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .sky import show_sky
else:
    __getattr__ = lazy_exports(__name__)
