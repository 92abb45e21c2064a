"""Static meshes: the library and placements in rooms."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .new import box_of
else:
    __getattr__ = lazy_exports(__name__)
