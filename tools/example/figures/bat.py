"""The bat: a body, and wings of two parts each. It hangs, flies, attacks, falls and lies dead."""

from __future__ import annotations

import itertools

import numpy as np

from ..solids import Figure, Joint, Motion, Pose, Tiles
from .forms import Form, Ring, Skin, Vertex
from .paint import Canvas, Color

FUR: Color = (124, 90, 66)
_DARK: Color = (34, 22, 18)
_MEMBRANE: Color = (164, 94, 68)

JOINTS = (
    Joint(False, True, (18, -12, 20)),  # right wing
    Joint(False, False, (124, 0, 0)),
    Joint(True, False, (-18, -12, 20)),  # left wing
    Joint(False, False, (-124, 0, 0)),
)


def _body() -> Form:
    """Return the body along z: rings around it, made upright and then laid down."""
    form = Form()
    rings = (
        Ring(-92, 13, 11, 12),
        Ring(-76, 27, 24, 26),
        Ring(-56, 29, 25, 27),
        Ring(-38, 24, 22, 22),
        Ring(-4, 33, 28, 34),
        Ring(40, 24, 22, 22),
        Ring(70, 8, 8, 8),
    )
    loops = form.tube(rings, 6, ((Skin("bat"), 6),))
    form.tip(loops[0], (0, -104, 2), Skin("bat", 24, 40, 0, 6))
    form.tip(loops[-1], (0, 80, 0), Skin("bat", 24, 40, 56, 64), below=True)
    # Upright, the belly is in front; laid down, the head is in front and the belly below.
    form.vertices = [(-x, z, -y) for x, y, z in form.vertices]
    ears: tuple[tuple[Vertex, Vertex, Vertex], ...] = (
        ((6, -20, 62), (28, -14, 60), (24, -66, 52)),
        ((-28, -14, 60), (-6, -20, 62), (-24, -66, 52)),
    )
    for corners in ears:
        first = len(form.vertices)
        form.vertices += corners
        form.face((first, first + 1, first + 2), "bat_ear", ((0, 64), (64, 64), (32, 0)), both=True)
    return form


def _wing(inner: bool) -> Form:
    """Return a part of the right wing: two quads, bent at a finger of it."""
    form = Form()
    if inner:
        front = ((0, 0, 26), (62, -8, 40), (124, 0, 34))
        back = ((0, 0, -58), (62, 0, -66), (124, 0, -80))
        columns = (0.0, 32.0, 64.0)
        tile = "bat_wing"
    else:
        front = ((0, 0, 34), (70, -4, 20), (142, 0, -14))
        back = ((0, 0, -80), (70, 0, -84), (142, 0, -58))
        columns = (0.0, 32.0, 64.0)
        tile = "bat_wing_tip"
    for part in (0, 1):
        form.quad(
            (front[part], front[part + 1], back[part + 1], back[part]),
            Skin(tile, columns[part], columns[part + 1]),
            both=True,
        )
    return form


def tiles() -> Tiles:
    """Return the tiles of the bat."""
    fur = Canvas(FUR).weave(41, 0.12).grain(44, (10, 24), 0.25)
    fur.shade(1 - 0.35 * np.clip(np.abs(fur.x - 32) / 32, 0, 1))
    for x in (20, 44):
        fur.ellipse((x, 8), (2.4, 2.2), (226, 70, 30)).ellipse((x, 7.6), (1, 1), (255, 220, 120))
    ear = Canvas(FUR).weave(51, 0.1)
    ear.polygon(((14, 64), (32, 14), (50, 64)), _MEMBRANE).fall_off(0.8, 1.0)
    result = {"bat": fur.tile(), "bat_ear": ear.tile()}
    for name, ribs in (("bat_wing", (0, 32, 64)), ("bat_wing_tip", (0, 24, 44, 64))):
        wing = Canvas(_MEMBRANE).grain(61, (7, 5), 0.18).grain(63, (32, 32), 0.08)
        wing.fall_off(1.0, 0.72)
        wing.line(((0, 3), (64, 3)), 6, FUR).seam(((0, 6), (64, 6)), 0.4)
        for rib in ribs:
            wing.line(((rib, 2), (rib, 64)), 2.6, FUR, 0.9).seam(((rib + 1.6, 2), (rib + 1.6, 64)), 0.4)
        tile = wing.tile()
        edge = np.full(64, 64.0)
        columns = np.arange(64) + 0.5
        for low, high in itertools.pairwise(ribs):
            part = (columns - low) / (high - low)
            inside = (part >= 0) & (part <= 1)
            edge[inside] = np.minimum(edge, 64 - 13 * np.sin(np.pi * part.clip(0, 1)))[inside]
        tile[np.arange(64)[:, None] + 0.5 > edge, 3] = 0
        result[name] = tile
    return result


def _pose(y: float, pitch: float, inner: float, outer: float, roll: float = 0.0, fold: float = 0.0) -> Pose:
    """Return a pose: the angles by which the parts of the wings are raised, and by which they are folded."""
    return (0.0, y, 0.0), np.array(
        [
            (pitch, 0, roll),
            (0, -fold, -inner),
            (0, fold * 1.9, -outer),
            (0, fold, inner),
            (0, -fold * 1.9, outer),
        ]
    )


def _fly(part: float, swing: float = 44, pitch: float = 6) -> Pose:
    phase = 2 * np.pi * part
    inner = 8 + swing * np.cos(phase)
    outer = 0.8 * swing * np.cos(phase - 1.0) - 6
    # Wings that go up are folded a little.
    fold = 12 * max(0.0, -np.sin(phase))
    return _pose(-12 * np.sin(phase), pitch + 5 * np.sin(phase), inner, outer, 0.0, fold)


def _hang(part: float) -> Pose:
    sway = np.sin(2 * np.pi * part)
    return _pose(0.0, -88 + 2 * sway, -66 + 2 * sway, -58, 0.0, 18)


def _mixed(first: Pose, second: Pose, part: float) -> Pose:
    (root_a, a), (root_b, b) = first, second
    x, y, z = ((1 - part) * p + part * q for p, q in zip(root_a, root_b, strict=True))
    return (x, y, z), (1 - part) * a + part * b


def bat() -> Figure:
    """Return the bat; its states are those of the games."""
    right = (_wing(True), _wing(False))
    forms = (_body(), *right, *(form.mirrored() for form in right))
    fly = [_fly(step / 11) for step in range(11)]
    motions = (
        Motion("start", [_mixed(_hang(0), _fly(0), (step / 9) ** 2) for step in range(10)], 2, 1, "fly"),
        Motion(
            "fly",
            fly,
            1,
            2,
            "fly",
            38.0,
            ((3, 0, 10, "attack", 0), (4, 0, 10, "fall", 0)),
            ((2, "bat flap"),),
        ),
        Motion(
            "attack",
            [_fly(step / 9, 58, -22) for step in range(9)],
            1,
            3,
            "attack",
            6.0,
            ((2, 0, 8, "fly", 0), (4, 0, 8, "fall", 0)),
            ((1, "bat squeak"),),
        ),
        Motion(
            "fall",
            [
                _pose(0, 20 + 6 * turn, 38 + 10 * turn, 26, 30 * turn, 20)
                for turn in np.sin(np.arange(9) / 8 * 2 * np.pi)
            ],
            2,
            4,
            "fall",
            0.0,
            ((5, 0, 16, "death", 0),),
        ),
        Motion(
            "death",
            [
                _mixed(_pose(0, 20, 38, 26, 0, 20), _pose(-26, 4, -6, -6, 6, 26), min(1.0, step / 5))
                for step in range(9)
            ],
            2,
            5,
            "death",
        ),
    )
    return Figure("bat", tuple(form.solid() for form in forms), JOINTS, motions)
