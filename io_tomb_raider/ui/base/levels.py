"""Levels of a scene, and the one that the user means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import bpy
from bpy.types import Collection, Context, Object

from ...formats import ExportError, Game
from ...formats.base import T
from ...scene.core import Kind, membership
from .text.words import SUFFIXES

ALL_SUFFIXES = tuple(dict.fromkeys(suffix.lower() for suffixes in SUFFIXES.values() for suffix in suffixes))
# Object files of level editors: a level without rooms, part of any TR4 level.
OBJECT_SUFFIXES = (".wad", ".wad2")
IMPORT_SUFFIXES = (*ALL_SUFFIXES, *OBJECT_SUFFIXES)


def all_levels() -> list[Collection]:
    """Return the root collections of all levels in the file that have users."""
    return [level for level in membership.levels() if level.users]


def scene_levels(context: Context) -> list[Collection]:
    """Return the root collections of the scene's levels, or of all levels in the file if it has none."""
    inside = set(context.scene.collection.children_recursive)
    levels = all_levels()
    return [level for level in levels if level in inside] or levels


def level_with(collection: Collection | None) -> Collection | None:
    """Return the level that is or contains a collection."""
    if collection is None:
        return None
    return next(
        (level for level in all_levels() if collection == level or collection in level.children_recursive),
        None,
    )


def level_of(obj: Object | None) -> Collection | None:
    """Return the level of an object."""
    return None if obj is None else membership.level_of(obj, all_levels())


def game_of(level: Collection) -> Game:
    """Return the game of a level."""
    return Game[level.tomb_raider.game]


def chosen_level(context: Context, name: str = "") -> Collection:
    """Return the named level, or else the level of the active object or collection, or else the only one.

    The name may be that of any collection in a level.

    Raises:
        ExportError: there is no such level, or the choice is ambiguous.
    """
    if name:
        named = bpy.data.collections.get(name)
        result = level_with(named)
        if result is None:
            _raise_if_damaged([named] if named is not None else [])
            raise ExportError(name, T("no level has this name. {levels}", levels=_level_names(context)))
        return result
    for level in _active_levels(context):
        if level is not None:
            return level
    levels = scene_levels(context)
    if len(levels) == 1:
        return levels[0]
    if not levels:
        _raise_if_damaged(bpy.data.collections)
        raise ExportError(T("Export"), T("there is no level in this file: import one first"))
    raise ExportError(T("Export"), T("choose a level: {levels}", levels=_level_names(context)))


def meant_level(context: Context) -> Collection | None:
    """Return the level that the user means, or None if there is none or the choice is ambiguous."""
    try:
        return chosen_level(context)
    except ExportError:
        return None


def _active_levels(context: Context) -> Iterator[Collection | None]:
    """Yield the levels of the active object and collection. A selected active object has priority."""
    layer = context.view_layer
    active = layer.objects.active
    if active is not None and active.select_get(view_layer=layer):
        yield level_of(active)
    yield level_with(layer.active_layer_collection.collection if layer.active_layer_collection else None)
    yield level_of(active)


def _raise_if_damaged(collections: Iterable[Collection]) -> None:
    """Raise an error about a damaged level among collections, if there is one."""
    from ...scene.core import check_level

    for collection in collections:
        if collection.tomb_raider.kind == Kind.LEVEL:
            check_level(collection)


def _level_names(context: Context) -> str:
    names = sorted(level.name for level in scene_levels(context))
    return T("Levels: {names}", names=", ".join(names)) if names else T("There are no levels")


def file_name(level: Collection, *, playable: bool = False) -> str:
    """Return the name for a level's file, by default that of the imported file.

    In a playable name, the suffix of an object file of level editors becomes one that the game reads.
    """
    name = level.tomb_raider.source or level.name
    stem, suffix = os.path.splitext(name)
    return with_suffix(stem if playable and suffix.lower() in OBJECT_SUFFIXES else name, level)


def level_folder(level: Collection) -> str:
    """Return the folder of a level's last export, or else of its import; "" if unknown."""
    target = level.tomb_raider.target
    return os.path.dirname(bpy.path.abspath(target)) if target else level.tomb_raider.folder


def is_of_other_game(path: str, level: Collection) -> bool:
    """Return whether a path has a suffix of another game's levels."""
    suffix = os.path.splitext(path)[1]
    return suffix.lower() in ALL_SUFFIXES and suffix.upper() not in SUFFIXES[game_of(level)]


def check_suffix(path: str, level: Collection) -> None:
    """Raise ExportError if a path has a suffix of another game's levels."""
    if is_of_other_game(path, level):
        text = T("this is a {game} level. Use Convert to Another Game", game=game_of(level).name)
        raise ExportError(level.name, text)


def with_suffix(path: str, level: Collection) -> str:
    """Return a path with a suffix of the level's game. A fitting suffix is kept."""
    stem, suffix = os.path.splitext(path)
    suffixes = SUFFIXES[game_of(level)]
    fitting = (*suffixes, *(map(str.upper, OBJECT_SUFFIXES) if game_of(level).traits.has_wads else ()))
    if suffix.upper() in fitting:
        return path
    source_suffix = os.path.splitext(level.tomb_raider.source)[1]
    new_suffix = source_suffix if source_suffix.upper() in suffixes else suffixes[0]
    return (stem if suffix.lower() in IMPORT_SUFFIXES else path) + new_suffix
