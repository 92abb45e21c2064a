"""Conversion of a level of the scene to another game."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .checked import convert_steps
    from .convert import convert_level, text_of
else:
    __getattr__ = lazy_exports(__name__)
