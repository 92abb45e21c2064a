"""Feet on the ground under a control rig: the floor goes back under a model, and a foot goes with it.

The bone *Ground* of a rig has keys in each animation in which a control follows it. They move it back as the
game moves the model forward, so that what follows it stays where it is in the game.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bpy.types import Action

from ....formats.base import Floats
from ...subjects.animations.keys.curves import bone_path
from ...subjects.animations.keys.ranges import first_frame, last_frame
from ...subjects.models.bones import is_actor
from ..control_rig.baking import staged
from ..control_rig.keys import KeySet, KeyWriter, remove_curves
from ..control_rig.match import RigAtRest
from ..control_rig.parts import RigLimb, RigPart, figure_of, rig_bone
from ..control_rig.space_keys import Hold, change_space
from ..control_rig.spaces import add_space
from .feet import SLOW, stays
from .paths import ground_covered
from .ticks import Ticks

_SHORTEST = 2  # ticks after the first one of a contact
_LACKING = 0.5  # units: a foot that is so far out of reach slides less than that in a tick
_SLIDES = 0.5  # of the animation's speed: a foot on the ground moves less, as in the games' own runs


def key_ground(rig: RigAtRest, action: Action) -> str:
    """Key the ground of an animation by its speed, and return the name of the bone."""
    bone = rig_bone(rig.armature, RigPart.GROUND)
    start = first_frame(action)
    count = max(last_frame(action) - start, 0) + 1
    way = -ground_covered(action, rig.armature, count)
    frames = start + np.arange(count, dtype=float)
    steps = np.diff(way, axis=0)
    if len(steps) > 1 and (steps == steps[0]).all():
        frames, way = frames[[0, -1]], way[[0, -1]]
    path = f"{bone_path(bone)}.location"
    with KeyWriter(rig.armature) as writer:
        remove_curves(action, rig.armature, path)
        writer.put(action, [KeySet(bone, frames, {(path, axis): way[:, axis] for axis in (0, 1)})])
    return bone


def contacts(ticks: Ticks, limb: RigLimb) -> list[tuple[int, int]]:
    """Return when the end of a limb can stay on the ground, as first and last ticks.

    In a loop, the last tick of a contact may be after the loop's end.
    """
    bone, count = ticks.rest.number(limb.name), len(ticks)
    heads = ticks.around()[1][count:] if ticks.is_loop else ticks.heads
    found = (_within_reach(ticks, limb, heads, *each) for each in _stays(ticks, bone))
    return [each for each in found if each is not None]


def _within_reach(
    ticks: Ticks, limb: RigLimb, heads: Floats, first: int, last: int
) -> tuple[int, int] | None:
    """Return the ticks of a contact at which a limb reaches its mean place, None for too few."""
    upper, lower, end = (ticks.rest.number(name) for name in limb.own[:3])
    rest = ticks.rest.heads
    length = np.linalg.norm(rest[lower] - rest[upper]) + np.linalg.norm(rest[end] - rest[lower])
    while last - first >= _SHORTEST:
        place = heads[first : last + 1, end].mean(axis=0)
        lacking = np.linalg.norm(heads[first : last + 1, upper] - place, axis=1) - length
        if lacking.max() < _LACKING * ticks.scale:
            return first, last
        first, last = (first + 1, last) if lacking[0] > lacking[-1] else (first, last - 1)
    return None


def _stays(ticks: Ticks, bone: int) -> list[tuple[int, int]]:
    speed = abs(ticks.way[-1] - ticks.way[0]).max() / ticks.scale / max(len(ticks) - 1, 1)
    slow = max(SLOW, _SLIDES * speed)
    count = len(ticks)
    if not ticks.is_loop:
        found = stays(ticks.heads[:, bone], ticks.scale, slow, anywhere=is_actor(ticks.model))
        return [(start, end - 1) for start, end in found]
    found = stays(ticks.around()[1][:, bone], ticks.scale, slow)
    inside = [(start - count, end - 1 - count) for start, end in found if count <= start < 2 * count]
    return [(start, min(end, start + count - 1)) for start, end in inside]


def hold_on_ground(
    rig: RigAtRest, action: Action, limb: RigLimb, first: int, last: int, tick: int | None = None
) -> None:
    """Have a limb's control stay on the ground between two ticks of an animation. It keeps its rotation.

    Args:
        rig: the rig of the model that the animation belongs to.
        first, last: ticks from the start; those after the end of a loop are at its start.
        tick: where it stays: as it is at this tick, by default at its mean place.
    """
    armature, start = rig.armature, first_frame(action)
    count = last_frame(action) - start + 1
    index = add_space(figure_of(armature), limb.target, key_ground(rig, action))
    ticks = np.arange(first, last + 1)
    way = ground_covered(action, armature, max(last, count) + 1)
    with staged(rig) as stage:
        shown = stage.matrices(action, [limb.target], start + (ticks % count).astype(float))[:, 0, :3, 3]
    places = shown + way[ticks] - np.array(armature.data.bones[limb.target].head_local)
    place = places.mean(axis=0) if tick is None else places[tick - first]
    # What is after the end of a loop is at its start, one cycle back.
    parts = [(first, min(last, count - 1), place)]
    if last >= count:
        parts.append((0, last - count, place - way[count]))
    for begin, end, there in parts:
        hold = Hold(start + begin, place=tuple(there.tolist()))
        change_space(rig, action, limb.target, index, start + begin, start + end, hold)


def plant_on_ground(rig: RigAtRest, action: Action, limbs: Iterable[RigLimb]) -> int:
    """Have feet stay on the ground where an animation sets them down, and return how often they do."""
    ticks = Ticks.of(action, rig.armature)
    result = 0
    for limb in limbs:
        for first, last in contacts(ticks, limb):
            hold_on_ground(rig, action, limb, first, last)
            result += 1
    return result
