"""Texture regions: the part of a page that a face shows, the faces that show it, and its replacement."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .regions import TextureRegion, faces_showing, level_meshes, piece_of, reload_images, replace_piece
else:
    __getattr__ = lazy_exports(__name__)
