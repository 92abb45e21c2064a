"""Animations of the sample levels: poses as functions of time, packed into the frames of each game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game

from .models import HEIGHT_OF_HIPS

# A pose at a time from 0 to 1: the position of the root, and angles (meshes, 3) around x, y, z in degrees.
Pose = tuple[tuple[float, float, float], NDArray[np.float64]]
Motion = Callable[[float], Pose]


@dataclass(frozen=True)
class Dispatch:
    low: float  # parts of the animation, 0 to 1
    high: float
    target: int  # animation of the same model
    frame: int = 0  # counted from the first one of the target


@dataclass(frozen=True)
class AnimationPlan:
    """One animation. ``commands`` are words; the frame of a sound or effect counts from the first frame."""

    motion: Motion
    ticks: int
    rate: int
    state: int
    follows: int  # the next animation, of the same model
    speed: float = 0.0
    changes: dict[int, tuple[Dispatch, ...]] = field(default_factory=dict)
    commands: tuple[tuple[int, ...], ...] = ()
    lateral: float = 0.0


def _angles(count: int, **turns: tuple[float, float, float]) -> NDArray[np.float64]:
    out = np.zeros((count, 3))
    for name, angles in turns.items():
        out[int(name[1:])] = angles
    return out


def _stride(time: float, swing: float, knee: float, arm: float, bob: float, lean: float) -> Pose:
    """Return a pose of walking or running; the left leg is in front at time 0."""
    phase = 2 * np.pi * time
    left, right = np.cos(phase), -np.cos(phase)
    lift_left, lift_right = max(0.0, -np.sin(phase)), max(0.0, np.sin(phase))
    y = -HEIGHT_OF_HIPS + bob * np.cos(2 * phase)
    return (0.0, y, 0.0), _angles(
        15,
        m0=(0, 4 * left, 0),
        m1=(swing * left, 0, 0),
        m2=(-knee * lift_left - 5, 0, 0),
        m3=(8 * left, 0, 0),
        m4=(swing * right, 0, 0),
        m5=(-knee * lift_right - 5, 0, 0),
        m6=(8 * right, 0, 0),
        m7=(-lean, -6 * left, 0),
        m8=(arm * left, 0, -6),
        m9=(lean * 2 + 10, 0, 0),
        m11=(arm * right, 0, 6),
        m12=(lean * 2 + 10, 0, 0),
        m14=(lean / 2, 2 * left, 0),
    )


def _run(time: float) -> Pose:
    return _stride(time, 46, 75, 42, 24, 14)


def _walk(time: float) -> Pose:
    return _stride(time, 24, 32, 20, 8, 3)


def _stand(time: float) -> Pose:
    breath = np.sin(2 * np.pi * time)
    return (0.0, -HEIGHT_OF_HIPS + 1, 0.0), _angles(
        15,
        m1=(0, 0, 3),
        m4=(0, 0, -3),
        m7=(1.5 * breath, 0, 0),
        m8=(4 + 3 * breath, 0, -9),
        m9=(14, 0, 0),
        m11=(4 + 3 * breath, 0, 9),
        m12=(14, 0, 0),
        m14=(-2 * breath, 12 * np.sin(2 * np.pi * time), 3 * breath),
    )


def _draw(time: float) -> Pose:
    """Return a pose of drawing pistols: both arms are stretched forward at the end."""
    root, angles = _stand(0.0)
    angles[8] = angles[11] = (85 * time, 0, 0)
    angles[9] = angles[12] = (5 * time, 0, 0)
    return root, angles


def _between(first: Motion, first_time: float, second: Motion, second_time: float) -> Motion:
    def motion(time: float) -> Pose:
        (root_a, a), (root_b, b) = first(first_time), second(second_time)
        x, y, z = ((1 - time) * p + time * q for p, q in zip(root_a, root_b, strict=True))
        return (x, y, z), (1 - time) * a + time * b

    return motion


STATE_WALK, STATE_RUN, STATE_STOP = 0, 1, 2
_FOOT_SOUND, _FOOTPRINT = 0, 32
_STEPS = ((5, 0, _FOOT_SOUND), (5, 11, _FOOT_SOUND))
_PRINTS = ((6, 0, _FOOTPRINT | 0x4000), (6, 11, _FOOTPRINT | 0x8000))


def _to(first: int, second: int) -> tuple[Dispatch, ...]:
    """Return dispatches from a stride to one of two animations, by the foot in front."""
    return (Dispatch(0.0, 0.45, first), Dispatch(0.5, 0.95, second))


# In the order of the first animations of the games, whose names users know.
_LARA = (
    AnimationPlan(
        _run, 21, 1, STATE_RUN, 0, 47, {STATE_STOP: _to(10, 8), STATE_WALK: _to(7, 9)}, (*_STEPS, *_PRINTS)
    ),
    AnimationPlan(
        _walk, 29, 1, STATE_WALK, 1, 18, {STATE_STOP: _to(2, 3), STATE_RUN: _to(4, 5)}, (*_STEPS, *_PRINTS)
    ),
    AnimationPlan(_between(_walk, 0.25, _stand, 0), 10, 2, STATE_STOP, 11, 8),
    AnimationPlan(_between(_walk, 0.75, _stand, 0), 10, 2, STATE_STOP, 11, 8),
    AnimationPlan(_between(_walk, 0.25, _run, 0.25), 6, 1, STATE_RUN, 0, 30),
    AnimationPlan(_between(_walk, 0.75, _run, 0.75), 6, 1, STATE_RUN, 0, 30),
    AnimationPlan(_between(_stand, 0, _run, 0), 10, 1, STATE_RUN, 0, 20, commands=((1, 0, 0, 32), (3,))),
    AnimationPlan(_between(_run, 0.25, _walk, 0.25), 6, 1, STATE_WALK, 1, 30),
    AnimationPlan(_between(_run, 0.75, _stand, 0), 12, 2, STATE_STOP, 11, 14),
    AnimationPlan(_between(_run, 0.75, _walk, 0.75), 6, 1, STATE_WALK, 1, 30),
    AnimationPlan(_between(_run, 0.25, _stand, 0), 12, 2, STATE_STOP, 11, 14),
    AnimationPlan(
        _stand,
        80,
        2,
        STATE_STOP,
        11,
        changes={STATE_RUN: (Dispatch(0, 1, 6),), STATE_WALK: (Dispatch(0, 1, 1),)},
    ),
)


def _prowl(time: float) -> Pose:
    turn = np.sin(2 * np.pi * time)
    return (0.0, -330 + 6 * turn, 0.0), np.array(
        [(0, 4 * turn, 3 * turn), (8 * turn, 20 * turn, 0), (0, 35 * turn, 0)]
    )


def _pounce(time: float) -> Pose:
    height = 4 * time * (1 - time)
    return (0.0, -330 - 300 * height, 0.0), np.array(
        [(40 * (0.5 - time) * 2 * height, 0, 0), (-20 * height, 0, 0), (50 * height, 0, 0)]
    )


def _die(time: float) -> Pose:
    return (0.0, -330 + 230 * time, 0.0), np.array(
        [(0, 0, 88 * time), (0, 0, 20 * time), (10 * time, 20 * time, 0)]
    )


def _still(meshes: int) -> Motion:
    return lambda time: ((0.0, 0.0, 0.0), np.zeros((meshes, 3)))


def _lever(start: float, end: float) -> Motion:
    return lambda time: ((0.0, 0.0, 0.0), np.array([(0, 0, 0), (start + (end - start) * time, 0, 0)]))


def _swing(start: float, end: float) -> Motion:
    """Return the motion of a door: the root moves so that the hinge at (-512, 490) is fixed."""

    def motion(time: float) -> Pose:
        angle = np.radians(start + (end - start) * time)
        x = -512 - (-512 * np.cos(angle) + 490 * np.sin(angle))
        z = 490 - (512 * np.sin(angle) + 490 * np.cos(angle))
        return (x, 0.0, z), np.array([(0, np.degrees(angle), 0)])

    return motion


ANIMATIONS: dict[str, tuple[AnimationPlan, ...]] = {
    "lara": _LARA,
    "pistols": (AnimationPlan(_draw, 12, 1, STATE_STOP, 0),),
    "enemy": (
        AnimationPlan(
            _prowl, 40, 2, 1, 0, 12, {2: (Dispatch(0, 1, 1),), 3: (Dispatch(0, 1, 2),)}, ((5, 4, 1),)
        ),
        AnimationPlan(_pounce, 20, 1, 2, 0, 60, commands=((2, -60, 60), (5, 2, 1)), lateral=3),
        AnimationPlan(_die, 24, 3, 3, 2, commands=((4,),)),
    ),
    "switch": (
        AnimationPlan(_lever(0, -60), 15, 1, 0, 1, changes={1: ()}),
        AnimationPlan(_lever(-60, 0), 15, 1, 1, 0),
    ),
    "door": (
        AnimationPlan(_swing(0, 0), 1, 1, 0, 0, changes={1: (Dispatch(0, 1, 1),)}),
        AnimationPlan(_swing(0, 86), 30, 2, 1, 2),
        AnimationPlan(_swing(86, 86), 1, 1, 1, 2, changes={0: (Dispatch(0, 1, 3),)}),
        AnimationPlan(_swing(86, 0), 30, 2, 0, 0),
    ),
    "sky": (AnimationPlan(_still(1), 1, 1, 0, 0),),
}


# --- Packing -------------------------------------------------------------------------------------------


def key_frames(game: Game, plan: AnimationPlan, bounds: tuple[int, ...]) -> list[NDArray[np.uint16]]:
    """Return the words of every key frame of an animation, before padding to one size."""
    keys = -(-(plan.ticks - 1) // plan.rate) + 1
    frames = []
    for key in range(keys):
        root, angles = plan.motion(min(1.0, key * plan.rate / max(plan.ticks - 1, 1)))
        head = [*bounds, *np.rint(root).astype(int).tolist()]
        units = np.rint(angles / 360 * 1024).astype(int) % 1024
        head += [len(units)] if game is Game.TR1 else []
        words = head + [word for turn in units.tolist() for word in _rotation(game, turn)]
        frames.append(np.array(words, np.int64).astype("<u2"))
    return frames


def _rotation(game: Game, turn: list[int]) -> list[int]:
    """Return one rotation: two words for three axes, from TR2 on one word for one axis."""
    x, y, z = turn
    both = [x << 4 | y >> 6, (y & 0x3F) << 10 | z]
    if game is Game.TR1:
        return both[::-1]
    if sum(angle != 0 for angle in turn) > 1:
        return both
    angle = x or y or z
    mode = 0x4000 if x else 0x8000 if y else 0xC000
    return [mode | (angle * 4 if game >= Game.TR4 else angle)]
