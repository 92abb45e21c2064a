"""Bisection of faces where a picture of the user's own repeats, or is larger than a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor

import bmesh
import numpy as np
from bmesh.types import BMesh, BMFace
from bpy.types import Material
from mathutils import Vector
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ....formats.levels.textures import PAGE_SIZE
from ..textures.coordinates import Coordinates, coordinates_of
from ..textures.materials import image_node
from .planes import bisect

MOST_PIECES = 0xFFFF
_NEAR = 1 / 512  # repetitions within which a corner counts as on a line
_FLAT = 1e-4  # deviation of a face's corners from a plane of UVs, in repetitions
_PERIODS = {"REPEAT": 1, "MIRROR": 2}


@dataclass(frozen=True)
class Repeat:
    """Repetition of a material's picture."""

    placed: Coordinates  #: the texture coordinates of faces.
    #: repetitions between cuts, along u and v; less than 1 if the picture itself is divided.
    steps: tuple[float, float]


def repeats_of(materials: Sequence[Material | None], *, whole_pages: bool) -> dict[int, Repeat]:
    """Return the repetition of each slot whose material repeats a picture of the user's own.

    ``whole_pages`` keeps as many repetitions together as fit on a page, instead of one.
    """
    result: dict[int, Repeat] = {}
    for slot, material in enumerate(materials):
        if material is None or material.tomb_raider.kind != "NONE":
            continue
        node = image_node(material)
        placed = coordinates_of(node)
        is_divided = whole_pages and material.tomb_raider.large == "CUT"
        if node is None or node.image is None or (placed.extension not in _PERIODS and not is_divided):
            continue
        if abs(np.linalg.det(placed.matrix[:2, :2])) < 1e-9:
            continue
        steps = [1.0, 1.0]
        if whole_pages:
            size = node.image.size
            steps = [_step(max(length, 1), is_divided=is_divided) for length in size]
        result[slot] = Repeat(placed, (steps[0], steps[1]))
    return result


def _step(length: int, *, is_divided: bool) -> float:
    """Return how many repetitions of a length in pixels fit on a page, or the fraction of one that does."""
    if is_divided and length > PAGE_SIZE:
        return 1 / ceil(length / PAGE_SIZE)
    return float(max(PAGE_SIZE // length, 1))


class RepeatCut:
    """Bisection of a mesh's faces where their pictures repeat, by material slot; see :func:`repeats_of`."""

    def __init__(self, bm: BMesh, repeats: dict[int, Repeat], shown_uv_map: str) -> None:
        self._bm, self._repeats = bm, repeats
        layers = bm.loops.layers.uv
        default = layers.get(shown_uv_map)
        self._layers = {
            slot: layers.get(repeat.placed.uv_map) or default if repeat.placed.uv_map else default
            for slot, repeat in repeats.items()
        }

    def cut(self, faces: Iterable[BMFace], subject: str, *, move: bool) -> int:
        """Cut faces, and return how many were added; ``move`` moves the UVs of all pieces into the picture.

        Raises:
            ExportError: if there would be more pieces than a room can have.
        """
        before = len(self._bm.faces)
        candidates = [face for face in faces if self._layers.get(face.material_index) is not None]
        chosen = [face for face in candidates if any(self._lines(face, axis) for axis in (0, 1))]
        piece_count = sum(
            (len(self._lines(face, 0)) + 1) * (len(self._lines(face, 1)) + 1) for face in chosen
        )
        if piece_count > MOST_PIECES:
            problem = T("its pictures repeat too often to cut it")
            raise ExportError(subject, problem, count=piece_count, limit=MOST_PIECES)
        bent = [face for face in chosen if len(face.loops) > 3 and self._slopes(face) is None]
        if bent:
            bent_set = set(bent)
            chosen = [face for face in chosen if face not in bent_set]
            # The triangulation that Blender shows.
            chosen += bmesh.ops.triangulate(self._bm, faces=bent, quad_method="FIXED")["faces"]
        pieces = [piece for face in chosen for piece in self._cut_face(face)]
        if move:
            cut = set(chosen)
            for face in (*pieces, *(face for face in candidates if face.is_valid and face not in cut)):
                self._move(face)
        return len(self._bm.faces) - before

    def _uvs(self, face: BMFace) -> NDArray[np.float64]:
        """Return the positions of a face's corners on the picture, (k, 2), in repetitions."""
        layer = self._layers[face.material_index]
        uvs = np.array([loop[layer].uv for loop in face.loops], np.float32)
        return self._repeats[face.material_index].placed.apply(uvs).astype(np.float64)

    def _lines(self, face: BMFace, axis: int) -> list[float]:
        """Return the lines between repetitions that a face crosses."""
        values = self._uvs(face)[:, axis]
        if not np.isfinite(values).all() or np.abs(values).max() > MOST_PIECES:
            return []
        step = self._repeats[face.material_index].steps[axis]
        first, last = floor((values.min() + _NEAR) / step) + 1, ceil((values.max() - _NEAR) / step)
        return [float(number * step) for number in range(first, last)]

    def _slopes(self, face: BMFace) -> NDArray[np.float64] | None:
        """Return the gradients of u and v along three axes, and their offsets, (2, 4); None if not linear."""
        corners = np.array([loop.vert.co for loop in face.loops], np.float64)
        uvs = self._uvs(face)
        offsets, growth = corners - corners[0], uvs - uvs[0]
        slopes = np.linalg.lstsq(offsets, growth, rcond=1e-6)[0]
        if np.abs(offsets @ slopes - growth).max() > _FLAT * max(np.abs(growth).max(), 1):
            return None
        return np.column_stack([slopes.T, uvs[0] - corners[0] @ slopes])

    def _cut_face(self, face: BMFace) -> list[BMFace]:
        """Cut a face along all its lines, and return the pieces."""
        pieces, slopes = [face], self._slopes(face)
        lines = [self._lines(face, axis) for axis in (0, 1)]
        if slopes is None:
            return pieces
        # Each face has its own lines; BMesh cuts it along one at a time.
        for axis in (0, 1):
            normal, offset = Vector(slopes[axis, :3].tolist()), slopes[axis, 3]
            steepness = normal.length
            for line in lines[axis] if steepness else ():
                point = normal * ((line - offset) / steepness**2)
                pieces = bisect(self._bm, pieces, point, normal, _NEAR / 2 / steepness)
        return pieces

    def _move(self, face: BMFace) -> None:
        """Move the UVs of a face into the picture, by whole repetitions."""
        placed = self._repeats[face.material_index].placed
        uvs = self._uvs(face)
        if not np.isfinite(uvs).all():
            return
        low, high = uvs.min(axis=0), uvs.max(axis=0)
        cell = np.where(high - low > 1 + 2 * _NEAR, np.floor(low + _NEAR), np.floor((low + high) / 2))
        if not cell.any():
            return
        moved = uvs - cell
        if placed.extension == "MIRROR":
            moved = np.where(cell % 2 == 1, 1 - moved, moved)
        back = (moved - placed.matrix[:2, 3]) @ np.linalg.inv(placed.matrix[:2, :2]).T
        layer = self._layers[face.material_index]
        for loop, uv in zip(face.loops, back.tolist(), strict=True):
            loop[layer].uv = uv
