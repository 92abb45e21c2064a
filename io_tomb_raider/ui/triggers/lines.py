"""Overlay of lines from triggers to their targets and sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from bpy.props import EnumProperty
from bpy.types import Context, Object

from ...formats import ExportError
from ...scene.core import Kind, members, world_matrix
from ...scene.properties import CONTEXT
from ..base.layout.drawing import ViewDrawing, draw_batch, redraw_views
from ..base.levels import all_levels, level_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MODES = [
    ("NONE", "Off", "No lines", 0),
    ("SELECTED", "Selected", "Lines of the selected triggers, and of those that act on selected objects", 1),
    ("ALL", "All", "Lines of all visible triggers", 2),
]
_END_KINDS = frozenset({Kind.ENTITY, Kind.AI_OBJECT, Kind.CAMERA, Kind.SINK, Kind.FLYBY})
_TARGET = (0.2, 0.9, 0.4, 0.9)
_SOURCE = (1.0, 0.6, 0.1, 0.9)


class Lines(NamedTuple):
    """Lines to draw."""

    positions: NDArray[np.float32]  #: (2n, 3) float32, start and end of each in world space.
    colors: NDArray[np.float32]  #: (2n, 4) float32, linear, with alpha.


def ends_of(obj: Object) -> Iterator[Object]:
    """Yield the targets of a trigger, and the object that sets it off."""
    return (end for end, _ in _ends(obj))


def _ends(obj: Object) -> Iterator[tuple[Object, bool]]:
    """Yield the ends of a trigger's lines, each with whether it is the source instead of a target."""
    from ...scene.subjects.triggers import TARGET_ACTIONS, refers

    if obj.tomb_raider.kind != Kind.TRIGGER:
        return
    settings = obj.tomb_raider.trigger
    if settings.source is not None and refers(settings.type):
        yield settings.source, True
    for action in settings.actions:
        if action.target is not None and action.type in TARGET_ACTIONS:
            yield action.target, False


def lines_of(objects: Iterable[Object]) -> Lines:
    """Return the lines of triggers, also to hidden objects. Other objects have no lines."""
    positions: list[Any] = []
    colors: list[tuple[float, ...]] = []
    for obj in objects:
        for end, is_source in _ends(obj):
            try:
                ends = world_matrix(obj).translation, world_matrix(end).translation
            except ExportError:  # transforms that are not numbers have no position
                continue
            positions += ends
            colors += [_SOURCE if is_source else _TARGET] * 2
    return Lines(np.array(positions, np.float32).reshape(-1, 3), np.array(colors, np.float32).reshape(-1, 4))


def triggers_acting_on(objects: Iterable[Object], *, is_drawing: bool = False) -> Iterator[Object]:
    """Yield the triggers that act on objects, or are set off by them. One flyby camera means its sequence.

    For a drawing, only the triggers' own collection is searched, since a level has thousands of objects.
    """
    targets = set(objects)
    flybys = [obj for obj in targets if obj.tomb_raider.kind == Kind.FLYBY]
    sequences = {(level_of(obj), obj.tomb_raider.flyby.sequence) for obj in flybys}
    for level in all_levels() if targets else ():
        homes = [level]
        if is_drawing:
            homes = [child for child in level.children if child.tomb_raider.kind == Kind.TRIGGERS]
        for obj in (obj for home in homes for obj in members(home)):
            ends = set(ends_of(obj))
            flyby_ends = (end for end in ends if end.tomb_raider.kind == Kind.FLYBY)
            if not ends.isdisjoint(targets) or any(
                (level, end.tomb_raider.flyby.sequence) in sequences for end in flyby_ends
            ):
                yield obj


def shown_triggers(context: Context) -> list[Object]:
    """Return the triggers whose lines are enabled."""
    mode = context.window_manager.tomb_raider_trigger_lines
    if mode == "SELECTED":
        chosen = [obj for obj in context.selected_objects if obj.tomb_raider.kind == Kind.TRIGGER]
        others = (obj for obj in context.selected_objects if obj.tomb_raider.kind in _END_KINDS)
        return list(dict.fromkeys((*chosen, *triggers_acting_on(others, is_drawing=True))))
    if mode == "ALL":
        return [obj for obj in context.visible_objects if obj.tomb_raider.kind == Kind.TRIGGER]
    return []


def _draw() -> None:
    """Draw the lines in a 3D view. Nothing is stored between calls, since undo invalidates references."""
    context = bpy.context
    if not context.space_data.overlay.show_overlays:
        return
    lines = lines_of(shown_triggers(context))
    if not len(lines.positions):
        return
    draw_batch("LINES", lines.positions, lines.colors, 2)


_drawing = ViewDrawing(_draw, "POST_VIEW")


def register() -> None:
    bpy.types.WindowManager.tomb_raider_trigger_lines = EnumProperty(
        name="Lines",
        translation_context=CONTEXT,
        items=_MODES,
        default="SELECTED",
        description="Lines from triggers to their targets, and to the objects that set them off",
        update=redraw_views,
    )
    _drawing.register()


def unregister() -> None:
    _drawing.unregister()
    del bpy.types.WindowManager.tomb_raider_trigger_lines
