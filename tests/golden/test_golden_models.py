"""Models of the golden files: meshes, trees, key frames, animations, state changes and commands."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.animations.animations import (
    AnimationCommand,
    Dispatch,
    StateChange,
    animation_models,
    decode_commands,
    decode_state_changes,
    encode_commands,
    encode_dispatches,
    encode_state_changes,
    model_animations,
)
from io_tomb_raider.formats.levels.animations.frames import decode_frames, encode_frames
from io_tomb_raider.formats.levels.animations.rotations import (
    matrices_from_quaternions,
    quaternions_from_angles,
)
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees, encode_mesh_tree, tree_flags

from . import frames, meshes, shared
from .levels import GOLDEN, each_game
from .words import Table

# --- Meshes --------------------------------------------------------------------------------------


def _packed(name: str) -> tuple[tuple[meshes.GoldenMesh, ...], list[int]]:
    if name in ("tr4", "tr5"):
        return meshes.TR4_MESHES, meshes.TR4_MESH_POINTERS
    return meshes.TR1_MESHES, meshes.TR1_MESH_POINTERS


def _decoded(name: str) -> Any:
    """Return the meshes, without that of the last pointer, which is invalid."""
    level = GOLDEN[name].level
    return decode_meshes(level.game, level.mesh_data, level.mesh_pointers[:-1])


def _vectors(table: Table) -> list[list[int | float]]:
    return [list(row) for row in table.rows]


@each_game
def test_meshes_are_read_as_packed(name: str) -> None:
    block, (packed, pointers) = _decoded(name), _packed(name)
    assert [packed[index].offset for index in block.pointers] == pointers[:-1]
    for mesh, golden in zip(block.meshes, packed, strict=True):
        assert (mesh.center, mesh.radius, mesh.flags) == (golden.center, golden.radius, golden.flags)
        assert mesh.vertices.tolist() == _vectors(golden.vertices)
        assert (mesh.normals is None) == (golden.normals is None)
        if mesh.normals is not None and golden.normals is not None:
            assert mesh.normals.tolist() == _vectors(golden.normals)
            assert mesh.lights is None
        if mesh.lights is not None:
            assert tuple(mesh.lights.tolist()) == golden.lights
        for kind, table in golden.faces.items():
            found = getattr(mesh, kind)
            assert set(found.dtype.names) == set(table.shapes)
            for field in table.shapes:
                assert found[field].tolist() == table.column(field), (kind, field)
        assert mesh.raw == golden.content


@each_game
def test_meshes_are_written_unchanged(name: str) -> None:
    """Stale bytes after a mesh are not compared."""
    level, block, (packed, pointers) = GOLDEN[name].level, _decoded(name), _packed(name)
    for mesh, golden in zip(block.meshes, packed, strict=True):
        wanted = golden.content[: len(golden.content) - len(golden.gap)] + bytes(len(golden.gap))
        assert encode_mesh(level.game, mesh) == wanted
    data, offsets = encode_block([mesh.raw for mesh in block.meshes], block.pointers)
    assert data.tobytes() == level.mesh_data.tobytes()
    assert offsets.tolist() == pointers[:-1]


def test_the_first_mesh_of_tr1_is_these_words() -> None:
    """Compare a mesh of one vertex, one normal, and a face of each kind with its words in a hex editor."""
    words = pack(
        "<hhh hH h hhh h hhh h 4HH h 3HH h 4HH h 3HH",
        *(1, -2, 3, 4, 5),  # center, radius, flags
        *(1, 6, -7, 8),  # vertices
        *(1, 9, -10, 11),  # normals
        *(1, 0, 0, 0, 0, 12),  # textured quads
        *(1, 0, 0, 0, 13),  # textured triangles
        *(1, 0, 0, 0, 0, 14),  # colored quads
        *(1, 0, 0, 0, 15),  # colored triangles
    )
    content = words + bytes(-len(words) % 4)
    (mesh,) = decode_meshes(Game.TR1, np.frombuffer(content, np.uint8), np.zeros(1, np.uint32)).meshes
    assert (mesh.center, mesh.radius, mesh.flags) == ((1, -2, 3), 4, 5)
    faces = [mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles]
    assert [each["texture"].tolist() for each in faces] == [[12], [13], [14], [15]]
    assert encode_mesh(Game.TR1, _again(mesh)) == content


def _again(mesh: Mesh) -> Mesh:
    return Mesh(**{name: value for name, value in vars(mesh).items() if name != "raw"})


# --- Trees ---------------------------------------------------------------------------------------


@each_game
def test_trees_take_parents_from_the_stack(name: str) -> None:
    level = GOLDEN[name].level
    trees = decode_mesh_trees(level.models[1:], level.mesh_trees, len(level.mesh_pointers))
    assert [tree.parents.tolist() for tree in trees] == [[-1, 0, 0], [-1, 0, 1, 1, 1]]
    assert [tree.flags.tolist() for tree in trees] == [[0, 2, 1], [0, 0, 2, 3, 1]]
    assert trees[0].offsets.tolist() == [[0, 0, 0], [10, -11, 12], [20, -21, 22]]
    assert trees[1].origins()[-1].tolist() == [
        90,
        -92,
        94,
    ]  # its own offset from the mesh 1, plus that of the mesh 1
    words = [word for tree in trees for word in encode_mesh_tree(tree).tolist()]
    assert words == shared.MESH_TREES
    assert [tree_flags(tree.parents.tolist()).tolist() for tree in trees] == [[0, 2, 1], [0, 0, 2, 3, 1]]


# --- Key frames ----------------------------------------------------------------------------------

_KEYS = {
    "tr1": (frames.TR1_KEYS, 10),
    "tr2": (frames.TR2_KEYS, 10),
    "tr3": (frames.TR2_KEYS, 10),
    "tr4": (frames.TR4_KEYS, 12),
    "tr5": (frames.TR4_KEYS, 12),
}


@each_game
def test_key_frames_are_decoded_from_their_words(name: str) -> None:
    level, (golden, bits) = GOLDEN[name].level, _KEYS[name]
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    assert keys.problems == ()
    assert keys.key_counts.tolist() == list(frames.KEY_COUNTS)
    found = [(animation, number) for animation in range(4) for number in range(frames.KEY_COUNTS[animation])]
    for (animation, number), key in zip(found, golden, strict=True):
        decoded = keys.keys(animation)
        assert decoded.boxes[number].tolist() == list(key.box)
        assert decoded.offsets[number].tolist() == list(key.offset)
        assert decoded.angles[number].tolist() == frames.turns_of(key, bits)


@each_game
def test_key_frames_give_their_words(name: str) -> None:
    level, (golden, _) = GOLDEN[name].level, _KEYS[name]
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    written: list[int] = []
    for animation, size in ((1, 13), (2, 15), (3, 16)):
        words, frame_size = encode_frames(level.game, keys.keys(animation))
        assert frame_size == (0 if name == "tr1" else size)
        written += words.tolist()
    assert written == frames.frame_words(golden)[2:]


def test_meshes_are_turned_about_y_then_x_then_z() -> None:
    """A quarter turn about y maps z to x, about x maps y to z, about z maps x to y."""
    quarter = 0x4000
    angles = np.array([[0, quarter, 0], [quarter, 0, 0], [0, 0, quarter], [quarter, quarter, quarter]])
    y, x, z, all_three = np.rint(matrices_from_quaternions(quaternions_from_angles(angles))).astype(int)
    assert (y @ [0, 0, 1]).tolist() == [1, 0, 0]
    assert (x @ [0, 1, 0]).tolist() == [0, 0, 1]
    assert (z @ [1, 0, 0]).tolist() == [0, 1, 0]
    assert all_three.tolist() == (y @ x @ z).tolist()


# --- Animations ----------------------------------------------------------------------------------


@each_game
def test_animations_belong_to_models(name: str) -> None:
    level = GOLDEN[name].level
    assert animation_models(level.models, level.animations).tolist() == [-1, 1, 1, 2]
    first, count = model_animations(level.models, level.animations)
    assert (first.tolist(), count.tolist()) == ([-1, 1, 3], [0, 2, 1])


@each_game
def test_speeds_are_fixed_point_numbers(name: str) -> None:
    """They are 65536ths: in the file a fraction of 16 bits precedes a signed integer of 16 bits."""
    golden = GOLDEN[name].level.animations
    assert (golden["speed"][1:] / 65536).tolist() == [-2.75, 4.5, 5.0625]
    assert (golden["acceleration"][1:] / 65536).tolist() == [2.75, -0.875, -5.5625]
    assert golden["speed"][1:2].tobytes() == pack("<Hh", 0x4000, -3)
    if name in ("tr4", "tr5"):
        assert (golden["lateral_speed"][1:] / 65536).tolist() == [-6.96875, 9.15625, 11.28125]
        assert (golden["lateral_acceleration"][1:] / 65536).tolist() == [8.09375, -9.78125, -11.65625]


@each_game
def test_state_changes_count_from_the_beginnings_of_animations(name: str) -> None:
    level = GOLDEN[name].level
    tables = level.animations, level.state_changes, level.animation_dispatches
    changes = decode_state_changes(*tables, 1)
    assert changes == (
        StateChange(21, (Dispatch(0, 1, 2, 1), Dispatch(2, 3, 3, 5))),
        StateChange(22, (Dispatch(4, 5, 1, 2),)),
    )
    assert decode_state_changes(*tables, 2) == (StateChange(22, (Dispatch(0, 1, 1, 2),)),)
    assert encode_state_changes(changes, 1).tobytes() == level.state_changes[1:].tobytes()
    written = encode_dispatches(changes[0].dispatches, 10, [(2, 15), (3, 9)])
    assert written.tobytes() == level.animation_dispatches[1:3].tobytes()


@each_game
def test_commands_are_decoded_from_their_words(name: str) -> None:
    level = GOLDEN[name].level
    record = level.animations[1]
    first, count = int(record["first_command"]), int(record["commands"])
    commands = decode_commands(level.animation_commands, first, count, first_frame=10)
    assert commands == (
        AnimationCommand(1, (-101, 202, -303)),
        AnimationCommand(2, (-94, 45)),
        AnimationCommand(3),
        AnimationCommand(4),
        AnimationCommand(5, (1, 0x8034 - 0x10000)),
        AnimationCommand(6, (4, 0x4020)),
    )
    assert encode_commands(commands, first_frame=10).tolist() == shared.COMMANDS[1:]


@pytest.mark.parametrize("animation", [2, 3])
def test_commands_of_other_animations_begin_elsewhere(animation: int) -> None:
    level = GOLDEN["tr1"].level
    record = level.animations[animation]
    stream = level.animation_commands, int(record["first_command"]), int(record["commands"])
    expected = {2: (AnimationCommand(6, (14, 0x4020)),), 3: (AnimationCommand(3), AnimationCommand(4))}
    assert decode_commands(*stream) == expected[animation]
