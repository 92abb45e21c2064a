"""Import settings that the operator and the preferences share."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from bpy.props import BoolProperty, FloatProperty
from bpy.types import UILayout, bpy_struct

from ...scene.core import DEFAULT_SCALE, OPTIONS, SCALES


def import_settings(**extra: Any) -> dict[str, Any]:
    """Declare the import settings, with ``extra`` arguments of each property, such as an update callback."""
    switches = {
        option.name: BoolProperty(name=option.label, default=True, description=option.description, **extra)
        for option in OPTIONS
    }
    scale = FloatProperty(
        name="Scale",
        default=DEFAULT_SCALE,
        min=SCALES[0],
        max=SCALES[1],
        precision=6,
        description="Blender units per game unit. At 1/512, a sector is two meters wide",
        **extra,
    )
    names = BoolProperty(
        name="Names from Script",
        default=True,
        description="Name levels and items by the game's script: next to the level, one folder up or "
        "installed",
        **extra,
    )
    set_up = BoolProperty(
        name="Set Up Scene",
        default=True,
        description="Set frame rate, display of colors and 3D views for the games, without the default "
        "objects",
        **extra,
    )
    beside = BoolProperty(
        name="Next to Other Levels",
        default=True,
        description="Place the level next to those in the scene. Off: at its place in the game, inside "
        "of them",
        **extra,
    )
    further = {"scale": scale, "names_from_script": names, "set_up_scene": set_up, "beside": beside}
    return switches | further


SETTINGS = (*(option.name for option in OPTIONS), "scale", "names_from_script", "set_up_scene", "beside")


class ImportSettings:
    """Mixin with the import settings that operators share with the preferences."""

    __annotations__ = import_settings()


def draw_switches(settings: bpy_struct, body: UILayout) -> None:
    """Draw the import options by group; dependent options are below those that they need."""
    for group, options in groupby(OPTIONS, key=lambda option: option.group):
        column = body.column(heading=group)
        for needed, dependents in groupby(options, key=lambda option: option.needs):
            rows = below(settings, column, needed) if needed else column
            for option in dependents:
                rows.prop(settings, option.name, text=option.short or option.label)
        if hasattr(settings, "main_sfx") and group == "Audio":
            below(settings, column, "sounds").prop(settings, "main_sfx")


def below(settings: bpy_struct, column: UILayout, needed: str) -> UILayout:
    """Return a column that is active only if another option is on."""
    rows = column.column()
    rows.active = getattr(settings, needed)
    return rows
