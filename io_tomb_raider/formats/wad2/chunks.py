"""Writers of the chunks of a WAD2. See :mod:`..base.chunks` for reading."""

from __future__ import annotations

from ..base.chunks import ChunkWriter

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
