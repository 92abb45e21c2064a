"""Meshes of any content survive decoding and encoding."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, FormatError, Game
from io_tomb_raider.formats.base.bytes.records import MESH_QUAD, MESH_TRIANGLE, QUAD, TRIANGLE
from io_tomb_raider.formats.levels.meshes.meshes import (
    Mesh,
    bounding_sphere,
    decode_meshes,
    encode_block,
    encode_mesh,
)
from tests.games import each_game

words = st.integers(-0x8000, 0x7FFF)


def records(dtype: np.dtype) -> st.SearchStrategy[NDArray[Any]]:
    """Return records of up to six faces with any bits."""
    sizes = st.integers(0, 6)
    return sizes.flatmap(
        lambda count: st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize).map(
            lambda content: np.frombuffer(content, dtype)
        )
    )


@st.composite
def meshes(draw: st.DrawFn, game: Game) -> Mesh:
    count = draw(st.integers(0, 8))
    has_normals = draw(st.booleans()) and count > 0
    vectors = arrays.arrays(np.dtype("<i2"), (count, 3))
    has_colors = game < Game.TR4
    return Mesh(
        center=draw(st.tuples(words, words, words)),
        radius=draw(words),
        flags=draw(st.integers(0, 0xFFFF)),
        vertices=draw(vectors),
        normals=draw(vectors) if has_normals else None,
        lights=None if has_normals else draw(arrays.arrays(np.dtype("<i2"), count)),
        quads=draw(records(MESH_QUAD[game])),
        triangles=draw(records(MESH_TRIANGLE[game])),
        colored_quads=draw(records(QUAD)) if has_colors else np.zeros(0, QUAD),
        colored_triangles=draw(records(TRIANGLE)) if has_colors else np.zeros(0, TRIANGLE),
    )


def assert_same(one: Mesh, other: Mesh) -> None:
    for field in fields(Mesh):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.name == "raw":
            continue
        if isinstance(a, np.ndarray):
            assert a.shape == b.shape and a.tobytes() == b.tobytes(), field.name
        else:
            assert a == b, field.name


@each_game
@given(data=st.data())
def test_an_encoded_block_is_decoded_to_the_same_meshes(game: Game, data: st.DataObject) -> None:
    made = data.draw(st.lists(meshes(game), min_size=1, max_size=4))
    order = data.draw(st.lists(st.integers(0, len(made) - 1), max_size=6))
    pointers = np.array([*range(len(made)), *order], np.int32)
    block, offsets = encode_block([encode_mesh(game, mesh) for mesh in made], pointers)
    assert (offsets % 4 == 0).all()
    decoded = decode_meshes(game, block, offsets)
    assert decoded.pointers.tolist() == pointers.tolist()
    for mesh, again in zip(made, decoded.meshes, strict=True):
        assert_same(mesh, again)
        assert again.raw == encode_mesh(game, mesh)


@each_game
def test_without_pointers_there_are_no_meshes(game: Game) -> None:
    decoded = decode_meshes(game, np.zeros(0, np.uint8), np.zeros(0, "<u4"))
    assert decoded.meshes == []
    assert len(decoded.pointers) == 0


@each_game
def test_bytes_between_meshes_are_kept(game: Game) -> None:
    """Editors leave arbitrary bytes between meshes."""
    mesh = _plain_mesh(game, 1)
    content = encode_mesh(game, mesh) + b"d6d6"
    block = np.frombuffer(content * 2, np.uint8)
    decoded = decode_meshes(game, block, np.array([0, len(content)], "<u4"))
    assert [each.raw for each in decoded.meshes] == [content, content]


def _plain_mesh(game: Game, vertices: int, **changes: Any) -> Mesh:
    values: dict[str, Any] = {
        "center": (0, 0, 0),
        "radius": 0,
        "flags": 0,
        "vertices": np.zeros((vertices, 3), np.int16),
        "normals": np.zeros((vertices, 3), np.int16),
        "lights": None,
        "quads": np.zeros(0, MESH_QUAD[game]),
        "triangles": np.zeros(0, MESH_TRIANGLE[game]),
        "colored_quads": np.zeros(0, QUAD),
        "colored_triangles": np.zeros(0, TRIANGLE),
    }
    return Mesh(**(values | changes))


@each_game
def test_more_vertices_than_the_file_can_count_are_an_error_that_names_the_mesh(game: Game) -> None:
    with pytest.raises(ExportError) as caught:
        encode_mesh(game, _plain_mesh(game, 0x8000), "Statue")
    assert (caught.value.subject, caught.value.count, caught.value.limit) == ("Statue", 0x8000, 0x7FFF)


@each_game
@pytest.mark.parametrize("name", ["quads", "triangles", "colored_quads", "colored_triangles"])
def test_more_faces_than_the_file_can_count_are_an_error(game: Game, name: str) -> None:
    if name.startswith("colored") and game >= Game.TR4:
        return
    mesh = _plain_mesh(game, 3)
    setattr(mesh, name, np.zeros(0x8000, getattr(mesh, name).dtype))
    with pytest.raises(ExportError) as caught:
        encode_mesh(game, mesh, "Statue")
    assert name.replace("_", " ") in caught.value.problem


@pytest.mark.parametrize("changes", [{"center": (0x8000, 0, 0)}, {"radius": -0x8001}, {"flags": 0x10000}])
def test_a_sphere_that_does_not_fit_is_an_error(changes: dict[str, Any]) -> None:
    with pytest.raises(ExportError) as caught:
        encode_mesh(Game.TR1, _plain_mesh(Game.TR1, 1, **changes), "Statue")
    assert caught.value.subject == "Statue"


@each_game
def test_a_pointer_out_of_the_block_names_the_mesh_and_the_place(game: Game) -> None:
    content = encode_mesh(game, _plain_mesh(game, 1))
    with pytest.raises(FormatError) as caught:
        decode_meshes(game, np.frombuffer(content, np.uint8), np.array([0, 4000], "<u4"))
    assert (caught.value.section, caught.value.element, caught.value.offset) == ("meshes/header", 1, 4000)


@given(
    arrays.arrays(
        np.dtype("<i2"), st.tuples(st.integers(1, 20), st.just(3)), elements=st.integers(-9000, 9000)
    )
)
def test_the_sphere_of_a_new_mesh_holds_all_its_vertices(vertices: NDArray[np.int16]) -> None:
    center, radius = bounding_sphere(vertices)
    distances = np.linalg.norm(vertices.astype(float) - center, axis=1)
    assert (distances <= radius + 1e-6).all()


def test_the_sphere_of_no_vertices_is_empty() -> None:
    assert bounding_sphere(np.zeros((0, 3), np.int16)) == ((0, 0, 0), 0)
