"""Checks of entities, placed static meshes and faces for missing or wrong references."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..games import LARA
from ..level.decoded import Decoded
from ..rooms.geometry import decode_faces
from ..textures.face_words import mesh_texture_mask, room_texture_mask, texture_index
from .findings import THE_LEVEL, Element, Finding, Severity, counted, grouped


def check_entities(checked: Decoded) -> Iterator[Finding]:
    """Find entities without model or sprite, without a room, or outside of their room."""
    level = checked.level
    types, room, x, z = (level.entities[name].astype(np.int64) for name in ("type", "room", "x", "z"))
    known = np.union1d(level.models["id"], level.sprite_sequences["id"]).astype(np.int64)
    for number in np.flatnonzero(~np.isin(types, known)).tolist():
        text = f"the level has no model and no sprite of its type, {int(types[number])}"
        yield Finding(
            "no model", Severity.WARNING, Element("entity", number), text, place=_at(checked, number)
        )
    lost = (room < 0) | (room >= len(level.rooms))
    for number in np.flatnonzero(lost).tolist():
        text = f"it is in room {int(room[number])}, and there are {len(level.rooms)} rooms"
        place = _at(checked, number)
        yield Finding("no room", Severity.ERROR, Element("entity", number), text, place=place)
    sector = checked.sector_at(room, x, z)
    for number in np.flatnonzero(~lost & (sector < 0)).tolist():
        own = (Element("room", int(room[number])),)
        text, place = "it stands outside of its room, {0}", _at(checked, number)
        yield Finding("outside", Severity.WARNING, Element("entity", number), text, own, place=place)
    if len(level.rooms) and not (types == LARA).any():
        text = "no entity is Lara, and a game does not start without her, but for cutscenes and titles"
        yield Finding("no Lara", Severity.WARNING, THE_LEVEL, text)


def _at(checked: Decoded, number: int) -> tuple[float, float, float]:
    record = checked.level.entities[number]
    return float(record["x"]), float(record["y"]), float(record["z"])


def check_static_meshes(checked: Decoded) -> Iterator[Finding]:
    """Find placed static meshes that are not in the library."""
    level = checked.level
    placed = [room.static_meshes["static_mesh"].astype(np.int64) for room in level.rooms]
    room = np.repeat(np.arange(len(placed)), list(map(len, placed)))
    ids = _joined(placed)
    lost = np.flatnonzero(~np.isin(ids, level.static_meshes["id"].astype(np.int64)))
    for (number, static), rows in grouped(room[lost], ids[lost]):
        text = f"the static mesh {static} that is placed here is not in the library, so games skip or crash"
        record = _first(level.rooms[number].static_meshes, static)
        yield Finding(
            f"no static mesh {static}",
            Severity.WARNING,
            Element("room", number),
            text,
            count=len(rows),
            place=record,
        )


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _first(records: NDArray[np.void], static: int) -> tuple[float, float, float]:
    record = records[records["static_mesh"] == static][0]
    return float(record["x"]), float(record["y"]), float(record["z"])


def check_faces(checked: Decoded) -> Iterator[Finding]:
    """Find faces whose texture does not exist."""
    level, count = checked.level, len(checked.level.object_textures)

    def lost(words: list[NDArray[np.uint16]], mask: int) -> int:
        return sum(int((texture_index(each, mask) >= count).sum()) for each in words)

    def tell(obj: Element, number: int) -> Finding:
        one = "one of its faces shows a texture that the level does not have"
        text = counted(number, one, "{} of its faces show textures that the level does not have")
        return Finding("no texture", Severity.ERROR, obj, text, count=number)

    mask = room_texture_mask(level.game)
    for number, room in enumerate(level.rooms):
        found = lost([each.texture for each in decode_faces(level.game, room)], mask)
        if found:
            yield tell(Element("room", number), found)
    mask = mesh_texture_mask(level.game)
    for number, mesh in enumerate(checked.meshes.meshes):
        found = lost([mesh.quads["texture"], mesh.triangles["texture"]], mask)
        if found:
            yield tell(Element("mesh", number), found)
