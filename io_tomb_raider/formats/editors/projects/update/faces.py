"""Edited textures of faces written into the sectors of a project."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Floats, Ints, Records
from ....levels.textures.textiles import PAGE_SIZE
from ..model.shape import FACE, RoomShape, face_keys

_ROUNDING = 1 / 64  # pixels: levels store corners in parts of 1/256
_OTHERS = tuple(name for name in FACE.names or () if name != "corners")


def key_of(records: Records) -> Ints:
    """Return the sector's number and the face of records in one number, (n,)."""
    return face_keys(records["sector"], records["face"])


def changed_faces(before: Records, after: Records) -> tuple[Records, Ints]:
    """Return the faces after that are new or differ, and the keys of removed faces."""
    keys_before, keys_after = key_of(before), key_of(after)
    _, old, new = np.intersect1d(keys_before, keys_after, return_indices=True)
    old_faces, new_faces = before[old], after[new]
    equal = (np.abs(old_faces["corners"] - new_faces["corners"]) < _ROUNDING).all(axis=(1, 2))
    for name in _OTHERS:
        same_values = old_faces[name] == new_faces[name]
        equal &= same_values.all(axis=tuple(range(1, same_values.ndim)))  # also if there are none
    same = np.zeros(len(after), np.bool_)
    same[new] = equal
    return after[~same], np.setdiff1d(keys_before, keys_after)


def put_faces(shape: RoomShape, faces: Records, removed: Ints) -> None:
    """Write faces into the sectors of a room: changed faces at their old index, new faces at the end.

    `faces`: (n,) the new and changed faces, with corners in the project's textures. `removed`: the keys of
    faces that lose their texture.
    """
    records = shape.faces.copy()
    old_keys = key_of(records)
    keys = key_of(faces)
    row_of = {key: row for row, key in enumerate(old_keys.tolist())}
    rows = np.array([row_of.get(key, -1) for key in keys.tolist()], np.int64)
    records[rows[rows >= 0]] = faces[rows >= 0]
    kept = ~np.isin(old_keys, np.setdiff1d(removed, keys))
    shape.faces = np.concatenate([records[kept], faces[rows < 0]]).astype(FACE)


def _starts(areas: Ints) -> Ints:
    """Return the first pixels of areas in the image of all pages, (k, 2)."""
    return np.stack([areas[:, 1], areas[:, 2] + areas[:, 0] * PAGE_SIZE], axis=1)


def is_in(corners: NDArray[np.floating], areas: Ints) -> Bools:
    """Return whether faces (n, 4, 2) in the image of all pages are in one of some areas, (n,)."""
    result = np.zeros(len(corners), np.bool_)
    low, high = corners.min(axis=1), corners.max(axis=1)
    for start, size in zip(_starts(areas), areas[:, 3:5], strict=True):
        result |= (low >= start).all(axis=1) & (high <= start + size).all(axis=1)
    return result


def in_images(corners: Floats, areas: Ints) -> tuple[Bools, Ints, Floats]:
    """Return where corners (n, 4, 2) in the image of all pages are in the project's images.

    Args:
        areas: (k, 8) of pages: page, x, y, width, height, texture, and x and y in its image.

    Returns:
        (n,) whether a face is in an image, (n,) the number of the texture, (n, 4, 2) the corners there, or
        those given.
    """
    exists, texture = np.zeros(len(corners), np.bool_), np.zeros(len(corners), np.int64)
    result = corners.copy()
    low, high = corners.min(axis=1), corners.max(axis=1)
    for start, area in zip(_starts(areas), areas, strict=True):
        inside = ~exists & (low >= start).all(axis=1) & (high <= start + area[3:5]).all(axis=1)
        result[inside] = corners[inside] - start + area[6:8]
        texture[inside], exists[inside] = area[5], True
    return exists, texture, result
