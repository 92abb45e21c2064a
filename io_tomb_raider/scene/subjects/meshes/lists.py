"""Lists of faces of many meshes, converted together and then divided by mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..textures.keys import join_keys
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
    """One of a file's lists of faces, for all meshes."""

    kind: int  #: the kind of list.
    shown: ShownFaces  #: the faces of all meshes in sequence.
    counts: NDArray[np.int64]  #: (m,), the number of faces of each mesh.


class MeshFaces:
    """The representable faces of many meshes, in the order of the meshes and of the file's lists."""

    def __init__(
        self, lists: Sequence[FaceList], vertices: NDArray[np.int64], words: Sequence[str] = (TEXTURE,)
    ) -> None:
        """Sort lists by mesh, given the number of vertices of each, (m,), and attributes of faces."""
        self._lists = lists
        meshes = np.arange(len(vertices))
        owners = [np.repeat(meshes, each.counts) for each in lists]
        self._fits = [
            # reversing keeps the corners
            holdable(each.shown.listed.corners, vertices[owner])
            for each, owner in zip(lists, owners, strict=True)
        ]
        faces = [each.shown for each in lists]
        self._parking: set[int] = set()
        for kind, fits in enumerate(self._fits):
            if not fits.all():
                self._parking.update(owners[kind][~fits].tolist())
                faces[kind], owners[kind] = faces[kind].take(fits.nonzero()[0]), owners[kind][fits]
        self._join(faces, owners, len(vertices), words)

    def _join(
        self, faces: list[ShownFaces], owners: list[NDArray[np.int64]], meshes: int, words: Sequence[str]
    ) -> None:
        """Join the lists, sorted by mesh."""
        # A single list is sorted already, as in many levels, whose rooms have no triangles.
        kinds = [kind for kind, owner in enumerate(owners) if len(owner)] or [0]
        faces, owner = [faces[kind] for kind in kinds], np.concatenate([owners[kind] for kind in kinds])
        sizes = np.concatenate([np.full(len(part.uvs), part.uvs.shape[1], np.int32) for part in faces])
        corners = _joined([part.listed.corners.reshape(-1) for part in faces])
        uvs = _joined([part.uvs.reshape(-1).view("<i8") for part in faces])  # both floats of each at once
        keys = join_keys([part.keys for part in faces])
        columns = {TEXTURE: "texture", EFFECTS: "effects", LAYER: "layer"}
        lists = {name: _joined([getattr(part.listed, columns[name]) for part in faces]) for name in words}
        self._words = {name: values.astype(np.int32, copy=False) for name, values in lists.items()}
        if len(faces) > 1:
            order = owner.argsort(kind="stable")
            before = (sizes.cumsum() - sizes)[order]  # the first corner of every face, in the lists
            sizes = sizes[order]
            after = sizes.cumsum() - sizes  # and its new position
            corner = np.repeat(before - after, sizes) + np.arange(len(corners))
            corners, uvs = corners[corner], uvs[corner]
            keys = keys.take(order)  # ten times faster than indexing for records
            self._words = {name: values[order] for name, values in self._words.items()}
        self._sizes, self._corners, self._keys = sizes, corners, keys
        self._uvs = uvs.view(np.float32).reshape(-1, 2)
        face_starts = np.append(0, np.bincount(owner, minlength=meshes).cumsum())
        self._face_starts = face_starts.tolist()
        self._corner_starts = np.append(0, sizes.cumsum())[face_starts].tolist()

    def arrays(
        self,
        number: int,
        positions: NDArray[np.float32],
        colors: NDArray[np.uint8],
        point: dict[str, NDArray[np.int32]],
    ) -> MeshArrays:
        """Return the arrays of one mesh, from its faces and the values of its vertices."""
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
        """Return the unrepresentable faces of a mesh, (p,) of ``PARKED_FACE``."""
        parts = [np.zeros(0, PARKED_FACE)]
        for each, fits in zip(self._lists, self._fits, strict=True) if number in self._parking else ():
            end = int(each.counts[: number + 1].sum())
            start = end - int(each.counts[number])
            indices = np.flatnonzero(~fits[start:end])
            faces = each.shown.listed.take(start + indices)
            parts.append(parked_rows(each.kind, indices, replace(faces, corners=turned_over(faces.corners))))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays of one type."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
