"""Light by Cycles: from all lights, emission, the sky, and reflection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats.base import Floats
from ....formats.levels.lights import brightness_for
from ...core.blender.color import to_screen
from ...core.membership import members_of
from ...core.reporting.progress import Work
from ...core.space import direction_to_blender, world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ...mesh.blender_mesh import read_shape, triangles_of
from ...subjects.meshes.placed import world_vertices
from ...subjects.rooms.flipping import flip_pairs
from .bake_scene import BakeScene, is_of_level, rendered_user_objects
from .seams import in_polygon
from .shapes import BakeShape
from .subject import BakeOptions, BakeTarget, Brightness

_ABOVE = 4.0  # units: the distance of receivers from faces
_INWARD, _MOST_INWARD = 0.25, 256.0  # share of the way to the triangle's middle; limit in units
_SIZE = 2.0  # units: the size of receivers
_DOWN = -0.7  # faces with lower normals are undersides, which do not count
_SIDES = np.concatenate([np.eye(3), -np.eye(3)])


class _Receivers(NamedTuple):
    """Receivers of light, n, and their targets."""

    points: Floats  #: (n, 3), in Blender's world.
    normals: Floats  #: (n, 3).
    weights: Floats  #: (n,).
    rows: NDArray[np.int64]  #: (n,), the target of each: one of ``total`` places or objects.
    total: int  #: the number of targets.


def cycles_brightness(subject: BakeTarget, options: BakeOptions) -> Work[Brightness]:
    """Return the light of all sources in the scene on rooms and on their placed static meshes.

    Rooms and their alternates are baked separately. The scene is not changed.

    Raises:
        ExportError: if Cycles fails.
    """
    pairs = flip_pairs(subject.root)
    flipped = {room: other for _, room, other in pairs}
    alternates = set(flipped.values())
    unflipped = [room for room in subject.shapes if room not in alternates]
    states = [(unflipped, [room for room in subject.baked if room not in alternates])]
    constant = [room for room in unflipped if room not in flipped]
    states.append(([*constant, *alternates], [room for room in subject.baked if room in alternates]))
    states = [state for state in states if state[1]]
    result = Brightness({}, {})
    for index, (rooms, baked) in enumerate(states):
        yield "Cycles", index / len(states)
        _bake_state(subject, options, set(rooms), baked, result)
    return result


def _bake_state(
    subject: BakeTarget, options: BakeOptions, rooms: set[Object], baked: list[Object], result: Brightness
) -> None:
    """Bake rooms with the given rooms present."""
    placed = [obj for obj in subject.lit_placements if subject.placements[obj] in baked]
    receivers = [
        *(_of_room(subject, subject.shapes[room]) for room in baked),
        *(_of_placement(subject, obj) for obj in placed),
    ]
    context: Any = bpy.context
    surfaces = _water_surfaces(subject)
    with BakeScene(options.samples, context.scene) as scene:
        for room in rooms:
            for obj in (*subject.shapes[room].objects, *subject.lights.get(room, ())):
                if obj.tomb_raider.kind in OF_ROOMS:
                    clear = _in_surfaces(subject, obj, surfaces.get(room, []))
                    scene.add_faces(obj, world_matrix(obj), clear)
                else:
                    scene.link(obj)
        for obj, room in subject.placements.items():
            if room in rooms and not obj.hide_render and isinstance(obj.data, Mesh):
                scene.add_faces(obj, world_matrix(obj))
        for obj in rendered_user_objects(context.view_layer):
            if obj.type == "MESH" and any(is_of_level(slot.material) for slot in obj.material_slots):
                scene.add_faces(obj, world_matrix(obj))
            else:
                scene.link(obj)
        light = scene.light_at(
            _joined(each.points for each in receivers),
            _joined(each.normals for each in receivers),
            _SIZE * subject.space.scale,
        )
    start = 0
    for target, each in zip((*baked, *placed), receivers, strict=True):
        values = _mean(each, light[start : start + len(each.rows)])
        start += len(each.rows)
        brightness = brightness_for(subject.game, to_screen(values * options.exposure))
        if target in placed:
            result.placements[target] = brightness[0]
        else:
            result.places[target] = brightness


def _water_surfaces(subject: BakeTarget) -> dict[Object, list[Floats]]:
    """Return the portals in each room's water surfaces, as corners (c, 3) in the file's units."""
    result: dict[Object, list[Floats]] = {}
    for portal in members_of(subject.root, Kind.PORTAL):
        room: Any = portal.parent
        other: Any = portal.tomb_raider.portal.room
        if None in (room, other) or not isinstance(portal.data, Mesh):
            continue
        if room.tomb_raider.room.has_water != other.tomb_raider.room.has_water:
            corners = subject.space.to_file(world_vertices(portal, portal.data), portal.name, "a corner")
            # Either room may have the faces of the surface.
            for each in (room, other):
                result.setdefault(each, []).append(corners)
    return result


def _in_surfaces(subject: BakeTarget, obj: Object, surfaces: Iterable[Floats]) -> NDArray[np.bool_]:
    """Return which faces of a room, (f,), are in a water surface, which is transparent."""
    mesh: Any = obj.data
    count = len(mesh.polygons)
    clear = np.zeros(count, bool)
    if not count:
        return clear
    points = subject.space.to_file(world_vertices(obj, mesh), obj.name, "a vertex")
    shape = read_shape(mesh)
    for surface in surfaces:
        clear |= np.logical_and.reduceat(in_polygon(surface, points)[shape.corners], shape.starts)
    return clear


def _joined(parts: Iterable[Floats]) -> Floats:
    return np.concatenate([np.zeros((0, 3)), *parts])


def _mean(receivers: _Receivers, light: Floats) -> Floats:
    """Return the mean light of each target, (total, 3), from that of receivers, (n, 3)."""
    weights = np.bincount(receivers.rows, receivers.weights, minlength=receivers.total)
    sums = [
        np.bincount(receivers.rows, receivers.weights * part, minlength=receivers.total) for part in light.T
    ]
    return np.asarray(np.stack(sums, axis=1) / np.maximum(weights, 1e-12)[:, None])


def _of_room(subject: BakeTarget, shape: BakeShape) -> _Receivers:
    """Return receivers near the corners of all triangles; for loose vertices, in all directions."""
    corners = shape.points[shape.triangles]
    offsets = corners.mean(axis=1, keepdims=True) - corners
    lengths = np.linalg.norm(offsets, axis=2, keepdims=True)
    inward = offsets * np.minimum(_INWARD, _MOST_INWARD / np.maximum(lengths, 1e-9))
    points = (corners + inward + _ABOVE * shape.normals[:, None]).reshape(-1, 3)
    count = len(shape.places)
    loose = np.flatnonzero(np.bincount(shape.rows, minlength=count) == 0)
    around = shape.places[loose].repeat(len(_SIDES), axis=0) + _ABOVE * np.tile(_SIDES, (len(loose), 1))
    rows = np.concatenate([shape.rows, loose.repeat(len(_SIDES))])
    return _Receivers(
        np.asarray(subject.space.to_blender(np.concatenate([points, around])), np.float64),
        np.asarray(
            direction_to_blender(np.concatenate([shape.corner_normals, np.tile(_SIDES, (len(loose), 1))])),
            np.float64,
        ),
        np.ones(len(rows)),
        rows,
        count,
    )


def _of_placement(subject: BakeTarget, obj: Object) -> _Receivers:
    """Return receivers in the middle of all triangles of a placed static mesh, weighted by area."""
    mesh = obj.data
    if not isinstance(mesh, Mesh) or not len(mesh.polygons):
        position = np.array(world_matrix(obj).translation)
        return _Receivers(
            np.tile(position, (len(_SIDES), 1)),
            _SIDES,
            np.ones(len(_SIDES)),
            np.zeros(len(_SIDES), np.int64),
            1,
        )
    corners = world_vertices(obj, mesh)[triangles_of(mesh)]
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    crossed *= -1 if world_matrix(obj).is_negative else 1
    areas = np.linalg.norm(crossed, axis=1)
    normals = crossed / np.maximum(areas, 1e-12)[:, None]
    points = corners.mean(axis=1) + _ABOVE * subject.space.scale * normals
    weights = np.where(normals[:, 2] > _DOWN, areas, 0)
    weights = weights if weights.any() else areas
    return _Receivers(points, normals, weights, np.zeros(len(areas), np.int64), 1)
