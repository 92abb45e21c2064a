"""Animations whose keys were scaled by Blender's own tools, which leave speeds and ranges as they are."""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from bpy.types import Action

from .....formats.base import T
from .....formats.levels.animations import Keys, angles_from_quaternions
from ....core.reporting.report import Report
from ....core.space import Space, whole
from ...models.poses import positions_to_file, rotations_to_file
from ...models.read import Rig
from .action_curves import ActionCurves

_FEWEST = 3  # keys; two poses may be the same by chance
_RATES = ("speed", "acceleration", "lateral_speed", "lateral_acceleration")


def is_stretched(curves: ActionCurves, rig: Rig, old: Keys, old_rate: int, bits: int, space: Space) -> bool:
    """Return whether an action has the poses of an animation at keys with other distances.

    Keys that were snapped to frames count, too, and some may be missing.
    """
    frames = curves.key_frames()
    if min(len(frames), len(old)) < _FEWEST or frames[-1] <= frames[0]:
        return False
    numbers = np.rint((frames - frames[0]) * (len(old) - 1) / (frames[-1] - frames[0])).astype(np.int64)
    if np.abs(frames - frames[0] - numbers * old_rate).max() < 0.5:
        return False
    rotations, locations = curves.poses(frames)
    if not (np.isfinite(rotations).all() and np.isfinite(locations).all()):
        return False
    angles, bones = old.angles[numbers], len(rig.names)
    posed = angles_from_quaternions(rotations_to_file(rotations, rig.frames), bits, hints=angles[:, :bones])
    positions = whole(positions_to_file(locations, rig.frames[0], rig.head, space))
    return bool((posed == angles[:, :bones]).all() and (positions == old.offsets[numbers]).all())


def counts_ticks(action: Action, changed: Container[str]) -> bool:
    """Return whether an action has speeds or ranges of state changes, and all are those of the file."""
    settings = action.tomb_raider
    if any(name in changed for name in (*_RATES, "state_changes")):
        return False
    return any(getattr(settings, name) for name in _RATES) or any(
        not row.is_empty for row in settings.dispatches
    )


def warn_of_stretched(action: Action, ticks: int, old_ticks: int, report: Report) -> None:
    """Warn that an animation lasts longer or shorter, but has its old speeds and ranges."""
    text = T(
        "its keys were moved, so it lasts {ticks} ticks instead of {old_ticks}",
        ticks=ticks + 1,
        old_ticks=old_ticks + 1,
    )
    hint = T("undo this and use Retime, which changes them too")
    report.warn(
        action.name,
        T(
            "{text}, but its speeds and the ranges of its state changes are unchanged: {hint}",
            text=text,
            hint=hint,
        ),
    )
