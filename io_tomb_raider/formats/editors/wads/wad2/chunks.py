"""The chunks of a WAD2: their writers, and kinds of content that several records have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.chunks import END, Chunk, ChunkWriter, find, inside, leb_bytes, read_chunks
from ....base.bytes.records import F32
from ....base.errors import FormatError
from ....base.schema import chunks
from ....base.schema.chunks import ContentKind, Together

WRITER = ChunkWriter(
    leaves={"W2Disp": 4, "W2SprSides": 4, "W2Frame": 2},
    parents={"W2Textures": 5, "W2AnimatedTextureSets": 10},
)
leaf = WRITER.leaf


class Wad2Context(chunks.Context):
    """The state of reading or writing a WAD2."""

    writer = WRITER


CONTEXT = Wad2Context()


def parent(name: str, parts: Iterable[Chunk], numbers: Iterable[int] = ()) -> Chunk:
    """Return a chunk with plain numbers and children, as the inverse of :func:`.bytes.chunks.children`.

    Raises:
        ExportError: if it is too large for a file.
    """
    return WRITER.parent(name, parts, b"".join(map(leb_bytes, numbers)))


def value_in(parts: Sequence[Chunk], name: str, kind: ContentKind, default: Any) -> Any:
    """Return the value of the first chunk of a name, or a default. Raises FormatError if it is damaged."""
    part = find(parts, name)
    return default if part is None else kind.read(part, CONTEXT)


class Vector(ContentKind):
    """A vector, (count,) float32."""

    def __init__(self, count: int = 3) -> None:
        self._count = count

    def read(self, chunk: Chunk, context: Any) -> NDArray[np.float32]:
        return inside(chunk).array(F32, self._count)

    def write(self, value: object, name: str, context: Any) -> bytes:
        return np.asarray(value, F32).tobytes()


class Vectors(ContentKind):
    """Vectors, (n, 3) float32, each in a leaf of one name."""

    is_parent = True

    def __init__(self, name: str) -> None:
        self._name = name
        self._head = np.frombuffer(leaf(name, bytes(3 * F32.itemsize)).head, np.uint8)
        self._row = np.dtype([("head", np.uint8, self._head.shape), ("vector", F32, (3,))])

    def read(self, chunk: Chunk, context: Any) -> NDArray[np.float32]:
        count, rest = divmod(len(chunk.body), self._row.itemsize)
        if rest == len(END) and chunk.body.endswith(END):
            rows = np.frombuffer(chunk.body, self._row, count)
            if (rows["head"] == self._head).all():  # only such leaves, in the usual encoding
                return np.ascontiguousarray(rows["vector"])
        return vectors_of([part for part in read_chunks(inside(chunk)) if part.name == self._name])

    def write(self, value: NDArray[np.float32], name: str, context: Any) -> bytes:
        rows = np.empty(len(value), self._row)
        rows["head"], rows["vector"] = self._head, value
        return rows.tobytes() + END


def vectors_of(parts: Sequence[Chunk]) -> NDArray[np.float32]:
    """Return the vectors of leaves, (n, 3) float32.

    Raises:
        FormatError: if one is too short.
    """
    size = 3 * F32.itemsize
    for index, part in enumerate(parts):
        if len(part.body) < size:
            raise FormatError(part.name, f"{size} bytes", str(len(part.body)), element=index)
    return np.frombuffer(b"".join(part.body[:size] for part in parts), F32).reshape(-1, 3)


VECTOR = Vector()
ORIGIN = np.zeros(3, F32)
BOX = Together(("W2BBMin", VECTOR, ORIGIN), ("W2BBMax", VECTOR, ORIGIN))  # the two ends of a bounding box
NO_BOX = (ORIGIN, ORIGIN)
