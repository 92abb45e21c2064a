"""Projects with animated textures, and what faces of a level play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.animated import animations_of
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.settings import AnimatedSet, AnimationFrame, Corners
from io_tomb_raider.formats.editors.projects.model.shape import FACE
from io_tomb_raider.formats.levels.textures.animated import decode_animated
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask, texture_index
from io_tomb_raider.formats.levels.views.decoded import Decoded

from .compile.compile_samples import lara, plain_room, project_of

TILE, _ROW = 64, 4
ROTATING = (2, 3, 4)
GAMES = {Game.TR1: 1, Game.TR2: 2, Game.TR3: 3, Game.TR4: 4, Game.TR5: 5}
TRNG = 16
# Corners of a frame that triangles show.
_TRIANGLES = ((0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3))


def picture(path: Path) -> NDArray[np.uint8]:
    """Return the image of all projects: 16 different tiles of few colors."""
    image = np.full((_ROW * TILE, _ROW * TILE, 4), 255, np.uint8)
    image[..., :3] = np.random.default_rng(5).integers(0, 4, (_ROW * TILE, _ROW * TILE, 3)) * 64
    return image


def tile_corners(tile: int) -> Corners:
    """Return the corners of one of the 16 tiles."""
    y, x = np.divmod(tile, _ROW) * np.array(TILE)
    return (float(x), float(y)), (float(x + TILE), float(y)), (float(x + TILE), float(y + TILE)), (
        float(x),
        float(y + TILE),
    )  # fmt: skip


def animated_set(name: str, tiles: list[int], kind: int = 0, repeat: int = 1, **values: float) -> AnimatedSet:
    """Return a set that shows tiles in turn; the first is repeated."""
    frames = [AnimationFrame(0, tile_corners(tile), repeat if not at else 1) for at, tile in enumerate(tiles)]
    made = AnimatedSet(name, kind, frames=frames)
    made.fps, made.uv_rotate = values.get("fps", 16.0), int(values.get("uv_rotate", 0))
    return made


@st.composite
def animated_sets(draw: st.DrawFn, rotating: bool = True) -> list[AnimatedSet]:
    """Return up to four sets of different tiles."""
    tiles = draw(st.permutations(range(16)))
    made = []
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from((0, 1, *ROTATING) if rotating else (0, 1)))
        count = draw(st.integers(1 if kind in ROTATING else 2, 4))
        own, tiles = list(tiles[:count]), tiles[count:]
        fps = draw(st.sampled_from([5.0, 10.0, 16.0, 25.0]))
        repeat, turn = draw(st.integers(1, 3)), draw(st.integers(-128, 127))
        made.append(animated_set(f"Set {number}", own, kind, repeat, fps=fps, uv_rotate=turn))
    return made


def texture_faces(room: ProjectRoom, choices: list[tuple[int, int, bool]]) -> None:
    """Give each face of a room a tile, in turn from a list: the tile, a turn, and mirrored or not."""
    faces = room_faces(ProjectRooms([room]), room)
    records = np.zeros(len(faces), FACE)
    records["sector"], records["face"] = faces.sector, faces.face
    for row in range(len(faces)):
        tile, turn, mirrored = choices[row % len(choices)]
        corners = np.array(tile_corners(tile))
        if faces.count[row] == 3:
            corners = corners[list(_TRIANGLES[turn])]
        corners = np.roll(corners[::-1] if mirrored else corners, turn, axis=0)
        records["corners"][row, : len(corners)] = corners
        records["corners"][row, len(corners) :] = corners[-1]
    room.shape.faces = records


def animated_project(
    game: Game,
    folder: Path,
    sets: list[AnimatedSet],
    choices: list[tuple[int, int, bool]],
    version: int | None = None,
) -> Project:
    """Return a project with a room whose faces show tiles, some as triangles."""
    room = plain_room(0)
    room.shape.floor.heights[2, 2, 0] = room.shape.floor.heights[3, 4, 2] = 512
    room.objects.append(lara())
    texture_faces(room, choices)
    project = project_of([room], game, folder, GAMES[game] if version is None else version)
    project.settings.animated_sets = sets
    project.settings.dither = False
    return project


def compile_animated(project: Project, folder: Path) -> Compiled:
    """Compile such a project."""
    resources = Resources(paths_of(project.settings, folder / "project.prj2"), picture)
    return compile_project(project, resources)


Played = dict[tuple[object, ...], tuple[bool, tuple[Any, ...]]]


def played(decoded: Decoded, room_number: int = 0) -> Played:
    """Return what the faces of a room play, by the positions of their corners.

    Each frame is its pixels, and the place of each corner in them. The first value is whether they rotate.
    """
    level = decoded.level
    room = level.rooms[room_number]
    # The image has colors that are far apart, so what a palette changes does not count.
    texels = (decoded.texels.reshape(-1, 256, 4).astype(np.int64) + 32 >> 6).astype(np.uint8)
    positions = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(int)
    groups = decode_animated(level.animated_textures).groups
    every = animations_of(decoded)
    found: Played = {}
    for faces in (room.quads, room.triangles):
        numbers = texture_index(faces["texture"], room_texture_mask(level.game)).tolist()
        for number, vertices in zip(numbers, faces["vertices"].tolist(), strict=True):
            group = next((at for at, each in enumerate(groups) if number in each), None)
            if group is None:
                continue
            animation = every[group]
            assert animation is not None
            start = groups[group].index(number)
            points = [tuple(positions[vertex].tolist()) for vertex in vertices]
            frames = []
            for corners in np.roll(animation.corners, -start, axis=0):
                low, high = corners.min(axis=0).astype(int), corners.max(axis=0).astype(int)
                pixels = texels[low[1] : high[1], low[0] : high[0]]
                frames.append((pixels.tobytes(), (corners - low).tolist()))
            count = len(points)
            turns = []
            for turn in range(count):
                order = [(turn + at) % count for at in range(count)]
                shown = tuple((each[0], tuple(tuple(each[1][at]) for at in order)) for each in frames)
                turns.append((tuple(points[at] for at in order), shown))
            key, value = min(turns)
            found[key] = (animation.rotates, value)
    return found


def check_played(before: Played, after: Played, *, lost: float = 0) -> None:
    """Check that faces play the same, of which some may be cut into triangles.

    Args:
        before, after: what they play.
        lost: the part of faces that may be others, since walls of a sector have other heights.
    """
    assert before
    gone = 0
    for points, value in before.items():
        if after.get(points) == value:
            continue
        assert points not in after
        parts = [after[each] for each in after if set(each) < set(points)]
        assert len(points) == 4
        assert len(parts) in {0, 2}
        gone += not parts
        for rotates, frames in parts:
            assert rotates == value[0]
            assert [each[0] for each in frames] == [each[0] for each in value[1]]
    assert gone <= lost * len(before)


class StandIns(Resources):
    """The files of a project whose images are missing: each is a noise that is large enough."""

    def image(self, path: str) -> NDArray[np.uint8] | None:
        image = np.full((8192, 256, 4), 255, np.uint8)
        image[..., :3] = np.random.default_rng(len(path)).integers(0, 4, (8192, 256, 3)) * 64
        return image


def show_frames(project: Project) -> int | None:
    """Give all faces of the first textured room frames of the project's sets.

    Returns:
        The index of the room in the level, or None without frames.
    """
    frames = [frame for each in project.settings.animated_sets for frame in each.frames]
    order = sorted(range(len(project.rooms)), key=lambda at: project.rooms[at].number)
    rooms = [at for at in order if len(project.rooms[at].shape.faces)]
    if not frames or not rooms:
        return None
    faces = project.rooms[rooms[0]].shape.faces
    for row in range(len(faces)):
        frame = frames[row % len(frames)]
        faces["texture"][row] = frame.texture
        # Triangles ignore the fourth corner.
        corners = np.array(frame.corners)
        is_triangle = (faces["corners"][row, 2] == faces["corners"][row, 3]).all()
        faces["corners"][row] = corners[[0, 1, 2, 2]] if is_triangle else corners
    return order.index(rooms[0])
