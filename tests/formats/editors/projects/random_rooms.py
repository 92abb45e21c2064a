"""Random rooms of projects with portals on all sides."""

from __future__ import annotations

from itertools import count

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from io_tomb_raider.formats.editors.projects.model.objects import Direction, GhostBlock, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import RoomShape

CEILING = 1024
FLOORS = (0, 0, 0, 256, 512, -256)
CEILINGS = (CEILING, CEILING, CEILING, 768, 1280)
# Floors above ceilings, and heights between clicks.
WILD_FLOORS = (*FLOORS, 1024, 1280, 100)
WILD_CEILINGS = (*CEILINGS, 256, 0, 999)

_BEYOND = {
    Direction.POSITIVE_Z: (0, 1),
    Direction.NEGATIVE_Z: (0, -1),
    Direction.POSITIVE_X: (1, 0),
    Direction.NEGATIVE_X: (-1, 0),
}
_OPPOSITE = {
    Direction.FLOOR: Direction.CEILING,
    Direction.CEILING: Direction.FLOOR,
    Direction.POSITIVE_Z: Direction.NEGATIVE_Z,
    Direction.NEGATIVE_Z: Direction.POSITIVE_Z,
    Direction.POSITIVE_X: Direction.NEGATIVE_X,
    Direction.NEGATIVE_X: Direction.POSITIVE_X,
}


def each_of(values: tuple[int, ...], shape: tuple[int, ...]) -> st.SearchStrategy[NDArray[np.int64]]:
    """Return arrays of some values."""
    index = arrays(np.int64, shape, elements=st.integers(0, len(values) - 1), fill=st.just(0))
    return index.map(lambda chosen: np.array(values, np.int64)[chosen])


@st.composite
def shapes(draw: st.DrawFn, size: tuple[int, int], wild: bool) -> RoomShape:
    """Return the sectors of a room of (z, x) sectors."""
    shape = RoomShape.empty(size[1], size[0])
    for surface, heights in (
        (shape.floor, WILD_FLOORS if wild else FLOORS),
        (shape.ceiling, WILD_CEILINGS if wild else CEILINGS),
    ):
        surface.heights[:] = draw(each_of(heights, (*size, 4)))
        surface.x_equals_z[:] = draw(each_of((0, 1), size)) == 1
        surface.split_count[:] = draw(each_of((0, 0, 1, 2, 8) if wild else (0, 0, 1, 2), size))
        surface.splits[:, :, :2] = draw(each_of(heights, (*size, 2, 4)))
        surface.splits[:, :, 2:] = surface.heights[:, :, None]
        surface.diagonal[:] = draw(each_of((0, 0, 0, 1, 2, 3, 4), size))
    shape.wall |= draw(each_of((0, 0, 0, 1), size)) == 1
    shape.ceiling.diagonal[shape.wall] = shape.floor.diagonal[shape.wall]
    shape.solid_floor |= draw(each_of((0, 0, 0, 0, 1), size)) == 1
    for surface, deepest, sign in ((shape.floor, np.min, -1), (shape.ceiling, np.max, 1)):
        surface.diagonal[shape.border] = 0
        if not wild:
            surface.split_count[shape.border] = 0
            # As editors make them: splits beyond the edge, the flat triangle of a diagonal is the deepest.
            for number in range(1, 5):
                cut = surface.diagonal == number
                surface.heights[cut, (number + 1) % 4] = deepest(surface.heights[cut], axis=1)
            surface.splits[:] = surface.heights[:, :, None] + sign * 256 * np.arange(1, 9)[:, None]
    return shape


def connect(
    room: ProjectRoom, other: ProjectRoom, direction: Direction, opacities: tuple[int, int], number: int
) -> None:
    """Add a portal where the rooms overlap, and its counterpart."""
    if direction in (Direction.FLOOR, Direction.CEILING):
        inset = (1, 1)
    else:
        inset = (1, 0) if direction in (Direction.POSITIVE_Z, Direction.NEGATIVE_Z) else (0, 1)
    places = []
    for a, b, sizes, cut in (
        (room.x, other.x, (room.shape.x_sectors, other.shape.x_sectors), inset[0]),
        (room.z, other.z, (room.shape.z_sectors, other.shape.z_sectors), inset[1]),
    ):
        low, high = max(a, b) + cut, min(a + sizes[0], b + sizes[1]) - 1 - cut
        places.append((low, high))
    if any(low > high for low, high in places):
        return
    # The overlap along the direction is two rows: the own border and that of the other room.
    for one, two, way, opacity, key in (
        (room, other, direction, opacities[0], number),
        (other, room, _OPPOSITE[direction], opacities[1], number + 1),
    ):
        area = [places[0][0] - one.x, places[1][0] - one.z, places[0][1] - one.x, places[1][1] - one.z]
        if way in _BEYOND:
            step = _BEYOND[way]
            axis = 0 if step[0] else 1
            size = one.shape.x_sectors if axis == 0 else one.shape.z_sectors
            area[axis] = area[axis + 2] = size - 1 if sum(step) > 0 else 0
        one.objects.append(ProjectPortal(key, (area[0], area[1], area[2], area[3]), two.number, way, opacity))


@st.composite
def worlds(draw: st.DrawFn, wild: bool = True) -> list[ProjectRoom]:
    """Return a room with rooms on some of its sides, some of them with flip maps.

    Args:
        draw: of Hypothesis.
        wild: floors can be above ceilings, portals can be textured, rooms can have flip maps and ghost
            blocks. Otherwise, rooms are as editors keep them, and watertight.
    """
    size = draw(st.integers(3, 5)), draw(st.integers(3, 5))
    numbers = count(0)
    objects = count(100, 2)
    rooms: list[ProjectRoom] = []

    def room(x: int, y: int, z: int, size: tuple[int, int]) -> ProjectRoom:
        shape = draw(shapes(size, wild))
        number = next(numbers)
        new = ProjectRoom(number, f"Room {number}", x, y, z, shape)
        rooms.append(new)
        return new

    middle = room(10, 512, 10, size)
    opacity = st.sampled_from((0, 0, 1, 2) if wild else (0,))
    for direction in draw(st.sets(st.sampled_from(list(Direction)), max_size=3)):
        if direction in _BEYOND:
            step = _BEYOND[direction]
            along = draw(st.integers(-1, 1)) if wild else 0
            move = [step[0] * (size[1] - 2), step[1] * (size[0] - 2)]
            move[0 if step[0] == 0 else 1] += along
            other = room(10 + move[0], draw(st.sampled_from((512, 512, 256, 768))), 10 + move[1], size)
        else:
            other = room(10, 512 + CEILING * (1 if direction == Direction.CEILING else -1), 10, size)
        connect(middle, other, direction, (draw(opacity), draw(opacity)), next(objects))
    if not wild:
        # Openings look only at the corners of diagonal steps, so steps in portals can leave gaps, and a level
        # does not tell how deep a portal is at diagonal walls.
        for one in rooms:
            directions = {each.direction for each in one.each(ProjectPortal)}
            for surface, way in ((one.shape.floor, Direction.FLOOR), (one.shape.ceiling, Direction.CEILING)):
                if way in directions:
                    surface.diagonal[~one.shape.wall] = 0
                if directions & set(_BEYOND):
                    surface.diagonal[one.shape.wall] = 0
    else:
        for base in list(rooms):
            if draw(st.integers(0, 3)) == 0:
                alternate = room(base.x, base.y, base.z, size)
                alternate.objects += [
                    ProjectPortal(p.number + 1000, p.area, p.room, p.direction, p.opacity)
                    for p in base.each(ProjectPortal)
                ]
                base.alternate = draw(st.integers(0, 1)), alternate.number
        for each in rooms:
            if draw(st.integers(0, 3)) == 0:
                offsets = [tuple(draw(each_of((0, 256, -256), (4,))).tolist()) for _ in range(2)]
                each.objects.append(GhostBlock(next(objects), 1, 1, offsets[0], offsets[1]))
    assume(not all(each.shape.wall.all() for each in rooms))  # a level of walls has no boxes
    return rooms
