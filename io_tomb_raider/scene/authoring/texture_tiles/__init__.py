"""Textures of faces by tiles: rectangles of pictures that users put on faces."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .painting import TileFit, coplanar_faces, faces_of_group, paint, tile_of
    from .pieces import (
        TexturePiece,
        TileThumbnails,
        chosen_area,
        chosen_tile,
        digest,
        level_pieces,
        piece_at,
        whole_pixels,
    )
    from .shown import (
        Users,
        add_tiles_as_frames,
        look_of_face,
        mirror_shown,
        replace_shown,
        require_all_local,
        run_of_tiles,
        set_look,
        turn_shown,
        users_of,
    )
    from .tile import Area, Look, Tile, tile_material
else:
    __getattr__ = lazy_exports(__name__)
