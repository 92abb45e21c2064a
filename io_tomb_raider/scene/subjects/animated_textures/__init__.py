"""Animated textures: lists of pictures that faces play."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .animated_textures import group_named
else:
    __getattr__ = lazy_exports(__name__)
