"""Removal of room faces in openings, where they would block the view."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import bmesh
import numpy as np
from bpy.types import Collection, Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base import CLICK, SECTOR_SIZE
from ...core.blender.material_slots import shown_materials
from ...core.space import Space
from ...mesh.blender_mesh import edited_mesh, material_slots, read_shape
from ...mesh.poly_mesh import PolyMesh
from ...subjects.meshes.placed import world_vertices
from ...subjects.textures.materials import MaterialKeys, user_attribute
from .shapes import PortalShape
from .touching import Contacts

_NEAR = 2.0  # units
_MOST = 0.75  # share of a face over open sectors from which it is removed
_ROUNDED = CLICK / 2 + _NEAR  # units: the deviation of a drawn floor from its sectors


class LevelMaterials:
    """The game's view of a level's materials."""

    def __init__(self, root: Collection) -> None:
        self._keys, self._game = MaterialKeys(root), Game[root.tomb_raider.game]

    def is_surface(self, material: Material) -> bool:
        """Return whether faces can be a water surface: they are translucent or animated."""
        key = self._keys[material]
        if key is None:
            return bool(material.tomb_raider.animation or user_attribute(material, self._game))
        return bool(key.attribute or key.group)

    def is_double_sided(self, material: Material) -> bool:
        """Return whether faces are visible from both sides."""
        key = self._keys[material]
        return bool(material.tomb_raider.double_sided if key is None else key.double_sided)


class RoomFaces:
    """The faces of a room's mesh, and those to delete."""

    def __init__(self, room: Object, space: Space, materials: LevelMaterials) -> None:
        self.room, mesh = room, room.data
        self._materials = materials
        self._mesh = PolyMesh(np.zeros((0, 3)), np.zeros(0, np.int32), np.zeros(0, np.int32))
        if isinstance(mesh, Mesh) and len(mesh.vertices):
            self._mesh = read_shape(mesh)
            self._mesh.positions = space.to_file(world_vertices(room, mesh), room.name, "a vertex")
        self.points, self._starts = self._mesh.positions, self._mesh.starts
        self.gone = np.zeros(len(self._starts), bool)

    @cached_property
    def _points_of_corners(self) -> NDArray[np.float64]:
        return self._mesh.positions[self._mesh.corners]

    @cached_property
    def _boxes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        points = self._points_of_corners
        return np.minimum.reduceat(points, self._starts), np.maximum.reduceat(points, self._starts)

    @cached_property
    def _normals(self) -> NDArray[np.float64]:
        return self._mesh.normals_by_area

    @property
    def _areas(self) -> NDArray[np.float64]:
        """The area of each face as projected along each axis, (f, 3)."""
        return np.asarray(np.abs(self._normals) / 2)

    @property
    def faces_up(self) -> NDArray[np.bool_]:
        """Which faces are visible from above, (f,)."""
        return np.asarray(self._normals[:, 1] < 0)  # y points down

    @cached_property
    def see_through(self) -> NDArray[np.bool_]:
        """Which faces can be a water surface, (f,): translucent or animated ones."""
        return self._with(self._materials.is_surface)

    @cached_property
    def double_sided(self) -> NDArray[np.bool_]:
        """Which faces are visible from both sides, (f,)."""
        return self._with(self._materials.is_double_sided)

    def _with(self, check: Callable[[Material], bool]) -> NDArray[np.bool_]:
        """Return the faces whose material passes a check."""
        result = np.zeros(len(self._starts), bool)
        flags = [material is not None and check(material) for material in shown_materials(self.room)]
        if len(result) and any(flags):
            mesh: Any = self.room.data
            result = np.array(flags)[np.clip(material_slots(mesh), 0, len(flags) - 1)]
        return result

    def within(self, shape: PortalShape) -> NDArray[np.int64]:
        """Return the faces within an opening."""
        rows = self._in_plane(shape)
        if not len(rows):
            return rows
        (lows, highs), (low, high) = self._boxes, _reach(shape)
        return rows[np.all((low <= lows[rows]) & (highs[rows] <= high), axis=1)]

    def _in_plane(self, shape: PortalShape) -> NDArray[np.int64]:
        """Return the faces in the plane of a portal that touch its bounds."""
        if not len(self._starts):
            return np.zeros(0, np.int64)
        (lows, highs), (low, high) = self._boxes, _reach(shape)
        rows = np.flatnonzero((lows <= high).all(axis=1) & (highs >= low).all(axis=1))
        if not len(rows):
            return rows
        distances = np.maximum.reduceat(shape.distances(self._points_of_corners), self._starts)
        return rows[distances[rows] <= (_ROUNDED if shape.axis == 1 else _NEAR)]

    def covered(
        self, shape: PortalShape, contacts: Contacts, mask: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Return the fraction of each contact of an opening that faces cover, (n,).

        Args:
            contacts: n of its contacts.
            mask: (f,) faces to consider, by default all.
        """
        rows = self._in_plane(shape)
        rows = rows if mask is None else rows[mask[rows]]
        if not len(rows):
            return np.zeros(len(contacts))
        half = SECTOR_SIZE / 2
        lows, highs = (np.insert(contacts.middle + shift, 1, 0, axis=1) for shift in (-half, half))
        lows[:, 1], highs[:, 1] = contacts.plane[:, 1], contacts.plane[:, 2]  # walls
        sides = [axis for axis in range(3) if axis != shape.axis]
        lows, highs = lows[:, sides], highs[:, sides]
        low, high = (each[rows][:, sides] for each in self._boxes)
        # A face that fills a part of its bounds, such as a triangle, counts as the same part of each sector.
        filled = self._areas[rows, shape.axis] / np.maximum(np.prod(high - low, axis=1), 1e-9)
        common = np.minimum(high, highs[:, None]) - np.maximum(low, lows[:, None])
        shares = np.prod(np.maximum(common, 0), axis=2) * filled
        return np.asarray(np.minimum(shares.sum(axis=1) / np.prod(highs - lows, axis=1), 1.0))

    def clear(
        self, shape: PortalShape, middles: NDArray[np.float64], keep: NDArray[np.bool_] | None = None
    ) -> None:
        """Mark faces within an opening, over the given sectors, for deletion.

        Args:
            middles: (n, 2) x and z of the sectors of the opening.
            keep: (f,) faces to keep.
        """
        rows = self.within(shape)
        if not len(rows) or not len(middles):
            return
        lows, highs = self._boxes
        # Walls belong to the sectors along them, floors to those below; large faces to several.
        along = [number for number, part in enumerate((0, 2)) if part != shape.axis]
        cells, half = np.unique(middles[:, along], axis=0), SECTOR_SIZE / 2
        low, high = (each[rows][:, [0, 2]][:, along] for each in (lows, highs))
        common = np.minimum(high[:, None], cells + half) - np.maximum(low[:, None], cells - half)
        shares = np.prod(np.maximum(common, 0), axis=2).sum(axis=1)
        rows = rows[shares > _MOST * np.prod(high - low, axis=1)]
        self.gone[rows if keep is None else rows[~keep[rows]]] = True

    def delete(self) -> int:
        """Delete the marked faces and their loose vertices. Return the number of faces."""
        rows = np.flatnonzero(self.gone).tolist()
        mesh: Any = self.room.data
        if not rows:
            return 0
        with edited_mesh(mesh) as edited:
            edited.faces.ensure_lookup_table()
            bmesh.ops.delete(edited, geom=[edited.faces[row] for row in rows], context="FACES")
        return len(rows)


def _reach(shape: PortalShape) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds of faces in an opening, with tolerance, (3,) each."""
    near = np.full(3, _NEAR)
    if shape.axis == 1:
        near[1] = _ROUNDED
    return shape.corners.min(axis=0) - near, shape.corners.max(axis=0) + near
