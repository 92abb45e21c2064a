"""The chunks of a WAD2: their writers, and kinds of content that several records have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.chunks import Chunk, ChunkWriter, children, find, vector_in
from ....base.bytes.records import F32
from ....base.schema import chunks
from ....base.schema.chunks import Kind

_WRITER = ChunkWriter(
    leaves={"W2Disp": 4, "W2SprSides": 4, "W2Frame": 2},
    parents={"W2Textures": 5, "W2AnimatedTextureSets": 10},
)

leaf = _WRITER.leaf
parent = _WRITER.parent
with_children = _WRITER.with_children
number_leaf = _WRITER.number_leaf
text_leaf = _WRITER.text_leaf
float_leaf = _WRITER.float_leaf
vector_leaf = _WRITER.vector_leaf
vectors_parent = _WRITER.vectors_parent


class Context(chunks.Context):
    """The state of reading or writing a WAD2."""

    writer = _WRITER


CONTEXT = Context()


class _Vector(Kind):
    """A vector, (3,) float32."""

    def read(self, chunk: Chunk, context: Context) -> NDArray[np.float32]:
        return vector_in(chunk)

    def write(self, value: object, name: str, context: Context) -> bytes:
        return np.asarray(value, F32).tobytes()


class _Box(Kind):
    """The two ends of a bounding box, (2, 3) float32."""

    is_parent = True

    def read(self, chunk: Chunk, context: Context) -> NDArray[np.float32]:
        _, parts = children(chunk)
        return np.stack([vector_in(find(parts, name)) for name in _ENDS])

    def write(self, value: NDArray[np.float32], name: str, context: Context) -> bytes:
        ends = [vector_leaf(each, end) for each, end in zip(_ENDS, value, strict=True)]
        return parent(name, ends).body


_ENDS = ("W2BBMin", "W2BBMax")
VECTOR, BOX = _Vector(), _Box()


def box_in(parts: list[Chunk], name: str) -> NDArray[np.float32]:
    """Return the first box of a name, 0 without one."""
    part = find(parts, name)
    return np.zeros((2, 3), F32) if part is None else BOX.read(part, CONTEXT)


def box_parent(name: str, ends: NDArray[np.float32]) -> Chunk:
    """Return the chunk of a box."""
    return BOX.new_chunk(name, ends, CONTEXT)
