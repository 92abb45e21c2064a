"""Rooms that could not be connected: why, marked in 3D views, with a button for the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
from bpy.types import Object, UILayout

from ...formats.base import N_, Text
from ...scene.core import Kind
from ..base.layout.drawing import ViewDrawing, draw_batch, redraw_views
from ..base.text.i18n import translate

if TYPE_CHECKING:
    from ...scene.authoring.portals import Apart

_COLOR = (1.0, 0.3, 0.1, 0.9)
_WIDTH = 2.0
_SIDEBAR = 36  # letters in about the width of a sidebar
_LABELS = {
    "straighten": N_("Clear Rotation and Connect"),
    "snap": N_("Snap and Connect"),
    "move": N_("Move and Connect"),
}


class Reason(NamedTuple):
    """Why rooms are not connected, while they are where they were."""

    #: the transforms of the room, and of the one that it does not meet, if any, by session numbers.
    rooms: dict[int, tuple[float, ...]]
    text: Text  #: the reason.
    remedy: str  #: the value of a remedy, "" without one.
    points: Any  #: (n, 3) ends of lines in world space.


class _Cache:
    reasons: tuple[Reason, ...] = ()


_cache = _Cache()


def mark(reasons: Iterable[Apart]) -> None:
    """Show why rooms are not connected; without reasons, remove what was shown."""
    _cache.reasons = tuple(
        Reason(
            {room.session_uid: _transform(room) for room in (apart.room, apart.other) if room is not None},
            apart.text,
            apart.remedy.value,
            apart.lines.reshape(-1, 3),
        )
        for apart in reasons
    )
    redraw_views(None, bpy.context)


def shown_reasons() -> list[tuple[Reason, list[Object]]]:
    """Return the reasons whose rooms are where they were, with these rooms, of which the first one moves."""
    if not _cache.reasons:
        return []
    uids = {uid for reason in _cache.reasons for uid in reason.rooms}
    by_uid = {obj.session_uid: obj for obj in bpy.data.objects if obj.session_uid in uids}
    current = []
    for reason in _cache.reasons:
        rooms = [by_uid[uid] for uid in reason.rooms if uid in by_uid]
        if [_transform(room) for room in rooms] == list(reason.rooms.values()):
            current.append((reason, rooms))
    return current


def draw_reasons(layout: UILayout) -> None:
    """Draw the reasons, each with the button of its remedy."""
    import textwrap

    for reason, rooms in shown_reasons():
        box = layout.box()
        column = box.column(align=True)
        for number, line in enumerate(textwrap.wrap(translate(reason.text), _SIDEBAR)):
            column.label(text=line, translate=False, icon="INFO" if number == 0 else "BLANK1")
        if reason.remedy:
            text = translate(_LABELS[reason.remedy])
            button: Any = box.operator("tomb_raider.bring_together", text=text, translate=False)
            button.room, button.other = rooms[0].name, rooms[1].name if len(rooms) > 1 else ""


def _transform(room: Object) -> tuple[float, ...]:
    return tuple(value for row in room.matrix_world for value in row)


def _draw() -> None:
    """Draw the boxes of rooms that do not meet, and a line across the gap."""
    context: Any = bpy.context
    if _cache.reasons and context.mode == "OBJECT" and context.space_data.overlay.show_overlays:
        for reason, rooms in shown_reasons():
            if all(room.tomb_raider.kind == Kind.ROOM and room.visible_get() for room in rooms):
                draw_batch("LINES", reason.points, _COLOR, _WIDTH)


_drawing = ViewDrawing(_draw, "POST_VIEW")


def register() -> None:
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    _cache.reasons = ()
