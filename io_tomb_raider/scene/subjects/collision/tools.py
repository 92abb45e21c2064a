"""Tools for the selected sectors of a collision mesh; each tool changes an edit's sectors."""

from __future__ import annotations

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import CLICK, T
from ....formats.levels.collision import SIDE_BITS, TRIANGLES, WALL, Split, Surface, supports
from ...core.collision_faces import FacePart
from .edit import CollisionEdit
from .sectors import sector_bounds

_DEFAULT_HEIGHT = 1024
_LOWEST = 1 << 30  # units, below all floors


def _check(edit: CollisionEdit, is_known: bool, label: str) -> None:
    if not is_known:
        raise ExportError(edit.obj.name, T("{game} has no {name}", game=edit.game.name, name=label))


def set_mark(edit: CollisionEdit, mark: str, on: bool) -> int:
    """Set or clear a mark of the selected sectors, and return the number of changed ones.

    Raises:
        ExportError: if the game does not have the mark.
    """
    if on:
        game = edit.game if mark == "stopper" else edit.sector_game  # TRX has no edit for that one
        _check(edit, supports(game, mark), mark.replace("_", " "))
    column: NDArray[np.bool_] = getattr(edit.sectors, mark)
    changed = edit.selection.sectors & (column != on)
    column[changed] = on
    return int(changed.sum())


def set_material(edit: CollisionEdit, material: int) -> int:
    """Set the material (for footsteps) of the selected sectors, and return the number of changed ones.

    Raises:
        ExportError: if the game has no materials.
    """
    _check(edit, edit.game.traits.has_materials, "materials of sectors")
    changed = edit.selection.sectors & (edit.sectors.material != material)
    edit.sectors.material[changed] = material
    return int(changed.sum())


def set_climbable(edit: CollisionEdit, sides: int, on: bool) -> int:
    """Set whether walls are climbable, and return the number of changed sectors.

    Selected walls are changed, else sides of the selected sectors: the sum of 1 (+z), 2 (+x), 4 (-z), 8 (-x).

    Raises:
        ExportError: if the game has no climbing.
    """
    if on:
        _check(edit, edit.sector_game.traits.has_climbable_walls, "climbable walls")
    walls = edit.selection.walls
    bits = (walls * np.array(SIDE_BITS)).sum(axis=1)
    if not walls.any():
        bits = np.where(edit.selection.sectors, sides, 0)
    climb = edit.sectors.climb
    new = (climb | bits if on else climb & ~bits).astype(np.uint8)
    changed = int((new != climb).sum())
    edit.sectors.climb = new
    return changed


def raise_surfaces(edit: CollisionEdit, clicks: int) -> int:
    """Raise the selected floors and ceilings by steps of 256 units, and return the number of sectors."""
    for part, surface in _surfaces(edit):
        surface.heights[edit.selection.surface(part)] -= clicks * CLICK
    return int(_selected_open(edit).sum())


def flatten(edit: CollisionEdit) -> int:
    """Flatten selected floors to their lowest corner, ceilings to their highest; return how many sectors."""
    for part, surface in _surfaces(edit):
        chosen = edit.selection.surface(part).any(axis=1) & ~edit.sectors.wall
        corners = surface.corners()[chosen]
        level = corners.max(axis=(1, 2)) if part == FacePart.FLOOR else corners.min(axis=(1, 2))
        surface.heights[chosen] = level[:, None, None]
        _undivide(surface, chosen)
    return int(_selected_open(edit).sum())


def divide(edit: CollisionEdit, split: Split) -> int:
    """Split the selected floors and ceilings along a line, and return the number of sectors.

    With ``NONE``, only surfaces that are not planar stay split.

    Raises:
        ExportError: if the game does not support split surfaces.
    """
    if split != Split.NONE:
        _check(
            edit, edit.sector_game.traits.has_triangulated_floors, T("floors and ceilings of two triangles")
        )
    for part, surface in _surfaces(edit):
        chosen = edit.selection.surface(part).any(axis=1) & ~edit.sectors.wall
        second = TRIANGLES[surface.split[chosen], 1, :1]
        corners = surface.heights[chosen]
        apex = np.take_along_axis(corners[:, 1], second, axis=1)
        np.put_along_axis(corners[:, 0], second, apex, axis=1)
        surface.heights[chosen] = corners[:, :1]
        _undivide(surface, chosen)
        surface.split[chosen] = split
        edit.selection.surface(part)[chosen] = True
    return int(_selected_open(edit).sum())


def _undivide(surface: Surface, chosen: NDArray[np.bool_]) -> None:
    surface.split[chosen] = Split.NONE
    surface.open_triangle[chosen] = -1


def _surfaces(edit: CollisionEdit) -> tuple[tuple[FacePart, Surface], tuple[FacePart, Surface]]:
    return (FacePart.FLOOR, edit.sectors.floor), (FacePart.CEILING, edit.sectors.ceiling)


def _selected_open(edit: CollisionEdit) -> NDArray[np.bool_]:
    chosen = edit.selection
    return np.asarray((chosen.floor | chosen.ceiling).any(axis=1) & ~edit.sectors.wall)


# --- Walls ----------------------------------------


def make_walls(edit: CollisionEdit) -> int:
    """Make the selected sectors walls without openings, and return the number of changed ones."""
    sectors = edit.sectors
    chosen = edit.selection.sectors & ~sectors.wall
    sectors.wall[chosen] = True
    for surface in (sectors.floor, sectors.ceiling):
        surface.heights[chosen] = WALL * CLICK
        _undivide(surface, chosen)
    for name in ("room_below", "room_above", "portal", "box"):
        getattr(sectors, name)[chosen] = -1
    for name in ("climb", "monkey_swing", "death"):
        getattr(sectors, name)[chosen] = 0
    edit.selection.solid |= chosen
    return int(chosen.sum())


def make_floors(edit: CollisionEdit) -> int:
    """Open the selected walls to the heights of their neighbors, and return the number of sectors."""
    sectors = edit.sectors
    chosen = (edit.selection.solid | _sectors_behind(edit)) & sectors.wall
    count, bounds = int(chosen.sum()), sector_bounds(sectors) or (-_DEFAULT_HEIGHT, 0)
    ceilings, floors = np.full(count, _LOWEST), np.full(count, -_LOWEST)
    for side in range(4):
        neighbor = edit.grid.neighbors(side)[chosen]
        at = np.maximum(neighbor, 0)
        is_open = (neighbor >= 0) & ~sectors.wall[at] & (sectors.portal[at] < 0)
        floor = sectors.floor.corners()[at].max(axis=(1, 2))
        ceiling = sectors.ceiling.corners()[at].min(axis=(1, 2))
        floors = np.where(is_open, np.maximum(floors, floor), floors)
        ceilings = np.where(is_open, np.minimum(ceilings, ceiling), ceilings)
    is_alone = floors == -_LOWEST
    ceilings[is_alone], floors[is_alone] = bounds
    for surface, heights in ((sectors.floor, floors), (sectors.ceiling, ceilings)):
        surface.heights[chosen] = heights[:, None, None]
        _undivide(surface, chosen)
    sectors.wall[chosen] = False
    sectors.portal[chosen] = -1
    edit.selection.floor[chosen] = True
    return count


# --- Openings to other rooms ----------------------------------------


def open_to(edit: CollisionEdit, room: Object) -> int:
    """Open the selected floors, ceilings and walls to a room, and return the number of sectors.

    One triangle of a split surface can be open alone. For a wall, the sector behind it becomes a portal to
    the room.
    """
    number = edit.place_of(room)
    sectors = edit.sectors
    for part, surface in _surfaces(edit):
        mask = edit.selection.surface(part)
        chosen = mask.any(axis=1) & ~sectors.wall
        rooms = sectors.room_below if part == FacePart.FLOOR else sectors.room_above
        single = chosen & (mask.sum(axis=1) == 1) & (surface.split != Split.NONE)
        rooms[chosen] = number
        surface.open_triangle[chosen] = -1
        surface.open_triangle[single] = mask[single].argmax(axis=1)
    chosen = edit.selection.solid | _sectors_behind(edit)
    sectors.portal[chosen] = number
    return int((_selected_open(edit) | chosen).sum())


def close(edit: CollisionEdit) -> int:
    """Close the selected floors, ceilings and walls, and return the number of sectors."""
    sectors = edit.sectors
    for part, surface in _surfaces(edit):
        chosen = edit.selection.surface(part).any(axis=1)
        rooms = sectors.room_below if part == FacePart.FLOOR else sectors.room_above
        rooms[chosen], surface.open_triangle[chosen] = -1, -1
    grounds = edit.selection.floor.any(axis=1) | edit.selection.solid | _sectors_behind(edit)
    was_open = grounds & (sectors.portal >= 0)
    sectors.portal[grounds] = -1
    return int((_selected_open(edit) | was_open).sum())


def _sectors_behind(edit: CollisionEdit) -> NDArray[np.bool_]:
    """Return whether sectors, (n,), are walls or openings behind the selected walls."""
    behind = np.zeros(len(edit.sectors.wall), bool)
    for side in range(4):
        neighbor = edit.grid.neighbors(side)[edit.selection.walls[:, side]]
        behind[neighbor[neighbor >= 0]] = True
    return behind & (edit.sectors.wall | (edit.sectors.portal >= 0))
