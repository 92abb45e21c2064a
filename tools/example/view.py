"""Pictures of the example level's figures, drawn as games of 1996 did: sheets of poses, seen from all sides.

python -m tools.example.view FOLDER [NAME …]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Floats
from io_tomb_raider.formats.levels.textures.png import encode_png

from .figures import figures
from .figures.posing import frames, rotation
from .solids import Face, Figure, Pose, Tiles

# From the upper left, in front of the figure.
_LIGHT = np.array((-0.5, -0.75, -0.6)) / np.linalg.norm((-0.5, -0.75, -0.6))
_SAMPLES = 2


def _normals(vertices: Floats, faces: Sequence[Face]) -> Floats:
    result = np.zeros_like(vertices)
    for face in faces:
        corners = vertices[list(face.corners)]
        # The diagonals of a quad, or two sides of a triangle.
        across = corners[0] - corners[2], (corners[3] if len(corners) == 4 else corners[0]) - corners[1]
        result[list(face.corners)] += np.cross(*across)
    return result / np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-9)


def draw(
    figure: Figure,
    tiles: Tiles,
    pose: Pose,
    turn: float,
    size: tuple[int, int],
    scale: float,
    base: float,
    tilt: float = 8.0,
    light: Floats = _LIGHT,
) -> NDArray[np.uint8]:
    """Return a picture (height, width, 4) of a figure turned around y.

    Args:
        scale: units per pixel.
        base: the part of the height above the origin.
    """  # fmt: skip
    width, height = size[0] * _SAMPLES, size[1] * _SAMPLES
    picture = np.full((height, width, 3), (52.0, 50.0, 56.0))
    depth = np.full((height, width), np.inf)
    # A camera in front of the figure: +x is at the left.
    camera = rotation((tilt, 0, 0)) @ rotation((0, 180 + turn, 0))
    places, turns = frames(figure.joints, pose)
    for mesh, place, matrix in zip(figure.meshes, places, turns, strict=True):
        points = np.array(mesh.vertices).reshape(-1, 3)
        world = points @ matrix.T + place
        normals = _normals(points, mesh.faces) @ matrix.T
        shades = np.clip(0.62 + 0.5 * (normals @ (camera.T @ light)), 0.3, 1.12)
        seen = world @ camera.T
        x = seen[:, 0] / scale * _SAMPLES + width / 2
        y = seen[:, 1] / scale * _SAMPLES + height * base
        for face in mesh.faces:
            corners = list(face.corners)
            for part in ([0, 1, 2], [0, 2, 3])[: len(corners) - 2]:
                _triangle(
                    picture, depth, tiles[face.tile], x[corners][part], y[corners][part],
                    seen[corners][part, 2], np.array(face.uvs)[part], shades[corners][part], face.both_sides,
                )  # fmt: skip
    picture = picture.reshape(size[1], _SAMPLES, size[0], _SAMPLES, 3).mean(axis=(1, 3))
    result = np.full((size[1], size[0], 4), 255, np.uint8)
    result[..., :3] = np.clip(picture, 0, 255)
    return result


def _triangle(
    picture: Floats, depth: Floats, tile: NDArray[np.uint8], x: Floats, y: Floats, z: Floats, uvs: Floats,
    shades: Floats, both: bool,
) -> None:  # fmt: skip
    area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    if abs(area) < 1e-9 or (area < 0 and not both):
        return
    left, right = max(int(x.min()), 0), min(int(x.max()) + 2, picture.shape[1])
    top, bottom = max(int(y.min()), 0), min(int(y.max()) + 2, picture.shape[0])
    if left >= right or top >= bottom:
        return
    px, py = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5)
    second = ((px - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (py - y[0])) / area
    third = ((x[1] - x[0]) * (py - y[0]) - (px - x[0]) * (y[1] - y[0])) / area
    weights = np.stack((1 - second - third, second, third))
    far = np.tensordot(z, weights, 1)
    place = np.tensordot(uvs.T, weights, 1).clip(0, 63.99).astype(int)
    texels = tile[place[1], place[0]]
    nearest = depth[top:bottom, left:right]
    shown = (weights >= -1e-6).all(axis=0) & (far < nearest) & (texels[..., 3] > 127)
    nearest[shown] = far[shown]
    lit = texels[..., :3] * np.tensordot(shades, weights, 1)[..., None]
    picture[top:bottom, left:right][shown] = lit[shown]


def sheet(pictures: Sequence[NDArray[np.uint8]], columns: int) -> NDArray[np.uint8]:
    """Return pictures of one size in rows."""
    rows = [list(pictures[start : start + columns]) for start in range(0, len(pictures), columns)]
    rows[-1] += [np.zeros_like(pictures[0])] * (columns - len(rows[-1]))
    return np.concatenate([np.concatenate(row, axis=1) for row in rows], axis=0)


def _pose(figure: Figure, name: str) -> Pose:
    """Return the first pose of an animation, or of the first one."""
    motions = {motion.name: motion for motion in figure.motions}
    return motions.get(name, figure.motions[0]).poses[0]


def _points(figure: Figure) -> Floats:
    """Return the vertices in the first pose of the figure."""
    places, turns = frames(figure.joints, _pose(figure, "stand"))
    parts = zip(figure.meshes, places, turns, strict=True)
    return np.concatenate([np.array(mesh.vertices) @ matrix.T + place for mesh, place, matrix in parts])


def main(folder: Path, names: Sequence[str]) -> None:
    """Write sheets of figures, or of animations ("lara walk"); without names, all figures and all tiles."""
    folder.mkdir(parents=True, exist_ok=True)
    tiles, made = figures()
    for figure in made:
        points = _points(figure)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        scale = max(np.ptp(points[:, 1]) / 580, 2 * np.hypot(*points[:, (0, 2)].T).max() / 350)
        base = 0.5 - middle[1] / scale / 640
        if not names or figure.name in names:
            pose = _pose(figure, "stand")
            views = [
                draw(figure, tiles, pose, turn, (360, 640), scale, base) for turn in (0, 45, 90, 180, 225)
            ]
            (folder / f"{figure.name}.png").write_bytes(encode_png(sheet(views, 5)))
        for motion in figure.motions:
            if f"{figure.name} {motion.name}" in names:
                every = max(1, len(motion.poses) // 12)
                strip = [
                    draw(figure, tiles, each, turn, (150, 240), scale * 640 / 240, base)
                    for turn in (90, 20)
                    for each in motion.poses[::every]
                ]
                name = f"{figure.name} {motion.name}.png"
                (folder / name).write_bytes(encode_png(sheet(strip, len(motion.poses[::every]))))
    names_of_tiles = sorted(tiles)
    rows = [np.kron(tiles[name], np.ones((3, 3, 1), np.uint8)) for name in names_of_tiles]
    (folder / "tiles.png").write_bytes(encode_png(sheet(rows, 8)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
