"""The transfer engine: what moves between levels, ids, and the order of the subjects."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .choice import PieceSelection
    from .contents import Piece, pieces_of, read_source, textures_in
    from .plan import dependencies_of_piece, used_ids
else:
    __getattr__ = lazy_exports(__name__)
