"""What Blender's lights are that no game's light can be: whoever set it is told."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import bpy
from bpy.types import ID, Light, Object

from ....formats import Game
from ....formats.lights.lights import type_of
from ...core import compat
from ...core.report import Report
from .display import LIGHT_KINDS, LampDisplay

# What is written, and what only says how Blender draws a light's handles.
_WRITTEN = {
    "type",
    "color",
    "energy",
    "exposure",
    "use_temperature",
    "temperature",
    "spot_size",
    "spot_blend",
}
_DRAWN = {"show_cone", "use_nodes"}
_NEEDS = {"cutoff_distance": "use_custom_distance"}  # without that, this means nothing
_LABELS = {"shadow_soft_size": "Radius", "cutoff_distance": "Distance", "use_shadow": "Shadow"}
_SIMPLE = {"BOOLEAN", "INT", "FLOAT", "ENUM"}


def warn_of_loss(report: Report, obj: Object, game: Game, kind: str, now: LampDisplay) -> None:
    """Say what about a light cannot be written.

    Args:
        report: is told.
        object: the light.
        game: of the level.
        kind: what it is written as.
        now: what it looks like.
    """
    light = obj.data
    if not isinstance(light, Light):
        return
    if now.kind not in LIGHT_KINDS or type_of(game, now.kind) is None:
        text = f"the game has no {now.kind.lower()} lights, and it is written as a {kind.lower()} light"
        if not game.traits.has_light_types:
            text = "the game has point lights only, and it is written as one"
        report.warn(obj.name, text)
    if not game.traits.has_light_types and now.color is not None and min(now.color) < 0.999:
        report.warn(obj.name, "the game's lights have no color")
    lost = lost_settings(light)
    if lost:
        text = f"what the game has no word for is not written: {', '.join(lost)}"
        report.warn(obj.name, f"{text}; what it has stands in the panel Tomb Raider Light")
    if light.animation_data is not None and (
        light.animation_data.action or len(light.animation_data.drivers)
    ):
        report.warn(obj.name, "its light is animated, which is not written: it counts as it is now")


def lost_settings(light: Light) -> list[str]:
    """Return the labels of settings that are other than in a light that was just added, and not written."""
    found = []
    for name, label, usual in _unwritten_settings(light.type, len(light.bl_rna.properties)):
        value = getattr(light, name)
        if isinstance(usual, tuple):
            value = tuple(value)
        if value != usual and (name not in _NEEDS or getattr(light, _NEEDS[name])):
            found.append(label)
    if compat.has_own_nodes(light):
        found.append("Nodes")
    return found


@lru_cache
def _unwritten_settings(kind: str, _count: int) -> list[tuple[str, str, Any]]:
    """Return name, label and usual value of the settings of a kind of lights that are not written.

    All lights of a kind have the same ones; how many they are tells whether another add-on has added some.
    """
    found = []
    light = getattr(bpy.types, f"{kind.capitalize()}Light")
    for setting in light.bl_rna.properties:
        name = setting.identifier
        if name in _WRITTEN | _DRAWN or name in ID.bl_rna.properties or setting.type not in _SIMPLE:
            continue
        if not setting.is_readonly and (kind != "AREA" or name not in _AREA):
            is_array = getattr(setting, "is_array", False)
            usual = tuple(setting.default_array) if is_array else setting.default
            found.append((name, _LABELS.get(name, setting.name), usual))
    return found


_AREA = {"shape", "size", "size_y", "spread"}  # the type is told already
