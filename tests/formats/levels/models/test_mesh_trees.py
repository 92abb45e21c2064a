"""Mesh trees: hierarchies from flags and back, and malicious references."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError
from io_tomb_raider.formats.base.bytes.records import MODEL
from io_tomb_raider.formats.levels.models.mesh_trees import (
    POP,
    PUSH,
    MeshTree,
    decode_mesh_tree,
    decode_mesh_trees,
    encode_mesh_tree,
    tree_flags,
)


@st.composite
def hierarchies(draw: st.DrawFn) -> list[int]:
    """Return parents of meshes in depth-first order."""
    parents, path = [-1], [0]
    for mesh in range(1, draw(st.integers(1, 30))):
        del path[draw(st.integers(1, len(path))) :]
        parents.append(path[-1])
        path.append(mesh)
    return parents


def tree_of(parents: list[int], offsets: np.ndarray | None = None) -> MeshTree:
    if offsets is None:
        offsets = np.zeros((len(parents), 3), np.int64)
    return MeshTree(np.array(parents), offsets, tree_flags(parents))


def model_records(*rows: tuple[int, int, int]) -> np.ndarray:
    """Return model records by number of meshes, first mesh and word of the mesh tree."""
    records = np.zeros(len(rows), MODEL)
    for record, row in zip(records, rows, strict=True):
        record["meshes"], record["first_mesh"], record["mesh_tree"] = row
    return records


@given(hierarchies())
def test_hierarchies_round_trip(parents: list[int]) -> None:
    words = encode_mesh_tree(tree_of(parents))
    assert decode_mesh_tree(words, len(parents)).parents.tolist() == parents


@given(st.lists(st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 4), max_size=20))
def test_any_words_of_mesh_trees_round_trip(nodes: list[tuple[int, ...]]) -> None:
    words = np.array(nodes, "<i4").reshape(-1)
    assert encode_mesh_tree(decode_mesh_tree(words, len(nodes) + 1)).tolist() == words.tolist()


def test_the_figure_of_the_games_has_the_flags_that_the_games_give_it() -> None:
    parents = [-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 9, 7, 11, 12, 7]
    both = POP | PUSH
    assert tree_flags(parents)[1:].tolist() == [PUSH, 0, 0, both, 0, 0, POP, PUSH, 0, 0, both, 0, 0, POP]


def test_a_pop_from_an_empty_stack_leaves_a_mesh_without_parent() -> None:
    words = np.array([POP | PUSH, 0, 0, -1569], "<i4")
    tree = decode_mesh_tree(words, 2)
    assert tree.parents.tolist() == [-1, -1]
    assert encode_mesh_tree(tree_of([-1, -1], tree.offsets)).tolist() == words.tolist()


def test_origins_add_up_along_the_way_from_the_root() -> None:
    offsets = np.array([(0, 0, 0), (1, 2, 3), (10, 20, 30), (100, 0, 0)])
    assert tree_of([-1, 0, 1, 0], offsets).origins().tolist() == [
        [0, 0, 0],
        [1, 2, 3],
        [11, 22, 33],
        [100, 0, 0],
    ]


@pytest.mark.parametrize("parents", [[-1, 0, 0, 1], [-1, 2, 0], [-1, 0, 2]])
def test_meshes_out_of_order_are_refused_by_name(parents: list[int]) -> None:
    names = [f"bone {number}" for number in range(len(parents))]
    with pytest.raises(ExportError, match=r"bone \d: it is out of order"):
        tree_flags(parents, names)


def test_an_offset_beyond_32_bits_is_an_error_that_names_the_mesh() -> None:
    offsets = np.array([(0, 0, 0), (0, 2**31, 0)])
    with pytest.raises(ExportError) as caught:
        encode_mesh_tree(tree_of([-1, 0], offsets), ["hips", "head"])
    assert caught.value.subject == "head"
    assert (caught.value.count, caught.value.limit) == (2**31, 2**31 - 1)


def test_mesh_trees_are_read_from_the_offsets_of_their_models() -> None:
    words = np.array([0, 1, 2, 3, PUSH, 4, 5, 6, POP, 7, 8, 9], "<i4")
    one, two, three = decode_mesh_trees(model_records((2, 0, 0), (3, 2, 4), (1, 5, 12)), words, 6)
    assert one.offsets.tolist() == [[0, 0, 0], [1, 2, 3]]
    assert two.parents.tolist() == [-1, 0, 0]
    assert two.offsets[2].tolist() == [7, 8, 9]
    assert len(three) == 1


@pytest.mark.parametrize(
    ("rows", "element"),
    [
        ([(1, 0, 0), (2, 8, 0)], 1),  # meshes beyond the pointers
        ([(3, 0, 4)], 0),  # a node beyond the trees
        ([(2, 0, 0xFFFFFFF0)], 0),
        ([(0xFFFF, 0, 0)], 0),
    ],
)
def test_models_that_reach_out_of_the_level_are_an_error(
    rows: list[tuple[int, int, int]], element: int
) -> None:
    with pytest.raises(FormatError) as caught:
        decode_mesh_trees(model_records(*rows), np.zeros(8, "<i4"), 9)
    assert (caught.value.section, caught.value.element) == ("models", element)


def test_excessive_sharing_of_mesh_trees_is_refused() -> None:
    rows = [(1000, 0, 0)] * 2000
    with pytest.raises(FormatError, match="at most 8 times"):
        decode_mesh_trees(model_records(*rows), np.zeros(4000, "<i4"), 1000)


def test_a_model_with_more_meshes_than_any_game_is_an_error() -> None:
    with pytest.raises(FormatError, match="1024 meshes"):
        decode_mesh_trees(model_records((2000, 0, 0)), np.zeros(8000, "<i4"), 2000)
