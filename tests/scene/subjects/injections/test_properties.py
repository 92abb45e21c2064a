"""Properties of entities and models for TRX: shown, edited, added and removed."""

from __future__ import annotations

import struct
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Object
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.injections.properties import _show, possible_properties, properties_of
from tests.sample_levels import sample_bytes

from ...scenes import exported, import_anew, import_scene, objects
from .blocks import GAMES, block_of, sample

each_game = pytest.mark.parametrize("game", GAMES)
_CODES = {0: "<i", 1: "<f", 2: "<d", 3: "<i", 4: "<3i", 5: "<3B"}


def prop(name: str, kind: int, *values: float) -> bytes:
    data = name.encode()
    return struct.pack("<i", len(data)) + data + struct.pack("<i", kind) + struct.pack(_CODES[kind], *values)


def item(number: int, *properties: bytes) -> bytes:
    return struct.pack("<3i", 1, number, len(properties)) + b"".join(properties)


def model(number: int, *properties: bytes, kind: int = 0) -> bytes:
    return struct.pack("<4i", 0, kind, number, len(properties)) + b"".join(properties)


def block(*records: bytes) -> tuple[int, int, bytes]:
    return BlockId.PROPERTIES, len(records), b"".join(records)


def records(level: Level) -> list[dict[str, Any]]:
    return block_of(level).records(BlockId.PROPERTIES) if len(level.footer) else []


ALL = (
    prop("count", 0, -5),
    prop("speed", 1, 1.5),
    prop("exact", 2, 0.1),
    prop("is_on", 3, 1),
    prop("place", 4, 1, -2, 3),
    prop("tint", 5, 255, 128, 1),
)


def model_id(game: Game) -> int:
    return int(read_level(sample_bytes(game)).models["id"][0])


@each_game
def test_properties_show(blender: ModuleType, game: Game) -> None:
    number = model_id(game)
    data = sample(
        game, block(item(1, *ALL), model(number, prop("health", 0, 40)), model(9999, prop("x", 3, 7)))
    )
    root = import_scene(data)
    entity: Any = objects(root, "ENTITY")[1].tomb_raider
    shown = {each.name: each for each in entity.properties}
    assert shown["count"].integer == -5 and shown["speed"].number == 1.5
    assert shown["exact"].number == pytest.approx(0.1) and shown["is_on"].is_on is True
    assert list(shown["place"].vector) == [1, -2, 3]
    assert [round(each * 255) for each in shown["tint"].color] == [255, 128, 1]
    (owner,) = [each for each in objects(root, "MODEL") if each.tomb_raider.model.id == number]
    assert [(each.name, each.integer) for each in owner.tomb_raider.properties] == [("health", 40)]
    assert exported(root)[0].to_bytes() == data


@each_game
def test_edited_properties_are_written(blender: ModuleType, game: Game) -> None:
    number = model_id(game)
    data = sample(
        game, block(item(1, *ALL), model(number, prop("health", 0, 40)), model(9999, prop("x", 3, 7)))
    )
    root = import_scene(data)
    entity: Any = objects(root, "ENTITY")[1].tomb_raider
    shown = {each.name: each for each in entity.properties}
    shown["count"].integer, shown["is_on"].is_on, shown["tint"].color[2] = 6, False, 2 / 255
    level, warnings = exported(root)
    of_model, of_item, other = records(level)
    assert other == {"target": 0, "object": {"kind": 0, "id": 9999}, "properties": [_record("x", 3, 7)]}
    assert of_model["properties"] == [_record("health", 0, 40)]
    values = {each["name"]: each["value"] for each in of_item["properties"]}
    assert values == {
        "count": 6,
        "speed": 1.5,
        "exact": 0.1,
        "is_on": 0,
        "place": [1, -2, 3],
        "tint": [255, 128, 2],
    }
    assert not warnings
    assert level.to_bytes()[: len(sample_bytes(game))] == sample_bytes(game)


def _record(name: str, kind: int, value: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "value": value}


@each_game
def test_properties_can_be_added_and_removed(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    obj = objects(root, "ENTITY")[2]
    _add(obj, "on", "BOOLEAN")
    obj.tomb_raider.properties[0].is_on = True
    owner = objects(root, "MODEL")[0]
    _add(owner, "ratio", "FLOAT")
    owner.tomb_raider.properties[0].number = 0.25
    level, warnings = exported(root)
    of_model, of_item = records(level)
    assert of_model["object"]["id"] == owner.tomb_raider.model.id
    assert of_model["properties"] == [_record("ratio", 1, 0.25)]
    assert (of_item["item"], of_item["properties"]) == (2, [_record("on", 3, 1)])
    assert block_of(level).version == 9 and not warnings
    again = import_anew(level.to_bytes())
    assert exported(again)[0].to_bytes() == level.to_bytes()
    for each in (*objects(again, "ENTITY"), *objects(again, "MODEL")):
        each.tomb_raider.properties.clear()
    assert exported(again)[0].to_bytes() == sample_bytes(game)
    root.tomb_raider.engine = "ORIGINAL"
    assert exported(root)[0].to_bytes() == sample_bytes(game)


def _add(obj: Object, name: str, kind: str) -> None:
    with bpy.context.temp_override(object=obj, active_object=obj):
        bpy.ops.tomb_raider.edit_properties(action="ADD")
    made = obj.tomb_raider.properties[obj.tomb_raider.active_property]
    made.name, made.type = name, kind


@each_game
def test_properties_follow_their_entities(blender: ModuleType, game: Game) -> None:
    data = sample(game, block(item(0, ALL[0]), item(1, ALL[1]), item(2, ALL[2])))
    root = import_scene(data)
    bpy.data.objects.remove(objects(root, "ENTITY")[1])
    bpy.context.view_layer.update()
    level, _ = exported(root)
    found = {each["item"]: [one["name"] for one in each["properties"]] for each in records(level)}
    assert found == {0: ["count"], 1: ["exact"]}


@each_game
def test_copies_have_the_properties_too(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample(game, block(item(1, ALL[0]))))
    obj = objects(root, "ENTITY")[1]
    copy = obj.copy()
    obj.users_collection[0].objects.link(copy)
    bpy.context.view_layer.update()
    level, _ = exported(root)
    assert [each["item"] for each in records(level)] == [1, len(level.entities) - 1]


@each_game
def test_rooms_of_properties_follow_the_numbers_of_rooms(blender: ModuleType, game: Game) -> None:
    number, anchor = model_id(game), prop("anchor_room", 0, 2)
    data = sample(
        game, block(item(1, anchor, prop("depth", 0, 2)), model(number, anchor), model(9999, anchor))
    )
    root: Any = import_scene(data)
    entity: Any = objects(root, "ENTITY")[1]
    first, second, third = objects(root, "ROOM")[:3]
    assert entity.tomb_raider.properties[0].room == third
    assert exported(root)[0].to_bytes() == data
    bpy.data.objects.remove(second)
    bpy.context.view_layer.update()
    of_item, of_model, other = (each["properties"] for each in records(exported(root)[0]))
    assert of_model == other == [_record("anchor_room", 0, 1)]
    assert of_item == [_record("anchor_room", 0, 1), _record("depth", 0, 2)]
    entity.tomb_raider.properties[0].room = first
    bpy.data.objects.remove(third)
    bpy.context.view_layer.update()
    of_model, of_item, other = (each["properties"] for each in records(exported(root)[0]))
    assert of_model == other == [_record("anchor_room", 0, -1)]
    assert of_item[0] == _record("anchor_room", 0, 0)


_INTEGER = st.integers(-(1 << 31), (1 << 31) - 1)
_VALUES = st.one_of(
    st.tuples(st.just(0), _INTEGER),
    st.tuples(st.just(1), st.floats(width=32)),
    st.tuples(st.just(2), st.floats()),
    st.tuples(st.just(3), _INTEGER),
    st.tuples(st.just(4), st.lists(_INTEGER, min_size=3, max_size=3)),
    st.tuples(st.just(5), st.lists(st.integers(0, 255), min_size=3, max_size=3)),
)


@pytest.mark.once
@given(_VALUES, st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20))
def test_every_value_survives(value: tuple[int, Any], name: str) -> None:
    obj = bpy.data.objects.new("Probe", None)
    try:
        wanted = [_record(name, value[0], value[1])]
        _show(obj, wanted, {})
        assert repr(properties_of(obj, {})) == repr(wanted)
    finally:
        bpy.data.objects.remove(obj)


@pytest.mark.parametrize("new", ["INTEGER", "FLOAT", "DOUBLE", "BOOLEAN", "VECTOR", "COLOR"])
@pytest.mark.parametrize("old", [prop("x", 0, 7), prop("x", 1, 0.5), prop("x", 2, 1e300), prop("x", 3, 5)])
def test_every_type_becomes_every_other(blender: ModuleType, old: bytes, new: str) -> None:
    """The imported value is of the old type, so it counts no longer."""
    root = import_scene(sample(Game.TR1, block(item(0, old))))
    obj = objects(root, "ENTITY")[0]
    obj.tomb_raider.properties[0].type = new
    found = records(exported(root)[0])
    assert [each["type"] for record in found for each in record["properties"]] == [
        ["INTEGER", "FLOAT", "DOUBLE", "BOOLEAN", "VECTOR", "COLOR"].index(new)
    ]


CATALOG = """<propertyCatalog>
    <moveable id="{slot}">
        <property defaultValue="Low" entries="High, Low" description="How." internalName="mode" type="Enum"/>
        <property defaultValue="TEN.Vec3(1, -2, 3)" internalName="range" type="Vec3"/>
        <property defaultValue="255, 0, 51" internalName="tint" type="Color"/>
        <property defaultValue="true" internalName="bob" type="Bool"/>
        <property defaultValue="1.5" internalName="radius" type="Float"/>
    </moveable>
</propertyCatalog>"""


def test_names_of_catalogs_set_type_and_value(blender: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "mod" / "data").mkdir(parents=True)
    (tmp_path / "Properties").mkdir()
    path = tmp_path / "mod" / "data" / "cave.phd"
    path.write_bytes(sample_bytes(Game.TR1))
    slot = int(read_level(sample_bytes(Game.TR1)).entities["type"][1])
    (tmp_path / "Properties" / "default.xml").write_text(CATALOG.format(slot=slot))
    root: Any = import_level(path, ImportOptions(beside=False)).root
    root.tomb_raider.engine = "TRX"
    assert root.tomb_raider.gameflow.catalogs == str(tmp_path / "Properties")
    obj: Any = objects(root, "ENTITY")[1]
    for name in ("mode", "range", "tint", "bob", "radius", "anchor_room", "mine"):
        obj.tomb_raider.properties.add().known_name = name
    obj.tomb_raider.properties[0].known_name = "mode"
    obj.tomb_raider.active_property = 0
    (of_item,) = records(exported(root)[0])
    assert of_item["properties"] == [
        _record("mode", 0, 1),
        _record("range", 4, [1, -2, 3]),
        _record("tint", 5, [255, 0, 51]),
        _record("bob", 3, 1),
        _record("radius", 1, 1.5),
        _record("anchor_room", 0, -1),
        _record("mine", 0, 0),
    ]
    obj.tomb_raider.properties[0].integer = 0
    obj.tomb_raider.properties[0].known_name = "mode"  # the value of a chosen name stays
    assert obj.tomb_raider.properties[0].integer == 0
    assert list(possible_properties(obj)) == ["mode", "range", "tint", "bob", "radius"]
    assert possible_properties(objects(root, "ENTITY")[0]) == {}
    root.tomb_raider.gameflow.catalogs = str(tmp_path / "nowhere")
    assert possible_properties(obj) == {}
