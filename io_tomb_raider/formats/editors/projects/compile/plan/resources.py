"""The files that a compilation reads: images, models, and object files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

import numpy as np

from .....base.arrays.typing import Floats, Ints, Pixels
from .....base.bytes.files import file_content
from .....base.errors import ExportError, FormatError
from .....base.games import Game
from .....base.messages import T, about
from .....base.texts import joined_lines, plain_text
from .....levels.level.level import Level, read_level
from ....wads.object_files import is_object_file, open_objects, read_files
from ....wads.wad2.level import Wad2Level
from ...model.settings import MATERIALS, Settings
from .paths import MissingFile, ProjectPaths

LoadImage = Callable[[Path], Pixels]


@dataclass(eq=False)
class ModelArrays:
    """A model of another file, in its own axes and units."""

    positions: Floats  #: (v, 3) float64.
    triangles: Ints  #: (n, 3) int64, corners as indices of positions.
    uv: Floats  #: (n, 3, 2) float64, texture coordinates of the corners, v upwards.
    colors: Floats | None = None  #: (v, 3) float64, 1 for normal; None without.
    normals: Floats | None = None  #: (n, 3, 3) float64, of the corners; None without.
    #: (n,) int64, index into the next lists.
    material: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    #: by material, the file of its image; None without.
    images: list[Path | None] = field(default_factory=list)
    #: double_sided, additive: by material.
    double_sided: list[bool] = field(default_factory=list)
    additive: list[bool] = field(default_factory=list)


LoadModel = Callable[[Path, bool], ModelArrays]


def join_models(parts: Sequence[ModelArrays]) -> ModelArrays:
    """Join one or more models.

    Parts without colors get normal light. The result has no normals if any part has none.
    """
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.positions) for part in parts)]).tolist()
    slots = np.cumsum([0, *(len(part.images) for part in parts)]).tolist()
    images: list[Path | None] = [image for part in parts for image in part.images]
    normals = [part.normals for part in parts]
    colors = [part.colors for part in parts]
    return ModelArrays(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.uv for part in parts]),
        None
        if all(each is None for each in colors)
        else np.concatenate(
            [
                np.ones((len(part.positions), 3)) if part_colors is None else part_colors
                for part, part_colors in zip(parts, colors, strict=True)
            ]
        ),
        None
        if any(each is None for each in normals)
        else np.concatenate([each for each in normals if each is not None]),
        np.concatenate([part.material + slot for part, slot in zip(parts, slots, strict=False)]),
        images,
        [value for part in parts for value in part.double_sided],
        [value for part in parts for value in part.additive],
    )


@dataclass(frozen=True, eq=False)
class ObjectSource:
    """An object file or a level of a project."""

    path: Path
    level: Level  #: its objects; those of object files in the form of TR4.
    game: Game | None  #: the game of its numbers, None for an unknown one.
    is_object_file: bool = False  #: whether it is no level.
    wad2: Wad2Level | None = None  #: the WAD2 of which the level was made, None for other files.


@dataclass(eq=False)
class Resources:
    """The files of a project."""

    paths: ProjectPaths  #: finds them.
    #: returns an image, (h, w, 4) uint8 RGBA from the top. It may raise OSError or ValueError.
    load_image: LoadImage
    #: returns a model, with the direction of its faces inverted or not; None if only `.obj` is known, see
    #: :func:`load_obj`.
    load_model: LoadModel | None = None
    problems: list[str] = field(default_factory=list)  #: messages on files that could not be read.
    missing: list[MissingFile] = field(default_factory=list)  #: files that were not found.
    _images: dict[str, Pixels | None] = field(default_factory=dict, repr=False)
    _objects: dict[tuple[str, bool], ObjectSource | None] = field(default_factory=dict, repr=False)
    _models: dict[tuple[str, bool], ModelArrays | None] = field(default_factory=dict, repr=False)

    def image(self, path: str) -> Pixels | None:
        """Return an image of the project, None if it is missing or damaged. `path`: as in the project."""
        if path not in self._images:
            file = self.find(path, T("texture"))
            self._images[path] = None if file is None else self._read_image(file)
        return self._images[path]

    def image_file(self, path: Path) -> Pixels | None:
        """Return an image by its place, None if it is missing or damaged."""
        key = f"/{path}"
        if key not in self._images:
            self._images[key] = self._read_image(path)
        return self._images[key]

    def _read_image(self, path: Path) -> Pixels | None:
        try:
            return np.ascontiguousarray(self.load_image(path), np.uint8)
        except (OSError, ValueError, RuntimeError, FormatError) as error:
            self.problems.append(about(path.name, str(error)))
            return None

    def model(self, path: str, *, inverted: bool = False) -> ModelArrays | None:
        """Return a model of the project, None if it is missing, damaged, or of another kind.

        `path`: as in the project. `inverted`: invert the direction of its faces.
        """
        key = path, inverted
        if key not in self._models:
            file = self.find(path, T("imported geometry"))
            self._models[key] = None if file is None else self._read_model(file, inverted)
        return self._models[key]

    def _read_model(self, path: Path, inverted: bool) -> ModelArrays | None:
        try:
            if self.load_model is not None:
                return self.load_model(path, inverted)
            if path.suffix.lower() == ".obj":
                return load_obj(path, inverted=inverted)
        except (OSError, ValueError, RuntimeError, FormatError) as error:
            self.problems.append(about(path.name, str(error)))
            return None
        self.problems.append(about(path.name, T("files of this kind cannot be read here")))
        return None

    def objects(self, wads: list[str], *, compiled: bool = False) -> Iterator[ObjectSource]:
        """Yield the object files and levels that a project names and that can be read.

        `wads`: their paths as in the project. `compiled`: make meshes as Tomb Editor does for levels.
        """
        for path in wads:
            key = path, compiled
            if key not in self._objects:
                file = self.find(path, T("objects"))
                self._objects[key] = None if file is None else self._read_objects(file, compiled)
            source = self._objects[key]
            if source is not None:
                yield source

    def _read_objects(self, path: Path, compiled: bool) -> ObjectSource | None:
        try:
            if is_object_file(path):
                objects = open_objects(read_files(path), compiled=compiled)
                return ObjectSource(path, objects.level, objects.names.game, True, objects.wad2)
            level = read_level(path)
        except (OSError, FormatError, ExportError) as error:
            self.problems.append(about(path.name, str(error)))
            return None
        if not level.has("models"):
            return None
        return ObjectSource(path, level, level.game)

    def find(self, path: str, use: str) -> Path | None:
        """Return a file of the project, and note it as missing if it does not exist.

        `path`: as in the project; "" for none. `use`: what it is for, a message.
        """
        if not path.strip():
            return None
        result = self.paths.find(path)
        if result is None:
            missing = MissingFile(path, use)
            if missing not in self.missing:
                self.missing.append(missing)
        return result


def paths_of(
    settings: Settings, project: Path | None, *, moved: dict[str, Path] | None = None
) -> ProjectPaths:
    """Return the paths of a project with its settings, see :class:`ProjectPaths`."""
    return ProjectPaths(
        project,
        game_directory=settings.game_directory,
        game_version=settings.game_version,
        first_wad=settings.wads[0] if settings.wads else "",
        moved=moved or {},
    )


def missing_files(settings: Settings, paths: ProjectPaths) -> list[MissingFile]:
    """Return the files that a project names and that do not exist."""
    named = [
        *((each.path, T("texture")) for each in settings.textures),
        *((each.bump_path, T("bump map")) for each in settings.textures),
        *((path, T("objects")) for path in settings.wads),
        *((path, T("sounds")) for path in settings.catalogs),
        *((each.path, T("imported geometry")) for each in settings.imported_geometries),
        (settings.font_path, T("font")),
        (settings.sky_path, T("sky")),
    ]
    files = dict.fromkeys(MissingFile(path, use) for path, use in named if path.strip())
    return [file for file in files if paths.find(file.path) is None]


# The starts of names of materials by how their faces are drawn.
DOUBLE_SIDED_MATERIALS = tuple(name for (_, double_sided), name in MATERIALS.items() if double_sided)
ADDITIVE_MATERIALS = tuple(name for (additive, _), name in MATERIALS.items() if additive)
MOST_LIGHT = 2.0

# --- Models of Wavefront -----------------------------------------------------------------------

# The options of an image, before its name: up to three numbers, two, or one word.
_OPTIONS = re.compile(
    r"(?:-(?:[ost](?:\s+[-+.\de]+){1,3}|mm(?:\s+[-+.\de]+){2}|[a-z]+\s+\S+)\s+)*", re.IGNORECASE
)

MOST_COORDINATE = 1e9


def load_obj(path: Path, *, inverted: bool = False) -> ModelArrays:
    """Read a model of Wavefront with its materials; see :func:`decode_obj`.

    Raises:
        OSError: if it cannot be read.
        FormatError: if it is damaged.
    """
    return decode_obj(file_content(path), path.parent, inverted=inverted)


@dataclass
class _Wavefront:
    """The lines of a model of Wavefront that were read."""

    positions: list[list[float]] = field(default_factory=list)
    colors: list[list[float]] = field(default_factory=list)
    coordinates: list[list[float]] = field(default_factory=lambda: [[0.0, 0.0]])
    normals: list[list[float]] = field(default_factory=lambda: [[0.0, 0.0, 0.0]])
    #: of triangles, each the numbers of a position, a coordinate and a normal.
    corners: list[tuple[int, int, int]] = field(default_factory=list)
    material: list[int] = field(default_factory=list)  #: by triangle.
    names: dict[str, int] = field(default_factory=dict)  #: the numbers of materials.
    libraries: list[str] = field(default_factory=list)  #: the files of materials.
    _current: int = 0

    def add(self, kind: str, rest: str, *, inverted: bool) -> None:
        """Add a line: its first word, and the rest. Raises ValueError or IndexError if it is damaged."""
        if kind == "v":
            parts = [float(each) for each in rest.split()]
            self.positions.append(parts[:3])
            self.colors.append(parts[3:6])
        elif kind == "vt":
            self.coordinates.append([float(each) for each in rest.split()[:2]])
        elif kind == "vn":
            self.normals.append([float(each) for each in rest.split()[:3]])
        elif kind == "f":
            counts = len(self.positions), len(self.coordinates), len(self.normals)
            polygon = [_corner(each, *counts) for each in rest.split()]
            polygon = polygon[::-1] if inverted else polygon
            for second in range(1, len(polygon) - 1):
                self.corners += [polygon[0], polygon[second], polygon[second + 1]]
                self.material.append(self._current)
        elif kind == "usemtl":
            self._current = self.names.setdefault(rest, len(self.names))
        elif kind == "mtllib":
            self.libraries.append(rest)


def decode_obj(data: bytes, folder: Path | None = None, *, inverted: bool = False) -> ModelArrays:
    """Return a model of Wavefront.

    Polygons are cut into triangles that share their first corner. Faces are drawn by the start of their
    material's name, and a color of 1 in the file is twice the normal light.

    Args:
        folder: the folder of its materials; None without images.
        inverted: the corners of polygons are in the other direction.

    Raises:
        FormatError: if it is damaged.
    """
    lines = _Wavefront()
    for number, line in enumerate(joined_lines(plain_text(data))):
        try:
            lines.add(*_words(line), inverted=inverted)
        except (ValueError, IndexError):
            raise FormatError("obj", "numbers", repr(line[:40]), element=number) from None
    positions, colors, coordinates, normals = lines.positions, lines.colors, lines.coordinates, lines.normals
    if any(len(each) != 3 for each in (*positions, *normals)) or any(len(each) != 2 for each in coordinates):
        raise FormatError("obj", "three numbers per position", "fewer")
    numbers = np.array([*itertools.chain(*positions, *coordinates, *normals, *colors)])
    if len(numbers) and not np.abs(numbers).max() < MOST_COORDINATE:  # not, so that NaN counts, too
        raise FormatError("obj", f"coordinates below {MOST_COORDINATE:g}", "others")
    corners = np.array(lines.corners, np.int64).reshape(-1, 3, 3)
    materials = dict[str, _Material]()
    if folder is not None:
        for library in lines.libraries:
            materials |= _materials(folder, library)
    ordered = sorted(lines.names, key=lines.names.__getitem__) or [""]
    has_colors = all(len(each) == 3 for each in colors) and bool(colors)
    return ModelArrays(
        np.array(positions, np.float64).reshape(-1, 3),
        corners[..., 0],
        np.array(coordinates)[corners[..., 1]],
        np.array(colors) * MOST_LIGHT if has_colors else None,
        np.array(normals)[corners[..., 2]] if len(normals) > 1 else None,
        np.array(lines.material, np.int64),
        [materials[name].image if name in materials else None for name in ordered],
        [name.startswith(DOUBLE_SIDED_MATERIALS) for name in ordered],
        [
            name.startswith(ADDITIVE_MATERIALS) or (name in materials and materials[name].opacity < 1)
            for name in ordered
        ],
    )


def _words(line: str) -> tuple[str, str]:
    """Return the first word of a line, and the rest."""
    kind, *rest = line.split(None, 1) or [""]
    return kind, rest[0].rstrip() if rest else ""


def _corner(text: str, positions: int, coordinates: int, normals: int) -> tuple[int, int, int]:
    """Return a corner's numbers of position, coordinates and normal; 0 for none of the last two."""
    parts = [*text.split("/"), "", ""][:3]
    position = int(parts[0])
    position = position - 1 if position > 0 else positions + position
    if not 0 <= position < positions:
        raise ValueError(text)
    indices = []
    for part, count in zip(parts[1:], (coordinates, normals), strict=True):
        number = int(part) if part else 0
        number = number if number >= 0 else count + number
        if not 0 <= number < count:
            raise ValueError(text)
        indices.append(number)
    return position, indices[0], indices[1]


@dataclass
class _Material:
    """A material of Wavefront: the file of its image, and its opacity; the editor blends others than 1."""

    image: Path | None = None
    opacity: float = 1.0


def _materials(folder: Path, library: str) -> dict[str, _Material]:
    """Return materials by name."""
    paths = ProjectPaths(folder / "model")
    file = paths.find(library)
    materials: dict[str, _Material] = {}
    if file is None:
        return materials
    current = ""
    inner = ProjectPaths(file)
    for line in joined_lines(plain_text(file_content(file))):
        kind, rest = _words(line)
        if kind == "newmtl":
            current = rest
            materials[current] = _Material()
        elif kind.lower() == "map_kd" and current in materials:
            text = _OPTIONS.sub("", rest).strip('"')
            materials[current].image = inner.find(text) or inner.find(PureWindowsPath(text).name)
        elif kind in ("d", "Tr") and current in materials:
            with suppress(ValueError):
                value = float(rest)
                materials[current].opacity = value if kind == "d" else 1 - value
    return materials
