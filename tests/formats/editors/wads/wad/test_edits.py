"""WADs exported from their levels: unedited, and edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.editors.wads.object_files import ExportedFiles, open_objects, read_files
from io_tomb_raider.formats.editors.wads.wad.meshes import decode_wad_meshes
from io_tomb_raider.formats.editors.wads.wad.names import read_was
from io_tomb_raider.formats.editors.wads.wad.swd import decode_swd_sprites, read_swd
from io_tomb_raider.formats.editors.wads.wad.textures import decode_texture_words
from io_tomb_raider.formats.editors.wads.wad.wad import Wad, read_wad
from io_tomb_raider.formats.levels.animations.edits import edit_animations
from io_tomb_raider.formats.levels.animations.frames import decode_frames, encode_frames
from io_tomb_raider.formats.levels.animations.plan import AnimationEdit, AnimationTables
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from tests.real_levels import each_real_objects

from .....sample_levels import sample_level
from .....wad_samples import draw_pages, sample_swd, sample_wad

Change = Callable[[Level], None]
SECTIONS = (
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
    "static_meshes",
    "footer",
)


def _files(*, sprites: bool = True) -> dict[str, bytes]:
    """Return the files of a WAD with sounds and names, including garbage of its tools."""
    wad = sample_wad()
    count = len(wad.models) + len(wad.static_meshes)
    names = b"".join(b"SLOT_%d:C:\\x\\%d.wad\r\n" % (at, at) for at in range(count))
    files = {
        ".wad": wad.to_bytes(),
        ".was": names,
        ".sfx": b"sounds",
        ".sam": b"a.wav\n",
    }
    return files | ({".swd": sample_swd(stale=5).to_bytes()} if sprites else {})


def _edited(change: Change, files: dict[str, bytes] | None = None) -> ExportedFiles:
    objects = open_objects(_files() if files is None else files)
    level = read_level(objects.level.to_bytes())
    for name, value in vars(level).items():
        if isinstance(value, np.ndarray):
            setattr(level, name, value.copy())
    change(level)
    return objects.edited(read_level(level.to_bytes()), lambda kind, number: f"New {kind} {number}")


def _differing(one: Wad, other: Wad) -> list[str]:
    return [name for name in SECTIONS if getattr(one, name).tobytes() != getattr(other, name).tobytes()]


def _changed(change: Change) -> tuple[Wad, Wad, list[str]]:
    """Return the WAD, the edited one, and the sections that differ."""
    old, new = read_wad(_files()[".wad"]), read_wad(_edited(change)[".wad"])
    return old, new, _differing(old, new)


def _put(level: Level, number: int, edit: Callable[[Mesh], Mesh]) -> None:
    block = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers)
    encoded = [each.raw for each in block.meshes]
    encoded[number] = encode_mesh(Game.TR4, edit(block.meshes[number]))
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)


def _nothing(_level: Level) -> None:
    pass


def test_untouched_files_come_back_byte_for_byte() -> None:
    assert _edited(_nothing) == _files()


@each_real_objects(".wad")
def test_real_files_come_back_byte_for_byte(objects: bytes) -> None:
    assert _edited(_nothing, {".wad": objects})[".wad"] == objects


def test_accompanying_files_for_the_level_editor_are_created(tmp_path: Path) -> None:
    (tmp_path / "a.WAD").write_bytes(_files()[".wad"])
    files = _edited(_nothing, read_files(tmp_path / "a.WAD"))
    assert sorted(files) == [".sam", ".sfx", ".swd", ".wad", ".was"]
    assert files[".swd"] == b"\x81" + bytes(15)
    assert len(files[".sfx"]) == 748 and files[".sam"] == b""
    slots = read_was(files[".was"]).slots
    models = read_wad(files[".wad"]).models["id"].tolist()
    assert [slot.name for slot in slots[: len(models)]] == [f"NEW_MODEL_{number}" for number in models]


def test_accompanying_files_are_found_regardless_of_case(tmp_path: Path) -> None:
    for suffix, content in _files().items():
        (tmp_path / f"a{suffix.upper()}").write_bytes(content)
    assert read_files(tmp_path / "a.WAD") == _files()


def test_a_rotated_bone_changes_only_frames() -> None:
    def turn(level: Level) -> None:
        keys = decode_frames(Game.TR4, level.frames, level.animations, level.models).keys(1)
        angles = keys.angles.copy()
        angles[0, -1] = 0x4000, 0x2000, 0
        frames = encode_frames(Game.TR4, replace(keys, angles=angles))
        edits = {1: AnimationEdit(frames=frames)}
        edit_animations(Game.TR4, AnimationTables.of(level), edits).store(level)

    old, new, names = _changed(turn)
    assert set(names) <= {"frames", "animations", "models"} and "frames" in names
    kept = [name for name in old.animations.dtype.names or () if name not in ("frame_offset", "frame_size")]
    for name in kept:  # including those that end before they begin
        assert np.array_equal(old.animations[name], new.animations[name]), name
    keys = [decode_frames(Game.TR4, each.frames, each.animations, each.models) for each in (old, new)]
    assert keys[1].keys(1).angles[0, -1].tolist() == [0x4000, 0x2000, 0]
    for number in range(2, len(old.animations)):
        assert np.array_equal(keys[0].keys(number).angles, keys[1].keys(number).angles)


def test_a_moved_vertex_leaves_all_other_meshes() -> None:
    def move(mesh: Mesh) -> Mesh:
        vertices = mesh.vertices.copy()
        vertices[0] = 1, 2, 3
        return replace(mesh, vertices=vertices)

    old, new, names = _changed(lambda level: _put(level, 1, move))
    assert set(names) <= {"mesh_data", "mesh_pointers"}
    before, after = (decode_wad_meshes(each.mesh_data, each.mesh_pointers).meshes for each in (old, new))
    assert [
        number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0].raw != pair[1].raw
    ] == [1]
    assert after[1].vertices[0].tolist() == [1, 2, 3]
    for name in ("quads", "triangles"):
        assert getattr(after[1], name).tobytes() == getattr(before[1], name).tobytes(), (
            "textures are the same"
        )
    assert len(new.mesh_data) % 4 == 0


def _record(level: Level, page: int, corners: list[tuple[int, int]], attribute: int = 0) -> int:
    """Add an object texture with corners in pixels and return its number."""
    record = np.zeros(1, level.object_textures.dtype)
    record["attribute"] = attribute
    record["page"] = page | (0x8000 if len(corners) == 3 else 0)
    high = np.array(corners).max(axis=0)
    raw = [
        [256 * value - (value == most) for value, most in zip(each, high, strict=True)] for each in corners
    ]
    record["uv"][0, : len(corners)] = raw
    level.object_textures = np.concatenate([level.object_textures, record])
    return len(level.object_textures) - 1


UPPER, LOWER, LEFT, RIGHT = 40, 48, 16, 32
BOX = [(LEFT, UPPER), (RIGHT, UPPER), (RIGHT, LOWER), (LEFT, LOWER)]


def _uses(corners: list[tuple[int, int]], **more: Any) -> tuple[Wad, Any, int]:
    """Return the WAD in which a face has corners of a page, that face, and the approximated faces' number."""

    kind = "triangles" if len(corners) == 3 else "quads"
    meshes = decode_meshes(Game.TR4, (level := sample_level(Game.TR4)).mesh_data, level.mesh_pointers).meshes
    number = next(at for at, mesh in enumerate(meshes) if len(getattr(mesh, kind)))

    def show(level: Level) -> None:
        word = _record(level, 1, corners, **more)

        def edit(mesh: Mesh) -> Mesh:
            faces = getattr(mesh, kind).copy()
            faces["texture"][0] = word
            faces["vertices"][0] = range(len(corners))
            return replace(mesh, **{kind: faces})

        _put(level, number, edit)

    written = _edited(show)
    wad = read_wad(written[".wad"])
    mesh = decode_wad_meshes(wad.mesh_data, wad.mesh_pointers).meshes[number]
    return wad, getattr(mesh, kind)[0], written.approximated


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("corners", [3, 4])
def test_faces_show_rectangles_and_their_halves_in_any_orientation(
    turn: int, flipped: bool, corners: int
) -> None:
    wanted = [BOX[(at + turn) % 4] for at in range(4)][:corners]
    wanted = wanted[::-1] if flipped else wanted
    wad, face, approximated = _uses(wanted)
    assert approximated == 0
    use = decode_texture_words(np.array([face["texture"]]), np.array([corners == 3]))
    sample = wad.texture_samples[int(use.sample[0])]
    assert int(use.sample[0]) == len(sample_wad().texture_samples), "one more"
    assert [int(sample[name]) for name in ("page", "x", "y", "width", "height")] == [1, 16, 40, 15, 7]
    # The content at the corners of the polygon, as in the level editor.
    places = (
        [0, 1, 2, 3]
        if corners == 4
        else [[0, 1, 3], [1, 2, 0], [2, 3, 1], [3, 0, 2]][int(use.orientation[0])]
    )
    shown = [BOX[[1, 0, 3, 2][place]] if use.mirrored[0] else BOX[place] for place in places]
    assert {int(face["vertices"][at]): shown[at] for at in range(corners)} == dict(enumerate(wanted))


def test_a_face_that_a_wad_cannot_show_is_counted() -> None:
    wad, face, approximated = _uses([(16, 40), (32, 44), (32, 48), (16, 48)])
    assert approximated == 1
    sample = wad.texture_samples[int(face["texture"])]
    assert [int(sample[name]) for name in ("x", "y", "width", "height")] == [16, 40, 15, 7]


def test_an_additive_texture_becomes_an_attribute_of_the_polygon() -> None:
    _, face, _ = _uses(BOX, attribute=2)
    assert face["effects"] & 1


def test_painted_pixels_are_all_that_differs_of_a_page() -> None:
    def paint(level: Level) -> None:
        level.textiles32[1, 5, 6] = 30, 20, 10, 255
        level.textiles32[1, 7, 8] = 0

    _, new, names = _changed(paint)
    assert names == ["page_data"]
    pages = draw_pages()
    pages[1, 5, 6], pages[1, 7, 8] = (10, 20, 30), (255, 0, 255)
    assert np.array_equal(new.page_data.reshape(pages.shape), pages)


def test_names_follow_added_and_deleted_models_and_static_meshes() -> None:
    def change(level: Level) -> None:
        level.models = level.models[1:]
        level.static_meshes = level.static_meshes[[0, 0]].copy()
        level.static_meshes["id"][1] = 777

    files = _edited(change)
    slots = read_was(files[".was"]).slots
    old = read_was(_files()[".was"]).slots
    models = len(sample_wad().models)
    assert slots[: models - 1] == old[1:models]
    assert slots[models - 1] == old[models]
    assert (slots[-1].name, slots[-1].path) == ("NEW_STATIC_777", "")


def test_sprites_are_written() -> None:
    def change(level: Level) -> None:
        level.sprite_textures["left"][1] -= 8
        level.sprite_textures["right"][1] -= 8

    before, after = sample_swd(stale=5), read_swd(_edited(change)[".swd"])
    assert after.sprites[0].tobytes() == before.sprites[0].tobytes()
    assert decode_swd_sprites(after.sprites).rect.tolist() == [[0, 3, 32, 16], [242, 200, 6, 1]]
    assert after.page_data.tobytes() == before.page_data.tobytes() and len(after.footer) == 5


def test_sprites_of_a_wad_that_had_none_get_a_file() -> None:
    def add(level: Level) -> None:
        donor = open_objects(_files()).level
        level.sprite_textures, level.sprite_sequences = donor.sprite_textures.copy(), donor.sprite_sequences
        level.sprite_textures["page"] = 1

    swd = read_swd(_edited(add, _files(sprites=False))[".swd"])
    assert len(swd.page_data) == 256 * 256 * 3 and swd.sprites["page"].tolist() == [0, 0]
    assert np.array_equal(swd.page_data.reshape(256, 256, 3), draw_pages()[1])


def test_levels_of_other_games_are_refused() -> None:
    with pytest.raises(ExportError, match="TR4"):
        open_objects(_files()).edited(Level.empty(Game.TR2), lambda kind, number: kind)
