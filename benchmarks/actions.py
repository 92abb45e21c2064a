"""Actions of the floor: the first of those that have the same curves is made, all others are copies of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import bpy
import numpy as np
from bpy.types import Action, Object

from .recording import ActionRecord

_SLOTTED = hasattr(bpy.types, "ActionSlot")
_LINEAR = 1


def make_actions(records: Sequence[ActionRecord], users: Sequence[Object | None]) -> list[Action]:
    """Make actions with their curves, in the order that is cheapest; ``users`` are whose actions they are."""
    made: list[Any] = [None] * len(records)
    sources: dict[tuple[Any, ...], tuple[Action, ActionRecord]] = {}
    # By the number of their keys: a copy needs no others than those that it has more.
    for number in sorted(range(len(records)), key=lambda place: _keys(records[place])):
        record = records[number]
        form = record.user, record.form()
        source = sources.get(form)
        if source is None or not _holds(source[1], record):
            action = bpy.data.actions.new(record.name)
            channels = _make_channels(action, users[number])
            _make_curves(channels, record)
            had = [0] * len(record.curves)
        else:
            action = cast(Action, source[0].copy())
            action.name = record.name
            channels = _find_channels(action)
            had = [len(curve.keys) for curve in source[1].curves]
        made[number] = action
        if _set_keys(channels, record, had):
            sources[form] = action, record
    for action, record in zip(made, records, strict=True):
        for name, value in record.settings.items():
            setattr(action, name, value)
        for name, frame in record.markers:
            action.pose_markers.new(name).frame = frame
    return made


def _keys(record: ActionRecord) -> int:
    return max((len(curve.keys) for curve in record.curves), default=0)


def _holds(source: ActionRecord, record: ActionRecord) -> bool:
    """Tell whether a copy needs no key less."""
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


def _set_keys(channels: Any, record: ActionRecord, had: list[int]) -> bool:
    """Set the keys of curves that have some already. Tell whether there are any."""
    # Keys come in order, so that update(), which sorts them, is not needed.
    for curve, each, before in zip(channels.fcurves, record.curves, had, strict=True):
        points, more = curve.keyframe_points, (len(each.keys) - before) // 2
        if more:
            points.add(more)
            points.foreach_set("interpolation", np.full(len(each.keys) // 2, _LINEAR, np.uint8))
        points.foreach_set("co", each.keys)
    return bool(record.curves)


def _make_channels(action: Action, user: Object | None) -> Any:
    if not _SLOTTED:
        return action
    if user is not None and hasattr(action, "fcurve_ensure_for_datablock"):
        # A slot that is made by itself is looked for in all that the file has.
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
