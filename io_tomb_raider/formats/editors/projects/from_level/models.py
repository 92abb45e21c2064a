"""Faces that do not follow from sectors as model files, Wavefront OBJ, for imported geometry.

Colors of vertices follow their place, as most programs write and read them. Tomb Editor knows by the start of
a material's name how its faces are drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Bools, Floats
from ..model.settings import MATERIALS, ImportedModel

FLIP_Z, FLIP_V = 32, 4  # axes of imported models
_EVEN = 1e-3
_FULL = 2.0  # the light that a color of 1 in a file means


class ModelFaces(NamedTuple):
    """Faces for a model."""

    points: Floats  #: (n, 4, 3) float64, y upwards, in units; triangles repeat the third.
    triangle: Bools  #: (n,) bool.
    colors: Floats  #: (n, 4, 3) float64, the light of the corners, 1 for normal.
    corners: Floats  #: (n, 4, 2) float64, in pixels of the image.
    additive: Bools  #: (n,) bool.
    double_sided: Bools  #: (n,) bool.


def imported_model(number: int, name: str, path: str) -> ImportedModel:
    """Return the settings with which the editor reads the model as it was."""
    return ImportedModel(
        number,
        name,
        path,
        position_axes=FLIP_Z,
        texture_axes=FLIP_V,
        maps_whole_images=False,
        invert_faces=True,
    )


def material_file(image: str) -> bytes:
    """Return the material library of all models, with one image."""
    lines: list[str] = []
    for name in MATERIALS.values():
        lines += [f"newmtl {name}", "Kd 1 1 1", "Ks 0 0 0", "d 1", f"map_Kd {image}", ""]
    return "\n".join(lines).encode()


def model_file(faces: ModelFaces, materials: str, size: tuple[int, int]) -> bytes:
    """Return a model.

    `materials`: the name of the material library. `size`: width and height of the image.
    """
    # Other programs have z towards the viewer, and see a face from the side where it is counterclockwise.
    count = np.where(faces.triangle, 3, 4)
    used = np.arange(4) < count[:, None]
    positions = faces.points * (1, 1, -1)
    rows = np.concatenate([positions, (faces.colors / _FULL).clip(0, 1)], axis=2)[used]
    vertices, vertex = np.unique(rows, axis=0, return_inverse=True)
    pixels = faces.corners[used] / size
    pixels[:, 1] = 1 - pixels[:, 1]
    coordinates, coordinate = np.unique(pixels, axis=0, return_inverse=True)
    lines = [f"mtllib {materials}", "o faces"]
    lines += ["v " + _numbers(row) for row in vertices.tolist()]
    lines += ["vt " + _numbers(row) for row in coordinates.tolist()]
    first = np.cumsum(count) - count
    by_material: defaultdict[tuple[bool, bool], list[int]] = defaultdict(list)
    for face, key in enumerate(zip(faces.additive.tolist(), faces.double_sided.tolist(), strict=True)):
        by_material[key].append(face)
    vertex, coordinate = vertex.reshape(-1) + 1, coordinate.reshape(-1) + 1
    uneven = np.zeros(len(count), np.bool_)
    for values in (faces.points, faces.corners, faces.colors):
        deviation = np.abs(values[:, 0] + values[:, 2] - values[:, 1] - values[:, 3]).max(axis=1)
        uneven |= ~faces.triangle & (deviation > _EVEN)
    for key, numbers in by_material.items():
        lines.append(f"usemtl {MATERIALS[key]}")
        for face in numbers:
            corners = range(int(first[face]), int(first[face] + count[face]))
            # The editor turns faces round again. Programs cut quads in different ways.
            parts = [corners[:3], (corners[0], *corners[2:])] if uneven[face] else [corners]
            for part in parts:
                lines.append(
                    "f " + " ".join(f"{vertex[corner]}/{coordinate[corner]}" for corner in reversed(part))
                )
    lines.append("")
    return "\n".join(lines).encode()


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.9g}" for value in values)
