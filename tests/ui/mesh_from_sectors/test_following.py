"""Edits of a room in edit mode, with each setting of Mesh and Sectors, and what Lara finds in the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
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
from io_tomb_raider.formats.edits.checks.floors import heights_at
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.authoring.collision_from_mesh.extruded import texture_extruded
from io_tomb_raider.scene.authoring.mesh_from_sectors.room import draw_room
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.core.membership import collision_of
from io_tomb_raider.scene.new_levels.new import new_level
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.ui import pending
from io_tomb_raider.ui.mesh_from_sectors import overlay
from tests.games import each_game
from tests.scene.scenes import room_object
from tests.scene.subjects.collision.collision_meshes import FLOOR, HALL, PLAIN, SOLID
from tests.ui.user_actions import FILE_NAMES, after_events, export_file, import_sample, select

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
        """Work in edit mode on some faces of the room."""
        edit_faces(self.room, where, work)

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


def edit_faces(room: Any, where: Callable[[Vector, Vector], bool], work: Callable[[], object]) -> None:
    """Select faces of a room by their center and normal in the world, and work on them in edit mode."""
    select(room)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    mesh = bmesh.from_edit_mesh(room.data)
    for face in mesh.faces:
        face.select_set(where(room.matrix_world @ face.calc_center_median(), face.normal))
    mesh.select_flush_mode()
    bmesh.update_edit_mesh(room.data)
    assert any(face.select for face in mesh.faces)
    work()
    bpy.ops.object.mode_set(mode="OBJECT")
    after_events()


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
        shop.edit_mesh(lambda at, _: (at - wall).length < 0.1, lambda: extrude(step[0], step[1], 0))
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


def tiles_of(room: Any) -> list[tuple[float, tuple[float, float]]]:
    """Return the height and the extent of the UVs of the walls below the height of a sector's side."""
    uvs, found = room.data.uv_layers.active.data, []
    for face in room.data.polygons:
        heights = [(room.matrix_world @ room.data.vertices[each].co).z for each in face.vertices]
        if abs(face.normal.z) < 0.5 and max(heights) < SIDE - 0.01:
            extent = np.ptp([uvs[loop].uv for loop in face.loop_indices], axis=0)
            found.append((round(max(heights) - min(heights), 3), tuple(extent)))
    return found


def lights_of(shop: Workshop) -> set[tuple[int, ...]]:
    """Return the different lights of the vertices of the room in the exported level."""
    ground = shop.walk()
    vertices = ground.decoded.level.rooms[ground.number(shop.room)].vertices
    names = [name for name in ("light", "color") if name in (vertices.dtype.names or ())]
    return set(zip(*(vertices[name].tolist() for name in names), strict=True))


@two_games
def test_sides_of_extruded_faces_have_tiles(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    shop = Workshop(game, "SECTORS", tmp_path)
    uvs = shop.room.data.uv_layers.active.data
    floor = next(face for face in shop.room.data.polygons if face.normal.z > 0.9)
    whole = np.ptp([uvs[loop].uv for loop in floor.loop_indices], axis=0)
    lights = lights_of(shop)

    def twice() -> None:
        extrude(0, 0, STEP)
        extrude(0, 0, STEP)

    shop.edit_mesh(on_floors([(1, 1)]), twice)
    sides = tiles_of(shop.room)
    assert len(sides) == 8 and {height for height, _ in sides} == {STEP}
    # Each shows a quarter of the tile: its texels are as large as those of the floor.
    for _, extent in sides:
        assert sorted(extent / whole) == pytest.approx([STEP / SIDE, 1.0], abs=1e-4)
    # A second edit leaves them.
    shop.edit_mesh(on_floors([(3, 3)]), lambda: extrude(0, 0, STEP))
    assert len(tiles_of(shop.room)) == 12
    # New vertices have the light of those that they were extruded from, in the game, too.
    assert lights_of(shop) == lights


@pytest.mark.parametrize("is_copied", [False, True])
def test_faces_of_the_file_keep_their_uvs(blender: ModuleType, tmp_path: Path, *, is_copied: bool) -> None:
    room: Any = room_object(import_sample(tmp_path, "tr1"), HALL)
    edited = bmesh.new()
    edited.from_mesh(room.data)
    layer: Any = edited.loops.layers.uv.active
    number: Any = edited.verts.layers.int["tr_vertex"]
    quads = [face for face in edited.faces if len(face.verts) == 4]
    pairs = ((wall, face) for wall in quads for face in wall.loops[0].edge.link_faces)
    wall, near = next((wall, face) for wall, face in pairs if face is not wall and face in quads)
    loops = list(wall.loops)
    for loop, like in ((loops[2], loops[1]), (loops[3], loops[0])):
        loop[layer].uv = like[layer].uv
    for loop in near.loops:
        for like in loops[:2]:
            if loop.vert is like.vert:
                loop[layer].uv = like[layer].uv
    if is_copied:
        for loop, like in ((loops[2], loops[1]), (loops[3], loops[0])):
            loop.vert[number] = like.vert[number]
    edited.to_mesh(room.data)
    edited.free()
    assert texture_extruded(room.data, is_new=False) == is_copied


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


# --- Findings ----------------------------------------


@two_games
def test_fixes_make_mesh_and_sectors_match(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    wall = Vector((CORNER[0] + 4 * SIDE, CORNER[1] + 2.5 * SIDE, 1.0))
    for fix in ("sectors_from_mesh", "mesh_from_sectors"):
        shop = Workshop(game, "INDEPENDENT", tmp_path)
        floor = next(each for each in shop.room.data.polygons if each.normal.z > 0.9)
        floor.use_smooth = True
        before = len(shop.room.data.polygons)
        shop.edit_mesh(lambda at, _: (at - wall).length < 0.1, lambda: extrude(SIDE, 0, 0))
        assert len(shop.room.data.polygons) == before + 4
        assert len(shop.findings()) == 1
        number = next(
            place for place, each in enumerate(shop.root.tomb_raider.findings) if fix in each.fix.split()
        )
        bpy.ops.tomb_raider.fix_finding(collection=shop.root.name, number=number, fix=fix)
        assert shop.findings() == []
        assert shop.room.tomb_raider.room.mesh_and_sectors == "INDEPENDENT"
        is_read = fix == "sectors_from_mesh"
        assert len(shop.room.data.polygons) == before + 4 * is_read
        assert drawn_floors(shop.room, (4, 2)) == [0] * is_read
        assert sum(each.use_smooth for each in shop.room.data.polygons) == 1
        ground = shop.walk()
        assert ground.floor(shop.room, (3, 2)) == 0
        if is_read:
            assert ground.floor(shop.room, (4, 2)) == 0
        bpy.ops.wm.read_homefile(use_empty=True)


@each_game
def test_only_edited_rooms_are_found(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    hall: Any = room_object(root, HALL)

    def found(**options: Any) -> list[tuple[str, str]]:
        bpy.ops.tomb_raider.check_level(collection=root.name, **options)
        notes = [each for each in root.tomb_raider.findings if "sectors_from_mesh" in each.fix]
        return [(each.subject, each.text.rpartition(": ")[2]) for each in notes]

    assert found() == []
    natural = found(all_rooms=True)
    assert natural == [(hall.name, "(1, 3)")]  # its drawn ceiling slopes otherwise than the sector
    # A floor of one sector rises by less than a click, then by more.
    at = (hall.matrix_world @ Vector(((PLAIN[0] + 0.5) * SIDE, (PLAIN[1] + 0.5) * SIDE, 0))).xy
    for height, names in ((0.9 * STEP, []), (2 * STEP, [(hall.name, str(PLAIN))])):
        rise = partial(extrude, 0, 0, height)
        edit_faces(hall, lambda place, normal: normal.z > 0.9 and (place.xy - at).length < 0.5, rise)
        assert found() == names
    before = read_level((tmp_path / FILE_NAMES[game]).read_bytes())
    bpy.ops.tomb_raider.check_level(collection=root.name)
    number = next(place for place, each in enumerate(root.tomb_raider.findings) if each.fix.count(" "))
    bpy.ops.tomb_raider.fix_finding(collection=root.name, number=number, fix="sectors_from_mesh")
    assert found() == []
    after = read_level(export_file(tmp_path / f"NEW{FILE_NAMES[game]}"))
    row = PLAIN[0] * before.rooms[HALL].z_sectors + PLAIN[1]
    moved = after.rooms[HALL].sectors["floor"].astype(int) - before.rooms[HALL].sectors["floor"]
    assert np.flatnonzero(moved).tolist() == [row] and moved[row] in (-2, -3)


# --- While editing ----------------------------------------


@two_games
def test_the_overlay_shows_differences_in_edit_mode(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    shop = Workshop(game, "INDEPENDENT", tmp_path)
    seen: list[Any] = []

    def look() -> None:
        extrude(0, 0, 2 * STEP)
        look_again()

    def look_again() -> None:
        overlay.compare()
        seen.append(overlay._cache.shown)

    shop.edit_mesh(on_floors([(1, 2)]), look)
    (shown,) = seen
    assert shown.room == shop.room.session_uid
    corners = np.unique(np.array(shown.points), axis=0)
    low = np.array([CORNER[0] + SIDE, CORNER[1] + 2 * SIDE])
    assert corners[:, :2].tolist() == [(low + each).tolist() for each in ((0, 0), (0, 2), (2, 0), (2, 2))]
    assert np.allclose(corners[:, 2], 2 * STEP + 8 / 512)
    # Out of edit mode, nothing is shown; without differences, neither.
    overlay.compare()
    assert overlay._cache.shown is None
    shop.room.tomb_raider.room.mesh_and_sectors = "SECTORS"
    after_events()
    shop.edit_mesh(on_floors([(0, 0)]), look_again)
    assert seen[-1].points == []


def test_sectors_follow_edits_of_the_mesh_in_object_mode(blender: ModuleType, tmp_path: Path) -> None:
    shop = Workshop(Game.TR3, "SECTORS", tmp_path)
    collision: Any = collision_of(shop.room)

    def height() -> float:
        return max(vertex.co.z for vertex in collision.data.vertices)

    select(shop.room)
    assert height() == 2 * SIDE
    modifier: Any = shop.room.modifiers.new("Higher", "DISPLACE")
    modifier.direction, modifier.strength = "Z", STEP
    group = shop.room.vertex_groups.new(name="Top")
    group.add([v.index for v in shop.room.data.vertices if v.co.z > SIDE * 1.5], 1.0, "REPLACE")
    modifier.vertex_group, modifier.mid_level = "Top", 0.0
    after_events()
    assert height() == 2 * SIDE + STEP
    bpy.ops.object.modifier_apply(modifier="Higher")
    after_events()
    assert height() == 2 * SIDE + STEP
    assert pending.work() is None and not pending.claim()  # nothing more to do


def test_marks_stay_where_sectors_follow(blender: ModuleType, tmp_path: Path) -> None:
    shop = Workshop(Game.TR4, "SECTORS", tmp_path)
    shop.edit_sectors(FLOOR, [(1, 1)], lambda: bpy.ops.tomb_raider.set_sector_mark(mark="death"))
    shop.edit_sectors(FLOOR, [(1, 1)], lambda: bpy.ops.tomb_raider.set_sector_material(material="WOOD"))
    shop.edit_mesh(on_floors([(1, 1)]), lambda: extrude(0, 0, STEP))
    ground = shop.walk()
    place = ground.sector(shop.room, (1, 1))
    assert ground.floor(shop.room, (1, 1)) == 1
    assert (ground.decoded.sectors.death[place], ground.decoded.sectors.material[place]) == (True, 7)


def test_a_switch_to_another_setting_takes_effect_at_once(blender: ModuleType, tmp_path: Path) -> None:
    shop = Workshop(Game.TR4, "INDEPENDENT", tmp_path)
    shop.edit_mesh(on_floors([(1, 1)]), lambda: extrude(0, 0, STEP))
    shop.edit_sectors(FLOOR, [(2, 2)], lambda: bpy.ops.tomb_raider.raise_sectors(clicks=2, with_room=False))
    assert len(shop.findings()) == 1
    select(shop.room)
    shop.room.tomb_raider.room.mesh_and_sectors = "SECTORS"
    after_events()
    ground = shop.walk()
    # What was set by hand where the mesh is as it was stays.
    assert [ground.floor(shop.room, each) for each in ((1, 1), (2, 2))] == [1, 2]
    shop.room.tomb_raider.room.mesh_and_sectors = "MESH"
    after_events()
    assert [drawn_floors(shop.room, each) for each in ((1, 1), (2, 2))] == [[1], [2]]
    assert shop.findings() == []


@two_games
@each_setting
def test_an_export_warns_of_differences_if_mesh_or_sectors_follow(
    blender: ModuleType, tmp_path: Path, game: Game, setting: str
) -> None:
    """Sectors that follow were raised by hand, or the mesh that follows was edited."""
    shop = Workshop(game, setting, tmp_path)
    other = shop.add((CORNER[0], CORNER[1] + 20))

    def warnings() -> list[str]:
        found = export_level(shop.root).report.warnings
        return [each for each in found if "mesh and sectors" in each]

    assert warnings() == []
    if setting == "MESH":
        shop.edit_mesh(on_floors([(1, 1)]), lambda: extrude(0, 0, STEP))
    else:
        shop.edit_sectors(
            FLOOR, [(1, 1)], lambda: bpy.ops.tomb_raider.raise_sectors(clicks=1, with_room=False)
        )
    found = warnings()
    assert len(shop.findings()) == 1
    if setting == "INDEPENDENT":
        assert found == []
        return
    (text,) = found
    assert text.startswith(
        f"{shop.room.name}: mesh and sectors are a click (256 units) or more apart in one sector"
    )
    assert "Sectors from Mesh" in text and other.name not in text
    findings = shop.root.tomb_raider.findings
    number = next(place for place, each in enumerate(findings) if "sectors_from_mesh" in each.fix)
    fix = "sectors_from_mesh" if setting == "SECTORS" else "mesh_from_sectors"
    bpy.ops.tomb_raider.fix_finding(collection=shop.root.name, number=number, fix=fix)
    assert warnings() == []
