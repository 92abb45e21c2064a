"""Conversion of the old room editor's projects to projects of Tomb Editor."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Ints, Records
from ....base.messages import plural
from ....base.units import CLICK
from ..geometry.openings import ProjectRooms
from ..model.objects import (
    NO_OBJECT,
    Camera,
    Direction,
    Flyby,
    Light,
    Moveable,
    Opacity,
    PlacedObject,
    ProjectPortal,
    ProjectTrigger,
    Sink,
    SoundSource,
    Vector,
)
from ..model.project import Project
from ..model.rooms import LightEffect, ProjectRoom, RoomType
from ..model.settings import (
    OLD_SAMPLE_FOLDERS,
    AnimatedSet,
    AnimationFrame,
    GameVersion,
    LevelTexture,
    Settings,
)
from ..model.shape import RoomShape, SectorFlag, SectorSurface
from .prj import (
    CAMERA,
    FIXED_CAMERA,
    FLYBY,
    LIGHTS,
    MOST_RANGES,
    NG_RANGES,
    SINK,
    SOUND,
    TILES,
    TRIGGER,
    Prj,
    PrjRoom,
    read_prj_records,
)
from .prj_faces import convert_faces
from .prj_objects import COLOR, Conversion, convert_record, record_area
from .prj_portals import set_opacities

_ROUNDING = 4  # the old editor cut the 5 bits of light colors, the new one rounds them

# --- Sectors -----------------------------------------------------------------------------------

_WALLS = (0x0E, 0x1E, 6)
# The order of corners in the file, in that of shapes.
_FLOOR_ORDER, _CEILING_ORDER = [2, 3, 0, 1], [1, 0, 3, 2]

_SECTOR_FLAGS = {
    0x10: SectorFlag.DEATH,
    0x20: SectorFlag.BOX,
    0x40: SectorFlag.CLIMB_POSITIVE_Z,
    0x80: SectorFlag.CLIMB_POSITIVE_X,
    0x100: SectorFlag.CLIMB_NEGATIVE_Z,
    0x200: SectorFlag.CLIMB_NEGATIVE_X,
    0x4000: SectorFlag.MONKEY,
}
_SECTOR_FLAGS_2 = {0x20: SectorFlag.TRIGGER_TRIGGERER, 0x40: SectorFlag.BEETLE}
_TURNED = 1
# Flags of sectors with faces in a portal, and with faces that can be passed.
_CLOSED = {Direction.FLOOR: (2, 0x800), Direction.CEILING: (4, 0x400)}
_WALL_CLOSED = (8, 0x1000)


def _room_height(room: PrjRoom) -> int:
    """Return the lowest floor of a room, in clicks."""
    floor = room.sectors["floor"].astype(np.int64)
    is_open = ~_walls(room)
    heights = (floor[..., None] + room.sectors["floor_corners"])[is_open]
    return int(heights.min() if heights.size else floor.min())


def _walls(room: PrjRoom) -> Bools:
    walls = np.isin(room.sectors["type"], _WALLS)
    border = np.ones_like(walls)
    border[1:-1, 1:-1] = False
    return walls | border


def _convert_sectors(room: PrjRoom, height: int) -> RoomShape:
    """Return the sectors of a room at a height in clicks, without faces."""
    sectors = room.sectors
    turned = sectors["flags3"] & _TURNED != 0
    walls = _walls(room)
    flags = np.zeros(walls.shape, np.int64)
    for name, table in (("flags", _SECTOR_FLAGS), ("flags2", _SECTOR_FLAGS_2)):
        for bit, flag in table.items():
            flags |= np.where(sectors[name] & bit, int(flag), 0)
    floor = _surface(sectors, "floor", _FLOOR_ORDER, height, turned)
    ceiling = _surface(sectors, "ceiling", _CEILING_ORDER, height, np.zeros_like(turned))
    return RoomShape(walls, np.zeros_like(walls), flags, floor, ceiling)


def _surface(sectors: Records, name: str, order: list[int], height: int, turned: Bools) -> SectorSurface:
    surface = SectorSurface.flat(sectors.shape, 0)
    base = sectors[name].astype(np.int64)[..., None] - height
    surface.heights[:] = (base + sectors[f"{name}_corners"][..., order]) * CLICK
    surface.splits[:, :, 0] = (base + sectors[f"{name}_split"][..., order]) * CLICK
    surface.split_count[:] = 1
    surface.x_equals_z[:] = _split_direction(surface.heights, turned)
    return surface


def _split_direction(heights: Ints, turned: Bools) -> Bools:
    """Return whether the edge between the triangles of surfaces is from XnZn to XpZp."""
    a, b, c, d = np.moveaxis(heights, -1, 0)
    low, high = heights.min(axis=-1), heights.max(axis=-1)
    rules = (
        ((a == b) & (b == d), ~turned),
        ((a == b) & (b == c), turned),
        ((b == c) & (c == d), ~turned),
        ((a == c) & (c == d), turned),
        ((a == c) & (b == d), turned),
        ((a == low) & (c == low), turned),
        ((b == low) & (d == low), ~turned),
        ((a == low) & (c == high), ~turned),
        ((b == low) & (d == high), turned),
        ((c == low) & (a == high), ~turned),
        ((d == low) & (b == high), turned),
    )
    conditions, choices = zip(*rules, strict=True)
    result: Bools = np.select(conditions, choices, ~turned)
    return result


# --- Rooms -------------------------------------------------------------------------------------

_WATER, _QUICKSAND, _HORIZON, _DAMAGE, _OUTSIDE, _NO_LENS_FLARE = 1, 4, 8, 0x10, 0x20, 0x80
_MIST, _REFLECTION, _SNOW, _RAIN = 0x100, 0x200, 0x400, 0x800
_KINDS = {
    _WATER: RoomType.WATER,
    _QUICKSAND: RoomType.QUICKSAND,
    _RAIN: RoomType.RAIN,
    _SNOW: RoomType.SNOW,
}
_WET = (RoomType.WATER, RoomType.QUICKSAND)
_MOST_STRENGTH = 3  # of rain and snow
_MOST_EFFECT = 4


def _convert_room(room: PrjRoom) -> ProjectRoom:
    """Return a room with its sectors, without faces and objects."""
    height = _room_height(room)
    flags = int(room.end["flags"])
    strength, effect_strength = int(room.end["strength"]), int(room.end["effect_strength"])
    result = ProjectRoom(
        room.number,
        room.name,
        int(room.head["x"]),
        height * CLICK,
        int(room.head["z"]),
        _convert_sectors(room, height),
        _dimmed(room.ambient[:3]),
        damage=bool(flags & _DAMAGE),
        horizon=bool(flags & _HORIZON),
        outside=bool(flags & _OUTSIDE),
        no_lens_flare=bool(flags & _NO_LENS_FLARE),
        reverb=int(room.end["reverb"]),
        kind=next((kind for bit, kind in _KINDS.items() if flags & bit), RoomType.NORMAL),
    )
    if result.kind in (RoomType.RAIN, RoomType.SNOW):
        result.kind_strength = min(strength, _MOST_STRENGTH)
    if flags & (_MIST | _REFLECTION):
        result.effect = LightEffect.MIST if flags & _MIST else LightEffect.REFLECTION
        result.effect_strength = min(effect_strength + 1, _MOST_EFFECT)
    elif result.kind in _WET:
        result.effect_strength = min(strength + 1, _MOST_EFFECT)
    return result


def _dimmed(color: NDArray[np.uint8]) -> Vector:
    red, green, blue = ((int(each) - _ROUNDING) / COLOR for each in color)
    return red, green, blue


# --- The project -------------------------------------------------------------------------------


def read_prj(source: str | os.PathLike[str] | bytes) -> Project:
    """Read a project of the old room editor from a file or from its bytes.

    Raises:
        FormatError: if it is none, or damaged.
        OSError: if the file cannot be read.
    """
    return convert_prj(read_prj_records(source))


def convert_prj(prj: Prj) -> Project:
    """Return a project of the old room editor as one of Tomb Editor, as its importer would.

    Ambient light and tints are darkened by half a step of a level's 32, also below 0: the old editor cut what
    is rounded now. The rooms of a flip pair get the portals of both. Objects that are left out are counted in
    the project's problems.
    """
    state = Conversion(
        prj,
        {room.number: replace(room, sectors=room.sectors.copy()) for room in prj.rooms},
        {room.number: _convert_room(room) for room in prj.rooms},
    )
    _pair_rooms(state)
    records = _number_records(state)
    _add_portals(state)
    for room, number, record in records:
        for obj in convert_record(state, room, number, record):
            state.converted[room.number].objects.append(obj)
    set_opacities(state.rooms, list(state.converted.values()))
    rooms = ProjectRooms(state.converted.values())
    for room in prj.rooms:
        converted = state.converted[room.number]
        converted.shape.faces = convert_faces(state.rooms[room.number], rooms, converted, prj.tiles)
    return Project(
        _convert_settings(prj), [state.converted[room.number] for room in prj.rooms], _problems(state)
    )


def _problems(state: Conversion) -> list[str]:
    problems: list[str] = []
    if state.flip_effects:
        problems.append(
            plural(
                "1 flip effect for collision was left out. Use ghost blocks instead",
                "{count} flip effects for collision were left out. Use ghost blocks instead",
                state.flip_effects,
            )
        )
    if state.unknown_objects:
        problems.append(
            plural(
                "1 object was left out: its slot has neither a model nor a static mesh",
                "{count} objects were left out: their slots have neither models nor static meshes",
                state.unknown_objects,
            )
        )
    return problems


def _pair_rooms(state: Conversion) -> None:
    """Connect the rooms of flip pairs; alternate rooms take the place of their base rooms."""
    for room in state.prj.rooms:
        other = int(room.end["alternate"])
        free = other in state.converted and not {other, room.number} & state.partners.keys()
        base, alternate = state.converted[room.number], state.converted.get(other)
        if not free or alternate is None or alternate is base:
            continue
        if base.shape.wall.shape != alternate.shape.wall.shape:
            continue
        base.alternate = int(room.end["group"]) & 0xFF, other
        alternate.x, alternate.z = base.x, base.z
        state.partners[room.number], state.partners[other] = other, room.number
        state.bases[other] = room.number


def _number_records(state: Conversion) -> list[tuple[PrjRoom, int, np.void]]:
    """Number all objects but portals; return them with their rooms and new numbers."""
    records = []
    for room in state.prj.rooms:
        for old, record in (*room.objects, *room.effects):
            number = state.new_number()
            state.numbers.setdefault(old, number)
            state.kinds.setdefault(old, _class_of(int(record["type"])))
            records.append((room, number, record))
    return records


def _class_of(kind: int) -> type[PlacedObject]:
    if kind in LIGHTS:
        return Light
    return {
        TRIGGER: ProjectTrigger,
        CAMERA: Camera,
        FIXED_CAMERA: Camera,
        SINK: Sink,
        FLYBY: Flyby,
        SOUND: SoundSource,
    }.get(kind, Moveable)


# --- Portals -----------------------------------------------------------------------------------

_DIRECTIONS = {
    1: Direction.NEGATIVE_Z,
    2: Direction.NEGATIVE_X,
    4: Direction.FLOOR,
    0xFFFE: Direction.POSITIVE_Z,
    0xFFFD: Direction.POSITIVE_X,
    0xFFFB: Direction.CEILING,
}


def _add_portals(state: Conversion) -> None:
    """Add the portals of each room, and those of its partner."""
    for room in state.prj.rooms:
        for number, record in room.portals:
            if number not in state.portals:
                state.portals[number] = record
                owner = int(record["room"])
                state.owners[number] = owner if owner in state.converted else room.number
    for room in state.prj.rooms:
        own_portals = dict.fromkeys(number for number, _ in room.portals)
        partner = state.rooms.get(state.partners.get(room.number, NO_OBJECT))
        partner_portals = dict.fromkeys(number for number, _ in partner.portals) if partner else {}
        for number in {**own_portals, **partner_portals}:
            _add_portal(state, room, number, is_own=number in own_portals)


def _add_portal(state: Conversion, room: PrjRoom, number: int, *, is_own: bool) -> None:
    """Add a portal to a room, one of its own or only of its partner."""
    record = state.portals[number]
    direction = _DIRECTIONS.get(int(record["direction"]))
    other = state.owners.get(int(record["opposite"]), NO_OBJECT)
    other = state.bases.get(other, other)
    converted = state.converted[room.number]
    if direction is None or other not in state.converted:
        return
    area = _portal_area(converted.shape, direction, record)
    if area is None:
        return
    x0, z0, x1, z1 = area
    sectors = (slice(z0, z1 + 1), slice(x0, x1 + 1))
    opacity = Opacity.NONE
    if is_own:
        faces, passable = _CLOSED.get(direction, _WALL_CLOSED)
        flags = room.sectors["flags"][sectors]
        closed = np.where(flags & passable, int(Opacity.TRAVERSABLE_FACES), int(Opacity.SOLID_FACES))
        closed = np.where(flags & faces, closed, int(Opacity.NONE))
        opacity = Opacity(int(closed.max()))
        if direction == Direction.FLOOR and opacity != Opacity.SOLID_FACES:
            converted.shape.solid_floor[sectors] |= closed == Opacity.SOLID_FACES
    elif direction == Direction.FLOOR:
        converted.shape.solid_floor[sectors] = True
    is_vertical = direction in (Direction.FLOOR, Direction.CEILING)
    differs = (converted.kind in _WET) != (state.converted[other].kind in _WET)
    if is_vertical and differs and opacity == Opacity.SOLID_FACES:
        opacity = Opacity.TRAVERSABLE_FACES
    converted.objects.append(
        ProjectPortal(state.new_number(), area, room=other, direction=int(direction), opacity=int(opacity))
    )


def _portal_area(shape: RoomShape, direction: Direction, record: np.void) -> tuple[int, int, int, int] | None:
    """Return the area of a portal where rooms can have one of its direction, or None."""
    last_x, last_z = shape.x_sectors - 1, shape.z_sectors - 1
    low_x, high_x, low_z, high_z = 1, last_x - 1, 1, last_z - 1
    if direction in (Direction.POSITIVE_X, Direction.NEGATIVE_X):
        low_x = high_x = last_x if direction == Direction.POSITIVE_X else 0
    elif direction in (Direction.POSITIVE_Z, Direction.NEGATIVE_Z):
        low_z = high_z = last_z if direction == Direction.POSITIVE_Z else 0
    return record_area(record, (low_x, low_z, high_x, high_z))


# --- Settings ----------------------------------------------------------------------------------

_TILE, _TILES_IN_ROW = 64, 4
_BIG_TILES_IN_ROW = 2
_FRAMES, _P_FRAMES, _UV_ROTATE, _RIVER, _HALF = range(5)
_NG_KINDS = {2: _P_FRAMES, 4: _UV_ROTATE, 5: _RIVER, 6: _HALF}  # by the upper 3 bits
_FPS = 15.0
_FPS_OF_0 = 32.0
_UV_FPS = 16.0


def _convert_settings(prj: Prj) -> Settings:
    is_ng = prj.chunks is not None
    settings = Settings(
        game_version=int(GameVersion.TRNG if is_ng else GameVersion.TR4),
        sample_directories=list(OLD_SAMPLE_FOLDERS),
    )
    if prj.picture:
        settings.textures = [
            LevelTexture(0, prj.picture, cut_512=True, footsteps=_footsteps(prj), bumps=_rows(prj.bumps))
        ]
        settings.animated_sets = list(_animated_sets(prj))
    if prj.wad:
        # The editor can name another file of the same object file, such as its sprites.
        stem = prj.wad.rpartition(".")[0]
        settings.wads = [f"{stem}.wad"]
        settings.catalogs = [f"{stem}.sfx"]
    return settings


def _rows(tiles: NDArray[Any]) -> NDArray[np.uint8]:
    return tiles.astype(np.uint8).reshape(-1, _TILES_IN_ROW)


def _footsteps(prj: Prj) -> NDArray[np.uint8]:
    sounds = prj.footsteps & 15
    if not prj.big:
        return _rows(sounds)
    big = sounds[: TILES // 4].reshape(-1, _BIG_TILES_IN_ROW)
    return _rows(big.repeat(2, axis=0).repeat(2, axis=1))


def _animated_sets(prj: Prj) -> Iterator[AnimatedSet]:
    words = np.zeros(MOST_RANGES, np.uint16)
    chunk = (prj.chunks or {}).get(NG_RANGES)
    if chunk is not None:
        stored = np.frombuffer(chunk[: len(chunk) // 2 * 2], "<u2")[2 : 2 + MOST_RANGES]
        words[: len(stored)] = stored
    for record, word in zip(prj.ranges["ranges"], words.tolist(), strict=True):
        first, last = int(record["first"]), int(record["last"])
        if not record["defined"] or not 0 <= first <= last < TILES:
            continue
        result = AnimatedSet("", frames=[_frame(tile) for tile in range(first, last + 1)])
        _set_kind(result, word, is_ng=chunk is not None)
        yield result


def _set_kind(animated_set: AnimatedSet, word: int, *, is_ng: bool) -> None:
    """Set type and speed of an animated set by its word of TRNG."""
    animated_set.type = _NG_KINDS.get(word >> 13, _FRAMES) if is_ng else _FRAMES
    if not is_ng:
        animated_set.type = _UV_ROTATE if len(animated_set.frames) <= 2 else _FRAMES
        animated_set.fps = _UV_FPS
    elif animated_set.type in (_UV_ROTATE, _RIVER, _HALF):
        animated_set.fps = float(word >> 8 & 31) or _FPS_OF_0
        speed = word & 0xFF
        animated_set.uv_rotate = speed - 256 if speed > 127 else speed
    elif animated_set.type == _FRAMES:
        animated_set.fps = 1000 / word if word else _FPS


def _frame(tile: int) -> AnimationFrame:
    x, y = float(tile % _TILES_IN_ROW * _TILE), float(tile // _TILES_IN_ROW * _TILE)
    right, bottom = x + _TILE, y + _TILE
    return AnimationFrame(0, ((x, bottom), (x, y), (right, y), (right, bottom)))
