"""Injection files for a level: whether a file is for it, and old files in the form of the current ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ...base.errors import FormatError
from ...base.games import Game
from ...base.messages import T, as_message
from ...base.schema.fields import Record, complete_record
from ...levels.injections.files import read_injection
from ...levels.injections.kinds import BlockId, FloorEdit, ReferenceKind, RoomEdit
from ...levels.injections.old import T1MJ, OldInjection
from ...levels.injections.records import BLOCKS, GAME_TEST
from ...levels.injections.trxj import Injection
from ...levels.level.level import Level
from ...levels.meshes.meshes import decode_meshes
from ...levels.textures.sprites import FIRST_ROOM_SPRITES
from ...levels.textures.textiles import expand_palette

_VERSION = 6  # the highest without reverberation, which old files do not have
_PAGE_SIZE = 256 * 256
_ROUNDED_CORNERS = frozenset({Game.TR3})  # the engine compares rounded corners there
_OF_BYTES = {
    "object textures": (BlockId.OBJECT_TEXTURES, 20),
    "sprites": (BlockId.SPRITES, 16),
    "meshes": (BlockId.MESHES, 2),
    "mesh pointers": (BlockId.MESH_POINTERS, 4),
    "state changes": (BlockId.STATE_CHANGES, 6),
    "dispatches": (BlockId.DISPATCHES, 8),
    "animation commands": (BlockId.COMMANDS, 2),
    "mesh trees": (BlockId.MESH_TREES, 16),
    "frames": (BlockId.FRAMES, 2),
    "animations": (BlockId.ANIMATIONS, 32),
}


class Fitting(NamedTuple):
    """An injection for a level."""

    injection: Injection  #: in the current form, without tests.
    #: conditions of the file that the level does not fulfill, so that the engine would skip it.
    failed: list[str]
    lost: list[str]  #: parts of an old file that have no current form.


def read_for_level(data: bytes, level: Level) -> Fitting:
    """Read an injection file for a level.

    Raises:
        FormatError: if it is damaged, of an unknown kind or version, or for another game.
    """
    if not level.game.traits.has_trx:
        problem = T("injections are for levels of TR1 to TR3")
        raise FormatError("header", "a level of TR1 to TR3", level.game.name, offset=0, problem=problem)
    injection = read_injection(data, level.game)
    if injection.game is not level.game:
        problem = T(
            "this injection is for {wanted}, and the level is one of {game}",
            wanted=injection.game.name,
            game=level.game.name,
        )
        raise FormatError("header", injection.game.name, level.game.name, offset=0, problem=problem)
    if isinstance(injection, Injection):
        failed = failed_tests(injection, level)
        injection.tests = []
        return Fitting(injection, failed, [])
    converter = _Converter(injection, level)
    return Fitting(converter.convert(), [], converter.lost)


# --- Tests ---------------------------------------------------------------------------------------


def failed_tests(injection: Injection, level: Level) -> list[str]:
    """Return the conditions of an injection that a level does not fulfill, as messages."""
    # The engine counts conditions that it does not know as not fulfilled.
    return [
        text
        for test in injection.tests
        if (text := (_unknown_test if "content" in test else _TESTS[test["type"]])(test, level))
    ]


def _unknown_test(test: Record, _level: Level) -> str:
    return T("its condition of type {type} is unknown", type=test["type"])


def _item_test(test: Record, level: Level) -> str:
    number = test["item"]
    if not 0 <= number < len(level.entities):
        return T("the level has no {what} {number}", what=T("entity"), number=number)
    item = level.entities[number]
    expected = test["object"]["id"], test["x"], test["y"], test["z"], test["room"], test["angle"]
    if tuple(int(item[name]) for name in ("type", "x", "y", "z", "room", "angle")) != expected:
        return T("entity {number} is another one, or in another place", number=number)
    return ""


def _game_test(test: Record, level: Level) -> str:
    return "" if test["game"] == level.game else T("it is for game {number}", number=test["game"])


def _rooms_test(test: Record, level: Level) -> str:
    count, wanted = len(level.rooms), test["rooms"]
    return (
        "" if count == wanted else T("the level has {count} rooms, not {wanted}", count=count, wanted=wanted)
    )


def _room_test(test: Record, level: Level) -> str:
    number = test["room"]
    if not 0 <= number < len(level.rooms):
        return T("the level has no room {number}", number=number)
    room = level.rooms[number]
    values = room.x, room.z, room.y_bottom, room.y_top, room.x_sectors, room.z_sectors
    if values != tuple(test[name] for name in ("x", "z", "bottom", "top", "x_size", "z_size")):
        return T("room {number} has another place or size", number=number)
    return ""


def _texture_test(test: Record, level: Level) -> str:
    number = test["texture"]
    if not 0 <= number < len(level.object_textures):
        return T("the level has no {what} {number}", what=T("texture"), number=number)
    record = level.object_textures[number]
    is_same = (int(record["attribute"]), int(record["page"])) == (test["attribute"], test["page"])
    if level.game not in _ROUNDED_CORNERS:
        is_same = is_same and record["uv"].ravel().tolist() == test["corners"]
    return "" if is_same else T("texture {number} is another one", number=number)


_TESTS: Mapping[int, Callable[[Record, Level], str]] = {
    0: _item_test,
    1: _rooms_test,
    2: _room_test,
    3: _texture_test,
    GAME_TEST: _game_test,
}


# --- Old files -----------------------------------------------------------------------------------


class _Converter:
    """Conversion of an old injection. What its records lack is taken from the level."""

    def __init__(self, old: OldInjection, level: Level) -> None:
        self.old, self.level = old, level
        self.lost: list[str] = []
        self.made = Injection(_VERSION, old.kind, old.game)

    def convert(self) -> Injection:
        if self.old.magic == T1MJ:
            self._data()
        for name, type_, change in (
            ("sprite sequences", BlockId.SPRITE_SEQUENCES, self._sequence),
            ("objects", BlockId.OBJECTS, self._object),
            ("sounds", BlockId.SOUNDS, dict),
            ("floor edits", BlockId.FLOOR, self._floor),
            ("item positions", 18, self._item),
            ("mesh edits", 19, self._mesh),
            ("page edits", BlockId.PAGE_EDITS, self._page),
            ("room edits", 22, self._room_edit),
            ("portal edits", 23, self._portal),
            ("camera edits", 24, dict),
            ("frame rotations", 25, self._object),
        ):
            records = self.old.sections.get(name, [])
            if isinstance(records, bytes):
                continue
            converted = [new for record in records if (new := change(record)) is not None]
            for record in converted:
                complete_record(BLOCKS[type_].fields, record, self.made.form)
            self.made.replace(type_, converted)
        if self.old.sections.get("dispatch edits"):
            self.lost.append(as_message("dispatch edits"))
        return self.made

    def _data(self) -> None:
        palette = np.frombuffer(self.old.palette, np.uint8).reshape(-1, 3)
        self._colors = np.full((256, 4), 255, np.uint8)
        self._colors[:, :3] = expand_palette(palette)
        self._colors[0] = 0
        content = {name: self.old.sections[name] for name in (*_OF_BYTES, "texture pages")}
        if not any((*content.values(), self.old.sections["objects"], self.old.sections["sprite sequences"])):
            return
        self.made.add_bytes(BlockId.PALETTES, 256, self.old.palette)
        pages = content.pop("texture pages")
        assert isinstance(pages, bytes)
        if pages:
            indices = np.frombuffer(pages, np.uint8)
            self.made.add_bytes(
                BlockId.TEXTURE_PAGES, len(pages) // _PAGE_SIZE, self._colors[indices].tobytes() + pages
            )
        for name, data in content.items():
            type_, size = _OF_BYTES[name]
            assert isinstance(data, bytes)
            if data:
                self.made.add_bytes(type_, len(data) // size, data)

    def _sequence(self, record: Record) -> Record:
        first = FIRST_ROOM_SPRITES[self.level.game]
        is_of_rooms = record["id"] >= first
        reference = {
            "kind": ReferenceKind.ROOM_SPRITE if is_of_rooms else ReferenceKind.MODEL,
            "id": record["id"] - (first if is_of_rooms else 0),
        }
        return {"object": reference, "length": record["length"], "first": record["first"]}

    @staticmethod
    def _object(record: Record) -> Record:
        values = {name: value for name, value in record.items() if name != "id"}
        return {"object": {"kind": ReferenceKind.MODEL, "id": record["id"]}, **values}

    def _floor(self, record: Record) -> Record:
        edits = [
            {"type": edit["type"], **self._object({k: v for k, v in edit.items() if k != "type"})}
            if edit["type"] == FloorEdit.NEW_ITEM
            else dict(edit)
            for edit in record["edits"]
        ]
        return {**record, "edits": edits}

    def _item(self, record: Record) -> Record | None:
        if "x" in record:
            return dict(record)
        if not 0 <= record["item"] < len(self.level.entities):
            self.lost.append(T("entity {number}", number=record["item"]))
            return None
        item = self.level.entities[record["item"]]
        return {**record, **{name: int(item[name]) for name in ("x", "y", "z", "room")}}

    def _mesh(self, record: Record) -> Record | None:
        result = self._object(record)
        result["faces"] = [
            {
                "source": {"kind": ReferenceKind.MODEL, "id": face["source_id"]},
                **{name: value for name, value in face.items() if name != "source_id"},
            }
            for face in record["faces"]
        ]
        if "center" not in result:
            sphere = self._sphere(record["id"], record["mesh"])
            if sphere is None:
                self.lost.append(T("mesh {number} of model {id}", number=record["mesh"], id=record["id"]))
                return None
            result["center"], result["radius"] = sphere
        return result

    def _sphere(self, model: int, mesh: int) -> tuple[list[int], int] | None:
        level = self.level
        rows = np.flatnonzero(level.models["id"] == model)
        if not len(rows) or not 0 <= mesh < int(level.models["meshes"][rows[0]]):
            return None
        block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
        decoded = block.meshes[block.pointers[int(level.models["first_mesh"][rows[0]]) + mesh]]
        return list(decoded.center), decoded.radius

    def _page(self, record: Record) -> Record:
        indices = np.frombuffer(record["pixels"], np.uint8)
        return {**record, "pixels": self._colors[indices].tobytes()}

    def _room_edit(self, record: Record) -> Record | None:
        if record["type"] == RoomEdit.VERTEX:
            return {"shade": 0, **record}
        if record["type"] != RoomEdit.NEW_SPRITE:
            return dict(record)
        first = FIRST_ROOM_SPRITES[self.level.game]
        for sequence in self.level.sprite_sequences[self.level.sprite_sequences["id"] >= first]:
            image = record["image"] - int(sequence["first"])
            if 0 <= image < -int(sequence["negative_length"]):
                return {**record, "sprite": int(sequence["id"]) - first, "image": image}
        self.lost.append(T("a sprite of room {number}", number=record["room"]))
        return None

    @staticmethod
    def _portal(record: Record) -> Record:
        return {"portal": 0, **record}
