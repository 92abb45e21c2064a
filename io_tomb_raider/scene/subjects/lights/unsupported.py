"""Settings of Blender's lights that no game's light supports, and warnings of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import bpy
from bpy.types import ID, Light, Object

from ....formats import Game
from ....formats.base import T, as_message, joined
from ....formats.levels.lights import type_of
from ...core.blender import compat
from ...core.reporting.report import Report
from .display import LIGHT_KINDS, LampDisplay

# Exported settings, and settings of the viewport only.
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
_VIEWPORT_ONLY = {"show_cone", "use_nodes"}
_ENABLED_BY = {"cutoff_distance": "use_custom_distance"}  # the setting that enables it
_LABELS = {"shadow_soft_size": "Radius", "cutoff_distance": "Distance", "use_shadow": "Shadow"}
_SIMPLE = {"BOOLEAN", "INT", "FLOAT", "ENUM"}


def warn_of_unsupported(report: Report, obj: Object, game: Game, kind: str, now: LampDisplay) -> None:
    """Warn of settings of a light that cannot be exported."""
    light = obj.data
    if not isinstance(light, Light):
        return
    if now.kind not in LIGHT_KINDS or type_of(game, now.kind) is None:
        text = T(
            "the game has no {now} lights, so it is exported as a {kind} light",
            now=as_message(now.kind.lower()),
            kind=as_message(kind.lower()),
        )
        if not game.traits.has_light_types:
            text = T("the game has only point lights, so it is exported as one")
        report.warn(obj.name, text)
    if not game.traits.has_light_types and now.color is not None and min(now.color) < 0.999:
        report.warn(obj.name, T("the game's lights have no color"))
    unsupported = unsupported_settings(light)
    if unsupported:
        text = T(
            "unsupported settings are not exported: {unsupported}", unsupported=joined(", ", unsupported)
        )
        report.warn(obj.name, T("{text}; supported settings are in the panel Tomb Raider Light", text=text))
    if light.animation_data is not None and (
        light.animation_data.action or len(light.animation_data.drivers)
    ):
        report.warn(obj.name, T("its light is animated, which is not exported: the current values are used"))


def unsupported_settings(light: Light) -> list[str]:
    """Return the labels of settings that are not exported and not at their defaults."""
    result = []
    for name, label, default in _unwritten_settings(light.type, len(light.bl_rna.properties)):
        value = getattr(light, name)
        if isinstance(default, tuple):
            value = tuple(value)
        if value != default and (name not in _ENABLED_BY or getattr(light, _ENABLED_BY[name])):
            result.append(label)
    if compat.has_own_nodes(light):
        result.append("Nodes")
    return result


@lru_cache
def _unwritten_settings(kind: str, _count: int) -> list[tuple[str, str, Any]]:
    """Return name, label and default of the settings of a kind of light that are not exported.

    All lights of a kind have the same settings; their count changes when another add-on registers more.
    """
    result = []
    light = getattr(bpy.types, f"{kind.capitalize()}Light")
    for setting in light.bl_rna.properties:
        name = setting.identifier
        if name in _WRITTEN | _VIEWPORT_ONLY or name in ID.bl_rna.properties or setting.type not in _SIMPLE:
            continue
        if not setting.is_readonly and (kind != "AREA" or name not in _AREA):
            is_array = getattr(setting, "is_array", False)
            default = tuple(setting.default_array) if is_array else setting.default
            result.append((name, _LABELS.get(name, setting.name), default))
    return result


_AREA = {"shape", "size", "size_y", "spread"}  # there is a warning of the type already
