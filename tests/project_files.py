"""Made-up projects of Tomb Editor with the files that they name, which compile without warnings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import (
    Direction,
    Light,
    Moveable,
    Parameter,
    ParameterKind,
    PlacedObject,
    ProjectPortal,
    ProjectTrigger,
)
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion, LevelTexture, Settings
from io_tomb_raider.formats.editors.projects.model.shape import FACE, RoomShape
from io_tomb_raider.formats.levels.textures.png import encode_png

from .sample_levels import sample_bytes
from .sample_levels.models import model_id

CLICK, SECTOR = 256, 1024  # units
ROOMS, SECTORS = 250, 20  # of a large project: rooms, and their sectors along both axes
_ALONG, _ACROSS, _STORY = 10, 9, 8192  # rooms in a row, rows in a story, units between stories
_TILE, _TILES = 64, (4, 16)  # pixels of a tile, columns and rows of the texture
_SEED = 7
_OBJECTS = "objects.tr4"


# --- A small one -------------------------------------------------------------------------------


def write_castle(folder: Path) -> Path:
    """Write a project of two rooms into `folder/castle`, and its texture into `folder/textures`.

    The project names the texture by a path of another machine. The hall has Lara, a monster that a trigger
    wakes, and a light; the cellar is east of it.
    """
    place, textures = folder / "castle", folder / "textures"
    for each in (place, textures):
        each.mkdir(parents=True)
    _write_objects(place)
    _write_tiles(textures / "stone.png")
    hall = ProjectRoom(0, "Hall", 10, 0, 10, RoomShape.empty(8, 8, 4096))
    cellar = ProjectRoom(1, "Cellar", 16, 0, 12, RoomShape.empty(6, 4, 2048))
    hall.shape.floor.heights[4:6, 2:4] = 2 * CLICK
    lara = Moveable(100, _middle(1, 1), slot=0)
    monster = Moveable(101, _middle(5, 5), slot=model_id(Game.TR4, "enemy"), y=180.0)
    wake = ProjectTrigger(102, (3, 1, 3, 2), target=Parameter(ParameterKind.OBJECT, 101), code_bits=31)
    light = Light(103, (3.5 * SECTOR, 3072.0, 3.5 * SECTOR), intensity=0.8, outer_range=6.0)
    hall.objects = [
        ProjectPortal(104, (7, 3, 7, 4), 1, Direction.POSITIVE_X),
        *(lara, monster, wake, light),
    ]
    cellar.objects = [ProjectPortal(105, (0, 1, 0, 2), 0, Direction.NEGATIVE_X)]
    settings = _settings("C:\\Levels\\Textures\\stone.png")
    return _write(place / "castle.prj2", settings, [hall, cellar])


def _middle(x: int, z: int) -> tuple[float, float, float]:
    """Return the middle of a sector's floor at height 0."""
    return (x + 0.5) * SECTOR, 0.0, (z + 0.5) * SECTOR


# --- A large one -------------------------------------------------------------------------------


def write_large(folder: Path, rooms: int = ROOMS) -> Path:
    """Write a project with its files: stories of rooms of 20 x 20 sectors, with portals to all neighbors.

    Floors and ceilings are uneven, and all faces have a texture. Each room has two lights and a monster.
    """
    random = np.random.default_rng(_SEED)
    _write_objects(folder)
    _write_tiles(folder / "stone.png")
    numbers = count()
    made = [_large_room(number, random) for number in range(rooms)]
    for room in made:
        room.objects = [
            *_portals(room.number, rooms, numbers),
            *_objects(numbers, random, is_first=not room.number),
        ]
    return _write(folder / "large.prj2", _settings("$(LevelDirectory)\\stone.png"), made)


def _large_room(number: int, random: np.random.Generator) -> ProjectRoom:
    shape = RoomShape.empty(SECTORS, SECTORS, 4096)
    inner = slice(2, SECTORS - 2)
    # Levels have at most 2,047 boxes, so the floors have few heights. Those of the ceilings are many.
    step = int(random.integers(6, SECTORS - 6))
    shape.floor.heights[:, step:] = 3 * CLICK
    shape.floor.heights[:, step - 1, 1:3] = 3 * CLICK  # a slope
    blocks = random.integers(0, 4, (4, 4)).repeat(4, 0).repeat(4, 1) * CLICK
    shape.ceiling.heights[inner, inner] -= blocks[..., None]
    for z, x, corner in random.integers((2, 2, 0), (SECTORS - 2, SECTORS - 2, 4), (20, 3)).tolist():
        shape.ceiling.heights[z, x, corner] += CLICK
    story, place = divmod(number, _ALONG * _ACROSS)
    row, column = divmod(place, _ALONG)
    step = SECTORS - 2
    return ProjectRoom(number, f"Room {number}", 2 + column * step, story * _STORY, 2 + row * step, shape)


def _portals(number: int, rooms: int, numbers: Iterator[int]) -> list[ProjectPortal]:
    row, column = divmod(number % (_ALONG * _ACROSS), _ALONG)
    last = SECTORS - 1
    sides = (
        (column + 1 < _ALONG, 1, Direction.POSITIVE_X, (last, 1, last, last - 1)),
        (column > 0, -1, Direction.NEGATIVE_X, (0, 1, 0, last - 1)),
        (row + 1 < _ACROSS, _ALONG, Direction.POSITIVE_Z, (1, last, last - 1, last)),
        (row > 0, -_ALONG, Direction.NEGATIVE_Z, (1, 0, last - 1, 0)),
    )
    return [
        ProjectPortal(next(numbers), area, number + step, direction)
        for exists, step, direction, area in sides
        if exists and number + step < rooms
    ]


def _objects(numbers: Iterator[int], random: np.random.Generator, *, is_first: bool) -> list[PlacedObject]:
    at, *lights = ((random.integers(4, SECTORS - 4, (3, 2)) + 0.5) * SECTOR).tolist()
    slot = 0 if is_first else model_id(Game.TR4, "enemy")
    return [
        Moveable(next(numbers), (at[0], 1024.0, at[1]), slot=slot),
        *(Light(next(numbers), (x, 3000.0, z), outer_range=10.0) for x, z in lights),
    ]


# --- Files -------------------------------------------------------------------------------------


def _write_objects(folder: Path) -> None:
    (folder / _OBJECTS).write_bytes(sample_bytes(Game.TR4))


def _write_tiles(path: Path) -> None:
    """Write a picture of tiles, each with its own shade of gray and a darker seam."""
    columns, rows = _TILES
    row, column = np.indices((rows * _TILE, columns * _TILE))
    shades = np.random.default_rng(_SEED).integers(90, 200, (rows, columns))
    shades = shades[row // _TILE, column // _TILE] - 20 * ((row % 16 == 0) | (column % 32 == 0))
    pixels = np.full((*row.shape, 4), 255, np.uint8)
    pixels[..., :3] = shades[..., None] * np.array((1.0, 0.95, 0.85))
    path.write_bytes(encode_png(pixels))


def _settings(texture: str) -> Settings:
    return Settings(
        game_version=GameVersion.TR4,
        textures=[LevelTexture(0, texture)],
        wads=[f"$(LevelDirectory)\\{_OBJECTS}"],
    )


def _write(path: Path, settings: Settings, rooms: list[ProjectRoom]) -> Path:
    random = np.random.default_rng(_SEED)
    project = ProjectRooms(rooms)
    for room in rooms:
        built = room_faces(project, room)
        tiles = np.stack([random.integers(0, each, len(built)) for each in _TILES], axis=1) * _TILE
        faces = np.zeros(len(built), FACE)
        faces["sector"], faces["face"] = built.sector, built.face
        faces["corners"] = tiles[:, None] + np.array([(0, _TILE), (0, 0), (_TILE, 0), (_TILE, _TILE)])
        room.shape.faces = faces
    path.write_bytes(Project(settings, rooms).to_bytes())
    return path
