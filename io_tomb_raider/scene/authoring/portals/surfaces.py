"""Water surfaces: faces between a room and a room with water below, as in real levels.

Each room draws its side: the upper one upward faces, the lower one downward faces. With a double-sided
material the upper room's faces are enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from bmesh.types import BMesh, BMFace, BMVert
from bpy.types import Collection, Mesh, Object
from mathutils import Vector
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE, Columns
from ...core.blender.material_slots import shown_materials
from ...core.space import Space, world_matrix
from ...mesh.blender_mesh import edited_mesh, read_all
from ...subjects.collision.shape import FROM_ABOVE, QUAD
from ...subjects.meshes.arrays import LAYER, VERTEX
from ...subjects.meshes.placed import world_vertices
from ..mesh_from_sectors.kept import nearest_vertices
from ..mesh_from_sectors.looks import (
    UNIT,
    RoleTexture,
    UsedPieces,
    corners_with,
    piece_of,
    set_piece,
    uv_name,
    uvs_of,
)
from ..placeholder_textures import plain_material
from .clearing import LevelMaterials, RoomFaces
from .shapes import PortalShape
from .touching import Contacts

_NEAR = 2.0  # units: closer vertices are the same
_OF_CORNERS = ("float", "int", "float_vector", "color", "float_color")  # kinds of layers
_SOME = 0.01  # of a sector
_TURNED = np.array([[3, 2, 1, 0], [2, 1, 0, 0]])  # the reversed corners of quads and triangles


@dataclass(frozen=True, eq=False)
class WaterSurface(Columns):
    """Faces of a water surface, n of them."""

    #: (n, 4, 3) their corners in units, counterclockwise from the front; the last corner of triangles is
    #: repeated.
    points: Annotated[NDArray[np.float64], 4, 3]
    #: (n, 4, 2) the places of corners on their sector's texture region, from 0 to 1.
    places: Annotated[NDArray[np.float64], 4, 2]
    sizes: NDArray[np.int64]  #: (n,) the numbers of corners.

    @classmethod
    def over(cls, contacts: Contacts, splits: NDArray[np.uint8]) -> WaterSurface:
        """Return upward faces for every sector where a floor is on a ceiling, or for its open triangle.

        Args:
            contacts: n contacts of floors.
            splits: (n,) the dividing lines of the floors.
        """
        half = contacts.triangle >= 0
        corners = np.tile(np.array(QUAD), (len(contacts), 1))
        three = FROM_ABOVE[splits[half], contacts.triangle[half]]
        corners[half] = np.concatenate([three, three[:, -1:]], axis=1)
        places = np.stack([corners // 2, corners % 2], axis=2).astype(np.float64)
        offset = (places - 0.5) * SECTOR_SIZE
        flat = contacts.middle[:, None] + offset
        heights = contacts.plane[:, :1] + (offset * contacts.plane[:, None, 1:]).sum(axis=2)
        points = np.stack([flat[..., 0], heights, flat[..., 1]], axis=2)
        return cls(points, places, np.where(half, 3, 4))

    def from_below(self) -> WaterSurface:
        """Return the faces flipped."""
        order = _TURNED[(self.sizes == 3).astype(np.int64)][..., None]
        points, places = (np.take_along_axis(each, order, axis=1) for each in (self.points, self.places))
        places[..., 0] = 1 - places[..., 0]
        return WaterSurface(points, places, self.sizes)


def is_bare(upper: RoomFaces, lower: RoomFaces, shape: PortalShape, contacts: Contacts) -> NDArray[np.bool_]:
    """Return where the surface between two rooms has no faces, (2, n): upward, and downward.

    Args:
        upper: the room above, with faces to delete marked.
        lower: the room with the water, likewise.
        contacts: its n contacts.
    """
    result = np.ones((2, len(contacts)), bool)
    for faces in (upper, lower):
        for side, visible in enumerate((faces.faces_up, ~faces.faces_up)):
            mask = ~faces.gone & (visible | faces.double_sided)
            result[side] &= faces.covered(shape, contacts, mask) <= _SOME
    return result


def add_faces(room: Object, surface: WaterSurface, piece: RoleTexture, space: Space) -> None:
    """Add faces to a room's mesh. They use existing vertices, and the light of the nearest ones."""
    mesh: Any = room.data
    with edited_mesh(mesh) as edited:
        _FaceAdder(edited, room, uv_name(mesh), space).add(surface, piece, _slot(room, mesh, piece))


# --- The faces ----------------------------------------


def _slot(room: Object, mesh: Mesh, piece: RoleTexture) -> int:
    """Return the slot of a texture's material, added if necessary."""
    materials = shown_materials(room)
    if piece.material in materials:
        return materials.index(piece.material)
    mesh.materials.append(piece.material)
    return len(mesh.materials) - 1


class _FaceAdder:
    """Adds faces to a room's mesh with bmesh, one by one."""

    def __init__(self, edited: BMesh, room: Object, uv_map: str, space: Space) -> None:
        self._edited, self._space = edited, space
        assert isinstance(room.data, Mesh)
        self._back = world_matrix(room).inverted_safe()
        self._positions = space.to_file(world_vertices(room, room.data), room.name, "a vertex")
        layers = edited.loops.layers.uv
        self._uv = layers.get(uv_map) or layers.new(uv_map)
        self._verts: list[BMVert] = list(edited.verts)  # a new layer invalidates vertices
        kinds = (getattr(edited.loops.layers, name) for name in _OF_CORNERS)
        self._copied: list[Any] = [layer for kind in kinds for layer in kind.values()]
        self._number = edited.verts.layers.int.get(VERTEX)
        self._layer = edited.faces.layers.int.get(LAYER)

    def add(self, surface: WaterSurface, piece: RoleTexture, slot: int) -> None:
        """Add faces."""
        points, rows = np.unique(surface.points.reshape(-1, 3), axis=0, return_inverse=True)
        near = nearest_vertices(points, self._positions)
        is_same = np.abs(self._positions[near] - points).max(axis=1) <= _NEAR
        shown = self._space.to_blender(points).astype(np.float64).tolist()
        examples = [self._verts[each] for each in near.tolist()]
        corners = [
            example if same else self._vertex(shown[row], example)
            for row, (example, same) in enumerate(zip(examples, is_same.tolist(), strict=True))
        ]
        uvs = piece.uvs(surface.places).tolist()
        faces = rows.reshape(-1, 4).tolist()
        for face, size, uv in zip(faces, surface.sizes.tolist(), uvs, strict=True):
            verts = [corners[row] for row in face[:size]]
            if self._edited.faces.get(verts) is not None:  # the back of a face needs its own vertices
                verts = [self._vertex(shown[row], corners[row]) for row in face[:size]]
            self._face(verts, [examples[row] for row in face[:size]], uv, slot)

    def _vertex(self, position: list[float], example: BMVert) -> BMVert:
        result = self._edited.verts.new((self._back @ Vector(position)).to_tuple(), example)
        if self._number is not None:
            result[self._number] = -1
        return result

    def _face(self, verts: list[BMVert], examples: list[BMVert], uvs: list[list[float]], slot: int) -> None:
        face: BMFace = self._edited.faces.new(verts)
        for loop, example, uv in zip(face.loops, examples, uvs, strict=False):
            source = next((each for each in example.link_loops if each.face is not face), None)
            if source is not None:
                for layer in self._copied:  # Python's copy_from of loops does not copy them
                    loop[layer] = source[layer]
                if self._layer is not None:
                    face[self._layer] = source.face[self._layer]
            loop[self._uv].uv = uv
        face.material_index, face.smooth = slot, False


_LEVEL = 2.0  # units


def water_piece(root: Collection, portals: Iterable[Object], materials: LevelMaterials) -> RoleTexture:
    """Return the texture of a level's water surfaces, and store it if none was chosen."""
    setting = root.tomb_raider.water_surface
    if setting.material is None:
        piece = _existing(root, portals, materials)
        set_piece(setting, RoleTexture(plain_material(root, "WATER"), UNIT) if piece is None else piece)
    elif not any(setting.corners):
        setting.corners = corners_with(root, setting.material).ravel().tolist()
    return piece_of(setting)


def _existing(root: Collection, portals: Iterable[Object], materials: LevelMaterials) -> RoleTexture | None:
    """Return the texture of existing surfaces in the room that has most of them, or None."""
    space = Space.of(root)
    inside: dict[Object, NDArray[np.bool_]] = {}
    faces_of: dict[Object, RoomFaces] = {}
    for portal in portals:
        room, target = portal.parent, portal.tomb_raider.portal.room
        if room is None or target is None or not isinstance(portal.data, Mesh):
            continue
        if room.tomb_raider.room.has_water == target.tomb_raider.room.has_water:
            continue
        corners = space.to_file(world_vertices(portal, portal.data), portal.name)
        if len(corners) != 4 or np.ptp(corners[:, 1]) > _LEVEL:
            continue
        faces = faces_of.setdefault(room, RoomFaces(room, space, materials))
        shape = PortalShape(1, np.array([corners[0, 1], 0.0, 0.0]), corners, np.zeros(0, np.int64))
        rows = inside.setdefault(room, np.zeros(len(faces.gone), bool))
        rows[faces.within(shape)] = True
    for room, rows in inside.items():
        rows &= faces_of[room].see_through
    best = max(inside, key=lambda room: int(inside[room].sum()), default=None)
    return None if best is None else _used(best, inside[best])


def _used(room: Object, rows: NDArray[np.bool_]) -> RoleTexture | None:
    """Return the most frequent texture of some faces of a room, or None."""
    mesh = room.data
    if not isinstance(mesh, Mesh):
        return None
    geometry = read_all(mesh)
    uvs = uvs_of(mesh, geometry)[np.repeat(rows, geometry.sizes)]
    faces = geometry.take_faces(rows)
    region = UsedPieces(faces, uvs, np.zeros(len(faces.sizes), np.int64), 1.0).most(None)
    materials = shown_materials(room)
    material = None if region is None or region[0] >= len(materials) else materials[region[0]]
    return None if region is None or material is None else RoleTexture(material, region[1])
