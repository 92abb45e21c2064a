"""Small projects to compile, whose objects are those of a generated level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import SOUND_DETAILS_TR3
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.compile.plan.plan import CompileTarget
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.geometry.geometry import room_faces
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.objects import Direction, Moveable, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.settings import LevelTexture, Settings
from io_tomb_raider.formats.editors.projects.model.shape import FACE, RoomShape
from tests.sample_levels import sample_bytes

TILE = 64
IMAGE = "texture.png"
SUFFIXES = {game: game.traits.suffix for game in Game}
VERSIONS = {Game.TR1: 1, Game.TR2: 2, Game.TR3: 3, Game.TR4: 4, Game.TR5: 5}


def image(path: Path) -> NDArray[np.uint8]:
    """Return the image of all projects: four tiles of different colors."""
    assert path.name == IMAGE
    made = np.full((2 * TILE, 2 * TILE, 4), 255, np.uint8)
    made[:TILE, :TILE, :3], made[:TILE, TILE:, :3] = (200, 40, 40), (40, 200, 40)
    made[TILE:, :TILE, :3], made[TILE:, TILE:, :3] = (40, 40, 200), (200, 200, 40)
    return made


def plain_room(
    number: int, x: int = 1, z: int = 1, y: int = 0, size: tuple[int, int] = (6, 6)
) -> ProjectRoom:
    """Return a room with flat floors; its size is in sectors along x and z."""
    return ProjectRoom(number, f"Room{number}", x, y, z, RoomShape.empty(*size))


def texture_all(rooms: Sequence[ProjectRoom], tile: tuple[int, int] = (0, 0)) -> None:
    """Give all faces of rooms a tile of the texture."""
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * TILE + np.array(tile) * TILE
    every = ProjectRooms(rooms)
    for room in rooms:
        faces = room_faces(every, room)
        records = np.zeros(len(faces), FACE)
        records["sector"], records["face"] = faces.sector, faces.face
        records["corners"] = corners
        records["corners"][faces.count == 3, 3] = corners[2]
        room.shape.faces = records


def connect(
    one: ProjectRoom, other: ProjectRoom, direction: Direction, numbers: tuple[int, int], opacity: int = 0
) -> None:
    """Connect two rooms of equal size that are next to, or above, each other, by two portals."""
    x, z = one.shape.x_sectors - 1, one.shape.z_sectors - 1
    areas = {
        Direction.POSITIVE_X: ((x, 1, x, z - 1), (0, 1, 0, z - 1), Direction.NEGATIVE_X),
        Direction.POSITIVE_Z: ((1, z, x - 1, z), (1, 0, x - 1, 0), Direction.NEGATIVE_Z),
        Direction.FLOOR: ((1, 1, x - 1, z - 1), (1, 1, x - 1, z - 1), Direction.CEILING),
    }
    own, theirs, back = areas[direction]
    one.objects.append(ProjectPortal(numbers[0], own, other.number, direction, opacity))
    other.objects.append(ProjectPortal(numbers[1], theirs, one.number, back, opacity))


def lara(number: int = 0, position: tuple[float, float, float] = (2560, 0, 2560)) -> Moveable:
    """Return Lara."""
    return Moveable(number, position, slot=0)


def project_of(rooms: list[ProjectRoom], game: Game, folder: Path, version: int | None = None) -> Project:
    """Return a project with rooms, and write the files that it names."""
    wad = folder / f"objects{SUFFIXES[game]}"
    wad.write_bytes(sample_bytes(game))
    (folder / IMAGE).write_bytes(b"")
    settings = Settings(game_version=VERSIONS[game] if version is None else version)
    settings.textures = [LevelTexture(0, IMAGE)]
    settings.wads = [wad.name]
    return Project(settings, rooms)


def compiled(
    project: Project, folder: Path, target: CompileTarget | None = None, *, keep: bool = False
) -> Compiled:
    """Compile a project."""
    resources = Resources(paths_of(project.settings, folder / "project.prj2"), image)
    return compile_project(project, resources, target, keep_missing=keep)


def written(level: Level) -> Level:
    """Return a level after writing and reading it."""
    return read_level(level.to_bytes(), name=f"level{SUFFIXES[level.game]}")


OBJ = """mtllib model.mtl
v 0 0 0
v 512 0 0
v 512 512 0
v 0 512 0
vt 0 0
vt 0.5 0
vt 0.5 0.5
vt 0 0.5
usemtl wall
f 1/1 2/2 3/3 4/4
f 1/1 1/1 2/2
"""

MQO = """Metasequoia Document
Format Text Ver 1.1

Scene {
	pos 0.0000 0.0000 1500.0000
}
Material 2 {
	"TeOpaque" shader(3) col(1.000 1.000 1.000 1.000) dif(0.800) tex("wall.png")
	"glass" shader(3) dbls(1) col(1.000 1.000 1.000 0.500) dif(0.800) tex("glass.png")
}
Object "obj1" {
	visible 15
	vertex 4 {
		0.0000 0.0000 0.0000
		100.0000 0.0000 0.0000
		100.0000 50.0000 0.0000
		0.0000 50.0000 25.0000
	}
	face 3 {
		4 V(0 1 2 3) M(0) UV(0.0 1.0 1.0 1.0 1.0 0.0 0.0 0.0) COL(4278190335 4278190335 4278190335 4286611584)
		3 V(0 1 2) M(1) UV(0.0 0.0 0.5 0.0 0.5 0.5)
		2 V(0 1)
	}
}
Object "obj2" {
	vertex 3 {
		-1 0 0
		0 1 0
		0 0 1
	}
	face 1 {
		3 V(0 1 2) M(0) UV(0 0 1 0 1 1)
	}
}
Eof
"""


def sound(number: int, *samples: str, **values: object) -> str:
    """Return a sound of a catalog."""
    fields = "".join(f"<{name}>{value}</{name}>" for name, value in values.items())
    files = "".join(f"<WadSample><FileName>{name}</FileName></WadSample>" for name in samples)
    return f"<WadSoundInfo><Id>{number}</Id>{fields}<Samples>{files}</Samples></WadSoundInfo>"


def catalog(*sounds: str) -> str:
    """Return a sound catalog."""
    return f"<?xml version='1.0'?><WadSounds><SoundInfos>{''.join(sounds)}</SoundInfos></WadSounds>"


TEXT_CATALOG = """LARA_FEET: one two one VOL80 PIT+10 RAD4 CH50 P V N #g
LARA_NO: one
nothing here

LOOPED: two L ; sleeps
WAITS: two W VOL99999999 later ;x
CHURCH: Church CHAIN vol50 R #1
"""


def compiled_catalog(sounds: int = 370) -> tuple[bytes, bytes]:
    """Return the `.sfx` and the `.sam` of a WAD with two sounds."""
    numbers = np.full(sounds, -1, "<i2")
    numbers[[2, 3]] = 0, 1
    details = np.zeros(2, SOUND_DETAILS_TR3)
    details["volume"], details["range"], details["chance"] = (255, 128), (8, 10), (0, 51)
    details["sample"], details["pitch"], details["flags"] = (0, 2), (0, -64), (2 << 2 | 3, 1 << 2 | 0x4001)
    content = numbers.tobytes() + len(details).to_bytes(4, "little") + details.tobytes()
    return content, b"one.wav\r\ntwo.wav\r\none.wav\r\n"
