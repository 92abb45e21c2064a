"""Actions of the floor: the first of those with the same curves is new, the others are copies of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import bpy
import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from .recording import ActionRecord

_SLOTTED = hasattr(bpy.types, "ActionSlot")
_LINEAR = 1

# How many keys a curve gets, their interpolations, and their positions.
_CurveKeys = tuple[int, NDArray[np.uint8], NDArray[np.float32]]


class Step(NamedTuple):
    """A step that makes an action.

    Attributes:
        number: of the action.
        source: of the action to copy, -1 for a new one.
        keys: of each curve.
    """

    number: int
    source: int
    keys: list[_CurveKeys]


def plan_actions(records: Sequence[ActionRecord]) -> list[Step]:
    """Return the cheapest order, before any clock runs: an importer knows which actions are alike."""
    steps: list[Step] = []
    sources: dict[tuple[Any, ...], int] = {}
    # By number of keys: a copy only needs additional ones.
    for number in sorted(range(len(records)), key=lambda place: _keys(records[place])):
        record = records[number]
        form = record.user, record.form()
        source = sources.get(form, -1)
        if source >= 0 and not _holds(records[source], record):
            source = -1
        had = [0] * len(record.curves) if source < 0 else [len(each.keys) for each in records[source].curves]
        linear = np.full(_keys(record) // 2, _LINEAR, np.uint8)
        keys = [
            ((len(curve.keys) - before) // 2, linear[: len(curve.keys) // 2], curve.keys)
            for curve, before in zip(record.curves, had, strict=True)
        ]
        steps.append(Step(number, source, keys))
        if record.curves:
            sources[form] = number
    return steps


def make_actions(
    records: Sequence[ActionRecord], steps: Sequence[Step], users: Sequence[Object | None]
) -> list[Action]:
    """Make actions with their curves from the steps of :func:`plan_actions`, and assign them to ``users``."""
    made: list[Any] = [None] * len(records)
    for number, source, keys in steps:
        record = records[number]
        if source < 0:
            action = bpy.data.actions.new(record.name)
            channels = _make_channels(action, users[number])
            _make_curves(channels, record)
        else:
            action = cast(Action, made[source].copy())
            action.name = record.name
            channels = _find_channels(action)
        made[number] = action
        _set_keys(channels, keys)
    for action, record in zip(made, records, strict=True):
        for name, value in record.settings.items():
            setattr(action, name, value)
        for name, frame in record.markers:
            action.pose_markers.new(name).frame = frame
    return made


def _keys(record: ActionRecord) -> int:
    return max((len(curve.keys) for curve in record.curves), default=0)


def _holds(source: ActionRecord, record: ActionRecord) -> bool:
    """Return whether a copy has at least as many keys as its source."""
    pairs = zip(source.curves, record.curves, strict=True)
    return all(len(had.keys) <= len(curve.keys) for had, curve in pairs)


def _make_curves(channels: Any, record: ActionRecord) -> None:
    groups: dict[str, Any] = {}
    for curve in record.curves:
        new = channels.fcurves.new(curve.path, index=curve.index)
        if curve.group:
            if curve.group not in groups:
                groups[curve.group] = channels.groups.new(curve.group)
            new.group = groups[curve.group]


def _set_keys(channels: Any, keys: Sequence[_CurveKeys]) -> None:
    # Keys are in order, so update(), which sorts them, is not needed.
    for curve, (more, linear, places) in zip(channels.fcurves, keys, strict=True):
        points = curve.keyframe_points
        if more:
            points.add(more)
            points.foreach_set("interpolation", linear)
        points.foreach_set("co", places)


def _make_channels(action: Action, user: Object | None) -> Any:
    if not _SLOTTED:
        return action
    if user is not None and hasattr(action, "fcurve_ensure_for_datablock"):
        # Creating a slot by itself makes Blender search the whole file.
        data: Any = user.animation_data_create()
        data.action = action
        action.fcurve_ensure_for_datablock(user, "location")
        data.action = None
        channels = _find_channels(action)
        channels.fcurves.clear()
        return channels
    slot = "Slot" if user is None else user.name
    strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
    return strip.channelbag(action.slots.new("OBJECT", slot), ensure=True)


def _find_channels(action: Action) -> Any:
    if not _SLOTTED:
        return action
    return action.layers[0].strips[0].channelbags[0]
