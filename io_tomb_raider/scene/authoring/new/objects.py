"""New objects of a level, from its libraries, on the floor of a room and owned by that room."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple

import bpy
from bpy.types import Collection, Object
from mathutils import Vector

from ....catalogue import Role, names, role_of
from ....formats import ExportError, Game
from ....formats.base import SECTOR_SIZE, T, as_message
from ....formats.levels.floor import TriggerType
from ....formats.levels.lights import FOG, POINT, SHADOW, SPOT, SUN, type_of
from ...core.membership import home_of, level_of, members_of
from ...core.new_names import name_new
from ...core.space import angle_to_blender, world_matrix
from ...core.subjects import Kind, subject_of_kind
from ...subjects.entities.entities import adopt_entity
from ...subjects.entities.shown import shown_models
from ...subjects.lights.lights import LABELS, adopt_light, make_unlit
from ...subjects.lights.new_values import NEW_POWER
from ...subjects.sounds.sources import new_source
from ...subjects.sprites.room_sprites import adopt_sprite
from ...subjects.sprites.sequences import first_quad
from ...subjects.static_meshes.placements import adopt_placement
from ...subjects.triggers.values import trigger_name
from .floor_height import entity_place, middle_of
from .place import Spot, spot_at
from .triggers import add_trigger

_NO_LIGHT_OF_ITS_OWN = -1
_LIGHTS = {POINT: "Point", SUN: "Sun", SPOT: "Spot", SHADOW: "Shadow", FOG: "Fog Bulb"}
_LIGHT_HEIGHT = SECTOR_SIZE
_TRIGGERS = {
    Role.SWITCH: TriggerType.SWITCH,
    Role.KEYHOLE: TriggerType.KEY,
    Role.PICKUP: TriggerType.PICKUP,
}


class AddChoice(NamedTuple):
    """An object of a level's libraries that can be added."""

    identifier: str  #: for :func:`add`.
    label: str  #: for users.
    #: kind and number of its picture, as for :class:`...assets.pictures.pieces.PiecePictures`.
    piece: tuple[str, int] = ("", 0)


class WithTrigger(Enum):
    """Whether new switches, keyholes and items get a trigger."""

    AUTOMATIC = "automatic"  # switches and keyholes, which have no other use
    ALWAYS = "always"  # items as well
    NEVER = "never"


class AddedObject(NamedTuple):
    """The result of adding an object."""

    obj: Object  #: the new object.
    trigger: Object | None = None  #: its trigger, or None.
    opened: tuple[Object, ...] = ()  #: the targets of the trigger.
    warning: str = ""  #: what could not be done, or "".


def choices(root: Collection, kind: str) -> list[AddChoice]:
    """Return the objects of a kind that can be added, by label. `kind`: one of :data:`KINDS`."""
    result = _MAKERS[kind].choices(root)
    return sorted(result, key=lambda each: each.label.lower()) if kind != Kind.LIGHT else result


def add(
    root: Collection,
    kind: str,
    identifier: str,
    place: Vector,
    *,
    with_trigger: WithTrigger = WithTrigger.AUTOMATIC,
    targets: Iterable[Object] = (),
) -> AddedObject:
    """Add an object to a level.

    Entities are placed on the floor below, switches and keyholes on the nearest wall, doors on the nearest
    border.

    Args:
        place: in the world; the object is placed on the floor below.
        with_trigger: whether switches, keyholes and items get a trigger on their sector.
        targets: objects whose doors that trigger opens.

    Raises:
        ExportError: if there is no room, no wall for an object on walls, no such object in the level, or such
            objects were not imported.
    """
    is_entity = kind in _ENTITY_ROLES
    subject = subject_of_kind(Kind.ENTITY if is_entity else kind)
    if subject.identifier not in root.tomb_raider.imported:
        text = T(
            "{subject} were left out when the level was imported, so it would be lost",
            subject=as_message(subject.label.lower()),
        )
        raise ExportError(root.name, text)
    if identifier not in [each.identifier for each in choices(root, kind)]:
        text = T(
            "the level has no objects of this kind: append some with File > Import > Tomb Raider > "
            "Append from Level"
        )
        raise ExportError(root.name, text)
    spot = spot_at(root, place)
    obj = _MAKERS[kind].make(root, identifier, spot)
    if not is_entity:
        return AddedObject(obj)
    return _triggered(root, obj, spot, with_trigger, targets)


def _triggered(
    root: Collection, obj: Object, spot: Spot, with_trigger: WithTrigger, targets: Iterable[Object]
) -> AddedObject:
    """Add a trigger to a new entity of a suitable role."""
    role = role_of(Game[root.tomb_raider.game], obj.tomb_raider.entity.type)
    is_suitable = role in _TRIGGERS and (role is not Role.PICKUP or with_trigger is WithTrigger.ALWAYS)
    if not is_suitable or with_trigger is WithTrigger.NEVER:
        return AddedObject(obj)
    if "TRIGGERS" not in root.tomb_raider.imported:
        text = T("triggers were left out when the level was imported")
        return AddedObject(obj, warning=T("{name} does nothing yet: {text}", name=obj.name, text=text))
    opened = tuple(each for each in targets if _is_door(root, each))
    middle = middle_of(spot, SECTOR_SIZE * root.tomb_raider.scale)
    trigger = add_trigger(root, middle, opened, spot.room)
    settings = trigger.tomb_raider.trigger
    settings.type, settings.source = _TRIGGERS[role], obj
    label = trigger_name(int(_TRIGGERS[role]), Game[root.tomb_raider.game])
    name_new(root, trigger, label, Kind.TRIGGER)
    return AddedObject(obj, trigger, opened)


def _is_door(root: Collection, obj: Object) -> bool:
    if obj.tomb_raider.kind != Kind.ENTITY or level_of(obj) != root:
        return False
    role = role_of(Game[root.tomb_raider.game], obj.tomb_raider.entity.type)
    return role in (Role.DOOR, Role.TRAPDOOR)


# --- Entities and pickups ----------------------------------------


def _entities(root: Collection) -> list[AddChoice]:
    game = Game[root.tomb_raider.game]
    models = shown_models(root)
    labels = {number: names(game).entity(number) for number in models}
    for obj in members_of(root, Kind.SPRITE_TEXTURE):
        if obj.tomb_raider.sprite.sequence >= 0:
            number = int(obj.tomb_raider.sprite.sequence)
            labels.setdefault(number, names(game).entity(number))
    return [
        AddChoice(str(number), f"{label} ({number})", ("model" if number in models else "sprite", number))
        for number, label in labels.items()
    ]


def _in_roles(kind: str) -> Callable[[Collection], list[AddChoice]]:
    def list_choices(root: Collection) -> list[AddChoice]:
        game, roles = Game[root.tomb_raider.game], _ENTITY_ROLES[kind]
        return [each for each in _entities(root) if role_of(game, int(each.identifier)) in roles]

    return list_choices


def _make_entity(root: Collection, identifier: str, spot: Spot) -> Object:
    number, name = int(identifier), names(Game[root.tomb_raider.game]).entity(int(identifier))
    placement = entity_place(root, number, spot)
    model = shown_models(root).get(number)
    if model is not None and model.tomb_raider.kind == Kind.MODEL:
        name = model.name  # numbers of other games' models have other names
    obj = bpy.data.objects.new(name, None if model is not None else first_quad(root, number))
    if model is not None:
        obj.instance_type, obj.instance_collection = "COLLECTION", model
        obj.empty_display_size = root.tomb_raider.scale * SECTOR_SIZE / 4
    home_of(root, Kind.ENTITIES).objects.link(obj)
    obj.location, obj.rotation_euler.z = placement.place, float(angle_to_blender(placement.angle))
    settings = obj.tomb_raider
    if model is None or not adopt_entity(root, obj):
        settings.entity.type = number
        settings.entity.intensity = settings.entity.intensity2 = _NO_LIGHT_OF_ITS_OWN
        settings.kind, settings.index, settings.origin = Kind.ENTITY, -1, root.tomb_raider.origin
    settings.entity.room = spot.room
    name_new(root, obj, name, Kind.ENTITY)
    return obj


# --- Objects in the collections of rooms ----------------------------------------


def _libraries(kind: str) -> Callable[[Collection], list[AddChoice]]:
    def list_choices(root: Collection) -> list[AddChoice]:
        objects = [obj for obj in members_of(root, kind) if obj.data]
        return [AddChoice(obj.name, obj.name, _piece_of(obj)) for obj in objects]

    return list_choices


def _piece_of(obj: Object) -> tuple[str, int]:
    """Return the kind and number of the picture of a static mesh or of the first sprite of a sequence."""
    settings = obj.tomb_raider
    if settings.kind == Kind.STATIC_MESH:
        return "static", int(settings.static_mesh.id)
    return ("sprite", int(settings.sprite.sequence)) if settings.sprite.place == 0 else ("", 0)


def _pictures(root: Collection) -> list[AddChoice]:
    """Return the pictures of the library. TR5 has no sprites in rooms."""
    has_sprites = not Game[root.tomb_raider.game].traits.has_room_layers
    return _libraries(Kind.SPRITE_TEXTURE)(root) if has_sprites else []


def _make_shared(kind: str, adopt: Callable[[Collection, Object], bool]) -> Any:
    def make(root: Collection, identifier: str, spot: Spot) -> Object:
        library = next(each for each in members_of(root, kind) if each.name == identifier)
        obj = _place_in_room(bpy.data.objects.new(identifier, library.data), spot)
        adopt(root, obj)
        object_kind = Kind.PLACEMENT if kind == Kind.STATIC_MESH else Kind.SPRITE
        name_new(root, obj, library.name, object_kind)
        return obj

    return make


def _place_in_room(obj: Object, spot: Spot, height: float = 0.0) -> Object:
    """Link a new object to a room's collection, and parent it to the room."""
    homes = [home for home in spot.room.users_collection if home.tomb_raider.kind == Kind.ROOM]
    (homes or list(spot.room.users_collection))[0].objects.link(obj)
    obj.parent = spot.room
    obj.location = world_matrix(spot.room).inverted_safe() @ (spot.place + Vector((0, 0, height)))
    return obj


def _lights(root: Collection) -> list[AddChoice]:
    game = Game[root.tomb_raider.game]
    return [AddChoice(kind, label) for kind, label in _LIGHTS.items() if type_of(game, kind) is not None]


def _make_light(root: Collection, identifier: str, spot: Spot) -> Object:
    kind: Any = identifier
    if kind in (SHADOW, FOG):
        obj = bpy.data.objects.new(_LIGHTS[kind], None)
        make_unlit(root, obj, kind)
        _place_in_room(obj, spot, _LIGHT_HEIGHT * root.tomb_raider.scale)
        name_new(root, obj, LABELS[kind], Kind.LIGHT)
        return obj
    light: Any = bpy.data.lights.new(_LIGHTS[identifier], kind)
    light.energy = NEW_POWER[kind]
    obj = bpy.data.objects.new(_LIGHTS[identifier], light)
    _place_in_room(obj, spot, _LIGHT_HEIGHT * root.tomb_raider.scale)
    adopt_light(root, obj)
    name_new(root, obj, LABELS[kind], Kind.LIGHT)
    return obj


# --- Sounds ----------------------------------------


def _sounds(root: Collection) -> list[AddChoice]:
    game, labels = Game[root.tomb_raider.game], {}
    for item in root.tomb_raider.sounds.details:
        for sound_id in item.ids:
            labels[int(sound_id.number)] = f"{names(game).sound(sound_id.number)} ({sound_id.number})"
    return [AddChoice(str(number), label) for number, label in labels.items()]


def _make_sound(root: Collection, identifier: str, spot: Spot) -> Object:
    obj = new_source(root, int(identifier))
    name_new(root, obj, obj.name, Kind.SOUND_SOURCE)
    home_of(root, Kind.SOUNDS).objects.link(obj)
    obj.location = spot.place
    return obj


class _Maker(NamedTuple):
    choices: Callable[[Collection], list[AddChoice]]
    make: Callable[[Collection, str, Spot], Object]


# Roles of the entities of each kind; "ENTITY" has all.
_ENTITY_ROLES = {
    "ENTITY": frozenset(Role),
    "DOOR": frozenset({Role.DOOR, Role.TRAPDOOR}),
    "SWITCH": frozenset({Role.SWITCH, Role.KEYHOLE}),
    "ENEMY": frozenset({Role.ENEMY}),
    "TRAP": frozenset({Role.TRAP}),
    "PICKUP": frozenset({Role.PICKUP}),
}
_MAKERS = {
    **{kind: _Maker(_in_roles(kind), _make_entity) for kind in _ENTITY_ROLES},
    "PLACEMENT": _Maker(_libraries(Kind.STATIC_MESH), _make_shared(Kind.STATIC_MESH, adopt_placement)),
    "SPRITE": _Maker(_pictures, _make_shared(Kind.SPRITE_TEXTURE, adopt_sprite)),
    "LIGHT": _Maker(_lights, _make_light),
    "SOUND_SOURCE": _Maker(_sounds, _make_sound),
}
KINDS = tuple(_MAKERS)
