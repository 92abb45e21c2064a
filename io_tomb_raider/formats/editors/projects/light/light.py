"""The light of a project's rooms, as Tomb Editor's compiler bakes it.

Brightness 1 leaves a texture unchanged. Positions are relative to the room, with y upwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, radians, sin
from typing import NamedTuple

import numpy as np

from ....base.arrays.distinct import distinct_rows
from ....base.arrays.typing import Floats, Ints
from ....base.units import SECTOR_SIZE
from ....levels.lights.baking import BakedLight, arriving, brightness, facing, lit
from ....levels.lights.lights import POINT, SHADOW, SPOT, SUN
from ..geometry.faces import Faces
from ..model.objects import Light, LightKind, Vector
from ..model.rooms import ProjectRoom
from .rays import Rays

_EFFECT = "EFFECT"
_KINDS: dict[int, str] = {
    LightKind.POINT: POINT,
    LightKind.SHADOW: SHADOW,
    LightKind.SPOT: SPOT,
    LightKind.EFFECT: _EFFECT,
    LightKind.SUN: SUN,
}
_EFFECT_PART = 0.25  # of its intensity
_EDGE = 64  # distance before its end at which a light stops
_MOST_FACES = 1 << 14  # at once: so many fit into the cache of processors
_RAYS = {1: 1, 2: 3, 3: 5}  # in a row, by quality: low, medium, high
# The triangles of a quad, by corners: the second and the fourth belong to both.
_HALVES = ((2, 3, 1), (0, 1, 3))
_IN_QUADS, _IN_TRIANGLES = np.array([1, 2, 1, 2]), np.array([1, 1, 1, 0])  # the triangles of each corner
_TURNED = (LightKind.SUN, LightKind.SPOT)


def room_shades(
    rooms: Sequence[ProjectRoom], faces: Sequence[Faces], default_quality: int = 1
) -> list[Floats]:
    """Return the brightness of the corners of all faces of rooms.

    The brightness of a position is the mean over the corners of all triangles there. For each room (n, 4, 3),
    unlimited; the fourth corner of triangles is 0. `default_quality`: of lights without their own, 1 low, 2
    medium, 3 high.
    """
    result: list[Floats] = []
    first = size = 0
    for number, each in enumerate(faces):
        size += len(each)
        if size > _MOST_FACES or number == len(faces) - 1:
            part = slice(first, number + 1)
            result += _shades(rooms[part], faces[part], default_quality)
            first, size = number + 1, 0
    return result


def _shades(rooms: Sequence[ProjectRoom], faces: Sequence[Faces], default_quality: int) -> list[Floats]:
    """Return the shades of some rooms; operations on many faces are much faster than room by room."""
    ends = np.cumsum([0, *map(len, faces)])
    if not ends[-1]:
        return [np.zeros((0, 4, 3)) for _ in rooms]
    joined = Faces.join(faces)
    owner = np.repeat(np.arange(len(rooms)), np.diff(ends))
    # The fourth corner of triangles is their third one.
    corners = joined.corners.reshape(-1, 3)
    owners = np.repeat(owner, 4)
    first, group = distinct_rows((owners, *corners.T))
    number = group.reshape(-1, 4)
    positions = corners[first].astype(np.float64)
    position_owner = owners[first]
    lights = [
        [light for light in room.each(Light) if light.enabled and light.static and light.kind in _KINDS]
        for room in rooms
    ]
    # Normals count only for lights with a direction.
    is_turned = np.array([any(light.kind in _TURNED for light in each) for each in lights])
    turned = np.flatnonzero(is_turned[owner])
    face, triangle_corners = _triangles(joined, turned)
    # Positions and triangles room by room, each in the same order.
    by_room, triangles = (np.argsort(each, kind="stable") for each in (position_owner, owner[face]))
    position = np.empty(len(by_room), np.int64)
    position[by_room] = np.arange(len(by_room))
    face, triangle_corners = face[triangles], triangle_corners[triangles]
    rows = position[number[face[:, None], triangle_corners]].reshape(-1)
    normals = np.zeros((len(joined), 3))
    normals[turned] = face_normals(joined.take(turned))
    normals = np.repeat(normals[face], 3, axis=0)
    positions = positions[by_room]
    triangle_counts = np.where((joined.count == 4)[:, None], _IN_QUADS, _IN_TRIANGLES)
    counts = np.bincount(group, triangle_counts.reshape(-1), minlength=len(first)).astype(np.int64)[by_room]
    position_ends = np.searchsorted(position_owner[by_room], np.arange(len(rooms) + 1)).tolist()
    row_ends = (3 * np.searchsorted(owner[face], np.arange(len(rooms) + 1))).tolist()
    tasks = []
    for index, room in enumerate(rooms):
        start = position_ends[index]
        corner_rows = slice(row_ends[index], row_ends[index + 1])
        rays = [_RAYS.get(light.quality or default_quality, 1) for light in lights[index]]
        room_positions = positions[start : position_ends[index + 1]]
        room_rows, room_normals = rows[corner_rows] - start, normals[corner_rows]
        tasks.append(
            _Task(
                room, room_positions, room_rows, room_normals, lights[index], rays, room.ambient,
                bool(is_turned[index]),
            )
        )  # fmt: skip
    colors = np.concatenate(_bake(tasks))
    even = ~np.repeat(is_turned, np.diff(position_ends))
    colors[even] = _mean_of_equal(colors[even], counts[even])
    shades = colors[position][number]
    shades[joined.count == 3, 3] = 0
    return [shades[start:end] for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]


def _mean_of_equal(colors: Floats, counts: Ints) -> Floats:
    """Return the means of colors (n, 3) that are added several times (n,), rounded as those of others."""
    sums, means = np.zeros_like(colors), np.zeros_like(colors)
    for count in range(1, int(counts.max(initial=0)) + 1):
        sums += colors
        rows = np.flatnonzero(counts == count)
        means[rows] = sums[rows] / count
    return means


def mesh_shades(
    room: ProjectRoom, positions: Floats, normals: Floats, ambient: Vector, *, imported: bool = False
) -> Floats:
    """Return the brightness of vertices of meshes that become part of a room, (n, 3), unlimited.

    Point lights count by the angle of incidence, and obstruction is tested by one ray. `positions`,
    `normals`: (n, 3), unit vectors. `imported`: whether they are imported geometry, for which lights can be
    turned off.
    """
    positions = np.asarray(positions, np.float64)
    baked = [light for light in room.each(Light) if light.enabled and light.kind in _KINDS]
    lights = [light for light in baked if (light.imported_geometry if imported else light.static)]
    size = np.array((room.shape.x_sectors, room.shape.z_sectors)) * SECTOR_SIZE
    inside = ((positions[:, [0, 2]] >= 0) & (positions[:, [0, 2]] < size)).all(axis=1)
    rows, ones = np.arange(inside.sum()), [1] * len(lights)
    shades = np.tile(np.maximum(np.asarray(ambient, np.float64), 0), (len(positions), 1))
    task = _Task(room, positions[inside], rows, normals[inside], lights, ones, ambient)
    shades[inside] = _bake([task], with_angle=True)[0]
    return shades


# --- Lights ------------------------------------------------------------------------------------


def direction_of(light: Light) -> Vector:
    """Return the unit vector in which a sun or a spot shines."""
    y, x = radians(light.y), radians(light.x)
    return cos(x) * sin(y), sin(x), cos(x) * cos(y)


def _baked(light: Light) -> BakedLight:
    intensity = light.intensity
    if light.kind == LightKind.EFFECT:
        intensity *= _EFFECT_PART
    if light.kind == LightKind.SUN:
        intensity = max(intensity, 0.0)
    return BakedLight(
        _KINDS[light.kind],
        np.array(light.position, np.float64),
        np.array(light.color, np.float64),
        intensity,
        light.inner_range * SECTOR_SIZE,
        light.outer_range * SECTOR_SIZE,
        -np.array(direction_of(light)),
        cos(radians(light.inner_angle)),
        cos(radians(light.outer_angle)),
    )


class _Task(NamedTuple):
    """The light of a room to bake, see :func:`~....levels.lights.baking.bake`."""

    room: ProjectRoom
    #: positions, rows, normals: as there.
    positions: Floats
    rows: Ints
    normals: Floats
    #: lights, rays: the lights, and the rays in a row of each.
    lights: Sequence[Light]
    rays: Sequence[int]
    ambient: Vector  #: as there.
    turned: bool = True  #: whether normals count. Otherwise, there are no rows and normals.


def _bake(tasks: Sequence[_Task], *, with_angle: bool = False) -> list[Floats]:
    """Return the brightness (p, 3) of the positions of each room; the mean over the corners if normals count.

    `with_angle`: whether the angle of incidence counts for point lights, too.
    """
    lights = [[_baked(light) for light in task.lights] for task in tasks]
    arrived = _arrived(tasks, lights)
    result = []
    for task, baked, fractions in zip(tasks, lights, arrived, strict=True):
        ambient = np.asarray(task.ambient, np.float64)
        if not task.turned:
            result.append(brightness(baked, fractions, ambient))
            continue
        angles = np.zeros((len(task.rows), len(baked)))
        for number, light in enumerate(baked):
            by_incidence = with_angle and light.kind in (POINT, SHADOW)
            angles[:, number] = (
                _incidence(light, task.positions[task.rows], task.normals)
                if by_incidence
                else facing(light, task.normals)
            )
        result.append(lit(task.rows, baked, fractions, angles, ambient))
    return result


def _arrived(tasks: Sequence[_Task], lights_by_room: Sequence[Sequence[BakedLight]]) -> list[Floats]:
    """Return the fraction of each light of a room that arrives at its positions, (p, l)."""
    pairs = [
        (number, light, baked, rays)
        for number, (task, room_lights) in enumerate(zip(tasks, lights_by_room, strict=True))
        for light, baked, rays in zip(task.lights, room_lights, task.rays, strict=True)
    ]
    if not pairs:
        return [np.zeros((len(task.positions), 0)) for task in tasks]
    # Light by light, all positions of its room.
    lights = [baked for _, _, baked, _ in pairs]
    sizes = [len(tasks[number].positions) for number, *_ in pairs]
    ends = np.cumsum([0, *sizes])
    owner = np.repeat(np.arange(len(pairs)), sizes)
    positions = np.concatenate([tasks[number].positions for number, *_ in pairs])
    light_positions = np.array([light.place for light in lights])
    inner, outer = np.array([(light.inner, light.outer) for light in lights]).T
    is_point = np.array([light.kind in (POINT, SHADOW) for light in lights])
    rows = np.flatnonzero(is_point[owner])
    pair = owner[rows]
    points = lights[0]._replace(kind=POINT, place=light_positions[pair], inner=inner[pair], outer=outer[pair])
    arrived = np.zeros(len(owner))
    arrived[rows] = arriving(points, positions[rows])
    for number in np.flatnonzero(~is_point).tolist():
        part = slice(ends[number], ends[number + 1])
        fraction_at = _at_corners if lights[number].kind == _EFFECT else arriving
        arrived[part] = fraction_at(lights[number], positions[part])
    rays = np.array(
        [count if light.obstructed and light.kind != LightKind.EFFECT else 0 for _, light, _, count in pairs]
    )
    reached = arrived > 0
    rays_by_count = [
        (count, np.flatnonzero(reached & (rays == count)[owner])) for count in sorted(set(rays) - {0})
    ]
    if any(len(rows) for _, rows in rays_by_count):
        # Rays that are not free reduce what arrives.
        tracer = Rays(*(task.room.shape for task in tasks))
        room = np.array([number for number, *_ in pairs])
        for count, rows in rays_by_count:
            pair = owner[rows]
            arrived[rows] *= tracer.free(positions[rows], light_positions[pair], int(count), room[pair])
    amounts = [len(task.positions) * len(own) for task, own in zip(tasks, lights_by_room, strict=True)]
    bounds = np.cumsum([0, *amounts])
    return [
        arrived[low:high].reshape(len(room_lights), len(task.positions)).T
        for task, room_lights, (low, high) in zip(
            tasks, lights_by_room, pairwise(bounds.tolist()), strict=True
        )
    ]


def _at_corners(light: BakedLight, positions: Floats) -> Floats:
    """Return where an effect light shines: at the corners of its sector, not above itself, (p,)."""
    near = np.linalg.norm(light.place - positions, axis=1) + _EDGE <= light.outer
    for axis in (0, 2):
        step = light.place[axis] / SECTOR_SIZE
        near &= np.isin(positions[:, axis], (np.floor(step) * SECTOR_SIZE, np.ceil(step) * SECTOR_SIZE))
    return (near & (positions[:, 1] <= light.place[1])).astype(np.float64)


def _incidence(light: BakedLight, positions: Floats, normals: Floats) -> Floats:
    offset = light.place - positions
    distance = np.maximum(np.linalg.norm(offset, axis=1), 1e-9)
    return np.maximum((offset * normals).sum(axis=1) / distance, 0)


# --- Faces -------------------------------------------------------------------------------------


def face_normals(faces: Faces) -> Floats:
    """Return the unit normals of faces, towards the viewer, (n, 3); of degenerate ones 0."""
    corners = faces.corners.astype(np.float64)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    # Quads can have no length at one side.
    other = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 0])
    across += np.where(faces.count[:, None] == 4, other, 0)
    across[faces.is_ceiling] *= -1
    return across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)


def _triangles(faces: Faces, some: Ints) -> tuple[Ints, Ints]:
    """Return the face of each triangle of some faces, (t,), and its corners, (t, 3)."""
    quads, single = (some[faces.count[some] == count] for count in (4, 3))
    face = np.concatenate([quads, quads, single])
    corners = np.repeat([*_HALVES, (0, 1, 2)], [len(quads), len(quads), len(single)], axis=0)
    return face, corners
