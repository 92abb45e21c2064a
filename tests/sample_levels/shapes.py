"""Meshes of the sample levels, built from boxes whose sides show tiles or flat colors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import MESH_QUAD, MESH_TRIANGLE, QUAD, TRIANGLE
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, bounding_sphere

from .colors import palette_index
from .texture_records import TextureTable
from .textures import COLORS

Triple = tuple[int, int, int]

# The corners of a box are numbered by bits: 1 for the high x, 2 for the high y, 4 for the high z. Each side
# lists them clockwise from its top left corner, as seen from outside with the head of the figure up.
SIDES = {
    "front": (5, 4, 6, 7),  # +z
    "back": (0, 1, 3, 2),  # -z
    "left": (4, 0, 2, 6),  # -x
    "right": (1, 5, 7, 3),  # +x
    "top": (4, 5, 1, 0),  # -y
    "bottom": (2, 3, 7, 6),  # +y
}
_EFFECTS_SHINY, _EFFECTS_ADDITIVE = 0x42, 0x01


@dataclass
class Shape:
    """A mesh under construction: vertices, and faces as vertices with tiles or colors.

    Attributes:
        lit: whether the mesh has lights per vertex instead of normals.
        shiny: tiles whose faces reflect, if the game supports it.
    """

    points: list[Triple] = field(default_factory=list)
    faces: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    lit: bool = False
    shiny: tuple[str, ...] = ()

    def box(self, low: Triple, high: Triple, cut: tuple[str, ...] = (), **sides: str) -> Shape:
        """Add a box. ``every`` is the tile of all sides that are not named; ``cut`` sides are triangles."""
        first = len(self.points)
        ends = (low, high)
        self.points += [
            (ends[corner & 1][0], ends[corner >> 1 & 1][1], ends[corner >> 2][2]) for corner in range(8)
        ]
        for side, corners in SIDES.items():
            shown = sides.get(side, sides.get("every", ""))
            if not shown:
                continue
            numbers = tuple(first + corner for corner in corners)
            if side in cut:
                self.faces += [
                    ((*numbers[:3],), f"{shown}:012"),
                    ((numbers[0], *numbers[2:]), f"{shown}:023"),
                ]
            else:
                self.faces.append((numbers, shown))
        return self

    def halves(self, corners: list[Triple], tile: str) -> Shape:
        """Add a square as two triangles on vertices of its own, from its top left corner clockwise."""
        first = len(self.points)
        self.points += corners
        self.faces += [
            ((first, first + 1, first + 2), f"{tile}:012"),
            ((first, first + 2, first + 3), f"{tile}:023"),
        ]
        return self

    def both_ways(self, corners: tuple[int, ...], tile: str) -> Shape:
        """Add a face and its reverse on the same vertices."""
        self.faces += [(corners, tile), (corners[::-1], tile)]
        return self

    def face(self, corners: tuple[int, ...], tile: str) -> Shape:
        self.faces.append((corners, tile))
        return self


def build_mesh(game: Game, shape: Shape, textures: TextureTable) -> Mesh:
    """Return the mesh of a shape. Flat colors are colored faces up to TR3, and textures of swatches later."""
    vertices = np.array(shape.points, "<i2").reshape(-1, 3)
    center, radius = bounding_sphere(vertices)
    textured: dict[int, list[tuple[tuple[int, ...], int, int]]] = {3: [], 4: []}
    colored: dict[int, list[tuple[tuple[int, ...], int]]] = {3: [], 4: []}
    for corners, shown in shape.faces:
        name, _, part = shown.partition(":")
        if name in COLORS and game <= Game.TR3:
            color = palette_index(name)
            colored[len(corners)].append((corners, color if game is Game.TR1 else color | color << 8))
            continue
        effects = _EFFECTS_ADDITIVE if name == "glow" else _EFFECTS_SHINY if name in shape.shiny else 0
        if len(corners) == 4:
            texture = textures.quad(name)
        else:
            texture = textures.triangle(name, tuple(int(each) for each in part or "012"))  # type: ignore[arg-type]
        textured[len(corners)].append((corners, texture, effects))
    has_effects = game >= Game.TR4
    rows = {count: [row if has_effects else row[:2] for row in faces] for count, faces in textured.items()}
    return Mesh(
        center=center,
        radius=radius,
        flags=0,
        vertices=vertices,
        normals=None if shape.lit else _normals(vertices),
        lights=_lights(vertices) if shape.lit else None,
        quads=np.array(rows[4], MESH_QUAD[game]),
        triangles=np.array(rows[3], MESH_TRIANGLE[game]),
        colored_quads=np.array(colored[4], QUAD),
        colored_triangles=np.array(colored[3], TRIANGLE),
    )


def _normals(vertices: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return normals that point from the middle outwards, a little shorter than 1 as in genuine levels."""
    points = vertices.astype(float)
    away = points - (points.min(0) + points.max(0)) / 2
    lengths = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    return np.rint(away / lengths * 16300).astype("<i2")


def _lights(vertices: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return vertex lights that fade from the top to the bottom."""
    heights = vertices[:, 1].astype(float)
    return np.rint((heights - heights.min()) / max(np.ptp(heights), 1) * 6000).astype("<i2")


def lathe(profile: list[tuple[int, int]], count: int, tile: str, cap: str) -> Shape:
    """Return a shape turned around the y axis: rings of (radius, y) from the top, with a lid of triangles."""
    shape = Shape(lit=True)
    angles = np.arange(count) * 2 * np.pi / count
    for radius, y in profile:
        xs, zs = np.rint(np.sin(angles) * radius).astype(int), np.rint(np.cos(angles) * radius).astype(int)
        shape.points += [(x, y, z) for x, z in zip(xs.tolist(), zs.tolist(), strict=True)]
    for ring in range(len(profile) - 1):
        for step in range(count):
            after = (step + 1) % count
            upper, lower = ring * count, (ring + 1) * count
            shape.faces.append(((upper + after, upper + step, lower + step, lower + after), tile))
    shape.points.append((0, profile[0][1] - 16, 0))
    top = len(shape.points) - 1
    shape.faces += [((top, step, (step + 1) % count), cap) for step in range(count)]
    return shape
