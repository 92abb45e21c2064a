"""The library of a converted level: models, static meshes and sprites under the ids of the game."""

from __future__ import annotations

import bpy
from bpy.types import Bone, Collection, Object

from ....catalogue import names
from ....formats.checks.limits import ENGINE_LIMITS
from ....formats.converting.flags import static_mesh_flags
from ...subjects.models.models import edit_mode, hang, model_id
from ..append import move
from ..append.replace import delete_model
from .conversion import Conversion
from .ids import NewIds, new_ids
from .lara import convert_lara

_CLASSES = 50  # ids of static meshes that mean the same in all games
_OWN_COLLECTION, _MODEL = "MODEL", "MODEL"


def plan_ids(conversion: Conversion) -> NewIds:
    """Decide which ids models and sprite sequences get."""
    models = [thing.tomb_raider.model.id for thing in conversion.things(_MODEL)]
    sprites = [thing.tomb_raider.sprite.sequence for thing in conversion.things("SPRITE_TEXTURE")]
    placed = [thing.tomb_raider.entity.type for thing in conversion.things("ENTITY")]
    known = [each for each in sprites if each >= 0]
    return new_ids(models, known, placed, conversion.source, conversion.target)


# --- Models ----------------------------------------


def convert_models(conversion: Conversion, ids: NewIds) -> None:
    """Give models their new ids, and take those away that the game has no place for."""
    _forget_figures(conversion)
    before_that = set(conversion.things(_MODEL))
    convert_lara(conversion)
    new_things = set(conversion.things(_MODEL)) - before_that
    gone: list[Object] = []
    for thing in conversion.things(_MODEL):
        before = int(thing.tomb_raider.model.id)
        if thing in new_things:
            continue
        new = ids.models[before]
        name = f"{names(conversion.source).model(before)} (model {before})"
        if new.note:
            conversion.report.warn(name, new.note if new.number is not None else f"left out: {new.note}")
        if new.number is None:
            gone.append(thing)
        else:
            thing.tomb_raider.model.id = new.number
    for thing in gone:
        delete_model(thing)
    _join_bones(conversion)
    kept = sorted(conversion.things(_MODEL), key=lambda thing: int(thing.tomb_raider.model.id))
    for place, thing in enumerate(kept):
        thing.tomb_raider.index = place  # games have them in the order of their ids


def _join_bones(conversion: Conversion) -> None:
    """Hang bones without a parent on the first one: files may hold such, and no new model can have them."""
    found = {
        thing: [bone.name for bone in _by_number(thing) if bone.parent is None]
        for thing in conversion.things(_MODEL)
    }
    loose = [thing for thing, roots in found.items() if len(roots) > 1]
    with edit_mode(loose):
        for thing in loose:
            first, *others = found[thing]
            bones = thing.data.edit_bones
            for name in others:
                bones[name].parent = bones[first]
    for thing in loose:
        for part in move.own_collection(thing).objects:
            if part.tomb_raider.kind == "MODEL_MESH" and part.parent_bone:
                hang(part, thing, thing.data.bones[part.parent_bone])
    names_of = [thing.name for thing in loose]
    conversion.lose("Models", names_of, "bones that hung on nothing hang on the first bone now, in")


def _by_number(armature: Object) -> list[Bone]:
    bones = armature.data.bones
    return sorted(bones, key=lambda bone: bone.tomb_raider.index)


def _forget_figures(conversion: Conversion) -> None:
    """Show models themselves: what a game draws in their place is its own."""
    homes = {thing: move.own_collection(thing) for thing in conversion.things(_MODEL)}
    figures = [
        each
        for each in conversion.root.children_recursive
        if each.tomb_raider.kind == _OWN_COLLECTION
        and each.tomb_raider.model in homes
        and each != homes[each.tomb_raider.model]
    ]
    for thing in conversion.things("ENTITY"):
        if thing.instance_collection in figures:
            thing.instance_collection = homes[thing.instance_collection.tomb_raider.model]
    conversion.remove(conversion.things("FIGURE"))
    bpy.data.batch_remove(figures)


def shown_by(conversion: Conversion) -> dict[int, Collection]:
    """Return the collections of models by their new ids."""
    found: dict[int, Collection] = {}
    for thing in conversion.things(_MODEL):
        home = move.own_collection(thing)
        number = model_id(home)
        if number is not None:
            found.setdefault(number, home)
    return found


# --- Static meshes ----------------------------------------


def convert_static_meshes(conversion: Conversion) -> None:
    """Give static meshes ids that the game has, and flags that it heeds."""
    things = conversion.things("STATIC_MESH")
    taken = {int(thing.tomb_raider.static_mesh.id) for thing in things}
    limit = ENGINE_LIMITS[conversion.target].static_meshes
    for thing in things:
        settings = thing.tomb_raider.static_mesh
        settings.flags = static_mesh_flags(int(settings.flags), conversion.target)
        number = int(settings.id)
        if number < limit or number < _CLASSES:
            continue
        free = next((each for each in range(_CLASSES) if each not in taken), None)
        if free is None:
            text = f"its id is {number}, and the original game has room for {limit} only"
            conversion.report.warn(thing.name, text)
            continue
        taken.add(free)
        settings.id = free
        conversion.report.warn(thing.name, f"it was static mesh {number}, and is {free} in this game")
    for thing in conversion.things("PLACEMENT"):
        library = thing.tomb_raider.placement.static_mesh
        if library is not None:
            thing.tomb_raider.placement.id = library.tomb_raider.static_mesh.id
    known = {thing.tomb_raider.static_mesh.id for thing in things}
    lost = [
        thing
        for thing in conversion.things("PLACEMENT")
        if thing.tomb_raider.placement.static_mesh is None and thing.tomb_raider.placement.id not in known
    ]
    conversion.lose("Placed Static Meshes", [each.name for each in lost], "the level has no such static mesh")
    conversion.remove(lost)


# --- Sprites ----------------------------------------


def convert_sprites(conversion: Conversion, ids: NewIds) -> None:
    """Give sprite sequences their new ids, and take those away that the game has no place for."""
    things = conversion.things("SPRITE_TEXTURE")
    used = {thing.data for thing in conversion.things("SPRITE")}
    gone: dict[str, list[str]] = {}
    removed: list[Object] = []
    for thing in things:
        settings = thing.tomb_raider.sprite
        if settings.sequence < 0:
            continue
        new = ids.sprites[int(settings.sequence)]
        if new.number is not None:
            settings.sequence = new.number
            continue
        name = names(conversion.source).sprite(int(settings.sequence))
        gone.setdefault(new.note, []).append(name)
        settings.sequence = -1
        if thing.data not in used:
            removed.append(thing)
    for note, lost in gone.items():
        conversion.lose("Sprites", lost, f"left out: {note}")
    conversion.remove(removed)
    gets_sides = conversion.target.traits.has_sprite_sides and not conversion.source.traits.has_sprite_sides
    if gets_sides and conversion.things("SPRITE_TEXTURE"):
        text = "the game that they are from does not say how large they are: they are as large as shown"
        conversion.report.warn("Sprites", text)
