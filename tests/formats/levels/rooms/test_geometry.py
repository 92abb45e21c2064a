"""The faces of rooms show the same triangles and quads in any division into layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Room
from io_tomb_raider.formats.base.bytes.records import LAYER_TR5, ROOM_QUAD, ROOM_TRIANGLE, ROOM_VERTEX_TR5
from io_tomb_raider.formats.levels.rooms.geometry import (
    FaceSet,
    LayeredGeometry,
    decode_faces,
    decode_rooms_faces,
    encode_faces,
    encode_layers,
    vertex_layers,
)

each_game_of_one_layer = pytest.mark.parametrize("game", [game for game in Game if game is not Game.TR5])


def face_set(random: np.random.Generator, faces: int, corners: int, vertices: int, layers: int) -> FaceSet:
    return FaceSet(
        random.integers(0, vertices, (faces, corners)).astype(np.int32),
        random.integers(0, 0x10000, faces).astype(np.uint16),
        random.integers(0, 0x10000, faces).astype(np.uint16),
        random.integers(0, layers, faces).astype(np.int32),
    )


@st.composite
def layered(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[np.int32], FaceSet, FaceSet]:
    """Return vertices, their layers, quads and triangles of a room, connected at random."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, layers = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    vertices = np.zeros(count, ROOM_VERTEX_TR5)
    for axis in "xyz":
        vertices[axis] = random.integers(-5000, 5000, count)
    vertices["color"] = np.arange(count)  # identifies vertices
    vertex_layer = random.integers(0, layers, count).astype(np.int32)
    quads = face_set(random, draw(st.integers(0, 8)), 4, count, layers)
    triangles = face_set(random, draw(st.integers(0, 8)), 3, count, layers)
    return vertices, vertex_layer, quads, triangles


def room_of(mesh: LayeredGeometry) -> Room:
    room = Room()
    room.vertices, room.layers = mesh.vertices, mesh.layers
    room.quads, room.triangles = mesh.quads, mesh.triangles
    return room


def shown_faces(vertices: NDArray[Any], faces: FaceSet) -> list[Any]:
    """Return what faces show, layer by layer: their vertices, known by color, and their words."""
    order = np.argsort(faces.layer, kind="stable")
    colors = vertices["color"][faces.corners[order]].tolist()
    return list(
        zip(
            faces.layer[order].tolist(),
            colors,
            faces.texture[order].tolist(),
            faces.effects[order].tolist(),
            strict=True,
        )
    )


@given(layered())
def test_layers_show_the_faces_of_their_mesh(
    made: tuple[NDArray[Any], NDArray[np.int32], FaceSet, FaceSet],
) -> None:
    vertices, vertex_layer, quads, triangles = made
    mesh = encode_layers(vertices, vertex_layer, quads, triangles)
    again = decode_faces(Game.TR5, room_of(mesh))
    assert shown_faces(mesh.vertices, again[0]) == shown_faces(vertices, quads)
    assert shown_faces(mesh.vertices, again[1]) == shown_faces(vertices, triangles)
    assert (mesh.vertices["color"] == vertices["color"][mesh.source]).all()
    assert set(mesh.vertices["color"].tolist()) == set(vertices["color"].tolist())


@given(layered())
def test_layers_are_encoded_to_the_same_layers_again(
    made: tuple[NDArray[Any], NDArray[np.int32], FaceSet, FaceSet],
) -> None:
    first = encode_layers(*made)
    room = room_of(first)
    second = encode_layers(first.vertices, vertex_layers(room), *decode_faces(Game.TR5, room), first.layers)
    for name in ("vertices", "quads", "triangles", "layers"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()
    assert second.source.tolist() == list(range(len(first.vertices)))


@given(layered())
def test_bounds_of_layers_hold_their_vertices(
    made: tuple[NDArray[Any], NDArray[np.int32], FaceSet, FaceSet],
) -> None:
    mesh = encode_layers(*made)
    layer = np.repeat(np.arange(len(mesh.layers)), mesh.layers["vertices"])
    for number, bounds in enumerate(mesh.layers["bounds"]):
        own = mesh.vertices[layer == number]
        points = np.stack([own[axis] for axis in "xyz"], 1)
        expected = [*points.min(0), *points.max(0)] if len(own) else [0] * 6
        assert bounds.tolist() == expected


def test_water_counts_stay_while_a_layer_keeps_its_vertices() -> None:
    vertices = np.zeros(4, ROOM_VERTEX_TR5)
    vertices["x"] = range(4)
    layer_of = np.array([0, 0, 1, 1], np.int32)
    nothing = face_set(np.random.default_rng(0), 0, 4, 4, 1), face_set(np.random.default_rng(0), 0, 3, 4, 1)
    originals = np.zeros(2, LAYER_TR5)
    originals["vertices"], originals["water_vertices"] = (2, 3), (1, 2)
    mesh = encode_layers(vertices, layer_of, *nothing, originals)
    assert mesh.layers["vertices"].tolist() == [2, 2]
    assert mesh.layers["water_vertices"].tolist() == [1, 0]


def test_water_and_shore_are_first_in_layers_with_other_vertices() -> None:
    originals = np.zeros(2, LAYER_TR5)
    originals["vertices"], originals["water_vertices"], originals["shore_vertices"] = (4, 2), (1, 1), (2, 0)
    originals["quads"], originals["water_quads"] = (2, 1), (1, 0)
    # Vertices 0 to 3 were in the first layer, 4 and 5 in the second. Two are new, in another order.
    numbers = np.array([-1, 3, 2, 1, 0, -1, 4, 5], np.int32)
    vertices = np.zeros(8, ROOM_VERTEX_TR5)
    vertices["x"] = numbers
    layer_of = np.array([0, 0, 0, 0, 0, 0, 1, 1], np.int32)
    corners = np.array([[0, 1, 2, 3], [4, 5, 0, 1], [6, 7, 6, 7]], np.int32)
    none = np.zeros(3, np.uint16)
    quads = FaceSet(corners, np.arange(3, dtype=np.uint16), none, np.array([0, 0, 1], np.int32))
    triangles = FaceSet(np.zeros((0, 3), np.int32), none[:0], none[:0], np.zeros(0, np.int32))
    mesh = encode_layers(vertices, layer_of, quads, triangles, originals, numbers)
    assert mesh.vertices["x"].tolist() == [0, 2, 1, -1, 3, -1, 4, 5]
    assert mesh.layers["water_vertices"].tolist() == [1, 1]
    assert mesh.layers["shore_vertices"].tolist() == [2, 0]
    assert mesh.layers["water_quads"].tolist() == [1, 0]  # the second layer keeps its own
    assert mesh.quads["texture"].tolist() == [1, 0, 2]  # with water first
    again = decode_faces(Game.TR5, room_of(mesh))[0]
    assert mesh.vertices["x"][again.corners].tolist() == vertices["x"][corners[[1, 0, 2]]].tolist()
    # As many vertices, but one of the water is new.
    swapped = np.array([-1, 1, 2, 3, 4, 5], np.int32)
    nothing = FaceSet(corners[:0], none[:0], none[:0], layer_of[:0])
    originals["quads"], originals["water_quads"] = 0, 0
    layer_of = layer_of[[0, 0, 0, 0, 6, 6]]
    mesh = encode_layers(vertices[:6], layer_of, nothing, triangles, originals, swapped)
    assert mesh.layers["water_vertices"].tolist() == [0, 1]
    assert mesh.layers["shore_vertices"].tolist() == [2, 0]


def test_a_room_without_anything_has_one_empty_layer() -> None:
    nothing = face_set(np.random.default_rng(0), 0, 4, 1, 1), face_set(np.random.default_rng(0), 0, 3, 1, 1)
    mesh = encode_layers(np.zeros(0, ROOM_VERTEX_TR5), np.zeros(0, np.int32), *nothing)
    assert [len(mesh.vertices), len(mesh.quads), len(mesh.triangles), len(mesh.layers)] == [0, 0, 0, 1]


def test_too_many_vertices_in_a_layer_are_an_error() -> None:
    nothing = face_set(np.random.default_rng(0), 0, 4, 1, 1), face_set(np.random.default_rng(0), 0, 3, 1, 1)
    with pytest.raises(ExportError) as caught:
        encode_layers(np.zeros(0x10000, ROOM_VERTEX_TR5), np.zeros(0x10000, np.int32), *nothing)
    assert (caught.value.count, caught.value.limit) == (0x10000, 0xFFFF)


@each_game_of_one_layer
@given(seed=st.integers(0, 2**32), count=st.integers(0, 20))
def test_faces_of_one_layer_encode_to_the_same_records(game: Game, seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    room = Room()
    quad, triangle = ROOM_QUAD[game], ROOM_TRIANGLE[game]
    room.quads = np.frombuffer(random.bytes(count * quad.itemsize), quad)
    room.triangles = np.frombuffer(random.bytes(count * triangle.itemsize), triangle)
    quads, triangles = encode_faces(game, *decode_faces(game, room))
    assert quads.tobytes() == room.quads.tobytes()
    assert triangles.tobytes() == room.triangles.tobytes()


@given(meshes=st.lists(layered(), min_size=1, max_size=4))
def test_faces_of_many_rooms_are_those_of_each_one_after_the_other(meshes: list[Any]) -> None:
    rooms = [room_of(encode_layers(*mesh)) for mesh in meshes]
    for game in (Game.TR5, Game.TR3):  # with layers, and without
        apart = [decode_faces(game, room) for room in rooms]
        for together, parts in zip(decode_rooms_faces(game, rooms), zip(*apart, strict=True), strict=True):
            for name in ("corners", "texture", "effects", "layer"):
                expected = np.concatenate([getattr(part, name) for part in parts])
                assert getattr(together, name).tolist() == expected.tolist()


@each_game_of_one_layer
def test_vertex_indices_that_do_not_fit_are_an_error(game: Game) -> None:
    faces = face_set(np.random.default_rng(0), 1, 4, 1, 1), face_set(np.random.default_rng(0), 0, 3, 1, 1)
    faces[0].corners[0, 0] = 0x10000
    with pytest.raises(ExportError) as caught:
        encode_faces(game, *faces)
    assert (caught.value.count, caught.value.limit) == (0x10001, 0x10000)
