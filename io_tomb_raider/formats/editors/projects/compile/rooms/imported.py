"""Imported geometry: models of other files that become a part of the meshes of rooms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Floats, Pixels
from .....base.messages import T, about
from ...light.light import mesh_shades
from ...light.shades import pack_shades
from ...model.objects import ImportedGeometry
from ...model.rooms import ProjectRoom
from ...model.settings import ImportedModel
from ..plan.plan import Plan
from ..plan.resources import ModelArrays, Resources
from .mesh import NO_ORIGIN, AddedMesh, RoomMesh, level_positions

Single = np.float32  # as precise as the editor is, since positions are cut

_SWAPS = ((1, (0, 1)), (2, (0, 2)), (4, (1, 2)))
_FLIPS = ((8, 0), (16, 1), (32, 2))
_FLIPPED_V = 4
_ADDITIVE = 2
_LIT_BY_AMBIENT, _BY_COLORS, _BY_LIGHTS, _AS_AMBIENT = range(4)


class ImportedFaces(NamedTuple):
    """The faces of an imported geometry in its room of the level."""

    number: int  #: of the object in the project.
    #: first_quad, quads: the first of its quads in the room, and their number.
    first_quad: int
    quads: int
    #: first_triangle, triangles: likewise.
    first_triangle: int
    triangles: int


class ImportedModels:
    """The models of a project; their images have numbers from `first` on, after the project's textures."""

    def __init__(self, resources: Resources, models: Sequence[ImportedModel], first: int) -> None:
        self._resources = resources
        self._models = {each.number: each for each in models}
        self._first = first
        self._numbers: dict[Path, int] = {}
        self.images: dict[int, Pixels] = {}  #: by number, the pixels.

    def get(self, number: int) -> tuple[ImportedModel, ModelArrays] | None:
        """Return a model, None if it is missing."""
        model = self._models.get(number)
        arrays = None if model is None else self._resources.model(model.path, inverted=model.invert_faces)
        return None if model is None or arrays is None else (model, arrays)

    def image(self, path: Path | None) -> int:
        """Return the number of an image, -1 if it is missing."""
        if path is None:
            return -1
        if path not in self._numbers:
            pixels = self._resources.image_file(path)
            number = -1 if pixels is None else self._first + len(self.images)
            self._numbers[path] = number
            if pixels is not None:
                self.images[number] = pixels
        return self._numbers[path]


def import_geometry(plan: Plan, room: ProjectRoom, models: ImportedModels, *, wide: bool) -> list[AddedMesh]:
    """Return the imported geometry of a room, one mesh for each object, with coordinates in pixels."""
    result = []
    for placed in room.each(ImportedGeometry):
        model = models.get(placed.model)
        if model is None:
            if placed.model >= 0:
                plan.log.warn(about(room.name, T("an imported geometry has no model and is omitted")))
            continue
        added = _mesh(plan, room, placed, *model, models.image, wide=wide)
        lost = added.mesh.image < 0
        if lost.any():
            plan.log.warn(about(room.name, T("faces of imported geometry have no texture and are omitted")))
        mesh = added.mesh.take(np.flatnonzero(~lost))
        mesh = _in_pixels(mesh, models.images, whole=model[0].maps_whole_images)
        result.append(replace(added, mesh=mesh))
    return result


def put_in_room(placed: ImportedGeometry, points: NDArray[np.float32]) -> Floats:
    """Return points of a model, (v, 3) in whole units, as points of the placed object's room."""
    rotation = turn_of(placed)
    x, y, z = points.T[:, :, None]
    rotated = (x * rotation[:, 0] + y * rotation[:, 1] + z * rotation[:, 2]) * Single(placed.scale)
    return np.asarray(rotated + np.array(placed.position, Single), np.float64)


def _mesh(
    plan: Plan, room: ProjectRoom, placed: ImportedGeometry, model: ImportedModel, arrays: ModelArrays,
    number: Callable[[Path | None], int], *, wide: bool,
) -> AddedMesh:  # fmt: skip
    game = plan.target.game
    vertices = np.rint(_with_axes(arrays.positions, model.position_axes).astype(Single) * Single(model.scale))
    rotation, points = turn_of(placed), put_in_room(placed, vertices)
    triangles = arrays.triangles
    uv = arrays.uv.copy()
    if model.texture_axes & _FLIPPED_V:
        uv[..., 1] = 1 - uv[..., 1]
    normals = _normals(arrays, points, rotation, model)
    corners = points[triangles]
    colors = np.ones((len(points), 3)) if arrays.colors is None else arrays.colors
    shades = _shades(room, placed, corners, normals, colors[triangles])
    positions = level_positions(room, corners)
    packed = pack_shades(game, shades.reshape(-1, 3), wide=wide)
    packed = packed.reshape(len(positions), 3, packed.shape[-1])
    room_vertices = positions.reshape(-1, 3), packed.reshape(-1, packed.shape[-1])
    order = [0, 1, 2, 2]
    positions, uv, packed = positions[:, order], uv[:, order], packed[:, order]
    flat = np.zeros(len(positions), np.bool_)
    for a, b in () if placed.sharp_edges else ((0, 1), (1, 2), (0, 2)):
        flat |= (positions[:, a] == positions[:, b]).all(axis=1)
    material = (
        arrays.material if len(arrays.material) == len(positions) else np.zeros(len(positions), np.int64)
    )
    numbers = np.array([number(path) for path in arrays.images] or [-1])
    double_sided = np.array(arrays.double_sided or [False])[material]
    additive = np.array(arrays.additive or [False])[material]
    blend = np.where(additive, _ADDITIVE, 0)
    mesh = RoomMesh(
        positions,
        np.full(len(positions), 3),
        packed,
        numbers[material],
        uv.astype(np.float32),
        np.zeros((len(positions), 2, 2), np.float32),
        blend,
        double_sided,
        np.full((len(positions), 2), NO_ORIGIN),
        np.arange(3 * len(positions)).reshape(-1, 3)[:, order],
    )
    effects = np.zeros(len(room_vertices[0]), np.int64)
    return AddedMesh(
        mesh.take(np.flatnonzero(~flat)), *room_vertices, effects, placed.sharp_edges, placed.number
    )


def _in_pixels(mesh: RoomMesh, images: dict[int, Pixels], *, whole: bool) -> RoomMesh:
    """Return a mesh with texture coordinates in pixels instead of parts of the image."""
    result = mesh.take(np.arange(len(mesh)))
    for number in np.unique(mesh.image).tolist():
        height, width = images[number].shape[:2]
        rows = mesh.image == number
        result.corners[rows] = mesh.corners[rows] * np.array((width, height), np.float32)
        if whole:
            result.parents[rows] = ((0, 0), (width, height))
    return result


def _with_axes(positions: Floats, axes: int) -> Floats:
    points = positions.copy()
    for bit, (a, b) in _SWAPS:
        if axes & bit:
            points[:, [a, b]] = points[:, [b, a]]
    for bit, axis in _FLIPS:
        if axes & bit:
            points[:, axis] *= -1
    return points


def turn_of(placed: ImportedGeometry) -> NDArray[np.float32]:
    """Return the rotation of an object, (3, 3), y upwards: first its roll, then around x, then around y.

    It is computed by a quaternion in 32-bit floats, as the editor does.
    """
    single = Single
    halves = [single(radians(angle)) * single(0.5) for angle in (placed.y, -placed.x, placed.roll)]
    (sy, cy), (sx, cx), (sz, cz) = ((single(sin(each)), single(cos(each))) for each in halves)
    x, y = cy * sx * cz + sy * cx * sz, sy * cx * cz - cy * sx * sz
    z, w = cy * cx * sz - sy * sx * cz, cy * cx * cz + sy * sx * sz
    one, two = single(1), single(2)
    return np.array(
        [
            [one - two * (y * y + z * z), two * (x * y - z * w), two * (x * z + y * w)],
            [two * (x * y + z * w), one - two * (z * z + x * x), two * (y * z - x * w)],
            [two * (x * z - y * w), two * (y * z + x * w), one - two * (y * y + x * x)],
        ],
        single,
    )


def _normals(
    arrays: ModelArrays, points: Floats, rotation: NDArray[np.float32], model: ImportedModel
) -> Floats:
    """Return the unit normals of the corners (n, 3, 3)."""
    if arrays.normals is not None:
        flat = _with_axes(arrays.normals.reshape(-1, 3), model.position_axes) @ rotation.T
        normals = flat.reshape(-1, 3, 3)
    else:
        corners = points[arrays.triangles]
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = np.repeat(across[:, None], 3, axis=1)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    result: Floats = normals / np.where(length > 0, length, 1)
    return result


def _shades(
    room: ProjectRoom, placed: ImportedGeometry, positions: Floats, normals: Floats, colors: Floats
) -> Floats:
    """Return the brightness of the corners (n, 3, 3)."""
    tint = np.array(placed.color)
    if placed.lighting == _BY_COLORS:
        return colors * tint
    if placed.lighting == _AS_AMBIENT:
        return np.broadcast_to(tint, positions.shape).copy()
    if placed.lighting == _BY_LIGHTS:
        red, green, blue = (np.array(room.ambient) * tint).tolist()
        shades = mesh_shades(
            room, positions.reshape(-1, 3), normals.reshape(-1, 3), (red, green, blue), imported=True
        )
        return shades.reshape(positions.shape)
    return np.broadcast_to(np.array(room.ambient) * tint, positions.shape).copy()
