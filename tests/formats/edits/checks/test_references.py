"""References between records: every field is declared, and every missing number is found where it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.edits.checks.references import JUDGED_ELSEWHERE, check_references, severity
from io_tomb_raider.formats.edits.references.references import REFERENCES, Reference, tables
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import THE_LEVEL, Element, Finding, Severity
from tests.games import each_game
from tests.sample_levels import sample_level

# Words that are decoded to be judged.
DECODED = frozenset({"floor_data", "room.layers.vertices", "room.layers.quads", "room.layers.triangles"})

# Fields whose numbers refer to nothing; a name means the same in all records that have it. The next frame of
# animations counts frames, and is outside of its animation in all games' levels.
PLAIN = frozenset(
    """
    acceleration alternate_group ambient ambient2 angle attribute attributes bottom ceiling chance
    collision_box color direction2 effects falloff falloff2 filler first_frame flags floor fov
    frame_rate frame_size height high id index intensity intensity2 last_frame lateral_acceleration
    lateral_speed left light light2 light_mode low next_frame normal ocb original_u original_v pad
    parameters pitch pointers position range reverb right roll sequence shadow speed state target
    timer top type unused uv visibility_box volume water_scheme width x x_max x_min x_sectors y
    y_bottom y_top z z_max z_min z_sectors room.portals.vertices room.layers.water_vertices
    room.layers.shore_vertices room.layers.water_quads room.layers.water_triangles
    mesh.colored_quads.texture mesh.colored_triangles.texture
    """.split()  # noqa: SIM905
)
# Sections without numbers of other elements, those that are decoded to be judged, and the TR5 room header,
# which is written from the room.
PLAIN_SECTIONS = frozenset(
    """
    animation_commands demo_data filler footer frames light_map mesh_data mesh_trees misc_textiles32
    palette palette16 sample_data samples textiles16 textiles32 textiles8 weather_filler zones
    room.header
    """.split()  # noqa: SIM905
)

# The number of elements that fields can name, by the target of their reference.
PAGES = {Game.TR1: "textiles8", Game.TR2: "textiles8", Game.TR3: "textiles8"}
BITS = {"frame_offset": 2}  # a frame is a word, and its offset counts bytes


def targets(level: Level, reference: Reference) -> int:
    """Return the first number that an element of the target lacks."""
    if reference.by_id:
        return int(getattr(level, reference.target)["id"].max()) + 1
    if reference.target == "samples":
        return len(level.sample_indices) if level.has("sample_indices") else level.sample_count
    name = PAGES.get(level.game, "textiles32") if reference.target == "pages" else reference.target
    return len(getattr(level, name, ()))


def fields() -> Iterator[tuple[str, Reference]]:
    """Yield references of sections of the level, and of rooms, whose field is the number itself."""
    for name, references in REFERENCES.items():
        for reference in references:
            is_judged = f"{name}.{reference.field}" not in JUDGED_ELSEWHERE
            if (
                is_judged
                and not name.startswith("mesh.")
                and reference.target != "vertices"
                and name != "cameras"
            ):
                yield name, reference


def holder(level: Level, name: str, data: st.DataObject) -> tuple[Any, str, int]:
    """Return the object that has the records of a section, their name there, and its room's number."""
    if name == "rooms":
        number = data.draw(st.integers(0, len(level.rooms) - 1))
        return level.rooms[number], "", number
    if name.startswith("room."):
        name = name.removeprefix("room.")
        rooms = [number for number, room in enumerate(level.rooms) if len(getattr(room, name, ()))]
        number = data.draw(st.sampled_from(rooms)) if rooms else 0
        return level.rooms[number], name, number
    return level, name, -1


def break_field(records: NDArray[Any], row: int, reference: Reference, value: int) -> NDArray[Any]:
    records = records.copy()
    if not reference.field:
        records[row] = value
        return records
    records[reference.field][row] = value * BITS.get(reference.field, 1)
    if reference.length:  # ranges need an element
        records[reference.length][row] = {"negative_length": -1, "flags": 1 << 2, "meshes": 2}.get(
            reference.length, 1
        )
    return records


def element(name: str, records: NDArray[Any], row: int, room: int) -> Element:
    kinds = {"entities": "entity", "models": "model"}
    if room >= 0:
        return Element("room", room)
    if name not in kinds:
        return THE_LEVEL
    return Element(kinds[name], int(records["id"][row]) if name == "models" else row)


@each_game
@pytest.mark.parametrize(("name", "reference"), list(fields()), ids=lambda each: getattr(each, "field", each))
@settings(max_examples=5)
@given(data=st.data())
def test_a_missing_number_in_any_field_is_found_where_it_is(
    game: Game, name: str, reference: Reference, data: st.DataObject
) -> None:
    level = sample_level(game)
    obj, section, room = holder(level, name, data)
    records: NDArray[Any] = getattr(obj, section, np.zeros(0)) if section else np.zeros(0)
    missing = targets(level, reference) + data.draw(st.integers(0, 3))
    if not section:
        obj.alternate_room, row = missing, 0
    elif not len(records) or (name == "sample_indices" and game is not Game.TR1):
        return
    else:
        first = 2 if section == "animated_textures" else 0
        row = data.draw(st.integers(first, first if first else len(records) - 1))
        if reference.field == "frame_offset":
            missing += 1  # what has no frames may begin at the end
        has_material = name == "room.sectors" and game.traits.has_materials
        setattr(obj, section, break_field(records, row, reference, missing << 4 * has_material))
    expected = element(name, records, row, room)
    found = [each for each in check_references(Decoded(level)) if each.check == f"{name}.{reference.field}"]
    assert [(each.obj, each.severity) for each in found] == [(expected, severity(name, reference))]
    assert str(missing) in found[0].text or reference.length or reference.field == "frame_offset"


@each_game
def test_every_field_of_every_record_is_declared_once(game: Game) -> None:
    for table in tables(Decoded(sample_level(game))):
        types = {name: table.records.dtype[name] for name in table.records.dtype.names or ()}
        for field in (name for name, dtype in types.items() if dtype.base.kind in "iu"):
            path = f"{table.name}.{field}"
            refers = any(field in (each.field, each.length) for each in REFERENCES.get(table.name, ()))
            is_plain = path in PLAIN or field in PLAIN or table.name in PLAIN_SECTIONS
            assert refers or is_plain or path in DECODED, path
        if not types:
            assert table.name in (*REFERENCES, *DECODED, *PLAIN_SECTIONS), table.name


def errors(level: Level) -> list[tuple[str, Element, int]]:
    found: list[Finding] = check_level(level)
    return [(each.check, each.obj, each.count) for each in found if each.severity is Severity.ERROR]


@each_game
def test_faces_of_meshes_and_rooms_with_a_vertex_too_many_are_found(game: Game) -> None:
    level = sample_level(game)
    assert errors(level) == []
    number = next(number for number, room in enumerate(level.rooms) if len(room.quads))
    room = level.rooms[number]
    quads = room.quads.copy()
    limit = int(room.layers["vertices"][0]) if game is Game.TR5 else len(room.vertices)
    quads["vertices"][0, 2] = limit - 1
    room.quads = quads.copy()
    assert errors(level) == []
    quads["vertices"][0, 2] = limit
    room.quads = quads
    assert errors(level) == [("room.quads.vertices", Element("room", number), 1)]
    room.quads = room.quads.copy()
    room.quads["vertices"][0, 2] = 0
    block = Decoded(level).meshes
    mesh = next(number for number, each in enumerate(block.meshes) if len(each.triangles))
    checked = Decoded(level)
    triangles = block.meshes[mesh].triangles.copy()
    triangles["vertices"][0, 1] = len(block.meshes[mesh].vertices)
    block.meshes[mesh].triangles = triangles
    checked.meshes = block
    found = [(each.check, each.obj) for each in check_references(checked) if each.severity]
    assert found == [("mesh.triangles.vertices", Element("mesh", mesh))]


@each_game
def test_cameras_name_rooms_and_sinks_name_boxes(game: Game) -> None:
    level = sample_level(game)
    level.cameras = np.repeat(level.cameras[:1], 1)
    level.cameras["room"] = 99
    level.cameras["flags"] = len(level.boxes)  # neither a camera in its room nor a sink with a box
    assert ("cameras.room", Element("camera", 0), 1) in errors(level)


@each_game
def test_entities_in_flipped_rooms_are_found(game: Game) -> None:
    level = sample_level(game)
    pair = next(room for room in level.rooms if room.alternate_room >= 0)
    level.entities = level.entities.copy()
    level.entities["room"][1] = pair.alternate_room
    found = [each for each in check_references(Decoded(level)) if each.check == "flipped room"]
    assert [(each.obj, each.severity) for each in found] == [(Element("entity", 1), Severity.WARNING)]
    assert found[0].others == (Element("room", pair.alternate_room),)
