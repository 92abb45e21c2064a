"""The animations of the explorer: standing, walking, running and what is between them.

A body is described as an animator's rig does: the hips, the torso and the head by their rotations in space,
the arms by the angles of their joints, and the feet by their places on the ground. The legs follow from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from io_tomb_raider.formats.base.arrays.typing import Floats

from ..solids import Motion, Pose
from .explorer import CALF, HEEL, HEIGHT_OF_HIPS, JOINTS, THIGH, TOE
from .posing import angles_of, frames, reach, rotation

WALK, RUN, STOP, TURN_RIGHT, TURN_LEFT = 0, 1, 2, 6, 7
WALK_TICKS, WALK_SPEED = 24, 27.0
RUN_TICKS, RUN_SPEED = 20, 54.0
_STEP = "footstep"

_LEFT, _RIGHT = -1, 1


@dataclass(frozen=True)
class Foot:
    """A foot: where its ankle is if it is flat on the ground, and how it is raised and rolled from there.

    Attributes:
        x, z: in units from the figure's origin.
        lift: height above the ground of the point on which it rolls: the heel, or the tip of the toes.
        pitch: degrees by which the toes are up.
        yaw: degrees by which the toes are turned to the right.
    """

    x: float
    z: float
    lift: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0

    def ankle(self) -> tuple[Floats, Floats]:
        """Return the place of the ankle, and the rotation of the foot."""
        matrix = rotation((self.pitch, self.yaw, 0))
        pivot = np.array(HEEL if self.pitch >= 0 else TOE)
        ground = np.array((self.x, -self.lift, self.z)) + rotation((0, self.yaw, 0)) @ (pivot * (1, 0, 1))
        return ground - matrix @ pivot, matrix


@dataclass(frozen=True)
class Body:
    """A pose as an animator sees it; rotations are angles around x, y, z in degrees.

    Attributes:
        root: the hips' place.
        hips, torso, head: rotations in space.
        arms: right and left: rotation of the upper arm against the torso, and the bend of the elbow.
        wrists: right and left: the bend of the wrist.
        left, right: the feet.
    """

    root: tuple[float, float, float]
    hips: tuple[float, float, float]
    torso: tuple[float, float, float]
    head: tuple[float, float, float]
    arms: tuple[tuple[float, float, float, float], tuple[float, float, float, float]]
    left: Foot
    right: Foot

    def moved(self, z: float) -> Body:
        """Return the body moved forwards."""
        x, y, root_z = self.root
        left, right = replace(self.left, z=self.left.z + z), replace(self.right, z=self.right.z + z)
        return replace(self, root=(x, y, root_z + z), left=left, right=right)

    def pose(self) -> Pose:
        """Return the angles of all meshes."""
        matrices = {0: rotation(self.hips), 7: rotation(self.torso), 14: rotation(self.head)}
        angles = np.zeros((15, 3))
        angles[0] = self.hips
        angles[7] = angles_of(matrices[0].T @ matrices[7])
        angles[14] = angles_of(matrices[7].T @ matrices[14])
        for first, (x, y, z, elbow) in zip((8, 11), self.arms, strict=True):
            angles[first] = (x, y, z)
            angles[first + 1] = (elbow, 0, 0)
            angles[first + 2] = (6, 0, 0)
        for first, foot in ((1, self.left), (4, self.right)):
            hip = np.array(self.root) + matrices[0] @ np.array(JOINTS[first - 1].offset)
            ankle, sole = foot.ankle()
            forward = rotation((0, (foot.yaw + self.hips[1]) / 2, 0))[:, 2]
            thigh, calf = reach(hip, ankle, forward, (THIGH, CALF))
            angles[first] = angles_of(matrices[0].T @ thigh)
            bend = thigh.T @ calf
            angles[first + 1, 0] = np.degrees(np.arctan2(bend[2, 1], bend[1, 1]))
            angles[first + 2] = angles_of(calf.T @ sole)
        return self.root, angles


def _mix(a: float, b: float, part: float) -> float:
    return a + (b - a) * part


def _mixes(a: Sequence[float], b: Sequence[float], part: float) -> tuple[float, ...]:
    return tuple(_mix(p, q, part) for p, q in zip(a, b, strict=True))


def _blend(first: Body, second: Body, part: float) -> Body:
    """Return what is between two bodies, with the feet of the first."""
    root, hips, torso, head = (
        _mixes(getattr(first, name), getattr(second, name), part)
        for name in ("root", "hips", "torso", "head")
    )
    right, left = (_mixes(a, b, part) for a, b in zip(first.arms, second.arms, strict=True))
    return Body(root, hips, torso, head, (right, left), first.left, first.right)  # type: ignore[arg-type]


def _ease(part: float) -> float:
    return part * part * (3 - 2 * part)


def _hermite(start: float, end: float, start_slope: float, end_slope: float, part: float) -> float:
    """Return a curve with slopes per whole length at both ends."""
    square, cube = part * part, part**3
    return (
        (2 * cube - 3 * square + 1) * start
        + (cube - 2 * square + part) * start_slope
        + (3 * square - 2 * cube) * end
        + (cube - square) * end_slope
    )


# --- Walking and running -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gait:
    """How a foot moves in a stride, which begins when its heel touches the ground.

    Attributes:
        ticks, speed: of a stride, and units per tick.
        stance: the part of the stride in which the foot is on the ground.
        front: where the foot is when it touches the ground.
        x: the distance of the feet from the middle.
        roll: (part of the stride, pitch): how the foot rolls while it is on the ground.
        swing: (part of the swing, z, lift, pitch) while it is in the air, between both ends.
    """

    ticks: int
    speed: float
    stance: float
    front: float
    x: float
    roll: tuple[tuple[float, float], ...]
    swing: tuple[tuple[float, float, float, float], ...]

    def foot(self, time: float, side: int) -> Foot:
        """Return a foot at a time of its stride, from 0 to 1."""
        time %= 1
        travel = self.speed * self.ticks
        yaw = 8.0 * side
        if time <= self.stance:
            pitch = _curve([part for part, _ in self.roll], [value for _, value in self.roll], time)
            return Foot(self.x * side, self.front - travel * time, 0.0, pitch, yaw)
        part = (time - self.stance) / (1 - self.stance)
        start = (0.0, self.front - travel * self.stance, 0.0, self.roll[-1][1])
        parts, *values = zip(start, *self.swing, (1.0, self.front, 0.0, self.roll[0][1]), strict=True)
        z, lift, pitch = (_curve(parts, each, part) for each in values)
        return Foot(self.x * side, z, max(0.0, lift), pitch, yaw)


def _curve(parts: Sequence[float], values: Sequence[float], part: float) -> float:
    """Return a smooth curve through values, without overshoot at ends of level parts."""
    number = min(max(int(np.searchsorted(parts, part, side="right")) - 1, 0), len(parts) - 2)
    slopes = []
    for at in (number, number + 1):
        if at in (0, len(parts) - 1):
            near = (1, 0) if at == 0 else (at, at - 1)
            slopes.append((values[near[0]] - values[near[1]]) / (parts[near[0]] - parts[near[1]]))
            continue
        before = (values[at] - values[at - 1]) / (parts[at] - parts[at - 1])
        after = (values[at + 1] - values[at]) / (parts[at + 1] - parts[at])
        slopes.append(0.0 if before * after <= 0 else 2 * before * after / (before + after))
    width = parts[number + 1] - parts[number]
    local = min(max((part - parts[number]) / width, 0.0), 1.0)
    return _hermite(values[number], values[number + 1], slopes[0] * width, slopes[1] * width, local)


WALKING = Gait(
    WALK_TICKS,
    WALK_SPEED,
    stance=0.6,
    front=152.0,
    x=32.0,
    roll=((0.0, 20.0), (0.09, 0.0), (0.32, 0.0), (0.42, -6.0), (0.51, -20.0), (0.6, -46.0)),
    swing=((0.2, -217.0, 26.0, -52.0), (0.5, -62.0, 30.0, -14.0), (0.8, 106.0, 14.0, 16.0)),
)
RUNNING = Gait(
    RUN_TICKS,
    RUN_SPEED,
    stance=0.34,
    front=118.0,
    x=27.0,
    roll=((0.0, 12.0), (0.05, 0.0), (0.17, 0.0), (0.25, -17.0), (0.34, -48.0)),
    swing=(
        (0.15, -290.0, 44.0, -70.0),
        (0.3, -283.0, 92.0, -80.0),
        (0.45, -205.0, 98.0, -70.0),
        (0.6, -75.0, 55.0, -45.0),
        (0.75, 64.0, 50.0, -15.0),
        (0.9, 138.0, 24.0, 8.0),
    ),
)


def walking(time: float) -> Body:
    """Return the body in a stride of walking; the left heel touches the ground at time 0."""
    phase = 2 * np.pi * time
    swing, weight = float(np.cos(phase)), float(np.cos(phase - 1.9))
    bob = float(np.cos(2 * (phase - 1.75)))
    height = HEIGHT_OF_HIPS - 11 + 5 * bob
    return Body(
        root=(-9 * weight, -height, 0.0),
        hips=(-2.0, 7 * swing, 3.0 * weight),
        torso=(-4.5 + 1.0 * bob, -6 * swing, -1.2 * weight),
        head=(-2.0, -1.0 * swing, 0.0),
        arms=(
            (1 + 22 * swing, 0, -8, 17 + 11 * swing),
            (1 - 22 * swing, 0, 8, 17 - 11 * swing),
        ),
        left=WALKING.foot(time, _LEFT),
        right=WALKING.foot(time + 0.5, _RIGHT),
    )


def running(time: float) -> Body:
    """Return the body in a stride of running; the left heel touches the ground at time 0."""
    phase = 2 * np.pi * time
    swing, arm = float(np.cos(phase + 0.35)), float(np.cos(phase + 0.75))
    weight = float(np.cos(phase - 0.95))
    bob = float(np.cos(2 * (phase - 2 * np.pi * 0.41)))
    height = HEIGHT_OF_HIPS - 17 + 13 * bob
    return Body(
        root=(-6 * weight, -height, 0.0),
        hips=(-8.0, 11 * swing, 4.0 * weight),
        torso=(-15.0 + 2.0 * bob, -13 * arm, -2.0 * weight),
        head=(-4.0 + 1.0 * bob, -2.0 * swing, 0.0),
        arms=(
            (2 + 47 * arm, 10, -10, 78 + 16 * arm),
            (2 - 47 * arm, -10, 10, 78 - 16 * arm),
        ),
        left=RUNNING.foot(time, _LEFT),
        right=RUNNING.foot(time + 0.5, _RIGHT),
    )


def standing(time: float) -> Body:
    """Return the body that stands and breathes, with its weight on the right leg."""
    breath = float(np.sin(2 * np.pi * 2 * time))
    later = float(np.sin(2 * np.pi * 2 * time - 0.9))
    look = float(np.sin(2 * np.pi * time)) ** 3
    return Body(
        root=(6.0, -(HEIGHT_OF_HIPS - 1.2 + 0.8 * breath), 4.0),
        hips=(-1.0, -4.0, -2.6),
        torso=(0.5 + 1.3 * breath, -3.0, 1.6),
        head=(-1.0 - 0.6 * later, 16 * look, 1.5),
        arms=(
            (-2 + 1.2 * later, 4, -11 - 1.2 * breath, 17 + 1.0 * later),
            (2 + 1.2 * later, -4, 12 + 1.2 * breath, 21 + 1.0 * later),
        ),
        left=Foot(-40.0, 18.0, yaw=-13.0),
        right=Foot(35.0, -8.0, yaw=9.0),
    )


# --- From one to another -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A step to a body, with one foot on the ground.

    Attributes:
        body: where it ends.
        planted: "left" or "right".
        ticks: how long it is.
        speed: of the hips at its end, in units per tick.
        lift: height of the other foot.
        pitch: of the other foot in the middle.
    """

    body: Body
    planted: str
    ticks: int
    speed: float
    lift: float
    pitch: float = -30.0


def transition(first: Body, speed: float, steps: Sequence[Step]) -> tuple[list[Pose], float]:
    """Return poses from a body of some speed to the tick before the end of the last step, and their speed."""
    path: list[Body] = []
    for step in steps:
        end = step.body.moved(getattr(first, step.planted).z - getattr(step.body, step.planted).z)
        path += [_stepped(first, end, step, speed, tick / step.ticks) for tick in range(step.ticks)]
        first, speed = end, step.speed
    speed = (first.root[2] - steps[-1].body.root[2]) / len(path)
    return [body.moved(-speed * tick).pose() for tick, body in enumerate(path)], speed


def _stepped(first: Body, end: Body, step: Step, speed: float, part: float) -> Body:
    """Return the body in a part of a step."""
    eased = _ease(part)
    body = _blend(first, end, eased)
    feet: dict[str, Foot] = {}
    for name in ("left", "right"):
        a, b = getattr(first, name), getattr(end, name)
        pitch = _mix(a.pitch, b.pitch, eased)
        if name == step.planted:
            # It moves a little to the side, too slowly to be seen.
            feet[name] = Foot(_mix(a.x, b.x, eased), a.z, 0.0, pitch, _mix(a.yaw, b.yaw, eased))
            continue
        arc = float(np.sin(np.pi * part))
        lift = _mix(a.lift, b.lift, eased) + step.lift * arc
        pitch = _mix(pitch, step.pitch, arc * (1 - part))
        feet[name] = Foot(
            _mix(a.x, b.x, eased), _mix(a.z, b.z, eased), lift, pitch, _mix(a.yaw, b.yaw, eased)
        )
    x, y, _ = body.root
    z = _hermite(first.root[2], end.root[2], speed * step.ticks, step.speed * step.ticks, part)
    return replace(body, root=(x, y, z), left=feet["left"], right=feet["right"])


def _cycle(body: Callable[[float], Body], keys: int, rate: int = 1) -> list[Pose]:
    """Return the poses of a repeated animation: after its last tick, its first one follows."""
    ticks = (keys - 1) * rate + 1
    return [body(key * rate / ticks).pose() for key in range(keys)]


def _turned(x: float, time: float, side: int) -> Foot:
    """Return a foot that is in the air for half of the time, and then lags behind the turning body."""
    lag = 13.0 * side * (2 * _ease(time * 2) - 1 if time < 0.5 else 3 - 4 * time)
    sine, cosine = np.sin(np.radians(lag)), np.cos(np.radians(lag))
    lifted = max(0.0, float(np.sin(2 * np.pi * time)))
    yaw = (9.0 if x > 0 else -9.0) + lag
    return Foot(float(x * cosine), float(5 - x * sine), 20 * lifted, -12 * lifted, yaw)


def _turning(side: int) -> Callable[[float], Body]:
    """Return the body that steps on the spot to turn to a side."""

    def body(time: float) -> Body:
        still = standing(0.0)
        weight = float(np.sin(2 * np.pi * time))
        left, right = (
            _turned(place, (time + shift) % 1, side) for place, shift in ((-42.0, 0.0), (42.0, 0.5))
        )
        return replace(
            still,
            root=(6 * weight, -(HEIGHT_OF_HIPS - 5 + 2 * abs(weight)), 0.0),
            hips=(-2.0, 4.0 * side, 2.0 * weight),
            torso=(-2.0, 9.0 * side, -1.0 * weight),
            head=(-2.0, 20.0 * side, 0.0),
            arms=(
                (2 + 8 * weight, 4, -12, 24),
                (2 - 8 * weight, -4, 12, 24),
            ),
            left=left,
            right=right,
        )

    return body


def motions() -> tuple[Motion, ...]:
    """Return the animations; the first 14 have the numbers of the games' own."""
    half_walk, half_run = WALK_TICKS // 2, RUN_TICKS // 2
    walk = {"left": walking(0.0), "right": walking(0.5)}

    def run(tick: int, side: str) -> Body:
        return running(tick / RUN_TICKS + (0.0 if side == "left" else 0.5))

    # The ticks of a run at which a foot is in front, below and behind the hips.
    touch, middle, leave = 1, 3, 6
    still = standing(0.0)
    other = {"left": "right", "right": "left"}
    result = {
        "run": Motion(
            "run",
            _cycle(running, RUN_TICKS),
            1,
            RUN,
            "run",
            RUN_SPEED,
            tuple(
                (state, tick, tick, f"run to {name} {side}", 0)
                for state, name in ((STOP, "stand"), (WALK, "walk"))
                for side, tick in (("left", touch), ("right", half_run + touch))
            ),
            ((1, _STEP), (half_run + 1, _STEP)),
        ),
        "walk": Motion(
            "walk",
            _cycle(walking, WALK_TICKS),
            1,
            WALK,
            "walk",
            WALK_SPEED,
            (
                (STOP, 1, 2, "walk stop left", 1),
                (STOP, half_walk, half_walk, "walk stop right", 0),
                (RUN, 1, 2, "walk to run left", 1),
                (RUN, half_walk, half_walk, "walk to run right", 0),
            ),
            ((1, _STEP), (half_walk + 1, _STEP)),
        ),
    }

    def add(
        name: str, first: Body, speed: float, steps: Sequence[Step], state: int, follows: str, tick: int = 0,
        sounds: Sequence[int] = (),
    ) -> None:  # fmt: skip
        poses, average = transition(first, speed, steps)
        heard = tuple((at, _STEP) for at in sounds)
        result[name] = Motion(name, poses, 1, state, follows, average, (), heard, tick)

    for side in ("right", "left"):
        stop = Step(still, side, 13, 0.0, 24)
        add(f"walk stop {side}", walk[side], WALK_SPEED, (stop,), STOP, "stand", sounds=(12,))
    for side in ("right", "left"):
        start = Step(run(middle, side), side, 5, RUN_SPEED, 30, -50)
        tick = middle if side == "left" else half_run + middle
        add(f"walk to run {side}", walk[side], WALK_SPEED, (start,), RUN, "run", tick)
    start = Step(run(leave, "left"), "left", 10, RUN_SPEED, 24)
    add("run start", still, 0.0, (start,), RUN, "run", leave)
    for side in ("right", "left"):
        after = other[side]
        tick = 0 if after == "left" else half_walk
        slow = Step(walk[after], side, 6, WALK_SPEED, 10)
        add(f"run to walk {side}", run(touch, side), RUN_SPEED, (slow,), WALK, "walk", tick, (5,))
        brake = Step(walk[after], side, 7, 22.0, 10)
        stop = Step(still, after, 13, 0.0, 24)
        add(f"run to stand {side}", run(touch, side), RUN_SPEED, (brake, stop), STOP, "stand", sounds=(7, 19))
    keys = 54
    last = (keys - 1) * 2
    starts = ((WALK, "walk start"), (RUN, "run start"), (TURN_RIGHT, "turn right"), (TURN_LEFT, "turn left"))
    changes = tuple((state, 0, last, name, 0) for state, name in starts)
    result["stand"] = Motion("stand", _cycle(standing, keys, 2), 2, STOP, "stand", 0.0, changes)
    for name, state, way in (("turn right", TURN_RIGHT, 1), ("turn left", TURN_LEFT, -1)):
        poses = _cycle(_turning(way), 24)
        changes = ((STOP, 0, 23, "stand", 0), (WALK, 0, 23, "walk start", 0), (RUN, 0, 23, "run start", 0))
        result[name] = Motion(name, poses, 1, state, name, 0.0, changes, ((11, _STEP), (23, _STEP)))
    start = Step(walk["left"], "right", 12, WALK_SPEED, 22)
    add("walk start", still, 0.0, (start,), WALK, "walk", sounds=(11,))
    return tuple(result[name] for name in _ORDER)


# The order of the first animations of the games; "walk start" is one of those after them.
_ORDER = (
    "run", "walk", "walk stop right", "walk stop left", "walk to run right", "walk to run left", "run start",
    "run to walk right", "run to stand left", "run to walk left", "run to stand right", "stand", "turn right",
    "turn left", "walk start",
)  # fmt: skip


def reach_errors(bodies: Sequence[Body]) -> Floats:
    """Return how far the ankles of a body are from where they should be, (bodies, 2) for left and right."""
    result = []
    for body in bodies:
        places, _ = frames(JOINTS, body.pose())
        result.append(
            [
                np.linalg.norm(places[mesh] - foot.ankle()[0])
                for mesh, foot in ((3, body.left), (6, body.right))
            ]
        )
    return np.array(result)
