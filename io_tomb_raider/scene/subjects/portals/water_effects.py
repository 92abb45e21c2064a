"""Effects of vertices that compilers set for water: caustics, waves on its surface, and still openings."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats import Game
from ....formats.levels.rooms import effect_bits, surface_scheme
from ...core.membership import is_local, members_of
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_all
from ...mesh.poly_mesh import transformed
from ..meshes.placed import world_vertices
from ..rooms.vertex_effects import change_attributes

_NEAR = 2.0  # units: tolerance of planes
_ASIDE = 8.0  # units: a vertex is at the edge of a surface if there is none so far beside it
_SIDES = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def set_water_effects(
    root: Collection, pairs: Iterable[tuple[Object, Object]], new: Container[tuple[Object, Object]]
) -> None:
    """Add the effects of water to the vertices of connected rooms; other effects stay.

    As from compilers, a room with water has caustics, and quicksand waves, except at openings to rooms
    without. The surface of water has waves in both rooms, except at its edge. Openings between water and air
    are still: they do not sway when they are seen from the other side.

    ``new`` are those of the pairs that were not connected before.
    """
    water = _Water(root)
    opened: dict[Object, set[Object]] = {}
    for pair in pairs:
        for room, other in (pair, pair[::-1]):
            opened.setdefault(room, set()).update({other} if pair in new else ())
    for room, others in opened.items():
        water.add(room, others)


def add_converted_effects(root: Collection, source: Game) -> None:
    """Add the effects of water that a converted level cannot have from the game that it comes from."""
    target = Game[root.tomb_raider.game]
    water = _Water(root, effect_bits(target).keys() - effect_bits(source).keys())
    for room in members_of(root, Kind.ROOM):
        water.add(room, ())


def water_changed(root: Collection, room: Object) -> None:
    """Set the effects of a room that was filled or drained, and of its neighbors at the openings to it."""
    water = _Water(root)
    for affected in (room, *water.neighbors(room)):
        water.renew(affected, room)


@dataclass(frozen=True, eq=False)
class _Opening:
    """A portal."""

    owner: Object
    target: Object
    corners: NDArray[np.float64]  #: (4, 3) in the world, in units.
    up: int  #: 1 if the owner is above the portal, -1 if it is below, 0 if the portal is not level.

    def other(self, room: Object) -> Object:
        """Return the room on the other side."""
        return self.target if room == self.owner else self.owner

    def is_border(self, water: _Water) -> bool:
        """Return whether it is between water, or quicksand, and air."""
        return water.is_wet(self.owner) != water.is_wet(self.target)

    def is_surface(self, water: _Water) -> bool:
        """Return whether it is the surface of water, or quicksand."""
        return self.up != 0 and self.is_border(water) and water.is_wet(self.owner) == (self.up < 0)

    @cached_property
    def _bounds(self) -> tuple[NDArray[np.float64], ...]:
        """Its lowest and highest coordinates, with the tolerance, and its unit normal, each (3,)."""
        corners = self.corners
        normal = np.cross(corners[2] - corners[0], corners[3] - corners[1])
        normal /= max(float(np.linalg.norm(normal)), 1e-9)
        return corners.min(axis=0) - _NEAR, corners.max(axis=0) + _NEAR, normal

    def holds(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points (n, 3) are in it, or at its edge."""
        low, high, normal = self._bounds
        is_inside = ((low <= points) & (points <= high)).all(axis=1)
        return np.asarray(is_inside & (np.abs((points - self.corners[0]) @ normal) <= _NEAR))


def _held(openings: Sequence[_Opening], points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points (n, 3) are in any of some openings, or at their edges."""
    result = np.zeros(len(points), np.bool_)
    for opening in openings:
        result |= opening.holds(points)
    return result


class _Water:
    """The water of a level."""

    def __init__(self, root: Collection, names: Container[str] | None = None) -> None:
        """Find the surfaces of water. `names`: the effects to set; None for all that the game has."""
        self._space, self._game = Space.of(root), Game[root.tomb_raider.game]
        bits = effect_bits(self._game)
        self._bits = {name: bit for name, bit in bits.items() if names is None or name in names}
        portals = members_of(root, Kind.PORTAL) if self._bits else ()
        openings = [opening for each in portals if (opening := self._opening(each)) is not None]
        self._surfaces = [each for each in openings if each.is_surface(self)]
        self._by_room: dict[Object, list[_Opening]] = {}
        for each in openings:
            for room in {each.owner, each.target}:
                self._by_room.setdefault(room, []).append(each)

    def _opening(self, portal: Object) -> _Opening | None:
        owner, target, mesh = portal.parent, portal.tomb_raider.portal.room, portal.data
        if owner is None or target is None or not isinstance(mesh, Mesh) or len(mesh.polygons) != 1:
            return None
        corners = self._space.to_file(world_vertices(portal, mesh), portal.name)
        if len(corners) != 4:
            return None
        up = (world_matrix(portal).to_3x3() @ mesh.polygons[0].normal).z
        return _Opening(owner, target, corners, int(np.sign(up)) if np.ptp(corners[:, 1]) <= _NEAR else 0)

    def is_wet(self, room: Object) -> bool:
        """Return whether a room is filled with water or quicksand."""
        return bool(room.tomb_raider.room.has_water) or self._has_quicksand(room)

    def _has_quicksand(self, room: Object) -> bool:
        # Later games read the bit as another flag.
        return self._game.traits.has_quicksand and bool(room.tomb_raider.room.has_quicksand)

    def _of(self, room: Object) -> list[_Opening]:
        return self._by_room.get(room, [])

    def neighbors(self, room: Object) -> list[Object]:
        """Return the rooms that portals connect with a room."""
        return list(dict.fromkeys(each.other(room) for each in self._of(room)))

    def add(self, room: Object, opened: Container[Object]) -> None:
        """Add the effects of water to a room, and remove that of the whole room from openings to some."""
        if not self.is_wet(room) and not any(each.is_border(self) for each in self._of(room)):
            return
        points = self._points(room)
        if points is not None:
            self._change(room, points, np.ones(len(points), np.bool_), self._filled(room, opened, points))

    def _filling(self, room: Object) -> int:
        """Return the bit of the effect that all of a room has: waves in quicksand, caustics in water."""
        if not self.is_wet(room):
            return 0
        return self._bits.get("WAVES" if self._has_quicksand(room) else "CAUSTICS", 0)

    def _filled(
        self, room: Object, neighbors: Container[Object], points: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the bit of a room's effect for vertices at openings to some rooms, else 0."""
        openings = [each for each in self._of(room) if each.other(room) in neighbors]
        return np.where(_held(openings, points), self._filling(room), 0)

    def renew(self, room: Object, changed: Object) -> None:
        """Set the effects of a room whose water has changed, or of a neighbor at the openings to it."""
        points = self._points(room)
        if points is None:
            return
        shared = _held([each for each in self._of(room) if changed in (each.owner, each.target)], points)
        is_changed = np.ones(len(points), np.bool_) if room == changed else shared
        waves, caustics, still = (self._bits.get(name, 0) for name in ("WAVES", "CAUSTICS", "STILL"))
        border_bits = waves | still
        drained_bits = waves | caustics if room == changed else 0
        neighbors = self.neighbors(room) if room == changed else (changed,)
        remove = np.where(shared, border_bits, 0) | self._filled(room, neighbors, points)
        remove |= 0 if self.is_wet(room) else drained_bits
        self._change(room, points, is_changed, remove)

    def _points(self, room: Object) -> NDArray[np.float64] | None:
        """Return the world positions of a room's vertices, (n, 3); None if they cannot have effects."""
        mesh = room.data
        if not self._bits or not isinstance(mesh, Mesh) or not is_local(mesh):
            return None
        positions = transformed(read_all(mesh).positions, world_matrix(room))
        return self._space.to_file(positions, room.name)

    def _change(
        self, room: Object, points: NDArray[np.float64], rows: NDArray[np.bool_], remove: NDArray[Any] | int
    ) -> None:
        """Set the effects of water, and remove others, on some of the vertices."""
        openings = self._of(room)
        border = _held([each for each in openings if each.is_border(self)], points)
        surfaces = [each for each in openings if each.is_surface(self)]
        add = np.where(border, self._bits.get("STILL", 0), self._filling(room))
        on_surface = _held(surfaces, points)
        for side in _SIDES:
            on_surface &= _held(self._surfaces, points + np.array([side[0], 0, side[1]]) * _ASIDE)
        add |= np.where(on_surface, self._bits.get("WAVES", 0), 0)
        assert isinstance(room.data, Mesh)
        change_attributes(room.data, self._game, rows & ((add | remove) != 0), add, remove)
        scheme, settings = surface_scheme(self._game) if "WAVES" in self._bits else 0, room.tomb_raider.room
        if surfaces and scheme and not self.is_wet(room) and not settings.water_scheme:
            settings.water_scheme = scheme
