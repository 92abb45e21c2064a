"""Details that are added to the faces of rooms: arches, beams, water, shafts of light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from io_tomb_raider.formats.editors.projects.model.objects import Static

from .plan import CLICK, SECTOR, STATICS, Plan
from .surfaces import Poly, RoomPolys, quad

ADD = 2  # the blend mode


def solid_pillars(plan: Plan) -> list[tuple[float, float, float, float, float]]:
    """Return x, z, radius (sectors), bottom and top (clicks) of what casts shadows besides walls."""
    tall = {STATICS["pillar"]: 15, STATICS["broken_pillar"]: 6, STATICS["pedestal"]: 3, STATICS["statue"]: 4}
    result = []
    for site in plan.sites.values():
        for static in site.room.each(Static):
            if static.slot in tall:
                x, y, z = static.position
                bottom = (y + site.room.y) / CLICK
                result.append(
                    (
                        x / SECTOR + site.room.x,
                        z / SECTOR + site.room.z,
                        0.26,
                        bottom,
                        bottom + tall[static.slot],
                    )
                )
    return result


def add_decor(plan: Plan, rooms: Mapping[str, RoomPolys]) -> None:
    """Add everything to the faces of rooms."""
    _water(rooms)
    _fall(rooms)
    _arches(rooms)
    _beams(rooms)
    _shafts(rooms)
    del plan


def _at(x: float, height: float, z: float) -> tuple[float, float, float]:
    return x * SECTOR, height * CLICK, z * SECTOR


def _box(
    polys: list[Poly],
    low: tuple[float, float, float],
    high: tuple[float, float, float],
    tile: str,
    *,
    ends: bool = True,
) -> None:
    """Add a box: x, height, z of its corners."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    around = ((x0, z0), (x1, z0), (x1, z1), (x0, z1))
    for side in range(4):
        (ax, az), (bx, bz) = around[side], around[(side + 1) % 4]
        length = abs(bx - ax) + abs(bz - az)
        if not ends and length < 0.8 and length < max(x1 - x0, z1 - z0):
            continue
        pieces = max(round(length), 1)
        for piece in range(pieces):
            s, t = piece / pieces, (piece + 1) / pieces
            cx, cz, dx, dz = ax + (bx - ax) * s, az + (bz - az) * s, ax + (bx - ax) * t, az + (bz - az) * t
            part = (0, 0, min(length / pieces, 1), min(max((y1 - y0) / 4, 0.25), 1))
            polys.append(
                quad((_at(cx, y0, cz), _at(cx, y1, cz), _at(dx, y1, dz), _at(dx, y0, dz)), tile, part)
            )
    along_x = x1 - x0 >= z1 - z0
    pieces = max(round(max(x1 - x0, z1 - z0)), 1)
    for piece in range(pieces):
        s, t = piece / pieces, (piece + 1) / pieces
        ax, bx = (x0 + (x1 - x0) * s, x0 + (x1 - x0) * t) if along_x else (x0, x1)
        az, bz = (z0, z1) if along_x else (z0 + (z1 - z0) * s, z0 + (z1 - z0) * t)
        part = (0, 0, 1, min(max(min(x1 - x0, z1 - z0), 0.25), 1))
        polys.append(quad((_at(ax, y1, az), _at(ax, y1, bz), _at(bx, y1, bz), _at(bx, y1, az)), tile, part))
        polys.append(quad((_at(ax, y0, bz), _at(ax, y0, az), _at(bx, y0, az), _at(bx, y0, bz)), tile, part))


def _water(rooms: Mapping[str, RoomPolys]) -> None:
    """Draw the surface of the pool from both sides."""
    for x in range(33, 41):
        for z in range(28, 34):
            if x == 40 and z not in (30, 31):
                continue
            corners = (_at(x, -1, z), _at(x, -1, z + 1), _at(x + 1, -1, z + 1), _at(x + 1, -1, z))
            rooms["Pool Chamber"].polys.append(quad(corners, "water_0", blend=ADD, tint=(0.42, 0.5, 0.5)))
            rooms["Pool"].polys.append(quad(corners[::-1], "water_0", blend=ADD, tint=(1.0, 1.0, 1.0)))


def _fall(rooms: Mapping[str, RoomPolys]) -> None:
    """Add the water that falls from the cascade into the pool.

    Its sides thin out, and spray rises where it meets the pool. Games without additive faces draw neither,
    so these faces have both sides.
    """
    polys = rooms["Pool Chamber"].polys
    profile = [(41.05, 10.25), (40.72, 9.6), (40.55, 7.0), (40.45, 3.0), (40.38, -1.0)]
    widths = (0.62, 0.66, 0.72, 0.78, 0.82)
    for layer, tint in ((0.0, 0.85), (0.12, 0.75)):
        for number in range(len(profile) - 1):
            (x0, y0), (x1, y1) = profile[number], profile[number + 1]
            v0, v1 = (0, 0.5) if number % 2 else (0.5, 1)
            glow = 0.35 if layer else tint
            for side in (-1, 1):
                near, far = 31 + side * widths[number], 31 + side * widths[number + 1]
                corners = (
                    _at(x1 - layer, y1, 31),
                    _at(x0 - layer, y0, 31),
                    _at(x0 - layer, y0, near),
                    _at(x1 - layer, y1, far),
                )
                part = (0.0, v0, 0.8, v1)
                poly = quad(corners, "fall_0", part, blend=ADD if layer else 0, glow=glow)
                if side > 0:
                    poly = _turned(poly)
                polys.append(poly)
                spread, back = 0.34 + 0.05 * number, 0.05 if layer else 0.12
                corners = (
                    _at(x1 - layer, y1, far - side * 0.02),
                    _at(x0 - layer, y0, near - side * 0.02),
                    _at(x0 + back, y0 - 0.1, near + side * spread),
                    _at(x1 + back, y1, far + side * (spread + 0.05)),
                )
                polys.append(
                    quad(corners, "fall_edge_0", (0, v0, 1, v1), both_sides=True, blend=ADD, glow=glow)
                )
    for dx, dz, size in ((0.0, 0.0, 0.95), (-0.35, 0.1, 0.8), (-0.2, -0.3, 0.7)):
        x, z = 40.3 + dx, 31.0 + dz
        polys.append(
            quad(
                (
                    _at(x - size, -0.9, z - size),
                    _at(x - size, -0.9, z + size),
                    _at(x + size * 0.6, -0.9, z + size),
                    _at(x + size * 0.6, -0.9, z - size),
                ),
                "spray",
                both_sides=True,
                blend=ADD,
                glow=0.8,
            )
        )
    for x, z, width, height, glow in (
        (40.2, 30.55, 0.8, 3.2, 0.75),
        (40.15, 31.45, 0.85, 3.6, 0.75),
        (39.95, 31.0, 1.15, 2.6, 0.6),
        (40.05, 30.2, 0.5, 2.0, 0.5),
        (40.05, 31.8, 0.5, 2.2, 0.5),
    ):
        low, high = -1, -1 + 0.65 * height
        corners = (
            _at(x, low, z - width), _at(x + 0.15, high, z - width),
            _at(x + 0.15, high, z + width), _at(x, low, z + width),
        )  # fmt: skip
        polys.append(quad(corners, "spray", (0, 0, 1, 0.6), both_sides=True, blend=ADD, glow=glow))


def _turned(poly: Poly) -> Poly:
    """Return a face that is seen from its other side."""
    return replace(poly, corners=poly.corners[::-1].copy(), uvs=poly.uvs[::-1].copy())


def _arch(
    polys: list[Poly],
    x: float,
    z: float,
    width: float,
    spring: float,
    top: float,
    base: float,
    depth: float,
    tile: str,
    *,
    axis: str = "x",
) -> None:
    """Add a round arch with jambs: its middle, half its width in sectors, heights in clicks."""
    steps = 8
    angles = np.linspace(np.pi, 0, steps + 1)
    inner = [(np.cos(a) * width, spring + np.sin(a) * (top - spring)) for a in angles]
    outer_width, outer_top = width + 0.28, top + 1.1
    outer = [(np.cos(a) * outer_width, spring + np.sin(a) * (outer_top - spring)) for a in angles]

    def place(s: float, height: float, d: float) -> tuple[float, float, float]:
        return _at(x + s, height, z + d) if axis == "x" else _at(x - d, height, z + s)

    for d, sign in ((-depth, 1), (depth, -1)):
        for number in range(steps):
            (a, ya), (b, yb) = inner[number], inner[number + 1]
            (c, yc), (e, ye) = outer[number], outer[number + 1]
            corners = [place(a, ya, d), place(c, yc, d), place(e, ye, d), place(b, yb, d)]
            polys.append(quad(corners if sign > 0 else corners[::-1], tile, (0.0, 0.0, 1.0, 1.0)))
        for s0, s1 in ((-outer_width, -width), (width, outer_width)):
            low, high = base, spring
            corners = [place(s0, low, d), place(s0, high, d), place(s1, high, d), place(s1, low, d)]
            polys.append(quad(corners if sign > 0 else corners[::-1], tile, (0.1, 0.0, 0.5, 1.0)))
    for number in range(steps):
        (a, ya), (b, yb) = inner[number], inner[number + 1]
        polys.append(
            quad(
                (place(a, ya, -depth), place(b, yb, -depth), place(b, yb, depth), place(a, ya, depth))[::-1],
                tile,
                (0, 0.0, 0.5, 0.5),
            )
        )
        (a, ya), (b, yb) = outer[number], outer[number + 1]
        polys.append(
            quad(
                (place(a, ya, -depth), place(a, ya, depth), place(b, yb, depth), place(b, yb, -depth)),
                tile,
                (0, 0, 0.5, 0.5),
            )
        )
    for s, sign in ((-width, 1), (width, -1), (-outer_width, -1), (outer_width, 1)):
        corners = [
            place(s, base, -depth),
            place(s, spring, -depth),
            place(s, spring, depth),
            place(s, base, depth),
        ]
        polys.append(quad(corners if sign > 0 else corners[::-1], tile, (0, 0, 0.5, 1)))


def _arches(rooms: Mapping[str, RoomPolys]) -> None:
    _arch(rooms["Vestibule"].polys, 24, 22.15, 0.92, 4.5, 7.4, 0, 0.16, "blocks_2")
    _arch(rooms["Pillared Hall"].polys, 24, 23.1, 0.9, 4.5, 7.5, 0, 0.13, "glyphs")
    _arch(rooms["Pillared Hall"].polys, 29.9, 31, 0.9, 4.5, 7.3, 0, 0.13, "glyphs", axis="z")
    _arch(rooms["Pool Chamber"].polys, 31.1, 31, 0.9, 4.5, 7.3, 0, 0.13, "dark_blocks", axis="z")
    _arch(rooms["Pool Chamber"].polys, 41.35, 31, 0.94, 12.6, 15.4, 10, 0.2, "dark_moss", axis="z")
    _arch(rooms["Cave Mouth"].polys, 24.5, 17.85, 1.35, 6.2, 8.6, 2, 0.14, "blocks_moss_2")
    _arch(rooms["Gorge"].polys, 24, 9.8, 0.95, 13.0, 16.2, 8, 0.22, "blocks_moss_2")
    for z in (26.0, 29.0, 32.0, 35.0):
        _arch(rooms["Gallery"].polys, 17.86, z + 0.0, 0.9, 10.5, 12.9, 8, 0.1, "blocks_2", axis="z")
    _box(rooms["Pillared Hall North"].polys, (22.6, 4, 38.82), (23.0, 9.6, 39.0), "glyphs")
    _box(rooms["Pillared Hall North"].polys, (25.0, 4, 38.82), (25.4, 9.6, 39.0), "glyphs")
    _box(rooms["Pillared Hall North"].polys, (22.5, 9, 38.7), (25.5, 10.6, 39.0), "frieze")


def _beams(rooms: Mapping[str, RoomPolys]) -> None:
    """Beams and lintels between the pillars of the hall, and a balustrade before the gallery."""
    south, north = rooms["Pillared Hall"].polys, rooms["Pillared Hall North"].polys
    for hall, z0, z1 in ((south, 23.0, 31.0), (north, 31.0, 38.0)):
        for x in (20.0, 28.0):
            _box(hall, (x - 0.28, 15.0, z0), (x + 0.28, 16.2, z1), "cornice", ends=False)
    for hall, z in ((south, 25.0), (south, 28.0), (north, 34.0)):
        _box(hall, (20.0, 17.8, z - 0.22), (28.0, 19.0, z + 0.22), "timber", ends=False)
    gallery = rooms["Gallery"].polys
    for z in (25, 28, 31, 34):
        _box(gallery, (17.75, 8, z), (17.95, 9.6, z + 2), "plinth", ends=False)
    vestibule = rooms["Vestibule"].polys
    for z in (19.5, 21.3):
        _box(vestibule, (21.0, 9.0, z - 0.2), (27.0, 10.0, z + 0.2), "timber", ends=False)


def _shafts(rooms: Mapping[str, RoomPolys]) -> None:
    """Shafts of daylight: additive faces that narrow to the top."""
    # They lean as the sun does: to the west and the north.
    hall = rooms["Pillared Hall"].polys
    for number, (x0, x1, z) in enumerate(
        ((22.4, 24.0, 29.6), (23.6, 25.5, 29.9), (22.6, 23.9, 30.3), (24.2, 25.6, 30.6))
    ):
        corners = (_at(x0 - 1.35, 0.1, z + 1.1), _at(x0, 20, z), _at(x1, 20, z), _at(x1 - 0.75, 0.1, z + 1.1))
        part = (0, 0, 1, 0.85)
        hall.append(quad(corners, "beam", part, both_sides=True, blend=ADD, glow=0.8 + 0.15 * (number % 2)))
    sanctum = rooms["Sanctum"].polys
    for x0, x1, z in ((23.2, 24.5, 45.3), (23.6, 24.9, 45.6)):
        corners = (_at(x0 - 0.6, 7.0, z + 0.7), _at(x0, 23, z), _at(x1, 23, z), _at(x1 - 0.2, 7.0, z + 0.7))
        part = (0, 0, 1, 0.7)
        sanctum.append(
            quad(corners, "beam", part, both_sides=True, blend=ADD, glow=1.8, tint=(1.0, 0.92, 0.7))
        )
    passage = rooms["Cave Mouth"].polys
    corners = (_at(23.1, 5.2, 14.2), _at(23.2, 15, 10.05), _at(24.8, 15, 10.05), _at(24.9, 5.2, 14.2))
    passage.append(quad(corners, "beam", both_sides=True, blend=ADD, glow=0.6))
    grotto = rooms["Cascade"].polys
    corners = (_at(44.0, 10.4, 30.9), _at(44.1, 20, 31.0), _at(45.9, 20, 31.0), _at(45.9, 10.4, 30.9))
    grotto.append(quad(corners, "beam", both_sides=True, blend=ADD, glow=0.7))
