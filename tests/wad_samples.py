"""WADs of the level editor, with their SWD, made from the sample level of TR4.

Models, animations and meshes are those of the sample level; textures are drawn here, with unique pixels.
Faces use every possible texture orientation, and the files contain the garbage that tools are known to leave.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.wads.wad.swd import SPRITE, Swd
from io_tomb_raider.formats.editors.wads.wad.wad import TEXTURE_SAMPLE, Wad
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes

from .sample_levels import sample_level

GARBAGE = (613590983, -1, 77)
PAGES = 3
_WORDS_PER_NODE = 4

# x, y, page, width, height. The first is the empty one of every file; the last two are transparent.
RECTANGLES = (
    (0, 0, 0, 1, 1),
    (0, 0, 0, 16, 8),
    (64, 32, 1, 7, 13),
    (128, 0, 2, 128, 256),
    (0, 0, 1, 256, 256),
    (255, 255, 2, 1, 1),
    (192, 192, 0, 64, 64),
    (200, 250, 0, 5, 6),
)
HOLES = (0, slice(192, 256), slice(192, 256, 3))  # page, rows, columns


@dataclass(frozen=True)
class Polygon:
    """A polygon: three or four vertices, and the placement of its texture sample."""

    vertices: tuple[int, ...]
    sample: int
    mirrored: bool = False
    orientation: int = 0  # 0 to 3
    attributes: int = 0

    @property
    def texture(self) -> int:
        if len(self.vertices) == 4:
            return (-self.sample if self.mirrored else self.sample) & 0xFFFF
        return self.sample | self.orientation << 13 | self.mirrored << 15

    def to_bytes(self) -> bytes:
        shape = {3: 8, 4: 9}[len(self.vertices)]
        words = [shape, *self.vertices, self.texture, self.attributes]
        return pack(f"<{len(words)}H", *words)


def draw_pages() -> NDArray[np.uint8]:
    """Return (3, 256, 256, 3) pages with unique pixels, except for the holes, which are magenta."""
    page, row, column = np.indices((PAGES, 256, 256))
    pages = np.stack([row, column, 10 + 60 * page], axis=-1).astype(np.uint8)
    pages[HOLES] = 255, 0, 255
    return pages


def texture_samples() -> NDArray[Any]:
    """Return the texture samples of RECTANGLES."""
    samples = np.zeros(len(RECTANGLES), TEXTURE_SAMPLE)
    for sample, (x, y, page, width, height) in zip(samples, RECTANGLES, strict=True):
        sample["x"], sample["y"], sample["page"] = x, y, page
        sample["width"], sample["height"] = width - 1, height - 1
    samples["flip_x"][1:] = samples["flip_y"][1:] = -1
    return samples


def polygons_of(mesh: Mesh, start: int) -> list[Polygon]:
    """Return polygons for the faces of a level's mesh, triangles and quads mixed.

    ``start`` is the number of the first texture use: consecutive uses cover all combinations.
    """
    faces = [*mesh.quads["vertices"].tolist(), *mesh.triangles["vertices"].tolist()]
    order = np.argsort(np.arange(len(faces)) % 3, kind="stable").tolist()
    polygons = []
    for number, face in enumerate(order, start):
        use, mirrored = divmod(number, 2)
        turns, orientation = divmod(use, 4)
        triangle = len(faces[face]) == 3
        polygons.append(
            Polygon(
                tuple(faces[face]),
                sample=1 + (turns if triangle else use) % (len(RECTANGLES) - 1),
                mirrored=bool(mirrored),
                orientation=orientation if triangle else 0,
                attributes=(0, 1, 2 | 31 << 2, 3 | 5 << 2, 9 << 2)[number % 5],
            )
        )
    return polygons


def mesh_bytes(mesh: Mesh, polygons: list[Polygon]) -> bytes:
    """Return a mesh of a WAD with the vertices of a level's mesh."""
    shading = mesh.lights if mesh.normals is None else mesh.normals
    assert shading is not None
    amount = len(shading) if mesh.normals is not None else -len(shading)
    odd = sum(len(polygon.vertices) == 4 for polygon in polygons) % 2
    return b"".join(
        (
            pack("<hhhhHh", *mesh.center, mesh.radius, mesh.flags, len(mesh.vertices)),
            mesh.vertices.tobytes(),
            pack("<h", amount),
            shading.tobytes(),
            pack("<H", len(polygons)),
            *(polygon.to_bytes() for polygon in polygons),
            bytes(2 * odd),
        )
    )


def sample_polygons() -> list[list[Polygon]]:
    """Return the polygons of every mesh of the sample WAD, in block order."""
    level = sample_level(Game.TR4)
    result: list[list[Polygon]] = []
    count = 0
    for mesh in decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers).meshes:
        result.append(polygons_of(mesh, count))
        count += len(result[-1])
    return result


def sample_wad(version: int = 129, *, garbage: bool = True) -> Wad:
    """Return a WAD with the models, animations and meshes of the sample level of TR4.

    Args:
        version: 129 or 130.
        garbage: add what tools leave: words between mesh trees, last frames before first ones, counts of
            commands that do not exist, and bytes at the end.
    """
    level = sample_level(Game.TR4)
    block = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers)
    meshes = [
        mesh_bytes(mesh, polygons) for mesh, polygons in zip(block.meshes, sample_polygons(), strict=True)
    ]
    offsets = np.cumsum([0, *(len(mesh) for mesh in meshes)])
    wad = Wad()
    wad.version = version
    wad.texture_samples = texture_samples()
    wad.page_data = draw_pages().reshape(-1)
    wad.mesh_pointers = offsets[block.pointers].astype("<u4")
    wad.mesh_data = np.frombuffer(b"".join(meshes), np.uint8)
    wad.footer = np.zeros(0, np.uint8)
    for name in (
        "animations",
        "state_changes",
        "animation_dispatches",
        "animation_commands",
        "mesh_trees",
        "frames",
        "models",
        "static_meshes",
    ):
        setattr(wad, name, getattr(level, name))
    if garbage:
        _leave_garbage(wad)
    return wad


def _leave_garbage(wad: Wad) -> None:
    words: list[int] = []
    wad.models = wad.models.copy()
    for model in wad.models:
        size = _WORDS_PER_NODE * max(int(model["meshes"]) - 1, 0)
        tree = wad.mesh_trees[int(model["mesh_tree"]) :][:size].tolist()
        model["mesh_tree"] = len(words) if tree else 0
        words += [*tree, *GARBAGE] if tree else []
    wad.mesh_trees = np.array(words, "<i4")
    wad.animations = wad.animations.copy()
    single = wad.animations["first_frame"] == wad.animations["last_frame"]
    wad.animations["last_frame"][single] -= 1
    wad.animations["commands"][-1] = 43690
    wad.animations["first_command"][-1] = len(wad.animation_commands)
    wad.footer = np.arange(12, dtype=np.uint8)


def sample_swd(*, stale: int = 0) -> Swd:
    """Return an SWD with two sprites of one sequence, followed by stale bytes."""
    swd = Swd()
    swd.version = 129
    swd.sprites = np.zeros(2, SPRITE)
    swd.sprites["x"], swd.sprites["y"] = (0, 250), (3, 200)
    swd.sprites["width"], swd.sprites["height"] = (31 * 256, 63 * 256), (15 * 256, 0)
    swd.page_data = draw_pages()[1:2].reshape(-1)
    swd.sequences = np.array([(463, -2, 0)], [("id", "<i4"), ("negative_length", "<i2"), ("first", "<i2")])
    swd.footer = np.arange(stale).astype(np.uint8)
    return swd
