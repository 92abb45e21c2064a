"""Roads from a level of one game to a level of another, and the exported levels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import bpy
from bpy.types import Collection, Object

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.new_levels.new import new_level
from io_tomb_raider.scene.transfer.adoption.adoption import adopt
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.append.from_file import replace_from_file
from io_tomb_raider.scene.transfer.append.replace import replace_model
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.empty_scene import start_empty
from tests.scene.exporting import export_level

from ..scenes import objects
from .sources import (
    STATIC,
    SUFFIXES,
    Source,
    bell_of,
    enemy_of,
    flames_of,
    lamp_of,
    number_of,
    open_blend,
    source,
    sprite_id,
    target,
)


def _append(there: Source, game: Game, came_from: Game, **options: Any) -> Collection:
    root = open_blend(target(game))
    wanted = PieceSelection(
        models=str(number_of("model", came_from)),
        static_meshes=str(STATIC),
        sprites=str(sprite_id(came_from)),
        sounds=str(number_of("sound", came_from)),
    )
    append(root, there.path, wanted, **options)
    append(root, there.path, PieceSelection(rooms="0"))
    return root


def by_append(came_from: Game, game: Game) -> Collection:
    """Append the pieces of the level file, then its first room."""
    return _append(source(came_from), game, came_from)


def by_replace(came_from: Game, game: Game) -> Collection:
    """Replace pieces of the target that have the ids of those in the level file, and its enemy."""
    root = open_blend(target(game))
    there = source(came_from)
    lamp_of(root).tomb_raider.static_mesh.id = STATIC
    for each in flames_of(root, game):
        each.tomb_raider.sprite.sequence = sprite_id(game)
    bell_of(root).ids[0].number = number_of("sound", game)
    enemy = enemy_of(root, game)
    enemy.tomb_raider.model.id = number_of("model", game)
    wanted = PieceSelection(
        static_meshes=str(STATIC),
        sprites=str(sprite_id(came_from)),
        sounds=str(number_of("sound", came_from)),
    )
    append(root, there.path, wanted, on_conflict="REPLACE")
    replace_from_file(root, enemy, there.path, str(number_of("model", came_from)), "ALL")
    return root


def by_exchange(came_from: Game, game: Game) -> Collection:
    """Replace the target's enemy by the model of another level of the scene."""
    root = open_blend(target(game))
    other = _other_level(source(came_from))
    new = next(
        each for each in objects(other, "MODEL") if each.tomb_raider.model.id == number_of("model", came_from)
    )
    old = enemy_of(root, game)
    old.tomb_raider.model.id = number_of("model", game)
    replace_model(root, old, new, "ALL", Report())
    return root


# --- Blender's own tools


def _home(root: Collection, kind: str) -> Collection:
    return next(each for each in (root, *root.children_recursive) if each.tomb_raider.kind == kind)


def _move_object(root: Collection, obj: Object, home: str) -> None:
    found = _home(root, home)
    found.objects.link(obj)
    for each in obj.users_collection:
        if each != found:
            each.objects.unlink(obj)


def _move_collection(root: Collection, collection: Collection, home: str) -> None:
    for each in bpy.data.collections:
        if collection.name in each.children and each.library is None:
            each.children.unlink(collection)
    _home(root, home).children.link(collection)


def _arrive(root: Collection) -> Collection:
    """Run the handlers as after a user action, and adopt the other objects as an export does."""
    bpy.context.view_layer.update()
    adopt(root)
    return root


def by_drag(came_from: Game, game: Game) -> Collection:
    """Drag the pieces in the Outliner from one level of a file to another."""
    there = source(came_from)
    root = open_blend(target(game))
    other = _other_level(there)
    own = {each.name.partition(".")[0]: each for each in other.children_recursive}
    by_name = {each.name: each for each in other.all_objects}
    found = {name: _named(by_name, name) for name in there.names.objects}
    _move_collection(root, own[there.names.model], "MODELS")
    _move_collection(root, own[there.names.room], "ROOMS")
    for name, home in there.names.objects.items():
        _move_object(root, found[name], home)
    return _arrive(root)


def _other_level(there: Source) -> Collection:
    """Add the level with the pieces to the open file."""
    (other,) = _load(there.blend, "collections", [there.names.level])
    bpy.context.scene.collection.children.link(other)
    bpy.context.view_layer.update()
    return other


def _named(by_name: dict[str, Any], name: str) -> Any:
    """Return an object by its name in its file: Blender adds a number to names in use."""
    return by_name.get(name) or next(each for key, each in by_name.items() if key[:-4] == name)


def _load(path: Path, kind: str, names: list[str], *, link: bool = False) -> list[Any]:
    libraries: Any = bpy.data.libraries
    with libraries.load(str(path), link=link) as (_, wanted):
        setattr(wanted, kind, names)
    return list(getattr(wanted, kind))


def _from_blend(came_from: Game, game: Game, *, link: bool, local: bool = False) -> Collection:
    there = source(came_from)
    root = open_blend(target(game))
    libraries: Any = bpy.data.libraries
    names = list(there.names.objects)
    with libraries.load(str(there.blend), link=link) as (_, wanted):
        wanted.collections, wanted.objects = [there.names.model, there.names.room], list(names)
    model, room = wanted.collections
    found = list(wanted.objects)
    if local:
        model, room, found = _made_local(model, room, found)
    _home(root, "MODELS").children.link(model)
    _home(root, "ROOMS").children.link(room)
    for name, obj in zip(names, found, strict=True):
        _home(root, there.names.objects[name]).objects.link(obj)
    return _arrive(root)


def _made_local(model: Collection, room: Collection, found: list[Any]) -> tuple[Any, Any, list[Any]]:
    """Make linked data-blocks local where they are in no level yet, as Object > Relations does."""
    scene = bpy.context.scene.collection
    for each in found:
        scene.objects.link(each)
    for collection in (model, room):
        scene.children.link(collection)
    bpy.context.view_layer.update()
    linked = [each for each in bpy.context.view_layer.objects if each.library is not None]
    with bpy.context.temp_override(selected_objects=linked, active_object=linked[0]):
        assert bpy.ops.object.make_local(type="ALL") == {"FINISHED"}
    model, room = model.make_local(), room.make_local()
    for collection in (model, room):
        scene.children.unlink(collection)
    bpy.context.view_layer.update()
    for each in found:
        scene.objects.unlink(each)
    return model, room, found


def by_paste(came_from: Game, game: Game) -> Collection:
    """Append the pieces' data-blocks from the .blend, as pasting and File > Append do."""
    return _from_blend(came_from, game, link=False)


def by_link(came_from: Game, game: Game) -> Collection:
    """Link the pieces' data-blocks from the .blend: the level makes copies of its own."""
    return _from_blend(came_from, game, link=True)


def by_local(came_from: Game, game: Game) -> Collection:
    """Link the pieces' data-blocks from the .blend and make them local at once."""
    return _from_blend(came_from, game, link=True, local=True)


def by_asset(came_from: Game, game: Game) -> Collection:
    """Drop the pieces' assets from a library, and then that of the room."""
    there = source(came_from)
    root = open_blend(target(game))
    libraries: Any = bpy.data.libraries
    with libraries.load(str(there.library), link=False, assets_only=True) as (known, wanted):
        wanted.collections, wanted.objects = [there.names.model], list(known.objects)
    pieces = [each for each in wanted.objects if _is_piece(each, came_from)]
    _drop(root, wanted.collections[0], "ENTITIES", _somewhere(root))
    for obj in pieces:
        _home(root, "SOUNDS" if isinstance(obj.data, bpy.types.Speaker) else "ROOMS").objects.link(obj)
        obj.location = _somewhere(root)
    _arrive(root)
    (room,) = _load(there.library, "collections", [there.names.room])
    _drop(root, room, "ROOMS", room.instance_offset)  # its original place
    return _arrive(root)


def _is_piece(obj: Object, game: Game) -> bool:
    """Return whether an asset is the tested static mesh, sprite or sound."""
    settings = obj.tomb_raider
    if isinstance(obj.data, bpy.types.Speaker):
        return bool(settings.sounds.details[0].ids[0].number == number_of("sound", game))
    if settings.kind == "SPRITE_TEXTURE":
        return bool(settings.sprite.sequence == sprite_id(game))
    return bool(settings.kind == "STATIC_MESH" and settings.static_mesh.id == STATIC)


def _drop(root: Collection, collection: Collection, home: str, place: Any) -> None:
    """Drop the asset of a collection: Blender adds an instance."""
    shown: Any = bpy.data.objects.new(collection.name, None)
    shown.instance_type, shown.instance_collection = "COLLECTION", collection
    shown.location = place
    _home(root, home).objects.link(shown)


def _somewhere(root: Collection) -> Any:
    """Return a place in a room of the target."""
    obj = next(each for each in root.all_objects if each.tomb_raider.kind == "ENTITY")
    return obj.matrix_world.translation.copy()


# --- Whole levels


def by_convert(came_from: Game, game: Game) -> Collection:
    """Convert the whole level."""
    root = open_blend(source(came_from).blend)
    convert_level(root, game)
    return root


def by_kit(came_from: Game, game: Game) -> Collection:
    """Start a new level with the library of the level file."""
    start_empty()
    return new_level(game, kit=source(came_from).path).root


ROADS: dict[str, Callable[[Game, Game], Collection]] = {
    "append": by_append,
    "replace": by_replace,
    "exchange": by_exchange,
    "drag": by_drag,
    "paste": by_paste,
    "link": by_link,
    "local": by_local,
    "asset": by_asset,
    "convert": by_convert,
    "kit": by_kit,
}


class TransferredLevel(NamedTuple):
    """The result of a road.

    Attributes:
        level: the exported level.
        refusal: the error for the collision of the room, which was then removed; "" without an error.
    """

    level: Level
    refusal: str


@cache
def arrived(road: str, came_from: Game, game: Game) -> TransferredLevel:
    """Return the exported level after a transfer of the pieces of another game by a road."""
    root = ROADS[road](came_from, game)
    original.forget()
    refusal = ""
    try:
        level, _ = export_level(root)
    except ExportError as error:
        # Only one test fails by this error, so that the others can compare their pieces.
        refusal = str(error)
        came = max(
            objects(root, "ROOM"), key=lambda each: each.matrix_world.translation.x + each.bound_box[6][0]
        )
        collision = [each for each in came.children if each.tomb_raider.kind == "COLLISION"]
        bpy.data.batch_remove(collision)
        level, _ = export_level(root)
    return TransferredLevel(read_level(level.to_bytes(), name=SUFFIXES[game]), refusal)


@cache
def departed(game: Game) -> Level:
    """Return the level that has the pieces."""
    return read_level(source(game).path)
