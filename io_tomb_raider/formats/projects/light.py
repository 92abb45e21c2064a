"""The light of a project's rooms, as Tomb Editor's compiler bakes it.

Brightness 1 leaves a texture unchanged. Positions are relative to the room, with y upwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from ..base.distinct import distinct_rows
from ..lights.baking import BakedLight, arriving, facing, lit
from ..lights.lights import POINT, SHADOW, SPOT, SUN
from .faces import Faces
from .objects import Light, LightKind, Vector
from .rays import SECTOR, Rays
from .rooms import Room

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

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
_RAYS = {1: 1, 2: 3, 3: 5}  # in a row, by quality: low, medium, high
# The triangles of a quad, by corners: the second and the fourth belong to both.
_HALVES = ((2, 3, 1), (0, 1, 3))


def room_shades(rooms: Sequence[Room], faces: Sequence[Faces], default_quality: int = 1) -> list[Floats]:
    """Return the brightness of the corners of all faces of rooms.

    The brightness of a position is the mean over the corners of all triangles there.

    Args:
        rooms: the rooms.
        faces: the faces of each room.
        default_quality: 1 low, 2 medium, 3 high: of lights without their own.

    Returns:
        For each room (n, 4, 3), unlimited; the fourth corner of triangles is 0.
    """
    return [_shades(room, each, default_quality) for room, each in zip(rooms, faces, strict=True)]


def _shades(room: Room, faces: Faces, default_quality: int) -> Floats:
    shades = np.zeros((len(faces.count), 4, 3))
    used = np.ones((len(faces.count), 4), np.bool_)
    used[:, 3] = faces.count == 4
    if not used.any():
        return shades
    places, place = _distinct(faces.corners[used])
    number = np.zeros(used.shape, np.int64)
    number[used] = place
    face, corners = _triangles(faces)
    rows = number[face[:, None], corners]
    normals = np.repeat(face_normals(faces)[face], 3, axis=0)
    lights = [light for light in room.each(Light) if light.enabled and light.static and _is_baked(light)]
    rays = [_RAYS.get(light.quality or default_quality, 1) for light in lights]
    colors = _bake(room, places.astype(np.float64), rows.ravel(), normals, lights, rays, room.ambient)
    shades[used] = colors[place]
    return shades


def mesh_shades(
    room: Room, places: Floats, normals: Floats, ambient: Vector, *, imported: bool = False
) -> Floats:
    """Return the brightness of vertices of meshes that become part of a room.

    Points light them by the angle of incidence, and obstruction is by one ray.

    Args:
        room: the room.
        places: (n, 3).
        normals: (n, 3), unit vectors.
        ambient: the ambient light.
        imported: whether they are imported geometry, for which lights can be turned off.

    Returns:
        (n, 3), unlimited.
    """
    places = np.asarray(places, np.float64)
    wanted = [light for light in room.each(Light) if light.enabled and _is_baked(light)]
    lights = [light for light in wanted if (light.imported_geometry if imported else light.static)]
    size = np.array((room.shape.x_sectors, room.shape.z_sectors)) * SECTOR
    inside = ((places[:, [0, 2]] >= 0) & (places[:, [0, 2]] < size)).all(axis=1)
    rows, ones = np.arange(inside.sum()), [1] * len(lights)
    shades = np.tile(np.maximum(np.asarray(ambient, np.float64), 0), (len(places), 1))
    shades[inside] = _bake(
        room, places[inside], rows, normals[inside], lights, ones, ambient, with_angle=True
    )
    return shades


# --- Lights ------------------------------------------------------------------------------------


def _is_baked(light: Light) -> bool:
    return light.kind in _KINDS


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
        light.inner_range * SECTOR,
        light.outer_range * SECTOR,
        -np.array(direction_of(light)),
        cos(radians(light.inner_angle)),
        cos(radians(light.outer_angle)),
    )


def _bake(
    room: Room,
    places: Floats,
    rows: Ints,
    normals: Floats,
    lights: Sequence[Light],
    rays: Sequence[int],
    ambient: Vector,
    *,
    with_angle: bool = False,
) -> Floats:
    """Return the brightness (p, 3) of positions (p, 3); see :func:`~..lights.baking.bake`.

    Args:
        room: the room.
        places, rows, normals, ambient: as there.
        lights, rays: the lights, and the rays in a row of each.
        with_angle: whether the angle of incidence counts for points, too.
    """
    baked = [_baked(light) for light in lights]
    reached = np.zeros((len(places), len(lights)))
    for number, light in enumerate(baked):
        reached[:, number] = _at_corners(light, places) if light.kind == _EFFECT else arriving(light, places)
    hidden = [
        number for number, light in enumerate(lights) if light.obstructed and light.kind != LightKind.EFFECT
    ]
    tracer = Rays(room.shape) if hidden else None
    for count in sorted({rays[number] for number in hidden}):
        assert tracer is not None
        some = np.array([number for number in hidden if rays[number] == count])
        place, each = np.nonzero(reached[:, some] > 0)
        stands = np.array([baked[number].place for number in some])
        reached[place, some[each]] *= tracer.free(places[place], stands[each], count)
    turned = np.zeros((len(rows), len(lights)))
    for number, light in enumerate(baked):
        by_way = with_angle and light.kind in (POINT, SHADOW)
        turned[:, number] = _incidence(light, places[rows], normals) if by_way else facing(light, normals)
    return lit(rows, baked, reached, turned, np.asarray(ambient, np.float64))


def _at_corners(light: BakedLight, places: Floats) -> Floats:
    """Return where an effect light shines: at the corners of its sector, not above itself, (p,)."""
    near = np.linalg.norm(light.place - places, axis=1) + _EDGE <= light.outer
    for axis in (0, 2):
        step = light.place[axis] / SECTOR
        near &= np.isin(places[:, axis], (np.floor(step) * SECTOR, np.ceil(step) * SECTOR))
    return (near & (places[:, 1] <= light.place[1])).astype(np.float64)


def _incidence(light: BakedLight, places: Floats, normals: Floats) -> Floats:
    way = light.place - places
    distance = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
    return np.maximum((way * normals).sum(axis=1) / distance, 0)


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


def _triangles(faces: Faces) -> tuple[Ints, Ints]:
    """Return the face of each triangle, (t,), and its corners, (t, 3)."""
    quads, single = np.flatnonzero(faces.count == 4), np.flatnonzero(faces.count == 3)
    face = np.concatenate([quads, quads, single])
    corners = np.repeat([*_HALVES, (0, 1, 2)], [len(quads), len(quads), len(single)], axis=0)
    return face, corners


def _distinct(places: Ints) -> tuple[Ints, Ints]:
    """Return the distinct of positions (n, 3), and the number of each among them, (n,)."""
    first, number = distinct_rows(places.T)
    return places[first], number
