"""Changes of tiles that faces show already: turned, mirrored, replaced by others.

All of them work on meshes outside edit mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Collection, Image, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ...core.membership import require_local
from ...core.space import Space
from ...mesh.blender_mesh import material_slots, read_shape, write_material_slots
from ...mesh.poly_mesh import PolyMesh
from ...subjects.animated_textures.animated_textures import group_named
from ...subjects.meshes.layers import read_uvs, shown_uv_map, write_uvs
from ...subjects.object_textures.animation_tools import (
    FacePicture,
    add_pictures,
    check_can_play,
    play_on,
    update_starts,
)
from ...subjects.object_textures.tools import (
    set_blending,
    set_bump,
    set_double_sided,
    set_group,
    slot_of,
)
from ...subjects.textures.materials import user_image
from ..texture_regions.regions import TextureRegion, faces_showing, level_meshes
from .orientation import FacePlanes, turned, ways_shown
from .tile import Area, Look, Tile, look_of, tile_material

_FORWARD = (0.0, 1.0)
_SLACK = 0.02  # texels


class Users(NamedTuple):
    """Faces of a mesh that show a tile."""

    obj: Object  #: an object with the mesh.
    mesh: Mesh
    faces: NDArray[np.int64]  #: numbers of the faces.


def users_of(root: Collection, piece: TextureRegion) -> list[Users]:
    """Return all faces of a level that show a texture region, by mesh."""
    users = [Users(obj, mesh, faces_showing(mesh, piece)) for mesh, obj in level_meshes(root)]
    return [each for each in users if len(each.faces)]


def turn_shown(root: Collection, obj: Object, faces: NDArray[np.int64], *, quarters: int = 0) -> int:
    """Turn what faces show clockwise by quarters, and return how many changed.

    They show the same rectangle of their image as before.
    """

    def turn(shown: _Shown) -> NDArray[np.float64]:
        other_way = turned(shown.on_tile, -quarters % 4, mirrored=False)
        places = turned(shown.on_tile, quarters, mirrored=False)
        places[shown.mirrored] = other_way[shown.mirrored]
        return places

    return _change(root, obj, faces, turn)


def mirror_shown(root: Collection, obj: Object, faces: NDArray[np.int64]) -> int:
    """Exchange left and right of what faces show, and return how many changed."""

    def mirror(shown: _Shown) -> NDArray[np.float64]:
        sideways = (shown.turns % 2 == 1)[:, None]
        x, y = shown.on_tile.T[..., None]
        return np.hstack([np.where(sideways, x, 1 - x), np.where(sideways, 1 - y, y)])

    return _change(root, obj, faces, mirror)


class _Shown(NamedTuple):
    """What faces show, by corner: the places on the rectangle of their image, its turns, whether mirrored."""

    on_tile: NDArray[np.float64]
    turns: NDArray[np.int64]
    mirrored: NDArray[np.bool_]


class _Corners:
    """The UVs of faces of a mesh, and their places on the rectangles that the faces show."""

    def __init__(self, mesh: Mesh, faces: NDArray[np.int64]) -> None:
        self._mesh, all_faces = mesh, read_shape(mesh)
        self.shape: PolyMesh = all_faces.take_faces(faces)
        self._layer: Any = shown_uv_map(mesh)
        self._all = read_uvs(self._layer, len(mesh.loops))
        starts, sizes = self.shape.starts, self.shape.sizes
        self._rows = np.repeat(all_faces.starts[faces] - starts, sizes) + np.arange(len(self.shape.corners))
        uvs = self._all[self._rows].astype(np.float64)
        of_corner = self.shape.face_of_corner
        self._low = np.minimum.reduceat(uvs, starts)[of_corner]
        self._size = np.maximum.reduceat(uvs, starts)[of_corner] - self._low
        self.on_tile = (uvs - self._low) / np.maximum(self._size, 1e-9)

    def put_on_tile(self, places: NDArray[np.float64]) -> None:
        """Write UVs by places on the rectangles."""
        self.put(self._low + places * self._size)

    def put(self, uvs: NDArray[np.float64]) -> None:
        """Write UVs."""
        self._all[self._rows] = uvs
        write_uvs(self._mesh, self._layer, self._all)


def _change(root: Collection, obj: Object, faces: NDArray[np.int64], change: Any) -> int:
    mesh: Any = obj.data
    shows = np.array([each is not None and user_image(each) is not None for each in mesh.materials], np.bool_)
    slots = material_slots(mesh)[faces]
    if shown_uv_map(mesh) is None or not shows.any():
        return 0
    changed = faces[(slots < len(shows)) & shows[np.minimum(slots, len(shows) - 1)]]
    if not len(changed):
        return 0
    corners = _Corners(mesh, changed)
    planes = FacePlanes(corners.shape, Space.of(root).matrix_of(obj), _FORWARD)
    turns, mirrored = ways_shown(planes, corners.on_tile)
    of_corner = corners.shape.face_of_corner
    corners.put_on_tile(change(_Shown(corners.on_tile, turns[of_corner], mirrored[of_corner])))
    update_starts(root, mesh)
    mesh.update()
    return len(changed)


def replace_shown(root: Collection, users: Users, piece: TextureRegion, tile: Tile) -> None:
    """Replace a tile by another one.

    Faces keep their blend modes, their sides, and how they are turned: ``tile.turns`` are added.
    """
    mesh: Any = users.mesh
    slots = material_slots(mesh)
    before = slots[users.faces]
    for slot in np.unique(before).tolist():
        look = look_of(root, mesh.materials[slot], piece.image, area_of(piece))
        kept = tile._replace(attribute=look.attribute, is_double_sided=look.is_double_sided)
        slots[users.faces[before == slot]] = slot_of(mesh, tile_material(root, kept))
    write_material_slots(mesh, slots)
    corners = _Corners(mesh, users.faces)
    corners.put(tile.uvs(corners.on_tile))
    update_starts(root, mesh)
    mesh.update()


def area_of(piece: TextureRegion) -> Area:
    """Return the rectangle of a texture region as tiles have it: left, top, width and height."""
    image: Image = piece.image
    width, height = piece.size
    return piece.left, image.size[1] - piece.top, width, height


def look_of_face(root: Collection, mesh: Any, face: int, piece: TextureRegion) -> Look:
    """Return what the material of a face adds to the texture region that it shows."""
    return look_of(root, mesh.materials[mesh.polygons[face].material_index], piece.image, area_of(piece))


def set_look(root: Collection, users: Sequence[Users], look: Look, before: Look) -> int:
    """Change the blend mode, sides, bump and animated texture of faces, and return how many changed.

    Only what differs between two looks is changed.

    Raises:
        ExportError: before anything is changed, if a page has no height map, or a face cannot play.
    """
    group = group_named(root, look.group) if look.group != before.group else None
    for each in users if group is not None else ():
        check_can_play(root, group, each.mesh, each.faces)
    return sum(_set_look(root, each, look, before, group) for each in users)


def _set_look(root: Collection, users: Users, look: Look, before: Look, group: Any | None) -> int:
    mesh, faces = users.mesh, users.faces
    old_slots, uvs = material_slots(mesh), read_uvs(shown_uv_map(mesh), len(mesh.loops))
    if look.bump != before.bump:  # first, since it may be refused
        set_bump(root, mesh, faces, look.bump)
    if look.attribute != before.attribute:
        set_blending(root, mesh, faces, look.attribute)
    if look.is_double_sided != before.is_double_sided:
        set_double_sided(root, mesh, faces, look.is_double_sided)
    if group is not None:
        play_on(root, group, mesh, faces)
    elif look.group != before.group:
        set_group(root, mesh, faces, 0)
    update_starts(root, mesh)
    moved = (read_uvs(shown_uv_map(mesh), len(mesh.loops)) != uvs).any(axis=1)
    changed = old_slots != material_slots(mesh)
    changed[read_shape(mesh).face_of_corner[moved]] = True
    return int(changed.sum())


def require_all_local(users: Sequence[Users]) -> None:
    """Raise ExportError if a mesh or its object is of another file."""
    for each in users:
        require_local(each.obj)
        require_local(each.mesh)


# --- Frames of animated textures -------------------------------------------------------------------

# The corners of a tile in the order of the file.
_CLOCKWISE = np.array([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)])


def add_tiles_as_frames(root: Collection, group: Any | None, tiles: Sequence[Tile]) -> int:
    """Append tiles to the frames of an animated texture, or of a new one for None; return their number."""
    pictures = [FacePicture(tile.image, tile.uvs(_CLOCKWISE), tile.attribute, tile.bump) for tile in tiles]
    return add_pictures(root, group, pictures)


def run_of_tiles(tile: Tile, count: int, *, downwards: bool = False) -> list[Tile]:
    """Return tiles in the cells of a grid: a tile, those right of it, then those of the next row.

    Args:
        tile: the first one, which gives the grid.
        downwards: whether they go down a column, and then down the next one.

    Raises:
        ExportError: if the picture ends before.
    """
    width, height = tile.image.size
    size = np.array(tile.area[2:])
    # Places along the direction of the run, and across.
    order = [1, 0] if downwards else [0, 1]
    start, step, room = (np.array(each)[order] for each in (tile.area[:2], size, (width, height)))
    cells, first = np.divmod(start, step)
    per_line = int((room[0] - first[0] + _SLACK) // step[0])
    before = int(cells[0])
    result: list[Tile] = []
    for number in range(before, before + count):
        position = np.array([first[0] + number % per_line * step[0], start[1] + number // per_line * step[1]])
        if position[1] + step[1] > room[1] + _SLACK:
            raise ExportError(tile.image.name, T("the picture ends before"), count=count, limit=len(result))
        left, top = position[order].tolist()
        result.append(tile._replace(area=(left, top, *tile.area[2:])))
    return result
