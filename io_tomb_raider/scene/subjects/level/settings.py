"""Settings of a whole level: its number, and TR5's Lara and weather (documentation, chapter 10)."""

from __future__ import annotations

from ....formats import Level
from ....formats.base import T, unsigned
from ....formats.editors.wads import TexturePath, texture_path
from ....formats.levels.level import demo_frames
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import as_int32

# --- Import ----------------------------------------


def import_level_settings(context: ImportContext) -> None:
    """Set the level's settings on its root collection."""
    settings = context.root.tomb_raider.level
    for name, value in level_values(context.level).items():
        setattr(settings, name, value)
    settings.demo_frames = demo_frames(context.level)


def level_values(level: Level) -> dict[str, int]:
    """Return the values of a level's typed properties, by name."""
    values = {"number": as_int32(level.level_number)} if level.has("level_number") else {}
    if level.has("lara_type"):
        values |= {"lara_type": int(level.lara_type), "weather_type": int(level.weather)}
    return values


def import_texture_paths(context: ImportContext) -> None:
    """List the textures of a WAD2 that have a name or a path, and note that exports know its extras."""
    wad2, settings = context.wad2, context.root.tomb_raider.level
    settings.has_extras = wad2 is not None
    for number, image in enumerate(wad2.images[: wad2.textures] if wad2 is not None else ()):
        name, path = texture_path(image.chunk)
        if name or path:
            row = settings.texture_paths.add()
            row.number, row.name, row.path = number, name, path


# --- Export ----------------------------------------


def export_level_settings(context: ExportContext) -> None:
    """Write the settings that differ."""
    settings, level = context.root.tomb_raider.level, context.level
    for name, before in level_values(context.original).items():
        value = int(getattr(settings, name))
        if value == before:
            continue
        if name == "number":
            level.level_number = unsigned(value, 32)
        elif name == "lara_type":
            level.lara_type = value
        else:
            level.weather = value
        context.rebuilt.count(T("level settings"))


def texture_paths(context: ExportContext) -> dict[int, TexturePath]:
    """Return the names and paths of the textures of a WAD2, by their numbers."""
    rows = context.root.tomb_raider.level.texture_paths
    return {row.number: TexturePath(row.name, row.path) for row in rows}
