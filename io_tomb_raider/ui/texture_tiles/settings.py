"""The settings of the texture brush in the scene, and how they lie on faces in a view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpy.types import Context
from mathutils import Vector

from ...formats import ExportError
from ...formats.base import T
from ...scene.properties import BLENDING
from ..base.active import active_scene

if TYPE_CHECKING:
    from ...scene.authoring.texture_tiles import Tile, TileFit

_BLENDING = [name for name, *_ in BLENDING]  # by the number of the mode
_MOST_RECENT = 24


def texturing(context: Context) -> Any:
    """Return the settings of the texture brush."""
    return active_scene(context).tomb_raider.texturing


def active_tile(context: Context) -> Tile:
    """Return the active tile. Raises ExportError if no tile has been chosen."""
    tile = tile_in(texturing(context).tile)
    if tile is None:
        problem = T(
            "no tile is chosen. Ctrl-click a face to pick its tile, or choose one in the Image Editor"
        )
        raise ExportError(T("Texture Brush"), problem)
    return tile


def tile_in(settings: Any) -> Tile | None:
    """Return the tile that settings hold; None if they hold none."""
    from ...scene.authoring.texture_tiles import Tile

    image = settings.image
    left, top, width, height = settings.area
    if image is None or not (width > 0 and height > 0) or not all(image.size):
        return None
    return Tile(
        image,
        (left, top, width, height),
        settings.turns,
        settings.mirrored,
        _BLENDING.index(settings.blending),
        settings.double_sided,
        settings.bump,
        settings.animation,
    )


def choose_tile(context: Context, tile: Tile) -> None:
    """Make a tile the active one."""
    store_tile(texturing(context).tile, tile)


def store_tile(settings: Any, tile: Tile) -> None:
    """Store a tile in settings."""
    settings.image, settings.area = tile.image, tile.area
    settings.turns, settings.mirrored = tile.turns, tile.is_mirrored
    settings.blending = _BLENDING[min(tile.attribute, 2)]
    settings.double_sided, settings.bump, settings.animation = tile.is_double_sided, tile.bump, tile.group


def remember_tile(context: Context, tile: Tile) -> None:
    """Put a tile first among the recently used ones."""
    from .counts import note_use

    note_use()
    recent = texturing(context).recent
    for number, stored in enumerate(recent):
        if stored.image == tile.image and tuple(stored.area) == tuple(tile.area):
            recent.move(number, 0)
            store_tile(recent[0], tile)
            return
    store_tile(recent.add(), tile)
    recent.move(len(recent) - 1, 0)
    while len(recent) > _MOST_RECENT:
        recent.remove(len(recent) - 1)


def fit_of(context: Context) -> TileFit:
    """Return how tiles lie on faces: as the settings and the view say."""
    from ...scene.authoring.texture_tiles import TileFit

    settings = texturing(context)
    return TileFit(_forward(context, settings.upright), settings.walls == "SCALE")


def _forward(context: Context, upright: str) -> tuple[float, float]:
    """Return the direction that is up on floors: one of the four of the compass."""
    view = context.region_data
    if upright == "COMPASS" or view is None:
        return 0.0, 1.0
    ahead = view.view_rotation @ Vector((0.0, 0.0, -1.0))
    if ahead.xy.length < 0.1:  # from above or below
        ahead = view.view_rotation @ Vector((0.0, 1.0, 0.0)) * (1.0 if ahead.z < 0 else -1.0)
    if abs(ahead.x) > abs(ahead.y):
        return (1.0 if ahead.x > 0 else -1.0), 0.0
    return 0.0, (1.0 if ahead.y >= 0 else -1.0)
