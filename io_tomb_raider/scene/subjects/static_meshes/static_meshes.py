"""Static meshes (documentation, chapter 5.3): the library of meshes that are placed in rooms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE, STATIC_MESH, Bits, T, as_message, put
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import take_over, warn_of_unwritten_shape
from ...core.stages import STATIC_MESHES, ExportStage, ImportStage, Steps
from ...core.subjects import Kind
from ..meshes.arrays import MESHES
from ..meshes.shown import warn_of_unlike_placements
from ..models.steps import MESH_EXPORT, MESH_NUMBERS, WRITTEN_MODELS
from ..object_textures.faces import RESOLVED
from .new import box_of, free_id

_SPACING = 3 * SECTOR_SIZE
_SHOWN = Bits(0, 31)  # bits of an id that fit the property
_BOXES = ("visibility_box", "collision_box")

# --- Import ----------------------------------------


def import_static_meshes(context: ImportContext, meshes: Mapping[int, Mesh]) -> dict[int, Object]:
    """Make the library, and return its objects by id; ``meshes`` are those of the mesh block by index."""
    context.root.tomb_raider.imported |= {"STATIC_MESHES"}
    library = context.collection("Static Meshes", Kind.STATIC_MESHES)
    rooms = context.level.rooms
    left = min((int(room.x) for room in rooms), default=0)
    front = min((int(room.z) for room in rooms), default=0) - _SPACING
    pointers = context.meshes.pointers
    result: dict[int, Object] = {}
    for index, record in enumerate(context.level.static_meshes):
        number, pointer = int(record["id"]), int(record["mesh"])
        mesh = meshes.get(int(pointers[pointer])) if pointer < len(pointers) else None
        name = context.names.static(number)
        name = name if name.endswith(f" {number}") else context.names.numbered(name, number)
        obj = bpy.data.objects.new(name, mesh)
        obj.location = context.space.to_blender([left + index * _SPACING, 0, front]).tolist()
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.STATIC_MESH, index
        settings.static_mesh.id = _shown_id(number)
        settings.static_mesh.flags = int(record["flags"])
        for name in _BOXES:
            setattr(settings.static_mesh, name, record[name].tolist())
        library.objects.link(obj)
        result[number] = obj
    return result


# --- Export ----------------------------------------


def export_static_meshes(
    context: ExportContext, numbers: Mapping[Mesh, int], pointers: Sequence[int]
) -> list[int]:
    """Write the records of the library, and return the updated mesh pointers.

    ``numbers`` are :class:`~..models.mesh_block.MeshNumbers`, ``pointers`` those after the export of models.

    Raises:
        ExportError: where a static mesh has no mesh, or a value does not fit its field.
    """
    pointers = list(pointers)
    if "STATIC_MESHES" not in context.root.tomb_raider.imported:
        return pointers
    original = context.original.static_meshes
    objects = context.objects(Kind.STATIC_MESH)
    ids = static_mesh_ids(context)
    warn_of_unlike_placements(context.shown, ids, context.report)
    records = _start(context, objects)
    for row, (obj, index) in enumerate(objects):
        record, settings = records[row], obj.tomb_raider.static_mesh
        context.note_place(obj, "static_meshes", row)
        warn_of_unwritten_shape(context, obj)
        if ids[obj] != _shown_id(record["id"]):
            put(record, "id", ids[obj], obj.name)
        put(record, "flags", settings.flags, obj.name)
        mesh = context.shown.of(obj)
        for name in _BOXES:
            box = list(getattr(settings, name))
            if obj.tomb_raider.index < 0 and mesh is not None and not any(box):
                box = box_of(mesh, context.space, obj.name, context.report).tolist()
            _put_box(record, name, box, obj.name)
        # The file may have invalid pointers.
        if index < 0 or obj.data is not None or int(record["mesh"]) < len(pointers):
            number = None if mesh is None else numbers.get(mesh)
            if number is None:
                raise ExportError(obj.name, T("a static mesh needs a mesh"))
            _point_to_mesh(context, records, row, number, pointers, obj.name)
    context.level.static_meshes = take_over(context, "static_meshes", original, records)
    return pointers


def _start(context: ExportContext, objects: list[tuple[Object, int]]) -> NDArray[np.void]:
    """Return a record for every object: a copy of its original's, else an empty one."""
    original = context.original.static_meshes
    records = np.zeros(len(objects), STATIC_MESH)
    records["mesh"] = 0xFFFF
    for row, (obj, _) in enumerate(objects):
        index = obj.tomb_raider.index
        if 0 <= index < len(original):
            records[row] = original[index]
    return records


def _shown_id(number: Any) -> int:
    return _SHOWN.fit(int(number))


def static_mesh_ids(context: ExportContext) -> dict[Object, int]:
    """Return the exported id of every static mesh of the library.

    The file refers to ids, so a copy within the library gets the next free one.
    """
    ids: dict[Object, int] = {}
    objects = context.objects(Kind.STATIC_MESH)
    used = {obj.tomb_raider.static_mesh.id for obj, _ in objects}
    for obj, index in objects:
        number = obj.tomb_raider.static_mesh.id
        if index < 0 and number in ids.values():
            number = free_id(used)
            used.add(number)
            text = T(
                "its id {id} is taken: it is exported with the id {number}",
                id=obj.tomb_raider.static_mesh.id,
                number=number,
            )
            context.report.warn(obj.name, text)
        elif obj.tomb_raider.index < 0:
            text = T("it is new in the library: it is exported with the id {number}", number=number)
            context.report.warn(obj.name, text)
        limit = context.limits.static_meshes
        if index < 0 and limit is not None and number >= limit:
            text = T(
                "its id is {number}, but the original game supports only ids below {limit}",
                number=number,
                limit=limit,
            )
            context.report.warn(obj.name, text)
        ids[obj] = number
    return ids


def _put_box(record: np.void, name: str, box: list[int], subject: str) -> None:
    worst = max(box, key=lambda side: abs(side + 0.5))
    if not -0x8000 <= worst <= 0x7FFF:
        problem = T("its {name} is too large", name=as_message(name.replace("_", " ")))
        raise ExportError(subject, problem, count=worst, limit=0x7FFF)
    record[name] = box


def _point_to_mesh(
    context: ExportContext,
    records: NDArray[np.void],
    row: int,
    number: int,
    pointers: list[int],
    subject: str,
) -> None:
    """Set the mesh of a record: by changing its mesh pointer, or by a new one if others use that."""
    entry = int(records["mesh"][row])
    if entry < len(pointers) and pointers[entry] == number:
        return
    context.rebuilt.count("mesh_pointers")
    if entry < len(pointers) and not _is_shared(context, records, entry):
        pointers[entry] = number
        return
    if len(pointers) > 0xFFFF:
        problem = T("the level has too many mesh pointers")
        raise ExportError(subject, problem, count=len(pointers), limit=0xFFFF)
    records["mesh"][row] = len(pointers)
    pointers.append(number)


def _is_shared(context: ExportContext, records: NDArray[np.void], entry: int) -> bool:
    """Return whether a model, or more than one static mesh, uses an entry of the mesh pointers."""
    models = context.level.models
    first = models["first_mesh"].astype(np.int64)
    by_model = (first <= entry) & (entry < first + models["meshes"])
    return bool(by_model.any()) or int((records["mesh"] == entry).sum()) > 1


def _import(context: ImportContext) -> None:
    STATIC_MESHES.set(context, import_static_meshes(context, MESHES.of(context)))


def _export(context: ExportContext) -> None:
    numbers, models = MESH_NUMBERS.of(context).of, WRITTEN_MODELS.of(context)
    pointers = export_static_meshes(context, numbers, models.pointers)
    MESH_EXPORT.of(context).finish(RESOLVED.of(context), pointers)


STEPS = Steps({ImportStage.LIBRARY: _import}, {ExportStage.GEOMETRY: _export})
