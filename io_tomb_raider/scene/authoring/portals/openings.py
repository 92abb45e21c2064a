"""Connection of rooms that meet: portals for visibility, and openings in collision for passage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import T, Text, joined
from ...core.membership import home_of, members, members_of
from ...core.reporting.progress import Listener, Progress
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.meshes.placed import rooms_with_vertices, world_vertices
from ...subjects.portals.portals import add_portal
from ...subjects.portals.room_tools import find_opening
from ...subjects.portals.states import RoomStates
from ...subjects.portals.water_effects import set_water_effects
from ..mesh_from_sectors.looks import RoleTexture
from .apart import Apart, reasons_apart
from .clearing import LevelMaterials, RoomFaces
from .collisions import CollisionGround, Collisions
from .passages import open_passages
from .shapes import PortalShape, shapes_of
from .surfaces import WaterSurface, add_faces, is_bare, water_piece
from .touching import Contacts, find_contacts

_NEAR = 2.0  # units: tolerance of planes
_CLOSED = 0.5  # of an opening: it is closed if faces cover more
_STEPS = 4
_EXPLAINED = 4  # rooms without connections of which the reasons are given
_Pair = tuple[Object, Object]


class Connected(NamedTuple):
    """The result of connecting rooms."""

    pairs: int  #: the number of newly connected pairs of rooms.
    portals: int  #: the number of new portals.
    stale: int  #: the number of removed portals where the rooms do not meet.
    sectors: int  #: the number of opened sectors.
    faces: int  #: the number of deleted faces.
    surfaces: int  #: the number of new faces of water surfaces.
    alone: tuple[str, ...]  #: the names of rooms without connections.
    reasons: tuple[Apart, ...]  #: why the first of these have none.


class NotMeetingError(ExportError):
    """No pair of some rooms meets."""

    def __init__(self, subject: str, problem: Text, reasons: tuple[Apart, ...]) -> None:
        super().__init__(subject, problem)
        self.reasons = reasons  #: why.


def connect_rooms(
    root: Collection, rooms: Sequence[Object], *, clear: bool = True, surfaces: bool = True
) -> Connected:
    """Connect all pairs of some rooms where they meet, with portals and openings in the collision of both.

    Alternate rooms of these rooms and their base rooms are included: they are usually hidden, and an opening
    to one is an opening to all of them. Portals between these rooms at other places, such as those of
    duplicates, are removed.

    Args:
        rooms: at least two.
        clear: delete faces of both rooms in new openings.
        surfaces: draw water surfaces where they are missing.

    Raises:
        NotMeetingError: if none of them meet.
    """
    states = RoomStates(root)
    all_states = dict.fromkeys(each for room in rooms for each in states.at(room))
    connecting = _Connecting(root, list(all_states), again=True, through=True)
    if not connecting.pairs:
        name, nearby = rooms[0].name, rooms[1].name
        reasons = connecting.reasons(rooms[:_EXPLAINED])
        reason = joined(". ", dict.fromkeys(each.text for each in reasons))
        if len(rooms) == 2:
            text = T(
                "it does not meet {other} in a plane along the axes. {reason}",
                other=nearby,
                reason=reason,
            )
            raise NotMeetingError(name, text, reasons)
        text = T(
            "none of the chosen rooms meets another one in a plane along the axes. {reason}", reason=reason
        )
        raise NotMeetingError(name, text, reasons)
    return connecting.run(clear, surfaces)


def connect_all(
    root: Collection,
    rooms: Sequence[Object] | None = None,
    *,
    clear: bool = True,
    surfaces: bool = True,
    through: bool = True,
    listener: Listener | None = None,
) -> Connected:
    """Connect all rooms that meet and are not connected yet.

    Args:
        clear: delete faces in new openings.
        surfaces: draw missing water surfaces.
        through: connect rooms even where faces are between them.
    """
    rooms = level_rooms(root) if rooms is None else rooms
    return _Connecting(root, rooms, again=False, through=through, listener=listener).run(clear, surfaces)


def level_rooms(root: Collection) -> list[Object]:
    """Return the rooms of a level that have a mesh."""
    return rooms_with_vertices(members(root))


class _Connecting:
    """One connection of some rooms."""

    def __init__(
        self,
        root: Collection,
        rooms: Sequence[Object],
        *,
        again: bool,
        through: bool,
        listener: Listener | None = None,
    ) -> None:
        self.progress = Progress(listener, _STEPS)
        self.progress(T("Collision"))
        self.root, self.rooms, self.space = root, list(rooms), Space.of(root)
        self.game = Game[root.tomb_raider.game]
        self.again, self.through = again, through
        self.states, self.collisions = RoomStates(root), Collisions(root)
        self.materials = LevelMaterials(root)
        self.faces = {room: RoomFaces(room, self.space, self.materials) for room in self.rooms}
        self.portals: dict[_Pair, list[Object]] = {}
        for obj in members_of(root, Kind.PORTAL):
            target = obj.tomb_raider.portal.room
            if obj.parent is not None and target is not None:
                self.portals.setdefault((obj.parent, target), []).append(obj)
        self.grounded = [room for room in self.rooms if self.collisions.of(room) is not None]
        self.before = self._connected()
        self.contacts = self._find()
        self.rows = self._rows()
        self.plain = self._without_collision()
        self.shapes: dict[_Pair, list[PortalShape]] = {}
        self.home: Collection | None = None
        self.added = 0

    def _ground(self, room: Object) -> CollisionGround:
        result = self.collisions.of(room)
        assert result is not None
        return result

    # --- Current state

    def _connected(self) -> set[_Pair]:
        """Return the pairs of a room and a room that it leads to, by portals or collision."""
        result = set(self.portals)
        for room in self.grounded:
            result |= {(room, other) for other in self._ground(room).reached()}
        return result

    def _is_connected(self, first: Object, second: Object) -> bool:
        """Return whether one of two rooms leads to the other, in their flip state."""
        states = self.states
        return any(
            (source, states.named(target)) in self.before
            for source, target in ((first, second), (second, first))
            if states.is_alternate(source) or not states.is_alternate(target)
        )

    def _wants(self, first: Object, second: Object) -> bool:
        return self.states.can_meet(first, second) and (self.again or not self._is_connected(first, second))

    def _find(self) -> Contacts:
        """Return the contacts of the rooms to connect."""
        grounds = [self._ground(room).ground for room in self.grounded]
        contacts = find_contacts(grounds, halves=self.game.traits.has_triangulated_floors)
        count = len(self.grounded)
        pairs, inverse = np.unique(contacts.one * count + contacts.other, return_inverse=True)
        is_wanted = [
            self._wants(self.grounded[pair // count], self.grounded[pair % count]) for pair in pairs.tolist()
        ]
        return contacts.take(np.array(is_wanted, bool)[inverse] if len(pairs) else np.zeros(0, bool))

    def _rows(self) -> dict[_Pair, NDArray[np.int64]]:
        """Return the contacts of every pair; if ``through`` is off, without those closed by faces."""
        result: dict[_Pair, NDArray[np.int64]] = {}
        contacts, count = self.contacts, len(self.grounded)
        key = contacts.one * count + contacts.other
        order = np.argsort(key, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
            if not len(rows):
                continue
            pair = self.grounded[int(contacts.one[rows[0]])], self.grounded[int(contacts.other[rows[0]])]
            if not self.through:
                rows = rows[~self._closed(pair, rows)]
            if len(rows):
                result[pair] = rows
        return result

    @property
    def pairs(self) -> set[_Pair]:
        """The pairs of rooms that meet."""
        return {*self.rows, *self.plain}

    def _closed(self, pair: _Pair, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which contacts of a pair are closed by faces."""
        closed = np.zeros(len(rows), bool)
        order = np.argsort(rows, kind="stable")
        for shape in shapes_of(self.contacts, rows):
            indices = order[np.searchsorted(rows, shape.rows, sorter=order)]
            contacts = self.contacts.take(shape.rows)
            for room in pair:
                closed[indices] |= self.faces[room].covered(shape, contacts) > _CLOSED
        return closed

    def _fitted(self, pair: _Pair, shape: PortalShape) -> PortalShape:
        """Return a portal with the height of both rooms' meshes, as sectors have coarse heights."""
        if shape.axis == 1:
            return shape
        low, high = shape.corners.min(axis=0), shape.corners.max(axis=0)
        low[1], high[1] = -np.inf, np.inf
        spans = []
        for room in pair:
            points = self.faces[room].points
            heights = points[((low - _NEAR <= points) & (points <= high + _NEAR)).all(axis=1), 1]
            if not len(heights):
                return shape
            spans.append((heights.min(), heights.max()))
        return shape.raised(max(top for top, _ in spans), min(bottom for _, bottom in spans))

    def _without_collision(self) -> dict[_Pair, tuple[NDArray[np.float64], bool]]:
        """Return the openings between meshes of rooms where nobody can stand: corners, and the first side."""
        result = {}
        with_floor = {room for room in self.grounded if not self._ground(room).ground.sectors.wall.all()}
        rooms = [room for room in self.rooms if len(self.faces[room].points)]
        for first, second in _near(rooms, [self.faces[room].points for room in rooms]):
            if (first, second) in self.rows or (second, first) in self.rows:
                continue
            if (self.again or not {first, second} <= with_floor) and self._wants(first, second):
                opening = find_opening([np.rint(self.faces[room].points) for room in (first, second)])
                if opening is not None:
                    result[first, second] = opening
        return result

    # --- Connection

    def run(self, clear: bool, surfaces: bool) -> Connected:
        """Connect the rooms."""
        self.progress(T("Openings"))
        chosen = np.concatenate([np.zeros(0, np.int64), *self.rows.values()])
        opened = open_passages(self.collisions, self.grounded, self.states, self.contacts, chosen)
        self._find_shapes(opened.is_open)
        self.progress(T("Portals"))
        stale = self._remove_stale()
        for pair, shapes in self.shapes.items():
            self._add(pair, [shape.corners for shape in shapes], True)
        for pair, (corners, is_below) in self.plain.items():
            self._add(pair, [corners], is_below)
        if self.added or self.again:
            self.root.tomb_raider.imported |= {"PORTALS"}
        self.progress(T("Meshes"))
        self.collisions.write()
        if clear:
            self._clear(opened.is_new)
        missing = self._missing_surfaces() if surfaces else {}
        faces = sum(each.delete() for each in self.faces.values())
        for room, surface in missing.items():
            add_faces(room, surface, self.water, self.space)
        drawn = sum(len(surface.sizes) for surface in missing.values())
        pairs = [pair for pair in self.pairs if not self._is_connected(*pair)]
        set_water_effects(self.root, self.pairs, pairs)
        alone = self._alone()
        names, reasons = tuple(room.name for room in alone), self.reasons(alone[:_EXPLAINED])
        return Connected(len(pairs), self.added, stale, opened.sectors, faces, drawn, names, reasons)

    def reasons(self, rooms: Sequence[Object]) -> tuple[Apart, ...]:
        """Return why rooms meet none of the others."""
        return reasons_apart(rooms, self.rooms, self.space)

    def _alone(self) -> tuple[Object, ...]:
        """Return the rooms without connections."""
        used = {room for pair in (*self.before, *self.pairs) for room in pair}
        used |= {room for room in self.rooms if self.states.named(room) in used}
        return tuple(room for room in self.rooms if room not in used)

    def _find_shapes(self, is_open: NDArray[np.bool_]) -> None:
        """Find the portals of all pairs; impassable contacts count only if no faces close them."""
        for pair, rows in list(self.rows.items()):
            is_visible = is_open[rows]
            if not is_visible.all():
                is_visible |= ~self._closed(pair, rows)
            if is_visible.any():
                self.shapes[pair] = [
                    self._fitted(pair, each) for each in shapes_of(self.contacts, rows[is_visible])
                ]
            else:
                del self.rows[pair]

    # --- Portals

    def _add(self, pair: _Pair, quads: Sequence[NDArray[np.float64]], is_below: bool) -> None:
        """Add the missing portals of two rooms at some quads, in both directions."""
        if self.home is None:
            self.home = home_of(self.root, Kind.PORTALS)
        first, second = pair
        for owner, target, turned in ((first, second, is_below), (second, first, not is_below)):
            named = self.states.named(target)
            portals = self.portals.setdefault((owner, named), [])
            existing = [self._points(portal) for portal in portals]
            for corners in quads:
                if not any(_overlap(corners, points) for points in existing):
                    quad = self.space.to_blender(corners).astype(np.float64)
                    portals.append(add_portal(owner, named, quad[::-1] if turned else quad, self.home))
                    self.added += 1

    def _points(self, portal: Object) -> NDArray[np.float64]:
        if not isinstance(portal.data, Mesh):
            return np.zeros((0, 3))
        return self.space.to_file(world_vertices(portal, portal.data), portal.name)

    def _remove_stale(self) -> int:
        """Remove portals between the rooms of a pair at places where they do not meet."""
        if not self.again:
            return 0
        stale = []
        for first, second in self.pairs:
            quads = [shape.corners for shape in self.shapes.get((first, second), ())]
            opening = find_opening([np.rint(self.faces[room].points) for room in (first, second)])
            quads += [] if opening is None else [opening[0]]
            for pair in ((first, second), (second, first)):
                kept = [each for each in self.portals.get(pair, ()) if self._is_at(each, quads)]
                stale += [each for each in self.portals.get(pair, ()) if each not in kept]
                self.portals[pair] = kept
        bpy.data.batch_remove(stale)
        return len(stale)

    def _is_at(self, portal: Object, quads: Iterable[NDArray[np.float64]]) -> bool:
        """Return whether a portal is within one of some quads, or the other way round."""
        points = self._points(portal)
        return len(points) > 0 and any(_within(points, quad) or _within(quad, points) for quad in quads)

    # --- Faces

    def _clear(self, new: NDArray[np.bool_]) -> None:
        """Mark the faces of both rooms in new openings for deletion."""
        for (first, second), shapes in self.shapes.items():
            for shape in shapes:
                rows = shape.rows[new[shape.rows]]
                if not len(rows):
                    continue
                middles = self.contacts.middle[rows]
                for room in (first, second):
                    faces = self.faces[room]
                    # Translucent faces between air and water are the water's surface.
                    surface = shape.axis == 1 and _is_wet(first) != _is_wet(second)
                    faces.clear(shape, middles, faces.see_through if surface else None)

    @cached_property
    def water(self) -> RoleTexture:
        """The texture of water surfaces."""
        portals = (portal for portals in self.portals.values() for portal in portals)
        return water_piece(self.root, portals, self.materials)

    def _missing_surfaces(self) -> dict[Object, WaterSurface]:
        """Return the missing water surfaces by room."""
        surfaces: dict[Object, list[WaterSurface]] = {}
        for (upper, lower), shapes in self.shapes.items():
            if _is_wet(upper) or not _is_wet(lower):
                continue
            splits = self._ground(upper).ground.sectors.floor.split
            for shape in shapes:
                if shape.axis != 1:
                    continue
                contacts = self.contacts.take(shape.rows)
                above, below = is_bare(self.faces[upper], self.faces[lower], shape, contacts)
                if not (above | below).any():
                    continue
                if self.materials.is_double_sided(self.water.material):
                    above, below = above & below, np.zeros_like(below)
                surface = WaterSurface.over(contacts, splits[contacts.here])
                surfaces.setdefault(upper, []).append(surface.take(above))
                surfaces.setdefault(lower, []).append(surface.take(below).from_below())
        joined = {room: WaterSurface.join(parts) for room, parts in surfaces.items()}
        return {room: surface for room, surface in joined.items() if len(surface.sizes)}


def _is_wet(room: Object) -> bool:
    return bool(room.tomb_raider.room.has_water)


def _within(points: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Return whether points are in the bounds of others."""
    low, high = others.min(axis=0) - _NEAR, others.max(axis=0) + _NEAR
    return bool(((low <= points) & (points <= high)).all())


def _overlap(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Return whether two quads are in one plane and share more than an edge."""
    if not len(second):
        return False
    axis = int(np.abs(np.cross(first[2] - first[0], first[3] - first[1])).argmax())
    extent = np.minimum(first.max(axis=0), second.max(axis=0)) - np.maximum(
        first.min(axis=0), second.min(axis=0)
    )
    return bool(extent[axis] >= -_NEAR and (np.delete(extent, axis) > _NEAR).all())


def _near(rooms: Sequence[Object], points: Sequence[NDArray[np.float64]]) -> Iterator[_Pair]:
    """Yield the pairs of rooms whose bounds touch."""
    if not rooms:
        return
    lows = np.array([each.min(axis=0) for each in points])
    highs = np.array([each.max(axis=0) for each in points])
    touches = ((lows[:, None] <= highs + _NEAR) & (lows <= highs[:, None] + _NEAR)).all(axis=2)
    for first, second in zip(*(each.tolist() for each in np.nonzero(np.triu(touches, 1))), strict=True):
        yield rooms[first], rooms[second]
