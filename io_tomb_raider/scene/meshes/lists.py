"""Lists of faces of many meshes: what Blender shows of them is worked out at once, then taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..textures.keys import MATERIAL_KEY, KeyArray
from .arrays import (
    EFFECTS,
    LAYER,
    PARKED_FACE,
    TEXTURE,
    MeshArrays,
    ShownFaces,
    holdable,
    parked_rows,
    turned_over,
)


class FaceList(NamedTuple):
    """One kind of a file's lists of faces, of all meshes together.

    Attributes:
        kind: which of the file's lists it is.
        shown: the faces of all meshes, one mesh after the other.
        counts: (m,), how many of them each mesh has.
    """

    kind: int
    shown: ShownFaces
    counts: NDArray[np.int64]


class MeshFaces:
    """The faces of many meshes that Blender can hold, in the order of the meshes and of the file's lists.

    Args:
        lists: the lists of each kind.
        vertices: (m,), how many vertices each mesh has.
        words: the attributes that faces get.
    """

    def __init__(
        self, lists: Sequence[FaceList], vertices: NDArray[np.int64], words: Sequence[str] = (TEXTURE,)
    ) -> None:
        self._lists = lists
        meshes = np.arange(len(vertices))
        owners = [np.repeat(meshes, each.counts) for each in lists]
        self._fits = [
            # What is turned over has the same corners.
            holdable(each.shown.listed.corners, vertices.take(owner))
            for each, owner in zip(lists, owners, strict=True)
        ]
        shown, counts = [], []
        self._parking: set[int] = set()
        for each, owner, fits in zip(lists, owners, self._fits, strict=True):
            if fits.all():
                shown.append(each.shown)
                counts.append(each.counts)
            else:
                self._parking.update(owner[~fits].tolist())
                shown.append(each.shown.take(fits.nonzero()[0]))
                counts.append(np.bincount(owner[fits], minlength=len(vertices)))
        self._put_together(shown, counts, words)

    def _put_together(
        self, shown: list[ShownFaces], counts: list[NDArray[np.int64]], words: Sequence[str]
    ) -> None:
        """Put the lists together, mesh after mesh."""
        sides = [faces.listed.corners.shape[1] for faces in shown]
        starts = [np.append(0, each.cumsum()).tolist() for each in counts]
        runs = [  # of faces of one list and one mesh
            (which, before[number], before[number + 1])
            for number in range(len(counts[0]))
            for which, before in enumerate(starts)
            if before[number] < before[number + 1]
        ]
        self._face_starts = [0, *np.sum(counts, axis=0).cumsum().tolist()]
        corners = sum(each * side for each, side in zip(counts, sides, strict=True))
        self._corner_starts = [0, *np.asarray(corners).cumsum().tolist()]
        self._corners = _joined([faces.listed.corners for faces in shown], runs, np.int32)
        self._uvs = _joined([faces.uvs for faces in shown], runs, np.float32).reshape(-1, 2)
        sizes = [np.full(len(faces.uvs), side, np.int32) for faces, side in zip(shown, sides, strict=True)]
        self._sizes = _joined(sizes, runs, np.int32)
        keys = [faces.keys.view("<i8").reshape(-1, 2) for faces in shown]  # NumPy joins numbers at once
        self._keys: KeyArray = _joined(keys, runs, np.int64).view(MATERIAL_KEY)
        columns = {TEXTURE: "texture", EFFECTS: "effects", LAYER: "layer"}
        self._words = {
            name: _joined([getattr(faces.listed, columns[name]) for faces in shown], runs, np.int32)
            for name in words
        }

    def arrays(
        self,
        number: int,
        positions: NDArray[np.float32],
        colors: NDArray[np.uint8],
        point: dict[str, NDArray[np.int32]],
    ) -> MeshArrays:
        """Put one of the meshes together, of its faces and all that its vertices have."""
        faces = slice(self._face_starts[number], self._face_starts[number + 1])
        corners = slice(self._corner_starts[number], self._corner_starts[number + 1])
        return MeshArrays(
            positions=positions,
            corners=self._corners[corners],
            sizes=self._sizes[faces],
            uvs=self._uvs[corners],
            keys=self._keys[faces],
            colors=colors,
            point=point,
            face={name: values[faces] for name, values in self._words.items()},
            parked=self._parked(number),
        )

    def _parked(self, number: int) -> NDArray[np.void]:
        """Return the faces of a mesh that Blender cannot hold, (p,) of ``PARKED_FACE``."""
        found = [np.zeros(0, PARKED_FACE)]
        for each, fits in zip(self._lists, self._fits, strict=True) if number in self._parking else ():
            end = int(each.counts[: number + 1].sum())
            start = end - int(each.counts[number])
            places = np.flatnonzero(~fits[start:end])
            faces = each.shown.listed.take(start + places)
            found.append(parked_rows(each.kind, places, replace(faces, corners=turned_over(faces.corners))))
        return found[0] if len(found) == 1 else np.concatenate(found)


def _joined(parts: list[NDArray[Any]], runs: list[tuple[int, int, int]], dtype: Any) -> NDArray[Any]:
    """Join runs of rows of some arrays, each run by its array, start and end, into one row of numbers."""
    there = {which for which, _, _ in runs}
    if len(there) == 1:  # as in many levels, whose rooms have no triangles
        return parts[there.pop()].reshape(-1).astype(dtype, copy=False)
    flat = [part.astype(dtype, copy=False) for part in parts]
    rows = [flat[which][start:end].reshape(-1) for which, start, end in runs]
    return np.concatenate(rows or [np.zeros(0, dtype)])
