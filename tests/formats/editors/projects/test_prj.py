"""Projects of the old room editor: their records, and what they become."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.editors.projects.geometry.faces import Faces
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import Opening, ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Direction,
    Flyby,
    Light,
    LightKind,
    Moveable,
    Opacity,
    Parameter,
    ParameterKind,
    PlacedObject,
    Positioned,
    ProjectPortal,
    ProjectTrigger,
    Sink,
    SoundSource,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.rooms import LightEffect, ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.settings import AnimatedSet
from io_tomb_raider.formats.editors.projects.model.shape import Face, SectorFlag, SectorSide
from io_tomb_raider.formats.editors.projects.prj.prj import is_prj, read_prj_records
from io_tomb_raider.formats.editors.projects.prj.prj_convert import read_prj

from ....prj_samples import (
    BORDER,
    DOWN,
    FLOOR,
    HIGH_MODEL_SLOT,
    HIGH_X,
    LOW_STATIC_SLOT,
    LOW_X,
    PICTURE,
    UP,
    WAD,
    WALL,
    PackedPrj,
    PackedRoom,
    Sector,
    chunk,
    face,
    light,
    portal,
    ranges_chunk,
    record,
    sample_prj,
    trigger,
)
from ....real_levels import real_projects

_Kind = TypeVar("_Kind", bound=PlacedObject)

HALL, POOL, FLIPPED, YARD = 1, 3, 4, 5
each_real_prj = pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.name, marks=pytest.mark.once) for path in real_projects(".prj")]
)


def convert(*rooms: PackedRoom | None, **settings: Any) -> Project:
    return read_prj(PackedPrj(rooms, **settings).to_bytes())


def room_of(project: Project, number: int) -> ProjectRoom:
    room = project.room(number)
    assert room is not None
    return room


def one(room: ProjectRoom, kind: type[_Kind]) -> _Kind:
    (found,) = room.each(kind)
    return found


@pytest.fixture
def project() -> Project:
    return read_prj(sample_prj().to_bytes())


# --- Records -----------------------------------------------------------------------------------


def test_records_have_the_packed_values(tmp_path: Path) -> None:
    data = sample_prj(ng=True).to_bytes()
    (tmp_path / "sample.prj").write_bytes(data)
    for source in (data, tmp_path / "sample.prj"):
        prj = read_prj_records(source)
        assert is_prj(data) and not prj.big
        assert prj.room_slots == 6
        assert [(room.number, room.name) for room in prj.rooms] == [
            (1, "Hall"),
            (3, "Pool"),
            (4, "Flipped Hall"),
            (5, "Yard"),
        ]
        hall = prj.rooms[0]
        assert hall.sectors.shape == (5, 6)
        assert hall.sectors["floor_corners"][1, 1].tolist() == [0, 1, 2, 3]
        assert [number for number, _ in hall.objects] == [1, 2, 3, 4, *range(20, 30)]
        assert (prj.picture, prj.wad) == (PICTURE, WAD)
        assert [slot.kind for slot in prj.slots if slot.kind] == [16, 272, 8, 272, 16]
        assert prj.slots[35].name == "SLOT_35"
        assert prj.tiles[2].tolist() == (128, 640, 0, 63, 0, 31)
        assert prj.footsteps.tolist() == list(range(256))
        assert prj.chunks is not None
        assert prj.chunks[0x8024] == b"\1\0\3\0" and len(prj.chunks[0x8002]) == 248


def test_projects_without_optional_parts_are_read() -> None:
    prj = read_prj_records(PackedPrj([], picture="", wad="", bumps=None).to_bytes())
    assert (prj.rooms, prj.picture, prj.wad, len(prj.tiles), prj.slots, prj.chunks) == (
        [],
        "",
        "",
        0,
        [],
        None,
    )
    assert not prj.bumps.any()
    prj = read_prj_records(PackedPrj([], bumps=None, ng=[]).to_bytes())
    assert prj.chunks == {} and not prj.bumps.any()
    settings = read_prj(PackedPrj([], picture="", wad="", bumps=None).to_bytes()).settings
    assert (settings.textures, settings.wads, settings.animated_sets) == ([], [], [])


@pytest.mark.parametrize(
    ("change", "section", "expected"),
    [
        (lambda data: b"PROJFOLD" + data[8:], "signature", "PROJFILE"),
        (lambda data: data[:12] + b"\xff\xff\xff\xff" + data[16:], "rooms", "a number of elements"),
        (lambda data: data[:12] + b"\xff\xff\xff\x0f" + data[16:], "rooms", "elements of 2 bytes"),
        (lambda data: data[:16] + b"\2\0" + data[18:], "rooms/head", "0 or 1"),
        (lambda data: data[:120] + b"\2\0" + data[122:], "rooms/head", "at least 3 sectors"),
        (lambda data: data.replace(b"NGLE", b"NGLX"), "NG", "NGLE"),
        (lambda data: data[:-4] + b"\1\0\0\0", "NG", "a size of"),
        (lambda data: data + b"\0\0", "NG", "the end of the file"),
        (lambda data: data.replace(b"SLOT_35 \x23", b"SLOT_35 \x24"), "objects", "slot 35"),
        (lambda data: data[:-20], "NG", "more bytes"),
        (lambda data: data.replace(chunk(0x8024, [1, 3]), b"\1\0\x24\x80\1\0\3\0"), "NG", "in words"),
    ],
)
def test_damage_is_located(change: object, section: str, expected: str) -> None:
    assert callable(change)
    data = PackedPrj([PackedRoom()], ng=[chunk(0x8024, [1, 3])]).to_bytes()
    damaged = change(data)
    assert damaged != data
    with pytest.raises(FormatError) as caught:
        read_prj_records(damaged)
    assert caught.value.section == section
    assert expected in caught.value.expected
    assert caught.value.offset is not None


# The offset of the number of elements, in a file whose first room has none.
_LISTS = {"portals": 130, "objects": 132, "lights": 138}


@pytest.mark.parametrize("section", _LISTS)
@pytest.mark.parametrize("count", [b"\xff\xff", b"\xff\x7f"])
def test_impossible_numbers_are_located(section: str, count: bytes) -> None:
    data = PackedPrj([PackedRoom()]).to_bytes()
    at = _LISTS[section]
    with pytest.raises(FormatError) as caught:
        read_prj_records(data[:at] + count + data[at + 2 :])
    assert (caught.value.section, caught.value.element) == (f"rooms/{section}", 0)
    assert caught.value.offset == at + (2 if count[1] < 0x80 else 0)


_AFTER_ROOMS = 16 + len(PackedRoom().to_bytes())


@pytest.mark.parametrize(
    ("size", "section"),
    [
        (-1, "bumps"),
        (-257, "footsteps"),
        (-513, "animated textures"),
        (_AFTER_ROOMS - 1, "rooms/sectors"),
        (_AFTER_ROOMS + 7, "numbers"),
        (_AFTER_ROOMS + 8008 + 3, "lights"),
        (_AFTER_ROOMS + 8008 + 3076 + 3, "triggers"),
    ],
)
def test_the_end_of_a_cut_file_is_located(size: int, section: str) -> None:
    data = PackedPrj([PackedRoom()]).to_bytes()
    with pytest.raises(FormatError) as caught:
        read_prj_records(data[:size])
    assert caught.value.section == section
    assert caught.value.sizes is not None


def test_an_impossible_size_of_a_room_is_located() -> None:
    data = PackedPrj([PackedRoom()]).to_bytes()
    with pytest.raises(FormatError, match="2 x 4") as caught:
        read_prj_records(data[:120] + b"\2" + data[121:])
    assert caught.value.offset == 120


def test_paths_end_with_the_blank_after_their_suffix() -> None:
    data = PackedPrj([], picture="C:\\MY MAPS\\A B.TGA", wad="").to_bytes()
    assert read_prj_records(data).picture == "C:\\MY MAPS\\A B.TGA"
    place = data.index(b"C:")
    with pytest.raises(FormatError, match="ends with a blank") as caught:
        read_prj_records(data[:place] + b"x" * 5000)
    assert (caught.value.section, caught.value.offset) == ("picture", place)


def test_an_unknown_kind_of_object_is_located() -> None:
    for room in (PackedRoom(objects=[(7, record(9))]), PackedRoom(effects=[(7, record(0x4001))])):
        with pytest.raises(FormatError, match="number 7") as caught:
            convert(None, None, room)
        assert caught.value.element == 2


@pytest.mark.parametrize("tail", [b"XX", b"N", bytes(300)])
def test_more_than_one_byte_after_the_end_is_refused(tail: bytes) -> None:
    data = PackedPrj([]).to_bytes() + tail
    if len(tail) == 1:
        assert read_prj_records(data).chunks is None
        return
    with pytest.raises(FormatError, match="the end of the file"):
        read_prj_records(data)


# --- Sectors and rooms -------------------------------------------------------------------------


def test_sectors_have_heights_by_corner(project: Project) -> None:
    hall = room_of(project, HALL)
    shape = hall.shape
    assert (hall.x, hall.y, hall.z) == (20, -256, 10)
    assert (shape.x_sectors, shape.z_sectors) == (6, 5)
    # By corner: XnZp, XpZp, XpZn, XnZn.
    assert (shape.floor.heights[1, 1] // 256).tolist() == [2, 3, 0, 1]
    assert (shape.ceiling.heights[1, 1] // 256).tolist() == [11, 12, 9, 10]
    assert shape.floor.split_count[1, 1] == shape.ceiling.split_count[1, 1] == 1
    assert (shape.floor.splits[1, 1, 0] // 256).tolist() == [-7, -8, -5, -6]
    assert (shape.ceiling.splits[1, 1, 0] // 256).tolist() == [15, 14, 17, 16]
    assert (shape.floor.heights[1, 2] == 256).all()
    flags = SectorFlag.DEATH | SectorFlag.CLIMB_POSITIVE_Z | SectorFlag.MONKEY
    assert shape.flags[1, 1] == flags | SectorFlag.TRIGGER_TRIGGERER | SectorFlag.BEETLE
    assert np.count_nonzero(shape.flags) == 1
    assert np.array_equal(shape.wall[1:-1, 1:-1], [[0] * 4, [0] * 4, [0, 0, 0, 1]])
    assert shape.wall[[0, -1]].all() and shape.wall[:, [0, -1]].all()


@pytest.mark.parametrize(
    ("bit", "flag"),
    [
        (0x20, SectorFlag.BOX),
        (0x80, SectorFlag.CLIMB_POSITIVE_X),
        (0x100, SectorFlag.CLIMB_NEGATIVE_Z),
        (0x200, SectorFlag.CLIMB_NEGATIVE_X),
    ],
)
def test_flags_of_sectors(bit: int, flag: SectorFlag) -> None:
    shape = room_of(convert(PackedRoom(sectors={(2, 1): Sector(flags=bit)})), 0).shape
    assert shape.flags[1, 2] == flag and np.count_nonzero(shape.flags) == 1


# Heights at XnZp, XpZp, XpZn, XnZn, and the direction if the split is not turned.
_SPLITS = [
    ((1, 1, 0, 1), True),
    ((0, 0, 1, 0), True),
    ((1, 1, 1, 0), False),
    ((0, 1, 1, 1), True),
    ((0, 1, 0, 0), False),
    ((0, 1, 0, 1), False),
    ((0, 2, 0, 1), False),
    ((1, 0, 2, 0), True),
    ((0, 1, 3, 2), True),
    ((1, 0, 2, 3), False),
    ((3, 1, 0, 2), True),
    ((2, 3, 1, 0), False),
    ((0, 2, 1, 3), True),
]


@pytest.mark.parametrize(("corners", "direction"), _SPLITS)
@pytest.mark.parametrize("turned", [False, True])
def test_split_directions(corners: tuple[int, int, int, int], direction: bool, turned: bool) -> None:
    a, b, c, d = corners
    sector = Sector(floor_corners=(c, d, a, b), ceiling_corners=(b, a, d, c), flags3=int(turned))
    shape = room_of(convert(PackedRoom(sectors={(1, 2): sector})), 0).shape
    assert shape.floor.x_equals_z[2, 1] == (direction != turned)
    assert shape.ceiling.x_equals_z[2, 1] == direction


def test_rooms_have_their_settings(project: Project) -> None:
    hall, pool, flipped, yard = (room_of(project, number) for number in (HALL, POOL, FLIPPED, YARD))
    assert [room.number for room in project.rooms] == [HALL, POOL, FLIPPED, YARD]
    assert hall.ambient == (60 / 128, 28 / 128, 12 / 128)
    assert (hall.horizon, hall.outside, hall.no_lens_flare, hall.damage, hall.reverb) == (
        *[True] * 3,
        False,
        2,
    )
    assert (hall.kind, hall.effect, hall.effect_strength) == (RoomType.NORMAL, LightEffect.DEFAULT, 1)
    assert (pool.kind, pool.effect, pool.effect_strength) == (RoomType.WATER, LightEffect.REFLECTION, 2)
    assert pool.y == -8 * 256
    assert (yard.kind, yard.kind_strength, yard.alternate) == (RoomType.RAIN, 0, None)
    # The alternate room is drawn elsewhere in the old editor's plan.
    assert hall.alternate == (6, FLIPPED)
    assert (flipped.x, flipped.z, flipped.alternate) == (hall.x, hall.z, None)
    assert flipped.ambient == (-2 / 128, 0, 1)


@pytest.mark.parametrize(
    ("flags", "kind", "kind_strength", "effect", "effect_strength"),
    [
        (1 | 0x20, RoomType.WATER, 0, LightEffect.DEFAULT, 4),
        (4, RoomType.QUICKSAND, 0, LightEffect.DEFAULT, 4),
        (0x400, RoomType.SNOW, 3, LightEffect.DEFAULT, 1),
        (0x100, RoomType.NORMAL, 0, LightEffect.MIST, 3),
        (0x200, RoomType.NORMAL, 0, LightEffect.REFLECTION, 3),
    ],
)
def test_kinds_of_rooms(flags: int, kind: int, kind_strength: int, effect: int, effect_strength: int) -> None:
    room = room_of(convert(PackedRoom(flags=flags, strength=3, effect_strength=2)), 0)
    found = (room.kind, room.kind_strength, room.effect, room.effect_strength)
    assert found == (kind, kind_strength, effect, effect_strength)


def test_strengths_are_bounded() -> None:
    rooms = convert(
        *(PackedRoom(flags=flags, strength=200, effect_strength=201) for flags in (1, 0x100, 0x800))
    ).rooms
    assert [(room.kind_strength, room.effect_strength) for room in rooms] == [(0, 4), (0, 4), (3, 1)]


def test_a_room_without_open_sectors_has_a_height() -> None:
    walls = {(x, z): Sector(WALL, floor=-3) for x in (1, 2) for z in (1, 2)}
    assert room_of(convert(PackedRoom(sectors=walls)), 0).y == -3 * 256


@pytest.mark.parametrize("alternate", [0, 1, 7])
def test_a_flip_map_needs_another_room_of_its_size(alternate: int) -> None:
    project = convert(PackedRoom(alternate=alternate), PackedRoom(x_sectors=5))
    assert [room.alternate for room in project.rooms] == [None, None]


def test_a_room_is_in_one_flip_map() -> None:
    rooms = [PackedRoom(alternate=number, group=group) for number, group in ((1, 3), (2, 4), (-1, 0))]
    project = convert(*rooms)
    assert [room.alternate for room in project.rooms] == [(3, 1), None, None]


# --- Portals -----------------------------------------------------------------------------------


def portals(room: ProjectRoom) -> list[tuple[tuple[int, ...], int, int, int]]:
    return [(each.area, each.room, each.direction, each.opacity) for each in room.each(ProjectPortal)]


def test_portals_are_those_of_both_rooms_of_a_pair(project: Project) -> None:
    floor, wall = (2, 1, 3, 2), (5, 1, 5, 3)
    # Half of the floor portal is passable, so the other half needs a solid floor.
    assert portals(room_of(project, HALL)) == [
        (floor, POOL, Direction.FLOOR, Opacity.TRAVERSABLE_FACES),
        (wall, YARD, Direction.POSITIVE_X, Opacity.SOLID_FACES),
    ]
    assert np.argwhere(room_of(project, HALL).shape.solid_floor).tolist() == [[1, 3], [2, 3]]
    assert portals(room_of(project, FLIPPED)) == [
        (wall, YARD, Direction.POSITIVE_X, Opacity.NONE),
        (floor, POOL, Direction.FLOOR, Opacity.NONE),
    ]
    solid = np.zeros((5, 6), np.bool_)
    solid[1:3, 2:4] = True
    assert np.array_equal(room_of(project, FLIPPED).shape.solid_floor, solid)
    # A closed surface of water is passable.
    assert portals(room_of(project, POOL)) == [
        ((1, 1, 2, 2), HALL, Direction.CEILING, Opacity.TRAVERSABLE_FACES)
    ]
    assert portals(room_of(project, YARD)) == [((0, 1, 0, 3), HALL, Direction.NEGATIVE_X, Opacity.NONE)]


@pytest.mark.parametrize(
    ("direction", "area", "expected"),
    [
        (DOWN, (0, -3, 9, 9), (1, 1, 2, 2)),
        (UP, (2, 2, 1, 1), (2, 2, 2, 2)),
        (HIGH_X, (3, 0, 1, 9), (3, 1, 3, 2)),
        (LOW_X, (0, 1, 1, 2), (0, 1, 0, 2)),
        (1, (1, 0, 2, 1), (1, 0, 2, 0)),
        (0xFFFE, (1, 3, 2, 1), (1, 3, 2, 3)),
        (HIGH_X, (2, 1, 1, 1), None),
        (3, (1, 1, 1, 1), None),
    ],
)
def test_portals_are_where_their_direction_allows_them(
    direction: int, area: tuple[int, int, int, int], expected: tuple[int, ...] | None
) -> None:
    room = PackedRoom(portals=[(1, portal(direction, area, 0, 2))])
    other = PackedRoom(portals=[(2, portal(DOWN, (1, 1, 1, 1), 1, 1))])
    project = convert(room, other)
    assert [each.area for each in project.rooms[0].each(ProjectPortal)] == ([expected] if expected else [])


def test_portals_name_base_rooms() -> None:
    base = PackedRoom(alternate=1)
    alternate = PackedRoom(portals=[(1, portal(DOWN, (1, 1, 1, 1), 1, 2))])
    below = PackedRoom(portals=[(2, portal(UP, (1, 1, 1, 1), 2, 1))])
    assert [each[1] for each in portals(room_of(convert(base, alternate, below), 2))] == [0]


def test_portals_to_missing_rooms_are_left_out() -> None:
    room = PackedRoom(portals=[(1, portal(DOWN, (1, 1, 1, 1), 0, 55))])
    assert portals(room_of(convert(room), 0)) == []


@pytest.mark.parametrize(
    ("flags", "opacity"),
    [
        (0, Opacity.NONE),
        (8, Opacity.SOLID_FACES),
        (0x1008, Opacity.TRAVERSABLE_FACES),
        (0x1006, Opacity.NONE),
    ],
)
def test_opacity_of_wall_portals(flags: int, opacity: Opacity) -> None:
    room = PackedRoom(portals=[(1, portal(HIGH_X, (3, 1, 1, 2), 0, 2))], sectors={(3, 2): Sector(6, flags)})
    other = PackedRoom(portals=[(2, portal(LOW_X, (0, 1, 1, 2), 1, 1))])
    assert [each.opacity for each in convert(room, other).rooms[0].each(ProjectPortal)] == [opacity]


def _triangle(corner: int, flags: int, faces: dict[int, bytes], *, floor: bool = True) -> Project:
    """Return a room above another; at (1, 1) only the triangle at a corner of their portal is open.

    The flags and faces are those of the room above, or of the room below.
    """
    upper = {0: (0, 0, 1, 0), 1: (0, 0, 0, 1), 2: (1, 0, 0, 0), 3: (0, 1, 0, 0)}[(corner + 2) % 4]
    lower = {0: (0, -1, 0, 0), 1: (-1, 0, 0, 0), 2: (0, 0, 0, -1), 3: (0, 0, -1, 0)}[(corner + 2) % 4]
    own = Sector(flags2=flags, faces=faces)
    above, below = Sector(), Sector(floor=-12, ceiling=0)
    if floor:
        above = replace(own, floor_corners=upper)
        whole = {(2, 1): Sector(faces=faces)}
    else:
        below = replace(own, floor=-12, ceiling=0, ceiling_corners=lower)
        whole = {(2, 1): replace(below, ceiling_corners=(0, 0, 0, 0))}
    area = (1, 1, 2, 1)
    return convert(
        PackedRoom(
            portals=[(1, portal(DOWN, area, 0, 2))], sectors={(1, 1): above, **(whole if floor else {})}
        ),
        PackedRoom(
            portals=[(2, portal(UP, area, 1, 1))],
            floor=-12,
            ceiling=0,
            sectors={(1, 1): below, **({} if floor else whole)},
        ),
    )


@pytest.mark.parametrize("corner", range(4))
@pytest.mark.parametrize(("flags", "solid"), [(0, True), (2, False), (4, False), (6, False), (0x58, True)])
def test_open_triangles_of_floors_are_solid_without_their_flag(corner: int, flags: int, solid: bool) -> None:
    project = _triangle(corner, flags, {})
    above = room_of(project, 0)
    assert np.argwhere(above.shape.solid_floor).tolist() == ([[1, 1]] if solid else [])
    openings = ProjectRooms(project.rooms).openings(above).floor
    assert openings[1, 1:3].tolist() == [0 if solid else corner + 1, Opening.FULL]
    assert [each.opacity for each in above.each(ProjectPortal)] == [Opacity.NONE]


@pytest.mark.parametrize("corner", range(4))
@pytest.mark.parametrize("floor", [True, False])
@pytest.mark.parametrize("textured_triangle", [0, 1])
def test_textures_of_open_triangles_are_kept(corner: int, floor: bool, textured_triangle: int) -> None:
    first, second = (0, 8) if floor else (1, 9)
    index = (first, second)[textured_triangle]
    project = _triangle(corner, 6 if floor else 0x18, {index: face(0)}, floor=floor)
    room = room_of(project, 0 if floor else 1)
    kept = textured_triangle == (corner in (3, 0))
    kind = {0: Face.FLOOR, 8: Face.FLOOR_TRIANGLE_2, 1: Face.CEILING, 9: Face.CEILING_TRIANGLE_2}[index]
    (found,) = room.each(ProjectPortal)
    assert found.opacity == (Opacity.TRAVERSABLE_FACES if kept else Opacity.NONE)
    faces = textured(room)
    assert (1, 1, kind) in faces
    # Sectors that are open as a whole had no faces in the old editor.
    assert not faces.get((2, 1, Face.FLOOR if floor else Face.CEILING), ([],))[0]
    assert not room.shape.solid_floor.any()


@pytest.mark.parametrize(
    ("pitch", "facing", "expected"), [(-30, 0, (30, 180)), (100, -180, (-90, 0)), (-350, 270, (90, 90))]
)
def test_pitch_and_yaw_of_flybys_are_converted(
    pitch: int, facing: int, expected: tuple[float, float]
) -> None:
    effect = record(0x4040, slot=200, b=pitch, facing=facing)
    found = one(convert(PackedRoom(effects=[(1, effect)])).rooms[0], Flyby)
    assert (found.x, found.y) == expected
    assert found.field_of_view == 180


# --- Objects -----------------------------------------------------------------------------------


def test_objects_are_at_their_place_with_their_settings(project: Project) -> None:
    hall = room_of(project, HALL)
    moveable, static = one(hall, Moveable), one(hall, Static)
    assert moveable == Moveable(
        moveable.number,
        (1536.0, 0.0, 1600.0),
        slot=35,
        y=90.0,
        ocb=-7,
        invisible=True,
        clear_body=True,
        code_bits=21,
        color=(0.0, 0.0, 0.0),
    )
    tint = 16.875 / 16 - 1 / 32
    assert static == Static(
        static.number, (1024.0, 256.0, 2048.0), slot=5, y=270.0, ocb=3, color=(tint, tint, tint)
    )
    assert one(hall, Camera) == Camera(one(hall, Camera).number, (2048.0, 512.0, 1024.0), mode=1)
    assert one(hall, SoundSource).sound == 120 and one(hall, SoundSource).play_mode == 3
    assert one(hall, Sink).strength == 6
    flyby = one(hall, Flyby)
    assert (flyby.sequence, flyby.index, flyby.field_of_view, flyby.timer, flyby.flags) == (3, 5, 75.0, 30, 9)
    assert (flyby.x, flyby.y, flyby.roll, flyby.speed) == (-10.0, 270.0, 4.0, 2.0)
    numbers = [each.number for _, each in project.objects()]
    assert len(set(numbers)) == len(numbers)


def test_objects_without_a_known_slot_are_left_out() -> None:
    objects = [(1, record(slot=463)), (2, record(slot=100)), (3, record(slot=499)), (4, record(slot=9000))]
    # One with a model among the slots of static meshes, and the other way round.
    objects += [(5, record(slot=HIGH_MODEL_SLOT)), (6, record(slot=LOW_STATIC_SLOT))]
    for wad, problems in ((WAD, 1), ("", 0)):
        project = convert(PackedRoom(objects=objects), wad=wad)
        assert [each.slot for each in project.rooms[0].each(Static)] == [34, 8535] + [15] * (not problems)
        moveables = [each.slot for each in project.rooms[0].each(Moveable)]
        assert moveables == ([100, HIGH_MODEL_SLOT] if problems else [463, 100, LOW_STATIC_SLOT])
        assert len(project.problems) == problems
    assert str(convert(PackedRoom(objects=objects)).problems[0]).startswith("2 objects were left out")


@pytest.mark.parametrize(("word", "tint"), [(0, (0.0, 0.0, 0.0)), (0x7C01, (1.375 / 16, 0.0, 31.375 / 16))])
def test_tints(word: int, tint: tuple[float, float, float]) -> None:
    project = convert(PackedRoom(objects=[(1, record(slot=35, c=word))]))
    assert one(project.rooms[0], Moveable).color == tint


def test_lights(project: Project) -> None:
    point, spot, fog = room_of(project, HALL).each(Light)
    assert (point.kind, point.position, point.intensity) == (LightKind.POINT, (1536.0, 768.0, 1536.0), 0.5)
    assert (point.color, point.inner_range, point.outer_range) == ((1.0, 0.5, 0.0), 1.0, 2.0)
    assert not point.dynamic and point.static and point.obstructed
    assert (spot.kind, spot.x, spot.y, spot.dynamic) == (LightKind.SPOT, -61.0, 300.0, True)
    assert (spot.inner_angle, spot.outer_angle, spot.inner_range, spot.outer_range) == (10, 20, 0.5, 4.0)
    assert (fog.kind, fog.intensity, fog.color) == (LightKind.FOG_BULB, 0.5, (1.0, 1.0, 1.0))
    assert not fog.static and not fog.obstructed and not fog.imported_geometry


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(0x6000, LightKind.SHADOW), (0x4200, LightKind.SUN), (0x5000, LightKind.EFFECT)],
)
def test_kinds_of_lights(kind: int, expected: LightKind) -> None:
    room = PackedRoom(effects=[(1, light(kind, (0, 0, 0), intensity=-8192, direction=(335.0, 70.0)))])
    found = one(convert(room).rooms[0], Light)
    assert (found.kind, found.intensity, found.x, found.y) == (expected, -1.0, 25.0, 250.0)
    assert found.dynamic == (expected != LightKind.EFFECT)


@given(st.floats(-1e3, 1e3, width=32), st.floats(-1e3, 1e3, width=32))
def test_directions_of_lights(pitch: float, yaw: float) -> None:
    room = PackedRoom(effects=[(1, light(0x4200, (0, 0, 0), direction=(pitch, yaw)))])
    found = one(convert(room).rooms[0], Light)
    assert -90 <= found.x <= 90 and 0 <= found.y < 360

    def vector(x: float, y: float) -> list[float]:
        x, y = np.radians(x), np.radians(y)
        return [np.cos(x) * np.sin(y), np.sin(x), np.cos(x) * np.cos(y)]

    assert np.allclose(vector(found.x, found.y), vector(-pitch, yaw + 180), atol=1e-4)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -3e38])
def test_numbers_of_damaged_lights_are_bounded(value: float) -> None:
    room = PackedRoom(
        effects=[(1, light(0x4100, (0, 0, 0), direction=(value, value), ranges=(value, value)))]
    )
    found = one(convert(room).rooms[0], Light)
    assert np.isfinite([found.x, found.y, found.inner_angle, found.outer_angle]).all()
    assert abs(found.inner_angle) <= 1e6


# --- Triggers ----------------------------------------------------------------------------------


def number(value: int) -> Parameter:
    return Parameter(ParameterKind.NUMBER, value)


def triggers(project: Project) -> list[ProjectTrigger]:
    return list(room_of(project, HALL).each(ProjectTrigger))


def test_triggers_name_objects(project: Project) -> None:
    hall = room_of(project, HALL)
    entity, flyby, camera, flip, missing = triggers(project)[:5]
    assert entity.area == (1, 1, 2, 3)
    assert (entity.type, entity.target_type, entity.timer) == (0, 0, number(5))
    assert entity.target == Parameter(ParameterKind.OBJECT, one(hall, Moveable).number)
    assert (entity.one_shot, entity.code_bits, entity.extra.kind) == (True, 0, ParameterKind.NONE)
    # The old editor stores the target type of objects for all kinds of them.
    assert (flyby.type, flyby.target_type, flyby.target.value) == (5, 12, one(hall, Flyby).number)
    assert (camera.target_type, camera.target.value) == (1, one(hall, Camera).number)
    assert (flip.type, flip.target_type, flip.target, flip.one_shot, flip.code_bits) == (
        9,
        3,
        number(2),
        False,
        31,
    )
    assert missing.target == Parameter(ParameterKind.OBJECT, -1)


def test_a_trigger_of_a_sink() -> None:
    room = PackedRoom(objects=[(1, trigger(0, 0, 2, area=(0, 0, 9, 9)))], effects=[(2, record(0x4400))])
    found = one(convert(room).rooms[0], ProjectTrigger)
    assert found.area == (1, 1, 2, 2)
    assert (found.target_type, found.target.value) == (2, one(convert(room).rooms[0], Sink).number)


def test_a_trigger_on_the_border_only_is_left_out() -> None:
    room = PackedRoom(
        objects=[(1, trigger(0, 9, 1, area=(0, 0, 4, 1))), (2, trigger(0, 9, 1, area=(1, 1, 0, 1)))]
    )
    assert not list(convert(room).rooms[0].each(ProjectTrigger))


def test_triggers_of_trng() -> None:
    project = read_prj(sample_prj(ng=True).to_bytes())
    effect, old, action, condition = triggers(project)[5:]
    assert (effect.target, effect.timer, effect.extra) == (number(60), number(7), number(3))
    assert (old.target, old.timer, old.extra.kind) == (number(12), number(0x307), ParameterKind.NONE)
    moveable = one(room_of(project, HALL), Moveable)
    assert action.target == Parameter(ParameterKind.OBJECT, moveable.number)
    assert (action.target_type, action.timer, action.extra) == (11, number(14), number(4))
    assert (condition.type, condition.target_type, condition.target) == (12, 13, number(1))
    assert (condition.timer, condition.extra, condition.code_bits) == (number(5), number(2), 31)
    assert "1 flip effect for collision was left out. Use ghost blocks instead" in project.problems


def test_flip_effects_of_trng_by_their_numbers() -> None:
    numbers = (46, 47, 309, 310, 330, 331)
    room = PackedRoom(objects=[(number, trigger(0, 9, number, 0x0201)) for number in numbers])
    found = {each.target.value: each.extra for each in convert(room, ng=[]).rooms[0].each(ProjectTrigger)}
    assert found == {46: Parameter(), **dict.fromkeys((47, 309, 331), number(2))}


def test_triggers_without_trng_keep_their_numbers(project: Project) -> None:
    effect, _, _, monkey, last = triggers(project)[5:]
    assert (effect.timer, effect.extra.kind) == (number(0x307), ParameterKind.NONE)
    assert (monkey.type, monkey.code_bits, monkey.timer) == (12, 2, number(5))
    assert last.target == number(310)


# --- Faces -------------------------------------------------------------------------------------


def textured(room: ProjectRoom) -> dict[tuple[int, int, int], tuple[list[list[float]], bool, int]]:
    """Return corners, double-sided flag and blend mode of faces by x, z and face; [] for invisible ones."""
    result = {}
    for each in room.shape.faces:
        z, x = divmod(int(each["sector"]), room.shape.x_sectors)
        corners = each["corners"].tolist() if each["texture"] >= 0 else []
        result[x, z, int(each["face"])] = corners, bool(each["double_sided"]), int(each["blend"])
    return result


def test_textures_of_floors_ceilings_and_walls(project: Project) -> None:
    faces = textured(room_of(project, HALL))
    assert faces == {
        # Triangles repeat the third corner.
        (1, 1, Face.FLOOR): ([[0, 0], [64, 0], [0, 64], [0, 64]], False, 0),
        (1, 1, Face.FLOOR_TRIANGLE_2): ([[128, 64], [64, 64], [128, 0], [128, 0]], False, 0),
        # Not square, and turned: XnZn has the upper left corner.
        (4, 1, Face.FLOOR): ([[10, 20], [40, 20], [40, 60], [10, 60]], False, 0),
        (4, 1, Face.CEILING): ([[128, 672], [128, 640], [192, 640], [192, 672]], True, 2),
        (4, 2, Face.FLOOR): ([], False, 0),
        (4, 3, Face.MIDDLE + SectorSide.NEGATIVE_X): (
            [[192, 672], [128, 672], [128, 640], [192, 640]],
            False,
            0,
        ),
        (4, 3, Face.MIDDLE + SectorSide.NEGATIVE_Z): ([[64, 64], [64, 0], [128, 0], [128, 64]], False, 0),
    }


UPPER_LEFT, UPPER_RIGHT, LOWER_RIGHT, LOWER_LEFT = [10.0, 20.0], [40.0, 20.0], [40.0, 60.0], [10.0, 60.0]


@pytest.mark.parametrize(
    ("sector", "kind", "expected"),
    [
        # Ceilings, split from XnZn to XpZp, and the other way.
        (
            Sector(ceiling_corners=(0, 0, 0, -1), faces={1: face(3)}),
            Face.CEILING,
            (UPPER_LEFT, LOWER_LEFT, UPPER_RIGHT),
        ),
        (
            Sector(ceiling_corners=(0, 0, -1, 0), faces={1: face(3)}),
            Face.CEILING,
            (UPPER_RIGHT, UPPER_LEFT, LOWER_LEFT),
        ),
        (
            Sector(ceiling_corners=(0, 0, 0, -1), faces={9: face(3, rotation=1, triangle=1)}),
            Face.CEILING_TRIANGLE_2,
            (LOWER_RIGHT, UPPER_RIGHT, UPPER_LEFT),
        ),
        # Floors.
        (
            Sector(floor_corners=(0, -1, 0, 0), faces={0: face(3)}),
            Face.FLOOR,
            (UPPER_RIGHT, LOWER_LEFT, UPPER_LEFT),
        ),
        (
            Sector(floor_corners=(0, -1, 0, 0), faces={8: face(3, rotation=1)}),
            Face.FLOOR_TRIANGLE_2,
            (LOWER_LEFT, UPPER_LEFT, UPPER_RIGHT),
        ),
        # A wall.
        (
            Sector(
                floor_corners=(0, 0, 4, 0), floor_split=(-8,) * 4, faces={2: face(3, rotation=1, triangle=2)}
            ),
            Face.QA + SectorSide.NEGATIVE_X,
            (UPPER_RIGHT, LOWER_RIGHT, LOWER_LEFT),
        ),
        (
            Sector(
                floor_corners=(0, 0, 4, 0), floor_split=(-8,) * 4, faces={2: face(3, flags=0x80, triangle=3)}
            ),
            Face.QA + SectorSide.NEGATIVE_X,
            (LOWER_RIGHT, UPPER_RIGHT, LOWER_LEFT),
        ),
    ],
)
def test_textures_of_triangles(sector: Sector, kind: int, expected: tuple[list[float], ...]) -> None:
    found = textured(room_of(convert(PackedRoom(sectors={(2, 2): sector})), 0))
    assert found == {(2, 2, kind): ([*expected, expected[2]], False, 0)}


@pytest.mark.parametrize(
    ("own", "neighbor", "raw", "expected"),
    [
        # The higher sector has the face: the sector itself, or its neighbor at lower x and z.
        (
            Sector(floor=4, floor_split=(-8,) * 4),
            Sector(),
            {2: 0, 5: 1},
            [(2, Face.QA + SectorSide.NEGATIVE_X, 0)],
        ),
        (
            Sector(),
            Sector(floor=4, floor_split=(-8,) * 4),
            {2: 0, 10: 1},
            [(1, Face.QA + SectorSide.POSITIVE_X, 0)],
        ),
        # A split between both floors: two faces.
        (
            Sector(floor=4, floor_split=(-2,) * 4),
            Sector(),
            {2: 0, 10: 1},
            [(2, Face.QA + SectorSide.NEGATIVE_X, 0), (2, Face.FLOOR_2 + SectorSide.NEGATIVE_X, 1)],
        ),
        # A split at the upper floor: the second face only.
        (Sector(floor=4), Sector(), {2: 0, 10: 1}, [(2, Face.FLOOR_2 + SectorSide.NEGATIVE_X, 1)]),
        (
            Sector(ceiling=8, ceiling_split=(9,) * 4),
            Sector(),
            {3: 0, 11: 1},
            [(2, Face.WS + SectorSide.NEGATIVE_X, 0)],
        ),
        (
            Sector(ceiling=8, ceiling_split=(2,) * 4),
            Sector(),
            {3: 0, 11: 1},
            [(2, Face.WS + SectorSide.NEGATIVE_X, 1), (2, Face.CEILING_2 + SectorSide.NEGATIVE_X, 0)],
        ),
        (Sector(ceiling=8), Sector(), {3: 0, 11: 1}, [(2, Face.CEILING_2 + SectorSide.NEGATIVE_X, 0)]),
        (Sector(), Sector(WALL), {4: 1}, [(1, Face.MIDDLE + SectorSide.POSITIVE_X, 1)]),
    ],
)
def test_textures_of_walls_belong_to_the_face_that_exists(
    own: Sector, neighbor: Sector, raw: dict[int, int], expected: list[tuple[int, int, int]]
) -> None:
    own = replace(own, faces={index: face(tile) for index, tile in raw.items()})
    found = textured(room_of(convert(PackedRoom(sectors={(2, 2): own, (1, 2): neighbor})), 0))
    left = {0: 0.0, 1: 64.0}
    places = [
        (x, kind, corners[0][0]) for (x, z, kind), (corners, *_) in found.items() if z == 2 and kind < 25
    ]
    along_x = [place for place in places if place[1] % 5 in (SectorSide.NEGATIVE_X, SectorSide.POSITIVE_X)]
    assert sorted(along_x) == sorted((x, int(kind), left[tile]) for x, kind, tile in expected)


def test_textures_of_walls_along_z() -> None:
    raised = Sector(floor=4, floor_split=(-8,) * 4, faces={5: face(0)})
    behind = Sector(faces={5: face(1), 2: face(2)})
    found = textured(room_of(convert(PackedRoom(sectors={(1, 1): raised, (1, 2): behind})), 0))
    places = {key: corners[0] for key, (corners, *_) in found.items()}
    assert places == {(1, 1, Face.QA + SectorSide.POSITIVE_Z): [64.0, 64.0]}


# By side: places of a border wall, or of another sector, and of the sector in front of it.
_BORDERS = {
    SectorSide.POSITIVE_X: ((0, 2), (1, 2)),
    SectorSide.NEGATIVE_X: ((4, 2), (3, 2)),
    SectorSide.POSITIVE_Z: ((2, 0), (2, 1)),
    SectorSide.NEGATIVE_Z: ((2, 4), (2, 3)),
}
_INNER = {
    SectorSide.POSITIVE_X: ((1, 2), (2, 2)),
    SectorSide.NEGATIVE_X: ((3, 2), (2, 2)),
    SectorSide.POSITIVE_Z: ((2, 1), (2, 2)),
    SectorSide.NEGATIVE_Z: ((2, 3), (2, 2)),
}


@pytest.mark.parametrize("side", list(_BORDERS))
@pytest.mark.parametrize("kind", [BORDER, WALL, FLOOR])
@pytest.mark.parametrize(
    ("own", "expected"),
    [
        # The floor above the ceiling in front: with the split at the floor, between both, and below.
        (Sector(floor=28, ceiling=29), [(Face.FLOOR_2, 0)]),
        (Sector(floor=28, ceiling=29, floor_split=(-10,) * 4), [(Face.FLOOR_2, 0)]),
        (Sector(floor=28, ceiling=29, floor_split=(-13,) * 4), [(Face.FLOOR_2, 0)]),
        (Sector(floor=28, ceiling=29, floor_split=(-14,) * 4), [(Face.QA, 0), (Face.FLOOR_2, 1)]),
        (Sector(floor=28, ceiling=29, floor_split=(-20,) * 4), [(Face.QA, 0)]),
        # The split alone above it, and a floor below it.
        (Sector(floor=14, ceiling=29, floor_split=(8,) * 4), [(Face.FLOOR_2, 0)]),
        (Sector(floor=14, ceiling=29), [(Face.FLOOR_2, 1)]),
        # The ceiling below the floor in front.
        (Sector(floor=5, ceiling=8), [(Face.CEILING_2, 0)]),
        (Sector(floor=5, ceiling=8, ceiling_split=(5,) * 4), [(Face.CEILING_2, 0)]),
        (Sector(floor=5, ceiling=8, ceiling_split=(6,) * 4), [(Face.WS, 1), (Face.CEILING_2, 0)]),
        (Sector(floor=5, ceiling=8, ceiling_split=(10,) * 4), [(Face.WS, 0)]),
        # Both.
        (Sector(floor=40, ceiling=2), [(Face.FLOOR_2, 0), (Face.CEILING_2, 0)]),
    ],
)
def test_textures_of_walls_beyond_the_space_in_front(
    own: Sector, expected: list[tuple[int, int]], kind: int, side: SectorSide
) -> None:
    place, front = (_BORDERS if kind == BORDER else _INNER)[side]
    edge = max(place, front)
    # The faces of the sector that has the edge: 0 the upper of floors and ceilings and the middle, 1 others.
    textures = {index: face(int(index > 9)) for index in (*range(2, 8), *range(10, 14))}
    sectors = {place: replace(own, kind=kind), front: Sector(floor=13, ceiling=15)}
    sectors[edge] = replace(sectors[edge], faces=textures)
    room = PackedRoom(x_sectors=5, z_sectors=5, floor=13, ceiling=15, sectors=sectors)
    found = textured(room_of(convert(room), 0))
    numbers = {0.0: 0, 64.0: 1}
    walls = {
        (number - side, numbers[corners[0][0]])
        for (x, z, number), (corners, *_) in found.items()
        if (x, z) == place and number < Face.FLOOR and number % 5 == side
    }
    assert {each for each in walls if each[0] != Face.MIDDLE} == {
        (int(each), tile) for each, tile in expected
    }


@pytest.mark.parametrize(
    ("x", "z", "corners", "neighbors", "raw", "side"),
    [
        (1, 2, (0, 0, 4, 0), (4, 0, 0, 0), 2, SectorSide.NEGATIVE_X),
        (2, 1, (0, 4, 0, 0), (0, 0, 0, 4), 5, SectorSide.NEGATIVE_Z),
    ],
)
def test_crossing_walls_have_the_texture_of_their_sector(
    x: int, z: int, corners: tuple[int, ...], neighbors: tuple[int, ...], raw: int, side: SectorSide
) -> None:
    own = Sector(floor_corners=corners, floor_split=(-8,) * 4, faces={raw: face(1)})
    neighbor = Sector(floor_corners=neighbors, floor_split=(-8,) * 4)
    textures = {each: face(0) for each in (2, 5)}  # those of sectors without such walls are not used
    elsewhere = {(1, 0): Sector(BORDER, faces=textures), (1, 1): Sector(faces=textures)}
    project = convert(PackedRoom(sectors={**elsewhere, (2, 2): own, (x, z): neighbor}))
    room = room_of(project, 0)
    exist = room_faces(ProjectRooms(project.rooms), room)
    kinds = {(int(sector), int(kind)) for sector, kind in zip(exist.sector, exist.face, strict=True)}
    assert (x + 4 * z, Face.QA + (side ^ 1)) in kinds, "the neighbor has a wall there, too"
    assert list(textured(room)) == [(2, 2, Face.QA + side)]


# --- Settings ----------------------------------------------------------------------------------


def test_settings_name_the_files(project: Project) -> None:
    settings = project.settings
    (texture,) = settings.textures
    assert (texture.number, texture.path, texture.cut_512, texture.magenta) == (0, PICTURE, True, True)
    assert texture.footsteps.shape == texture.bumps.shape == (64, 4)
    assert texture.footsteps[2].tolist() == [8, 9, 10, 11] and texture.footsteps.max() == 15
    assert texture.bumps[1].tolist() == [0, 1, 2, 0]
    assert settings.wads == ["C:\\WADS\\CITY.wad"]
    assert settings.game_version == 4
    assert read_prj(sample_prj(ng=True).to_bytes()).settings.game_version == 16


def test_footsteps_of_big_projects_are_of_128_pixels() -> None:
    settings = convert(big=True).settings
    footsteps = settings.textures[0].footsteps
    assert footsteps.shape == (64, 4)
    assert footsteps[:4].tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]


def kinds(sets: list[AnimatedSet]) -> list[tuple[int, float, int, int]]:
    return [(each.type, round(each.fps, 2), each.uv_rotate, len(each.frames)) for each in sets]


def test_animated_textures(project: Project) -> None:
    sets = project.settings.animated_sets
    assert kinds(sets) == [(0, 16.0, 0, 3), (2, 16.0, 0, 1), (2, 16.0, 0, 2)]
    assert sets[0].frames[0].corners == ((64.0, 128.0), (64.0, 64.0), (128.0, 64.0), (128.0, 128.0))
    assert [frame.texture for frame in sets[0].frames] == [0, 0, 0]
    of_ng = read_prj(sample_prj(ng=True).to_bytes()).settings.animated_sets
    assert kinds(of_ng) == [(0, 25.0, 0, 3), (3, 30.0, -2, 1), (1, 16.0, 0, 2)]


def test_animated_textures_of_trng_without_a_speed() -> None:
    ranges = [(0, 1), (2, 3), (4, 3), (250, 260), (9, 9), (9, 9)]
    words = ranges_chunk([0, 0xC005, 0, 0, 0x817F, 0x8180])
    found = kinds(convert(ranges=ranges, ng=[words]).settings.animated_sets)
    assert found == [(0, 15.0, 0, 2), (4, 32.0, 5, 2), (2, 1.0, 127, 1), (2, 1.0, -128, 1)]


# --- Saved as projects of Tomb Editor ----------------------------------------------------------


def same_shapes(a: ProjectRoom, b: ProjectRoom) -> bool:
    """Return whether two rooms have the same sectors and faces."""
    pairs: list[tuple[object, object, str]] = []
    for first, second, names in (
        (a.shape, b.shape, ("wall", "solid_floor", "flags")),
        (a.shape.floor, b.shape.floor, _SURFACE),
        (a.shape.ceiling, b.shape.ceiling, _SURFACE),
    ):
        pairs += [(first, second, name) for name in names]
    return a.shape.faces.tobytes() == b.shape.faces.tobytes() and all(
        np.array_equal(getattr(first, name), getattr(second, name)) for first, second, name in pairs
    )


_SURFACE = ("heights", "x_equals_z", "diagonal", "splits", "split_count")
_VALUES = ("number", "name", "x", "y", "z", "ambient", "kind", "kind_strength", "effect", "effect_strength")
_FLAGS = ("horizon", "outside", "no_lens_flare", "damage", "reverb", "alternate")


def values(room: ProjectRoom) -> list[object]:
    """Return what a room has besides sectors and objects."""
    return [getattr(room, name) for name in (*_VALUES, *_FLAGS)]


@pytest.mark.parametrize("ng", [False, True])
def test_a_converted_project_can_be_saved(ng: bool) -> None:
    project = read_prj(sample_prj(ng=ng).to_bytes())
    data = project.to_bytes()
    again = read_project(data)
    assert again.to_bytes() == data and again.problems == []
    for room, saved in zip(project.rooms, again.rooms, strict=True):
        assert same_shapes(room, saved)
        for each in room.each(ProjectPortal):
            each.mirrored = (True,) * 5  # what mirrors show is always written
        assert saved.objects == room.objects
        assert values(saved) == values(room)
    assert again.settings.game_version == (16 if ng else 4)
    assert again.settings.animated_sets == project.settings.animated_sets
    assert again.settings.wads == project.settings.wads
    ours, theirs = project.settings.textures[0], again.settings.textures[0]
    assert (theirs.path, theirs.cut_512) == (ours.path, True)
    assert np.array_equal(theirs.footsteps, ours.footsteps) and np.array_equal(theirs.bumps, ours.bumps)


# --- Real projects -----------------------------------------------------------------------------


@each_real_prj
def test_real_projects_are_read_to_the_last_byte(path: Path) -> None:
    data = path.read_bytes()
    prj = read_prj_records(data)
    with pytest.raises(FormatError):
        read_prj_records(data + b"\0\0")
    with pytest.raises(FormatError):
        read_prj_records(data[:-1])
    project = read_prj(path)
    assert [room.number for room in project.rooms] == [room.number for room in prj.rooms]
    if not any(room.end["alternate"] >= 0 for room in prj.rooms):
        listed = [len(list(room.each(ProjectPortal))) for room in project.rooms]
        assert listed == [len(room.portals) for room in prj.rooms]
    rooms = ProjectRooms(project.rooms)
    exist = sum(len(room_faces(rooms, room)) for room in project.rooms)
    # Most faces are textured, though their records are those of sectors next to them.
    assert sum(len(room.shape.faces) for room in project.rooms) > 0.69 * exist


@each_real_prj
def test_real_projects_can_be_saved(path: Path) -> None:
    project = read_prj(path)
    data = project.to_bytes()
    again = read_project(data)
    assert again.to_bytes() == data and again.problems == []
    assert all(same_shapes(room, saved) for room, saved in zip(project.rooms, again.rooms, strict=True))


PAIR = {path.name: path for path in real_projects() if path.stem in ("trle_cleopal", "ten_2022_cleopal")}


@pytest.mark.once
@pytest.mark.skipif(len(PAIR) < 2, reason="the pair is not here")
def test_the_same_project_imported_by_the_editor_is_equal() -> None:
    ours, theirs = read_prj(PAIR["trle_cleopal.prj"]), read_project(PAIR["ten_2022_cleopal.prj2"])
    by_number = {room.number: room for room in theirs.rooms}
    assert by_number.keys() == {room.number for room in ours.rooms}
    rooms = ProjectRooms(ours.rooms)
    faces = 0
    for room in ours.rooms:
        other = by_number[room.number]
        assert values(room) == values(other)
        a, b = room.shape, other.shape
        for name in ("wall", "solid_floor", "flags"):
            assert np.array_equal(getattr(a, name), getattr(b, name))
        for first, second in ((a.floor, b.floor), (a.ceiling, b.ceiling)):
            for name in ("heights", "x_equals_z", "diagonal"):
                assert np.array_equal(getattr(first, name), getattr(second, name))
            assert np.array_equal(first.splits[:, :, 0], second.splits[:, :, 0])
        assert sorted(portals(room)) == sorted(portals(other))
        exist = room_faces(rooms, room)
        faces += len(set(_drawn(room, exist)) - set(_drawn(other, exist)))
        assert _lights(room) == _lights(other)
    assert faces == 1  # someone turned one texture in the editor
    assert _placed(ours, Static) == _placed(theirs, Static)
    assert len(_placed(ours, Moveable)) == len(_placed(theirs, Moveable)) == 152
    assert _settings_of_triggers(ours) == _settings_of_triggers(theirs)
    assert len(_settings_of_triggers(ours)) == 135
    texture, imported = ours.settings.textures[0], theirs.settings.textures[0]
    assert np.array_equal(texture.footsteps, imported.footsteps)
    assert np.array_equal(texture.bumps, imported.bumps)
    ours_sets, their_sets = (each.settings.animated_sets for each in (ours, theirs))
    assert kinds(ours_sets) == kinds(their_sets)
    assert [[frame.corners for frame in each.frames] for each in ours_sets] == [
        [frame.corners for frame in each.frames] for each in their_sets
    ]


def _drawn(room: ProjectRoom, exist: Faces) -> list[tuple[Any, ...]]:
    """Return the textured faces among those that exist."""
    counts = {
        (int(sector), int(face)): int(count)
        for sector, face, count in zip(exist.sector, exist.face, exist.count, strict=True)
    }
    drawn = []
    for each in room.shape.faces:
        face = int(each["sector"]), int(each["face"])
        if face in counts:
            corners = each["corners"][: counts[face]].tolist() if each["texture"] >= 0 else []
            drawn.append((*face, str(corners), bool(each["double_sided"]), int(each["blend"])))
    return drawn


def _rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(float(each), 2) for each in values)


def _lights(room: ProjectRoom) -> list[tuple[Any, ...]]:
    return sorted(
        (
            each.kind,
            _rounded((*each.position, each.x, each.y, each.intensity, *each.color)),
            _rounded((each.inner_range, each.outer_range, each.inner_angle, each.outer_angle)),
            (each.enabled, each.obstructed, each.dynamic, each.static, each.imported_geometry, each.quality),
        )
        for each in room.each(Light)
    )


def _placed(project: Project, kind: type[Moveable] | type[Static]) -> list[tuple[Any, ...]]:
    return sorted(
        (room.number, _rounded((*each.position, each.y)), each.slot, each.ocb, _rounded(each.color))
        for room in project.rooms
        for each in room.each(kind)
    )


def _settings_of_triggers(project: Project) -> list[tuple[Any, ...]]:
    places = {
        each.number: (room.number, _rounded(each.position))
        for room, each in project.objects()
        if isinstance(each, Positioned)
    }

    def target(parameter: Parameter) -> object:
        is_object = parameter.kind == ParameterKind.OBJECT
        return str((int(parameter.kind), places.get(int(parameter.value)) if is_object else parameter.value))

    return sorted(
        (
            *(room.number, each.area, each.type, each.target_type),
            *(target(each.target), target(each.timer), target(each.extra)),
            *(each.code_bits, each.one_shot),
        )
        for room in project.rooms
        for each in room.each(ProjectTrigger)
    )
