"""Textures of drawn faces: a texture region for each role, chosen or found in the room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bmesh
import numpy as np
from bpy.types import Collection, Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE, T
from ...core.blender.material_slots import shown_materials
from ...core.membership import members_of
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_all
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh
from ..placeholder_textures import plain_material
from .shape import DrawnRole

_UPRIGHT = 0.3  # of a face's normal: the vertical share from which a face is no wall
_NEARLY = 0.02  # of a sector: tolerance for faces of its size
UNIT = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])  # the corners of a whole image
_SAME = 1e-4  # in UVs


@dataclass(frozen=True, eq=False)
class RoleTexture:
    """The texture of faces of a role."""

    material: Material
    corners: NDArray[np.float64]  #: (4, 2) UVs: bottom left, bottom right, top right, top left.

    def uvs(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the UVs at the places of faces on the region, (…, 4, 2), from 0, 0 at its bottom left.

        Faces that are taller than the region show all of it.
        """
        along, up = places[..., :1], places[..., 1:]
        lowest = np.minimum(up.min(axis=-2, keepdims=True), 0.0)
        up = (up - lowest) / (1 - lowest)
        bottom = self.corners[0] * (1 - along) + self.corners[1] * along
        top = self.corners[3] * (1 - along) + self.corners[2] * along
        return np.asarray(bottom * (1 - up) + top * up)


class UsedPieces:
    """The texture regions of a room's quads by role, with frequencies.

    Args:
        uvs: (k, 2) of its corners.
        known: (f,) the roles of faces that match drawn ones; 0 for others.
        side: the length of a sector's side in Blender.
    """

    def __init__(
        self, geometry: PolyMesh, uvs: NDArray[np.float64], known_roles: NDArray[np.int64], side: float
    ) -> None:
        quads = np.flatnonzero(geometry.sizes == 4)
        points = geometry.positions[geometry.vertex_rows()[quads]].astype(np.float64)
        normals = np.cross(points[:, 2] - points[:, 0], points[:, 3] - points[:, 1]).astype(np.float64)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        conditions = [normals[:, 2] > _UPRIGHT, normals[:, 2] < -_UPRIGHT]
        roles = np.select(conditions, [DrawnRole.FLOOR, DrawnRole.CEILING], DrawnRole.WALL)
        roles = np.where(known_roles[quads] > 0, known_roles[quads], roles)
        along, size = places_on_faces(points, normals, roles)
        nearest = np.linalg.norm(along[:, None] - UNIT[:, None], axis=3).argmin(axis=2)
        corners = uvs[geometry.starts[quads, None] + nearest] if len(quads) else np.zeros((0, 4, 2))
        is_whole = (np.abs(size / side - 1) < _NEARLY).all(axis=1, keepdims=True)
        columns = [
            is_whole,
            roles[:, None],
            geometry.face[MATERIAL_INDEX][quads, None],
            corners.reshape(-1, 8),
        ]
        rows = np.round(np.concatenate(columns, axis=1), 5)
        regions, counts = np.unique(rows, axis=0, return_counts=True)
        # Regions of whole sectors first, then by frequency.
        order = np.lexsort((-counts, -regions[:, 0]))
        self._regions = regions[order]

    def most(
        self, role: DrawnRole | None, slots: Sequence[int] | None = None
    ) -> tuple[int, NDArray[np.float64]] | None:
        """Return the slot and the corners, (4, 2), of the most frequent region of a role, or None."""
        fits = np.ones(len(self._regions), bool) if role is None else self._regions[:, 1] == role
        if slots is not None:
            fits &= np.isin(self._regions[:, 2], slots)
        if not fits.any():
            return None
        region = self._regions[fits.argmax()]
        return int(region[2]), region[3:].reshape(4, 2)


def places_on_faces(
    points: NDArray[np.float64], normals: NDArray[np.float64], roles: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the places of corners on faces, (q, 4, 2) from 0 to 1, and the sizes of faces, (q, 2)."""
    is_wall = (roles == DrawnRole.WALL) | (roles == DrawnRole.STEP)
    right = np.zeros_like(normals)
    right[:, 0] = np.where(roles == DrawnRole.CEILING, -1.0, 1.0)
    horizontal = np.stack([-normals[:, 1], normals[:, 0], normals[:, 2] * 0], axis=1)
    horizontal /= np.maximum(np.linalg.norm(horizontal, axis=1, keepdims=True), 1e-12)
    right = np.where(is_wall[:, None], horizontal, right)
    up = np.where(is_wall[:, None], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    along = np.stack([(points * axis[:, None]).sum(axis=2) for axis in (right, up)], axis=2)
    low, high = along.min(axis=1), along.max(axis=1)
    size = high - low
    return (along - low[:, None]) / np.maximum(size, 1e-12)[:, None], size


# --- Choice of textures ----------------------------------------


def choose_pieces(
    root: Collection, room: Object, drawing: object, used: UsedPieces
) -> dict[int, RoleTexture]:
    """Return the textures by role, and store those that were not chosen yet.

    By default it is the room's most frequent region on floors, ceilings and walls; in a room without
    textures, that of another drawn room of the level; else a placeholder.
    """
    materials = shown_materials(room)
    for role in DrawnRole:
        setting = getattr(drawing, role.name.lower())
        if setting.material is None:
            _choose(root, drawing, role, used, materials)
        elif not any(setting.corners):
            corners = _corners_with(root, setting.material, role, used, materials)
            setting.corners = corners.ravel().tolist()
    return {int(role): piece_of(getattr(drawing, role.name.lower())) for role in DrawnRole}


def piece_of(setting: Any) -> RoleTexture:
    """Return the texture of a setting."""
    return RoleTexture(setting.material, np.array(setting.corners, np.float64).reshape(4, 2))


def set_piece(setting: Any, piece: RoleTexture) -> None:
    """Set the texture of a setting."""
    setting.material = piece.material
    setting.corners = piece.corners.ravel().tolist()


def _choose(
    root: Collection, drawing: object, role: DrawnRole, used: UsedPieces, materials: list[Material | None]
) -> None:
    setting = getattr(drawing, role.name.lower())
    slots = [slot for slot, material in enumerate(materials) if material is not None]
    region = used.most(role, slots)
    if region is None and role == DrawnRole.STEP:
        region = used.most(DrawnRole.WALL, slots)
    if region is not None:
        material = materials[region[0]]
        assert material is not None
        set_piece(setting, RoleTexture(material, region[1]))
        return
    for obj in members_of(root, Kind.COLLISION):
        other_setting = getattr(obj.tomb_raider.collision.drawing, role.name.lower())
        if other_setting.material is not None and any(other_setting.corners):
            set_piece(setting, piece_of(other_setting))
            return
    set_piece(setting, RoleTexture(plain_material(root, role.name), UNIT))


def _corners_with(
    root: Collection, material: Material, role: DrawnRole, used: UsedPieces, materials: list[Material | None]
) -> NDArray[np.float64]:
    """Return the corners of a material's most frequent region in the room, else in the level."""
    slots = [slot for slot, each in enumerate(materials) if each == material]
    region = used.most(role, slots) or used.most(None, slots)
    return corners_with(root, material, role) if region is None else region[1]


def corners_with(root: Collection, material: Material, role: DrawnRole | None = None) -> NDArray[np.float64]:
    """Return the corners of a material's most frequent region in rooms, (4, 2), or the whole image."""
    for room in members_of(root, Kind.ROOM):
        if not isinstance(room.data, Mesh):
            continue
        materials = shown_materials(room)
        slots = [slot for slot, each in enumerate(materials) if each == material]
        if slots:
            used = used_pieces(root, room)
            region = used and (used.most(role, slots) or used.most(None, slots))
            if region:
                return region[1]
    return UNIT


def used_pieces(root: Collection, room: Object) -> UsedPieces | None:
    """Return the texture regions of a room's quads, or None without a mesh."""
    if not isinstance(room.data, Mesh) or not room.data.polygons:
        return None
    geometry = read_all(room.data)
    known = np.zeros(len(geometry.sizes), np.int64)
    return UsedPieces(geometry, uvs_of(room.data, geometry), known, SECTOR_SIZE * root.tomb_raider.scale)


def uv_name(mesh: Mesh) -> str:
    """Return the name of the rendered UV map, existing or new."""
    layers = mesh.uv_layers
    rendered = next((layer for layer in layers if layer.active_render), layers.active)
    return "UVMap" if rendered is None else rendered.name


def uvs_of(mesh: Mesh, geometry: PolyMesh) -> NDArray[np.float64]:
    """Return the UVs of a mesh's corners, (k, 2); zeros without a UV map."""
    values = geometry.corner.get(uv_name(mesh))
    return np.zeros((len(geometry.corners), 2)) if values is None else values.astype(np.float64)


def same_uvs(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which UVs, (…, 2), are the same."""
    return np.asarray((np.abs(first - second) < _SAME).all(axis=-1))


def active_piece(room: Object) -> RoleTexture:
    """Return the texture of the active face of a room.

    Raises:
        ExportError: if there is none, or it has no four corners or no material.
    """
    mesh = room.data
    if not isinstance(mesh, Mesh):
        raise ExportError(room.name, T("a room must be a mesh"))
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        edited.faces.index_update()
        active = -1 if edited.faces.active is None else edited.faces.active.index
    else:
        active = mesh.polygons.active or 0
    geometry = read_all(mesh)
    if not 0 <= active < len(geometry.sizes) or geometry.sizes[active] != 4:
        raise ExportError(
            room.name, T("select a face of four corners in its Edit Mode, which then is active")
        )
    is_active = np.arange(len(geometry.sizes)) == active
    uvs = uvs_of(mesh, geometry)[np.repeat(is_active, geometry.sizes)]
    region = UsedPieces(geometry.take_faces(is_active), uvs, np.zeros(1, np.int64), 1.0).most(None)
    materials = shown_materials(room)
    slot = min(int(geometry.face[MATERIAL_INDEX][active]), len(materials) - 1)
    material = materials[slot] if slot >= 0 else None
    if region is None or material is None:
        raise ExportError(room.name, T("its active face has no material"))
    return RoleTexture(material, region[1])
