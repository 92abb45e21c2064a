"""The start of a level's recorded demo, and its removal. The recorded inputs are kept as they are."""

from __future__ import annotations

import numpy as np

from ....formats.base import T
from ....formats.levels.level import DemoStart, demo_start, put_demo_start
from ...core.context import ExportContext, ImportContext
from ...core.space import Space, angle_to_blender, angle_to_file
from ...core.stages import RoomObjects
from .location.where import Whereabouts


def import_demo(context: ImportContext, rooms: RoomObjects) -> None:
    """Set the position, the angle and the room where the demo starts."""
    start = demo_start(context.level)
    if start is None:
        return
    settings = context.root.tomb_raider.level
    settings.demo_place, settings.demo_angle = _shown(context.space, start)
    settings.demo_room = rooms.get(start.room)


def _shown(space: Space, start: DemoStart) -> tuple[tuple[float, ...], float]:
    """Return the values of the properties for a start."""
    return tuple(space.to_blender(start.position).tolist()), float(angle_to_blender(start.angle))


def export_demo(context: ExportContext, where: Whereabouts) -> None:
    """Write the start of the demo with the new number of its room, or remove the demo."""
    start = demo_start(context.level)
    if start is None:
        return
    settings = context.root.tomb_raider.level
    if not settings.has_demo:
        context.level.demo_data = context.level.demo_data[:0]
        context.rebuilt.count("demo_data")
        return
    new = start._replace(room=_room_number(context, where, start))
    if settings.is_property_set("demo_place"):  # files of older versions have none
        position, angle = tuple(settings.demo_place), float(settings.demo_angle)
        old_position, old_angle = _shown(context.space, start)
        if not np.allclose(position, old_position, rtol=1e-6, atol=1e-6):
            new = new._replace(position=context.space.to_file_int(position, "Demo"))
        if not np.isclose(angle, old_angle, rtol=1e-6, atol=1e-6):
            new = new._replace(angle=int(angle_to_file(angle)))
    if not np.array_equal(new.position, start.position) or new[1:] != start[1:]:
        put_demo_start(context.level, new)
        context.rebuilt.count("demo_data")


def _room_number(context: ExportContext, where: Whereabouts, start: DemoStart) -> int:
    """Return the number of the room where the demo starts; warn if that was deleted."""
    chosen = where.plan.numbers.get(context.root.tomb_raider.level.demo_room)
    if chosen is not None:
        return chosen
    number = where.plan.number(start.room)
    if number >= 0:
        return number
    containing = where.find(start.position)
    if containing is None:
        text = T("the room where the demo starts was deleted, so the demo will not play")
        context.report.warn("Demo", text)
    return containing or 0
