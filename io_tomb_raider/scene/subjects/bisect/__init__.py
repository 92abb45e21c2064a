"""Bisection of faces: along the grid of sectors, and where their pictures repeat."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .tools import cut_mesh
else:
    __getattr__ = lazy_exports(__name__)
