"""Polygon meshes as arrays: the common form for reading, changing and writing geometry."""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .blender_mesh import read_all, read_shape
else:
    __getattr__ = lazy_exports(__name__)
