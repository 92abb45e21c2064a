"""Rounded meshes: rings of vertices that are joined by bands of faces, caps, and boxes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..solids import Face, Solid, Uv

Vertex = tuple[float, float, float]


@dataclass(frozen=True)
class Ring:
    """An oval around the y axis.

    Attributes:
        y: its height (down is positive).
        width: half its size along x.
        front, back: its size towards +z and towards -z.
        x, z: its middle.
        tilt: units by which its front is lower than its back, per unit of z.
        square: 0 for an oval, up to 1 for a box.
    """

    y: float
    width: float
    front: float
    back: float
    x: float = 0.0
    z: float = 0.0
    tilt: float = 0.0
    square: float = 0.0


@dataclass(frozen=True)
class Skin:
    """A part of a tile: its columns are around a ring, its rows along the axis."""

    tile: str
    left: float = 0.0
    right: float = 64.0
    top: float = 0.0
    bottom: float = 64.0


class Form:
    """A mesh under construction."""

    def __init__(self) -> None:
        self.vertices: list[Vertex] = []
        self.faces: list[Face] = []

    def solid(self) -> Solid:
        """Return the mesh with whole coordinates."""
        vertices = [(float(round(x)), float(round(y)), float(round(z))) for x, y, z in self.vertices]
        return Solid(vertices, list(self.faces))

    def ring(self, ring: Ring, sides: int, start: float = 180.0) -> list[int]:
        """Add the vertices of a ring, from the back over the right (+x), the front and the left."""
        first = len(self.vertices)
        for step in range(sides):
            angle = np.radians(start - 360.0 * step / sides)
            sine, cosine = float(np.sin(angle)), float(np.cos(angle))
            if ring.square:
                stretch = 1 / max(abs(sine), abs(cosine))
                factor = 1 + ring.square * (stretch - 1)
                sine, cosine = sine * factor, cosine * factor
            z = cosine * (ring.front if cosine > 0 else ring.back)
            self.vertices.append((ring.x + sine * ring.width, ring.y + ring.tilt * z, ring.z + z))
        return list(range(first, first + sides))

    def face(
        self, corners: Sequence[int], tile: str, uvs: Sequence[Uv], shine: int = 0, both: bool = False
    ) -> None:
        """Add a face, or a triangle where two corners of four are the same."""
        kept = [place for place, corner in enumerate(corners) if corner not in corners[:place]]
        self.faces.append(
            Face(
                tuple(corners[place] for place in kept),
                tile,
                tuple(uvs[place] for place in kept),
                shine,
                both,
            )
        )

    def band(
        self,
        upper: Sequence[int],
        lower: Sequence[int],
        skin: Skin,
        first: int = 0,
        count: int = 0,
        shine: int = 0,
    ) -> None:
        """Join two rings by quads, from a column on; a skin is stretched over all columns."""
        sides = len(upper)
        count = count or sides
        width = (skin.right - skin.left) / count
        for step in range(count):
            here, after = (first + step) % sides, (first + step + 1) % sides
            left, right = skin.left + step * width, skin.left + (step + 1) * width
            self.face(
                (upper[here], upper[after], lower[after], lower[here]),
                skin.tile,
                ((left, skin.top), (right, skin.top), (right, skin.bottom), (left, skin.bottom)),
                shine,
            )

    def tube(
        self,
        rings: Sequence[Ring],
        sides: int,
        skins: Sequence[tuple[Skin, int]],
        first: int = 0,
        start: float = 180.0,
        shine: int = 0,
    ) -> list[list[int]]:
        """Join rings by bands. Each skin covers a number of columns and all rows, by their heights.

        Returns:
            The vertices of each ring.
        """
        loops = [self.ring(ring, sides, start) for ring in rings]
        lengths = [0.0]
        for above, below in itertools.pairwise(rings):
            step = np.hypot(below.y - above.y, 0.7 * (below.width - above.width))
            lengths.append(lengths[-1] + float(step))
        for number, (upper, lower) in enumerate(itertools.pairwise(loops)):
            column = first
            for skin, count in skins:
                height = skin.bottom - skin.top
                top = skin.top + height * lengths[number] / lengths[-1]
                bottom = skin.top + height * lengths[number + 1] / lengths[-1]
                part = Skin(skin.tile, skin.left, skin.right, top, bottom)
                self.band(upper, lower, part, column, count, shine)
                column += count
        return loops

    def cap(self, loop: Sequence[int], skin: Skin, *, below: bool = False, shine: int = 0) -> None:
        """Close a ring of an even number of vertices by quads, above or below it."""
        places = [(self.vertices[corner][0], self.vertices[corner][2]) for corner in loop]
        low = [min(place[axis] for place in places) for axis in (0, 1)]
        size = [max(max(place[axis] for place in places) - low[axis], 1) for axis in (0, 1)]

        def uv(number: int) -> Uv:
            x, z = places[number]
            part = (x - low[0]) / size[0], (z - low[1]) / size[1]
            return (
                skin.left + part[0] * (skin.right - skin.left),
                skin.bottom + part[1] * (skin.top - skin.bottom),
            )

        count = len(loop)
        for step in range(count // 2 - 1):
            corners = [step, step + 1, count - 2 - step, count - 1 - step]
            corners = corners if below else corners[::-1]
            self.face([loop[c] for c in corners], skin.tile, [uv(c) for c in corners], shine)

    def tip(
        self, loop: Sequence[int], point: Vertex, skin: Skin, *, below: bool = False, shine: int = 0
    ) -> None:
        """Close a ring by triangles to a point above or below it."""
        self.vertices.append(point)
        top = len(self.vertices) - 1
        count = len(loop)
        width = (skin.right - skin.left) / count
        for step in range(count):
            here, after = loop[step], loop[(step + 1) % count]
            left = skin.left + step * width
            ends = ((left, skin.bottom), (left + width, skin.bottom), (left + width / 2, skin.top))
            if below:
                ends = ((left, skin.top), (left + width, skin.top), (left + width / 2, skin.bottom))
                self.face((here, after, top), skin.tile, ends, shine)
            else:
                self.face((here, top, after), skin.tile, (ends[0], ends[2], ends[1]), shine)

    def quad(
        self, corners: Sequence[Vertex], skin: Skin, *, shine: int = 0, both: bool = False
    ) -> tuple[int, ...]:
        """Add a quad on vertices of its own, from its top left corner clockwise as seen from outside."""
        first = len(self.vertices)
        self.vertices += list(corners)
        numbers = tuple(range(first, first + 4))
        uvs = (
            (skin.left, skin.top),
            (skin.right, skin.top),
            (skin.right, skin.bottom),
            (skin.left, skin.bottom),
        )
        self.face(numbers, skin.tile, uvs, shine, both)
        return numbers

    def block(self, corners: Sequence[Vertex], skins: dict[str, Skin], shine: int = 0) -> None:
        """Add a box: corners numbered by bits, 1 for high x, 2 for high y, 4 for high z."""
        first = len(self.vertices)
        self.vertices += list(corners)
        for side, numbers in _SIDES.items():
            skin = skins.get(side, skins.get("every"))
            if skin is None or not skin.tile:
                continue
            uvs = (
                (skin.left, skin.top),
                (skin.right, skin.top),
                (skin.right, skin.bottom),
                (skin.left, skin.bottom),
            )
            self.face([first + number for number in numbers], skin.tile, uvs, shine)

    def box(
        self, low: Vertex, high: Vertex, skins: dict[str, Skin], taper: float = 0.0, shine: int = 0
    ) -> None:
        """Add a box along the axes; its top is smaller by `taper` (0 to 1) on each side."""
        ends = (low, high)
        middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        corners = []
        for corner in range(8):
            x, y, z = ends[corner & 1][0], ends[corner >> 1 & 1][1], ends[corner >> 2][2]
            if not corner >> 1 & 1:
                x, z = x + (middle[0] - x) * taper, z + (middle[2] - z) * taper
            corners.append((x, y, z))
        self.block(corners, skins, shine)

    def mirrored(self) -> Form:
        """Return the mesh mirrored at x = 0."""
        result = Form()
        result.vertices = [(-x, y, z) for x, y, z in self.vertices]
        result.faces = [
            Face(each.corners[::-1], each.tile, each.uvs[::-1], each.shine, each.both_sides)
            for each in self.faces
        ]
        return result


_SIDES = {
    "front": (5, 4, 6, 7),
    "back": (0, 1, 3, 2),
    "left": (4, 0, 2, 6),
    "right": (1, 5, 7, 3),
    "top": (4, 5, 1, 0),
    "bottom": (2, 3, 7, 6),
}
