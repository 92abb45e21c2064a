"""Models of Metasequoia, `.mqo`: text with materials, and objects of vertices and polygons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import numpy as np

from .....base.bytes.files import file_content
from .....base.errors import FormatError
from .....base.texts import plain_text
from ..plan.paths import ProjectPaths
from ..plan.resources import (
    ADDITIVE_MATERIALS,
    DOUBLE_SIDED_MATERIALS,
    MOST_COORDINATE,
    MOST_LIGHT,
    ModelArrays,
)

_MAGIC = "Metasequoia Document"
_SUBJECT = "mqo"
_TEXTURES = "Texture"  # a folder besides that of the model
_SHADES = 256
_LINES = re.compile(r"^(Material|Object|vertex|face)\b")
_NAME = re.compile(r'^"([^"]*)"')


def load_mqo(path: Path, *, inverted: bool = False) -> ModelArrays:
    """Read a model of Metasequoia; see :func:`decode_mqo`.

    Raises:
        OSError: if it cannot be read.
        FormatError: if it is damaged.
    """
    return decode_mqo(file_content(path), path.parent, inverted=inverted)


def decode_mqo(data: bytes, folder: Path | None = None, *, inverted: bool = False) -> ModelArrays:
    """Return a model of Metasequoia. Polygons are cut into triangles that share their first corner.

    Args:
        folder: the folder of its images; None without images.
        inverted: the corners of polygons are in the other direction.

    Raises:
        FormatError: if it is damaged.
    """
    text = plain_text(data)
    if not text.startswith(_MAGIC):
        raise FormatError(_SUBJECT, repr(_MAGIC), repr(text[:20]))
    reader = _Reader(text, folder, inverted=inverted)
    try:
        reader.read()
    except (ValueError, IndexError, OverflowError, StopIteration):
        raise FormatError(_SUBJECT, "numbers", "others", element=reader.line) from None
    return reader.result()


class _Reader:
    """The state of reading a file, line by line."""

    def __init__(self, text: str, folder: Path | None, *, inverted: bool) -> None:
        self.line = 0
        self._lines = self._numbered_lines(text)
        self._folder, self._inverted = folder, inverted
        self._names: list[str] = []
        self._images: list[Path | None] = []
        self._double_sided: list[bool] = []
        self._additive: list[bool] = []
        self._positions: list[list[float]] = []
        self._uv: list[list[float]] = []
        self._colors: list[list[float]] = []
        self._material: list[int] = []

    def _numbered_lines(self, text: str) -> Iterator[str]:
        for number, line in enumerate(text.splitlines()):
            self.line = number
            yield line.strip()

    def read(self) -> None:
        vertices: list[list[float]] = []
        for line in self._lines:
            match = _LINES.match(line)
            if match is None:
                continue
            words = line.split()
            if match[1] == "Object":
                vertices = []
            elif match[1] == "Material":
                for _ in range(int(words[1])):
                    self._add_material(next(self._lines))
            elif match[1] == "vertex":
                vertices += [
                    [float(each) for each in next(self._lines).split()[:3]] for _ in range(int(words[1]))
                ]
                if any(len(each) != 3 for each in vertices):
                    raise ValueError
            else:
                for _ in range(int(words[1])):
                    self._add_polygon(next(self._lines), vertices)

    def _add_material(self, line: str) -> None:
        name = _NAME.match(line)
        color = (_block(line, "col") or "").split()
        self._names.append("" if name is None else name[1])
        self._images.append(self._find((_block(line, "tex") or "").strip('"')))
        self._double_sided.append(_block(line, "dbls") == "1")
        self._additive.append(len(color) == 4 and float(color[3]) < 1)

    def _find(self, name: str) -> Path | None:
        if not name or self._folder is None:
            return None
        for folder in (self._folder, self._folder / _TEXTURES):
            paths = ProjectPaths(folder / "model")
            result = paths.find(name) or paths.find(PureWindowsPath(name).name)
            if result is not None:
                return result
        return None

    def _add_polygon(self, line: str, positions: list[list[float]]) -> None:
        count = int(line.split()[0])
        indices = [int(each) for each in (_block(line, "V") or "").split()]
        if len(indices) != count or any(each < 0 for each in indices):
            raise ValueError
        points = [positions[each] for each in indices]
        material = int(_block(line, "M") or 0)
        if material < 0 or material >= max(len(self._names), 1):
            raise ValueError
        uv = [float(each) for each in (_block(line, "UV") or "").split()] or [0.0] * (2 * count)
        shades = [int(each) for each in (_block(line, "COL") or "").split()]
        if len(uv) != 2 * count or len(shades) not in (0, count):
            raise ValueError
        corners = [
            (points[index], uv[2 * index : 2 * index + 2], _color(shades[index]) if shades else [1.0] * 3)
            for index in range(count)
        ]
        corners = corners[::-1] if self._inverted else corners
        for second in range(1, count - 1):
            for point, coordinates, color in (corners[0], corners[second], corners[second + 1]):
                self._positions.append(point)
                self._uv.append(coordinates)
                self._colors.append(color)
            self._material.append(material)

    def result(self) -> ModelArrays:
        positions = np.array(self._positions, np.float64).reshape(-1, 3)
        uv = np.array(self._uv, np.float64).reshape(-1, 3, 2)
        for values in (positions, uv):
            if values.size and not np.abs(values).max() < MOST_COORDINATE:  # not, so that NaN counts, too
                raise FormatError(_SUBJECT, f"coordinates below {MOST_COORDINATE:g}", "others")
        names = self._names or [""]
        return ModelArrays(
            positions,
            np.arange(len(positions)).reshape(-1, 3),
            uv,
            np.array(self._colors, np.float64).reshape(-1, 3) * MOST_LIGHT,
            None,
            np.array(self._material, np.int64),
            self._images or [None],
            [
                is_set or name.startswith(DOUBLE_SIDED_MATERIALS)
                for is_set, name in zip(self._double_sided or [False], names, strict=True)
            ],
            [
                is_set or name.startswith(ADDITIVE_MATERIALS)
                for is_set, name in zip(self._additive or [False], names, strict=True)
            ],
        )


def _block(line: str, name: str) -> str | None:
    """Return what is between the parentheses after a name, None without it."""
    match = re.search(rf"(?:^|\s){name}\(([^)]*)\)", line)
    return None if match is None else match[1].strip()


def _color(packed: int) -> list[float]:
    return [(packed >> shift & 0xFF) / _SHADES for shift in (0, 8, 16)]
