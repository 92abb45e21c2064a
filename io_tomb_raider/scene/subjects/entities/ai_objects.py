"""AI objects (documentation, chapter 7.4; TR4, TR5): markers for characters, and Lara's start positions.

In TR3 such markers are ordinary entities.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import ExportError
from ....formats.base import AI_OBJECT, T, put
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import put_position, take_over, warn_of_lost_transform, world_point
from ...core.space import angle_to_blender
from ...core.stages import ROOMS, ExportStage, ImportStage, Steps
from ...core.subjects import Kind
from ..rooms.location.choice import choose_room, place_in_room, placed_matrix
from ..rooms.location.where import WHEREABOUTS
from .entities import put_angle

_FIELDS = ("type", "ocb", "flags", "box")
_SIZE = 256  # units
_LIMIT = 0x7FFF

# --- Import ----------------------------------------


def import_ai_objects(context: ImportContext) -> None:
    """Make an empty for every AI object."""
    context.root.tomb_raider.imported |= {"AI_OBJECTS"}
    records, rooms = context.level.ai_objects, ROOMS.of(context)
    if not len(records):
        return
    parent = next(child for child in context.root.children if child.tomb_raider.kind == Kind.ENTITIES)
    for index, record in enumerate(records):
        name = context.names.numbered(context.names.entity(int(record["type"])), index)
        obj = bpy.data.objects.new(name, None)
        # The longest arrow shows its direction.
        obj.empty_display_type, obj.empty_display_size = "ARROWS", _SIZE * context.space.scale
        obj.show_name = True
        number = int(record["room"])
        place_in_room(context, rooms, obj, number, [record[axis] for axis in "xyz"])
        obj.rotation_euler.z = float(angle_to_blender(record["angle"]))
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.AI_OBJECT, index
        for field, value in ai_object_values(record).items():
            setattr(settings.ai_object, field, value)
        room = rooms.get(number)
        if room is not None:
            settings.ai_object.room = room
        parent.objects.link(obj)


def ai_object_values(record: np.void) -> dict[str, int]:
    """Return the values of an AI object's typed properties, by name."""
    return {name: int(record[name]) for name in _FIELDS}


# --- Export ----------------------------------------


def export_ai_objects(context: ExportContext) -> None:
    """Write the AI objects. Raises ExportError if a value does not fit its field, or there are too many."""
    before, where = context.level.ai_objects, WHEREABOUTS.of(context)
    objects = context.objects(Kind.AI_OBJECT)
    if len(objects) > _LIMIT:
        raise ExportError(T("AI Objects"), T("too many AI objects"), count=len(objects), limit=_LIMIT)
    records = np.zeros(len(objects), AI_OBJECT)
    for row, (obj, _) in enumerate(objects):
        context.note_place(obj, "ai_objects", row)
        index = obj.tomb_raider.index
        base = before[index] if 0 <= index < len(before) else None
        if base is not None:
            records[row] = base
        record = records[row]
        matrix = placed_matrix(context, where.plan, obj, context.original.ai_objects)
        warn_of_lost_transform(context, obj, matrix)
        point = world_point(context, obj, matrix)
        moved = put_position(record, point, obj.name, rebuild=context.rebuild) or base is None
        put_angle(record, matrix)
        settings = obj.tomb_raider.ai_object
        for name in _FIELDS:
            put(record, name, getattr(settings, name), obj.name)
        before_room = None if base is None else int(base["room"])
        room = choose_room(context, where, obj, settings.room, before_room, point, moved)
        put(record, "room", room, obj.name)
    context.level.ai_objects = take_over(context, "ai_objects", context.original.ai_objects, records)


STEPS = Steps({ImportStage.REFERENCES: import_ai_objects}, {ExportStage.REFERENCES: export_ai_objects})
