"""Lists of faces of many meshes: what Blender shows of them is worked out at once, then taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..textures.keys import KeyArray, join_keys
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
        self._parking = {
            int(number)
            for owner, fits in zip(owners, self._fits, strict=True)
            if not fits.all()
            for number in owner[~fits]
        }
        owner = np.concatenate(owners)
        order = owner.argsort(kind="stable")
        if self._parking:
            order = order[np.concatenate(self._fits)[order]]
        counts = np.bincount(owner.take(order), minlength=len(vertices))
        self._face_starts = [0, *counts.cumsum().tolist()]
        self._take(order, words)

    def _take(self, order: NDArray[np.int64], words: Sequence[str]) -> None:
        """Put faces into an order, and everything about them."""
        shown = [each.shown for each in self._lists]
        sides = [faces.listed.corners.shape[1] for faces in shown]
        lengths = [len(faces.listed) for faces in shown]
        sizes = np.repeat(np.array(sides, np.int64), lengths)
        first = (sizes.cumsum() - sizes).take(order)
        sizes = sizes.take(order)
        ends = sizes.cumsum()
        corners = np.arange(sizes.sum()) + np.repeat(first - ends + sizes, sizes)
        self._corner_starts = np.append(0, ends).take(self._face_starts).tolist()
        self._corners = _joined([faces.listed.corners.reshape(-1) for faces in shown], corners, np.int32)
        self._uvs = _joined([faces.uvs.reshape(-1, 2) for faces in shown], corners, np.float32)
        self._sizes = sizes.astype(np.int32)
        self._keys: KeyArray = join_keys([faces.keys for faces in shown]).take(order)
        columns = {TEXTURE: "texture", EFFECTS: "effects", LAYER: "layer"}
        self._words = {
            name: _joined([getattr(faces.listed, columns[name]) for faces in shown], order, np.int32)
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


def _joined(parts: list[NDArray[Any]], order: NDArray[np.int64], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts).astype(dtype, copy=False).take(order, axis=0)
