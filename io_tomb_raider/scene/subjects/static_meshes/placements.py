"""Static meshes placed in rooms (documentation, chapter 3.2.5): objects that share the library's meshes."""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix

from ....formats import ExportError, Game
from ....formats.base import FULL_RGB555, NEUTRAL_TINT, ROOM_STATIC, T, put, put_tint, split_tint
from ...core.context import ExportContext, ImportContext
from ...core.membership import members_of
from ...core.record_fields import put_position, take_over, warn_of_lost_transform, world_point
from ...core.space import angle_to_blender, angle_to_file
from ...core.stages import ROOMS, STATIC_MESHES, ExportStage, ImportStage, RoomObjects, Steps
from ...core.stored import within
from ...core.subjects import Kind
from ..rooms.location.listed import RoomLists, places_in_rooms, put_in_room
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from .static_meshes import static_mesh_ids

_USUAL_LIGHT = 4096  # neutral (TR1, TR2)

# --- Import ----------------------------------------


def import_placements(
    context: ImportContext, rooms: RoomObjects, static_meshes: Mapping[int, Object]
) -> None:
    """Make an object for every placed static mesh, parented to its room; ``static_meshes`` are by id."""
    context.root.tomb_raider.imported |= {"PLACEMENTS"}
    index = 0
    locations = places_in_rooms(context, [room.static_meshes for room in context.level.rooms])
    for number, room in enumerate(context.level.rooms):
        for record in room.static_meshes:
            static_id = int(record["static_mesh"])
            library = static_meshes.get(static_id)
            name = context.names.numbered(context.names.static(static_id), index)
            obj = bpy.data.objects.new(name, None if library is None else library.data)
            obj.rotation_euler.z = float(angle_to_blender(record["angle"]))
            put_in_room(rooms, obj, number, locations[index])
            settings = obj.tomb_raider
            settings.kind, settings.index = Kind.PLACEMENT, index
            settings.placement.static_mesh = library
            for field, value in placement_values(record).items():
                setattr(settings.placement, field, value)
            index += 1


def placement_values(record: Any) -> dict[str, Any]:
    """Return the values of a placement's typed properties by name."""
    values: dict[str, Any] = {"id": int(record["static_mesh"])}
    names = record.dtype.names
    values |= {name: int(record[name]) for name in ("intensity", "intensity2") if name in names}
    if "color" in names:
        values["color"] = [part / FULL_RGB555 for part in split_tint(int(record["color"]))]
        values["intensity2"] = int(record["unused"])
    return values


def adopt_placement(root: Collection, obj: Object) -> bool:
    """Make an object with the mesh of a library static mesh a placement; return whether it is one."""
    libraries = (each for each in members_of(root, Kind.STATIC_MESH) if each != obj)
    library = next((each for each in libraries if each.data == obj.data), None)
    if library is None:
        return False
    settings = obj.tomb_raider
    for field, value in placement_values(_new_record(Game[root.tomb_raider.game])).items():
        setattr(settings.placement, field, value)
    settings.placement.static_mesh, settings.placement.id = library, library.tomb_raider.static_mesh.id
    settings.kind, settings.index, settings.origin = Kind.PLACEMENT, -1, root.tomb_raider.origin
    return True


# --- Export ----------------------------------------


def export_placements(context: ExportContext, where: Whereabouts) -> None:
    """Write the static meshes of all rooms.

    Raises:
        ExportError: where a placement is in no room, or its static mesh is not in the level, or a value does
            not fit its field.
    """
    objects = RoomLists(context, where, "static_meshes")
    ids = static_mesh_ids(context)
    exported_ids, original_ids = set(ids.values()), set(context.original.static_meshes["id"].tolist())
    if "STATIC_MESHES" not in context.root.tomb_raider.imported:
        exported_ids = original_ids
    by_mesh = {library.data: number for library, number in reversed(ids.items()) if library.data is not None}
    for obj, index in objects.present(Kind.PLACEMENT):
        record = objects.start(obj.tomb_raider.index)
        is_original = index >= 0 and record is not None
        if record is None:
            record = _new_record(context.original.game)
        matrix = context.space.matrix_of(obj)
        warn_of_lost_transform(context, obj, matrix)
        point = world_point(context, obj, matrix)
        put_position(record, point, obj.name, rebuild=context.rebuild)
        record["angle"] = yaw_of(matrix)
        old_number = int(record["static_mesh"])
        number = _static_mesh(context, obj, ids, by_mesh)
        if number in original_ids - exported_ids:
            text = T("its static mesh {number} was removed from the library: it is left out", number=number)
            context.report.warn(obj.name, text)
            continue
        if number not in exported_ids and not (is_original and number == old_number):
            raise ExportError(obj.name, T("the level has no static mesh {number}", number=number))
        put(record, "static_mesh", number, obj.name, "id")
        _put_light(record, obj)
        objects.keep(objects.room_of(obj, point), index, record, obj)
    for number, records in objects.finish("static_meshes", 0xFFFF).items():
        room = context.level.rooms[number]
        room.static_meshes = take_over(context, "room_static_meshes", room.static_meshes, records)


def _new_record(game: Game) -> Any:
    """Return a record with neutral light."""
    record = np.zeros(1, ROOM_STATIC[game])
    for name in {"intensity", "intensity2"}.intersection(record.dtype.names or ()):
        record[name] = _USUAL_LIGHT
    if "color" in (record.dtype.names or ()):
        record["color"] = put_tint(0, (NEUTRAL_TINT, NEUTRAL_TINT, NEUTRAL_TINT))
    if game.traits.marks_static_meshes:
        record["unused"] = 1  # its engine draws no others
    return record[0]


def yaw_of(matrix: Matrix) -> int:
    """Return the file's angle of a world matrix, 0 to 65535; of mirrored ones that of their front."""
    if matrix.is_negative:
        return int(angle_to_file(atan2(-matrix[0][1], matrix[1][1])))
    return int(angle_to_file(matrix.to_euler("XYZ").z))


def _static_mesh(context: ExportContext, obj: Object, ids: dict[Object, int], by_mesh: dict[Any, int]) -> int:
    """Return the static mesh id of a placement, by its mesh if the library has it, else by its settings."""
    settings = obj.tomb_raider.placement
    library = settings.static_mesh
    number: int = ids.get(library, settings.id)
    if obj.data is None or (library in ids and obj.data == library.data):
        return number
    if obj.data in by_mesh:
        return by_mesh[obj.data]
    text = T(
        "its mesh {data} is not in the library: it is exported as static mesh {number}",
        data=obj.data.name,
        number=number,
    )
    context.report.warn(obj.name, text)
    return number


def _put_light(record: Any, obj: Object) -> None:
    settings = obj.tomb_raider.placement
    if "intensity" in record.dtype.names:
        put(record, "intensity", settings.intensity, obj.name)
    if "intensity2" in record.dtype.names:
        put(record, "intensity2", settings.intensity2, obj.name, "second intensity")
    if "color" in record.dtype.names:
        red, green, blue = (round(part * FULL_RGB555) for part in within(settings, "color", obj.name))
        record["color"] = put_tint(int(record["color"]), (red, green, blue))
        put(record, "unused", settings.intensity2, obj.name, "second intensity")


def _import(context: ImportContext) -> None:
    import_placements(context, ROOMS.of(context), STATIC_MESHES.of(context))


STEPS = Steps(
    {ImportStage.IN_ROOMS: _import},
    {ExportStage.IN_ROOMS: lambda context: export_placements(context, WHEREABOUTS.of(context))},
)
