"""The explorer: the meshes and joints of the figure of the player, in the order of the games."""

from __future__ import annotations

import itertools

from ..solids import Joint, Solid
from .forms import Form, Ring, Skin, Vertex

# Heights of the standing figure in units: 430 is the height of the hips above the ground.
HEIGHT_OF_HIPS = 430.0
THIGH, CALF, ANKLE = 184.0, 178.0, 52.0
HEEL: Vertex = (0.0, ANKLE, -36.0)
TOE: Vertex = (0.0, ANKLE, 78.0)

JOINTS = (
    Joint(False, True, (-44, 16, 0)),  # left thigh
    Joint(False, False, (0, THIGH, 0)),
    Joint(False, False, (0, CALF, 0)),
    Joint(True, True, (44, 16, 0)),  # right thigh
    Joint(False, False, (0, THIGH, 0)),
    Joint(False, False, (0, CALF, 0)),
    Joint(True, False, (0, -40, 0)),  # torso
    Joint(False, True, (72, -148, -2)),  # right upper arm
    Joint(False, False, (0, 118, 0)),
    Joint(False, False, (0, 108, 0)),
    Joint(True, True, (-72, -148, -2)),  # left upper arm
    Joint(False, False, (0, 118, 0)),
    Joint(False, False, (0, 108, 0)),
    Joint(True, False, (0, -180, 2)),  # head
)


def _hips() -> Form:
    form = Form()
    front, back = Skin("hips", 0, 64, 0, 32), Skin("hips", 0, 64, 32, 64)
    rings = (
        Ring(-56, 57, 46, 43, square=0.2),
        Ring(-34, 59, 48, 46, square=0.2),
        Ring(-6, 71, 53, 56, square=0.2),
        Ring(20, 81, 59, 63, square=0.2),
    )
    form.tube(rings, 8, ((front, 4), (back, 4)), first=2)
    seat = (
        Ring(14, 72, 52, 57, square=0.2),
        Ring(50, 68, 47, 57, square=0.2),
        Ring(70, 24, 24, 30),
    )
    loops = form.tube(seat, 8, ((Skin("trousers", 0, 64, 12, 32), 8),))
    form.cap(loops[-1], Skin("trousers", 8, 24, 0, 16), below=True)
    return form


def _satchel(form: Form) -> None:
    """Add the satchel at the left hip."""
    form.box(
        (-106, -2, -62),
        (-68, 62, 12),
        {
            "left": Skin("satchel", 0, 64, 0, 64),
            "front": Skin("leather", 0, 24, 0, 40),
            "back": Skin("leather", 24, 48, 0, 40),
            "top": Skin("leather", 0, 48, 40, 60),
            "bottom": Skin("leather", 0, 48, 40, 60),
            "right": Skin("leather", 0, 48, 40, 60),
        },
        taper=0.12,
    )


def _thigh() -> Form:
    form = Form()
    rings = (
        Ring(-14, 28, 36, 42, x=-8),
        Ring(26, 40, 45, 50, x=-5),
        Ring(80, 43, 45, 47, x=-2),
        Ring(176, 31, 34, 31),
        Ring(202, 15, 17, 12),
    )
    loops = form.tube(rings, 6, ((Skin("trousers"), 6),))
    form.cap(loops[-1], Skin("trousers", 20, 44, 44, 60), below=True)
    return form


def _calf() -> Form:
    form = Form()
    rings = (
        Ring(-22, 17, 20, 14),
        Ring(0, 31, 33, 30),
        Ring(30, 36, 34, 40),
        Ring(84, 33, 29, 43),
        Ring(186, 22, 26, 25),
    )
    loops = form.tube(rings, 6, ((Skin("boot"), 6),))
    form.cap(loops[0], Skin("boot", 20, 44, 0, 8))
    return form


def _foot() -> Form:
    """Return a boot: cross-sections from the heel to the toes, of six corners each."""
    form = Form()
    # z, half the width, top, height of the widest point, bottom.
    sections = (
        (-34, 23, 2, 30, 52),
        (24, 27, -4, 28, 52),
        (52, 31, 16, 34, 52),
        (78, 27, 27, 37, 52),
        (92, 14, 33, 39, 44),
    )
    loops = []
    for z, width, top, middle, bottom in sections:
        first = len(form.vertices)
        half = width * (0.76 if z < 30 else 0.55)
        form.vertices += [
            (half, top, max(z, -25)),
            (-half, top, max(z, -25)),
            (-width, middle, z),
            (-width * 0.94, bottom, z),
            (width * 0.94, bottom, z),
            (width, middle, z),
        ]
        loops.append(list(range(first, first + 6)))
    for number, (back, front) in enumerate(itertools.pairwise(loops)):
        left, right = (
            64 * (loops_z + 34) / 126 for loops_z in (sections[number][0], sections[number + 1][0])
        )
        # Seen from the left (-x), the toes are at the left: rows of the tile are the height.
        for one, two, top, bottom in ((1, 2, 14, 40), (2, 3, 40, 64)):
            form.face(
                (front[one], back[one], back[two], front[two]),
                "foot",
                ((right, top), (left, top), (left, bottom), (right, bottom)),
            )
            other_one, other_two = (0, 5) if one == 1 else (5, 4)
            form.face(
                (back[other_one], front[other_one], front[other_two], back[other_two]),
                "foot",
                ((left, top), (right, top), (right, bottom), (left, bottom)),
            )
        form.face(
            (front[1], front[0], back[0], back[1]),
            "foot",
            ((right, 0), (right, 14), (left, 14), (left, 0)),
        )
        form.face(
            (front[4], front[3], back[3], back[4]),
            "sole",
            ((left, 64), (left, 0), (right, 0), (right, 64)),
        )
    heel, toe = loops[0], loops[-1]
    ends: tuple[tuple[list[int], float, tuple[int, ...], tuple[int, ...]], ...] = (
        (heel, 0.0, (1, 0, 5, 2), (2, 5, 4, 3)),
        (toe, 56.0, (0, 1, 2, 5), (5, 2, 3, 4)),
    )
    for loop, left, *rows in ends:
        for corners, high, low in zip(rows, (14.0, 40.0), (40.0, 64.0), strict=True):
            uvs = ((left, high), (left + 8, high), (left + 8, low), (left, low))
            form.face([loop[corner] for corner in corners], "foot", uvs)
    return form


def _torso() -> Form:
    form = Form()
    rings = (
        Ring(-184, 34, 24, 30, z=-4),
        Ring(-158, 77, 35, 39, z=-3, square=0.15),
        Ring(-110, 66, 54, 48, square=0.25),
        Ring(-60, 59, 48, 43, square=0.2),
        Ring(4, 46, 35, 32, square=0.2),
    )
    form.tube(rings, 8, ((Skin("jacket_front"), 4), (Skin("jacket_back"), 4)), first=2)
    scarf = (
        Ring(-206, 28, 26, 28, z=2),
        Ring(-188, 42, 44, 38, z=0, tilt=0.1),
        Ring(-164, 38, 42, 34, z=-2, tilt=0.2),
    )
    form.tube(scarf, 8, ((Skin("scarf"), 8),))
    # The end of the scarf hangs over the back.
    form.quad(
        ((-30, -178, -42), (4, -178, -46), (4, -128, -57), (-31, -130, -55)),
        Skin("scarf", 0, 28, 0, 32),
        both=True,
    )
    form.quad(
        ((-31, -130, -55), (4, -128, -57), (10, -78, -54), (-36, -88, -50)),
        Skin("scarf", 0, 28, 32, 64),
        both=True,
    )
    return form


def _upper_arm() -> Form:
    form = Form()
    rings = (
        Ring(-11, 14, 20, 20, x=-7),
        Ring(10, 25, 29, 29),
        Ring(106, 22, 25, 24),
        Ring(130, 10, 12, 10),
    )
    loops = form.tube(rings, 6, ((Skin("sleeve"), 6),))
    form.cap(loops[0], Skin("sleeve", 8, 24, 0, 16))
    form.cap(loops[-1], Skin("sleeve", 8, 24, 40, 56), below=True)
    return form


def _forearm() -> Form:
    form = Form()
    rings = (
        Ring(-18, 11, 12, 11),
        Ring(22, 24, 26, 25),
        Ring(26, 19, 20, 20),
        Ring(114, 13, 15, 15),
    )
    loops = form.tube(rings, 6, ((Skin("forearm"), 6),))
    form.cap(loops[0], Skin("sleeve", 8, 24, 40, 56))
    return form


def _hand() -> Form:
    """Return the right hand, loosely closed: the palm is turned to the thigh, the thumb to the front."""
    form = Form()
    rings = (
        Ring(-8, 12, 15, 14),
        Ring(26, 14, 25, 21),
        Ring(50, 11, 21, 17, x=-4),
        Ring(58, 6, 16, 12, x=-16),
    )
    loops = form.tube(rings, 6, ((Skin("hand"), 6),))
    form.cap(loops[-1], Skin("hand", 40, 56, 52, 64), below=True)
    form.block(
        (
            (-8, 4, 10), (6, 4, 10), (-22, 40, 20), (-12, 42, 20),
            (-8, 0, 22), (6, 0, 22), (-22, 38, 32), (-12, 40, 32),
        ),
        {"every": Skin("hand", 22, 36, 8, 32), "top": Skin("")},
    )  # fmt: skip
    return form


# The rings of the head, from the chin up: half the width, to the front, to the back.
_HEAD = (
    Ring(-92, 40, 46, 50, z=2),
    Ring(-78, 41, 47, 53, z=2),
    Ring(-64, 40, 45, 54, z=3),
    Ring(-48, 38, 46, 52, z=3),
    Ring(-34, 33, 44, 46, z=3),
    Ring(-20, 22, 37, 34, z=3),
)


def _head() -> Form:
    form = Form()
    loops = form.tube(_HEAD, 8, ((Skin("face"), 4), (Skin("hair"), 4)), first=2)
    for ring, forward in ((2, 2), (3, 9), (4, 2), (5, 2)):
        x, y, z = form.vertices[loops[ring][4]]
        form.vertices[loops[ring][4]] = (x, y, z + forward)
    form.cap(loops[-1], Skin("neck", 0, 64, 0, 20), below=True)
    _hat(form)
    return form


def _hat(form: Form) -> None:
    brim = Ring(-86, 80, 84, 84, tilt=0.06)
    outer = form.ring(brim, 8)
    for number, lift in ((2, -10), (6, -10), (1, -5), (3, -5), (5, -5), (7, -5)):
        x, y, z = form.vertices[outer[number]]
        form.vertices[outer[number]] = (x, y + lift, z)
    crown = (
        Ring(-132, 30, 34, 36, z=0),
        Ring(-122, 40, 44, 48, z=1),
        Ring(-90, 45, 52, 55, z=2),
    )
    loops = form.tube(crown, 8, ((Skin("hat"), 8),))
    form.cap(loops[0], Skin("hat", 0, 64, 0, 20))
    form.band(loops[-1], outer, Skin("brim", 0, 64, 0, 32))
    under = form.ring(Ring(-84, 36, 42, 44, z=2), 8)
    form.band(outer, under, Skin("brim", 0, 64, 32, 64))


def meshes() -> tuple[Solid, ...]:
    """Return the meshes, in the order of the games."""
    hips = _hips()
    _satchel(hips)
    leg = (_thigh(), _calf(), _foot())
    arm = (_upper_arm(), _forearm(), _hand())
    forms = (
        hips,
        *(form.mirrored() for form in leg),
        *leg,
        _torso(),
        *arm,
        *(form.mirrored() for form in arm),
        _head(),
    )
    return tuple(form.solid() for form in forms)
