"""The level editor's WADs: byte for byte, and converted to levels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import QUAD
from io_tomb_raider.formats.editors.wads.wad.level import convert_wad
from io_tomb_raider.formats.editors.wads.wad.meshes import decode_wad_meshes
from io_tomb_raider.formats.editors.wads.wad.swd import read_swd
from io_tomb_raider.formats.editors.wads.wad.textures import decode_wad_pages
from io_tomb_raider.formats.editors.wads.wad.wad import Wad, read_wad
from io_tomb_raider.formats.levels.animations.frames import LevelKeys, decode_frames
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites
from io_tomb_raider.formats.levels.textures.textiles import decode_pages32

from .....sample_levels import sample_level
from .....wad_samples import (
    GARBAGE,
    HOLES,
    RECTANGLES,
    Polygon,
    draw_pages,
    mesh_bytes,
    sample_polygons,
    sample_swd,
    sample_wad,
)

each_version = pytest.mark.parametrize("version", [129, 130])
with_and_without_garbage = pytest.mark.parametrize("garbage", [False, True])


# --- The files ---------------------------------------------------------------------------------


@each_version
@with_and_without_garbage
def test_wads_come_back_byte_for_byte(version: int, garbage: bool, tmp_path: Path) -> None:
    data = sample_wad(version, garbage=garbage).to_bytes()
    (tmp_path / "sample.wad").write_bytes(data)
    for wad in (read_wad(data), read_wad(tmp_path / "sample.wad")):
        assert wad.to_bytes() == data
        assert wad.version == version
        assert len(wad.footer) == (12 if garbage else 0)


def test_an_edited_section_is_written() -> None:
    wad = read_wad(sample_wad().to_bytes())
    wad.static_meshes = wad.static_meshes[:1]
    again = read_wad(wad.to_bytes())
    assert len(again.static_meshes) == 1
    assert again.models.tobytes() == wad.models.tobytes()
    wad.version = 131
    with pytest.raises(ExportError, match="131"):
        wad.to_bytes()


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(FormatError, match="129 or 130") as caught:
        read_wad(b"\x83" + sample_wad().to_bytes()[1:])
    assert (caught.value.section, caught.value.offset) == ("version", 0)


@pytest.mark.parametrize("stale", [0, 5, 393216])
def test_sprites_come_back_byte_for_byte(stale: int) -> None:
    data = sample_swd(stale=stale).to_bytes()
    swd = read_swd(data)
    assert swd.to_bytes() == data
    assert swd.sequences["id"].tolist() == [463]


def test_an_empty_swd_is_sixteen_bytes() -> None:
    data = b"\x81" + bytes(15)
    assert read_swd(data).to_bytes() == data
    assert len(read_swd(data).sprites) == 0


# --- Meshes ------------------------------------------------------------------------------------


def test_meshes_have_the_vertices_and_faces_that_were_written() -> None:
    wad = read_wad(sample_wad().to_bytes())
    level = sample_level(Game.TR4)
    expected = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers)
    block = decode_wad_meshes(wad.mesh_data, wad.mesh_pointers)
    assert block.pointers.tolist() == expected.pointers.tolist()
    lit = 0
    for mesh, original, polygons in zip(block.meshes, expected.meshes, sample_polygons(), strict=True):
        assert (mesh.center, mesh.radius, mesh.flags) == (original.center, original.radius, original.flags)
        assert np.array_equal(mesh.vertices, original.vertices)
        for ours, theirs in ((mesh.normals, original.normals), (mesh.lights, original.lights)):
            assert (None if ours is None else ours.tolist()) == (None if theirs is None else theirs.tolist())
        lit += mesh.lights is not None
        for faces, corners in ((mesh.quads, 4), (mesh.triangles, 3)):
            wanted = [polygon for polygon in polygons if len(polygon.vertices) == corners]
            assert [tuple(face) for face in faces["vertices"].tolist()] == [one.vertices for one in wanted]
            assert faces["texture"].tolist() == [one.texture for one in wanted]
            assert faces["effects"].tolist() == [one.attributes for one in wanted]
    assert lit, "static meshes with shades are among them"


corner = st.integers(0, 0xFFFF)
polygons = st.builds(
    Polygon,
    st.tuples(corner, corner, corner) | st.tuples(corner, corner, corner, corner),
    st.integers(0, 4095),
    st.booleans(),
    st.integers(0, 3),
    st.integers(0, 255),
)


@given(st.lists(st.lists(polygons, max_size=40), min_size=1, max_size=4))
def test_any_mixture_of_polygons_is_found(faces: list[list[Polygon]]) -> None:
    """Vertices and textures may look like shapes."""
    content = [mesh_bytes(_mesh(), one) for one in faces]
    pointers = np.cumsum([0, *(len(one) for one in content)])[:-1].astype("<u4")
    block = decode_wad_meshes(np.frombuffer(b"".join(content), np.uint8), pointers)
    assert [mesh.raw for mesh in block.meshes] == content
    for mesh, wanted in zip(block.meshes, faces, strict=True):
        for found, corners in ((mesh.quads, 4), (mesh.triangles, 3)):
            of_shape = [one for one in wanted if len(one.vertices) == corners]
            assert [tuple(face) for face in found["vertices"].tolist()] == [one.vertices for one in of_shape]
            assert found["texture"].tolist() == [one.texture for one in of_shape]


def _mesh() -> Mesh:
    vertices, light, none = np.zeros((0, 3), "<i2"), np.zeros(0, "<i2"), np.zeros(0, QUAD)
    return Mesh((0, 0, 0), 0, 0, vertices, None, light, none, none, none, none)


def test_an_unknown_shape_is_named() -> None:
    content = bytearray(mesh_bytes(_mesh(), [Polygon((0, 1, 2, 3), 1), Polygon((0, 1, 2), 1)]))
    content[16 + 14] = 7
    with pytest.raises(FormatError, match=r"8 or 9, found 7 \(polygon 1\)") as caught:
        decode_wad_meshes(np.frombuffer(bytes(content), np.uint8), np.zeros(1, "<u4"))
    assert (caught.value.section, caught.value.element, caught.value.offset) == ("meshes/polygons", 0, 30)


# --- Textures ----------------------------------------------------------------------------------


def _shown(level: Level, texture: int, places: NDArray[Any], corners: int) -> NDArray[Any]:
    """Return the pixels (n, 4) RGBA of a level at positions (n, 2) of a face.

    Positions are 0 to 1, from the face's first corner towards its second, and towards its last.
    """
    decoded = decode_object_textures(level.object_textures, Game.TR4)
    raw = decoded.uv[texture].astype(np.float64) * 65536
    raw[:, 1] = 65536 - raw[:, 1]
    first, second, last = raw[0], raw[1], raw[3 if corners == 4 else 2]
    if corners == 4:
        assert np.array_equal(raw[2], second + last - first)
    at = first + places[:, :1] * (second - first) + places[:, 1:] * (last - first)
    column, row = np.floor(at / 256).astype(int).T
    return decode_pages32(level.textiles32)[decoded.page[texture], row, column]


def test_every_face_shows_the_texels_of_its_sample() -> None:
    level = convert_wad(read_wad(sample_wad().to_bytes())).level
    pages = draw_pages()
    meshes = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers).meshes
    seen = set()
    for mesh, wanted in zip(meshes, sample_polygons(), strict=True):
        for corners, faces in ((4, mesh.quads), (3, mesh.triangles)):
            of_shape = [polygon for polygon in wanted if len(polygon.vertices) == corners]
            assert faces["effects"].tolist() == [polygon.attributes for polygon in of_shape]
            for polygon, texture in zip(of_shape, faces["texture"].tolist(), strict=True):
                use = (corners, polygon.sample, polygon.mirrored, polygon.orientation)
                if use in seen:
                    continue
                seen.add(use)
                x, y, page, width, height = RECTANGLES[polygon.sample]
                picture = pages[page, y : y + height, x : x + width]
                if polygon.mirrored:
                    picture = picture[:, ::-1]
                picture = np.rot90(picture, polygon.orientation)
                row, column = (index.reshape(-1) for index in np.indices(picture.shape[:2]))
                places = np.column_stack([(column + 0.5) / picture.shape[1], (row + 0.5) / picture.shape[0]])
                covered = (places.sum(axis=1) <= 1) | (corners == 4)
                shown = _shown(level, texture, places[covered], corners)
                expected = picture[row, column][covered]
                hole = (expected == (255, 0, 255)).all(axis=1)
                assert np.array_equal(shown[:, 3] == 0, hole)
                assert np.array_equal(shown[~hole, :3], expected[~hole])
                record = level.object_textures[texture]
                assert bool(record["page"] & 0x8000) == (corners == 3)
                # The position and size minus one in pixels, as in the games' own levels.
                fields = [int(record[name]) for name in ("original_u", "original_v", "width", "height")]
                assert fields == [x, y, width - 1, height - 1]
    mirrored_quads = {use for use in seen if use[0] == 4 and use[2]}
    orientations = {use[2:] for use in seen if use[0] == 3}
    assert len(mirrored_quads) > 3 and len(orientations) == 8


def test_textures_with_holes_are_color_keyed() -> None:
    words = list(range(len(RECTANGLES)))
    level = convert_wad(_with_polygons([Polygon((0, 1, 2, 3), word) for word in words])).level
    (mesh,) = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers).meshes
    holes = np.zeros((3, 256, 256), bool)
    holes[HOLES] = True
    for face, (x, y, page, width, height) in zip(mesh.quads, RECTANGLES, strict=True):
        expected = holes[page, y : y + height, x : x + width].any()
        assert level.object_textures["attribute"][face["texture"]] == expected


@pytest.mark.parametrize(
    ("row", "column", "inside"),
    [(20, 10, 1), (20, 14, 1), (25, 10, 1), (25, 14, 1), (19, 10, 0), (20, 15, 0), (26, 14, 0), (25, 9, 0)],
)
def test_a_single_transparent_pixel_within_a_sample_counts(row: int, column: int, inside: int) -> None:
    wad = _with_polygons([Polygon((0, 1, 2, 3), 1)])
    wad.texture_samples = wad.texture_samples.copy()
    for name, value in (("x", 10), ("y", 20), ("page", 1), ("width", 4), ("height", 5)):
        wad.texture_samples[name][1] = value
    pages = draw_pages()
    pages[1, row, column] = 255, 0, 255
    wad.page_data = pages.reshape(-1)
    assert convert_wad(wad).level.object_textures["attribute"].tolist() == [inside]


def test_pages_have_the_formats_of_levels() -> None:
    level = convert_wad(sample_wad()).level
    rgba = decode_pages32(level.textiles32)
    assert (level.room_textiles, level.object_textiles, level.bump_textiles) == (0, 3, 0)
    assert not rgba[HOLES].any()
    assert (rgba[1:, ..., 3] == 255).all()
    assert np.array_equal(rgba[1:, ..., :3], draw_pages()[1:])
    five = rgba.astype(int) >> 3
    word = five[..., 0] << 10 | five[..., 1] << 5 | five[..., 2]
    assert np.array_equal(level.textiles16, np.where(rgba[..., 3] > 0, word | 0x8000, 0))


def test_a_page_that_is_cut_off_is_transparent_from_there_on() -> None:
    pages = decode_wad_pages(np.full(3 * 256 * 3 + 1, 9, np.uint8))
    assert pages.shape == (1, 256, 256, 4)
    assert (pages[0, :3] == (9, 9, 9, 255)).all()
    assert not pages[0, 3:].any()


def test_missing_textures_get_an_invalid_page() -> None:
    wad = _with_polygons([Polygon((0, 1, 2, 3), 1), Polygon((0, 1, 2, 3), 999), Polygon((0, 1, 2), 2)])
    wad.texture_samples = wad.texture_samples.copy()
    wad.texture_samples["page"][2] = 65534
    level = convert_wad(wad).level
    decoded = decode_object_textures(level.object_textures, Game.TR4)
    (mesh,) = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers).meshes
    assert decoded.page[mesh.quads["texture"]].tolist() == [0, 0x7FFF]
    assert decoded.page[mesh.triangles["texture"]].tolist() == [0x7FFF]


def test_the_lowest_bit_of_orientations_is_ignored() -> None:
    wad = _with_polygons([Polygon((0, 1, 2), 1, orientation=3)])
    even = convert_wad(wad).level.object_textures["uv"]
    data = wad.mesh_data.copy()
    data[-3] |= 0x10  # the lowest bit of the orientation: 6 becomes 7
    wad.mesh_data = data
    assert np.array_equal(convert_wad(wad).level.object_textures["uv"], even)


def _with_polygons(polygons: list[Polygon]) -> Wad:
    wad = sample_wad()
    wad.mesh_data = np.frombuffer(mesh_bytes(_mesh(), polygons), np.uint8)
    wad.mesh_pointers = np.zeros(1, "<u4")
    return wad


# --- The level ---------------------------------------------------------------------------------


@with_and_without_garbage
def test_skeletons_and_animations_equal_those_of_the_source_level(garbage: bool) -> None:
    original = sample_level(Game.TR4)
    level = convert_wad(read_wad(sample_wad(garbage=garbage).to_bytes())).level
    expected, found = _keys(original), _keys(level)
    assert found.problems == ()
    assert found.key_counts.tolist() == expected.key_counts.tolist()
    for animation in range(len(level.animations)):
        ours, theirs = found.keys(animation), expected.keys(animation)
        assert np.array_equal(ours.angles, theirs.angles)
        assert np.array_equal(ours.offsets, theirs.offsets)
        assert np.array_equal(ours.boxes, theirs.boxes)
    pairs = zip(_trees(level), _trees(original), strict=True)
    assert all(
        np.array_equal(ours.parents, theirs.parents) and np.array_equal(ours.offsets, theirs.offsets)
        for ours, theirs in pairs
    )
    assert level.animations["last_frame"].tolist() == original.animations["last_frame"].tolist()
    assert level.static_meshes.tobytes() == original.static_meshes.tobytes()
    if garbage:
        assert set(GARBAGE) <= set(level.mesh_trees.tolist())


def test_an_additional_key_frame_is_kept() -> None:
    wad = sample_wad()
    keys = _keys(convert_wad(wad).level)
    animation = int(np.argmax(keys.key_counts))
    wad.animations = wad.animations.copy()
    wad.animations["last_frame"][animation] -= wad.animations["frame_rate"][animation]
    again = _keys(convert_wad(wad).level)
    assert again.key_counts.tolist() == keys.key_counts.tolist()


def _keys(level: Level) -> LevelKeys:
    return decode_frames(Game.TR4, level.frames, level.animations, level.models)


def _trees(level: Level) -> Any:
    return decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))


@pytest.mark.parametrize("with_sprites", [False, True])
def test_the_converted_level_can_be_written_and_read(with_sprites: bool) -> None:
    level = convert_wad(sample_wad(), sample_swd() if with_sprites else None).level
    again = read_level(level.to_bytes())
    assert (again.game, again.rooms) == (Game.TR4, [])
    for name, value in level.__dict__.items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(getattr(again, name), value), name
    assert len(again.textiles32) == (4 if with_sprites else 3)
    assert len(again.footer) == 0


def test_sprites_show_their_pixels() -> None:
    level = convert_wad(sample_wad(), sample_swd()).level
    sprites = decode_sprites(level.sprite_textures, Game.TR4)
    assert sprites.page.tolist() == [3, 3]
    assert sprites.rect.tolist() == [[0, 3, 32, 16], [250, 200, 6, 1]]  # the second is clipped to the page
    assert np.array_equal(decode_pages32(level.textiles32)[3, ..., :3], draw_pages()[1])
    assert level.sprite_sequences.tolist() == [(463, -2, 0)]


def test_an_empty_wad_is_converted_to_an_empty_level() -> None:
    data = b"\x81" + bytes(3 + 13 * 4)
    wad = read_wad(data)
    assert wad.to_bytes() == data
    level = read_level(convert_wad(wad).level.to_bytes())
    assert len(level.models) == len(level.textiles32) == len(level.object_textures) == 0


def test_conversion_does_not_change_the_wad() -> None:
    wad = sample_wad()
    data = wad.to_bytes()
    convert_wad(wad, sample_swd())
    assert wad.to_bytes() == data


# --- Damage ------------------------------------------------------------------------------------


def _bare() -> bytes:
    """Return a WAD that does not consist mostly of pages."""
    wad = sample_wad()
    wad.page_data = wad.page_data[:768]
    return wad.to_bytes()


def _use(data: bytes) -> None:
    """Run all steps of an import of a WAD before Blender."""
    wad = read_wad(data)
    assert wad.to_bytes() == data
    level = convert_wad(wad).level
    decode_frames(level.game, level.frames, level.animations, level.models)
    decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))
    decode_meshes(level.game, level.mesh_data, level.mesh_pointers)


def _refused_or_used(data: bytes, use: Callable[[bytes], None] = _use) -> bool:
    try:
        use(data)
    except FormatError as error:
        assert error.section and error.expected and error.found
        return True
    return False


def test_wads_truncated_at_any_byte_are_refused() -> None:
    data = _bare()
    footer = 12
    sizes = [*range(0, 300), *range(300, len(data) - footer, 997), len(data) - footer - 1]
    assert all(_refused_or_used(data[:size]) for size in sizes)
    assert not _refused_or_used(data[:-footer])


def _counts(wad: Wad) -> list[int]:
    """Return the positions of the counts of a WAD."""
    places = [4]
    for name in (
        "texture_samples",
        "page_data",
        "mesh_pointers",
        "mesh_data",
        "animations",
        "state_changes",
        "animation_dispatches",
        "animation_commands",
        "mesh_trees",
        "frames",
        "models",
    ):
        places.append(places[-1] + 4 + getattr(wad, name).nbytes)
    return places


@pytest.mark.parametrize("count", [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_false_counts_are_refused_or_harmless(count: int) -> None:
    data = _bare()
    wad = read_wad(data)
    for place in _counts(wad):
        damaged = data[:place] + count.to_bytes(4, "little") + data[place + 4 :]
        refused = _refused_or_used(damaged)
        assert refused or count < 3


@pytest.mark.fuzz
def test_random_bytes_are_refused_or_harmless() -> None:
    data, random = _bare(), Random(4)
    refused = 0
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(random.choice((1, 4, 64))):
            damaged[random.randrange(len(data))] = random.choice(
                (0, 1, 0x7F, 0x80, 0xFF, random.randrange(256))
            )
        refused += _refused_or_used(bytes(damaged))
    assert refused > 10


@given(st.binary(max_size=200), st.lists(st.integers(0, 250), max_size=4))
def test_arbitrary_mesh_data_is_decoded_or_refused(content: bytes, pointers: list[int]) -> None:
    block = np.frombuffer(content, np.uint8)
    try:
        decode_wad_meshes(block, np.array(pointers, "<u4"))
    except FormatError as error:
        assert error.section.startswith("meshes/")


def test_meshes_that_overlap_without_end_are_refused() -> None:
    """A mesh of 32767 vertices begins at every second byte."""
    content = np.resize(np.array([0xFF, 0x7F], np.uint8), 200_000)
    content[-3380:] = 0
    with pytest.raises(FormatError, match="together at most 4 times"):
        decode_wad_meshes(content, np.arange(20, 3000, 2, dtype="<u4"))


@pytest.mark.parametrize("place", [10, 12])
def test_more_vertices_or_shades_than_a_level_counts_are_refused(place: int) -> None:
    content = np.zeros(100_000, np.uint8)
    content[place + 1] = 0x80
    wad = _with_polygons([])
    wad.mesh_data = content
    with pytest.raises(FormatError, match="found -32768"):
        convert_wad(wad)


@pytest.mark.fuzz
def test_damaged_sprites_are_refused_or_harmless() -> None:
    data, random = sample_swd(stale=20).to_bytes(), Random(5)

    wad = read_wad(b"\x81" + bytes(55))

    def use(damaged: bytes) -> None:
        swd = read_swd(damaged)
        assert swd.to_bytes() == damaged
        assert len(convert_wad(wad, swd).level.sprite_textures) == len(swd.sprites)

    assert all(_refused_or_used(data[:size], use) for size in range(0, 44))
    for _ in range(30):
        damaged = bytearray(data)
        damaged[random.randrange(44)] = random.randrange(256)
        _refused_or_used(bytes(damaged), use)
