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
_LABELS = {
    "straighten": N_("Clear Rotation and Connect"),
    "snap": N_("Snap and Connect"),
    "move": N_("Move and Connect"),
}


class Shown(NamedTuple):
    """A reason, while its rooms are where they were.

    Attributes:
        rooms: the room, and the one that it does not meet, if any, by session numbers, with their places.
        text: the reason.
        remedy: the value of a remedy, "" without one.
        points: (n, 3) ends of lines in world space.
    """

    rooms: dict[int, tuple[float, ...]]
    text: Text
    remedy: str
    points: Any


class _Cache:
    shown: tuple[Shown, ...] = ()


_cache = _Cache()


def mark(reasons: Iterable[Apart]) -> None:
    """Show why rooms are not connected; without reasons, remove what was shown."""
    _cache.shown = tuple(
        Shown(
            {each.session_uid: _place(each) for each in (apart.room, apart.other) if each is not None},
            apart.text,
            apart.remedy.value,
            apart.lines.reshape(-1, 3),
        )
        for apart in reasons
    )
    redraw_views(None, bpy.context)


def shown_reasons() -> list[tuple[Shown, list[Object]]]:
    """Return the reasons whose rooms are where they were, with these rooms, of which the first one moves."""
    if not _cache.shown:
        return []
    wanted = {uid for shown in _cache.shown for uid in shown.rooms}
    found = {obj.session_uid: obj for obj in bpy.data.objects if obj.session_uid in wanted}
    current = []
    for shown in _cache.shown:
        rooms = [found[uid] for uid in shown.rooms if uid in found]
        if [_place(room) for room in rooms] == list(shown.rooms.values()):
            current.append((shown, rooms))
    return current


def draw_reasons(layout: UILayout) -> None:
    """Draw the reasons, each with the button of its remedy."""
    for shown, rooms in shown_reasons():
        box = layout.box()
        column = box.column(align=True)
        for number, line in enumerate(_lines(translate(shown.text))):
            column.label(text=line, translate=False, icon="INFO" if number == 0 else "BLANK1")
        if shown.remedy:
            button: Any = box.operator(
                "tomb_raider.bring_together", text=translate(_LABELS[shown.remedy]), translate=False
            )
            button.room, button.other = rooms[0].name, rooms[1].name if len(rooms) > 1 else ""


def _lines(text: str, width: int = 36) -> list[str]:
    """Return a text in lines of about the width of a sidebar."""
    import textwrap

    return textwrap.wrap(text, width)


def _place(room: Object) -> tuple[float, ...]:
    return tuple(part for row in room.matrix_world for part in row)


def _draw() -> None:
    """Draw the boxes of rooms that do not meet, and a line across the gap."""
    context: Any = bpy.context
    if _cache.shown and context.mode == "OBJECT" and context.space_data.overlay.show_overlays:
        for shown, rooms in shown_reasons():
            if all(room.tomb_raider.kind == Kind.ROOM and room.visible_get() for room in rooms):
                draw_batch("LINES", shown.points, _COLOR, _WIDTH)


_drawing = ViewDrawing(_draw, "POST_VIEW")


def register() -> None:
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    _cache.shown = ()
