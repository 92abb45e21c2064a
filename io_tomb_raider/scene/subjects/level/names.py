"""Names of a level and its items, from the script of its game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import bpy
from bpy.types import Collection

from ....catalogue import Catalogue, names, unnamed
from ....formats import ExportError, FormatError, Game
from ....formats.base import T, TextError
from ....formats.editors.wads import ObjectNames
from ....formats.levels.game_files import (
    CATALOG,
    Installed,
    LevelNames,
    NumberedNames,
    find_script,
    gameflow_numbers,
    not_installed,
    read_catalog,
    read_level_names,
    read_numbered_names,
    read_relations,
    script_numbers,
    text_to_gameflow,
    text_to_language,
    text_to_script,
    unique,
)
from ...core.reporting.report import Report


def find_names(
    game: Game, level: Path | None, script: str, report: Report, installed: Installed = not_installed
) -> LevelNames | None:
    """Return the names of a level, or None if no script has them.

    A script that cannot be read causes a warning; the import continues. Without a path of a script, it is
    searched for in the level's folder, in the folder above, and in the game's installation.
    """
    if level is None:
        return None
    try:
        result = read_level_names(level, game, Path(script) if script else None, installed)
    except (FormatError, OSError) as error:
        report.warn(
            Path(script).name or T("Script"), T("its names were not read ({error})", error=str(error))
        )
        return None
    if result is None and script and game.traits.has_script:
        report.warn(Path(script).name, T("it has no level named {level}", level=level.name))
    return result


def names_of_objects(file_names: ObjectNames) -> Catalogue:
    """Return the catalogue for a file of objects: its game's names and its own names of animations."""
    catalogue = unnamed(Game.TR4) if file_names.game is None else names(file_names.game)
    return catalogue.with_animations(file_names.animations)


def catalogue_with(game: Game, level_names: LevelNames | None) -> Catalogue:
    """Return the catalogue of a game with a script's names of a level's items."""
    return names(game) if level_names is None else names(game).with_items(level_names.items)


def find_slots(level: Path | None, game: Game, report: Report) -> dict[int, str]:
    """Return the names of slots in the object catalog of TRX for a level that the game's own list lacks."""
    if level is None or not game.traits.is_in_trx:
        return {}
    try:
        slots = read_catalog(level, game)
    except (FormatError, OSError) as error:
        report.warn(CATALOG, T("its names were not read ({error})", error=str(error)))
        return {}
    listed = names(game).known("model").keys() | names(game).known("sprite").keys()
    return {number: name for number, name in slots.items() if number not in listed}


def note_slots(root: Collection, slots: dict[int, str]) -> None:
    """Store names of slots in a level, for panels."""
    if slots:
        root.tomb_raider.slot_names = json.dumps(slots)


def named_slots(root: Collection) -> set[int]:
    """Return the slots that :func:`note_slots` stored for a level."""
    try:
        return {int(slot) for slot in json.loads(root.tomb_raider.slot_names or "{}")}
    except (ValueError, TypeError):
        return set()


def note_relations(root: Collection, level: Path | None, report: Report, installed: Installed) -> None:
    """Store which slots are pickups and which belong together, in files of TRX near a level, for panels."""
    game = Game[root.tomb_raider.game]
    if level is None or not game.traits.has_trx:
        return
    try:
        relations = read_relations(level, game, installed)
    except (FormatError, OSError) as error:
        report.warn("TRX", T("its object families and links were not read ({error})", error=str(error)))
        return
    if any(relations):
        root.tomb_raider.gameflow.relations = json.dumps(relations)


@lru_cache(8)  # panels ask with each redraw
def relations_in(text: str) -> tuple[frozenset[int], dict[int, list[int]]]:
    """Return the stored pickups and links of a level."""
    try:
        pickups, links = json.loads(text or "[[], {}]")
        return frozenset(pickups), {int(slot): list(map(int, others)) for slot, others in links.items()}
    except (ValueError, TypeError, AttributeError):
        return frozenset(), {}


_TRACKS = ("CD_AUDIO", "TRACK_FILE")  # kinds of sounds

# --- Numbers ----------------------------------------


def numbered_names(root: Collection) -> NumberedNames:
    """Return the names that a script has for the numbers of levels, soundtracks and cutscenes.

    A script that was imported as a text is preferred to the file next to the level.
    """
    settings = root.tomb_raider
    game = Game[settings.game]
    if not game.traits.has_script:
        return NumberedNames()
    stem = Path(settings.source or settings.target).stem.lower()
    from_text = next((each for each in _of_texts(game) if stem in each.files), None)
    return from_text or _of_file(settings.folder, settings.source, game)


def track_names(root: Collection) -> dict[int, str]:
    """Return the names of soundtracks: titles in a loaded CDAUDIO.WAD, the catalogue's, the script's."""
    catalogue_names = names(Game[root.tomb_raider.game]).known("track")
    return unique({**numbered_names(root).tracks, **catalogue_names, **_loaded_tracks(root)})


def _loaded_tracks(root: Collection) -> dict[int, str]:
    if root.tomb_raider.game != "TR3":  # no other game has such files
        return {}
    sounds = (sound.tomb_raider for sound in bpy.data.sounds)
    return {each.number: each.title for each in sounds if each.kind in _TRACKS and each.title}


def _of_texts(game: Game) -> Iterator[NumberedNames]:
    kind = "GAMEFLOW" if game.traits.has_gameflow else "SCRIPT"
    for text in bpy.data.texts:
        if text.tomb_raider.kind == kind:
            strings = text.tomb_raider.language
            yield _of_text(kind, text.as_string(), "" if strings is None else strings.as_string())


# Panels ask with each redraw, so scripts are parsed once.
@lru_cache(4)
def _of_text(kind: str, text: str, strings: str) -> NumberedNames:
    try:
        if kind == "GAMEFLOW":
            return gameflow_numbers(text_to_gameflow(text))
        language = text_to_language(strings) if strings else None
        return script_numbers(text_to_script(text, language), language)
    except (TextError, ExportError, FormatError):
        return NumberedNames()  # as while it is edited


@lru_cache(16)
def _of_file(folder: str, source: str, game: Game) -> NumberedNames:
    if not folder or not source:
        return NumberedNames()
    try:
        path = find_script(Path(bpy.path.abspath(folder)) / source, game)
        if path is None:
            return NumberedNames()
        return read_numbered_names(path, is_gameflow=game.traits.has_gameflow)
    except (FormatError, OSError):
        return NumberedNames()
