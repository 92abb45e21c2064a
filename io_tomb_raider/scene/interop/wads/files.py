"""Export of levels as object files (WAD, WAD2): edits of their originals, or new files."""

from __future__ import annotations

import os
from pathlib import Path

from bpy.types import Collection

from ....catalogue import names
from ....formats import ExportError, Game, Level
from ....formats.base import T, as_message, file_content, joined, replace_file
from ....formats.editors.wads import (
    TOMB_ENGINE,
    WAD2,
    ExportedFiles,
    Namer,
    Wad2,
    Wad2Extras,
    companion_files,
    is_material,
    is_object_file,
    lua_properties,
    put_lua_properties,
    read_wad2,
)
from ...core import original
from ...core.reporting.report import Report
from ...subjects.injections.properties import lua_keys, lua_of
from ...subjects.level.texture_materials import moved_paths, unsaved_materials


def write_objects(
    root: Collection,
    level: Level,
    path: str | os.PathLike[str],
    report: Report,
    extras: Wad2Extras | None = None,
) -> None:
    """Write an exported level as an object file, with the files that belong to it.

    Args:
        extras: what the level lacks, for a WAD2.

    Raises:
        ExportError: if the file cannot hold the level.
        FormatError: if the stored file is damaged.
        OSError: if a file cannot be written.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if not level.game.traits.has_wads:
        text = T(
            "files like {place} hold objects of TR4, and this level is for {game}: export a "
            "level, and append its objects to a WAD",
            place=target.name,
            game=level.game.name,
        )
        raise ExportError(root.name, text)
    warn_of_losses(root, level, target.name, report)
    objects = original.objects_of(root, suffix)
    if extras is not None and any(extras.skins.values()):
        wad2 = None if objects.wad2 is None else objects.wad2.wad2
        warn_of_skins(root.name, wad2, target.name, report)
    for name in unsaved_materials(root):
        report.warn(name, T("its material differs from its file: choose Save Material or Reload Materials"))
    extras = moved_paths(root, extras, target)
    written = objects.edited(level, name_of(level.game), extras)
    if WAD2 in written:
        written[WAD2] = with_lua(root, written[WAD2])
    save(written, target, report)


def warn_of_skins(subject: str, wad2: Wad2 | None, name: str, report: Report) -> None:
    """Warn of skins in a file whose game does not draw them: a WAD2, or None for other files."""
    if wad2 is None:
        report.warn(subject, T("{name} cannot hold its skins: choose a .wad2", name=name))
    elif wad2.version != TOMB_ENGINE:
        text = T("only TombEngine draws skins, and {name} is for another game", name=name)
        report.warn(subject, T("{text}: export its model by Object File as a new .wad2", text=text))


def with_lua(root: Collection, wad2: bytes) -> bytes:
    """Return an exported WAD2 with the Lua properties of a level's models and static meshes.

    Raises FormatError if those in the file are damaged.
    """
    result = read_wad2(wad2)
    before = lua_properties(result)
    after = {key: lua_of(obj, before.get(key, ())) for obj, key in lua_keys(root).items()}
    put_lua_properties(result, {key: each for key, each in after.items() if each != before.get(key, ())})
    return result.to_bytes()


def save(written: ExportedFiles, path: Path, report: Report) -> None:
    """Write object files next to each other.

    Substitutes for missing files do not overwrite existing ones.

    Raises:
        OSError: if a file cannot be written.
    """
    if written.approximated:
        text = T(
            "a WAD stores only rectangles of pictures and their halves: {approximated} faces "
            "show the rectangle around their texture. Choose a .wad2 to keep them",
            approximated=written.approximated,
        )
        report.warn(path.name, text)
    suffix = path.suffix.lower()
    present = {suffix: path, **companion_files(path)}
    for ending, content in written.items():
        if ending in present and ending == ".xml" and is_material(file_content(present[ending])):
            text = T("it is the material of a texture, so the sounds were not written: choose another name")
            report.warn(present[ending].name, text)
        elif ending not in written.made or ending not in present:
            cased = ending.upper() if path.suffix.isupper() else ending
            replace_file(present.get(ending, path.with_suffix(cased)), content)


def name_of(game: Game) -> Namer:
    """Return a function that returns the name of a model or static mesh of a game."""
    catalogue = names(game)
    return lambda kind, number: catalogue.model(number) if kind == "model" else catalogue.static(number)


def warn_of_losses(root: Collection, level: Level, name: str, report: Report) -> None:
    """Warn of parts of a level that no object file holds."""
    parts = [
        (len(level.rooms), "room", "rooms"),
        (len(level.entities), "entity", "entities"),
        (int(level.animated_textures[:1].sum()), "animated texture", "animated textures"),
    ]
    before = original.load(root)
    is_level = before is not None and len(before.level.rooms) > 0
    texts = [
        T("{count} {noun}", count=count, noun=as_message(singular if count == 1 else plural))
        for count, singular, plural in parts
        if count
    ]
    if texts and not is_level:
        report.warn(
            root.name,
            T(
                "{name} has no place for {texts}: export them as a level",
                name=name,
                texts=joined(", ", texts),
            ),
        )


__all__ = ["is_object_file", "name_of", "save", "warn_of_losses", "write_objects"]
