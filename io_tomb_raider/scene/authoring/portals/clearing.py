"""Faces of rooms that stand where a way leads: so that nobody sees through, or that say where none is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import bmesh
import numpy as np
from bpy.types import Collection, Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base.units import CLICK, SECTOR_SIZE
from ...core.material_slots import shown_materials
from ...core.space import Space
from ...mesh.poly_mesh import PolyMesh
from ...mesh.read import material_slots, read_shape
from ...subjects.meshes.placed import world_vertices
from ...subjects.textures.materials import MaterialKeys, user_attribute
from .shapes import Shape
from .touching import Contacts

_NEAR = 2.0  # units
_MOST = 0.75  # of a face has to lie over sectors that are open
_ROUNDED = CLICK / 2 + _NEAR  # units by which a drawn floor may be off that of its sectors


class Looks:
    """How faces with the materials of a level are seen in its game.

    Args:
        root: the level.
    """

    def __init__(self, root: Collection) -> None:
        self._keys, self._game = MaterialKeys(root), Game[root.tomb_raider.game]

    def is_surface(self, material: Material) -> bool:
        """Tell whether faces can be the surface of water: one sees through them, or they are animated."""
        key = self._keys[material]
        if key is None:
            return bool(material.tomb_raider.animation or user_attribute(material, self._game))
        return bool(key.attribute or key.group)

    def is_double_sided(self, material: Material) -> bool:
        """Tell whether faces are seen from both sides."""
        key = self._keys[material]
        return bool(material.tomb_raider.double_sided if key is None else key.double_sided)


class RoomFaces:
    """The faces of a room's mesh, and which of them are to go.

    Args:
        room: its object.
        space: where units of the game are in the scene.
        looks: how the level's materials are seen.
    """

    def __init__(self, room: Object, space: Space, looks: Looks) -> None:
        self.room, mesh = room, room.data
        self._looks = looks
        self._mesh = PolyMesh(np.zeros((0, 3)), np.zeros(0, np.int32), np.zeros(0, np.int32))
        if isinstance(mesh, Mesh) and len(mesh.vertices):
            self._mesh = read_shape(mesh)
            self._mesh.positions = space.to_file(world_vertices(room, mesh), room.name, "a vertex")
        self.points, self._starts = self._mesh.positions, self._mesh.starts
        self.gone = np.zeros(len(self._starts), bool)

    @cached_property
    def _at(self) -> NDArray[np.float64]:
        return self._mesh.positions[self._mesh.corners]

    @cached_property
    def _boxes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.minimum.reduceat(self._at, self._starts), np.maximum.reduceat(self._at, self._starts)

    @cached_property
    def _normals(self) -> NDArray[np.float64]:
        return self._mesh.normals_by_area

    @property
    def _areas(self) -> NDArray[np.float64]:
        """How much each face covers as seen along each axis, (f, 3)."""
        return np.asarray(np.abs(self._normals) / 2)

    @property
    def looks_up(self) -> NDArray[np.bool_]:
        """Which faces are seen from above, (f,)."""
        return np.asarray(self._normals[:, 1] < 0)  # y points down

    @cached_property
    def see_through(self) -> NDArray[np.bool_]:
        """Which faces can be a water surface, (f,): one sees through them, or they are animated."""
        return self._with(self._looks.is_surface)

    @cached_property
    def double_sided(self) -> NDArray[np.bool_]:
        """Which faces are seen from both sides, (f,)."""
        return self._with(self._looks.is_double_sided)

    def _with(self, tell: Callable[[Material], bool]) -> NDArray[np.bool_]:
        """Tell of which faces something is true of the material."""
        found = np.zeros(len(self._starts), bool)
        flags = [material is not None and tell(material) for material in shown_materials(self.room)]
        if len(found) and any(flags):
            mesh: Any = self.room.data
            found = np.array(flags)[np.clip(material_slots(mesh), 0, len(flags) - 1)]
        return found

    def within(self, shape: Shape) -> NDArray[np.int64]:
        """Return the faces that lie in an opening, and do not reach out of it."""
        rows = self._in_plane(shape)
        if not len(rows):
            return rows
        (lows, highs), (low, high) = self._boxes, _reach(shape)
        return rows[np.all((low <= lows[rows]) & (highs[rows] <= high), axis=1)]

    def _in_plane(self, shape: Shape) -> NDArray[np.int64]:
        """Return the faces that lie in the plane of a portal, and not beside it."""
        if not len(self._starts):
            return np.zeros(0, np.int64)
        (lows, highs), (low, high) = self._boxes, _reach(shape)
        rows = np.flatnonzero((lows <= high).all(axis=1) & (highs >= low).all(axis=1))
        if not len(rows):
            return rows
        away = np.maximum.reduceat(shape.away(self._at), self._starts)
        return rows[away[rows] <= (_ROUNDED if shape.axis == 1 else _NEAR)]

    def covered(
        self, shape: Shape, contacts: Contacts, which: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Return how much of each contact of an opening faces stand in, (n,) 0 to 1.

        Args:
            shape: the opening.
            contacts: n of its contacts.
            which: (f,) the faces that count; all without.
        """
        rows = self._in_plane(shape)
        rows = rows if which is None else rows[which[rows]]
        if not len(rows):
            return np.zeros(len(contacts))
        half = SECTOR_SIZE / 2
        lows, highs = (np.insert(contacts.middle + aside, 1, 0, axis=1) for aside in (-half, half))
        lows[:, 1], highs[:, 1] = contacts.plane[:, 1], contacts.plane[:, 2]  # of walls
        sides = [axis for axis in range(3) if axis != shape.axis]
        lows, highs = lows[:, sides], highs[:, sides]
        low, high = (each[rows][:, sides] for each in self._boxes)
        # Of a face that fills a part of its box, as triangles do, as much of each sector.
        filled = self._areas[rows, shape.axis] / np.maximum(np.prod(high - low, axis=1), 1e-9)
        common = np.minimum(high, highs[:, None]) - np.maximum(low, lows[:, None])
        shares = np.prod(np.maximum(common, 0), axis=2) * filled
        return np.asarray(np.minimum(shares.sum(axis=1) / np.prod(highs - lows, axis=1), 1.0))

    def clear(
        self, shape: Shape, middles: NDArray[np.float64], keep: NDArray[np.bool_] | None = None
    ) -> None:
        """Note the faces that lie in an opening, over sectors. Those that reach out of it stay.

        Args:
            shape: the opening.
            middles: (n, 2) x and z of the sectors behind it.
            keep: (f,) faces that stay.
        """
        rows = self.within(shape)
        if not len(rows) or not len(middles):
            return
        lows, highs = self._boxes
        # A wall belongs to the sectors along it, a floor to those that it lies over; large faces to several.
        along = [number for number, part in enumerate((0, 2)) if part != shape.axis]
        cells, half = np.unique(middles[:, along], axis=0), SECTOR_SIZE / 2
        low, high = (each[rows][:, [0, 2]][:, along] for each in (lows, highs))
        common = np.minimum(high[:, None], cells + half) - np.maximum(low[:, None], cells - half)
        shares = np.prod(np.maximum(common, 0), axis=2).sum(axis=1)
        rows = rows[shares > _MOST * np.prod(high - low, axis=1)]
        self.gone[rows if keep is None else rows[~keep[rows]]] = True

    def delete(self) -> int:
        """Delete the faces that are to go, with what held only them, and return how many there were."""
        rows = np.flatnonzero(self.gone).tolist()
        mesh: Any = self.room.data
        if not rows:
            return 0
        edited: Any = bmesh.new()
        try:
            edited.from_mesh(mesh)
            edited.faces.ensure_lookup_table()
            bmesh.ops.delete(edited, geom=[edited.faces[row] for row in rows], context="FACES")
            edited.to_mesh(mesh)
            mesh.update()
        finally:
            edited.free()
        return len(rows)


def _reach(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the box in which faces lie that stand in an opening, (3,) each."""
    near = np.full(3, _NEAR)
    if shape.axis == 1:
        near[1] = _ROUNDED
    return shape.corners.min(axis=0) - near, shape.corners.max(axis=0) + near
