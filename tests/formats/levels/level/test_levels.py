"""Whole files: written as they were read, recognized by content, and changed only where edited."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Game, Level, Room, Variant, read_level
from io_tomb_raider.formats.base.schema.sections import Compressed, Marker, Sized
from io_tomb_raider.formats.levels.level.layouts import LAYOUTS
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.rooms.geometry import (
    decode_faces,
    encode_faces,
    encode_layers,
    vertex_layers,
)
from io_tomb_raider.formats.levels.rooms.rooms_tr5 import encode_room
from tests.games import each_game
from tests.real_levels import REAL_LEVELS, skip_without
from tests.sample_levels import SAMPLES, sample_bytes, sample_level

from ...hostile.decoders import DECODERS

# The content of every level, generated or real, and those with rooms.
CONTENTS: dict[str, Any] = {
    name: (lambda of=of: sample_bytes(of[0], of[1], **of[2])) for name, of in SAMPLES.items()
}
CONTENTS |= {path.name: path.read_bytes for path in REAL_LEVELS}
each_level = pytest.mark.parametrize("name", CONTENTS)
each_whole_level = pytest.mark.parametrize("name", [name for name in CONTENTS if name != "tr3-textiles"])
each_compressed_game = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])


def content_of(name: str) -> bytes:
    content: bytes = CONTENTS[name]()
    return content


def section_names(level: Level) -> list[str]:
    """Return the names of a level's sections, including those in chunks, in file order."""
    return list(_names(level.layout))


def _names(sections: Iterable[Any]) -> Iterator[str]:
    for section in sections:
        if isinstance(section, Compressed | Sized):
            yield from _names(section.sections)
        elif hasattr(section, "names"):
            yield from section.names
        elif hasattr(section, "name") and not isinstance(section, Marker):
            yield section.name


def same(one: Any, other: Any) -> bool:
    """Return whether two values of a section are equal in every bit."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, list):
        return len(one) == len(other) and all(same_rooms(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def same_rooms(one: Room, other: Room) -> bool:
    derived = {"block", "header", "geometry_words"}
    return all(same(value, vars(other)[name]) for name, value in vars(one).items() if name not in derived)


def differing_sections(one: Level, other: Level) -> set[str]:
    """Return the names of the attributes in which two levels differ."""
    apart = {"streams", "layout"}
    return {
        name for name, value in vars(one).items() if name not in apart and not same(value, vars(other)[name])
    }


# --- Unedited ------------------------------------------------------------------------------


@each_level
def test_an_unedited_level_is_written_byte_for_byte(name: str) -> None:
    content = content_of(name)
    assert read_level(content).to_bytes() == content


@each_level
def test_a_copy_is_written_byte_for_byte(name: str) -> None:
    content = content_of(name)
    assert read_level(content).copy().to_bytes() == content


@each_level
def test_only_levels_of_trng_have_bytes_after_the_last_section(name: str) -> None:
    level = read_level(content_of(name))
    behind = bytes(getattr(level, "footer", b""))
    assert behind == b"" or level.has_trng_footer


@each_level
def test_recompressed_sections_have_equal_content(name: str) -> None:
    """Compressed bytes may differ from those of other compressors; the content must be equal."""
    content = content_of(name)
    level = read_level(content)
    level.streams = {}
    assert differing_sections(read_level(level.to_bytes()), read_level(content)) == set()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_written_level_is_read_with_the_same_content(name: str) -> None:
    game, variant, options = SAMPLES[name]
    made = sample_level(game, variant, **options)
    read = read_level(sample_bytes(game, variant, **options))
    assert (read.game, read.variant) == (game, variant)
    textiles_only = ["version", "palette", "palette16", "textiles8", "textiles16"]
    for section in section_names(made) if made.rooms else textiles_only:
        assert same(np.asarray(getattr(made, section)), np.asarray(getattr(read, section)))
    for one, other in zip(made.rooms, read.rooms, strict=True):
        for field in ("x", "z", "y_top", "y_bottom", "flags", "alternate_room", "x_sectors", "z_sectors"):
            assert getattr(one, field) == getattr(other, field)
        for field in ("vertices", "quads", "triangles", "portals", "sectors", "lights", "static_meshes"):
            assert getattr(one, field).tobytes() == getattr(other, field).tobytes()


@each_level
def test_arrays_of_a_level_are_read_only(name: str) -> None:
    level = read_level(content_of(name))
    values = [value for part in (level, *level.rooms) for value in vars(part).values()]
    arrays = [value for value in values if isinstance(value, np.ndarray) and value.size]
    assert arrays
    assert all(not array.flags.writeable for array in arrays)


# --- Recognized by content --------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("suffix", [".phd", ".tub", ".tr2", ".tr4", ".trc", ".bin", ""])
def test_the_game_is_recognized_by_content(name: str, suffix: str, tmp_path: Path) -> None:
    game, variant, options = SAMPLES[name]
    path = tmp_path / f"level{suffix}"
    path.write_bytes(sample_bytes(game, variant, **options))
    level = read_level(path)
    assert (level.game, level.variant) == (game, variant)
    assert read_level(str(path)).game == game


@each_compressed_game
@pytest.mark.parametrize("suffix", [".tr4", ".trc"])
def test_the_suffix_decides_where_the_third_chunk_does_not(game: Game, suffix: str, tmp_path: Path) -> None:
    level = read_level(sample_bytes(game))
    level.misc_textiles32 = level.misc_textiles32[:1]
    path = tmp_path / f"level{suffix}"
    path.write_bytes(level.to_bytes())
    if (game is Game.TR5) == (suffix == ".trc"):
        assert read_level(path).game == game
        assert read_level(path.read_bytes(), name=path.name).game == game
    else:
        with pytest.raises(FormatError):
            read_level(path)


@pytest.mark.parametrize(
    ("content", "section", "words"),
    [
        (b"", "version", "0 bytes"),
        (b"\x20\0\0\0", "version", "4 bytes"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "version", "0x474e5089"),
        (b"TRX4" + bytes(64), "version", "remastered"),
        (b"TRX5" + bytes(64), "version", "remastered"),
        (b"\xc8\xff\xff\xff" + bytes(64), "version", "PlayStation"),
        (b"\x10\x20\0\0pBAV" + bytes(64), "version", "PlayStation"),
        (b"TR4c" + b"\xa5" * 64, "version", "protected"),
        (b"x\x9c" + b"\xff" * 64, "file", "zlib"),
        (b"\x20\0\0\0" + b"\xff" * 64, "textiles8", "bytes"),
    ],
)
def test_foreign_files_are_refused_in_plain_words(content: bytes, section: str, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_level(content)
    assert caught.value.section == section
    assert caught.value.offset is not None
    assert words in str(caught.value)


def test_a_demo_with_the_mark_of_protected_levels_is_opened() -> None:
    content = sample_bytes(Game.TR4).replace(b"TR4\0", b"TR4c", 1)
    level = read_level(content)
    assert level.game is Game.TR4
    assert level.to_bytes() == content


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_level(tmp_path / "missing.phd")


# --- Decoded and encoded -----------------------------------------------------------------------


@each_whole_level
def test_decoded_meshes_are_encoded_to_the_same_block(name: str) -> None:
    level = read_level(content_of(name))
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    for mesh in block.meshes:
        own = encode_mesh(level.game, mesh)
        # The last two bytes may be the gap between two meshes, with arbitrary content.
        assert len(own) == len(mesh.raw)
        assert own[:-2] == mesh.raw[:-2]
    data, pointers = encode_block([mesh.raw for mesh in block.meshes], block.pointers)
    assert data.tobytes() == level.mesh_data.tobytes()
    assert pointers.tobytes() == level.mesh_pointers.tobytes()


@each_whole_level
def test_every_mesh_has_normals_or_lights_for_all_vertices(name: str) -> None:
    level = read_level(content_of(name))
    for mesh in decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes:
        shading = mesh.lights if mesh.normals is None else mesh.normals
        assert shading is not None
        assert len(shading) == len(mesh.vertices)


@each_whole_level
def test_faces_of_rooms_encode_to_their_records(name: str) -> None:
    level = read_level(content_of(name))
    for room in level.rooms:
        quads, triangles = decode_faces(level.game, room)
        for faces in (quads, triangles):
            assert not len(faces.corners) or faces.corners.max() < len(room.vertices)
        if level.game is not Game.TR5:
            encoded = encode_faces(level.game, quads, triangles)
            assert same(encoded[0], room.quads) and same(encoded[1], room.triangles)
            continue
        mesh = encode_layers(room.vertices, vertex_layers(room), quads, triangles, room.layers)
        assert same(mesh.vertices, room.vertices)
        assert mesh.quads.tobytes() == room.quads.tobytes()
        assert mesh.triangles.tobytes() == room.triangles.tobytes()
        for field in ("vertices", "quads", "triangles", "water_vertices"):
            if len(room.layers):
                assert same(mesh.layers[field], room.layers[field])


def tr5_names() -> list[str]:
    return [name for name in CONTENTS if name.startswith("tr5") or name.endswith(".trc")]


@pytest.mark.parametrize("name", tr5_names())
def test_rebuilt_rooms_of_tr5_have_equal_content(name: str) -> None:
    level = read_level(content_of(name))
    content = level.to_bytes()
    for room in level.rooms:
        del room.block
    level.streams = {}
    again = read_level(level.to_bytes())
    assert differing_sections(again, read_level(content)) == set()
    for room, original in zip(again.rooms, read_level(content).rooms, strict=True):
        for field in ("lights", "quads", "triangles", "layers", "static_meshes", "fog_bulbs", "lights2"):
            assert same(room.header[field], original.header[field])


@pytest.mark.parametrize("name", tr5_names())
def test_deleting_a_light_of_a_tr5_room_changes_only_its_block(name: str) -> None:
    level = read_level(content_of(name))
    before = [encode_room(room) for room in level.rooms]
    place = next(index for index, room in enumerate(level.rooms) if len(room.lights))
    level.rooms[place].lights = level.rooms[place].lights[:-1]
    again = read_level(level.to_bytes())
    after = [encode_room(room) for room in again.rooms]
    assert len(again.rooms[place].lights) == len(level.rooms[place].lights)
    assert [index for index, block in enumerate(after) if block != before[index]] == [place]


def test_offsets_of_empty_parts_of_tr5_rooms_are_ignored() -> None:
    """Rooms without a mesh are filled with 0xCD in original levels, including offsets."""
    content = sample_bytes(Game.TR5)
    level = read_level(content)
    void = level.rooms[-1]
    assert void.block is not None and not len(void.lights) and not len(void.static_meshes)
    start = content.index(bytes(void.block)) + 8
    header = void.header.copy()
    for field in ("lights_offset", "fog_bulbs_offset", "statics_offset", "layers_offset", "faces_offset"):
        header[field] = 0xCDCDCDCD
    changed = content[:start] + header.tobytes() + content[start + header.nbytes :]
    again = read_level(changed)
    assert same(again.rooms[-1].sectors, void.sectors)
    assert again.to_bytes() == changed


# --- Edited ------------------------------------------------------------------------------------

EDITABLE = (
    "floor_data",
    "mesh_data",
    "frames",
    "animations",
    "models",
    "object_textures",
    "sprite_textures",
    "entities",
    "cameras",
    "overlaps",
    "sound_details",
    "textiles16",
)


@each_whole_level
def test_an_edited_section_is_all_that_changes(name: str) -> None:
    content = content_of(name)
    original = read_level(content)
    edited = [section for section in EDITABLE if len(getattr(original, section, ()))]
    assert len(edited) >= 7
    for section in edited:
        level = read_level(content)
        array = getattr(level, section).copy()
        array.reshape(-1)[-1:].view(np.uint8)[-1] ^= 0x01
        setattr(level, section, array)
        written = level.to_bytes()
        assert differing_sections(read_level(written), original) == {section}
        if level.game <= Game.TR3:
            assert len(written) == len(content)
            assert np.count_nonzero(np.frombuffer(written, np.uint8) != np.frombuffer(content, np.uint8)) == 1


@each_whole_level
def test_an_added_entity_changes_no_other_section(name: str) -> None:
    content = content_of(name)
    level = read_level(content)
    skip_without(level.entities)
    level.entities = np.concatenate([level.entities, level.entities[:1]])
    written = level.to_bytes()
    assert differing_sections(read_level(written), read_level(content)) == {"entities"}
    if level.game <= Game.TR3:
        assert len(written) == len(content) + level.entities.dtype.itemsize


@each_whole_level
def test_a_moved_vertex_of_a_room_changes_that_room(name: str) -> None:
    level = read_level(content_of(name))
    original = read_level(content_of(name))
    skip_without(level.rooms)
    index = next(number for number, room in enumerate(level.rooms) if len(room.vertices))
    vertices = level.rooms[index].vertices.copy()
    vertices["x"][0] += 1
    level.rooms[index].vertices = vertices
    again = read_level(level.to_bytes())
    assert differing_sections(again, original) == {"rooms"}
    changed = [
        n for n, (a, b) in enumerate(zip(again.rooms, original.rooms, strict=True)) if not same_rooms(a, b)
    ]
    assert changed == [index]
    assert same(np.asarray(again.rooms[index].vertices), vertices)


@each_compressed_game
def test_unedited_chunks_keep_their_compressed_streams(game: Game) -> None:
    """The streams are made with a setting that this package does not use, as other tools do."""
    level = read_level(sample_bytes(game))
    level.streams = {
        name: (content, memoryview(zlib.compress(content, 1))) for name, (content, _) in level.streams.items()
    }
    foreign = level.to_bytes()
    again = read_level(foreign)
    assert again.to_bytes() == foreign
    pages = again.textiles32.copy()
    pages[0, 0, 0] ^= 0xFF
    again.textiles32 = pages
    edited = read_level(again.to_bytes())
    assert bytes(edited.streams["textiles16"][1]) == bytes(level.streams["textiles16"][1])
    assert bytes(edited.streams["misc_textiles32"][1]) == bytes(level.streams["misc_textiles32"][1])
    assert bytes(edited.streams["textiles32"][1]) == zlib.compress(pages.tobytes(), 6)


def test_the_one_stream_of_an_early_demo_is_kept_until_something_is_edited() -> None:
    plain = zlib.decompress(sample_bytes(Game.TR4, Variant.EARLY_DEMO, early_layout=1))
    foreign = zlib.compress(plain, 1)
    level = read_level(foreign)
    assert level.to_bytes() == foreign
    level.entities = level.entities[:-1]
    again = read_level(level.to_bytes())
    assert (again.variant, len(again.entities)) == (Variant.EARLY_DEMO, len(level.entities))
    assert differing_sections(again, read_level(foreign)) == {"entities"}


def test_the_footer_and_the_long_sound_map_of_trng_are_kept() -> None:
    level = read_level(sample_bytes(Game.TR4, trng=True))
    assert len(level.sound_map) == 2048
    assert bytes(level.footer[:2]) == b"NG"
    level.entities = level.entities[:-1]
    again = read_level(level.to_bytes())
    assert len(again.sound_map) == 2048
    assert again.footer.tobytes() == level.footer.tobytes()


def test_a_textiles_only_file_of_tr3_stays_one() -> None:
    level = read_level(sample_bytes(Game.TR3, textiles_only=True))
    assert level.rooms == []
    pages = level.textiles16.copy()
    pages[0, 0, 0] ^= 1
    level.textiles16 = pages
    again = read_level(level.to_bytes())
    assert again.rooms == []
    assert same(again.textiles16, pages)


@each_game
def test_a_level_in_which_there_is_nothing_is_read_decoded_and_written(game: Game) -> None:
    level = sample_level(game)
    fixed = {"palette", "palette16", "light_map", "sound_map", "filler", "weather_filler", "misc_textiles32"}
    for name, value in list(vars(level).items()):
        if isinstance(value, np.ndarray) and name not in fixed:
            setattr(level, name, value[:0])
    level.zones = np.zeros((2, 3 if game is Game.TR1 else 5, 0), np.uint16)
    level.rooms = []
    level.sample_count = 0
    content = level.to_bytes()
    again = read_level(content)
    assert (again.game, len(again.rooms), len(again.entities)) == (game, 0, 0)
    for decoder in DECODERS:
        decoder.decode(again)
    assert again.to_bytes() == content


def test_a_demo_that_is_a_retail_level_with_a_footer_too_is_a_demo() -> None:
    """Its black light map and its empty world have the same bytes in both orders of sections."""
    level = Level.empty(Game.TR2)
    level.variant, level.layout = Variant.DEMO, LAYOUTS[Game.TR2, Variant.DEMO]
    level.light_map = np.zeros_like(level.light_map)
    for name in ("cameras", "sound_sources", "boxes", "overlaps", "animated_textures", "entities"):
        setattr(level, name, getattr(level, name)[:0])
    level.zones = level.zones[:, :, :0]
    wave = b"RIFF" + (40).to_bytes(4, "little") + bytes(40)
    level.sample_count, level.samples = 1, np.frombuffer(wave, np.uint8)
    data = level.to_bytes()
    found = read_level(data)
    assert found.variant is Variant.DEMO and found.samples.tobytes() == wave
    assert found.to_bytes() == data
    broken = data.replace(b"RIFF", b"RUFF")
    assert read_level(broken).variant is Variant.RETAIL and read_level(broken).to_bytes() == broken
