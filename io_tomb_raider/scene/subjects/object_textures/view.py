"""UVs and material keys of the texture words of a level.

In the file a face refers to an object texture, or in TR1 to TR3 to a palette color. In Blender it has UVs
and a material for a texture page and a blend mode.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....formats import Level
from ....formats.base import OBJECT_TEXTURE_RECORD
from ....formats.levels.level import page_count
from ....formats.levels.textures import (
    ADDITIVE_EFFECT,
    BlendMode,
    color_index,
    decode_object_textures,
    is_double_sided,
    texture_index,
)
from ..animated_textures.animated_textures import texture_labels
from ..meshes.arrays import turned_over
from ..textures.keys import KINDS, KeyArray, blank_keys
from ..textures.palettes import SIDE


class TextureView:
    """The object textures and the palette of a level as UVs and material keys.

    ``labels`` is the animated texture of each object texture, 0 for none; by default the level's.
    """

    def __init__(self, level: Level, labels: NDArray[np.int64] | None = None) -> None:
        self.game = level.game
        # Files of textiles alone have none.
        has_any = level.has("object_textures")
        records = level.object_textures if has_any else np.zeros(0, OBJECT_TEXTURE_RECORD[level.game])
        decoded = decode_object_textures(records, level.game)
        count = len(decoded.page)
        # The last row is that of all indices out of range.
        self._uv = np.zeros((count + 1, 4, 2), np.float32)
        self._uv[:count] = decoded.uv
        self._attribute = np.append(decoded.attribute, 0)
        self._keys = blank_keys(count + 1, "MISSING")
        self._exists = np.append(decoded.page < page_count(level), False)
        rows = np.flatnonzero(self._exists)
        self._keys["kind"][rows] = KINDS.index("PAGE")
        self._keys["page"][rows], self._keys["attribute"][rows] = decoded.page[rows], decoded.attribute[rows]
        self._keys["bump"][rows] = decoded.bump[rows]
        self._label(texture_labels(level) if labels is None else labels)

    def _label(self, labels: NDArray[np.int64]) -> None:
        self._keys["group"] = np.where(self._exists, np.append(labels, 0), 0)

    def labelled(self, labels: NDArray[np.int64]) -> TextureView:
        """Return a copy with other animated textures."""
        view = copy(self)
        view._keys = self._keys.copy()
        view._label(labels)
        return view

    def row(self, words: NDArray[Any], mask: int) -> NDArray[np.int64]:
        """Return the row of each texture word; textures that do not exist share the last one."""
        return np.minimum(texture_index(words, mask), len(self._keys) - 1)

    def attribute(self, words: NDArray[Any], mask: int) -> NDArray[np.int64]:
        """Return the blend modes of texture words, (n,)."""
        return self._attribute[self.row(words, mask)]

    def faces(
        self,
        words: NDArray[Any],
        corners: int,
        mask: int,
        effects: NDArray[Any] | None = None,
        *,
        turned: bool = False,
    ) -> tuple[NDArray[np.float32], KeyArray]:
        """Return UVs (n, corners, 2) and material keys (n,) of textured faces.

        Args:
            words: (n,) raw texture words.
            corners: 3 or 4.
            mask: the bits of a word that are the object texture.
            effects: (n,) raw effects words of mesh faces, TR4 and TR5.
            turned: whether the corners are in the winding of Blender, see
                :func:`~..meshes.arrays.turned_over`.
        """
        rows = self.row(words, mask)
        keys = self._keys.take(rows)
        uv = self._uv[:, :corners]
        if turned:  # here, as there are fewer textures than faces
            uv = turned_over(uv)
        exists = self._exists[rows]
        if effects is not None:
            keys["attribute"][exists & (ADDITIVE_EFFECT.of(effects) != 0)] = BlendMode.ADDITIVE
        keys["double_sided"] = exists & is_double_sided(words, mask)
        return uv.take(rows, axis=0), keys

    def colored_faces(self, words: NDArray[Any], corners: int) -> tuple[NDArray[np.float32], KeyArray]:
        """Return UVs (n, corners, 2) at the centers of cells of the palette's image, and keys (n,)."""
        uv = np.repeat(cell_center(color_index(words, self.game))[:, None], corners, axis=1)
        return uv, blank_keys(len(words), "PALETTE")


def cell_center(index: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the UVs, (n, 2), of the centers of cells of the palette's image, by palette index."""
    row, column = np.divmod(index, SIDE)
    center = np.stack((column + 0.5, SIDE - row - 0.5), axis=-1)
    return (center / SIDE).astype(np.float32)


def cell_at(uv: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the palette indices of the cells of the palette's image under UVs (n, 2)."""
    cell = np.clip(np.floor(uv.astype(np.float64) * SIDE).astype(np.int64), 0, SIDE - 1)
    return (SIDE - 1 - cell[..., 1]) * SIDE + cell[..., 0]
