"""What is drawn of a room follows its collision where a tool moves that.

A drawn face follows where it coincides with what is moved: it lies in one sector, between corners of it, at
the heights that the collision had. Walls that hang on its edges become longer or shorter; where it tears off
a face that stays, a new wall closes the gap. All faces that stay keep their textures; a new one has that of a
wall beside it, else of the face that moved. Faces hang together where their edges lie, joined or not.
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

from ....formats.base.units import SECTOR_SIZE
from ....formats.collision.sectors import Sectors
from ....formats.collision.surfaces import triangles_at
from ...core.space import Space
from .edit import CollisionEdit

_UPRIGHT = 0.3  # of a face's normal: how much of it points up or down where the face is no wall
_NEAR = 16  # units between a vertex and the corner that it stands for
_NOTHING = 1e-9  # the area of a face that nothing is left of

_Ways = dict[BMVert, float]
_Place = tuple[float, ...]


class _Gap(NamedTuple):
    """An edge where two faces tear apart: the loop along it of the one that moved, and the other face."""

    loop: BMLoop
    other: BMFace


class Followed:
    """Remembers the collision of a room, and moves what is drawn once a tool has changed it.

    Args:
        edit: the collision, before the tool.
    """

    def __init__(self, edit: CollisionEdit) -> None:
        self._edit = edit
        self._before: Sectors = deepcopy(edit.sectors)

    def move(self, room: Object) -> int:
        """Move the faces of a room that coincide with what was moved, and return in how many sectors.

        Args:
            room: whose mesh is in edit mode or not.
        """
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
        ways: dict[BMFace, _Ways] = {}
        moved: set[int] = set()
        # Face by face: they are torn apart and joined by Blender's own structure for that.
        for face in edited.faces:
            found = self._ways(face)
            if found is not None:
                place, ways[face] = found
                moved.add(place)
        if ways:
            gaps = list(_take_walls_along(ways, _faces_by_edge(edited)))
            _Torn(edited, ways, self._edit.space).close(gaps)
        return len(moved)

    def _ways(self, face: BMFace) -> tuple[int, _Ways] | None:
        """Return the sector of a face that coincides with what moved, and how far up its vertices go."""
        if abs(face.normal.z) <= _UPRIGHT:
            return None
        name = "floor" if face.normal.z > 0 else "ceiling"
        size, scale = self._edit.size, self._edit.space.scale
        points = np.array([vert.co for vert in face.verts]) / scale
        cell = np.floor(points[:, :2].mean(axis=0) / SECTOR_SIZE).astype(np.int64)
        if (cell < 0).any() or (cell >= (size.x_sectors, size.z_sectors)).any():
            return None
        place = int(cell[0] * size.z_sectors + cell[1])
        corner = np.rint(points[:, :2] / SECTOR_SIZE - cell).astype(np.int64)
        off = np.abs(points[:, :2] - (cell + corner) * SECTOR_SIZE)
        if (off > _NEAR).any() or (corner < 0).any() or (corner > 1).any():
            return None
        before, after = getattr(self._before, name), getattr(self._edit.sectors, name)
        if self._before.wall[place] or self._edit.sectors.wall[place]:
            return None
        middle = (points[:, :2] / SECTOR_SIZE - cell).mean(axis=0)
        triangle = int(triangles_at(before.split[place], *middle))
        numbers = 2 * corner[:, 0] + corner[:, 1]
        old, new = (each.heights[place, triangle, numbers].astype(np.float64) for each in (before, after))
        if (np.abs(points[:, 2] + old) > _NEAR).any() or (old == new).all():
            return None
        return place, dict(zip(face.verts, (old - new).tolist(), strict=True))


def _place(vert: BMVert) -> _Place:
    return tuple(round(part, 4) for part in vert.co)


def _faces_by_edge(edited: BMesh) -> dict[frozenset[_Place], list[BMFace]]:
    """Return the faces at each place of an edge: layers of TR5's rooms, and parts, are not joined."""
    found: defaultdict[frozenset[_Place], list[BMFace]] = defaultdict(list)
    for edge in edited.edges:
        found[frozenset(map(_place, edge.verts))] += edge.link_faces
    return found


def _at(face: BMFace, vert: BMVert) -> BMVert:
    """Return a face's own vertex where that of another is."""
    place = _place(vert)
    return next(own for own in face.verts if own is vert or _place(own) == place)


def _take_walls_along(
    ways: dict[BMFace, _Ways], by_edge: dict[frozenset[_Place], list[BMFace]]
) -> Iterator[_Gap]:
    """Let walls follow the faces whose edges they hang on, and yield where faces tear apart."""
    for face in list(ways):
        for loop in face.loops:
            ends = [loop.vert, loop.link_loop_next.vert]
            for other in by_edge[frozenset(map(_place, ends))]:
                if other is face:
                    continue
                own = [_at(other, vert) for vert in ends]
                if abs(other.normal.z) <= _UPRIGHT:
                    ends_of_wall = zip(own, ends, strict=True)
                    ways.setdefault(other, {}).update({vert: ways[face][end] for vert, end in ends_of_wall})
                    continue
                theirs = ways.get(other, {})
                pairs = zip(own, ends, strict=True)
                apart = any(theirs.get(vert, 0.0) != ways[face][end] for vert, end in pairs)
                # Where both move, one of them is enough.
                if apart and (not theirs or face.index < other.index):
                    yield _Gap(loop, other)


def _wall_beside(loop: BMLoop) -> BMFace:
    """Return the wall nearest to an edge, whose texture a new wall has, else the face that tears off."""
    for vert in (loop.vert, loop.link_loop_next.vert):
        for face in vert.link_faces:
            if abs(face.normal.z) <= _UPRIGHT and len(face.verts) == 4:
                return face
    return loop.face


class _Torn:
    """A mesh in which faces move away from those that they were joined with.

    Args:
        edited: the mesh.
        ways: by face, how far each of its vertices goes up, in units of the file.
        space: of the level.
    """

    def __init__(self, edited: BMesh, ways: dict[BMFace, _Ways], space: Space) -> None:
        self._edited, self._scale = edited, space.scale
        self._ways = ways
        self._ends: dict[tuple[BMVert, float], BMVert] = {}

    def close(self, gaps: list[_Gap]) -> None:
        """Move all faces, and close the gaps with walls that look like others."""
        looks = [_Look(_wall_beside(gap.loop), gap.loop) for gap in gaps]
        ends = [self._verts_of(gap) for gap in gaps]
        for vert in {vert for found in self._ways.values() for vert in found}:
            self._move(vert)
        replaced = [face for face in self._ways if self._move_face(face)]
        for gap, look, (mine, theirs) in zip(gaps, looks, ends, strict=True):
            near = [self._end(gap.loop.face, vert) for vert in mine]
            far = [self._end(gap.other, vert) for vert in theirs]
            self._add_wall([near[0], far[0], far[1], near[1]], look)
        self._clear(replaced)

    def _verts_of(self, gap: _Gap) -> tuple[list[BMVert], list[BMVert]]:
        mine = [gap.loop.vert, gap.loop.link_loop_next.vert]
        return mine, [_at(gap.other, vert) for vert in mine]

    def _end(self, face: BMFace, vert: BMVert) -> BMVert:
        """Return what a vertex has become for one of its faces."""
        return self._ends.get((vert, self._way(face, vert)), vert)

    def _way(self, face: BMFace, vert: BMVert) -> float:
        """Return how far up a face goes with one of its vertices."""
        return self._ways.get(face, {}).get(vert, 0.0)

    def _move(self, vert: BMVert) -> None:
        """Give each way that faces go from a vertex a vertex of its own; the first keeps this one."""
        ways = sorted({self._way(face, vert) for face in vert.link_faces}, key=abs)
        start = vert.co.copy()
        for way in ways:
            end = vert if way == ways[0] else self._edited.verts.new(tuple(start), vert)
            end.co.z = start.z + way * self._scale
            self._ends[vert, way] = end

    def _move_face(self, face: BMFace) -> bool:
        """Make a face anew where it goes away from vertices that stay. Tells whether it was."""
        ends = [self._end(face, vert) for vert in face.verts]
        if ends == list(face.verts):
            return False
        made = self._edited.faces.new(ends, face)
        for loop, like in zip(made.loops, face.loops, strict=True):
            loop.copy_from(like)
        made.select_set(face.select)
        if self._edited.faces.active == face:
            self._edited.faces.active = made
        return True

    def _add_wall(self, corners: list[BMVert], look: _Look) -> None:
        wanted = [vert for place, vert in enumerate(corners) if vert is not corners[place - 1]]
        if len(set(wanted)) == len(wanted) >= 3 and self._edited.faces.get(wanted) is None:
            look.put_on(self._edited.faces.new(wanted, look.model), [corners.index(vert) for vert in wanted])

    def _clear(self, replaced: list[BMFace]) -> None:
        """Take away what was made anew, walls that nothing is left of, and edges without a face."""
        flat = [face for face in self._ways if face not in replaced and face.calc_area() < _NOTHING]
        edges = {edge for face in (*replaced, *flat) for edge in face.edges}
        for face in (*replaced, *flat):
            self._edited.faces.remove(face)
        for edge in edges:
            if not edge.link_faces:
                self._edited.edges.remove(edge)
        self._edited.normal_update()


class _Look:
    """The texture and colors of a face, to be put on a new wall from the edge of another face.

    Args:
        model: what the wall shall look like.
        loop: along the edge that it begins at.
    """

    def __init__(self, model: BMFace, loop: BMLoop) -> None:
        self.model = model
        self._corners = self._of_wall(loop) if model is not loop.face else self._of_floor(loop)

    def _of_wall(self, edge: BMLoop) -> list[BMLoop]:
        """Return the wall's corners: upper left, lower left, lower right, upper right along the edge."""
        way = edge.link_loop_next.vert.co - edge.vert.co
        by_height = sorted(self.model.loops, key=lambda each: each.vert.co.z)
        low, high = (
            sorted(pair, key=lambda each: each.vert.co.dot(way)) for pair in (by_height[:2], by_height[2:])
        )
        return [high[0], low[0], low[1], high[1]]

    def _of_floor(self, edge: BMLoop) -> list[BMLoop]:
        return [edge, edge.link_loop_prev, edge.link_loop_next.link_loop_next, edge.link_loop_next]

    def put_on(self, face: BMFace, roles: list[int]) -> None:
        """Dress a face that was made like the model; its corners have these places among this look's."""
        for loop, role in zip(face.loops, roles, strict=True):
            loop.copy_from(self._corners[role])
