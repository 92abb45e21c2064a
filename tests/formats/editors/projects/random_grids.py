"""Random grids of rooms on two stories, with portals, flip maps, water, slopes and marks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.editors.projects.model.objects import (
    Direction,
    GhostBlock,
    Opacity,
    ProjectPortal,
)
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.shape import RoomShape, SectorFlag

CLICK = 256


def random_rooms(seed: int) -> list[ProjectRoom]:
    """Return a grid of rooms with rooms below some of them, flip maps, water, slopes and marks."""
    random = np.random.default_rng(seed)
    size, along = int(random.integers(5, 9)), 3
    corner = 0 if seed % 5 == 0 else 12  # near the origin, the editor does something else
    rooms: dict[tuple[int, int, int], ProjectRoom] = {}
    for column in range(along):
        for row in range(2):
            for story in (0, -1) if random.random() < 0.6 else (0,):
                number = len(rooms)
                room = ProjectRoom(
                    number, f"Room {number}", corner + column * (size - 2), story * 1024,
                    corner + row * (size - 2), random_shape(random, size, random.random() < 0.6),
                )  # fmt: skip
                wet = 0.7 if story else 0.2
                room.kind = RoomType.WATER if random.random() < wet else RoomType.NORMAL
                room.no_pathfinding = bool(random.random() < 0.05)
                rooms[column, row, story] = room
    counter = iter(range(1000, 9000))

    def portal(room: ProjectRoom, area: tuple[int, int, int, int], to: ProjectRoom, way: Direction) -> None:
        opacity = int(random.choice([Opacity.NONE] * 8 + [Opacity.SOLID_FACES, Opacity.TRAVERSABLE_FACES]))
        room.objects.append(ProjectPortal(next(counter), area, to.number, way, opacity))

    end = size - 1
    for (column, row, story), room in rooms.items():
        for step_x, step_z, ways in (
            (1, 0, (Direction.POSITIVE_X, Direction.NEGATIVE_X)),
            (0, 1, (Direction.POSITIVE_Z, Direction.NEGATIVE_Z)),
        ):
            other = rooms.get((column + step_x, row + step_z, story))
            if other is None or random.random() < 0.2:
                continue
            low = int(random.integers(1, end))
            high = end - 1 if random.random() < 0.7 else int(random.integers(low, end))
            low = 1 if random.random() < 0.7 else low
            own = (end, low, end, high) if step_x else (low, end, high, end)
            theirs = (0, low, 0, high) if step_x else (low, 0, high, 0)
            portal(room, own, other, ways[0])
            if random.random() < 0.95:
                portal(other, theirs, room, ways[1])
        below = rooms.get((column, row, -1))
        if story == 0 and below is not None:
            x, z = random.integers(1, end, 2).tolist()
            area = (x, z, int(random.integers(x, end)), int(random.integers(z, end)))
            portal(room, area, below, Direction.FLOOR)
            portal(below, area, room, Direction.CEILING)
            room.shape.floor.heights[area[1] : area[3] + 1, area[0] : area[2] + 1] = 0
            room.shape.floor.diagonal[area[1] : area[3] + 1, area[0] : area[2] + 1] = 0
            below.shape.ceiling.heights[area[1] : area[3] + 1, area[0] : area[2] + 1] = 1024
            below.shape.ceiling.diagonal[area[1] : area[3] + 1, area[0] : area[2] + 1] = 0
    result = list(rooms.values())
    for base in list(result):
        if random.random() < 0.2:
            alternate = ProjectRoom(
                len(result), "flipped", base.x, base.y, base.z, random_shape(random, size, True)
            )  # fmt: skip
            alternate.kind = base.kind if random.random() < 0.6 else RoomType.WATER
            alternate.objects = [
                ProjectPortal(next(counter), each.area, each.room, each.direction, each.opacity)
                for each in base.each(ProjectPortal)
            ]
            base.alternate = int(random.integers(0, 2)), alternate.number
            result.append(alternate)
    for room in result:
        if random.random() < 0.2:
            offsets = random.integers(-2, 3, 4) * CLICK
            ghost = tuple(offsets.tolist())
            room.objects.append(GhostBlock(next(counter), 2, 2, ghost, (0, 0, 0, 0)))
    return result


def random_shape(random: np.random.Generator, size: int, flat: bool) -> RoomShape:
    """Return sectors with steps, slopes and marks."""
    shape = RoomShape.empty(size, size)
    shape.ceiling.heights[:] = 1024

    def patch(values: NDArray[np.int64]) -> None:
        x, z = random.integers(0, size, 2).tolist()
        wide, deep = random.integers(1, 4, 2).tolist()
        shape.floor.heights[z : z + deep, x : x + wide] = values

    for _ in range(1 if flat else 4):
        patch(random.choice([0, 256, 512, -256, -768]) * np.ones(4, np.int64))
    for _ in range(1 if flat else 3):
        patch(random.choice([0, 256, 768, -768, 1024], 4))
    shape.wall |= random.random((size, size)) < (0.03 if flat else 0.1)
    cut = shape.wall & (random.random((size, size)) < 0.3)
    shape.floor.diagonal[cut], shape.ceiling.diagonal[cut] = 1, 1
    marks = [SectorFlag.MONKEY, SectorFlag.BOX, SectorFlag.NOT_WALKABLE]
    for mark, chance in zip(marks, random.choice([0.0, 0.05, 0.3], 3), strict=True):
        shape.flags[random.random((size, size)) < chance] |= mark
    return shape
