"""Objects of the example level that move or can be picked up: door, switch, trapdoor, idol and satchel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..solids import Figure, Joint, Motion, Pose
from .forms import Form, Ring, Skin

DOOR_WIDTH, DOOR_HEIGHT = 1024, 1280
_OPEN_DOOR = 1216.0


def _still(meshes: int = 1) -> Pose:
    return (0.0, 0.0, 0.0), np.zeros((meshes, 3))


def _door_form() -> Form:
    """Return a slab in front of the sector's edge at +z: both halves mirror each other, three tiles each."""
    form = Form()
    half, heights = DOOR_WIDTH / 2, (-DOOR_HEIGHT, -DOOR_HEIGHT * 2 / 3, -DOOR_HEIGHT / 3, 0.0)
    for row, name in enumerate(("door_top", "door_middle", "door_bottom")):
        top, bottom = heights[row], heights[row + 1]
        for z, sign in ((436.0, 1), (504.0, -1)):
            # Seen from the back (-z), +x is at the right.
            left, right = -half * sign, half * sign
            form.quad(((left, top, z), (0, top, z), (0, bottom, z), (left, bottom, z)), Skin(name, 0, 64))
            form.quad(((0, top, z), (right, top, z), (right, bottom, z), (0, bottom, z)), Skin(name, 64, 0))
    for sign in (-1, 1):
        x, near, far = half * sign, 504.0 if sign < 0 else 436.0, 436.0 if sign < 0 else 504.0
        form.quad(((x, heights[0], near), (x, heights[0], far), (x, 0, far), (x, 0, near)), Skin("door_side"))
    form.quad(((-half, 0, 436), (half, 0, 436), (half, 0, 504), (-half, 0, 504)), Skin("door_side"))
    form.quad(
        (
            (-half, heights[0], 504),
            (half, heights[0], 504),
            (half, heights[0], 436),
            (-half, heights[0], 436),
        ),
        Skin("door_side"),
    )
    return form


def _slide(part: float, shake: float = 0.0) -> Pose:
    """Return a pose of the door: it is raised, slowly at first, and trembles."""
    height = _OPEN_DOOR * (part * part * (3 - 2 * part))
    return (shake, -height, 0.0), np.zeros((1, 3))


def door() -> Figure:
    """Return the door, a carved slab that is raised. State 0 is closed, state 1 open."""
    parts = np.linspace(0, 1, 31)
    trembles = 3.0 * np.array([(-1) ** step for step in range(31)]) * (parts > 0) * (parts < 1)
    opening = [_slide(float(p), float(t)) for p, t in zip(parts, trembles, strict=True)]
    motions = (
        Motion("closed", [_slide(0)], 1, 0, "closed", 0.0, ((1, 0, 0, "opening", 0),)),
        Motion("opening", opening, 2, 1, "open", sounds=((0, "door"),)),
        Motion("open", [_slide(1)], 1, 1, "open", 0.0, ((0, 0, 0, "closing", 0),)),
        Motion("closing", opening[::-2], 1, 0, "closed", sounds=((0, "door"),)),
    )
    return Figure("door", (_door_form().solid(),), (), motions)


def _plate() -> Form:
    form = Form()
    form.box(
        (-120, -800, 470),
        (120, -480, 510),
        {
            "back": Skin("switch"),
            "left": Skin("door_side", 0, 16),
            "right": Skin("door_side", 0, 16),
            "top": Skin("door_side", 0, 64, 0, 16),
            "bottom": Skin("door_side", 0, 64, 48, 64),
        },
    )
    return form


def _handle() -> Form:
    """Return the lever: a shaft towards -z, with a knob."""
    form = Form()
    shaft = (
        Ring(-6, 15, 15, 15),
        Ring(86, 12, 12, 12),
        Ring(90, 24, 24, 24),
        Ring(122, 26, 26, 26),
        Ring(140, 14, 14, 14),
    )
    loops = form.tube(shaft, 6, ((Skin("bronze"), 6),), shine=10)
    form.cap(loops[-1], Skin("bronze", 16, 48, 40, 64), below=True)
    # Its axis is y so far: now it is -z.
    form.vertices = [(x, z, -y) for x, y, z in form.vertices]
    return form


def switch() -> Figure:
    """Return the lever on a wall at +z. As in the games, state 1 is up (off), and state 0 is down (on)."""

    def lever(angle: float) -> Pose:
        return (0.0, 0.0, 0.0), np.array([(0, 0, 0), (angle, 0, 0)])

    up, down = -38.0, 42.0
    ease = [0.5 - 0.5 * np.cos(np.pi * min(1.0, max(0.0, (step - 8) / 8))) for step in range(24)]
    motions = (
        Motion("up", [lever(up)], 1, 1, "up", 0.0, ((0, 0, 0, "pulled", 0),)),
        Motion("down", [lever(down)], 1, 0, "down", 0.0, ((1, 0, 0, "pushed", 0),)),
        Motion(
            "pulled",
            [lever(up + (down - up) * part) for part in ease],
            2,
            0,
            "down",
            sounds=((24, "switch"),),
        ),
        Motion(
            "pushed",
            [lever(down + (up - down) * part) for part in ease],
            2,
            1,
            "up",
            sounds=((24, "switch"),),
        ),
    )
    return Figure(
        "switch", (_plate().solid(), _handle().solid()), (Joint(False, False, (0, -640, 478)),), motions
    )


def _trapdoor_form() -> Form:
    form = Form()
    form.box(
        (-512, 0, -512),
        (512, 48, 512),
        {
            "top": Skin("trapdoor"),
            "bottom": Skin("trapdoor"),
            "every": Skin("trapdoor", 0, 64, 0, 8),
        },
    )
    return form


def trapdoor() -> Figure:
    """Return the trapdoor: it hinges at the sector's edge at +z. State 0 is closed, state 1 open."""

    def turned(angle: float) -> Pose:
        sine, cosine = np.sin(np.radians(angle)), np.cos(np.radians(angle))
        # The hinge (0, 0, 512) stays where it is while the panel turns around x.
        return (0.0, float(512 * sine), float(512 - 512 * cosine)), np.array([(angle, 0, 0)])

    # It falls, and swings a little.
    falling = [min(88.0, 88 * (step / 12) ** 2) for step in range(13)]
    swinging = [88 - 9 * np.exp(-step / 5) * abs(np.sin(step * np.pi / 5)) for step in range(1, 18)]
    closing = [88 * (0.5 + 0.5 * np.cos(np.pi * step / 20)) for step in range(21)]
    motions = (
        Motion("closed", [turned(0)], 1, 0, "closed", 0.0, ((1, 0, 0, "opening", 0),)),
        Motion(
            "opening",
            [turned(float(a)) for a in (*falling, *swinging)],
            1,
            1,
            "open",
            sounds=((12, "trapdoor open"),),
        ),
        Motion("open", [turned(88)], 1, 1, "open", 0.0, ((0, 0, 0, "closing", 0),)),
        Motion(
            "closing", [turned(float(a)) for a in closing], 1, 0, "closed", sounds=((19, "trapdoor close"),)
        ),
    )
    return Figure("trapdoor", (_trapdoor_form().solid(),), (), motions)


def _idol_form() -> Form:
    form = Form()
    form.box((-58, -34, -50), (58, 0, 50), {"every": Skin("idol_base")}, taper=0.1)
    gold, shine = Skin("gold"), 6
    body = (
        Ring(-112, 30, 26, 26),
        Ring(-92, 42, 34, 32),
        Ring(-60, 40, 38, 34),
        Ring(-34, 48, 44, 40),
    )
    form.tube(body, 8, ((Skin("idol_body"), 4), (Skin("idol_back", 0, 64, 0, 46), 4)), first=2, shine=shine)
    head = (
        Ring(-208, 22, 18, 22),
        Ring(-192, 46, 36, 38, square=0.3),
        Ring(-160, 48, 40, 40, square=0.3),
        Ring(-124, 42, 36, 34, square=0.3),
        Ring(-108, 26, 24, 24),
    )
    loops = form.tube(head, 8, ((Skin("idol_face"), 4), (Skin("idol_back"), 4)), first=2, shine=shine)
    form.cap(loops[0], Skin("gold", 16, 48, 16, 48), shine=shine)
    form.tip(form.ring(Ring(-206, 14, 12, 12), 6), (0, -240, 0), gold, shine=shine)
    for sign in (-1, 1):
        arm = Form()
        rings = (
            Ring(-110, 7, 8, 8, x=34),
            Ring(-100, 14, 15, 15, x=42),
            Ring(-62, 13, 14, 13, x=51, z=12),
            Ring(-40, 11, 12, 11, x=40, z=36),
        )
        loops = arm.tube(rings, 6, ((gold, 6),), shine=shine)
        arm.cap(loops[-1], Skin("gold", 16, 48, 16, 48), below=True, shine=shine)
        arm = arm if sign > 0 else arm.mirrored()
        first = len(form.vertices)
        form.vertices += arm.vertices
        for face in arm.faces:
            form.face([first + corner for corner in face.corners], face.tile, face.uvs, shine)
    return form


def _lying(name: str, form: Form) -> Figure:
    return Figure(name, (form.solid(),), (), (Motion("still", [_still()], 1, 0, "still"),))


def idol() -> Figure:
    """Return the golden idol on its base, a pickup."""
    return _lying("idol", _idol_form())


def satchel() -> Figure:
    """Return a satchel of bandages, a pickup."""
    form = Form()
    form.box(
        (-88, -96, -44),
        (88, 0, 44),
        {
            "front": Skin("medikit"),
            "back": Skin("medikit"),
            "left": Skin("leather", 0, 24, 0, 40),
            "right": Skin("leather", 0, 24, 0, 40),
            "top": Skin("leather", 0, 64, 40, 64),
            "bottom": Skin("leather", 0, 64, 40, 64),
        },
        taper=0.16,
    )
    rings = (Ring(-88, 14, 14, 14), Ring(88, 14, 14, 14))
    roll = Form()
    loops = roll.tube(rings, 6, ((Skin("bandage"), 6),))
    roll.cap(loops[0], Skin("bandage", 0, 32))
    roll.cap(loops[1], Skin("bandage", 0, 32), below=True)
    first = len(form.vertices)
    form.vertices += [(y, -x - 108, z) for x, y, z in roll.vertices]
    for face in roll.faces:
        form.face([first + corner for corner in face.corners], face.tile, face.uvs)
    return _lying("medikit", form)


OBJECTS: tuple[Callable[[], Figure], ...] = (door, switch, trapdoor, idol, satchel)
