"""Imported geometry: models of other files that become a part of the meshes of rooms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, radians, sin
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.messages import T, about
from ..light import mesh_shades
from ..objects import ImportedGeometry
from ..rooms import Room
from ..settings import ImportedModel
from ..shades import pack_shades
from .mesh import NO_ORIGIN, RoomMesh
from .plan import Plan
from .resources import Image, ModelArrays, Resources

Floats = NDArray[np.float64]

_SWAPS = ((1, (0, 1)), (2, (0, 2)), (4, (1, 2)))
_FLIPS = ((8, 0), (16, 1), (32, 2))
_FLIPPED_V = 4
_ADDITIVE, _ALPHA_TEST = 2, 1
_LIT_BY_AMBIENT, _BY_COLORS, _BY_LIGHTS, _AS_AMBIENT = range(4)


class ImportedFaces(NamedTuple):
    """The faces of an imported geometry in its room of the level.

    Attributes:
        number: of the object in the project.
        first_quad, quads: the first of its quads in the room, and their number.
        first_triangle, triangles: likewise.
    """

    number: int
    first_quad: int
    quads: int
    first_triangle: int
    triangles: int


class ImportedModels:
    """The models of a project, with numbers for their images beyond those of the project's textures.

    Args:
        resources: the files.
        models: the models of the project.
        first: the number of the first image.

    Attributes:
        images: by number, the pixels.
    """

    def __init__(self, resources: Resources, models: Sequence[ImportedModel], first: int) -> None:
        self._resources = resources
        self._models = {each.number: each for each in models}
        self._first = first
        self._numbers: dict[Path, int] = {}
        self.images: dict[int, Image] = {}

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


def import_geometry(
    plan: Plan, room: Room, models: ImportedModels, *, wide: bool
) -> list[tuple[int, RoomMesh]]:
    """Return the imported geometry of a room: the number and the mesh of each object."""
    made = []
    for each in room.each(ImportedGeometry):
        found = models.get(each.model)
        if found is None:
            if each.model >= 0:
                plan.log.warn(about(room.name, T("an imported geometry has no model and is omitted")))
            continue
        mesh = _mesh(plan, room, each, *found, models.image, wide=wide)
        lost = mesh.image < 0
        if lost.any():
            plan.log.warn(about(room.name, T("faces of imported geometry have no texture and are omitted")))
        made.append((each.number, mesh.take(np.flatnonzero(~lost))))
    return made


def _mesh(
    plan: Plan, room: Room, placed: ImportedGeometry, model: ImportedModel, arrays: ModelArrays,
    number: Callable[[Path | None], int], *, wide: bool,
) -> RoomMesh:  # fmt: skip
    game = plan.target.game
    points = _with_axes(arrays.positions, model.position_axes) * model.scale
    turned = turn_of(placed)
    points = np.rint(points) @ turned.T * placed.scale + placed.position
    triangles = arrays.triangles
    uv = arrays.uv.copy()
    if model.texture_axes & _FLIPPED_V:
        uv[..., 1] = 1 - uv[..., 1]
    normals = _normals(arrays, points, turned, model)
    places = points[triangles]
    colors = np.ones((len(points), 3)) if arrays.colors is None else arrays.colors
    shades = _shades(room, placed, places, normals, colors[triangles])
    level = np.rint(places).astype(np.int64)
    level[..., 1] = -(level[..., 1] + room.y)
    order = [0, 1, 2, 2]
    level, uv, shades = level[:, order], uv[:, order], shades[:, order]
    flat = np.zeros(len(level), np.bool_)
    for one, other in ((0, 1), (1, 2), (0, 2)):
        flat |= (level[:, one] == level[:, other]).all(axis=1)
    material = arrays.material if len(arrays.material) == len(level) else np.zeros(len(level), np.int64)
    numbers = np.array([number(path) for path in arrays.images] or [-1])
    double_sided = np.array(arrays.double_sided or [False])[material]
    additive = np.array(arrays.additive or [False])[material]
    blend = np.where(additive, _ADDITIVE, _ALPHA_TEST if placed.alpha_test else 0)
    packed = pack_shades(game, shades.reshape(-1, 3), wide=wide)
    made = RoomMesh(
        level,
        np.full(len(level), 3),
        packed.reshape(len(level), 4, packed.shape[-1]),
        numbers[material],
        uv.astype(np.float32),
        np.zeros((len(level), 2, 2), np.float32),
        blend,
        double_sided,
        np.full((len(level), 2), NO_ORIGIN),
    )
    return made.take(np.flatnonzero(~flat))


def in_pixels(mesh: RoomMesh, images: dict[int, Image], *, whole: bool) -> RoomMesh:
    """Return a mesh with texture coordinates in pixels instead of parts of the image."""
    made = mesh.take(np.arange(len(mesh)))
    for number in np.unique(mesh.image).tolist():
        height, width = images[number].shape[:2]
        rows = mesh.image == number
        made.corners[rows] = mesh.corners[rows] * np.array((width, height), np.float32)
        if whole:
            made.parents[rows] = ((0, 0), (width, height))
    return made


def _with_axes(positions: Floats, axes: int) -> Floats:
    points = positions.copy()
    for bit, (one, other) in _SWAPS:
        if axes & bit:
            points[:, [one, other]] = points[:, [other, one]]
    for bit, axis in _FLIPS:
        if axes & bit:
            points[:, axis] *= -1
    return points


def turn_of(placed: ImportedGeometry) -> Floats:
    """Return the rotation of an object, (3, 3), y upwards: first its roll, then around x, then around y."""
    roll, x, y = radians(placed.roll), -radians(placed.x), radians(placed.y)
    about_z = np.array([[cos(roll), -sin(roll), 0], [sin(roll), cos(roll), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, cos(x), -sin(x)], [0, sin(x), cos(x)]])
    about_y = np.array([[cos(y), 0, sin(y)], [0, 1, 0], [-sin(y), 0, cos(y)]])
    result: Floats = about_y @ about_x @ about_z
    return result


def _normals(arrays: ModelArrays, points: Floats, turned: Floats, model: ImportedModel) -> Floats:
    """Return the unit normals of the corners (n, 3, 3)."""
    if arrays.normals is not None:
        flat = _with_axes(arrays.normals.reshape(-1, 3), model.position_axes) @ turned.T
        normals = flat.reshape(-1, 3, 3)
    else:
        corners = points[arrays.triangles]
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = np.repeat(across[:, None], 3, axis=1)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    result: Floats = normals / np.where(length > 0, length, 1)
    return result


def _shades(room: Room, placed: ImportedGeometry, places: Floats, normals: Floats, colors: Floats) -> Floats:
    """Return the brightness of the corners (n, 3, 3)."""
    tint = np.array(placed.color)
    if placed.lighting == _BY_COLORS:
        return colors * tint
    if placed.lighting == _AS_AMBIENT:
        return np.broadcast_to(tint, places.shape).copy()
    if placed.lighting == _BY_LIGHTS:
        red, green, blue = (np.array(room.ambient) * tint).tolist()
        shades = mesh_shades(
            room, places.reshape(-1, 3), normals.reshape(-1, 3), (red, green, blue), imported=True
        )
        return shades.reshape(places.shape)
    return np.broadcast_to(np.array(room.ambient) * tint, places.shape).copy()
