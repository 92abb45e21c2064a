"""Every golden file is identified, read number by number, and written to the same bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import combinations
from struct import calcsize
from typing import Any, NamedTuple

import numpy as np
import pytest

from io_tomb_raider.formats.base.bytes import records

from . import tr4, tr5
from .levels import GOLDEN, each_file, each_game, object_differences
from .words import Grid, Section, Table, chunk, joined

# Attributes of levels that are no section of the file.
_ABOUT_THE_FILE = {"game", "variant", "layout", "streams", "ends_at", "has_trng_footer", "sound_map_counted"}


@each_file
def test_game_and_variant_are_recognized(name: str) -> None:
    golden, level = GOLDEN[name], GOLDEN[name].read()
    assert (level.game, level.variant) == (golden.game, golden.variant)
    assert (level.has_trng_footer, level.sound_map_counted) == (golden.trng, golden.trng)
    assert level.ends_at == (len(golden.content) if name.startswith("tr3-textiles") else None)


@each_file
def test_every_number_is_read_as_it_was_packed(name: str) -> None:
    golden = GOLDEN[name]
    assert list(object_differences("level", golden.read(), golden.sections)) == []


@each_file
def test_nothing_is_read_that_was_not_packed(name: str) -> None:
    golden, level = GOLDEN[name], GOLDEN[name].read()
    rooms = {"rooms"} if name.startswith("tr3-textiles") else set()
    assert set(vars(level)) - _ABOUT_THE_FILE - rooms == set(golden.values())
    for room, sections in zip(level.rooms, golden.values().get("rooms", []), strict=True):
        assert set(vars(room)) == {section.name for section in sections}


@each_file
def test_files_are_written_unchanged(name: str) -> None:
    golden = GOLDEN[name]
    assert golden.read().to_bytes() == golden.content
    assert golden.read().copy().to_bytes() == golden.content


@each_file
def test_is_written_from_the_packed_numbers_alone(name: str) -> None:
    """Replace all arrays by those of the tables, field by field, so that no read data is left."""
    golden = GOLDEN[name]
    level = golden.read().copy()
    level.streams = {}
    _fill(level, golden.sections)
    for room, sections in zip(level.rooms, golden.values().get("rooms", []), strict=True):
        _fill(room, sections)
        vars(room).pop("block", None)
    assert level.to_bytes() == golden.recompressed


def _fill(target: Any, sections: list[Section]) -> None:
    for section in sections:
        value = section.value
        if isinstance(value, Table):
            array = np.zeros(len(value), getattr(target, section.name).dtype)
            for field in value.shapes:
                array[field] = np.array(value.column(field)).reshape(array[field].shape)
        elif isinstance(value, Grid):
            found = getattr(target, section.name)
            array = np.frombuffer(value.content, found.dtype).reshape(value.shape).copy()
        elif isinstance(value, list) and section.name != "rooms":
            array = np.array(value, getattr(target, section.name).dtype)
        else:
            continue
        setattr(target, section.name, array)


@pytest.mark.parametrize(("name", "chunks"), [("tr4", tr4.RETAIL.chunks), ("tr5", tr5.CHUNKS)])
def test_an_edited_chunk_alone_is_compressed_again(name: str, chunks: list[list[Section]]) -> None:
    golden, level = GOLDEN[name], GOLDEN[name].read()
    level.misc_textiles32 = 255 - level.misc_textiles32
    written = level.to_bytes()
    before = len(joined(tr4.heading(0))) + len(chunk(chunks[0], 9)) + len(chunk(chunks[1], 9))
    behind = len(golden.content) - before - len(chunk(chunks[2], 9))
    assert written[:before] == golden.content[:before]
    assert written[-behind:] == golden.content[-behind:]
    old = np.frombuffer(joined(chunks[2]), np.uint8)
    assert zlib.decompress(written[before + 8 : -behind]) == bytes(255 - old)


@each_game
def test_records_for_writing_equal_those_that_are_read(name: str) -> None:
    level = GOLDEN[name].read()
    game, room = level.game, level.rooms[0]
    pairs = [
        (level.models, records.MODEL_RECORD),
        (level.animations, records.ANIMATION_RECORD),
        (level.object_textures, records.OBJECT_TEXTURE_RECORD),
        (level.entities, records.ENTITY),
        (level.boxes, records.BOX),
        (level.sound_details, records.SOUND_DETAILS),
        (room.vertices, records.ROOM_VERTEX),
        (room.quads, records.ROOM_QUAD),
        (room.triangles, records.ROOM_TRIANGLE),
        (room.lights, records.ROOM_LIGHT),
        (room.static_meshes, records.ROOM_STATIC),
    ]
    for array, made in pairs:
        assert array.dtype == made[game]
    assert len(level.sound_map) == records.SOUND_MAP_SIZE[game]


# --- Sensitivity: swapped data in a file shows -----------------------------------


def _tables(path: str, sections: list[Section]) -> Iterator[tuple[str, Table]]:
    for section in sections:
        if isinstance(section.value, Table) and (len(section.value) or section.name != "sprites"):
            yield f"{path}.{section.name}", section.value
        elif section.name == "rooms":
            for room in section.value:
                yield from _tables("rooms", room)


class _Together(NamedTuple):
    """The rows of all tables of one kind, also of all rooms."""

    kinds: list[str]
    names: list[str]
    rows: list[tuple[Any, ...]]


def _by_path(name: str) -> dict[str, _Together]:
    found: dict[str, _Together] = {}
    for path, table in _tables("level", GOLDEN[name].sections):
        found.setdefault(path, _Together(table.codes(), table.owners(), [])).rows.extend(table.rows)
    return found


# Derived fields of a TR5 room, which can be neither negative nor huge.
_DERIVED = {
    "rooms.layers": {"vertices", "quads", "triangles"},
    "rooms.header": {
        "portals_offset", "sectors_offset", "statics_offset", "lights_offset", "fog_bulbs_offset",
        "layers_offset", "vertices_offset", "faces_offset", "faces_offset2", "vertex_bytes", "z_sectors",
        "x_sectors", "lights", "static_meshes", "lights2", "fog_bulbs", "layers",
    },
}  # fmt: skip


@each_file
def test_packed_fields_of_equal_size_differ_in_a_row(name: str) -> None:
    for path, table in _by_path(name).items():
        for one, other in combinations(range(len(table.kinds)), 2):
            same_size = calcsize(table.kinds[one]) == calcsize(table.kinds[other])
            if same_size and not table.names[other].startswith(("faces_offset2", "pointers", "test_bounds")):
                assert any(row[one] != row[other] for row in table.rows), (path, one, other)


@each_file
def test_every_sign_shows(name: str) -> None:
    """Unsigned fields have their highest bit set somewhere, signed ones are negative somewhere."""
    for path, table in _by_path(name).items():
        for number, (kind, field) in enumerate(zip(table.kinds, table.names, strict=True)):
            column = [row[number] for row in table.rows]
            if kind == "f" or field in _DERIVED.get(path, ()):
                continue
            if kind.isupper():
                assert max(column) >> 8 * calcsize(kind) - 1, (path, field)
            else:
                assert min(column) < 0, (path, field)


@each_file
def test_plain_numbers_of_rooms_and_levels_differ(name: str) -> None:
    sections = GOLDEN[name].sections
    rooms = [room for section in sections if section.name == "rooms" for room in section.value]
    for together in ([sections], rooms):
        columns = [
            [each.value for each in values]
            for values in zip(*together, strict=True)
            if isinstance(values[0].value, int)
        ]
        assert all(one != other for one, other in combinations(columns, 2))


def test_structures_have_the_sizes_that_the_documentation_names() -> None:
    sizes = {
        "tr1": {"animations": 32, "models": 18, "static_meshes": 32, "object_textures": 20, "boxes": 20,
                "entities": 22, "sprite_textures": 16, "sprite_sequences": 8, "cameras": 16,
                "sound_sources": 16, "cinematic_frames": 16, "sound_details": 8},
        "tr2": {"boxes": 8, "entities": 24},
        "tr4": {"animations": 40, "object_textures": 38, "flyby_cameras": 40, "entities": 24,
                "ai_objects": 24},
        "tr5": {"models": 20, "object_textures": 40},
    }  # fmt: skip
    rooms = {
        "tr1": {"vertices": 8, "quads": 10, "triangles": 8, "sprites": 4, "portals": 32, "sectors": 8,
                "lights": 18, "static_meshes": 18},
        "tr2": {"vertices": 12, "lights": 24, "static_meshes": 20},
        "tr3": {"vertices": 12, "lights": 24, "static_meshes": 20},
        "tr4": {"vertices": 12, "lights": 46, "static_meshes": 20},
        "tr5": {"vertices": 28, "quads": 12, "triangles": 10, "lights": 88, "fog_bulbs": 36, "layers": 56,
                "header": 208, "static_meshes": 20},
    }  # fmt: skip
    for name, expected in sizes.items():
        values = GOLDEN[name].values()
        assert {section: values[section].size for section in expected} == expected
    for name, expected in rooms.items():
        room = {section.name: section.value for section in GOLDEN[name].values()["rooms"][0]}
        assert {section: room[section].size for section in expected} == expected
