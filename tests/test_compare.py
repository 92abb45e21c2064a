"""Tests that the comparison of levels finds a difference in everything that is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, Variant, read_level
from io_tomb_raider.formats.base.bytes.records import I16, U16
from io_tomb_raider.formats.base.schema.sections import Counted, Fields
from io_tomb_raider.formats.levels.level.layouts import LAYOUTS
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.rooms.rooms import ROOM_TR3, Rooms
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from tests import compare
from tests.compare import Path, differences
from tests.sample_levels import SAMPLES, named_sample

each_sample = pytest.mark.parametrize("name", SAMPLES)
each_game = pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4", "tr5"])

HALL = 0  # the room with at least one element of everything


@cache
def sample_read(name: str) -> Level:
    return read_level(named_sample(name))


def altered(value: Any, names: Iterable[str] | None = None, row: int = 0) -> Any:
    """Return another number, or an array with a different element in one row, in some or all fields."""
    if not isinstance(value, np.ndarray):
        return not value if isinstance(value, bool) else value + 1
    if not len(value):
        return np.zeros((1, *value.shape[1:]), value.dtype)
    out = value.copy()
    for column in [out] if out.dtype.names is None else [out[name] for name in names or out.dtype.names]:
        element = column[row : row + 1].reshape(-1)[:1]
        element[:] = -element - 1 if column.dtype.kind == "f" else element ^ 1
        column[row : row + 1].flat[0] = element[0]
    return out


def compared(paths: list[Path], start: int) -> set[str]:
    """Return what differs, as "attribute" and "attribute.field"."""
    found = {str(path[start]) for path in paths if len(path) > start}
    return found | {f"{path[start]}.{path[-1]}" for path in paths if len(path) > start + 1}


def values(obj: object, but: frozenset[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the attributes that are compared by value, each with the fields that count."""
    for name, value in vars(obj).items():
        if name not in but:
            names = value.dtype.names if isinstance(value, np.ndarray) and len(value) else ()
            yield name, tuple(field for field in names or () if field not in compare.PLACES.get(name, ()))


def altered_throughout(obj: Any, but: frozenset[str]) -> tuple[Any, set[str]]:
    """Return a copy of a level or room in which all values compared by value differ, and their names."""
    twin, names = obj.copy(), set()
    for name, own in values(obj, but):
        setattr(twin, name, altered(getattr(obj, name), own or None))
        names |= {f"{name}.{field}" for field in own} or {name}
    return twin, names


def with_room(level: Level, **parts: Any) -> Level:
    """Return a copy of the level with other parts in one room."""
    twin = level.copy()
    vars(twin.rooms[HALL]).update(parts)
    return twin


def with_section(level: Level, **sections: Any) -> Level:
    twin = level.copy()
    vars(twin).update(sections)
    return twin


@each_sample
def test_equal_levels_have_no_differences(name: str) -> None:
    assert differences(sample_read(name), read_level(named_sample(name))) == []


@each_sample
def test_every_field_of_every_section_is_compared(name: str) -> None:
    level = sample_read(name)
    twin, names = altered_throughout(level, compare.NO_SECTIONS | compare.BY_MEANING)
    assert names
    assert names <= compared(differences(level, twin), 0)


@each_game
def test_every_field_of_every_room_is_compared(name: str) -> None:
    level = sample_read(name)
    room, names = altered_throughout(level.rooms[HALL], compare.OF_ROOMS_BY_MEANING)
    assert names <= compared(differences(level, with_room(level, **vars(room))), 2)


@each_game
def test_faces_and_sectors_of_rooms_are_compared(name: str) -> None:
    level, room = sample_read(name), sample_read(name).rooms[HALL]
    for kind in ("quads", "triangles"):
        for field in getattr(room, kind).dtype.names:
            ((*place, _, _),) = differences(
                level, with_room(level, **{kind: altered(getattr(room, kind), [field])})
            )
            assert place == ["rooms", HALL, kind, "corners" if field == "vertices" else field]
    fields_of_sectors = [
        field for field in room.sectors.dtype.names if field not in compare.PLACES["sectors"]
    ]
    found = differences(level, with_room(level, sectors=altered(room.sectors, fields_of_sectors)))
    assert found == [("rooms", HALL, "sectors", 0, field) for field in fields_of_sectors]


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4"])
def test_unused_words_after_the_mesh_of_a_room_are_compared(name: str) -> None:
    level, room = sample_read(name), sample_read(name).rooms[HALL]
    stored, words = room.geometry_words
    for wrong in ((stored + 1, words), (stored, words + 1)):
        found = differences(level, with_room(level, geometry_words=wrong))
        assert found == [("rooms", HALL, "geometry_words")]
    assert differences(level, with_room(level, geometry_words=(stored + 1, words + 1))) == []


def test_every_field_of_the_headers_of_rooms_is_compared() -> None:
    level, room = sample_read("tr5"), sample_read("tr5").rooms[HALL]
    numbers = {name for name, value in vars(room).items() if isinstance(value, int)}
    names = [name for name in room.header.dtype.names if name not in {*compare.PLACES["header"], *numbers}]
    assert {"lights2", "position", "y_top2", "y_bottom2", "vertex_bytes", "faces_offset2", "pointers"} < {
        *names
    }
    found = compared(differences(level, with_room(level, header=altered(room.header, names))), 2)
    assert {f"header.{name}" for name in names} <= found


def test_every_field_of_the_layers_of_rooms_is_compared() -> None:
    level, room = sample_read("tr5"), sample_read("tr5").rooms[HALL]
    assert len(room.layers) > 1
    own = [name for name in room.layers.dtype.names if name not in ("vertices", "quads", "triangles")]
    found = differences(level, with_room(level, layers=altered(room.layers, own)))
    assert {path[2:] for path in found} == {("layers", 0, name) for name in own}
    for part in ("quads", "vertices"):
        layers = room.layers.copy()
        layers[part][0] -= 1
        layers[part][1] += 1
        assert differences(level, with_room(level, layers=layers)), part


def is_there(value: Any) -> bool:
    return bool(len(value)) if isinstance(value, np.ndarray) else value is not None


@each_game
def test_every_field_of_every_mesh_is_compared(name: str) -> None:
    level = sample_read(name)
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    encoded = [mesh.raw for mesh in block.meshes]

    def found(number: int, mesh: Mesh) -> set[str]:
        others = [*encoded[:number], encode_mesh(level.game, mesh), *encoded[number + 1 :]]
        data, pointers = encode_block(others, block.pointers)
        paths = differences(level, with_section(level, mesh_data=data, mesh_pointers=pointers))
        assert {path[:2] for path in paths} == {("meshes", number)}
        return {str(path[2]) for path in paths}

    for field in (field.name for field in fields(Mesh) if field.name != "raw"):
        # No mesh has both normals and lights, and TR4 and TR5 have no colored faces.
        having = [n for n, mesh in enumerate(block.meshes) if is_there(getattr(mesh, field))]
        if level.game >= Game.TR4 and field.startswith("colored"):
            assert not having
            continue
        number = having[0]
        value = getattr(block.meshes[number], field)
        other: Any = (value[0] + 1, *value[1:]) if field == "center" else altered(value)
        mesh = replace(block.meshes[number])
        setattr(mesh, field, other)
        assert found(number, mesh) == {field}


@each_game
def test_a_pointer_to_another_mesh_is_a_difference(name: str) -> None:
    level = sample_read(name)
    first, lone = level.mesh_pointers[0], np.append(level.mesh_pointers, level.mesh_pointers[:1])
    for number in (1, len(level.mesh_pointers) - 1):
        pointers = level.mesh_pointers.copy()
        pointers[number] = first
        assert (pointers[number] == level.mesh_pointers[number]) != bool(
            differences(level, with_section(level, mesh_pointers=pointers))
        )
    other = lone.copy()
    other[-1] = lone[1]
    twins = [with_section(level, mesh_pointers=pointers) for pointers in (lone, other)]
    assert differences(*twins) == [("mesh_pointers", 0, "value")]


@each_game
def test_every_field_of_models_and_animations_is_compared(name: str) -> None:
    level = sample_read(name)
    for section in ("models", "animations"):
        records = getattr(level, section)
        for field in (field for field in records.dtype.names if field not in compare.PLACES[section]):
            paths = differences(level, with_section(level, **{section: altered(records, [field])}))
            assert (section, 0, field) in paths


@each_game
def test_tables_that_models_and_animations_refer_to_are_compared(name: str) -> None:
    level = sample_read(name)
    words = int(level.animations["frame_offset"][0]) // 2
    commands = int(level.animations["first_command"][level.animations["commands"] > 0][0])
    changes = int(level.animations["first_state_change"][level.animations["state_changes"] > 0][0])
    dispatches = int(level.state_changes["first_dispatch"][changes])
    for section, row in (
        ("mesh_trees", 0),
        ("state_changes", changes),
        ("animation_dispatches", dispatches),
        ("animation_commands", commands),
        *(("frames", words + word) for word in (0, 8, 10)),  # a box, an offset, and a rotation
    ):
        records = getattr(level, section)
        for field in records.dtype.names or (None,):
            twin = with_section(level, **{section: altered(records, field and [field], row)})
            found = differences(level, twin)
            assert {path[0] for path in found} & {"models", "animations"}, (section, field)


@each_game
def test_functions_of_floor_data_are_compared(name: str) -> None:
    level, sectors = sample_read(name), sample_read(name).rooms[HALL].sectors
    sector = int(np.flatnonzero(sectors["floor_data"])[0])
    other = altered(level.floor_data, row=int(sectors["floor_data"][sector]))
    assert ("rooms", HALL, "sectors", sector, "functions") in differences(
        level, with_section(level, floor_data=other)
    )


@each_game
def test_every_field_of_the_textures_that_faces_show_is_compared(name: str) -> None:
    level = sample_read(name)
    records = level.object_textures
    texture = int(level.rooms[HALL].quads["texture"][0]) & room_texture_mask(level.game)
    for field in records.dtype.names:
        twin = with_section(level, object_textures=altered(records, [field], texture))
        assert ("rooms", HALL, "quads", "texture", 0, "value") in differences(level, twin), field


@each_game
def test_a_texel_and_the_place_of_an_animated_texture_are_compared(name: str) -> None:
    level = sample_read(name)
    for section in ("textiles8", "textiles16", "textiles32"):
        if hasattr(level, section):
            twin = with_section(level, **{section: altered(getattr(level, section))})
            assert differences(level, twin) == [(section, 0, 1)]
    animated = altered(level.animated_textures, row=3)
    found = differences(level, with_section(level, animated_textures=animated))
    assert {path[0] for path in found} == {"animated_textures"}


# --- New sections ----------------------------------------


_RECORD = np.dtype([("a", U16), ("b", I16)])


def with_new_sections(monkeypatch: pytest.MonkeyPatch, last: int) -> tuple[Level, Level]:
    """Return two levels of a game with two additional sections, and rooms with an additional number."""
    key = (Game.TR3, Variant.RETAIL)
    original = sample_read("tr3")  # which is of the layout that there is
    *sections, footer = LAYOUTS[key]
    place = next(place for place, section in enumerate(sections) if isinstance(section, Rooms))
    sections[place] = Rooms((*ROOM_TR3, Fields("H", ("new_number_of_rooms",))))
    extended = (*sections, Counted("new_records", _RECORD), Fields("H", ("new_number",)), footer)
    monkeypatch.setitem(LAYOUTS, key, extended)
    levels = []
    for value in (1, last):
        level = original.copy()
        level.layout = extended
        for room in level.rooms:
            vars(room)["new_number_of_rooms"] = 5
        vars(level.rooms[2])["new_number_of_rooms"] = value
        vars(level).update(new_records=np.array([(1, 2), (3, value)], _RECORD), new_number=value)
        levels.append(read_level(level.to_bytes()))
    return levels[0], levels[1]


def test_unknown_sections_and_numbers_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = with_new_sections(monkeypatch, 2)
    assert set(differences(old, new)) == {
        ("new_records", 1, "b"),
        ("new_number",),
        ("rooms", 2, "new_number_of_rooms"),
    }
    assert differences(*with_new_sections(monkeypatch, 1)) == []


def test_sections_listed_for_special_comparison_exist() -> None:
    levels = [sample_read(name) for name in SAMPLES]
    assert {name for level in levels for name in vars(level)} >= compare.BY_MEANING | compare.NO_SECTIONS
    rooms = [room for level in levels for room in level.rooms]
    assert {name for room in rooms for name in vars(room)} >= compare.OF_ROOMS_BY_MEANING
