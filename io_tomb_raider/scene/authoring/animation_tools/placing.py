"""Poses and motions set down where an actor of a cutscene stands: games and animations do not move it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object

from ....formats.base import Floats
from ....formats.levels.animations import matrices_from_quaternions
from ...subjects.animations.changes.chains import positions_of
from ...subjects.animations.keys.curves import ON_KEY
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose
from ...subjects.animations.keys.ranges import first_frame
from ...subjects.cutscenes.acting import links_from
from ...subjects.models.bones import library_model
from ...subjects.models.poses import CONJUGATE, multiply
from ..control_rig.seen import seen_keys, seen_poses, write_poses

_UPRIGHT = 0.1  # horizontal part of the direction that a body faces, below which it has no heading


@dataclass(frozen=True)
class Stand:
    """Where a body is, in the space of its armature."""

    x: float
    y: float
    floor: float  #: the height of its lowest joint.
    angle: float  #: the direction that it faces, from +Y counterclockwise, in radians.

    @classmethod
    def of(cls, rest: RestPose, poses: KeyPoses) -> Stand:
        """Return where a body is in the first of some poses."""
        whole, heads = rest.pose(poses.turns[:1], poses.places[:1])
        turned = matrices_from_quaternions(multiply(whole[0], rest.turns * CONJUGATE))
        ahead = turned[:, :, 1].mean(axis=0)  # hips and chest swing to both sides
        if np.linalg.norm(ahead[:2]) < _UPRIGHT:  # it lies
            ahead = -np.sign(ahead[2] or 1.0) * turned[0, :, 2]
        return cls(
            float(heads[0, 0, 0]),
            float(heads[0, 0, 1]),
            float(heads[0, :, 2].min()),
            float(np.arctan2(-ahead[0], ahead[1])),
        )


def moved_to(rest: RestPose, poses: KeyPoses, start: Stand, end: Stand) -> KeyPoses:
    """Return poses moved and turned about the vertical as one, from one place to another."""
    angle = end.angle - start.angle
    turn = np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    whole, heads = rest.pose(poses.turns, poses.places)
    places = heads[:, 0] - (start.x, start.y, start.floor)
    places = places @ matrices_from_quaternions(turn).T + (end.x, end.y, end.floor)
    turns, locations = rest.local(multiply(np.broadcast_to(turn, whole.shape), whole), places)
    return KeyPoses(poses.frames, turns, locations)


def set_down(rest: RestPose, poses: KeyPoses, now: KeyPoses) -> KeyPoses:
    """Return poses moved as one so that the first one stands where another pose does, facing as it does."""
    return moved_to(rest, poses, Stand.of(rest, poses), Stand.of(rest, now))


def play_from(action: Action, actor: Object, poses: KeyPoses, start: float) -> float:
    """Have an actor do a motion from a frame on, from where it is then; return the last frame of that.

    Keys at other frames stay.

    Args:
        action: the action of the actor, with keys of all its bones.
        poses: the motion, from frame 0 on.
    """
    rest = RestPose.of(actor)
    now = seen_poses(action, actor, rest, [start])
    begin = replace(Stand.of(rest, poses), angle=0.0)  # motions go along +Y
    made = moved_to(rest, poses.moved(poses.frames + start), begin, Stand.of(rest, now))
    old = seen_keys(action, actor, rest)[0]
    last = float(made.frames[-1])
    outside = (old.frames < start - ON_KEY) | (old.frames > last + ON_KEY)
    kept = old.frames[outside]
    # Keys next to the ends: what was between two keys outside stays as it was.
    edges = [start - 1.0] if (kept < start).any() else []
    edges += [last + 1.0] if (kept > last).any() else []
    frames = np.unique(np.concatenate([kept, edges]))
    if not len(frames):
        write_poses(action, actor, made, rest)
        return last
    sides = seen_poses(action, actor, rest, frames.tolist())
    order = np.argsort(np.concatenate([frames, made.frames]), kind="stable")

    def both(outer: Floats, inner: Floats) -> Floats:
        return np.asarray(np.concatenate([outer, inner])[order], float)

    joined = KeyPoses(
        both(frames, made.frames), both(sides.turns, made.turns), both(sides.places, made.places)
    )
    write_poses(action, actor, joined, rest)
    return last


def play_animation(
    action: Action, actor: Object, animation: Action, start: int, scale: float, *, count: int, moves: bool
) -> int:
    """Have an actor with keys of all bones play an animation of its model; return the last frame.

    Args:
        start: the frame at which it begins, where the actor is and faces then.
        scale: Blender units per unit of the games.
        count: the number of animations, with those that follow it in the game.
        moves: move as in the game.
    """
    model, links = library_model(actor), links_from(animation, count)
    rest, parts = RestPose.of(model), []
    for link in links:
        frames = first_frame(link.action) + link.first + np.arange(link.frames, dtype=float)
        parts.append(seen_poses(link.action, model, rest, frames.tolist()))
    turns, places = (np.concatenate([getattr(part, name) for part in parts]) for name in ("turns", "places"))
    whole, heads = rest.pose(turns, places)
    way = positions_of(links, scale) if moves else np.zeros((len(turns), 3))
    poses = KeyPoses(np.arange(len(turns), dtype=float), *rest.local(whole, heads[:, 0] + way))
    return int(play_from(action, actor, poses, float(start)))
