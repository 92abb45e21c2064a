"""Bounding boxes of posed models."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import read_level
from io_tomb_raider.formats.levels.animations.animations import model_animations
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.animations.rotations import quaternions_from_angles
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.models.bounding import posed_boxes, vertex_boxes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_tree, decode_mesh_trees
from tests.real_levels import real_levels

ARM = decode_mesh_tree(np.array([0, 0, 100, 0], "<i4"), 2)
CUBE = np.array([(x, y, z) for x in (-10, 10) for y in (-10, 10) for z in (-10, 10)], "<i2")


def boxes(angles: Any, vertices: list[np.ndarray], at: tuple[int, int, int] = (0, 0, 0)) -> Any:
    turned = quaternions_from_angles(np.array(angles), np.float64)
    return posed_boxes(ARM, turned, np.tile(at, (len(angles), 1)), vertices).tolist()


def test_a_model_at_rest_is_enclosed_where_it_stands() -> None:
    still = [[(0, 0, 0), (0, 0, 0)]]
    assert boxes(still, [CUBE, CUBE], at=(5, 0, -5)) == [[-5, 15, -10, 110, -15, 5]]


def test_a_quarter_turn_is_exact() -> None:
    # A quarter turn about x takes y (down) to z (forward), and the second mesh with it.
    assert boxes([[(16384, 0, 0), (0, 0, 0)]], [CUBE, CUBE]) == [[-10, 10, -10, 10, -10, 110]]


def test_a_mesh_turns_about_its_own_origin() -> None:
    pole = np.array([(0, 0, 0), (0, 50, 0)], "<i2")
    assert boxes([[(0, 0, 0), (16384, 0, 0)]], [pole, pole]) == [[0, 0, 0, 100, 0, 50]]


def test_each_key_frame_has_a_box_of_its_own() -> None:
    found = boxes([[(0, 0, 0)] * 2, [(0, 0, 32768), (0, 0, 0)]], [CUBE, CUBE])
    assert found == [[-10, 10, -10, 110, -10, 10], [-10, 10, -110, 10, -10, 10]]


def test_meshes_without_vertices_are_ignored() -> None:
    empty = np.zeros((0, 3), "<i2")
    still = [[(0, 0, 0), (0, 0, 0)]]
    assert boxes(still, [CUBE, empty]) == [[-10, 10, -10, 10, -10, 10]]
    assert boxes(still, [empty, empty], at=(7, 7, 7)) == [[0] * 6]


@given(st.lists(st.integers(0, 4), max_size=5), st.integers(0, 2**32 - 1))
def test_each_mesh_has_a_box_around_its_own_vertices(counts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    meshes = [rng.integers(-0x8000, 0x8000, (count, 3)).astype("<i2") for count in counts]
    low, high = vertex_boxes(meshes)
    assert low.shape == high.shape == (len(meshes), 3)
    for mesh, lowest, highest in zip(meshes, low.tolist(), high.tolist(), strict=True):
        assert lowest == (mesh.min(axis=0).tolist() if len(mesh) else [0] * 3)
        assert highest == (mesh.max(axis=0).tolist() if len(mesh) else [0] * 3)


@given(st.lists(st.tuples(*[st.integers(0, 65535)] * 6), min_size=1, max_size=4))
def test_boxes_enclose_all_vertices_within_a_unit(
    turns: list[tuple[int, ...]],
) -> None:
    angles = np.array(turns).reshape(-1, 2, 3)
    found = np.array(boxes(angles.tolist(), [CUBE, CUBE]))
    for box, key in zip(found, angles, strict=True):
        first, second = (_turn(angle) for angle in key)
        points = np.concatenate([CUBE @ first.T, (CUBE @ second.T + (0, 100, 0)) @ first.T])
        low, high = points.min(axis=0), points.max(axis=0)
        assert (box[0::2] <= low + 2e-3).all() and (box[0::2] > low - 1.01).all()
        assert (box[1::2] >= high - 2e-3).all() and (box[1::2] < high + 1.01).all()


def _turn(angles: np.ndarray) -> np.ndarray:
    """Rotate about y, then x, then z, each about the already rotated axes."""
    x, y, z = angles * (2 * np.pi / 65536)
    about_x = np.array([(1, 0, 0), (0, np.cos(x), -np.sin(x)), (0, np.sin(x), np.cos(x))])
    about_y = np.array([(np.cos(y), 0, np.sin(y)), (0, 1, 0), (-np.sin(y), 0, np.cos(y))])
    about_z = np.array([(np.cos(z), -np.sin(z), 0), (np.sin(z), np.cos(z), 0), (0, 0, 1)])
    return about_y @ about_x @ about_z


def test_computed_boxes_are_close_to_those_of_original_levels() -> None:
    """The games' own tools rounded differently, but never by more than a few units."""
    for path in [path for path in real_levels() if path.name == "tr1_cut1.phd"]:
        level = read_level(path)
        keys = decode_frames(level.game, level.frames, level.animations, level.models)
        block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
        trees = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))
        first, _ = model_animations(level.models, level.animations)
        for model, tree in enumerate(trees):
            own = keys.keys(int(first[model]))
            start = int(level.models["first_mesh"][model])
            numbers = block.pointers[start : start + len(tree)]
            found = posed_boxes(
                tree,
                quaternions_from_angles(own.angles, np.float64),
                own.offsets,
                [block.meshes[number].vertices for number in numbers],
            )
            assert np.abs(found - own.boxes).max() <= 8
