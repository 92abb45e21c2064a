"""Checks of entities (models, rooms and Lara), of meshes that shine, and of static meshes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.games import LARA
from ...base.messages import N_, T, Text, plural
from ...levels.textures.blending import SHINE_EFFECT
from ...levels.views.decoded import Decoded
from ...levels.views.findings import OTHER, THE_LEVEL, Element, Finding, Severity, grouped

SHINE = "shine"


def check_entities(checked: Decoded) -> Iterator[Finding]:
    """Find entities without model or sprite, or outside of their room, and levels without Lara."""
    level = checked.level
    types, room, x, z = (level.entities[name].astype(np.int64) for name in ("type", "room", "x", "z"))
    drawn = np.union1d(level.models["id"], level.sprite_sequences["id"]).astype(np.int64)
    known = np.union1d(drawn, level.game.traits.ai_marks)  # marks are not drawn
    for number in np.flatnonzero(~np.isin(types, known)).tolist():
        text = T("the level has no model and no sprite of its type, {type}", type=int(types[number]))
        yield Finding(
            "no model", Severity.WARNING, Element("entity", number), text, place=_at(checked, number)
        )
    inside = (room >= 0) & (room < len(level.rooms))
    sector = checked.sector_at(room, x, z)
    for number in np.flatnonzero(inside & (sector < 0)).tolist():
        others = (Element("room", int(room[number])),)
        text, place = T("it is outside of its room, {other}", other=OTHER), _at(checked, number)
        yield Finding("outside", Severity.WARNING, Element("entity", number), text, others, place=place)
    if len(level.rooms) and not (types == LARA).any():
        text = T("there is no Lara, and a game does not start without her, except for cutscenes and titles")
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
            text = plural(
                "one of its faces shines, but the mesh has light of its own, so the game crashes",
                "{count} of its faces shine, but the mesh has light of its own, so the game crashes",
                shiny,
            )
            yield Finding(SHINE, Severity.ERROR, Element("mesh", number), text, count=shiny)


def check_static_meshes(checked: Decoded) -> Iterator[Finding]:
    """Find placed static meshes without collision, and those whose collision cannot follow their rotation."""
    library = checked.level.static_meshes
    boxes = library["collision_box"].reshape(-1, 3, 2)
    is_empty = (boxes[..., 0] == boxes[..., 1]).all(axis=1)
    not_solid = (library["flags"] & _NO_COLLISION != 0) & checked.level.game.traits.has_static_mesh_flags
    solid = library["id"][~is_empty & ~not_solid]
    # TR1 and TR2 have a flag for it, and their levels have empty boxes.
    empty = library["id"][is_empty & ~not_solid & checked.level.game.traits.has_materials]
    for number, room in enumerate(checked.level.rooms):
        placed, obj = room.static_meshes, Element("static mesh", number)
        turned = (placed["angle"] % _QUARTER != 0) & np.isin(placed["static_mesh"], solid)
        for rows, check, severity, text in (
            (turned, "turned static mesh", Severity.WARNING, _TURNED),
            (np.isin(placed["static_mesh"], empty), "empty collision box", Severity.INFO, _EMPTY),
        ):
            for (static,), rows_of_id in grouped(placed["static_mesh"][rows].astype(np.int64)):
                first = placed[rows][rows_of_id[0]]
                place = float(first["x"]), float(first["y"]), float(first["z"])
                message = Text(text, {"number": static})
                yield Finding(f"{check} {static}", severity, obj, message, count=len(rows_of_id), place=place)


_QUARTER = 0x4000
_NO_COLLISION = 1  # of the flags
_TURNED = N_("the static mesh {number} is not rotated by quarter turns, which its collision cannot follow")
_EMPTY = N_("the static mesh {number} has no collision, since its collision box is empty")
