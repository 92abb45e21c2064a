"""Checks of entities (models, rooms and Lara) and of meshes that shine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..games import LARA
from ..level.decoded import Decoded
from ..textures.blending import SHINE_EFFECT
from .findings import THE_LEVEL, Element, Finding, Severity, counted


def check_entities(checked: Decoded) -> Iterator[Finding]:
    """Find entities without model or sprite, or outside of their room, and levels without Lara."""
    level = checked.level
    types, room, x, z = (level.entities[name].astype(np.int64) for name in ("type", "room", "x", "z"))
    known = np.union1d(level.models["id"], level.sprite_sequences["id"]).astype(np.int64)
    for number in np.flatnonzero(~np.isin(types, known)).tolist():
        text = f"the level has no model and no sprite of its type, {int(types[number])}"
        yield Finding(
            "no model", Severity.WARNING, Element("entity", number), text, place=_at(checked, number)
        )
    inside = (room >= 0) & (room < len(level.rooms))
    sector = checked.sector_at(room, x, z)
    for number in np.flatnonzero(inside & (sector < 0)).tolist():
        own = (Element("room", int(room[number])),)
        text, place = "it stands outside of its room, {0}", _at(checked, number)
        yield Finding("outside", Severity.WARNING, Element("entity", number), text, own, place=place)
    if len(level.rooms) and not (types == LARA).any():
        text = "no entity is Lara, and a game does not start without her, but for cutscenes and titles"
        yield Finding("no Lara", Severity.WARNING, THE_LEVEL, text)


def _at(checked: Decoded, number: int) -> tuple[float, float, float]:
    record = checked.level.entities[number]
    return float(record["x"]), float(record["y"]), float(record["z"])


def check_shine(checked: Decoded) -> Iterator[Finding]:
    """Find meshes that shine and have light of their own, which the engines of TR4 and TR5 crash on."""
    if not checked.level.game.traits.has_effects:
        return
    for number, mesh in enumerate(checked.meshes.meshes):
        shiny = sum(int(SHINE_EFFECT.of(each["effects"]).sum()) for each in (mesh.quads, mesh.triangles))
        if mesh.normals is None and shiny:
            one = "one of its faces shines, but the mesh has light of its own, so the game crashes"
            more = "{} of its faces shine, but the mesh has light of its own, so the game crashes"
            text = counted(shiny, one, more)
            yield Finding("shine", Severity.ERROR, Element("mesh", number), text, count=shiny)
