"""The light of vertices: the sky, lamps with shadows, and light that surfaces throw back.

Rays pass a grid of small cubes, which are rock, air or sky.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Floats
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom

from .plan import CLICK, SECTOR, Plan, Site

Cells = NDArray[np.int64]
CUBE = 128  # units
PER_SECTOR, PER_CLICK = SECTOR // CUBE, CLICK // CUBE
AIR, ROCK, SKY = 0, 1, 2
_RAYS = 96
_SKY_LIGHT = np.array((1.55, 1.85, 2.15))
_SUN_LIGHT = np.array((1.9, 1.66, 1.2))
_FAR = 240  # cubes
_COARSE = 4  # cubes
_ALBEDO = np.array((0.58, 0.52, 0.46))


class World:
    """The cubes of all rooms, and rays through them."""

    def __init__(self, plan: Plan, pillars: list[tuple[float, float, float, float, float]]) -> None:
        self.low = np.array((12, -16, 0)) * (SECTOR, CLICK, SECTOR)
        size = np.array((50 - 12, 36 + 16, 52)) * (PER_SECTOR, PER_CLICK, PER_SECTOR)
        self.cubes: NDArray[np.uint8] = np.full(size, ROCK, np.uint8)
        self.radiance = np.zeros((1, 1, 1, 3))
        for site in plan.sites.values():
            self._dig(site.room, open_sky=site.open_sky)
        x, _, z = np.indices(self.cubes.shape, sparse=True)
        for px, pz, radius, bottom, top in pillars:
            cx, cz = ((px - 12) * PER_SECTOR - 0.5, pz * PER_SECTOR - 0.5)
            y0, y1 = (round((each + 16) * PER_CLICK) for each in (bottom, top))
            inside = ((x - cx) ** 2 + (z - cz) ** 2 < (radius * PER_SECTOR) ** 2)[:, 0]
            part = self.cubes[:, y0:y1]
            part[np.broadcast_to(inside[:, None], part.shape) & (part == AIR)] = ROCK

    def _dig(self, room: ProjectRoom, *, open_sky: bool) -> None:
        shape = room.shape
        t = (np.arange(PER_SECTOR) + 0.5) / PER_SECTOR
        for z in range(1, shape.z_sectors - 1):
            for x in range(1, shape.x_sectors - 1):
                if shape.wall[z, x]:
                    continue
                ends: list[Floats] = []
                for surface in (shape.floor, shape.ceiling):
                    xnzp, xpzp, xpzn, xnzn = surface.heights[z, x].astype(np.float64)
                    tx, tz = t[:, None], t[None, :]
                    height = (
                        xnzn * (1 - tx) * (1 - tz)
                        + xpzn * tx * (1 - tz)
                        + xnzp * (1 - tx) * tz
                        + xpzp * tx * tz
                    )
                    ends.append((height + room.y - self.low[1]) / CUBE)
                gx, gz = (room.x + x - 12) * PER_SECTOR, (room.z + z) * PER_SECTOR
                y = np.arange(self.cubes.shape[1])[None, :, None] + 0.5
                floor, ceiling = (np.expand_dims(each, 1) for each in ends)
                inside = (y > floor) & (y < ceiling)
                part = self.cubes[gx : gx + PER_SECTOR, :, gz : gz + PER_SECTOR]
                part[inside] = AIR
                if open_sky:
                    above = (y > ceiling) & (y < ceiling + 3)
                    part[above & (part == ROCK)] = SKY

    def cells(self, places: Floats) -> Cells:
        """Return the indices of the cubes at places (n, 3)."""
        return np.floor((places - self.low) / CUBE).astype(np.int64)

    def at(self, cells: Cells) -> NDArray[np.uint8]:
        """Return what cubes are."""
        size = np.array(self.cubes.shape)
        inside = ((cells >= 0) & (cells < size)).all(axis=1)
        safe = np.clip(cells, 0, size - 1)
        return np.where(inside, self.cubes[safe[:, 0], safe[:, 1], safe[:, 2]], ROCK).astype(np.uint8)

    def march(
        self, start: Floats, direction: Floats, length: Floats | float
    ) -> tuple[NDArray[np.uint8], Floats]:
        """Return what rays meet first (AIR for nothing within their length), and where."""
        hit = np.zeros(len(start), np.uint8)
        place = start.copy()
        left = np.broadcast_to(np.asarray(length, np.float64), len(start)).copy()
        active = np.arange(len(start))
        for _ in range(_FAR):
            place[active] += direction[active] * CUBE
            left[active] -= CUBE
            found = self.at(self.cells(place[active]))
            found[left[active] <= 0] = AIR
            done = (found != AIR) | (left[active] <= 0)
            hit[active[done]] = found[done]
            active = active[~done]
            if not len(active):
                break
        return hit, place


def _directions(count: int) -> Floats:
    """Return directions that are even over a sphere."""
    number = np.arange(count) + 0.5
    y = 1 - 2 * number / count
    angle = np.pi * (1 + 5**0.5) * number
    radius = np.sqrt(1 - y * y)
    return np.stack([radius * np.cos(angle), y, radius * np.sin(angle)], axis=1)


def light_points(
    plan: Plan,
    world: World,
    places: Floats,
    normals: Floats,
    surface: NDArray[np.bool_],
    sites: Sequence[Site],
) -> Floats:
    """Return the light (n, 3) of points with unit normals, 0 vectors for points that face all sides.

    Args:
        plan: the lamps.
        world: the cubes.
        places: (n, 3) units.
        normals: (n, 3).
        surface: (n,) which points throw light back.
        sites: the room of each point.
    """
    start = places + normals * (CUBE * 1.5)
    # Points in rock move to the air next to them.
    for step in (CUBE, 2 * CUBE, 3 * CUBE):
        buried = np.flatnonzero(world.at(world.cells(start)) == ROCK)
        if not len(buried):
            break
        best = start[buried].copy()
        open_ = np.zeros(len(buried), np.bool_)
        for direction in _directions(26):
            tried = start[buried] + direction * step
            free = (world.at(world.cells(tried)) == AIR) & ~open_
            best[free] = tried[free]
            open_ |= free
        start[buried] = best
    direct = np.zeros((len(places), 3))
    for lamp in plan.lamps:
        x, height, z = lamp.place
        at = np.array((x * SECTOR, height * CLICK, z * SECTOR))
        way = at - start
        distance = np.linalg.norm(way, axis=1)
        near = np.flatnonzero(distance < lamp.outer * SECTOR)
        if not len(near):
            continue
        direction = way[near] / np.maximum(distance[near, None], 1)
        facing = (direction * normals[near]).sum(axis=1)
        plain = (normals[near] ** 2).sum(axis=1) < 0.5
        facing = np.where(plain, 0.7, 0.25 + 0.75 * np.clip(facing, 0, 1))
        part = np.clip((lamp.outer * SECTOR - distance[near]) / ((lamp.outer - lamp.inner) * SECTOR), 0, 1)
        free = np.zeros(len(near))
        for shift in ((0, 0, 0), (150, 60, 0), (-150, 60, 0), (0, -60, 150), (0, 60, -150)):
            aim = at + np.array(shift) - start[near]
            far = np.linalg.norm(aim, axis=1)
            hit, _ = world.march(start[near], aim / np.maximum(far[:, None], 1), far - 2 * CUBE)
            free += (hit == AIR) / 5
        direct[near] += (lamp.intensity * part**1.6 * facing * free)[:, None] * np.array(lamp.color)
    # The sun, which shines through what is open to the sky.
    sun = np.array([site.sun for site in sites])
    strength = np.array([site.sunlight for site in sites])
    sun /= np.linalg.norm(sun, axis=1, keepdims=True)
    toward = np.where((normals**2).sum(axis=1) < 0.5, 0.6, np.clip((normals * sun).sum(axis=1), 0, 1))
    lit = np.flatnonzero(toward > 0.02)
    for lean in ((0.0, 0.0), (0.06, 0.05), (-0.06, 0.04), (0.03, -0.07), (-0.04, -0.05)):
        way = sun[lit] + np.array((lean[0], 0.0, lean[1]))
        hit, _ = world.march(start[lit], way, 34.0 * SECTOR)
        direct[lit] += ((hit == SKY) * toward[lit] * strength[lit] / 5)[:, None] * _SUN_LIGHT
    # The sky, and one reflection.
    rays = _directions(_RAYS)
    cosine = normals @ rays.T
    plain = (normals**2).sum(axis=1) < 0.5
    cosine[plain] = 0.5
    point, ray = np.nonzero(cosine > 0.02)
    hit, end = world.march(start[point], rays[ray], 34.0 * SECTOR)
    weight = cosine[point, ray]
    total = np.bincount(point, weight, len(places)).astype(np.float64)
    shine = np.where((hit == SKY)[:, None], _SKY_LIGHT * (0.65 + 0.35 * np.clip(rays[ray, 1:2], 0, 1)), 0)
    part_of_sky = np.array([site.sky for site in sites])
    sky = _summed(point, shine * weight[:, None], total) * part_of_sky[:, None]
    light = direct + sky
    if surface.any():
        world.radiance = _radiance(world, places[surface], light[surface])
    bounced = _thrown_back(world, end)
    bounce = _summed(point, np.where((hit == ROCK)[:, None], bounced, 0) * weight[:, None], total)
    return light + 0.85 * bounce


def _summed(point: Cells, values: Floats, total: Floats) -> Floats:
    parts = [np.bincount(point, channel, len(total)) for channel in values.T]
    return np.stack(parts, axis=1) / np.maximum(total, 1e-9)[:, None]


def _radiance(world: World, places: Floats, light: Floats) -> Floats:
    """Return the light that surfaces throw back by coarse cubes, (x, y, z, 3)."""
    size = np.array(world.cubes.shape) // _COARSE + 1
    cell = np.clip(world.cells(places) // _COARSE, 0, size - 1)
    flat = np.ravel_multi_index(tuple(cell.T), tuple(size))
    count: Floats = np.bincount(flat, minlength=int(size.prod())).astype(np.float64)
    sums: Floats = np.stack(
        [np.bincount(flat, channel, len(count)) for channel in (light * _ALBEDO).T], axis=1
    )
    count, sums = count.reshape(size), sums.reshape(*size, 3)
    for _ in range(2):
        grown_count, grown = count.copy(), sums.copy()
        for axis in range(3):
            for way in (-1, 1):
                grown_count += 0.25 * np.roll(count, way, axis)
                grown += 0.25 * np.roll(sums, way, axis)
        count, sums = grown_count, grown
    return np.asarray(sums / np.maximum(count, 1e-6)[..., None])


def _thrown_back(world: World, ends: Floats) -> Floats:
    """Return the light of the surfaces where rays end."""
    at = np.clip(world.cells(ends) // _COARSE, 0, np.array(world.radiance.shape[:3]) - 1)
    return np.asarray(world.radiance[at[:, 0], at[:, 1], at[:, 2]])
