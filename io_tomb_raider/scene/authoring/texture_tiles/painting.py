"""Putting tiles on faces of meshes, in and out of edit mode."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import bmesh
import numpy as np
from bmesh.types import BMesh, BMFace
from bpy.types import Collection, Material, Mesh, Object
from mathutils import Vector
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE, T, distinct_rows
from ....formats.levels.textures import ADDITIVE_EFFECT, BlendMode
from ...core.space import Space
from ...mesh.blender_mesh import edited_mesh, material_slots, read_shape, readable, write_material_slots
from ...mesh.poly_mesh import PolyMesh
from ...subjects.bisect.planes import bisect
from ...subjects.meshes.arrays import EFFECTS
from ...subjects.meshes.layers import read_uvs, shown_uv_map, write_uvs
from ...subjects.object_textures.animation_tools import update_starts
from ...subjects.object_textures.tools import slot_of, write_effects
from ...subjects.textures.materials import user_image
from .orientation import FacePlanes, ways_shown
from .tile import Tile, look_of, tile_material

_UV_MAP = "UVMap"
_NEAR = 1 / 512  # of a tile: faces that exceed it by less are not cut
_COPLANAR = 0.9995  # cosine of the angle between connected faces of one plane
_WELD = 1e-5  # of a sector, within which vertices of neighbors are in one place
_MOST_PIECES = 256


class TileFit(NamedTuple):
    """How tiles lie on faces."""

    forward: tuple[float, float] = (0.0, 1.0)  #: see :class:`~.orientation.FacePlanes`.
    #: whether the width of a tile is one sector on walls: low ones show a part of it, and large ones are cut,
    #: and repeat it. Otherwise a tile is stretched to its face.
    keeps_scale: bool = False


def paint(
    root: Collection,
    obj: Object,
    faces: Sequence[int],
    tile: Tile,
    fit: TileFit,
    material: Material | None = None,
) -> list[int] | None:
    """Put a tile on faces of a mesh, in edit mode or not.

    Args:
        material: the tile's material in the level, if known: Blender has no index of materials.

    Returns:
        None, or where large walls were cut, which gives faces new numbers: the number that each face of the
        mesh had before, -1 for added pieces.

    Raises:
        ExportError: if the level has no image of the page any more, or a wall would be cut into too many.
    """
    mesh = obj.data
    if not isinstance(mesh, Mesh) or not len(faces):
        return None
    before = _paint(root, obj, mesh, faces, tile, fit, material)
    if tile.group:
        update_starts(root, mesh)
    return before


def _paint(
    root: Collection,
    obj: Object,
    mesh: Mesh,
    faces: Sequence[int],
    tile: Tile,
    fit: TileFit,
    material: Material | None,
) -> list[int] | None:
    slot = slot_of(mesh, material or tile_material(root, tile))
    if shown_uv_map(mesh) is None:
        mesh.uv_layers.new(name=_UV_MAP, do_init=False)
    side = SECTOR_SIZE * Space.of(root).scale
    size = (side, side * tile.aspect)
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        before = _paint_edited(root, obj, edited, faces, tile, fit, size, slot)
        bmesh.update_edit_mesh(mesh)
        return before
    numbers = np.asarray(faces, np.int64)
    all_faces = read_shape(mesh)
    shape = all_faces.take_faces(numbers)
    planes = FacePlanes(shape, Space.of(root).matrix_of(obj), fit.forward)
    if fit.keeps_scale and _large(planes, size).any():
        with edited_mesh(mesh) as copy:
            return _paint_edited(root, obj, copy, faces, tile, fit, size, slot)
    layer: Any = shown_uv_map(mesh)
    uvs = read_uvs(layer, len(mesh.loops))
    rows = np.repeat(all_faces.starts[numbers] - shape.starts, shape.sizes) + np.arange(len(shape.corners))
    uvs[rows] = tile.uvs(_places(planes, fit, size))
    write_uvs(mesh, layer, uvs)
    slots = material_slots(mesh)
    slots[numbers] = slot
    write_material_slots(mesh, slots)
    if tile.attribute != BlendMode.ADDITIVE and EFFECTS in mesh.attributes:
        write_effects(mesh, numbers, lambda words: ADDITIVE_EFFECT.put(words, 0))
    mesh.update()
    return None


def _places(planes: FacePlanes, fit: TileFit, size: tuple[float, float]) -> NDArray[np.float64]:
    places = planes.stretched
    if fit.keeps_scale:
        of_walls = (planes.groups == "WALL")[planes.shape.face_of_corner]
        places[of_walls] = planes.in_scale(*size)[of_walls]
    return places


def _large(planes: FacePlanes, size: tuple[float, float]) -> NDArray[np.bool_]:
    """Return which faces are walls that are larger than a tile, (f,)."""
    return (planes.groups == "WALL") & (planes.extent > np.array(size) * (1 + _NEAR)).any(axis=1)


# --- In BMesh --------------------------------------------------------------------------------------


def _paint_edited(
    root: Collection,
    obj: Object,
    bm: BMesh,
    faces: Sequence[int],
    tile: Tile,
    fit: TileFit,
    size: tuple[float, float],
    slot: int,
) -> list[int] | None:
    bm.faces.ensure_lookup_table()
    painted = [bm.faces[number] for number in faces]
    matrix = Space.of(root).matrix_of(obj)
    planes = FacePlanes(_shape_of(painted), matrix, fit.forward)
    places, starts = _places(planes, fit, size), planes.shape.starts
    large = _large(planes, size) if fit.keeps_scale else np.zeros(len(painted), np.bool_)
    placed: list[tuple[BMFace, NDArray[np.float64]]] = [
        (face, places[start : start + len(face.loops)])
        for face, start, is_large in zip(painted, starts.tolist(), large.tolist(), strict=True)
        if not is_large
    ]
    cut = [face for face, is_large in zip(painted, large.tolist(), strict=True) if is_large]
    before = {face: number for number, face in enumerate(bm.faces)} if cut else {}
    if cut:
        placed += _cut(obj, bm, cut, [places[starts[row] :] for row in np.flatnonzero(large).tolist()])
    mesh: Any = obj.data
    uv_map: Any = shown_uv_map(mesh)
    layer: Any = bm.loops.layers.uv.get(uv_map.name)
    effects: Any = bm.faces.layers.int.get(EFFECTS)
    uvs = iter(tile.uvs(np.concatenate([corners for _, corners in placed])).tolist())
    for face, _ in placed:
        for loop in face.loops:
            loop[layer].uv = next(uvs)
        face.material_index = slot
        if effects is not None and tile.attribute != BlendMode.ADDITIVE:
            face[effects] = ADDITIVE_EFFECT.put(int(face[effects]), 0)
    return [before.get(face, -1) for face in bm.faces] if cut else None


def _shape_of(faces: Sequence[BMFace]) -> PolyMesh:
    """Return faces of a BMesh, each with vertices of its own."""
    points = np.array([loop.vert.co[:] for face in faces for loop in face.loops], np.float64).reshape(-1, 3)
    sizes = np.array([len(face.loops) for face in faces], np.int64)
    return PolyMesh(points, np.arange(len(points)), sizes)


def _cut(
    obj: Object, bm: BMesh, faces: Sequence[BMFace], places: Sequence[NDArray[np.float64]]
) -> list[tuple[BMFace, NDArray[np.float64]]]:
    """Cut faces where tiles repeat, and return the pieces with the places of their corners on a tile.

    The faces are separated from others first: those would get corners along their edges.

    Args:
        places: of their corners, beginning with the first, beyond 1 where tiles repeat.
    """
    planes = [
        _gradients(face, corners[: len(face.loops)]) for face, corners in zip(faces, places, strict=True)
    ]
    counts = [
        [max(ceil(float(corners[: len(face.loops), axis].max()) - _NEAR), 1) for axis in (0, 1)]
        for face, corners in zip(faces, places, strict=True)
    ]
    pieces_needed = max(across * up for across, up in counts)
    if pieces_needed > _MOST_PIECES:
        raise ExportError(
            obj.name, T("a wall is too large for the tile"), count=pieces_needed, limit=_MOST_PIECES
        )
    cut = set(faces)
    shared = {edge for face in faces for edge in face.edges if not cut.issuperset(edge.link_faces)}
    bmesh.ops.split_edges(bm, edges=list(shared))
    result: list[tuple[BMFace, NDArray[np.float64]]] = []
    for face, slopes, lines in zip(faces, planes, counts, strict=True):
        pieces = [face]
        for axis in (0, 1):
            normal, offset = Vector(slopes[axis, :3].tolist()), float(slopes[axis, 3])
            for line in range(1, lines[axis]):
                point = normal * ((line - offset) / normal.length_squared)
                pieces = bisect(bm, pieces, point, normal, _NEAR / 2 / normal.length)
        for piece in pieces:
            points = np.array([[*loop.vert.co, 1.0] for loop in piece.loops])
            corners = points @ slopes.T
            result.append((piece, corners - np.floor(corners.mean(axis=0))))
    return result


def _gradients(face: BMFace, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how places on a tile grow along the axes of a face's mesh, with their offsets, (2, 4)."""
    points = np.array([loop.vert.co for loop in face.loops], np.float64)
    slopes = np.linalg.lstsq(points - points[0], places - places[0], rcond=1e-6)[0].T
    return np.column_stack([slopes, places[0] - slopes @ points[0]])


# --- Finding faces and their tiles -----------------------------------------------------------------


def faces_of_group(root: Collection, obj: Object, shape: PolyMesh, face: int) -> NDArray[np.int64]:
    """Return all floors, all ceilings or all walls of a mesh, whichever a face is one of."""
    groups = FacePlanes(shape, Space.of(root).matrix_of(obj), (0.0, 1.0)).groups
    return np.flatnonzero(groups == groups[face])


def coplanar_faces(shape: PolyMesh, face: int, side: float) -> NDArray[np.int64]:
    """Return the faces of a mesh that are connected with a face in its plane, and the face.

    Args:
        side: the length of a sector's side in the mesh.
    """
    normals = shape.normals_by_area
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    firsts = shape.positions[shape.corners[shape.starts]].astype(np.float64)
    offsets = ((firsts - firsts[face]) * normals[face]).sum(axis=1)
    in_plane = (normals @ normals[face] > _COPLANAR) & (np.abs(offsets) < side * 0.01)
    # Neighbors share an edge between places, since faces need not share vertices.
    grid = np.rint(shape.positions / (side * _WELD)).astype(np.int64)
    _, vertex = distinct_rows(grid.T, is_sorted=True)
    after = np.arange(1, len(shape.corners) + 1)
    after[shape.starts + shape.sizes - 1] = shape.starts
    starts, ends = vertex[shape.corners], vertex[shape.corners[after]]
    _, edge = distinct_rows(np.sort(np.stack([starts, ends]), axis=0), is_sorted=True)
    of_face = shape.face_of_corner
    result = np.zeros(len(shape.sizes), np.bool_)
    result[face] = True
    while True:
        reached = np.zeros(int(edge.max()) + 1, np.bool_)
        reached[edge[result[of_face]]] = True
        grown = result.copy()
        grown[of_face[reached[edge]]] = True
        grown &= in_plane
        grown[face] = True
        if (grown == result).all():
            return np.flatnonzero(result)
        result = grown


def tile_of(root: Collection, obj: Object, face: int, forward: tuple[float, float]) -> Tile | None:
    """Return the tile of a face of a mesh, in edit mode or not, as the face shows it; None without image.

    Args:
        forward: see :class:`~.orientation.FacePlanes`.
    """
    mesh: Any = obj.data
    with readable(mesh) as read_mesh:
        shape = read_shape(read_mesh).take_faces(np.array([face]))
        start = int(read_shape(read_mesh).starts[face])
        slot = int(material_slots(read_mesh)[face])
        layer = shown_uv_map(read_mesh)
        uvs = read_uvs(layer, len(read_mesh.loops))[start : start + len(shape.corners)].astype(np.float64)
    material = mesh.materials[slot] if slot < len(mesh.materials) else None
    image = user_image(material) if material is not None else None
    if material is None or image is None or shown_uv_map(mesh) is None or not all(image.size):
        return None
    texels = np.stack([uvs[:, 0] * image.size[0], (1 - uvs[:, 1]) * image.size[1]], axis=1)
    low, high = texels.min(axis=0), texels.max(axis=0)
    area = (*low.tolist(), *(high - low).tolist())
    on_tile = (texels - low) / np.maximum(high - low, 1e-6)
    on_tile[:, 1] = 1 - on_tile[:, 1]
    turns, mirrored = ways_shown(FacePlanes(shape, Space.of(root).matrix_of(obj), forward), on_tile)
    look = look_of(root, material, image, area)
    return Tile(image, area, int(turns[0]), bool(mirrored[0]), *look)
