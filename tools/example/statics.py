"""The static meshes of the example level: pillars, torches, plants, jars, a statue."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .solids import Face, Solid

SIZE = 64.0


def _solid() -> Solid:
    return Solid(lit=True)


def _vertex(solid: Solid, place: Sequence[float], shade: float = 1.0) -> int:
    solid.vertices.append((float(place[0]), float(place[1]), float(place[2])))
    solid.shades.append(shade)
    return len(solid.vertices) - 1


def _quad(
    solid: Solid,
    corners: Sequence[int],
    tile: str,
    part: tuple[float, float, float, float] = (0, 0, 1, 1),
    *,
    both: bool = False,
) -> None:
    """Add a quad: lower left, upper left, upper right, lower right as seen from outside."""
    u0, v0, u1, v1 = (SIZE * each for each in part)
    uvs = ((u0, v1), (u0, v0), (u1, v0), (u1, v1))
    solid.faces.append(Face(tuple(corners), tile, uvs[: len(corners)], both_sides=both))


def lathe(
    solid: Solid,
    profile: Sequence[tuple[float, float, str, float, float]],
    sides: int,
    *,
    center: tuple[float, float] = (0.0, 0.0),
    wraps: float = 2.0,
    turn: float = 0.5,
    shades: Sequence[float] = (),
    wobble: float = 0.0,
) -> None:
    """Add a body of rotation.

    Args:
        solid: gets it.
        profile: from below: radius, y, and the tile and its v below and above of the part up to the next.
        sides: around.
        center: x and z of the axis.
        wraps: how often tiles repeat around.
        turn: of the first side, in sides.
        shades: of each ring, by default full light.
        wobble: by which part radii vary.
    """
    random = np.random.default_rng(int(abs(profile[0][1]) + sides * 7 + len(profile)))
    rings = []
    factors = 1 + wobble * (random.random(sides) - 0.5)
    for number, (radius, y, *_rest) in enumerate(profile):
        ring = []
        for side in range(sides):
            angle = 2 * np.pi * (side + turn) / sides
            reach = radius * factors[side]
            shade = shades[number] if shades else 1.0
            # Light from the south-west tints the other side a little darker.
            shade *= 0.9 + 0.12 * np.cos(angle - 2.4)
            ring.append(
                _vertex(
                    solid, (center[0] + reach * np.cos(angle), y, center[1] + reach * np.sin(angle)), shade
                )
            )
        rings.append(ring)
    for number in range(len(profile) - 1):
        _, _, tile, v_low, v_high = profile[number]
        for side in range(sides):
            after = (side + 1) % sides
            u0, u1 = (side * wraps / sides) % 1, 0.0
            u1 = u0 + wraps / sides
            # Counted along angles the surface runs to the right, seen from outside.
            _quad(
                solid,
                (
                    rings[number][side],
                    rings[number + 1][side],
                    rings[number + 1][after],
                    rings[number][after],
                ),
                tile,
                (u0, v_high, min(u1, 1.0), v_low),
            )


def box(
    solid: Solid,
    low: Sequence[float],
    high: Sequence[float],
    tile: str,
    *,
    top: str = "",
    taper: float = 0.0,
    part: tuple[float, float, float, float] = (0, 0, 1, 1),
    shades: tuple[float, float] = (0.8, 1.0),
    turn: float = 0.0,
) -> None:
    """Add a box with a lower and an upper end in y down: `low` has the larger y."""
    x0, y0, z0 = low
    x1, y1, z1 = high
    middle = np.array(((x0 + x1) / 2, (z0 + z1) / 2))
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))

    def at(x: float, y: float, z: float, inset: float, shade: float) -> int:
        away = (np.array((x, z)) - middle) * (1 - inset)
        return _vertex(
            solid,
            (middle[0] + away[0] * cosine + away[1] * sine, y, middle[1] - away[0] * sine + away[1] * cosine),
            shade,
        )

    around = ((x0, z0), (x1, z0), (x1, z1), (x0, z1))
    below = [at(x, y0, z, 0, shades[0]) for x, z in around]
    above = [at(x, y1, z, taper, shades[1]) for x, z in around]
    for side in range(4):
        after = (side + 1) % 4
        # From outside at -z, x runs to the right when one looks north.
        _quad(solid, (below[side], above[side], above[after], below[after]), tile, part)
    if top:
        _quad(solid, (above[0], above[3], above[2], above[1]), top)


def pillar() -> Solid:
    """A pillar of the hall, 15 clicks high: plinth, drums, capital."""
    solid = _solid()
    box(
        solid,
        (-400, 0, -400),
        (400, -200, 400),
        "plinth",
        top="slabs",
        taper=0.08,
        part=(0, 0.3, 1, 1),
        shades=(0.75, 1),
    )
    rings = [
        (345, -200, "capital", 0.42, 0.0),
        (360, -330, "capital", 0.3, 0.1),
        (268, -400, "column", 1.0, 0.0),
        (262, -1320, "column", 1.0, 0.0),
        (254, -2240, "column", 1.0, 0.0),
        (246, -3160, "capital", 0.5, 0.2),
        (272, -3240, "capital", 1.0, 0.55),
        (392, -3540, "capital", 0.2, 0.0),
        (392, -3620, "capital", 0.1, 0.0),
    ]
    lathe(solid, rings, 8, wraps=2, shades=[0.9, 1, 0.85, 1, 1, 0.95, 0.85, 0.95, 0.9])
    box(solid, (-440, -3620, -440), (440, -3850, 440), "cornice", part=(0, 0, 1, 0.5), shades=(0.9, 0.8))
    return solid


def broken_pillar() -> Solid:
    """A pillar that broke off above its first drum."""
    solid = _solid()
    box(
        solid,
        (-400, 0, -400),
        (400, -200, 400),
        "plinth",
        top="slabs",
        taper=0.08,
        part=(0, 0.3, 1, 1),
        shades=(0.75, 1),
    )
    rings = [
        (345, -200, "capital", 0.42, 0.0),
        (360, -330, "capital", 0.3, 0.1),
        (268, -400, "column", 1.0, 0.0),
        (262, -1270, "column", 1.0, 0.55),
        (250, -1560, "rubble", 1.0, 0.0),
        (0, -1500, "rubble", 0.0, 0.0),
    ]
    lathe(solid, rings, 8, wraps=2)
    # The break is not level.
    for number, (x, y, z) in enumerate(solid.vertices):
        if y < -1400:
            solid.vertices[number] = (x, y + 0.55 * x + 0.35 * z, z)
    return solid


def stump() -> Solid:
    """A drum of a pillar that lies on its side."""
    solid = _solid()
    rings = [
        (0, 0, "rubble", 1.0, 0.0),
        (262, 0, "column", 1.0, 0.0),
        (258, -700, "rubble", 1.0, 0.0),
        (0, -660, "rubble", 0.0, 0.0),
    ]
    lathe(solid, rings, 8, wraps=2)
    solid.vertices = [(-(y + 350), x - 235, z) for x, y, z in solid.vertices]
    return solid


def brazier() -> Solid:
    """A bowl with fire on a foot of stone."""
    solid = _solid()
    rings = [
        (190, 0, "plinth", 1.0, 0.6),
        (170, -90, "column", 1.0, 0.0),
        (95, -160, "column", 1.0, 0.3),
        (80, -420, "metal", 1.0, 0.5),
        (110, -470, "metal", 0.6, 0.2),
        (230, -620, "metal", 0.3, 0.0),
        (250, -690, "metal", 0.2, 0.0),
        (205, -680, "coals", 1.0, 0.3),
        (0, -720, "coals", 0.3, 0.0),
    ]
    lathe(solid, rings, 8, wraps=2, shades=[0.6, 0.7, 0.6, 0.7, 0.7, 0.8, 1.3, 2.0, 2.0])
    _flames(solid, -1180, -680, 190)
    return solid


def _flames(solid: Solid, top: float, bottom: float, width: float, z: float = 0.0) -> None:
    for turn in (0.4, 0.4 + np.pi / 2):
        dx, dz = width * np.cos(turn), width * np.sin(turn)
        corners = [
            _vertex(solid, place, 2.0)
            for place in ((-dx, bottom, z - dz), (-dx, top, z - dz), (dx, top, z + dz), (dx, bottom, z + dz))
        ]
        _quad(solid, corners, "flame_0" if turn < 1 else "flame_2", both=True)


def torch() -> Solid:
    """A torch in a ring of iron on a wall at its back (-z)."""
    solid = _solid()
    box(solid, (-60, 60, 0), (60, -120, 40), "metal", shades=(0.7, 0.9))
    box(solid, (-24, -10, 20), (24, -60, 190), "metal", top="metal", shades=(0.8, 1.0))
    rings = [
        (22, 140, "planks", 1.0, 0.3),
        (46, -120, "metal", 0.8, 0.3),
        (78, -190, "coals", 0.5, 0.0),
        (0, -215, "coals", 0.3, 0.0),
    ]
    lathe(solid, rings, 6, center=(0, 150), shades=[0.7, 1.0, 1.8, 2.0])
    _flames(solid, -560, -180, 105, 150)
    return solid


def vines() -> Solid:
    """Plants that hang from their origin, before a wall at their back (-z)."""
    solid = _solid()
    for x, z, width, length, tile, turn in (
        (0, 50, 520, 1500, "vines", 0.0),
        (-330, 95, 360, 1000, "roots", 0.2),
        (360, 90, 380, 1150, "vines", -0.25),
    ):
        dx, dz = width * np.cos(turn), width * np.sin(turn)
        rows = [(0.0, 0.0), (-length * 0.5, 70.0), (-length, 30.0)]
        ids = [
            [
                _vertex(solid, (x + sign * dx, -y - 40, z + out + sign * dz), 1.0 - 0.15 * number)
                for sign in (-1, 1)
            ]
            for number, (y, out) in enumerate(rows)
        ]
        for number in range(2):
            low, up = ids[number + 1], ids[number]
            _quad(
                solid,
                (low[1], up[1], up[0], low[0]),
                tile,
                (0, 0.5 * number, 1, 0.5 * number + 0.5),
                both=True,
            )
    return solid


def grass() -> Solid:
    """A tuft of grass: three crossed pictures."""
    solid = _solid()
    for number in range(3):
        angle = number * np.pi / 3
        dx, dz = 300 * np.cos(angle), 300 * np.sin(angle)
        corners = [
            _vertex(solid, (sx * dx, y, sx * dz), 0.8 if y > -10 else 1.05)
            for sx, y in ((-1, 20), (-1, -480), (1, -480), (1, 20))
        ]
        _quad(solid, corners, "blades", both=True)
    return solid


def web() -> Solid:
    """A spider's web."""
    solid = _solid()
    corners = [
        _vertex(solid, place) for place in ((-380, 380, 0), (-380, -380, 0), (380, -380, 0), (380, 380, 0))
    ]
    _quad(solid, corners, "web", both=True)
    return solid


def jar() -> Solid:
    """A jar with a painted band."""
    solid = _solid()
    rings = [
        (95, 0, "jar", 1.0, 0.7),
        (190, -190, "jar", 0.7, 0.2),
        (185, -330, "jar", 0.2, 0.0),
        (90, -450, "jar", 0.9, 0.7),
        (125, -530, "jar", 0.8, 0.7),
        (88, -525, "coals", 0.1, 0.0),
        (80, -440, "coals", 0.1, 0.0),
    ]
    lathe(solid, rings[:5], 8, wraps=1, shades=[0.6, 0.9, 1, 0.95, 1.0])
    lathe(solid, rings[4:], 8, wraps=1, shades=[1, 0.4, 0.2])
    return solid


def jar_broken() -> Solid:
    """The lower half of a jar, and shards."""
    solid = _solid()
    rings = [
        (95, 0, "jar", 1.0, 0.7),
        (190, -190, "jar", 0.7, 0.4),
        (190, -250, "jar", 0.4, 0.2),
        (170, -180, "jar", 0.9, 0.7),
        (80, -30, "jar", 0.9, 0.7),
    ]
    lathe(solid, rings, 8, wraps=1, shades=[0.6, 0.9, 1, 0.5, 0.3])
    for number, (x, y, z) in enumerate(solid.vertices):
        if -260 < y < -240:
            solid.vertices[number] = (x, y + 60 * np.sin(number * 2.4), z)
    for x, z, turn in ((260, 60, 20.0), (-220, 190, 75.0), (120, -270, 140.0)):
        box(
            solid,
            (x - 70, 0, z - 45),
            (x + 70, -26, z + 45),
            "jar",
            top="jar",
            part=(0.2, 0.2, 0.7, 0.4),
            turn=turn,
        )
    return solid


def statue() -> Solid:
    """A guardian on a throne: a mask under a crown of feathers, hands on its knees."""
    solid = _solid()
    box(solid, (-340, 0, -340), (340, -200, 400), "plinth", top="slabs", taper=0.05, shades=(0.7, 0.9))
    box(
        solid,
        (-270, -190, -320),
        (270, -520, 60),
        "blocks",
        top="slabs",
        part=(0, 0, 1, 0.6),
        shades=(0.6, 0.8),
    )
    box(solid, (-250, -500, -320), (250, -1180, -180), "glyphs", top="plinth", taper=0.04, shades=(0.6, 0.8))
    for side in (-1, 1):
        x = side * 140
        box(
            solid,
            (x - 92, -430, -120),
            (x + 92, -590, 300),
            "statue",
            top="statue",
            taper=0.08,
            shades=(0.6, 1.0),
        )
        box(solid, (x - 84, -190, 170), (x + 84, -440, 320), "statue", taper=-0.05, shades=(0.6, 0.9))
        box(
            solid,
            (x - 92, -190, 190),
            (x + 92, -270, 390),
            "statue",
            top="gold_band",
            taper=0.12,
            shades=(0.7, 1.0),
        )
        # Upper arm, and forearm on the thigh.
        box(
            solid,
            (side * 235 - 58, -640, -90),
            (side * 235 + 58, -1020, 60),
            "statue",
            top="statue",
            taper=0.1,
        )
        box(
            solid,
            (side * 215 - 52, -585, -60),
            (side * 215 + 52, -690, 290),
            "statue",
            top="statue",
            taper=0.1,
        )
        box(
            solid,
            (side * 235 - 64, -1000, -100),
            (side * 235 + 64, -1060, 70),
            "gold_band",
            top="gold",
            part=(0, 0.1, 1, 0.9),
        )
    box(solid, (-170, -560, -150), (170, -1050, 90), "column", top="statue", taper=-0.14, shades=(0.6, 1.0))
    box(solid, (-190, -860, 60), (190, -1040, 128), "gold_band", top="gold", taper=0.05, part=(0, 0, 1, 1))
    box(solid, (-60, -740, 60), (60, -870, 122), "gold", taper=0.2)
    box(solid, (-75, -1030, -60), (75, -1100, 70), "statue", shades=(0.5, 0.7))
    box(solid, (-150, -1080, -110), (150, -1370, 150), "mask", top="statue", taper=0.06, shades=(0.85, 1.0))
    box(solid, (-175, -1350, -130), (175, -1430, 165), "gold_band", top="gold", part=(0, 0.1, 1, 0.9))
    # The crown: feathers that spread.
    for x0, x1, top in ((-0.42, -0.2, -1640), (-0.2, 0.0, -1740), (0.0, 0.2, -1740), (0.2, 0.42, -1640)):
        corners = [
            _vertex(solid, place, shade)
            for place, shade in (
                ((x0 * 700, -1420, -20), 0.8),
                ((x0 * 1050, top, -90), 1.0),
                ((x1 * 1050, top, -90), 1.0),
                ((x1 * 700, -1420, -20), 0.8),
            )
        ]
        _quad(
            solid, corners, "feathers", (0.25 if x0 < 0 else 0.75, 0, 0.75 if x0 < 0 else 0.25, 1), both=True
        )
    return solid


def pedestal() -> Solid:
    """The pedestal of the idol, 3 clicks high."""
    solid = _solid()
    rings = [
        (400, 0, "plinth", 1.0, 0.4),
        (390, -130, "capital", 0.5, 0.3),
        (280, -200, "glyphs", 1.0, 0.0),
        (262, -640, "gold_band", 1.0, 0.4),
        (360, -730, "gold_band", 0.3, 0.0),
        (360, -790, "slabs", 0.9, 0.1),
        (0, -790, "slabs", 0.1, 0.0),
    ]
    lathe(solid, rings, 8, wraps=2, shades=[0.7, 0.9, 0.85, 1, 1.1, 1.2, 1.2])
    return solid


def rubble() -> Solid:
    """A heap of broken blocks."""
    solid = _solid()
    random = np.random.default_rng(9)
    for _ in range(9):
        size = random.uniform(90, 230)
        x, z = random.uniform(-420, 420, 2)
        base = 40 - max(0, 330 - np.hypot(x, z)) * 0.45
        box(
            solid,
            (x - size, base + size * 0.4, z - size * 0.7),
            (x + size, base - size * 0.8, z + size * 0.7),
            random.choice(["blocks", "blocks_2", "plinth"]),
            top="slabs_2",
            taper=random.uniform(0.05, 0.3),
            part=(0.0, 0.0, 0.6, 0.5),
            turn=random.uniform(0, 90),
            shades=(0.6, 1.0),
        )
    return solid


def static_meshes() -> dict[str, Solid]:
    """Return all static meshes by name."""
    makers = (
        pillar,
        broken_pillar,
        brazier,
        torch,
        vines,
        jar,
        jar_broken,
        statue,
        pedestal,
        grass,
        web,
        rubble,
        stump,
    )
    return {each.__name__: each() for each in makers}
