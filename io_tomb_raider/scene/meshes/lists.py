"""Lists of faces of many meshes: what Blender shows of them is worked out at once, then taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .arrays import ShownFaces, holdable, parked_rows, turned_over


class FaceLists:
    """One kind of a file's lists of faces, of all meshes together.

    Args:
        kind: which of the file's lists it is.
        shown: the faces of all meshes, one mesh after the other.
        lengths: (m,), how many of them each mesh has.
        vertices: (m,), how many vertices each mesh has.
    """

    def __init__(
        self, kind: int, shown: ShownFaces, lengths: Sequence[int], vertices: NDArray[np.int64]
    ) -> None:
        self._kind, self._all = kind, shown
        counts = np.array(lengths, np.int64)
        # What is turned over has the same corners.
        self._fits = holdable(shown.listed.corners, np.repeat(vertices, counts))
        self._ends = np.cumsum(counts).tolist()
        self._lengths = counts.tolist()
        owner = np.repeat(np.arange(len(counts)), counts)
        self._parking = set(owner[~self._fits].tolist())

    def of(self, number: int) -> ShownFaces | None:
        """Return the faces of one mesh that Blender can hold, or None where the list is empty."""
        if not self._lengths[number]:
            return None
        rows = slice(self._ends[number] - self._lengths[number], self._ends[number])
        part = self._all.take(rows)
        return part.take(np.flatnonzero(self._fits[rows])) if number in self._parking else part

    def is_parking(self, number: int) -> bool:
        """Tell whether Blender cannot hold some of a mesh's faces."""
        return number in self._parking

    def parked(self, number: int) -> NDArray[np.void]:
        """Return rows for ``MeshArrays.parked`` of one mesh."""
        start, end = self._ends[number] - self._lengths[number], self._ends[number]
        places = np.flatnonzero(~self._fits[start:end])
        faces = self._all.listed.take(start + places)
        return parked_rows(self._kind, places, replace(faces, corners=turned_over(faces.corners)))


def parked_of(lists: Sequence[FaceLists], number: int) -> NDArray[np.void] | None:
    """Return ``MeshArrays.parked`` of one mesh, None where Blender can hold all of its faces."""
    if not any(each.is_parking(number) for each in lists):
        return None
    return np.concatenate([each.parked(number) for each in lists])
