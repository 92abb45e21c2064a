"""Edits of a room in edit mode, with each setting of Mesh and Sectors, and what Lara finds in the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.base.units import SECTOR_SIZE
from io_tomb_raider.formats.checks.floors import heights_at
from io_tomb_raider.formats.level.decoded import Decoded
from io_tomb_raider.scene.authoring.mesh_from_sectors.room import draw_room
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.core.members import collision_of
from io_tomb_raider.scene.new_levels.new import new_level
from tests.scene.subjects.collision.collision_meshes import FLOOR, SOLID
from tests.ui.user_actions import FILE_NAMES, after_events, export_file, select

SETTINGS = ("INDEPENDENT", "SECTORS", "MESH")
SIDE, STEP = 2.0, 0.5  # a sector and a click in Blender
# The new room has 4 by 4 sectors from here, is 2 sectors high, and starts at the ground.
CORNER = (40.0, 40.0)
two_games = pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
each_setting = pytest.mark.parametrize("setting", SETTINGS)


class Workshop:
    """A level with a new room, which is edited with one of the settings."""

    def __init__(self, game: Game, setting: str, folder: Path) -> None:
        self.game, self.setting, self._path = game, setting, folder / FILE_NAMES[game]
        self.root: Any = new_level(game, "Home").root
        self.room = self.add(CORNER)

    def add(self, corner: tuple[float, float]) -> Any:
        """Add a room with its low corner at a place."""
        room: Any = add_room(self.root, Vector((corner[0] + 4, corner[1] + 4, 0.0)), (4, 4, 2))
        assert room.tomb_raider.room.mesh_and_sectors == "SECTORS"
        if self.setting == "MESH":
            draw_room(self.root, room)
        else:
            room.tomb_raider.room.mesh_and_sectors = self.setting
        after_events()
        assert room.tomb_raider.room.mesh_and_sectors == self.setting
        return room

    def edit_mesh(self, where: Callable[[Vector, Vector], bool], work: Callable[[], object]) -> None:
        """Select faces of the room by their center and normal, in the world, and work on them in edit mode."""
        select(self.room)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.context.tool_settings.mesh_select_mode = (False, False, True)
        mesh = bmesh.from_edit_mesh(self.room.data)
        for face in mesh.faces:
            face.select_set(where(self.room.matrix_world @ face.calc_center_median(), face.normal))
        mesh.select_flush_mode()
        bmesh.update_edit_mesh(self.room.data)
        assert any(face.select for face in mesh.faces)
        work()
        bpy.ops.object.mode_set(mode="OBJECT")
        after_events()

    def edit_sectors(self, part: int, cells: Iterable[tuple[int, int]], work: Callable[[], object]) -> None:
        """Select faces of the collision by sectors of the world from the corner, and work in edit mode."""
        obj: Any = collision_of(self.room)
        for layer in bpy.context.view_layer.layer_collection.children:
            for each in layer.children:
                each.exclude = False
        select(obj)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.context.tool_settings.mesh_select_mode = (False, False, True)
        mesh = bmesh.from_edit_mesh(obj.data)
        layer_of_parts = mesh.faces.layers.int["tr_part"]
        for face in mesh.faces:
            at = obj.matrix_world @ face.calc_center_median()
            cell = int((at.x - CORNER[0]) // SIDE), int((at.y - CORNER[1]) // SIDE)
            face.select_set(face[layer_of_parts] == part and cell in cells)
        mesh.select_flush_mode()
        bmesh.update_edit_mesh(obj.data)
        work()
        bpy.ops.object.mode_set(mode="OBJECT")
        after_events()

    def walk(self) -> Ground:
        """Export the level, and return its ground."""
        return Ground(self, Decoded(read_level(export_file(self._path, collection=self.root.name))))

    def findings(self) -> list[tuple[str, str, str]]:
        """Check the level, and return the findings about mesh and sectors."""
        bpy.ops.tomb_raider.check_level(collection=self.root.name)
        found = [each for each in self.root.tomb_raider.findings if "sectors_from_mesh" in each.fix]
        return [(each.severity, each.subject, each.text) for each in found]


class Ground:
    """What Lara stands on in an exported level."""

    def __init__(self, workshop: Workshop, decoded: Decoded) -> None:
        self.decoded, self._scale = decoded, workshop.root.tomb_raider.scale

    def sector(self, room: Any, cell: tuple[int, int]) -> int:
        """Return the sector of a room by its place from the corner of the first one."""
        x, z = (round((CORNER[axis] + (cell[axis] + 0.5) * SIDE) / self._scale) for axis in (0, 1))
        number = self.number(room)
        record = self.decoded.level.rooms[number]
        column, row = (x - record.x) // SECTOR_SIZE, (z - record.z) // SECTOR_SIZE
        assert 0 <= column < record.x_sectors and 0 <= row < record.z_sectors
        return int(self.decoded.grid.starts[number] + column * record.z_sectors + row)

    def number(self, room: Any) -> int:
        """Return the number of a room in the file, by the corner of its object."""
        x, z = (round(part / self._scale) for part in room.matrix_world.translation.xy)
        rooms = enumerate(self.decoded.level.rooms)
        (found,) = [number for number, each in rooms if (each.x, each.z) == (x, z)]
        return found

    def floor(self, room: Any, cell: tuple[int, int]) -> int | None:
        """Return the height in clicks of the floor in the middle of a sector, y up, or None for a wall."""
        place = self.sector(room, cell)
        if self.decoded.sectors.wall[place]:
            return None
        middle = np.full((1, 2), SECTOR_SIZE / 2)
        heights = heights_at(self.decoded.sectors.floor, np.array([place]), middle)
        return -round(float(heights.mean()) / 256)

    def way(self, room: Any, cell: tuple[int, int]) -> int:
        """Return the room to which a sector leads, or -1."""
        return int(self.decoded.sectors.portal[self.sector(room, cell)])


def extrude(x: float, y: float, z: float) -> None:
    bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (x, y, z)})


def drawn_floors(room: Any, cell: tuple[int, int]) -> list[float]:
    """Return the heights of the faces that look up over a sector, in clicks."""
    floors = [
        room.matrix_world @ face.center
        for face in room.data.polygons
        if face.normal.z > 0.5 and in_cell(room.matrix_world @ face.center, cell)
    ]
    return [round(at.z / STEP, 3) for at in floors]


@two_games
@pytest.mark.parametrize(
    ("setting", "outwards"),
    [
        *(
            (setting, way)
            for setting in ("INDEPENDENT", "SECTORS")
            for way in [(1, 0), (-1, 0), (0, 1), (0, -1)]
        ),
        ("MESH", (1, 0)),
        ("MESH", (0, 1)),
    ],
)
def test_a_niche(
    blender: ModuleType, tmp_path: Path, game: Game, setting: str, outwards: tuple[int, int]
) -> None:
    shop = Workshop(game, setting, tmp_path)
    niche = 2 + 2 * outwards[0] - (outwards[0] < 0), 2 + 2 * outwards[1] - (outwards[1] < 0)
    inner = niche[0] - outwards[0], niche[1] - outwards[1]
    if setting == "MESH":
        obj: Any = collision_of(shop.room)
        select(obj)
        bpy.ops.tomb_raider.resize_collision(x_sectors=7, y_sectors=7)
        shop.edit_sectors(SOLID, [niche], bpy.ops.tomb_raider.make_floors)
    else:
        x, y = (CORNER[axis] + (inner[axis] + 0.5 + outwards[axis] / 2) * SIDE for axis in (0, 1))
        wall = Vector((x, y, 1.0))  # the lower one of two faces
        step = [SIDE * each for each in outwards]
        shop.edit_mesh(lambda at, _: (at - wall).length < 0.1, lambda: extrude(*step, 0))
    findings = shop.findings()
    ground = shop.walk()
    assert all(ground.floor(shop.room, (x, y)) == 0 for x in range(4) for y in range(4))
    assert drawn_floors(shop.room, niche) == [0]
    if setting == "INDEPENDENT":
        corner = shop.room.matrix_world.translation
        at = tuple(int((CORNER[axis] - corner[axis]) / SIDE) + niche[axis] for axis in (0, 1))
        text = f"mesh and sectors are a click (256 units) or more apart in one sector: {at}"
        assert findings == [("WARNING", shop.room.name, text)]
        with pytest.raises(AssertionError):  # outside of the room, or a wall
            assert ground.floor(shop.room, niche) is not None
    else:
        assert findings == []
        assert ground.floor(shop.room, niche) == 0


@two_games
@each_setting
def test_a_raised_floor(blender: ModuleType, tmp_path: Path, game: Game, setting: str) -> None:
    shop = Workshop(game, setting, tmp_path)
    cells = [(1, 1), (2, 1)]
    if setting == "MESH":
        shop.edit_sectors(FLOOR, cells, lambda: bpy.ops.tomb_raider.raise_sectors(clicks=1))
    else:
        shop.edit_mesh(on_floors(cells), lambda: extrude(0, 0, STEP))
    findings = shop.findings()
    ground = shop.walk()
    assert [drawn_floors(shop.room, cell) for cell in cells] == [[1], [1]]
    wanted = 0 if setting == "INDEPENDENT" else 1
    assert [ground.floor(shop.room, cell) for cell in (*cells, (0, 1), (3, 1))] == [wanted, wanted, 0, 0]
    assert [each[:2] for each in findings] == [("WARNING", shop.room.name)] * (setting == "INDEPENDENT")


@two_games
@each_setting
def test_a_pillar(blender: ModuleType, tmp_path: Path, game: Game, setting: str) -> None:
    shop = Workshop(game, setting, tmp_path)
    if setting == "MESH":
        shop.edit_sectors(FLOOR, [(1, 2)], bpy.ops.tomb_raider.make_walls)
    else:
        shop.edit_mesh(on_floors([(1, 2)]), lambda: extrude(0, 0, 2 * SIDE))
    findings = shop.findings()
    ground = shop.walk()
    wanted = 0 if setting == "INDEPENDENT" else None
    assert [ground.floor(shop.room, cell) for cell in ((1, 2), (0, 2), (2, 2))] == [wanted, 0, 0]
    assert len(findings) == (setting == "INDEPENDENT")
    sides = [
        face
        for face in shop.room.data.polygons
        if abs(face.normal.z) < 0.1
        and in_cell(shop.room.matrix_world @ (face.center + 0.1 * face.normal), (0, 2))
    ]
    assert len([face for face in sides if face.normal.x < -0.9])  # of the pillar


@two_games
@each_setting
def test_a_door(blender: ModuleType, tmp_path: Path, game: Game, setting: str) -> None:
    """Of the wall between two rooms, the faces of one sector are deleted in both."""
    shop = Workshop(game, setting, tmp_path)
    first, second = shop.room, shop.add((CORNER[0] + 4 * SIDE, CORNER[1]))
    middle = CORNER[1] + 1.5 * SIDE
    for room in (first, second):
        shop.room = room
        shop.edit_mesh(
            lambda at, _: abs(at.x - CORNER[0] - 4 * SIDE) < 0.1 and abs(at.y - middle) < 0.1 and at.z < SIDE,
            lambda: bpy.ops.mesh.delete(type="FACE"),
        )
    select(first, second)
    assert bpy.ops.tomb_raider.connect_rooms() == {"FINISHED"}
    after_events()
    findings = shop.findings()
    ground = shop.walk()
    assert findings == []
    assert ground.way(first, (4, 1)) == ground.number(second)
    assert ground.way(second, (3, 1)) == ground.number(first)
    assert (ground.floor(first, (3, 1)), ground.floor(second, (4, 1))) == (0, 0)


def on_floors(cells: list[tuple[int, int]]) -> Callable[[Vector, Vector], bool]:
    """Return a function that tells the faces of the room's floor over some sectors."""
    return lambda at, normal: normal.z > 0.9 and any(in_cell(at, cell) for cell in cells)


def in_cell(at: Vector, cell: tuple[int, int]) -> bool:
    return all(int((at[axis] - CORNER[axis]) // SIDE) == cell[axis] for axis in (0, 1))
