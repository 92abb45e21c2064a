"""Entities and AI objects of a converted level."""

from __future__ import annotations

from collections.abc import Container

import bpy
from bpy.types import Collection, Mesh, Object

from ....catalogue import names
from ....formats.converting.flags import ai_object_flags, entity_flags, flags_of_ai_object
from ....formats.converting.rooms import entity_light
from ...subjects.sprites.sequences import first_quad
from .conversion import Conversion
from .ids import NewId, NewIds
from .library import shown_by

_FIELDS = ("type", "intensity", "intensity2", "ocb", "flags", "room")
_MARKS = ("AI ", "Lara start position")


def convert_entities(conversion: Conversion, ids: NewIds, coming: Container[int] = ()) -> list[Object]:
    """Let entities be what the game has, after models have got their ids.

    Args:
        conversion: of the level.
        ids: of models and sprite sequences.
        coming: ids of models and sprite sequences that a kit brings.

    Returns:
        Those that the game has nothing for. They are to be removed once nothing needs them any more.
    """
    models = shown_by(conversion)
    gone: dict[str, list[Object]] = {}
    near: dict[str, list[str]] = {}
    codes: list[str] = []
    for thing in conversion.things("ENTITY"):
        settings = thing.tomb_raider.entity
        new = ids.of_entity(int(settings.type), conversion.source, conversion.target)
        had = int(settings.type) in ids.models or int(settings.type) in ids.sprites
        if (
            new.number is not None
            and had
            and not (new.number in coming or _is_shown(conversion, new.number, models))
        ):
            new = NewId(None, "there is nothing to show it by in this game")
        if new.number is None:
            gone.setdefault(new.note, []).append(thing)
            continue
        if new.note:
            near.setdefault(new.note, []).append(thing.name)
        thing = _show(conversion, thing, new.number, models)
        if _convert_values(conversion, thing, new.number):
            codes.append(thing.name)
        if not conversion.target.traits.has_ai_objects or not _is_mark(conversion, new.number):
            continue
        _as_ai_object(thing)
    for note, things in gone.items():
        conversion.lose("Entities", [thing.name for thing in things], f"left out: {note}")
    for note, found in near.items():
        conversion.lose("Entities", found, note)
    conversion.lose("Entities", codes, "the codes (OCB) of these are lost")
    return [thing for things in gone.values() for thing in things]


def show_entities(conversion: Conversion) -> None:
    """Let entities that show nothing show what a kit has brought for their types."""
    models = shown_by(conversion)
    for thing in conversion.things("ENTITY"):
        if thing.data is None and thing.instance_collection is None:
            _show(conversion, thing, int(thing.tomb_raider.entity.type), models)


def _is_shown(conversion: Conversion, number: int, models: dict[int, Collection]) -> bool:
    return number in models or first_quad(conversion.root, number) is not None


def _convert_values(conversion: Conversion, thing: Object, number: int) -> bool:
    """Convert what an entity says; tell whether it loses a code."""
    settings = thing.tomb_raider.entity
    source, target = conversion.source, conversion.target
    settings.type = number
    light = entity_light(int(settings.intensity), source, target)
    settings.intensity = settings.intensity2 = light
    settings.flags = entity_flags(int(settings.flags), source, target)
    had = source.traits.has_ai_objects and settings.ocb not in (0, -1)
    if not (source.traits.has_ai_objects and target.traits.has_ai_objects):
        settings.ocb = 0
        return bool(had)
    return False


def _show(conversion: Conversion, thing: Object, number: int, models: dict[int, Collection]) -> Object:
    """Let an entity show what the level has for its type, and return it: a picture may become a model."""
    model = models.get(number)
    if isinstance(thing.data, Mesh) and model is not None:
        thing = _instead_of(conversion, thing, None)
    elif thing.data is None and model is None:
        quad = first_quad(conversion.root, number)
        if quad is not None:
            thing = _instead_of(conversion, thing, quad)
    elif isinstance(thing.data, Mesh):
        thing.data = first_quad(conversion.root, number) or thing.data
    if thing.data is None:
        thing.instance_type = "NONE" if model is None else "COLLECTION"
        thing.instance_collection = model
        thing.empty_display_type = "ARROWS" if model is None else "PLAIN_AXES"
    return thing


def _instead_of(conversion: Conversion, old: Object, mesh: Mesh | None) -> Object:
    """Return a new entity in the place of one: Blender cannot make an empty of a mesh, or a mesh of one."""
    name = old.name
    new = bpy.data.objects.new(name, mesh)
    new.matrix_basis = old.matrix_basis.copy()
    new.parent, new.parent_type = old.parent, old.parent_type
    new.matrix_parent_inverse = old.matrix_parent_inverse.copy()
    for home in old.users_collection:
        home.objects.link(new)
    for field in _FIELDS:
        setattr(new.tomb_raider.entity, field, getattr(old.tomb_raider.entity, field))
    new.tomb_raider.origin, new.tomb_raider.index = old.tomb_raider.origin, old.tomb_raider.index
    new.tomb_raider.is_copy = old.tomb_raider.is_copy
    new.tomb_raider.kind = "ENTITY"
    new.empty_display_size = 256 * conversion.root.tomb_raider.scale
    old.user_remap(new)
    bpy.data.objects.remove(old)
    new.name = name
    return new


# --- AI objects ----------------------------------------


def _is_mark(conversion: Conversion, number: int) -> bool:
    """Tell whether a type is a mark for characters, which TR4 and TR5 list apart from entities."""
    return names(conversion.target).entity(number).startswith(_MARKS)


def _as_ai_object(thing: Object) -> None:
    entity, mark = thing.tomb_raider.entity, thing.tomb_raider.ai_object
    mark.type, mark.room, mark.ocb = entity.type, entity.room, 0
    mark.flags = ai_object_flags(int(entity.flags))
    mark.box = 0
    thing.instance_type, thing.instance_collection = "NONE", None
    thing.tomb_raider.kind = "AI_OBJECT"


def convert_ai_objects(conversion: Conversion, ids: NewIds) -> list[Object]:
    """Let marks for characters be what the game has; return those that it has nothing for."""
    gone: list[Object] = []
    codes: list[str] = []
    for thing in conversion.things("AI_OBJECT"):
        mark = thing.tomb_raider.ai_object
        new = ids.of_entity(int(mark.type), conversion.source, conversion.target)
        if new.number is None or not _is_mark(conversion, new.number):
            gone.append(thing)
            continue
        mark.type = new.number
        if conversion.target.traits.has_ai_objects:
            continue
        if mark.ocb:
            codes.append(thing.name)
        entity = thing.tomb_raider.entity
        entity.type, entity.room = mark.type, mark.room
        entity.flags = flags_of_ai_object(int(mark.flags))
        entity.intensity = entity.intensity2 = -1
        entity.ocb = 0
        thing.tomb_raider.kind = "ENTITY"
        thing.tomb_raider.index = -1  # behind all that are entities already
    conversion.lose("AI Objects", [each.name for each in gone], "this game has no such marks for characters")
    conversion.lose("AI Objects", codes, "the codes (OCB) of these are lost")
    return gone
