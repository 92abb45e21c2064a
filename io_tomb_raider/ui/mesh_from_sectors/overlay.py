"""Overlay in 3D views of the sectors where mesh and collision of the edited room are apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
from bpy.props import BoolProperty
from bpy.types import Object
from mathutils import Vector

from ...formats import ExportError, FormatError
from ...scene.core import Space, collision_of, world_matrix
from ..base.active import room_of
from ..base.layout.drawing import ViewDrawing, draw_batch, redraw_views
from ..base.levels import level_of

_PAUSE = 0.2  # seconds between comparisons while something is dragged
_COLOR = (1.0, 0.25, 0.6, 0.4)
_ABOVE = 8  # units: the squares are above the floor


class SectorSquares(NamedTuple):
    """Squares over the sectors of a room."""

    room: int  #: the session number of the room, since undo replaces data-blocks.
    points: list[tuple[float, ...]]  #: the corners of triangles in the world.


class _Cache:
    shown: SectorSquares | None = None


_cache = _Cache()


def edited_room() -> Object | None:
    """Return the room of the active object if that is in edit mode, or None."""
    active = bpy.context.view_layer.objects.active
    return room_of(active) if active is not None and active.mode == "EDIT" else None


def note_edit() -> None:
    """Schedule a comparison after an edit of a room or its collision. Delayed, as drags edit all the time."""
    is_wanted = _drawing.is_drawn and bpy.context.window_manager.tomb_raider_gaps
    if is_wanted and not bpy.app.timers.is_registered(compare):
        bpy.app.timers.register(compare, first_interval=_PAUSE)


def compare() -> None:
    """Compare mesh and sectors of the edited room; called by the timer."""
    room = edited_room()
    _cache.shown = None if room is None else shown_gaps(room)
    redraw_views(None, bpy.context)


def shown_gaps(room: Object) -> SectorSquares | None:
    """Return squares over the sectors where mesh and sectors of a room are apart, None if it has none."""
    from ...scene.authoring.collision_from_mesh import gaps_of
    from ...scene.core import original

    level, collision = level_of(room), collision_of(room)
    if level is None or collision is None:
        return None
    try:
        _, gaps = gaps_of(level, room, original.load(level))
        matrix = world_matrix(collision)
    except (ExportError, FormatError):  # the next check reports it
        return None
    squares = gaps.squares() - (0, _ABOVE, 0)
    points = Space.of(level).to_blender(squares[:, [0, 2, 1, 1, 2, 3]].reshape(-1, 3))
    return SectorSquares(room.session_uid, [(matrix @ Vector(point)).to_tuple() for point in points.tolist()])


def _draw() -> None:
    """Draw the squares in a 3D view."""
    context: Any = bpy.context
    shown = _cache.shown
    if shown is None or not shown.points or not context.window_manager.tomb_raider_gaps:
        return
    room = edited_room()
    if room is None or room.session_uid != shown.room or not context.space_data.overlay.show_overlays:
        return
    draw_batch("TRIS", shown.points, _COLOR)


_drawing = ViewDrawing(_draw, "POST_VIEW")


def register() -> None:
    bpy.types.WindowManager.tomb_raider_gaps = BoolProperty(
        name="Show Differences",
        default=True,
        description="Color sectors in Edit Mode where mesh and collision are 256 units or more apart",
        update=redraw_views,
    )
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    if bpy.app.timers.is_registered(compare):
        bpy.app.timers.unregister(compare)
    _cache.shown = None
    del bpy.types.WindowManager.tomb_raider_gaps
