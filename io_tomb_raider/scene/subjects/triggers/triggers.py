"""Triggers (documentation, chapters 4.4.4 to 4.6) as boxes on sectors.

An object represents a rectangle of sectors of one room with the same trigger. It is an empty that is shown as
a box over the rectangle: moving and scaling it moves the trigger to other sectors. Actions have pointers to
entities, cameras, sinks and flyby cameras.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Object

from ....formats import ExportError, FormatError
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.floor import (
    PARAMETER_LIMIT,
    TRIGGER_REST,
    TRIGGER_TIMER,
    Action,
    ActionType,
    Function,
    Functions,
    Rules,
    Trigger,
    TriggerType,
    joined_indices,
)
from ...core.context import ExportContext, ImportContext
from ...core.order import Numbers
from ...core.stages import (
    CAMERA_NUMBERS,
    CAMERAS,
    ENTITIES,
    ENTITY_NUMBERS,
    FLYBYS,
    ROOMS,
    ExportStage,
    ImportStage,
    Steps,
)
from ...core.subjects import Kind
from ..floor.floor_data import FLOOR, FloorExport
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from .places import HEIGHT, Placer, floor_height, place_on_sectors
from .unset import NO_EXTRA, NO_NUMBER, NO_SOURCE
from .values import CAMERA_ACTIONS, ENTITY_ACTIONS, Area, find_areas, refers, shown_timer, trigger_name

_DEFAULTS = {"mask": 31}  # of properties of triggers; others are 0

# --- Import ----------------------------------------


def import_triggers(context: ImportContext) -> None:
    """Make an object for every rectangle of sectors with the same trigger."""
    try:
        floor = context.decoded.floor_lists
    except FormatError as error:
        text = T("there are none, because the floor data is damaged ({error})", error=str(error))
        context.report.warn(T("Triggers"), text)
        return
    context.root.tomb_raider.imported |= {"TRIGGERS"}
    maker = _Maker(context, floor.data.rules)
    rooms = context.level.rooms
    indices = joined_indices(rooms)
    sectors = np.flatnonzero(floor.has_triggers(indices))
    triggered = list(zip(sectors.tolist(), floor.of(indices[sectors]), strict=True))
    starts = np.cumsum([0, *(len(room.sectors) for room in rooms)])
    bounds = np.searchsorted(sectors, starts).tolist()
    index = 0
    for number, (start, low, high) in enumerate(zip(starts.tolist(), bounds, bounds[1:], strict=False)):
        room_functions = ((sector - start, functions) for sector, functions in triggered[low:high])
        for area in find_areas(rooms[number], room_functions):
            maker.make(index, number, area)
            index += 1


class _Maker:
    """Makes objects of triggers."""

    def __init__(self, context: ImportContext, rules: Rules) -> None:
        self.context = context
        self.rooms, self.entities, self.cameras = ROOMS.of(context), ENTITIES.of(context), CAMERAS.of(context)
        flybys = FLYBYS.of(context)
        self.rules = rules
        self.home = context.collection("Triggers", Kind.TRIGGERS)
        self.sequences: dict[int, Object] = {}
        records = context.decoded.flybys if flybys else ()
        for obj, record in zip(flybys, records, strict=True):
            self.sequences.setdefault(int(record["sequence"]), obj)

    def make(self, index: int, room_number: int, area: Area) -> None:
        """Make the object of one trigger of a room; ``index`` counts the triggers of the level."""
        context = self.context
        obj = bpy.data.objects.new(f"{trigger_name(area.trigger.type, context.level.game)} {index}", None)
        height = floor_height(context.level.rooms[room_number], *area[:4])
        scale = context.space.scale
        obj.parent = room = self.rooms.objects[room_number]
        obj.location = (
            (area.x + area.width / 2) * SECTOR_SIZE * scale,
            (area.z + area.depth / 2) * SECTOR_SIZE * scale,
            (HEIGHT / 2 - height) * scale,
        )
        place_on_sectors(obj, context.space, area.width, area.depth)
        self.home.objects.link(obj)
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.TRIGGER, index
        settings.trigger.room = room
        self._fill(settings.trigger, area.trigger)

    def _fill(self, settings: Any, trigger: Trigger) -> None:
        values = {
            "type": trigger.type,
            "timer": shown_timer(trigger.timer, self.context.level.game),
            "one_shot": trigger.one_shot,
            "mask": trigger.mask,
            "rest": trigger.rest,
            "setup_rest": trigger.setup_rest,
            "source_rest": trigger.reference_rest,
        }
        for name, value in values.items():
            if value != _DEFAULTS.get(name, 0):  # for speed
                setattr(settings, name, value)
        if refers(trigger.type):
            if trigger.reference is None:
                settings.raw_source = NO_SOURCE
            else:
                self._point(settings, "source", trigger.reference, self.entities)
        for action in trigger.actions:
            self._act(settings.actions.add(), action, trigger.type)

    def _act(self, settings: Any, action: Action, trigger_type: int) -> None:
        kind, number = action.type, action.parameter
        settings.type = kind
        if kind in ENTITY_ACTIONS:
            # Conditions of TRNG may have other numbers here.
            is_condition = self.rules.trng and trigger_type == TriggerType.MONKEY
            is_unsure = is_condition and kind == ActionType.OBJECT
            self._point(settings, "target", number, () if is_unsure else self.entities)
        elif kind in CAMERA_ACTIONS:
            self._point(settings, "target", number, self.cameras)
        else:
            settings.number = number
            if kind == ActionType.FLYBY and number in self.sequences:
                settings.target = self.sequences[number]
        if kind in self.rules.extra_types:
            settings.extra = NO_EXTRA if action.extra is None else action.extra
            if action.stray_end:
                settings.stray_end = True

    @staticmethod
    def _point(settings: Any, name: str, number: int, objects: Sequence[Object]) -> None:
        if number < len(objects):
            setattr(settings, name, objects[number])
        else:
            setattr(settings, f"raw_{name}", number)


# --- Export ----------------------------------------


def export_triggers(
    context: ExportContext, where: Whereabouts, floor: FloorExport, entities: Numbers, cameras: Numbers
) -> None:
    """Replace the triggers of all rooms by those of the scene.

    Raises:
        ExportError: where a trigger is outside because of its room's transform, the number of a target is too
            high, or the original floor data is damaged.
    """
    if "TRIGGERS" not in context.root.tomb_raider.imported:
        return
    reader, placer = _Reader(context, floor.rules, entities, cameras), Placer(context, where)
    scene_triggers: dict[int, dict[int, list[tuple[Object, Trigger]]]] = {}
    for obj, _ in context.objects(Kind.TRIGGER):
        if placer.has_lost_room(obj):
            context.report.warn(obj.name, T("its room was deleted, so it is left out"))
            continue
        trigger = reader.read(obj)
        if trigger is None:
            continue
        sectors = placer.sectors(obj)
        if sectors and not trigger.actions:
            # Games would read the next words as actions, though some files have such triggers.
            sectors = [(room, sector) for room, sector in sectors if trigger in floor.functions(room)[sector]]
            if not sectors:
                context.report.warn(obj.name, T("it has no action, so it is left out"))
        for room, sector in sectors:
            scene_triggers.setdefault(room, {}).setdefault(sector, []).append((obj, trigger))
    for number, before in enumerate(floor.with_triggers()):
        room_triggers = scene_triggers.get(number, {})
        for sector in sorted(room_triggers.keys() | before.keys()):
            entries = room_triggers.get(sector, [])
            functions = before[sector] if sector in before else floor.functions(number)[sector]
            triggers = [trigger for _, trigger in entries]
            if triggers != [each for each in functions if isinstance(each, Trigger)]:
                floor.replace(number, sector, with_triggers(functions, triggers))
                first = entries[0][0].name if entries else ""
                for obj, _ in entries[1:]:
                    text = T("it shares a sector with {count}, and games use only that one", count=first)
                    context.report.warn(obj.name, text)


def with_triggers(functions: Functions, triggers: list[Trigger]) -> Functions:
    """Replace the triggers among functions at their positions; additional ones follow the last."""
    remaining = list(triggers)
    positions = [position for position, each in enumerate(functions) if isinstance(each, Trigger)]
    result: list[Function] = []
    for position, function in enumerate(functions):
        if not isinstance(function, Trigger):
            result.append(function)
        elif position == positions[-1]:
            result += remaining
        elif remaining:
            result.append(remaining.pop(0))
    return tuple(result if positions else [*result, *remaining])


class _Reader:
    """Reads triggers from objects."""

    def __init__(self, context: ExportContext, rules: Rules, entities: Numbers, cameras: Numbers) -> None:
        self.context = context
        self.rules = rules
        self.entities, self.cameras = entities.of, cameras.of
        flybys = context.objects(Kind.FLYBY)
        self.flybys = {obj: int(obj.tomb_raider.flyby.sequence) for obj, _ in flybys}
        self.sequences = set(self.flybys.values())
        self.old_sequences = set(context.decoded.flybys["sequence"].tolist())

    def read(self, obj: Object) -> Trigger | None:
        """Return the trigger of an object, or None with a warning."""
        settings = obj.tomb_raider.trigger
        reference = None
        if refers(settings.type) and not (settings.raw_source == NO_SOURCE and settings.source is None):
            reference = self._number(obj, settings.source, settings.raw_source, self.entities)
            if reference is None:
                self._warn(obj, T("it has no entity that sets it off"), settings.source, "entity")
                return None
        actions = (self._action(obj, each) for each in settings.actions)
        return Trigger(
            type=settings.type,
            timer=TRIGGER_TIMER.fit(settings.timer),
            one_shot=settings.one_shot,
            mask=settings.mask,
            reference=reference,
            actions=tuple(action for action in actions if action is not None),
            rest=TRIGGER_REST.only(settings.rest),
            setup_rest=settings.setup_rest,
            reference_rest=0 if reference is None else settings.source_rest,
        )

    def _action(self, obj: Object, settings: Any) -> Action | None:
        kind = settings.type
        number: int | None = settings.number
        if kind in ENTITY_ACTIONS or kind in CAMERA_ACTIONS:
            numbers = self.entities if kind in ENTITY_ACTIONS else self.cameras
            number = self._number(obj, settings.target, settings.raw_target, numbers)
        elif kind == ActionType.FLYBY:
            number = self._sequence(settings)
        if number is None:
            what = "entity" if kind in ENTITY_ACTIONS else "camera or sink"
            text = T("its action {label} has no target", label=_label(settings))
            self._warn(obj, text, settings.target, what)
            return None
        has_extra = kind in self.rules.extra_types and settings.extra != NO_EXTRA
        extra = settings.extra if has_extra else None
        return Action(kind, number, extra, has_extra and settings.stray_end)

    def _number(
        self, obj: Object, target: Object | None, raw: int, numbers: Mapping[Object, int]
    ) -> int | None:
        """Return the number of a target, None where it is not in the level."""
        number = raw if target is None else numbers.get(target, NO_NUMBER)
        if number > PARAMETER_LIMIT:
            problem = T(
                "the number of its target {name} is too high",
                name=obj.name if target is None else target.name,
            )
            raise ExportError(obj.name, problem, count=number, limit=PARAMETER_LIMIT)
        return number if number >= 0 else None

    def _sequence(self, settings: Any) -> int | None:
        """Return the number of a flyby's sequence, None where its cameras were deleted."""
        target, number = settings.target, settings.number
        if target is not None and target in self.flybys:
            return self.flybys[target]
        was_deleted = number in self.old_sequences and number not in self.sequences
        return None if was_deleted and "FLYBYS" in self.context.root.tomb_raider.imported else number

    def _warn(self, obj: Object, text: str, target: Object | None = None, what: str = "") -> None:
        reason = ""
        if target is not None:
            reason = T(" ({target} is no {what} of the level)", target=target.name, what=what)
        self.context.report.warn(obj.name, T("{text}, so it is left out{reason}", text=text, reason=reason))


def _label(settings: Any) -> str:
    """Return the name of an action."""
    try:
        return ActionType(settings.type).name.replace("_", " ").lower()
    except ValueError:
        return str(settings.type)


def _export(context: ExportContext) -> None:
    numbers = ENTITY_NUMBERS.of(context), CAMERA_NUMBERS.of(context)
    export_triggers(context, WHEREABOUTS.of(context), FLOOR.of(context), *numbers)


STEPS = Steps({ImportStage.REFERENCES: import_triggers}, {ExportStage.FUNCTIONS: _export})
