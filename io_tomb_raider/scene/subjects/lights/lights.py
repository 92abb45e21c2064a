"""Lights of rooms and TR5's fog bulbs (documentation, chapter 3.2.4) as Blender's lights."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix

from ....formats import Game
from ....formats.base import T, as_message, join_records
from ....formats.levels.lights import FOG, Values, is_placeholder, kind_of, new_light, put_integer_position
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import put_position, take_over, world_point
from ...core.space import world_matrix
from ...core.stages import ROOMS, ExportStage, ImportStage, RoomObjects, Steps
from ...core.subjects import Kind
from ..rooms.location.listed import RoomLists, places_in_rooms, put_in_room
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from .display import apply_to_new, look_of, read_display
from .edits import read_edits
from .light_sync import set_values, typed_values, values_in
from .new_values import values_of_new
from .unsupported import warn_of_unsupported
from .values import light_values, values_of_lights, write_light

LABELS = {"POINT": "Light", "SUN": "Sun", "SPOT": "Spot", "SHADOW": "Shadow", "FOG": "Fog Bulb"}

# --- Import ----------------------------------------


def import_lights(context: ImportContext) -> None:
    """Make a light for every light of a room; for shadow lights and fog bulbs an empty."""
    context.root.tomb_raider.imported |= {"LIGHTS"}
    rooms, index = ROOMS.of(context), 0
    for section in ("lights", "fog_bulbs"):
        lists = [getattr(room, section) for room in context.level.rooms]
        if not any(map(len, lists)):
            continue
        records = join_records(lists)
        locations = places_in_rooms(context, lists)
        values = values_of_lights(records)
        numbers = np.repeat(np.arange(len(lists)), [len(each) for each in lists]).tolist()
        for record, room, each, location in zip(records, numbers, values, locations, strict=True):
            if not is_placeholder(record):
                _import_light(context, rooms, room, index, each, location)
            index += 1


def _import_light(
    context: ImportContext, rooms: RoomObjects, room: int, index: int, values: Values, location: list[float]
) -> None:
    game = context.level.game
    display = look_of(game, values, context.space.scale)
    name = f"{LABELS[kind_of(game, values)]} {index}"
    light = None if display.kind == "EMPTY" else bpy.data.lights.new(name, display.kind)  # type: ignore[arg-type]
    obj = bpy.data.objects.new(name, light)
    put_in_room(rooms, obj, room, location)
    apply_to_new(obj, display)
    settings = obj.tomb_raider
    settings.kind, settings.index = Kind.LIGHT, index
    light_settings = settings.light
    set_values(light_settings, values)
    light_settings.is_shown = True


def adopt_light(root: Collection, obj: Object) -> bool:
    """Make a user's lamp a light of the level; return False if the game has no such lights."""
    game, scale = Game[root.tomb_raider.game], root.tomb_raider.scale
    display = read_display(obj, world_matrix(obj))
    values = values_of_new(game, display.kind, display, scale)
    if values is None:
        return False
    _claim(root, obj, values)
    return True


def make_unlit(root: Collection, obj: Object, kind: str) -> None:
    """Make an empty a new shadow light or fog bulb of the level, for which Blender has no lamp."""
    game = Game[root.tomb_raider.game]
    scale = root.tomb_raider.scale
    values = values_of_new(game, kind, read_display(obj, world_matrix(obj)), scale)
    if values is not None:
        apply_to_new(obj, look_of(game, values, scale))
        _claim(root, obj, values)


def _claim(root: Collection, obj: Object, values: Values) -> None:
    settings = obj.tomb_raider
    set_values(settings.light, values)
    settings.light.is_shown = True
    settings.kind, settings.index, settings.origin = Kind.LIGHT, -1, root.tomb_raider.origin


# --- Export ----------------------------------------


def export_lights(context: ExportContext) -> None:
    """Write the lights and fog bulbs of all rooms.

    Raises:
        ExportError: if a light is in no room, or a value does not fit its field.
    """
    _LightExport(context, WHEREABOUTS.of(context)).run()


class _LightExport:
    def __init__(self, context: ExportContext, where: Whereabouts) -> None:
        self.context = context
        self.where = where
        self.game = context.original.game
        self._befores: list[Values] = []
        self.lights = RoomLists(context, where, "lights")
        self.fog_bulbs: RoomLists | None = None
        if self.game.traits.has_fog_bulb_list:
            self.fog_bulbs = RoomLists(context, where, "fog_bulbs", len(self.lights))

    def run(self) -> None:
        lights = self.lights.present(Kind.LIGHT)
        lists = (self.lights, self.fog_bulbs) if lights else ()
        # Lights and fog bulbs of the original have a common index.
        self._befores = [values for each in lists if each for values in values_of_lights(each.records)]
        for obj, index in lights:
            self._add(obj, index)
        bulbs = {} if self.fog_bulbs is None else self.fog_bulbs.finish("fog bulbs", 0xFFFF)
        self._keep_placeholders({room: len(records) for room, records in bulbs.items()})
        self._write("lights", self.lights.finish("lights", 0xFFFF))
        self._write("fog_bulbs", bulbs)

    def _add(self, obj: Object, index: int) -> None:
        settings = obj.tomb_raider
        source = settings.index
        before = self._befores[source] if 0 <= source < len(self._befores) else None
        matrix = self.context.space.matrix_of(obj)
        values = self._read(obj, settings.light, before, matrix)
        target = self._list_for(source, values)
        record = target.start(source)
        is_new = record is None
        if record is None or before is None:
            record = new_light(self.game, kind_of(self.game, values))
            before = light_values(record)
        write_light(record, before, values, obj.name, rebuild=self.context.rebuild)
        point = world_point(self.context, obj, matrix)
        if put_position(record, point, obj.name, rebuild=self.context.rebuild) or is_new:
            put_integer_position(record)
        # A light that became a fog bulb, or back, is new in its list.
        target.keep(target.room_of(obj, point), -1 if is_new else index, record, obj)

    def _read(self, obj: Object, settings: Any, before: Values | None, matrix: Matrix) -> Values:
        """Return the values of a light in the scene."""
        typed = typed_values(self.game, settings)
        if before is not None:
            typed |= values_in(settings, before)
        now = read_display(obj, matrix)
        shown_as = None if settings.is_shown else before
        result = read_edits(self.game, typed, shown_as, now, self.context.space.scale)
        warn_of_unsupported(self.context.report, obj, self.game, kind_of(self.game, result), now)
        return result

    def _list_for(self, index: int, values: Values) -> RoomLists:
        """Return the list for a light; TR5 has a separate list of fog bulbs."""
        if self.fog_bulbs is None or kind_of(self.game, values) != FOG:
            return self.lights
        original = self.lights.original(index)
        # A file may have lights with the type of fog bulbs.
        is_light = original is not None and int(original["type"]) == values["type"]
        return self.lights if is_light else self.fog_bulbs

    def _keep_placeholders(self, bulbs: dict[int, int]) -> None:
        """Keep the lights that original TR5 rooms list for every fog bulb, as many as there are bulbs."""
        if not self.game.traits.has_fog_bulb_list:
            return
        rooms = self.context.original.rooms
        originals = (record for room in rooms for record in room.lights)
        sample = next((record for record in originals if is_placeholder(record)), None)
        starts = np.cumsum([0, *(len(room.lights) for room in rooms)]).tolist()
        for number, source in enumerate(self.where.plan.sources):
            rows: list[int] = []
            count = bulbs.get(number, 0)
            if source >= 0:
                lights = rooms[source].lights
                rows = [row for row, record in enumerate(lights) if is_placeholder(record)]
                count = count if len(rows) == len(rooms[source].fog_bulbs) else len(rows)
            for index in rows[:count]:
                self.lights.keep(number, starts[source] + index, rooms[source].lights[index])
            for _ in range(count - len(rows) if sample is not None else 0):
                self.lights.keep(number, -1, sample)

    def _write(self, section: str, lists: dict[int, Any]) -> None:
        for number, records in lists.items():
            room = self.context.level.rooms[number]
            before = len(getattr(room, section))
            limit = self.context.limits.lights
            if len(records) > max(before, limit):
                kind = section.replace("_", " ")
                text = T(
                    "it has {count} {what}, more than the safe maximum of {limit}",
                    count=len(records),
                    what=as_message(kind),
                    limit=limit,
                )
                self.context.report.warn(self.where.plan.name(number), text)
            setattr(room, section, take_over(self.context, section, getattr(room, section), records))


STEPS = Steps({ImportStage.IN_ROOMS: import_lights}, {ExportStage.IN_ROOMS: export_lights})
