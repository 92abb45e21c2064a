"""Baking of light into vertices of rooms, and into placed static meshes."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .bake import bake_steps
    from .subject import BakeOptions
else:
    __getattr__ = lazy_exports(__name__)
