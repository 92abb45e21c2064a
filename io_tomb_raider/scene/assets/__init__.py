"""Asset libraries: objects of levels as Blender assets."""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .assets import Asset, assets_of
    from .catalogs import read_catalogs, write_catalogs
    from .marks import mark, unmark
    from .previews import draw_previews
else:
    __getattr__ = lazy_exports(__name__)
