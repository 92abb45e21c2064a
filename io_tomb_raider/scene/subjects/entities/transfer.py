"""Transfer of entities and AI objects."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object, Scene

from ....catalogue import equivalent, is_sprite
from ....formats.base import T
from ....formats.edits.convert import ai_object_flags, entity_flags, entity_light, flags_of_ai_object
from ....formats.levels.game_files import ItemId
from ...core.subjects import Kind
from ...core.transfer import Transfer, near_text
from ..models.transfer import collections_of_models
from ..sprites.sequences import first_quad
from .drops import drops_of, put_drops
from .shown import show_model

_FIELDS = ("type", "intensity", "intensity2", "ocb", "flags", "room", "script_name", "drops", "drop_number")
_UNKNOWN = T("this game has no counterpart")


def entity_type(transfer: Transfer, number: int) -> tuple[int | None, str]:
    """Return the type of an entity in the level, or None, and a note on the change.

    Numbers of the library have priority, unless the game has a sprite for the entity.
    """
    for kind in ("model", "sprite"):
        if number in transfer.numbers.get(kind, {}):
            result: int | None = transfer.numbers[kind][number]
            note = transfer.notes.get((kind, number), "")
            break
    else:
        result, note = None, _UNKNOWN
    counterpart = equivalent("model", number, transfer.source, transfer.target)
    if counterpart is None or (
        result is not None and not (transfer.is_foreign and is_sprite(counterpart.number, transfer.target))
    ):
        return result, note
    return counterpart.number, "" if counterpart.is_exact else near_text(counterpart.number, transfer.target)


def remap_entities(transfer: Transfer, expected: Container[int] = ()) -> None:
    """Remap entities and AI objects, and discard unsupported ones. Call it after the models are remapped.

    ``expected`` has the ids of models and sprite sequences that are appended later.
    """
    models = collections_of_models(transfer)
    lost: dict[str, list[Object]] = {}
    near: dict[str, list[str]] = {}
    replaced: dict[Object, Object] = {}
    for obj in transfer.objects(Kind.ENTITY):
        before = int(obj.tomb_raider.entity.type)
        number, note = entity_type(transfer, before)
        in_library = any(before in transfer.numbers.get(kind, {}) for kind in ("model", "sprite"))
        is_shown = number is not None and (
            number in expected or number in models or first_quad(transfer.root, number) is not None
        )
        if number is not None and in_library and not is_shown:
            number, note = None, T("this game has no object to show it with")
        if number is None:
            lost.setdefault(note, []).append(obj)
            continue
        if note:
            near.setdefault(note, []).append(obj.name)
        entity = _show(transfer, obj, number, models, replaced)
        entity.tomb_raider.entity.type = number
    _finish(transfer, replaced)
    for note, objects in lost.items():
        transfer.lose(T("Entities"), [obj.name for obj in objects], T("left out: {note}", note=note))
        transfer.discard(objects)
    for note, names in near.items():
        transfer.lose(T("Entities"), names, note)
    for obj in transfer.objects(Kind.ENTITY, Kind.MODEL):
        for item in obj.tomb_raider.properties:
            if item.room is not None and not transfer.has(item.room):
                item.room = None
    remap_entity_values(transfer)


def remap_entity_values(transfer: Transfer) -> None:
    """Remap light, flags and OCB of entities whose types are remapped already, and AI objects."""
    if not transfer.is_foreign:
        return
    marks = transfer.objects(Kind.AI_OBJECT)
    source, target = transfer.source, transfer.target
    codes: list[str] = []
    for obj in transfer.objects(Kind.ENTITY):
        settings = obj.tomb_raider.entity
        light = entity_light(int(settings.intensity), source, target)
        settings.intensity = settings.intensity2 = light
        settings.flags = entity_flags(int(settings.flags), source, target)
        if source.traits.has_ai_objects and target.traits.has_ai_objects:
            continue
        if source.traits.has_ai_objects and settings.ocb not in (0, -1):
            codes.append(obj.name)
        settings.ocb = 0
    transfer.lose(T("Entities"), codes, T("the codes (OCB) of these are lost"))
    _clear_engine_data(transfer)
    _remap_drops(transfer)
    for obj in transfer.objects(Kind.ENTITY) if target.traits.has_ai_objects else ():
        if int(obj.tomb_raider.entity.type) in target.traits.ai_marks:
            _as_ai_object(obj)
    _remap_ai_objects(transfer, marks)


def _clear_engine_data(transfer: Transfer) -> None:
    """Remove names and properties for TRX if the level cannot have them."""
    if transfer.target.traits.has_trx:
        return
    lost: list[str] = []
    for obj in [*transfer.objects(Kind.ENTITY), *transfer.objects(Kind.MODEL)]:
        settings = obj.tomb_raider
        if settings.entity.script_name or len(settings.properties):
            lost.append(obj.name)
            settings.entity.script_name = ""
            settings.properties.clear()
    text = T("names and properties for TRX are lost, as this game has none")
    transfer.lose(T("Entities"), lost, text)


def _remap_drops(transfer: Transfer) -> None:
    """Remap the types of the items that entities drop, and remove those that the game lacks."""
    lost: list[str] = []
    for obj in transfer.objects(Kind.ENTITY):
        before = drops_of(obj)
        if not before:
            continue
        after: list[ItemId] = []
        for item in before if transfer.target.traits.has_trx else ():
            number = entity_type(transfer, item)[0] if isinstance(item, int) else item
            if number is not None:
                after.append(number)
        if len(after) < len(before):
            lost.append(obj.name)
        put_drops(obj, after, -1)
    transfer.lose(T("Entities"), lost, T("items that these drop are lost"))


def show_entities(transfer: Transfer) -> None:
    """Show the model or sprite of their type on entities that show none."""
    models = collections_of_models(transfer)
    replaced: dict[Object, Object] = {}
    for obj in transfer.objects(Kind.ENTITY):
        if obj.data is None and obj.instance_collection is None:
            _show(transfer, obj, int(obj.tomb_raider.entity.type), models, replaced)
    _finish(transfer, replaced)


def _show(
    transfer: Transfer,
    obj: Object,
    number: int,
    models: dict[int, Collection],
    replaced: dict[Object, Object],
) -> Object:
    """Show the model or sprite of a type on an entity; return it, or the object that replaces it.

    The latter is added to ``replaced``, for :func:`_finish`.
    """
    model, old = models.get(number), obj
    if isinstance(obj.data, Mesh) and model is not None:
        obj = replaced[old] = _replacement(transfer, obj, None)
    elif obj.data is None and model is None:
        quad = first_quad(transfer.root, number)
        if quad is not None:
            obj = replaced[old] = _replacement(transfer, obj, quad)
    elif isinstance(obj.data, Mesh):
        obj.data = first_quad(transfer.root, number) or obj.data
    if obj.data is None:
        show_model(obj, model)
    return obj


def _replacement(transfer: Transfer, old: Object, mesh: Mesh | None) -> Object:
    """Return a new object for an entity: Blender cannot turn a mesh object into an empty, or back."""
    new: Any = bpy.data.objects.new(old.name, mesh)
    new.matrix_basis = old.matrix_basis.copy()
    new.parent, new.parent_type = old.parent, old.parent_type
    new.matrix_parent_inverse = old.matrix_parent_inverse.copy()
    for home in old.users_collection:
        home.objects.link(new)
    for field in _FIELDS:
        setattr(new.tomb_raider.entity, field, getattr(old.tomb_raider.entity, field))
    new.tomb_raider.origin, new.tomb_raider.index = old.tomb_raider.origin, old.tomb_raider.index
    new.tomb_raider.is_copy = old.tomb_raider.is_copy
    new.tomb_raider.kind = Kind.ENTITY
    new.empty_display_size = 256 * transfer.root.tomb_raider.scale
    return new


def _finish(transfer: Transfer, replaced: Mapping[Object, Object]) -> None:
    """Put new objects in the place of others, and remove these: all at once, as each search takes long."""
    users = bpy.data.user_map(subset={*replaced})
    names = [old.name for old in replaced]
    for old, new in replaced.items():
        if any(not isinstance(user, Collection | Scene) for user in users[old]):
            old.user_remap(new)
    transfer.replace(replaced)
    for new, name in zip(replaced.values(), names, strict=True):
        new.name = name


# --- AI objects ----------------------------------------


def _as_ai_object(obj: Object) -> None:
    entity, mark = obj.tomb_raider.entity, obj.tomb_raider.ai_object
    mark.type, mark.room, mark.ocb = entity.type, entity.room, 0
    mark.flags = ai_object_flags(int(entity.flags))
    mark.box = 0
    obj.instance_type, obj.instance_collection = "NONE", None
    obj.tomb_raider.kind = Kind.AI_OBJECT


def _remap_ai_objects(transfer: Transfer, objects: Iterable[Object]) -> None:
    """Remap marks for characters, entities in TR3, and discard unsupported ones."""
    lost: list[Object] = []
    codes: list[str] = []
    for obj in objects:
        mark = obj.tomb_raider.ai_object
        number, _ = entity_type(transfer, int(mark.type))
        if number is None or number not in transfer.target.traits.ai_marks:
            lost.append(obj)
            continue
        mark.type = number
        if transfer.target.traits.has_ai_objects:
            continue
        if mark.ocb:
            codes.append(obj.name)
        entity = obj.tomb_raider.entity
        entity.type, entity.room = mark.type, mark.room
        entity.flags = flags_of_ai_object(int(mark.flags))
        entity.intensity = entity.intensity2 = -1
        entity.ocb = 0
        obj.tomb_raider.kind = Kind.ENTITY
        obj.tomb_raider.index = -1  # after the other entities
    transfer.lose(
        T("AI Objects"), [obj.name for obj in lost], T("this game has no such markers for characters")
    )
    transfer.lose(T("AI Objects"), codes, T("the codes (OCB) of these are lost"))
    transfer.discard(lost)
