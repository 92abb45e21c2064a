"""Injections made of two levels: applied to the first, they give the second, or name what differs."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.edits.injections.apply import apply_injection
from io_tomb_raider.formats.edits.injections.edits import edits_of
from io_tomb_raider.formats.edits.injections.fit import read_for_level
from io_tomb_raider.formats.edits.injections.make import Made, make_injection
from io_tomb_raider.formats.edits.injections.make_data import Library
from io_tomb_raider.formats.edits.references.comparison import differences
from io_tomb_raider.formats.levels.animations.frames import Keys, decode_frames, encode_frames
from io_tomb_raider.formats.levels.injections.fields import TRXI
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.textures.animated import decode_animated, encode_animated
from io_tomb_raider.formats.levels.textures.packing import object_texture_rects
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests import trxi_reader

from .samples import level_of, trxi

pytestmark = pytest.mark.once

GAMES = (Game.TR1, Game.TR2, Game.TR3)
each_game = pytest.mark.parametrize("game", GAMES)
Change = Callable[[Level, st.DataObject], None]


def put(owner: Any, name: str, row: int, **values: Any) -> None:
    records = np.array(getattr(owner, name))
    for field, value in values.items():
        records[field][row] = value
    setattr(owner, name, records)


def remade(before: Level, after: Level, *, trxj: bool = False) -> tuple[Made, Level]:
    """Return the injection of two levels, and the first one with it, each through its file."""
    after = read_level(after.to_bytes())
    made = make_injection(before, after, trxj=trxj)
    if not made.number:
        return made, before
    data = made.injection.to_bytes()
    if not trxj:
        assert trxi_reader.read(data).tests[0] == (4, before.game)
    fitting = read_for_level(data, before)
    assert not fitting.failed and not fitting.lost
    applied = apply_injection(fitting.injection, before)
    assert not applied.problems
    return made, read_level(applied.level.to_bytes())


# --- Edits that an injection can hold ---------------------------------------------------------------

NUMBERS = st.integers(-2000, 2000)


def move_item(level: Level, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(level.entities) - 1))
    put(level, "entities", row, x=data.draw(NUMBERS), angle=data.draw(NUMBERS), room=0)


def item_flags(level: Level, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(level.entities) - 1))
    put(level, "entities", row, flags=data.draw(st.integers(0, 0xFFFF)))


def new_item(level: Level, data: st.DataObject) -> None:
    item = level.entities[:1].copy()
    item["type"], item["x"] = data.draw(st.integers(0, 300)), data.draw(NUMBERS)
    if "intensity2" in (item.dtype.names or ()):
        item["intensity2"] = item["intensity"]
    level.entities = np.concatenate([level.entities, item])


def move_camera(level: Level, data: st.DataObject) -> None:
    put(level, "cameras", 0, y=data.draw(NUMBERS), flags=data.draw(st.integers(0, 3)))


def room_of(level: Level, data: st.DataObject) -> Any:
    return level.rooms[data.draw(st.integers(0, len(level.rooms) - 1))]


def move_vertex(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    row = data.draw(st.integers(0, len(room.vertices) - 1))
    put(room, "vertices", row, y=data.draw(NUMBERS))


def attributes(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    if "attributes" in room.vertices.dtype.names:
        put(room, "vertices", 0, attributes=data.draw(st.integers(0, 0xFFFF)))


def new_quad(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    quad = room.quads[:1].copy()
    quad["vertices"] = data.draw(st.lists(st.integers(0, len(room.vertices)), min_size=4, max_size=4))
    room.quads = np.concatenate([room.quads, quad])
    room.vertices = np.concatenate([room.vertices, room.vertices[:1]])
    if "light2" in room.vertices.dtype.names:
        put(room, "vertices", -1, light2=room.vertices["light"][-1])


def corners(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    row = data.draw(st.integers(0, len(room.quads) - 1))
    put(room, "quads", row, vertices=np.roll(room.quads["vertices"][row], data.draw(st.integers(1, 3))))


def texture(level: Level, data: st.DataObject) -> None:
    room, source = room_of(level, data), level.rooms[0]
    if len(source.quads) > 1 and room is not source:
        put(room, "quads", 0, texture=source.quads["texture"][1])


def heights(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    row = data.draw(st.integers(0, len(room.sectors) - 1))
    below = data.draw(st.sampled_from([255, 0, 1]))
    put(room, "sectors", row, floor=data.draw(st.integers(-100, 100)), room_below=below)


def functions(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    known = np.concatenate([each.sectors["floor_data"] for each in level.rooms]).tolist()
    row = data.draw(st.integers(0, len(room.sectors) - 1))
    put(room, "sectors", row, floor_data=data.draw(st.sampled_from(known)))


def material(level: Level, data: st.DataObject) -> None:
    if level.game is Game.TR3:
        room = room_of(level, data)
        box = int(room.sectors["box"][0]) & 0xFFF0 | data.draw(st.integers(0, 15))
        put(room, "sectors", 0, box=box)


def flags(level: Level, data: st.DataObject) -> None:
    room_of(level, data).flags ^= data.draw(st.sampled_from([1, 8, 32]))


def move_room(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    room.x, room.z = room.x + 1024 * data.draw(st.integers(-3, 3)), room.z + 1024


def portal(level: Level, data: st.DataObject) -> None:
    rooms = [room for room in level.rooms if len(room.portals)]
    room = data.draw(st.sampled_from(rooms))
    row = data.draw(st.integers(0, len(room.portals) - 1))
    portals = room.portals.copy()
    portals["vertices"][row] += 1  # all zero would remove it
    room.portals = portals


def static_mesh(level: Level, data: st.DataObject) -> None:
    room = room_of(level, data)
    if len(room.static_meshes):
        put(room, "static_meshes", 0, x=data.draw(NUMBERS), angle=data.draw(st.integers(0, 0xFFFF)))
        added = room.static_meshes[:1].copy()
        if "intensity2" in (added.dtype.names or ()):
            added["intensity2"] = added["intensity"]
        room.static_meshes = np.concatenate([room.static_meshes, added])
        if "unused" in (added.dtype.names or ()):
            put(room, "static_meshes", -1, unused=0)


def boxes(level: Level, data: st.DataObject) -> None:
    box = data.draw(st.lists(NUMBERS, min_size=6, max_size=6))
    put(level, "static_meshes", 0, collision_box=box, flags=data.draw(st.integers(0, 3)))


def speed(level: Level, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(level.animations) - 1))
    put(level, "animations", row, speed=data.draw(st.integers(-(1 << 20), 1 << 20)))


def edges(level: Level, data: st.DataObject) -> None:
    put(level, "sprite_textures", int(level.sprite_sequences["first"][0]), left=data.draw(NUMBERS))


def pixels(level: Level, data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, 250)), data.draw(st.integers(0, 250))
    if level.game is Game.TR1:
        pages = level.textiles8.copy()
        pages[0, y : y + 3, x : x + 5] = data.draw(st.integers(1, 255))
        level.textiles8 = pages
        return
    words = level.textiles16.copy()
    words[0, y : y + 3, x : x + 5] = 0x8000 | data.draw(st.integers(0, 0x7FFF))
    level.textiles16 = words


CHANGES: list[Change] = [
    move_item,
    item_flags,
    new_item,
    move_camera,
    move_vertex,
    attributes,
    new_quad,
    corners,
    texture,
    heights,
    functions,
    material,
    flags,
    move_room,
    portal,
    static_mesh,
    boxes,
    speed,
    edges,
    pixels,
]


def as_played(level: Level) -> Level:
    """Return a level without the light of vertices that TR3 does not read."""
    if level.game is Game.TR3:
        for room in level.rooms:
            room.vertices = room.vertices.copy()
            room.vertices["light"] = 0
    return level


def same_pages(one: Level, other: Level) -> bool:
    first, second = (decode_pages(pages_of(each)._replace(opaque=None)) for each in (one, other))
    return bool(np.array_equal(first, second))


@settings(max_examples=60)
@given(
    st.sampled_from(GAMES),
    st.booleans(),
    st.lists(st.sampled_from(CHANGES), min_size=1, max_size=6),
    st.data(),
)
def test_an_injection_turns_the_old_level_into_the_new_one(
    game: Game, trxj: bool, changes: list[Change], data: st.DataObject
) -> None:
    before, after = level_of(game), level_of(game)
    for change in changes:
        change(after, data)
    made, result = remade(before, after, trxj=trxj)
    assert not made.lost, made.lost
    assert made.injection.version == (11 if trxj else TRXI)
    assert (made.injection.tests or [{"type": None}])[0]["type"] in ((1, None) if trxj else (4, None))
    found = [
        each
        for each in differences(as_played(result), as_played(read_level(after.to_bytes())))
        if each.section not in ("floor_data", "footer", "textiles8", "textiles16")
    ]
    assert not found
    assert same_pages(result, after)


@each_game
def test_equal_levels_make_no_injection(game: Game) -> None:
    made = make_injection(level_of(game), level_of(game))
    assert not made.number and not made.lost and not made.injection.chunks


@each_game
def test_an_injection_holds_no_original_data_and_is_for_one_level(game: Game) -> None:
    after = level_of(game)
    put(after, "entities", 2, x=77)
    made = make_injection(level_of(game), after)
    assert [edit.label for edit in edits_of(made.injection)] == ["Move an entity"]
    assert len(made.injection.to_bytes()) < 200
    assert made.injection.tests[0] == {"type": 4, "game": game}
    other = level_of(game)
    other.rooms.append(other.rooms[0].copy())
    failed = read_for_level(made.injection.to_bytes(), other).failed
    assert failed == [f"the level has {len(other.rooms)} rooms, not {len(other.rooms) - 1}"]


def new_room(level: Level) -> None:
    level.rooms.append(level.rooms[0].copy())


def deleted_item(level: Level) -> None:
    level.entities = level.entities[:-1]


def light(level: Level) -> None:
    put(level.rooms[0], "lights", 0, x=5)


def other_type(level: Level) -> None:
    put(level, "entities", 1, type=int(level.entities["type"][1]) + 1)


def new_texture(level: Level) -> None:
    level.object_textures = np.concatenate([level.object_textures, level.object_textures[:1]])


@pytest.mark.parametrize(
    ("change", "section", "element"),
    [
        (new_room, "rooms", -1),
        (deleted_item, "entities", -1),
        (light, "rooms", 0),
        (other_type, "entities", 1),
        (new_texture, "object_textures", -1),
    ],
)
@each_game
def test_unsupported_changes_are_listed(
    game: Game, change: Callable[[Level], None], section: str, element: int
) -> None:
    after = level_of(game)
    change(after)
    made, _ = remade(level_of(game), after)
    assert [(each.section, each.element) for each in made.lost] == [(section, element)]


@each_game
def test_key_frames_and_meshes(game: Game) -> None:
    after = level_of(game)
    frames = after.frames.copy()
    frames[12] ^= 1
    after.frames = frames
    made, result = remade(level_of(game), after)
    assert not made.lost and result.frames.tolist() == after.frames.tolist()


def new_model(level: Level) -> None:
    model = level.models[1:2].copy()
    model["id"] = 150
    level.models = np.concatenate([level.models, model])


def other_mesh(level: Level) -> None:
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    number = int(block.pointers[level.models["first_mesh"][1]])
    mesh = block.meshes[number]
    mesh.quads = np.concatenate([mesh.quads, mesh.quads[:1]])
    encoded = [encode_mesh(level.game, each) if each is mesh else each.raw for each in block.meshes]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)


def other_static_mesh(level: Level) -> None:
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    number = int(block.pointers[level.static_meshes["mesh"][0]])
    mesh = block.meshes[number]
    mesh.vertices = mesh.vertices.copy()
    mesh.vertices[0, 1] -= 20
    encoded = [encode_mesh(level.game, each) if each is mesh else each.raw for each in block.meshes]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)


def own_texture(level: Level) -> None:
    """A new texture on a new page, on a mesh of another form."""
    other_mesh(level)
    pages = np.concatenate([level.textiles8, np.full((1, 256, 256), 9, np.uint8)])
    level.textiles8 = pages
    if level.game is not Game.TR1:
        level.textiles16 = np.concatenate([level.textiles16, np.full((1, 256, 256), 0xFC00, np.uint16)])
    texture = level.object_textures[:1].copy()
    texture["page"] = len(pages) - 1
    level.object_textures = np.concatenate([level.object_textures, texture])
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    mesh = block.meshes[int(block.pointers[level.models["first_mesh"][1]])]
    mesh.quads = mesh.quads.copy()
    mesh.quads["texture"][0] = len(level.object_textures) - 1
    encoded = [encode_mesh(level.game, each) if each is mesh else each.raw for each in block.meshes]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)


def looks(level: Level, pointer: int) -> list[Any]:
    """Return the vertices of a mesh, and for each quad its corners and the pixels of its texture."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    mesh = block.meshes[block.pointers[pointer]]
    pages = decode_pages(pages_of(level)._replace(opaque=None))
    boxes = object_texture_rects(level.object_textures, level.game)
    found: list[Any] = [mesh.vertices.tolist()]
    for face in mesh.quads:
        page, x, y, width, height = boxes[face["texture"]].tolist()
        found.append((face["vertices"].tolist(), pages[page, y : y + height, x : x + width].tolist()))
    return found


@pytest.mark.parametrize("change", [new_model, other_mesh, other_static_mesh, own_texture])
@each_game
def test_models_and_static_meshes_contain_their_textures(game: Game, change: Callable[[Level], None]) -> None:
    before, after = level_of(game), level_of(game)
    change(after)
    made, result = remade(before, after)
    assert not made.lost
    assert "New models, textures and animations" in {edit.label for edit in edits_of(made.injection)}
    after = read_level(after.to_bytes())
    name, field = ("static_meshes", "mesh") if change is other_static_mesh else ("models", "first_mesh")
    row = -1 if change is new_model else 1 if name == "models" else 0
    one, other = getattr(result, name)[row], getattr(after, name)[row]
    assert one["id"] == other["id"]
    assert looks(result, int(one[field])) == looks(after, int(other[field]))
    keys, wanted = Decoded(result).keys, Decoded(after).keys
    if name == "models" and other["animation"] != 0xFFFF:
        first, second = int(one["animation"]), int(other["animation"])
        assert keys.key_counts[first] == wanted.key_counts[second]
    assert [int(each) for each in result.models["id"]] == [int(each) for each in after.models["id"]]
    for mine, its in zip(result.models, after.models, strict=True):
        for number in range(int(its["meshes"])):
            pointers = (int(each["first_mesh"]) + number for each in (mine, its))
            one, other = (looks(each, at) for each, at in zip((result, after), pointers, strict=True))
            assert one == other


def longer_animation(level: Level) -> None:
    """One more key frame, turned, in the last animation that has some."""
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    number = int(np.flatnonzero(keys.key_counts)[-1])
    old = keys.keys(number)
    pieces = np.append(old.angles, old.angles[-1:] + np.uint16(0x40), axis=0)
    boxes, offsets = (np.append(each, each[-1:], axis=0) for each in (old.boxes, old.offsets))
    encoded = encode_frames(level.game, Keys(boxes, offsets, pieces))
    start = int(level.animations["frame_offset"][number]) // 2
    level.frames = np.concatenate([level.frames[:start], encoded.words])
    put(level, "animations", number, frame_size=encoded.frame_size)
    put(level, "animations", number, last_frame=int(level.animations["last_frame"][number]) + 1)


@pytest.mark.parametrize("trxj", [False, True])
@each_game
def test_animations_with_more_key_frames_are_those_of_whole_models(game: Game, trxj: bool) -> None:
    before, after = level_of(game), level_of(game)
    longer_animation(after)
    made, result = remade(before, after, trxj=trxj)
    assert not made.lost
    made_models, models, old_models = (
        Library(each, textures=False).models() for each in (result, read_level(after.to_bytes()), before)
    )
    (changed,) = (number for number, content in models.items() if old_models[number] != content)
    assert made_models[changed] == models[changed]
    assert made.injection.records(13)[0]["object"] == {"kind": 0, "id": changed}


@each_game
def test_demos_and_new_animated_textures_need_trxi(game: Game) -> None:
    before, after = level_of(game), level_of(game)
    groups = [*map(list, decode_animated(after.animated_textures).groups), [1, 0]]
    after.animated_textures = encode_animated(groups, after.animated_textures)
    after.demo_data = np.arange(8, dtype=np.uint8)
    made, result = remade(before, after)
    assert not made.lost and made.number == 2
    assert result.demo_data.tolist() == [*range(8)]
    assert result.animated_textures.tobytes() == after.animated_textures.tobytes()
    older, _ = remade(before, after, trxj=True)
    assert {each.section for each in older.lost} == {"animated_textures", "demo_data"}


@pytest.mark.parametrize("trxj", [False, True])
def test_edits_of_the_level_itself_are_contained(trxj: bool) -> None:
    before, after = level_of(Game.TR1), level_of(Game.TR1)
    name = (37, 1, struct.pack("<hi", 1, 1) + b"a")
    block = trxi((7, 1, [(43, 1, bytes(4))]), (6, 1, [name]))
    after.footer = np.frombuffer(block, np.uint8)
    made = make_injection(before, after, trxj=trxj)
    assert made.injection.records(37) == [{"item": 1, "name": "a"}]
    kinds = [block.type for block in made.injection.blocks]
    assert kinds == ([37] if trxj else [43, 37])
    lost = [("footer", "demo data")] if trxj else []
    assert [(each.section, each.text) for each in made.lost if each.section == "footer"] == lost


def test_sounds_of_tr1_contain_their_samples() -> None:
    after = level_of(Game.TR1)
    put(after, "sound_details", 0, volume=1234)
    made, _ = remade(level_of(Game.TR1), after)
    assert not made.lost and made.injection.records(14)
    other = level_of(Game.TR2)
    put(other, "sound_details", 0, volume=1234)
    assert [each.section for each in remade(level_of(Game.TR2), other)[0].lost] == ["sound_details"]


def test_levels_of_other_games_are_refused() -> None:
    with pytest.raises(ExportError, match="one of TR1, the other one of TR2"):
        make_injection(level_of(Game.TR1), level_of(Game.TR2))
    with pytest.raises(ExportError, match="for levels of TR1 to TR3"):
        make_injection(level_of(Game.TR4), level_of(Game.TR4))
