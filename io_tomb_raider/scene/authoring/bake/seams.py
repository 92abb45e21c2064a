"""Matching light where two rooms meet: vertices at the same place in a portal share the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ...core.membership import members_of
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.meshes.placed import world_vertices
from ...subjects.rooms.flipping import flip_pairs
from .shapes import BakeShape

_IN_PLANE = 2.0  # units: tolerance of vertices in a portal

Light = NDArray[np.int32]


@dataclass
class RoomSeams:
    """Pairs of equal places of rooms: (room, its places, other room, its places)."""

    #: pairs that share their mean light.
    shared: list[tuple[Object, NDArray[np.int64], Object, NDArray[np.int64]]] = field(default_factory=list)
    #: pairs in which the first room gets the light of the second, which others share too.
    one_sided: list[tuple[Object, NDArray[np.int64], Object, NDArray[np.int64]]] = field(default_factory=list)


def find_seams(root: Collection, shapes: Mapping[Object, BakeShape], space: Space) -> RoomSeams:
    """Find where rooms meet in portals, except between water and dry land.

    An alternate room meets the alternates of its neighbors. From neighbors without one it only gets light,
    since these share light with its base room.
    """
    alternates: dict[tuple[Object, int], Object] = {}
    group_of: dict[Object, int] = {}
    for group, flipped, other in flip_pairs(root):
        alternates[flipped, group], group_of[other] = other, group
    seams = RoomSeams()
    for portal in members_of(root, Kind.PORTAL):
        if not isinstance(portal.data, Mesh):
            continue
        room: Any = portal.parent
        target: Any = portal.tomb_raider.portal.room
        if room in group_of:
            target = alternates.get((target, group_of[room]), target)
        if room not in shapes or target not in shapes or room == target:
            continue
        if room.tomb_raider.room.has_water != target.tomb_raider.room.has_water:
            continue
        if target in group_of and room not in group_of:
            continue
        corners = space.to_file(world_vertices(portal, portal.data), portal.name, "a corner")
        rows, target_rows = _shared(corners, shapes[room].places, shapes[target].places)
        if len(rows):
            pairs = seams.shared if (room in group_of) == (target in group_of) else seams.one_sided
            pairs.append((room, rows, target, target_rows))
    return seams


def _shared(
    corners: NDArray[np.float64], places: NDArray[np.int64], other_places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the equal places of two rooms, of (n, 3) and (m, 3), within a portal, (k,) each."""
    rows = np.flatnonzero(in_polygon(corners, places))
    other_rows = np.flatnonzero(in_polygon(corners, other_places))
    combined = np.concatenate([places[rows], other_places[other_rows]])
    if not len(combined):
        return rows, other_rows
    _, identities = np.unique(combined, axis=0, return_inverse=True)
    identities = identities.reshape(-1)
    _, first, second = np.intersect1d(identities[: len(rows)], identities[len(rows) :], return_indices=True)
    return rows[first], other_rows[second]


def in_polygon(corners: NDArray[np.float64], points: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which points, (n, 3), are in a flat convex polygon, (c, 3), or on its edge."""
    after = np.roll(corners, -1, axis=0)
    normal = np.cross(corners, after).sum(axis=0)
    length = float(np.linalg.norm(normal))
    if len(corners) < 3 or length < 1e-6:
        return np.zeros(len(points), bool)
    normal = normal / length
    inside = np.abs((points - corners[0]) @ normal) <= _IN_PLANE
    for corner, edge in zip(corners, after - corners, strict=True):
        inward = np.cross(normal, edge)
        inward /= max(float(np.linalg.norm(inward)), 1e-9)
        inside &= (points - corner) @ inward >= -_IN_PLANE
    return np.asarray(inside)


def join_seams(seams: RoomSeams, light: dict[Object, Light], baked: set[Object]) -> None:
    """Average the light of rooms where they meet.

    Args:
        light: the packed light of each room's places, (p, k), which is changed.
        baked: the rooms that may change; others keep their light.
    """
    offsets: dict[Object, int] = {}
    total = 0
    for room, values in light.items():
        offsets[room] = total
        total += len(values)
    if not total:
        return
    values = np.concatenate(list(light.values()))
    may_change = np.concatenate([np.full(len(each), room in baked) for room, each in light.items()])
    for pairs, is_shared in ((seams.shared, True), (seams.one_sided, False)):
        present = [pair for pair in pairs if pair[0] in light and pair[2] in light]
        first = _joined([offsets[room] + rows for room, rows, _, _ in present])
        second = _joined([offsets[room] + rows for _, _, room, rows in present])
        _join(values, may_change, first, second, is_shared=is_shared)
    for room, offset in offsets.items():
        light[room][:] = values[offset : offset + len(light[room])]


def _joined(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([*parts, np.zeros(0, np.int64)])


def _join(
    values: Light,
    may_change: NDArray[np.bool_],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    *,
    is_shared: bool,
) -> None:
    """Set groups of vertices to their mean light, (n, k), or to that of their fixed vertices."""
    keeps = ~may_change
    if not is_shared:
        keeps[second] = True
    group = np.arange(len(values))
    while True:  # repeat for groups that extend over several rooms
        lowest = np.minimum(group[first], group[second])
        before = group.copy()
        np.minimum.at(group, first, lowest)
        np.minimum.at(group, second, lowest)
        if np.array_equal(before, group):
            break
    met = np.zeros(len(values), bool)
    met[first] = met[second] = True
    has_fixed = np.zeros(len(values), bool)
    has_fixed[group[met & keeps]] = True
    counts = met & (keeps | ~has_fixed[group])
    totals = [np.bincount(group[counts], part[counts], minlength=len(values)) for part in values.T]
    sizes = np.maximum(np.bincount(group[counts], minlength=len(values)), 1)
    means = np.stack(totals, axis=1).astype(np.int64) // sizes[:, None]
    changed = met & ~keeps
    values[changed] = means[group[changed]]
