"""Mesh from sectors: rooms whose meshes are drawn from their sectors."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .looks import active_piece, set_piece
    from .room import draw_room, draw_shaped, follow
else:
    __getattr__ = lazy_exports(__name__)
