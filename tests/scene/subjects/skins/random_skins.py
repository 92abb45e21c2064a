"""Random models with skins as WAD2 files, and the formula by which engines bend them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tests.wad2_samples import Pairs, bone, box, key, leaf, leb, node, polygon, vectors, weights

from ...rig_tools import turned

_STEP = 360 / 1024


@dataclass(frozen=True)
class SkinnedModel:
    """A model of m bones with a skin of n vertices, and one key frame; x right, y up, z forward."""

    operations: tuple[int, ...]  #: (m,) of the bones.
    offsets: np.ndarray  #: (m, 3) from their parents, whole.
    steps: np.ndarray  #: (m, 3) angles of the key frame in 1/1024 turns.
    vertices: np.ndarray  #: (n, 3) float32.
    pairs: tuple[Pairs, ...]  #: bones and weights of the vertices, in the order of the file.

    @property
    def parents(self) -> list[int]:
        """The parent of each bone, -1 for the first."""
        result, stack = [-1], list[int]()
        for number, operation in enumerate(self.operations[1:], 1):
            parent = number - 1
            if operation & 1 and stack:
                parent = stack.pop()
            if operation & 2:
                stack.append(parent)
            result.append(parent)
        return result

    @property
    def reach(self) -> float:
        """The greatest distance of a vertex from a bone at rest."""
        rest = [np.zeros(3)]
        for number, parent in enumerate(self.parents[1:], 1):
            rest.append(rest[parent] + self.offsets[number])
        return float(np.linalg.norm(self.vertices[:, None] - np.array(rest), axis=2).max())

    def to_bytes(self) -> bytes:
        """Return a WAD2 for TombEngine with the model in slot 71."""
        names = [f"b{number}" for number in range(len(self.operations))]
        meshes = [_mesh(np.array([[0, 0, 0], [64, 0, 0], [0, 64, 0], [0, 0, 64]]), ()) for _ in names]
        bones = [
            bone(operation, name, offset, number)
            for number, (operation, name, offset) in enumerate(
                zip(self.operations, names, self.offsets.tolist(), strict=True)
            )
        ]
        # Angles about x and z have the other sign in files.
        degrees = self.steps * np.array([-1, 1, -1]) % 1024 * _STEP
        animation = node(
            "W2Ani3",
            leaf("W2AnmName", b"POSE"),
            key((8, 16, 24), degrees.tolist()),
            leaf("W2AniV", bytes(16)),
            numbers=(0, 0, 1, 0, 0, 0),
        )
        skin = node("W2MovSkin", _mesh(self.vertices, self.pairs))
        moveable = node("W2Moveable", *meshes, skin, *bones, animation, numbers=(71,))
        image = node("W2Txt", leaf("W2TxtData", bytes(4 * 16 * 16)), numbers=(16, 16))
        return b"".join(
            (
                b"WAD2" + bytes(4),
                leaf("W2SuggestedGameVersion", leb(18)),
                leaf("W2SoundSystem", leb(1)),
                node("W2Textures", image, width=5),
                node("W2Moveables", moveable),
                b"\0",
            )
        )

    def posed(self) -> np.ndarray:
        """Return the vertices in the key frame as engines draw them, (n, 3), x right, y down, z forward."""
        signs = np.array([1, -1, 1])
        offsets, vertices = self.offsets * signs, self.vertices.astype(float) * signs
        rest, places, turns = [np.zeros(3)], [np.array([8, -16, 24.0])], [turned(self.steps[0] * 64)]
        for number, parent in list(enumerate(self.parents))[1:]:
            rest.append(rest[parent] + offsets[number])
            places.append(places[parent] + turns[parent] @ offsets[number])
            turns.append(turns[parent] @ turned(self.steps[number] * 64))
        result = np.zeros(vertices.shape)
        for row, (vertex, pairs) in enumerate(zip(vertices, self.pairs, strict=True)):
            used = [(number, weight) for number, weight in pairs if weight > 0] or [(0, 1.0)]
            for number, weight in used:
                moved = turns[number] @ (vertex - rest[number]) + places[number]
                result[row] += weight / sum(each for _, each in used) * moved
        return result


def _mesh(vertices: np.ndarray, pairs: tuple[Pairs, ...]) -> bytes:
    square = ((0.0, 0.0), (16.0, 0.0), (16.0, 16.0))
    faces = [polygon((0, 1, 2), 0, square), polygon((1, 2, 3), 0, square)]
    sphere = (leaf("W2SphC", bytes(12)), leaf("W2SphR", np.array([100.0]).tobytes()))
    return node(
        "W2Mesh",
        leaf("W2MeshName", b"m"),
        node("W2MeshSphere", *sphere),
        box("W2BBox", vertices.min(axis=0), vertices.max(axis=0)),
        vectors("W2VrtPos", "W2Pos", vertices.tolist()),
        node("W2VrtNorm"),
        node("W2VrtShd"),
        *([weights(pairs)] if pairs else ()),
        leaf("W2MeshLightType", b"\0"),
        leaf("W2MeshVisible", b"\0"),
        node("W2Polys", *faces),
    )


# Editors write steps of 1/255. Blender's modifier leaves vertices with less than 0.0001 in all at rest.
_WEIGHTS = st.floats(0.0, 1.0, width=32).filter(lambda value: value == 0 or value > 1e-3)


@st.composite
def skinned_models(draw: st.DrawFn) -> SkinnedModel:
    """Draw a model with a skin."""
    count = draw(st.integers(1, 7))
    operations, depth = [0], 0
    for _ in range(1, count):
        operation = draw(st.sampled_from([0, 2, *([1, 3] if depth else [])]))
        depth += (operation == 2) - (operation == 1)
        operations.append(operation)
    whole = st.lists(st.integers(-300, 300), min_size=3, max_size=3)
    offsets = np.array([[0, 0, 0], *(draw(whole) for _ in range(count - 1))])
    turns = st.lists(st.integers(0, 1023), min_size=3, max_size=3)
    steps = np.array([draw(turns) for _ in range(count)])
    size = draw(st.integers(4, 9))
    place = st.lists(st.floats(-900, 900, width=32), min_size=3, max_size=3)
    vertices = np.array([draw(place) for _ in range(size)], np.float32)
    pair = st.tuples(st.integers(0, count - 1), _WEIGHTS)
    pairs = tuple(
        draw(st.lists(pair, max_size=min(4, count), unique_by=lambda each: each[0])) for _ in range(size)
    )
    return SkinnedModel(tuple(operations), offsets, steps, vertices, pairs)
