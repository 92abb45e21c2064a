"""Faces of a room follow its collision when a tool moves that.

A face of the room's mesh follows if it coincides with moved collision: it is within one sector, between its
corners, at the heights that the collision had. Walls connected to its edges become longer or shorter; where
it separates from a face that does not move, a new wall fills the gap. All other faces keep their textures; a
new wall has that of a neighboring wall, else of the moved face. Faces are connected where their edges
coincide, joined or not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import NamedTuple

import bmesh
import numpy as np
from bmesh.types import BMesh, BMFace, BMLoop, BMVert
from bpy.types import Mesh, Object

from ....formats.base import SECTOR_SIZE
from ....formats.levels.collision import Sectors, triangles_at
from ...core.space import Space
from .edit import CollisionEdit

_UPRIGHT = 0.3  # minimum of a face's normal.z, up or down, for a face that is no wall
_NEAR = 16  # units within which a vertex coincides with a corner
_NOTHING = 16.0  # units²: maximal area of a degenerate face

_Offsets = dict[BMVert, float]
_Position = tuple[float, ...]


class _Gap(NamedTuple):
    """An edge where two faces separate: its loop in the moved face, and the other face."""

    loop: BMLoop
    other: BMFace


class MeshFollower:
    """Copy of a room's collision before a tool changes it, which moves the room's mesh afterwards."""

    def __init__(self, edit: CollisionEdit) -> None:
        self._edit = edit
        self._before: Sectors = deepcopy(edit.sectors)

    def move(self, room: Object) -> int:
        """Move the faces of a room that coincide with moved collision; return their number of sectors."""
        mesh = room.data
        if not isinstance(mesh, Mesh) or len(self._edit.sectors.wall) != len(self._before.wall):
            return 0
        if mesh.is_editmode:
            edited = bmesh.from_edit_mesh(mesh)
            count = self._move(edited)
            bmesh.update_edit_mesh(mesh)
            return count
        edited = bmesh.new()
        try:
            edited.from_mesh(mesh)
            count = self._move(edited)
            if count:
                edited.to_mesh(mesh)
                mesh.update()
        finally:
            edited.free()
        return count

    def _move(self, edited: BMesh) -> int:
        offsets: dict[BMFace, _Offsets] = {}
        moved: set[int] = set()
        # Face by face, because bmesh separates and joins them.
        for face in edited.faces:
            sector_offsets = self._offsets(face)
            if sector_offsets is not None:
                sector, offsets[face] = sector_offsets
                moved.add(sector)
        if offsets:
            gaps = list(_move_connected_walls(offsets, _faces_by_edge(edited)))
            _TornMesh(edited, offsets, self._edit.space).close(gaps)
        return len(moved)

    def _offsets(self, face: BMFace) -> tuple[int, _Offsets] | None:
        """Return the sector of a face on moved collision, and the upward offsets of its vertices, or None."""
        if abs(face.normal.z) <= _UPRIGHT:
            return None
        name = "floor" if face.normal.z > 0 else "ceiling"
        size, scale = self._edit.size, self._edit.space.scale
        points = np.array([vert.co for vert in face.verts]) / scale
        cell = np.floor(points[:, :2].mean(axis=0) / SECTOR_SIZE).astype(np.int64)
        if (cell < 0).any() or (cell >= (size.x_sectors, size.z_sectors)).any():
            return None
        sector = int(cell[0] * size.z_sectors + cell[1])
        corner = np.rint(points[:, :2] / SECTOR_SIZE - cell).astype(np.int64)
        distances = np.abs(points[:, :2] - (cell + corner) * SECTOR_SIZE)
        if (distances > _NEAR).any() or (corner < 0).any() or (corner > 1).any():
            return None
        before, after = getattr(self._before, name), getattr(self._edit.sectors, name)
        if self._before.wall[sector] or self._edit.sectors.wall[sector]:
            return None
        middle = (points[:, :2] / SECTOR_SIZE - cell).mean(axis=0)
        triangle = int(triangles_at(before.split[sector], *middle))
        numbers = 2 * corner[:, 0] + corner[:, 1]
        old, new = (each.heights[sector, triangle, numbers].astype(np.float64) for each in (before, after))
        if (np.abs(points[:, 2] + old) > _NEAR).any() or (old == new).all():
            return None
        return sector, dict(zip(face.verts, (old - new).tolist(), strict=True))


def _position(vert: BMVert) -> _Position:
    return tuple(round(part, 4) for part in vert.co)


def _faces_by_edge(edited: BMesh) -> dict[frozenset[_Position], list[BMFace]]:
    """Return the faces by positions of edges, because parts and the layers of TR5's rooms are not joined."""
    result: defaultdict[frozenset[_Position], list[BMFace]] = defaultdict(list)
    for edge in edited.edges:
        result[frozenset(map(_position, edge.verts))] += edge.link_faces
    return result


def _vertex_at(face: BMFace, vert: BMVert) -> BMVert:
    """Return a face's own vertex at the position of another face's vertex."""
    position = _position(vert)
    return next(each for each in face.verts if each is vert or _position(each) == position)


def _move_connected_walls(
    offsets: dict[BMFace, _Offsets], by_edge: dict[frozenset[_Position], list[BMFace]]
) -> Iterator[_Gap]:
    """Add offsets of walls connected to the moved faces, and yield the edges where faces separate."""
    for face in list(offsets):
        for loop in face.loops:
            ends = [loop.vert, loop.link_loop_next.vert]
            for neighbor in by_edge[frozenset(map(_position, ends))]:
                if neighbor is face:
                    continue
                other_ends = [_vertex_at(neighbor, vert) for vert in ends]
                pairs = zip(other_ends, ends, strict=True)
                if abs(neighbor.normal.z) <= _UPRIGHT:
                    wall_offsets = {vert: offsets[face][end] for vert, end in pairs}
                    offsets.setdefault(neighbor, {}).update(wall_offsets)
                    continue
                neighbor_offsets = offsets.get(neighbor, {})
                is_torn = any(neighbor_offsets.get(vert, 0.0) != offsets[face][end] for vert, end in pairs)
                # If both move, one gap is enough.
                if is_torn and (not neighbor_offsets or face.index < neighbor.index):
                    yield _Gap(loop, neighbor)


def _nearest_wall(loop: BMLoop) -> BMFace:
    """Return the wall nearest to an edge, as the model for a new wall, else the face that moves."""
    for vert in (loop.vert, loop.link_loop_next.vert):
        for face in vert.link_faces:
            if abs(face.normal.z) <= _UPRIGHT and len(face.verts) == 4:
                return face
    return loop.face


class _TornMesh:
    """A mesh whose faces separate from their neighbors."""

    def __init__(self, edited: BMesh, offsets: dict[BMFace, _Offsets], space: Space) -> None:
        self._edited, self._scale = edited, space.scale
        self._offsets = offsets  # by face, the upward offsets of its vertices, in units of the file
        self._ends: dict[tuple[BMVert, float], BMVert] = {}

    def close(self, gaps: list[_Gap]) -> None:
        """Move all faces, and fill the gaps with walls that look like others."""
        appearances = [_Appearance(_nearest_wall(gap.loop), gap.loop) for gap in gaps]
        moved = [[gap.loop.vert, gap.loop.link_loop_next.vert] for gap in gaps]
        others = [
            [_vertex_at(gap.other, vert) for vert in verts] for gap, verts in zip(gaps, moved, strict=True)
        ]
        for vert in {vert for face_offsets in self._offsets.values() for vert in face_offsets}:
            self._move(vert)
        replaced = [face for face in self._offsets if self._move_face(face)]
        for gap, appearance, verts, other_verts in zip(gaps, appearances, moved, others, strict=True):
            near = [self._end(gap.loop.face, vert) for vert in verts]
            far = [self._end(gap.other, vert) for vert in other_verts]
            self._add_wall([near[0], far[0], far[1], near[1]], appearance)
        self._clear(replaced)

    def _end(self, face: BMFace, vert: BMVert) -> BMVert:
        """Return the vertex of a face that replaces one of its vertices."""
        return self._ends.get((vert, self._offset(face, vert)), vert)

    def _offset(self, face: BMFace, vert: BMVert) -> float:
        """Return the upward offset of a face's vertex."""
        return self._offsets.get(face, {}).get(vert, 0.0)

    def _move(self, vert: BMVert) -> None:
        """Split a vertex by the offsets of its faces; the smallest offset keeps the vertex."""
        offsets = sorted({self._offset(face, vert) for face in vert.link_faces}, key=abs)
        start = vert.co.copy()
        for offset in offsets:
            end = vert if offset == offsets[0] else self._edited.verts.new(tuple(start), vert)
            end.co.z = start.z + offset * self._scale
            self._ends[vert, offset] = end

    def _move_face(self, face: BMFace) -> bool:
        """Replace a face whose vertices were split; return whether it was replaced."""
        ends = [self._end(face, vert) for vert in face.verts]
        if ends == list(face.verts):
            return False
        new_face = self._edited.faces.new(ends, face)
        for loop, old_loop in zip(new_face.loops, face.loops, strict=True):
            loop.copy_from(old_loop)
        new_face.select_set(face.select)
        if self._edited.faces.active == face:
            self._edited.faces.active = new_face
        return True

    def _add_wall(self, corners: list[BMVert], appearance: _Appearance) -> None:
        verts = [vert for index, vert in enumerate(corners) if vert is not corners[index - 1]]
        if len(set(verts)) == len(verts) >= 3 and self._edited.faces.get(verts) is None:
            appearance.apply_to(
                self._edited.faces.new(verts, appearance.model), [corners.index(vert) for vert in verts]
            )

    def _clear(self, replaced: list[BMFace]) -> None:
        """Remove replaced faces, degenerate walls, and edges without faces."""
        nothing = _NOTHING * self._scale**2
        flat = [face for face in self._offsets if face not in replaced and face.calc_area() < nothing]
        edges = {edge for face in (*replaced, *flat) for edge in face.edges}
        for face in (*replaced, *flat):
            self._edited.faces.remove(face)
        for edge in edges:
            if not edge.link_faces:
                self._edited.edges.remove(edge)
        self._edited.normal_update()


class _Appearance:
    """The texture and colors of a face, to be applied to a new wall from the edge of another face."""

    def __init__(self, model: BMFace, loop: BMLoop) -> None:
        """Copy from a face, for a wall that begins along the edge of a loop."""
        self.model = model
        self._corners = self._of_wall(loop) if model is not loop.face else self._of_floor(loop)

    def _of_wall(self, edge: BMLoop) -> list[BMLoop]:
        """Return the wall's corners: upper left, lower left, lower right, upper right along the edge."""
        direction = edge.link_loop_next.vert.co - edge.vert.co
        by_height = sorted(self.model.loops, key=lambda loop: loop.vert.co.z)
        pairs = (by_height[:2], by_height[2:])
        low, high = (sorted(pair, key=lambda loop: loop.vert.co.dot(direction)) for pair in pairs)
        return [high[0], low[0], low[1], high[1]]

    def _of_floor(self, edge: BMLoop) -> list[BMLoop]:
        return [edge, edge.link_loop_prev, edge.link_loop_next.link_loop_next, edge.link_loop_next]

    def apply_to(self, face: BMFace, roles: list[int]) -> None:
        """Apply the appearance to a face made from the model; `roles` are indices of its corners."""
        for loop, role in zip(face.loops, roles, strict=True):
            loop.copy_from(self._corners[role])
