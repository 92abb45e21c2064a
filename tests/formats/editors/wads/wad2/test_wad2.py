"""WAD2: byte for byte, converted to levels, and edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.formats.editors.wads.wad2.edit import edit_wad2
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.formats.levels.animations.animations import decode_commands
from io_tomb_raider.formats.levels.animations.edits import edit_animations
from io_tomb_raider.formats.levels.animations.frames import LevelKeys, decode_frames, encode_frames
from io_tomb_raider.formats.levels.animations.plan import AnimationEdit, AnimationTables
from io_tomb_raider.formats.levels.meshes.meshes import (
    Mesh,
    MeshBlock,
    decode_meshes,
    encode_block,
    encode_mesh,
)
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites
from tests.real_levels import each_real_objects

from .....wad2_samples import VERTICES, differences, leb, sample_wad2, tree

ANIMATION = "W2Moveables[0].W2Moveable[0].W2Ani3"


def _level(data: bytes) -> Level:
    """Return the level of a WAD2 as imported."""
    return read_level(wad2_to_level(read_wad2(data)).level.to_bytes())


def _edited(change: Callable[[Level], None], data: bytes | None = None) -> bytes:
    """Return the sample with an edited level."""
    data = sample_wad2() if data is None else data
    library = wad2_to_level(read_wad2(data))
    level = read_level(library.level.to_bytes())
    for name, value in vars(level).items():
        if isinstance(value, np.ndarray):
            setattr(level, name, value.copy())
    change(level)
    return edit_wad2(library, read_level(level.to_bytes())).to_bytes()


def _keys(level: Level) -> LevelKeys:
    return decode_frames(Game.TR4, level.frames, level.animations, level.models)


def _meshes(level: Level) -> MeshBlock:
    return decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers)


def _put(level: Level, number: int, mesh: Mesh) -> None:
    block = _meshes(level)
    encoded = [each.raw for each in block.meshes]
    encoded[number] = encode_mesh(Game.TR4, mesh)
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)


def _animate(level: Level, animation: int, edit: AnimationEdit) -> None:
    edit_animations(Game.TR4, AnimationTables.of(level), {animation: edit}).store(level)


# --- The file ----------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_untouched_files_come_back_byte_for_byte(packed: bool) -> None:
    data = sample_wad2(packed=packed)
    assert read_wad2(data).to_bytes() == data
    assert _edited(lambda level: None, data) == data


@each_real_objects(".wad2")
def test_real_files_come_back_byte_for_byte(objects: bytes) -> None:
    assert read_wad2(objects).to_bytes() == objects
    assert _edited(lambda level: None, objects) == objects


def test_a_packed_file_is_written_plain_once_it_is_edited() -> None:
    def move(level: Level) -> None:
        level.models["id"][1] = 71

    assert _edited(move, sample_wad2(packed=True)) == _edited(move)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"Wad2" + bytes(8), "before March 2018"),
        (b"WAD2\2" + bytes(8), "no flags but"),
        (b"WAD", "no file of Tomb Editor"),
        (b"WAD2" + bytes(5), "no file of Tomb Editor"),
        (b"WAD2" + bytes(4) + b"\x04W2Tx\xff\xff\xff\x0f", "expected"),
    ],
)
def test_invalid_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_wad2(data)
    assert words in f"{caught.value} {caught.value.problem}"


def test_numbers_are_spelled_as_the_editor_does() -> None:
    from io_tomb_raider.formats.base.bytes.chunks import leb_bytes

    for value in (0, 63, 64, -1, -64, -65, 8191, 8192, 1 << 40):
        assert leb_bytes(value) == leb(value)
    assert leb_bytes(5, 4) == b"\x85\x80\x80\x00"
    with pytest.raises(ExportError):
        leb_bytes(1 << 27, 4)


# --- The level ---------------------------------------------------------------------------------


def test_the_level_has_the_contents_of_the_file() -> None:
    level = _level(sample_wad2())
    assert level.models["id"].tolist() == [0, 70]
    block = _meshes(level)
    body = block.meshes[0]
    assert body.vertices.tolist() == [[round(x), -round(y), round(z)] for x, y, z in VERTICES]
    assert body.normals is not None and body.normals[1].tolist() == [0, -16384, 0]
    assert (body.center, body.radius) == ((0, 8, 3), 121)
    lights = block.meshes[3].lights  # by luma of its colors, clipped to 1
    assert lights is not None and lights[[0, 2]].tolist() == [0, 8191] and 0 < lights[3] < lights[1] < 8191
    assert body.triangles["effects"].tolist() == [2 | 16 << 2] and body.quads["effects"].tolist() == [1, 0]
    assert (body.quads["texture"] >> 15).tolist() == [0, 1]
    trees = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))
    assert trees[0].offsets.tolist() == [[0, 0, 0], [0, -101, -4]]
    static = level.static_meshes[0]
    assert static["visibility_box"].tolist() == [-10, 10, -80, 0, -10, 10]
    assert static["flags"] == 3


def test_animations_of_the_level_are_those_of_the_file() -> None:
    level = _level(sample_wad2())
    animations = level.animations
    assert animations["first_frame"].tolist() == [0, 5, 10]
    assert animations["last_frame"].tolist() == [4, 9, 11]
    assert animations["next_animation"].tolist() == [1, 1, 0]
    assert animations["next_frame"].tolist() == [8, 8, 4]
    assert animations["speed"][0] == round(float(np.float32(10.3)) * 65536)
    assert animations["acceleration"][0] == pytest.approx(2.4 / 4 * 65536, abs=1)
    keys = _keys(level).keys(0)
    assert keys.offsets.tolist() == [[0, -200, 0], [0, -201, 10], [0, -202, 20]]
    assert keys.boxes[0].tolist() == [-64, 64, -90, 10, -32, 32]
    degrees = keys.angles.astype(float) / 65536 * 360
    assert degrees[0, 0].tolist() == pytest.approx([349.9, 0, 0], abs=0.1)
    assert degrees[0, 1].tolist() == pytest.approx([9.7, 45.45, 359.3], abs=0.36)
    dispatches = level.animation_dispatches[:2].tolist()
    assert dispatches == [(0, 2, 1, 8), (3, 4, 0, 1)]
    commands = decode_commands(level.animation_commands, 0, int(animations["commands"][0]))
    assert [(each.type, *each.operands) for each in commands] == [
        (5, 2, (300 | 2 << 14) - 65536),
        (2, -100, 40),
        (5, 3, 17),
        (6, 0, 42 | 1 << 14),
    ]


def test_faces_show_their_pixels() -> None:
    level = _level(sample_wad2())
    decoded = decode_object_textures(level.object_textures, Game.TR4)
    body = _meshes(level).meshes[0]
    pages = level.textiles32
    for face, blue, (left, top, right, bottom) in (
        (0, 1, (0, 0, 16, 8)),
        (1, 2, (280.5, 2, 300, 30)),
    ):
        word = int(body.quads["texture"][face]) & 0x7FFF
        uv = decoded.uv[word].astype(float) * 256
        u0, v0 = uv[0][0] + 0.1, 256 - uv[0][1] + 0.1
        u1, v1 = uv[2][0] - 0.1, 256 - uv[2][1] - 0.1
        page = pages[decoded.page[word]]
        first, last = page[int(v0), int(u0)], page[int(v1), int(u1)]
        assert first.tolist() == [blue, int(top), int(left) % 256, 255]
        assert last.tolist() == [blue, bottom - 1, (right - 1) % 256, 255]


def test_sequences_of_sprites_are_contiguous() -> None:
    level = _level(sample_wad2())
    assert level.sprite_sequences.tolist() == [(463, -3, 0)]
    sprites = decode_sprites(level.sprite_textures, Game.TR4)
    assert sprites.rect[:, 2:].tolist() == [[20, 4], [8, 8], [20, 4]]
    left, top = sprites.rect[1, :2]
    assert level.textiles32[sprites.page[1], top, left].tolist() == [200, 0, 0, 255]


# --- Edits -------------------------------------------------------------------------------------


def test_a_turned_bone_is_all_that_differs() -> None:
    def turn(level: Level) -> None:
        keys = _keys(level).keys(1)
        angles = keys.angles.copy()
        angles[1, 1] = 0x2000, 0, 0
        frames = encode_frames(Game.TR4, replace(keys, angles=angles, kinds=None, padding=None))
        _animate(level, 1, AnimationEdit(frames=frames))

    data = _edited(turn)
    assert differences(sample_wad2(), data) == [f"{ANIMATION}[1].W2Kf[1].W2KfA[1]"]
    found = wad2_to_level(read_wad2(data)).moveables[0].animations[1]
    assert found.angles[1, 1].tolist() == [315, 0, 0]
    assert found.offsets[1].tolist() == [0, 201.25, 10.5], "what was not turned keeps its fraction"


def test_a_new_key_frame_does_not_change_others() -> None:
    def insert(level: Level) -> None:
        keys = _keys(level).keys(0)
        order = [0, 1, 1, 2]
        angles = keys.angles[order].copy()
        angles[2] = 64 * 100
        frames = encode_frames(
            Game.TR4,
            replace(
                keys,
                boxes=keys.boxes[order],
                offsets=keys.offsets[order],
                angles=angles,
                kinds=None,
                padding=None,
            ),
        )
        _animate(level, 0, AnimationEdit(frames=frames, ticks=6))

    data = _edited(insert)
    assert differences(sample_wad2(), data) == [
        f"{ANIMATION}[0]",  # its last frame
        f"{ANIMATION}[0].W2Kf 3 -> 4",
    ]
    old, new = (tree(each)[5][2][0][2] for each in (sample_wad2(), data))
    first = [next(part for part in each if part[0] == "W2Ani3")[2] for each in (old, new)]
    keys = [[part for part in each if part[0] == "W2Kf"] for each in first]
    assert [keys[1][0], keys[1][1], keys[1][3]] == keys[0]
    velocities = [dict((part[0], part[1]) for part in each)["W2AniV"] for each in first]
    assert velocities[0] != velocities[1], "the same acceleration goes on for longer"


def test_animations_without_key_frames_come_back() -> None:
    data = sample_wad2().replace(b"\x04W2Kf", b"\x04W2Kx")  # an unknown chunk
    assert _edited(lambda level: None, data) == data


def test_speeds_and_numbers_of_animations_are_written() -> None:
    data = _edited(lambda level: _animate(level, 1, AnimationEdit(speed=-3 << 16, state=44, next_frame=2)))
    assert differences(sample_wad2(), data) == [f"{ANIMATION}[1]", f"{ANIMATION}[1].W2AniV[0]"]
    found = wad2_to_level(read_wad2(data)).moveables[0].animations[1]
    assert found.head == (44, 4, 2, 1, 2)
    assert found.velocities[0] == -3


def test_an_edited_state_change_keeps_its_blending() -> None:
    def lead(level: Level) -> None:
        level.animation_dispatches["next_frame"][0] = 7

    data = _edited(lead)
    assert differences(sample_wad2(), data) == [f"{ANIMATION}[0].W2StCh[0].W2Disp2[0]"]
    dispatch = dict((part[0], part) for part in tree(data)[5][2][0][2][5][2])["W2StCh"]
    assert dispatch[2][0][1] == b"".join(map(leb, (3, 4, 0, 1, 0, 6))), (
        "the other one is the last of its name"
    )
    first = next(part for part in tree(data)[5][2][0][2][5][2] if part[0] == "W2StCh")
    assert first[2][0][1] == b"".join(map(leb, (0, 2, 1, 2, 5, 8)))


def test_commands_of_tomb_engine_stay_among_others() -> None:
    def change(level: Level) -> None:
        first = int(level.animations["first_command"][0])
        commands = list(decode_commands(level.animation_commands, first, 4))
        commands[1] = replace(commands[1], operands=(-90, 40))
        _animate(level, 0, AnimationEdit(commands=tuple(commands)))

    data = _edited(change)
    assert differences(sample_wad2(), data) == [f"{ANIMATION}[0].W2Cmd2[2]"]


def test_deleting_an_animation_keeps_others() -> None:
    def delete(level: Level) -> None:
        tables = AnimationTables.of(level)
        free = {
            0: AnimationEdit(state_changes=(), next_animation=0, next_frame=0),
            2: AnimationEdit(),
        }
        tables = edit_animations(Game.TR4, tables, free, deleted=[1])
        tables.store(level)

    found = wad2_to_level(read_wad2(_edited(delete))).moveables[0].animations
    assert [each.name for each in found] == ["RUN", "old"]
    assert found[1].head.next_animation == 0


def test_a_new_animation_has_the_form_of_the_others() -> None:
    def add(level: Level) -> None:
        keys = _keys(level).keys(0)
        edit = AnimationEdit(
            frames=encode_frames(Game.TR4, keys), frame_rate=3, ticks=6, state=5, speed=65536
        )
        edit_animations(Game.TR4, AnimationTables.of(level), added={0: [edit]}).store(level)

    data = _edited(add)
    assert differences(sample_wad2(), data) == [f"{ANIMATION} 2 -> 3"]
    found = wad2_to_level(read_wad2(data)).moveables[0].animations[3]
    assert (found.chunk.name, found.head) == ("W2Ani3", (5, 6, 3, 3, 0))
    assert found.velocities.tolist() == [1, 1, 0, 0]
    assert len(found.offsets) == 3


def test_a_moved_vertex_is_all_that_differs_of_its_mesh() -> None:
    def move(level: Level) -> None:
        mesh = _meshes(level).meshes[1]
        vertices = mesh.vertices.copy()
        vertices[2] = 7, 8, 9
        _put(level, 1, replace(mesh, vertices=vertices))

    data = _edited(move)
    place = "W2Moveables[0].W2Moveable[0].W2Mesh[1]"
    changed = differences(sample_wad2(), data)
    assert changed == [f"{place}.W2BBox[0].W2BBMin[0]", f"{place}.W2VrtPos[0].W2Pos[2]"][-len(changed) :]
    found = wad2_to_level(read_wad2(data)).meshes[1]
    assert found.vertices.tolist() == [*map(list, VERTICES[:2]), [7, -8, 9], list(VERTICES[3])]


def test_a_vertex_less_keeps_colors_and_attributes_of_the_rest() -> None:
    def cut(level: Level) -> None:
        mesh = _meshes(level).meshes[3]
        assert mesh.lights is not None
        triangles = mesh.triangles.copy()
        triangles["vertices"] = [[0, 1, 2]]
        none = mesh.quads[:0]
        kept = replace(
            mesh, vertices=mesh.vertices[1:], lights=mesh.lights[1:], quads=none, triangles=triangles
        )
        _put(level, 3, kept)

    data = _edited(cut)
    before, after = (wad2_to_level(read_wad2(each)).meshes[3] for each in (sample_wad2(), data))
    assert np.array_equal(after.vertices, before.vertices[1:])
    assert np.array_equal(after.colors, before.colors[1:])
    attributes = next(part for part in after.parts if part.name == "W2VrtAttr").body
    wanted = next(part for part in before.parts if part.name == "W2VrtAttr").body
    assert attributes in wanted and len(attributes) < len(wanted)
    assert any(part.name == "W2Later" and part.body == b"kept" for part in after.parts)


def test_painted_texels_change_only_their_image() -> None:
    def paint(level: Level) -> None:
        decoded = decode_object_textures(level.object_textures, Game.TR4)
        word = int(_meshes(level).meshes[0].quads["texture"][0]) & 0x7FFF
        u, v = (decoded.uv[word][0] * 256).tolist()
        level.textiles32 = level.textiles32.copy()
        level.textiles32[decoded.page[word], int(256 - v) + 1, int(u) + 2] = 9, 8, 7, 255

    data = _edited(paint)
    assert differences(sample_wad2(), data) == ["W2Textures[0].W2Txt[0].W2TxtData[0]"]
    image = wad2_to_level(read_wad2(data)).images[0].pixels
    assert image[1, 2].tolist() == [7, 8, 9, 255]
    assert image[0, 0].tolist() == [0, 0, 1, 255]


def test_a_face_with_a_texture_of_its_own_gets_an_image() -> None:
    def show(level: Level) -> None:
        page = np.zeros((1, 256, 256, 4), np.uint8)
        page[0, 10:20, 30:50] = 50, 100, 150, 255
        level.textiles32 = np.concatenate([level.textiles32, page])
        level.textiles16 = np.concatenate([level.textiles16, np.zeros((1, 256, 256), "<u2")])
        level.object_textiles += 1
        records = level.object_textures[:1].copy()
        records["page"], records["attribute"] = len(level.textiles32) - 1, 0
        records["uv"] = [
            [
                (30 * 256, 10 * 256),
                (50 * 256 - 1, 10 * 256),
                (50 * 256 - 1, 20 * 256 - 1),
                (30 * 256, 20 * 256 - 1),
            ]
        ]
        level.object_textures = np.concatenate([level.object_textures, records])
        mesh = _meshes(level).meshes[2]
        quads = np.zeros(1, _meshes(level).meshes[0].quads.dtype)
        quads["vertices"], quads["texture"] = [[0, 1, 2, 3]], len(level.object_textures) - 1
        _put(level, 2, replace(mesh, quads=quads))

    data = _edited(show)
    assert differences(sample_wad2(), data) == [
        "W2Textures[0].W2Txt 3 -> 4",
        "W2Moveables[0].W2Moveable[1].W2Mesh[0].W2Polys[0].W2Uq2 0 -> 1",
    ]
    library = wad2_to_level(read_wad2(data))
    polygon = library.meshes[2].polygons[-1]
    assert polygon["texture"] == 3
    assert polygon["uv"].tolist() == [[0, 0], [20, 0], [20, 10], [0, 10]]
    assert (library.images[3].pixels == (150, 100, 50, 255)).all()


def test_models_and_static_meshes_come_and_go() -> None:
    def change(level: Level) -> None:
        level.models = level.models[:1].copy()
        level.models["id"] = 12
        level.static_meshes = level.static_meshes[[0, 0]].copy()
        level.static_meshes["id"][1] = 40

    data = _edited(change)
    changed = differences(sample_wad2(), data)
    assert changed == ["W2Moveables[0].W2Moveable 2 -> 1", "W2Statics[0].W2Static2 1 -> 2"]
    library = wad2_to_level(read_wad2(data))
    assert [static.id for static in library.statics] == [40, 50], "in the order of their numbers"
    assert [static.flags for static in library.statics] == [3, 3]
    # A model with a new number is still recognized.
    old, new = (tree(each)[5][2][0] for each in (sample_wad2(), data))
    assert new[2] == old[2] and new[1] == leb(12)


def test_a_moved_bone_keeps_its_name() -> None:
    def move(level: Level) -> None:
        level.mesh_trees[2] = -90

    data = _edited(move)
    assert differences(sample_wad2(), data) == ["W2Moveables[0].W2Moveable[0].W2Bone2[1].W2BoneTrans[0]"]
    bone = wad2_to_level(read_wad2(data)).moveables[0].bones[1]
    assert (bone.name, bone.offset.tolist()) == ("neck", [0.25, 90, -3.5])


def test_sprite_sequences_are_written() -> None:
    def change(level: Level) -> None:
        level.sprite_sequences["negative_length"] = -2

    data = _edited(change)
    assert differences(sample_wad2(), data) == ["W2SpriteSequences[0].W2SpriteSeq[0].W2SpritePtr 3 -> 2"]


def test_levels_of_other_games_are_refused() -> None:
    library = wad2_to_level(read_wad2(sample_wad2()))
    with pytest.raises(ExportError, match="TR4"):
        edit_wad2(library, Level.empty(Game.TR1))


# --- Damage ------------------------------------------------------------------------------------


def test_files_that_end_early_are_refused() -> None:
    data = sample_wad2()
    refused = 0
    for size in range(0, len(data) - 60, 211):
        try:
            _level(data[:size])
        except FormatError as error:
            assert error.expected and error.found
            refused += 1
    assert refused > len(data) // 211 - 3


def test_a_missing_vertex_is_named() -> None:
    data = sample_wad2()
    at = data.index(b"W2Uq2") + len("W2Uq2") + 4
    with pytest.raises(FormatError, match=r"one of 4 vertices.*9 \(polygon 1\)"):
        _level(data[:at] + b"\x09" + data[at + 1 :])
