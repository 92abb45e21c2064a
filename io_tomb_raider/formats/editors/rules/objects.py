"""Rules of the objects and triggers of projects."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import numpy as np

from ...base.messages import N_
from ...base.targets import Target
from ...base.units import SECTOR_SIZE
from ...edits.rules.rule import Harm
from ...levels.floor.functions import ActionType, TriggerType
from ..projects.compile.plan.plan import target_of
from ..projects.compile.rooms.triggers import TARGET_CLASSES
from ..projects.model.objects import (
    Camera,
    Flyby,
    Light,
    LightKind,
    Moveable,
    Parameter,
    ParameterKind,
    Positioned,
    ProjectTrigger,
    Sink,
    SoundSource,
    Static,
)
from ..projects.model.parameters import CONDITION, FLYBY, LOOK_AT, MONKEY, has_parameters, is_compiled
from ..projects.model.rooms import ProjectRoom
from .view import ALL_TARGETS, CLASSIC, CheckedProject, rule

MOST_SCRIPT_ID = 5999
_MOST_SLOT = 0xFFFF
_SCRIPTED = (Moveable, Static, Camera, Sink, SoundSource, Flyby)
_TEN_TARGETS = (16, 17)
# Targets that are a number: those of flip maps and all after, with few exceptions.
_WITH_NUMBER = frozenset(range(ActionType.FLIP_MAP, ActionType.SECRET + 1)) - {LOOK_AT}


def _numbers(checked: CheckedProject) -> list[int]:
    taken: set[int] = set()
    result = []
    for room in checked.rooms:
        for obj in room.objects:
            if obj.number >= 0 and obj.number in taken:
                result.append(room.number)
            taken.add(obj.number)
    return result


def _script_ids(checked: CheckedProject) -> list[int]:
    taken: set[int] = set()
    result = []
    for room in checked.rooms:
        for obj in room.each(Positioned):
            if not isinstance(obj, _SCRIPTED) or obj.script_id == -1:
                continue
            if not 0 <= obj.script_id <= MOST_SCRIPT_ID or obj.script_id in taken:
                result.append(room.number)
            taken.add(obj.script_id)
    return result


def _is_outside(obj: Positioned, room: ProjectRoom) -> bool:
    x, _, z = obj.position
    if not (isfinite(x) and isfinite(z)):
        return False
    shape = room.shape
    return not (0 <= x < shape.x_sectors * SECTOR_SIZE and 0 <= z < shape.z_sectors * SECTOR_SIZE)


def _outside(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        for obj in room.each(Positioned)
        if isinstance(obj, Moveable | Camera | Flyby | SoundSource) and _is_outside(obj, room)
    ]


def _sinks_outside(checked: CheckedProject) -> list[int]:
    return [room.number for room in checked.rooms for obj in room.each(Sink) if _is_outside(obj, room)]


def _slots(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        for obj in room.objects
        if isinstance(obj, Moveable | Static) and not 0 <= obj.slot <= _MOST_SLOT
    ]


def _lights(checked: CheckedProject) -> list[int]:
    kinds = frozenset(LightKind)
    return [room.number for room in checked.rooms for light in room.each(Light) if light.kind not in kinds]


def _triggers(checked: CheckedProject) -> Iterator[tuple[ProjectRoom, ProjectTrigger]]:
    return ((room, trigger) for room in checked.rooms for trigger in room.each(ProjectTrigger))


def _on_border(checked: CheckedProject) -> list[int]:
    result = []
    for room, trigger in _triggers(checked):
        x0, z0, x1, z1 = trigger.area
        inner = np.zeros_like(room.shape.wall)
        inner[1:-1, 1:-1] = True
        area = np.zeros_like(inner)
        area[max(min(z0, z1), 0) : max(z0, z1) + 1, max(min(x0, x1), 0) : max(x0, x1) + 1] = True
        if not (area & inner).any():
            result.append(room.number)
    return result


def _has_form(checked: CheckedProject, trigger: ProjectTrigger) -> bool:
    """Return whether the editor has a trigger's type and kind of target for the target of the project."""
    settings = checked.project.settings
    if settings.is_tomb_engine:
        has_type = trigger.type <= MONKEY and trigger.type not in (CONDITION, TriggerType.SKELETON)
        return has_type and (
            trigger.target_type <= ActionType.SECRET or trigger.target_type in (FLYBY, *_TEN_TARGETS)
        )
    target = target_of(settings.game_version)
    return is_compiled(trigger, target.game, trng=target.trng, trx=target.engine is Target.TRX)


def _unknown(checked: CheckedProject) -> list[int]:
    return [room.number for room, trigger in _triggers(checked) if not _has_form(checked, trigger)]


def _fits(checked: CheckedProject, trigger: ProjectTrigger) -> bool:
    """Return whether the parameters of a trigger are of the kinds that the editor compiles."""
    settings = checked.project.settings
    target = target_of(settings.game_version)
    kinds = [
        ParameterKind.NONE if _is_missing(checked, each) else each.kind
        for each in (trigger.target, trigger.timer, trigger.extra)
    ]
    obj = checked.objects.get(int(trigger.target.value)) if kinds[0] == ParameterKind.OBJECT else None
    expected = TARGET_CLASSES.get(trigger.target_type)
    if expected is not None:
        has_target = isinstance(obj, expected)
    elif trigger.target_type in _TEN_TARGETS:
        has_target = kinds[0] == ParameterKind.STRING
    else:
        has_target = trigger.target_type not in _WITH_NUMBER or kinds[0] == ParameterKind.NUMBER
    if trigger.plugin.kind == ParameterKind.NUMBER and int(trigger.plugin.value) > 0:
        return has_target  # the files of plugins list the others
    if settings.is_tomb_engine:
        expected_kinds = True, False
    else:
        expected_kinds = has_parameters(trigger, target.game, trng=target.trng)
    return has_target and all(
        kind == (ParameterKind.NUMBER if has else ParameterKind.NONE)
        for kind, has in zip(kinds[1:], expected_kinds, strict=True)
    )


def _is_missing(checked: CheckedProject, parameter: Parameter) -> bool:
    """Return whether a parameter names an object or a room that does not exist."""
    if parameter.kind == ParameterKind.OBJECT:
        return parameter.value not in checked.objects
    return parameter.kind == ParameterKind.ROOM and parameter.value not in checked.by_number


def _wrong_parameters(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room, trigger in _triggers(checked)
        if _has_form(checked, trigger) and not _fits(checked, trigger)
    ]


RULES = (
    rule(
        "numbers of objects",
        Harm.WRONG,
        ALL_TARGETS,
        N_("Tomb Editor takes {count} of its objects for others: these have the same numbers"),
        _numbers,
        "room",
    ),
    rule(
        "script ids",
        Harm.MISSING,
        CLASSIC,
        N_(
            "Tomb Editor drops {count} of its objects: their script ids are not within 0 to 5999, "
            "or another object has them"
        ),
        _script_ids,
        "room",
    ),
    rule(
        "objects outside",
        Harm.WRONG,
        CLASSIC,
        N_(
            "Tomb Editor gives {count} of its objects the data of other sectors: they are outside of the room"
        ),
        _outside,
        "room",
    ),
    rule(
        "sinks outside",
        Harm.CRASH,
        CLASSIC,
        N_("Tomb Editor cannot compile the level: {count} of its sinks are outside of the room"),
        _sinks_outside,
        "room",
    ),
    rule(
        "slots of objects",
        Harm.CRASH,
        ALL_TARGETS,
        N_("Tomb Editor cannot compile the level: {count} of its objects have a slot above 65535"),
        _slots,
        "room",
    ),
    rule(
        "types of lights",
        Harm.CRASH,
        ALL_TARGETS,
        N_("Tomb Editor cannot compile the level: {count} of its lights have an unknown type"),
        _lights,
        "room",
    ),
    rule(
        "triggers on the border",
        Harm.WRONG,
        ALL_TARGETS,
        N_("Tomb Editor ignores {count} of its triggers: they are on the border of the room"),
        _on_border,
        "room",
    ),
    rule(
        "kinds of triggers",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor does not compile {count} of its triggers: the game has no such type or action"),
        _unknown,
        "room",
    ),
    rule(
        "parameters of triggers",
        Harm.MISSING,
        ALL_TARGETS,
        N_(
            "Tomb Editor does not compile {count} of its triggers: their target does not exist, "
            "or they have other parameters than it lists"
        ),
        _wrong_parameters,
        "room",
    ),
)
