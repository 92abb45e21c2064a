"""Display of distance and fog bulbs, according to the level's settings.

Nothing of this is exported. While no level displays either, the materials have no nodes for it, which would
slow down rendering.
"""

from __future__ import annotations

from collections.abc import Iterator

from bpy.types import Collection, Object

from ....formats import Game
from ....formats.levels.lights import Bulb, bulb_of, distance_range
from ...core.membership import levels, members, members_of
from ...core.space import world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ..textures.fog_nodes import Fog, ShownBulb, bulbs_tree, packed
from ..textures.shader import show_in_surfaces
from .light_sync import typed_values

_LIT_KINDS = (*OF_ROOMS, Kind.ENTITY, Kind.PLACEMENT, Kind.SPRITE)


def show_fog(root: Collection) -> None:
    """Update the display of distance and fog bulbs to a level's settings."""
    distance = distance_of(root)
    for obj in members(root):
        lit = obj.tomb_raider.lit if obj.tomb_raider.kind in _LIT_KINDS else None
        if lit is not None and list(lit.distance) != distance:
            lit.distance = distance
            obj.update_tag(refresh={"OBJECT"})
    draw_fog(Game[root.tomb_raider.game])


def start_with_the_games_numbers(root: Collection) -> None:
    """Set the game's default range of distance in a level that has none yet."""
    settings = root.tomb_raider.level
    if settings.distance_end == 0:
        settings.distance_start, settings.distance_end = distance_range(Game[root.tomb_raider.game])


def follow_fog_bulbs(root: Collection) -> None:
    """Update the fog bulbs of a level, if it displays them."""
    if root.tomb_raider.level.shows_fog_bulbs:
        draw_fog(Game[root.tomb_raider.game])


def distance_of(root: Collection) -> list[float]:
    """Return the nodes' parameters for a level's distance, all 0 if it is not displayed.

    They are its start, in Blender's units; the reciprocal of its length; the fog color packed into a number;
    and 1 if objects fade to that color instead of black.
    """
    settings, scale = root.tomb_raider.level, root.tomb_raider.scale
    if not settings.shows_distance:
        return [0.0] * 4
    start, end = settings.distance_start, settings.distance_end
    fades = settings.fades_to_color and Game[root.tomb_raider.game].traits.has_light_ranges
    return [start * scale, 1 / (max(end - start, 1) * scale), packed(settings.fog_color), float(fades)]


def draw_fog(game: Game) -> None:
    """Update the materials of a game, which all its levels share, to the levels' settings."""
    roots = [root for root in levels() if root.tomb_raider.game == game.name and root.library is None]
    settings = [root.tomb_raider.level for root in roots]
    with_bulbs = game.traits.has_light_ranges and any(each.shows_fog_bulbs for each in settings)
    bulbs = [bulb for root in roots for bulb in _bulbs(root)] if with_bulbs else []
    tree = bulbs_tree(game, bulbs) if with_bulbs else None
    show_in_surfaces(game, Fog(any(each.shows_distance for each in settings), tree))


def _bulbs(root: Collection) -> Iterator[ShownBulb]:
    """Yield the fog bulbs of a level if it displays them."""
    settings, game = root.tomb_raider.level, Game[root.tomb_raider.game]
    for obj in members_of(root, Kind.LIGHT) if settings.shows_fog_bulbs else ():
        bulb = bulb_of(game, typed_values(game, obj.tomb_raider.light))
        if bulb is not None:
            yield _shown_bulb(bulb, obj, root)


def _shown_bulb(bulb: Bulb, obj: Object, root: Collection) -> ShownBulb:
    scale = root.tomb_raider.scale
    x, y, z = world_matrix(obj).translation
    if bulb.color is None:
        red, green, blue = root.tomb_raider.level.fog_color
        return ShownBulb((x, y, z), bulb.radius * scale, bulb.strength, (red, green, blue))
    return ShownBulb((x, y, z), bulb.radius * scale, bulb.strength / scale, bulb.color)
