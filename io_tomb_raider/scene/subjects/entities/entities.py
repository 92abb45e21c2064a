"""Entities (documentation, chapter 8.1): instances of models and sprites."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import ENTITY, LARA, T, put
from ...core.context import ExportContext, ImportContext
from ...core.membership import members_of
from ...core.order import Numbers
from ...core.record_fields import put_position, take_over, warn_of_lost_transform, world_point
from ...core.reporting.report import storable
from ...core.space import angle_to_blender
from ...core.stages import (
    ENTITIES,
    ENTITY_NUMBERS,
    ROOMS,
    SHOWN,
    SPRITE_QUADS,
    ExportStage,
    ImportStage,
    Steps,
)
from ...core.subjects import Kind
from ..models.models import model_id
from ..rooms.location.choice import choose_room
from ..rooms.location.where import WHEREABOUTS
from ..sprites.sequences import first_pictures, sequence_of
from ..static_meshes.placements import yaw_of
from .drops import warn_of_drops

_LIMIT = 0x7FFF
_NAMED = 3  # maximum of objects named in a warning
_FIELDS = ("intensity", "intensity2", "ocb", "flags")
_EMPTY_SIZE = 256  # units

# --- Import ----------------------------------------


def import_entities(context: ImportContext) -> None:
    """Make an instance of its model, a sprite or an empty for every entity."""
    context.root.tomb_raider.imported |= {"ENTITIES"}
    rooms, collections = ROOMS.of(context), SHOWN.of(context)
    parent_collection = context.collection("Entities", Kind.ENTITIES)
    entities = context.level.entities
    locations = context.space.to_blender(np.stack([entities[axis] for axis in "xyz"], axis=1)).tolist()
    turns = angle_to_blender(entities["angle"]).tolist()
    fields = [name for name in ("type", *_FIELDS) if name in (entities.dtype.names or ())]
    values = zip(*(entities[name].tolist() for name in fields), strict=True)
    room_numbers = entities["room"].tolist()
    quads = _first_sprites(context, SPRITE_QUADS.of(context))
    result: list[Object] = []
    for index, (number, *others) in enumerate(values):
        collection = collections.get(number)
        mesh = quads.get(number) if collection is None else None
        name = context.names.numbered(context.names.entity(number), index)
        obj = bpy.data.objects.new(name, mesh)
        _show(context, obj, collection)
        obj.location, obj.rotation_euler.z = locations[index], turns[index]
        settings = obj.tomb_raider
        entity = settings.entity
        entity.script_name = storable(context.decoded.entity_names.get(index, ""))
        for field, value in zip(fields, (number, *others), strict=True):
            setattr(entity, field, value)
        settings.kind, settings.index = Kind.ENTITY, index  # later changes of its type update its display
        room = rooms.get(room_numbers[index])
        if room is not None:
            entity.room = room
        parent_collection.objects.link(obj)
        result.append(obj)
    ENTITIES.set(context, result)


def _first_sprites(context: ImportContext, meshes: Mapping[int, Mesh]) -> dict[int, Mesh]:
    """Return the quad of every sprite sequence's first texture by the id of the sequence."""
    sequences = sequence_of(context.level).items()
    firsts = {identity: texture for texture, (identity, index) in sequences if index == 0}
    return {identity: meshes[texture] for identity, texture in firsts.items() if texture in meshes}


def _show(context: ImportContext, obj: Object, collection: Collection | None) -> None:
    if collection is not None:
        obj.instance_type, obj.instance_collection = "COLLECTION", collection
    if obj.data is None:
        # An instance is visible itself; an entity without a model shows its direction.
        obj.empty_display_type = "ARROWS" if collection is None else "PLAIN_AXES"
        obj.empty_display_size = _EMPTY_SIZE * context.space.scale


def adopt_entity(root: Collection, obj: Object) -> bool:
    """Make a user's instance of a model an entity; return False if it is no instance of a model."""
    number = model_id(obj.instance_collection)
    if number is None:
        return False
    settings = obj.tomb_raider
    settings.kind, settings.index, settings.origin = Kind.ENTITY, -1, root.tomb_raider.origin
    settings.entity.type = number
    settings.entity.intensity = settings.entity.intensity2 = -1
    return True


# --- Export ----------------------------------------


def export_entities(context: ExportContext) -> Numbers:
    """Write the entities, and return their numbers.

    Raises:
        ExportError: if a value does not fit its field, or there are too many entities.
    """
    original = context.original.entities
    if "ENTITIES" not in context.root.tomb_raider.imported:
        return Numbers.kept(len(original))
    objects = context.objects(Kind.ENTITY)
    if len(objects) > _LIMIT:
        raise ExportError(T("Entities"), T("too many entities"), count=len(objects), limit=_LIMIT)
    reader = _Reader(context)
    records = np.zeros(len(objects), ENTITY[context.original.game])
    for row, (obj, _) in enumerate(objects):
        reader.read(records, row, obj)
        context.note_place(obj, "entities", row)
    context.level.entities = take_over(context, "entities", original, records)
    _warn_of_laras(context)
    numbers = Numbers.in_order(objects, len(original))
    warn_of_drops(context, objects, numbers)
    return numbers


def lara_of(root: Collection) -> Object | None:
    """Return the entity of a level that is Lara, or None."""
    entities = members_of(root, Kind.ENTITY)
    return next((obj for obj in entities if obj.tomb_raider.entity.type == LARA), None)


def _warn_of_laras(context: ExportContext) -> None:
    """Warn if Lara is missing now, or exists several times: the games need exactly one."""
    before, after = (
        int((level.entities["type"] == LARA).sum()) for level in (context.original, context.level)
    )
    is_new = not len(context.original.rooms)  # a level without rooms cannot be played
    if after == 1 or (after == before and not (is_new and len(context.level.rooms))):
        return
    if after:
        objects = [t.name for t, _ in context.objects(Kind.ENTITY) if t.tomb_raider.entity.type == LARA]
        text = T(
            "there are {after} ({objects}), but only one is playable:",
            after=after,
            objects=", ".join(sorted(objects)[:_NAMED]),
        )
        context.report.warn(
            T("Lara"), T("{text} delete the others, or choose other types for them", text=text)
        )
    elif is_new:
        text = T("there is no Lara, and the game does not start without her")
        context.report.warn(
            T("Lara"), T("{text}: start with a kit that has her, or append her model from a level", text=text)
        )
    else:
        text = T("Lara was deleted, and the game does not start without her")
        context.report.warn(T("Lara"), T("{text}: add an instance of her model to Entities", text=text))


class _Reader:
    """Conversion of objects to records of entities."""

    def __init__(self, context: ExportContext) -> None:
        self.context = context
        self.where = WHEREABOUTS.of(context)
        self.original = context.level.entities  # has the new numbers of rooms
        self.sequences = first_pictures(context)
        self.models = set(context.root.children_recursive)
        level = context.level
        self.types = {*level.models["id"].tolist(), *level.sprite_sequences["id"].tolist()}
        self.types |= {*level.game.traits.ai_marks}  # not drawn

    def read(self, records: NDArray[np.void], row: int, obj: Object) -> None:
        """Write the values of an object into a record."""
        context, settings = self.context, obj.tomb_raider
        base = self.original[settings.index] if 0 <= settings.index < len(self.original) else None
        # A copy starts with all values of its original.
        if base is not None:
            records[row] = base
        record = records[row]
        if base is None:
            record["intensity"] = -1
            if "intensity2" in record.dtype.names:
                record["intensity2"] = -1
        matrix = context.space.matrix_of(obj)
        warn_of_lost_transform(context, obj, matrix)
        point = world_point(context, obj, matrix)
        moved = put_position(record, point, obj.name, rebuild=context.rebuild) or base is None
        put_angle(record, matrix)
        put(record, "type", self._type(obj, base), obj.name)
        for name in _FIELDS:
            if name in record.dtype.names:
                put(record, name, getattr(settings.entity, name), obj.name)
        before = None if base is None else int(base["room"])
        room = choose_room(context, self.where, obj, settings.entity.room, before, point, moved)
        put(record, "room", room, obj.name)

    def _type(self, obj: Object, base: np.void | None) -> int:
        typed = int(obj.tomb_raider.entity.type)
        is_unchanged = base is not None and typed == int(base["type"])
        if not is_unchanged and obj.instance_collection is None and typed not in self.types:
            self.context.report.warn(
                obj.name, T("the level has no model and no sprite of its type, {type}", type=typed)
            )
        if obj.instance_type == "COLLECTION" and obj.instance_collection is not None:
            model_type = model_id(obj.instance_collection)
            if model_type is None:
                name = obj.instance_collection.name
                text = T("{name} is not a model of the library, so its type is unchanged", name=name)
                self.context.report.warn(obj.name, text)
                return typed
            if obj.instance_collection not in self.models:
                raise ExportError(
                    obj.name,
                    T(
                        "{instance_collection} is a model of another level: link that collection to this "
                        "level's Models, or show one of this level's models",
                        instance_collection=obj.instance_collection.name,
                    ),
                )
            edited = typed not in (model_type, typed if base is None else int(base["type"]))
            if edited:
                self.context.report.warn(obj.name, T("its type was set to that of the model that it shows"))
            return model_type
        if base is not None and typed != int(base["type"]):
            return typed
        return self.sequences.get(obj.data, typed)


def put_angle(record: np.void, matrix: Matrix) -> None:
    """Set the angle of a record, 16 bits signed, from a world matrix."""
    angle = yaw_of(matrix)
    record["angle"] = angle - 0x10000 if angle > 0x7FFF else angle


STEPS = Steps(
    {ImportStage.TARGETS: import_entities},
    {ExportStage.TARGETS: lambda context: ENTITY_NUMBERS.set(context, export_entities(context))},
)
