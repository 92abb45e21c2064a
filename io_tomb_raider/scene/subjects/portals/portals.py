"""Portals (documentation, chapter 3.2.2): quads through which one room sees another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import PORTAL, T, join_records
from ...core.blender import compat
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import take_over, world_point
from ...core.space import to_int16, whole, world_matrix
from ...core.stages import ROOMS, ExportStage, ImportStage, RoomObjects, Steps
from ...core.subjects import Kind
from ..floor.floor_data import FLOOR
from ..rooms.diagnosis import explained
from ..rooms.location.listed import RoomLists
from ..rooms.location.plan import RoomPlan
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from .links import close_broken_connections

_LOOK = (0.15, 0.6, 0.9, 0.3)
_IN_ORDER = np.arange(4, dtype=np.int32)
_BENT = 8  # units: tolerated distance of corners from their plane
_TURNED = np.array([0, 3, 2, 1], np.int32)

# --- Import ----------------------------------------


def import_portals(context: ImportContext, rooms: RoomObjects) -> None:
    """Make a quad for every portal, facing its own room, with a pointer to the other one."""
    context.root.tomb_raider.imported |= {"PORTALS"}
    collection = context.collection("Portals", Kind.PORTALS)
    material, templates = portal_material(), dict[bool, Mesh]()
    index = 0
    portals = join_records([np.zeros(0, PORTAL), *(room.portals for room in context.level.rooms)])
    middles, corners = _shapes(portals)
    positions = context.space.to_blender(corners).reshape(-1, 12)
    locations, is_turned = context.space.to_blender(middles).tolist(), _is_turned(portals).tolist()
    for number, room in enumerate(context.level.rooms):
        for target in room.portals["room"].tolist():
            name = f"Portal {index}: Room {number:03} to {target:03}"
            template = templates.get(is_turned[index])
            mesh: Any = template.copy() if template is not None else None  # faster than a new one
            if mesh is None:
                corners_of_face = _TURNED if is_turned[index] else _IN_ORDER
                mesh = templates[is_turned[index]] = _quad(corners_of_face, material)
            # Not by the attribute: copies would keep the bounds of the template.
            mesh.vertices.foreach_set("co", positions[index])
            obj = bpy.data.objects.new(name, mesh)
            obj.parent, obj.location = rooms.objects[number], locations[index]
            collection.objects.link(obj)
            settings = obj.tomb_raider
            settings.kind, settings.index = Kind.PORTAL, index
            adjoining = rooms.get(target)
            if adjoining is not None:
                settings.portal.room = adjoining
            else:
                settings.portal.room_number = target
            index += 1
    # Set at once: each single change makes Blender search the view layers.
    collection.objects.foreach_set("hide_render", np.ones(len(collection.objects), np.bool_))


def _shapes(portals: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the center of each portal, (n, 3), and its corners relative to it, (n, 4, 3), in whole units."""
    vertices = portals["vertices"].astype(np.int64)
    centers = np.rint(vertices.mean(axis=1)).astype(np.int64)
    return centers, vertices - centers[:, None]


def _is_turned(portals: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return whether each portal lists its corners clockwise, seen from the side of its normal.

    Files have both orders, as games use the normal. In Blender the order of corners decides the normal.
    """
    normals = _normals(portals["vertices"].astype(np.float64))
    return np.asarray((normals * portals["normal"]).sum(axis=-1) < 0)


def _normals(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normals of quads, (…, 3), of twice their area in length."""
    normals = np.cross(corners[..., 2, :] - corners[..., 0, :], corners[..., 3, :] - corners[..., 1, :])
    return np.asarray(normals)


def _quad(corners: NDArray[np.int32], material: Material) -> Mesh:
    mesh = bpy.data.meshes.new("Portal")
    mesh.from_pydata(np.zeros((4, 3)).tolist(), [], [corners.tolist()])
    mesh.materials.append(material)
    return mesh


def portal_material() -> Material:
    """Return the material of portals; it is made once per file."""
    name = "Portal"
    for existing in bpy.data.materials:
        is_guide = existing.tomb_raider.kind == "GUIDE" and existing.library is None
        if is_guide and existing.name.startswith(name):
            return existing
    material: Any = bpy.data.materials.new(name)
    material.tomb_raider.kind = "GUIDE"
    material.diffuse_color = _LOOK
    tree = compat.material_nodes(material)
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    clear = tree.nodes.new("ShaderNodeBsdfTransparent")
    clear.location = (-200, 0)
    clear.inputs[0].default_value = _LOOK
    tree.links.new(clear.outputs[0], output.inputs[0])
    material.surface_render_method = "BLENDED"
    return material


def add_portal(
    owner: Object, target: Object, corners: NDArray[np.float64], collection: bpy.types.Collection
) -> Object:
    """Make a portal; its corners, (4, 3) in the world, are counterclockwise as seen from its room."""
    name = f"Portal: {owner.name} to {target.name}"
    mesh = _quad(_IN_ORDER, portal_material())
    mesh.name = name
    center = corners.mean(axis=0)
    mesh.vertices.foreach_set("co", (corners - center).astype(np.float32).ravel())
    obj = bpy.data.objects.new(name, mesh)
    obj.parent = owner
    obj.matrix_parent_inverse = world_matrix(owner).inverted_safe()
    obj.location = center.tolist()
    obj.hide_render = True
    collection.objects.link(obj)
    obj.tomb_raider.kind = Kind.PORTAL
    obj.tomb_raider.portal.room = target
    return obj


# --- Export ----------------------------------------


def export_portals(context: ExportContext, where: Whereabouts) -> None:
    """Write the portals of all rooms.

    Raises:
        ExportError: where a portal is no quad, is too far from its room, or points to a room of no level.
    """
    lists = RoomLists(context, where, "portals")
    portals: list[tuple[Object, int, int]] = []
    records = np.zeros(len(context.objects(Kind.PORTAL)), PORTAL)
    is_new = np.zeros(len(records), bool)
    for obj, index in lists.present(Kind.PORTAL):
        target = _target(context, where.plan, obj)
        if target is None:
            continue
        row = len(portals)
        original = lists.original(obj.tomb_raider.index)
        is_new[row] = original is None
        if original is not None:
            records[row] = original
        records["room"][row] = target
        number = where.room_of(obj)
        if number is None:
            number = lists.own_room(obj, world_point(context, obj, context.space.matrix_of(obj)))
        portals.append((obj, index, number))
    _put_shapes(context, where, portals, records[: len(portals)], is_new[: len(portals)])
    for (obj, index, number), record in zip(portals, records, strict=False):
        lists.keep(number, index, record, obj)
    for number, room_portals in lists.finish("portals", 0xFFFF).items():
        room = context.level.rooms[number]
        room.portals = take_over(context, "portals", room.portals, room_portals)


def _target(context: ExportContext, plan: RoomPlan, obj: Object) -> int | None:
    """Return the number of the room that a portal shows, or None with a warning."""
    settings = obj.tomb_raider.portal
    number = plan.pointed_at(settings.room, obj.name, "adjoining room")
    if number is None and settings.room is None and settings.room_number >= 0:
        return int(settings.room_number)
    if number is None:
        context.report.warn(obj.name, T("it has no adjoining room, so it is left out: choose one"))
    return number


def _put_shapes(
    context: ExportContext,
    where: Whereabouts,
    portals: Sequence[tuple[Object, int, int]],
    records: NDArray[np.void],
    is_new: NDArray[np.bool_],
) -> None:
    """Set the corners of changed portals, and their normals."""
    if not portals:
        return
    corners = _read_corners(context, portals)
    is_turned = is_new | _is_turned(records)
    # Keep the order of corners of the original.
    corners[is_turned] = corners[is_turned][:, _TURNED]
    corners[is_new] = _from_lowest(corners[is_new])
    for row in np.flatnonzero((corners != records["vertices"]).any(axis=(1, 2))).tolist():
        normal = _normals(corners[row].astype(np.float64)) * (-1 if is_turned[row] else 1)
        axis = int(np.abs(normal).argmax())
        if not normal[axis]:
            raise ExportError(portals[row][0].name, T("it has no area"))
        if not _is_flat(corners[row]):
            text = T("its corners are not in a plane, so the view through it may be cut off: make it flat")
            context.report.warn(portals[row][0].name, text)
        elif not _is_rectangle(corners[row]) and (is_new[row] or _is_rectangle(records["vertices"][row])):
            text = T(
                "it is not a rectangle, but the game clips the view through it to one: give it right angles"
            )
            context.report.warn(portals[row][0].name, text)
        try:
            records["vertices"][row] = to_int16(corners[row], portals[row][0].name, "a corner")
        except ExportError as error:
            raise explained(error, where.diagnose(portals[row][2])) from None
        records["normal"][row] = 0
        records["normal"][row, axis] = np.sign(normal[axis])


def _from_lowest(corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the corners of portals, (n, 4, 3), from that of the lowest x and z on.

    TR5 draws mist and reflections only at portals in floors that begin with it.
    """
    lowest = corners[:, :, [0, 2]].sum(axis=2).argmin(axis=1)
    order = (lowest[:, None] + np.arange(4)) % 4
    return np.take_along_axis(corners, order[..., None], axis=1)


def _is_flat(corners: NDArray[np.int64]) -> bool:
    """Return whether the corners of a quad, (4, 3), are coplanar except for rounding."""
    normal = _normals(corners.astype(np.float64))
    away = (corners - corners.mean(axis=0)) @ (normal / np.linalg.norm(normal))
    return bool(np.abs(away).max() < _BENT)


def _is_rectangle(corners: NDArray[Any]) -> bool:
    """Return whether the corners of a flat quad, (4, 3), are a rectangle except for rounding.

    Portals in slanted floors are rectangles seen from above, which suffices for the games.
    """
    points = corners.astype(np.float64)
    across = int(np.abs(_normals(points)).argmax())
    return _has_right_angles(points) or _has_right_angles(np.delete(points, across, axis=1))


def _has_right_angles(corners: NDArray[np.float64]) -> bool:
    first, second, third, fourth = corners
    skew = np.abs(first + third - second - fourth).max()
    diagonals = np.linalg.norm(third - first), np.linalg.norm(fourth - second)
    return bool(skew < _BENT and abs(diagonals[0] - diagonals[1]) < _BENT)


def _read_corners(context: ExportContext, portals: Sequence[tuple[Object, int, int]]) -> NDArray[np.int64]:
    """Return the corners of portals relative to their rooms, (n, 4, 3), in the order of their faces.

    The first corner is the mesh's first vertex.
    """
    count, rooms = len(portals), context.level.rooms
    local, order = np.empty((count, 4, 3), np.float32), np.empty((count, 4), np.int32)
    matrices, corner = np.empty((count, 4, 4)), np.zeros((count, 1, 3), np.int64)
    for row, (obj, _, number) in enumerate(portals):
        mesh: Any = context.shown.of(obj)
        if mesh is None or (len(mesh.vertices), len(mesh.polygons), len(mesh.loops)) != (4, 1, 4):
            raise _no_quad(obj)
        mesh.attributes["position"].data.foreach_get("vector", local[row].ravel())
        mesh.attributes[".corner_vert"].data.foreach_get("value", order[row])
        matrices[row] = np.array(context.space.matrix_of(obj))
        corner[row, 0] = rooms[number].x, 0, rooms[number].z
    is_invalid = (np.sort(order, axis=1) != _IN_ORDER).any(axis=1)
    if is_invalid.any():
        raise _no_quad(portals[int(is_invalid.argmax())][0])
    mirrored = np.linalg.det(matrices[:, :3, :3]) < 0
    order[mirrored] = order[mirrored, ::-1]  # mirrored objects show their faces from the other side
    first = order.argmin(axis=1)[:, None]
    order = np.take_along_axis(order, ((first + _IN_ORDER) % 4).astype(np.int64), axis=1)
    world = local @ matrices[:, :3, :3].transpose(0, 2, 1) + matrices[:, None, :3, 3]
    not_finite = ~np.isfinite(world).all(axis=(1, 2))
    name = portals[int(not_finite.argmax())][0].name
    points = whole(context.space.to_file(world, name, "a corner") - corner)
    return np.take_along_axis(points, order[..., None].astype(np.int64), axis=1)


def _no_quad(obj: Object) -> ExportError:
    return ExportError(obj.name, T("a portal must be one face with four corners"))


STEPS = Steps(
    {ImportStage.IN_ROOMS: lambda context: import_portals(context, ROOMS.of(context))},
    {
        ExportStage.IN_ROOMS: lambda context: export_portals(context, WHEREABOUTS.of(context)),
        ExportStage.FUNCTIONS: lambda context: close_broken_connections(
            context, WHEREABOUTS.of(context), FLOOR.of(context)
        ),
    },
)
