"""What the file says of a level as a whole: its number, and TR5's Lara and weather (chapter 10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...formats import Game, Level
from ..base.context import ExportContext, ImportContext
from ..base.record_fields import as_int32

# What a demo begins with, in numbers of 32 bits: where Lara stands. TR2 adds a word, and -1 ends the inputs.
_DEMO_HEAD = {Game.TR1: 7, Game.TR2: 8, Game.TR3: 8}

# --- The way in ----------------------------------------


def import_level_settings(context: ImportContext) -> None:
    """Show the level's settings on its root collection."""
    settings = context.root.tomb_raider.level
    for name, value in level_values(context.level).items():
        setattr(settings, name, value)
    settings.demo_frames = demo_frames(context.level)


def level_values(level: Level) -> dict[str, int]:
    """Return what the typed properties of a level show, by name."""
    values = {"number": as_int32(level.level_number)} if hasattr(level, "level_number") else {}
    if hasattr(level, "lara_type"):
        values |= {"lara_type": int(level.lara_type), "weather_type": int(level.weather)}
    return values


def demo_frames(level: Level) -> int:
    """Return for how many frames the level's demo plays, 0 without one (TR1 to TR3)."""
    data: Any = getattr(level, "demo_data", np.zeros(0, np.uint8))
    head = _DEMO_HEAD.get(level.game, 0)
    inputs = data[: len(data) // 4 * 4].view("<i4")[head:] if head else np.zeros(0, "<i4")
    ends = np.flatnonzero(inputs == -1)
    return int(ends[0]) if len(ends) else len(inputs)


# --- The way back ----------------------------------------


def export_level_settings(context: ExportContext) -> None:
    """Write the settings that differ."""
    settings, level = context.root.tomb_raider.level, context.level
    for name, before in level_values(context.original).items():
        value = int(getattr(settings, name))
        if value == before:
            continue
        if name == "number":
            level.level_number = value & 0xFFFFFFFF
        elif name == "lara_type":
            level.lara_type = value
        else:
            level.weather = value
        context.report.count("level settings")
