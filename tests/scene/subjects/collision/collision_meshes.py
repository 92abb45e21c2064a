"""Collision meshes in scenes: the heights that the documentation gives, and edits in edit mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import bmesh
import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.formats.levels.floor.editing import in_order
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import Function, Slant, Triangulation
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import Path as Difference
from tests.compare import differences

from ...scenes import changes, export_scene, objects
from ..triggers.sample_triggers import Place, with_functions

CLICK = 256
STEP = 0.5  # a click in Blender
FLOOR, CEILING, WALL, SOLID = 1, 2, 3, 4
HALL, CORRIDOR, WATER = 0, 1, 2  # rooms of the sample levels
PLAIN = (5, 4)  # a flat sector of the hall among flat ones, without functions
Corner = tuple[int, int]


def import_collision(data: bytes) -> Collection:
    """Import only the rooms of a level and their collision, which is fast."""
    switches: dict[str, Any] = {field.name: False for field in fields(ImportOptions) if field.default is True}
    return import_level(data, ImportOptions(**switches | {"rooms": True, "collision": True}), "Level").root


def collision_changes(data: bytes, edit: Callable[[Collection], None]) -> list[Difference]:
    """Return what differs in the export after an edit of a level imported with its collision alone."""
    return changes(data, edit, import_collision)


# --- Heights of sectors by the documentation ----------------------------------------


def documented_heights(base: int, functions: Sequence[Function], ceiling: bool) -> dict[Corner, set[int]]:
    """Return heights by corner (x, z: 0 or 1), in clicks, y down: two where triangles do not meet."""
    corners = [(x, z) for x in (0, 1) for z in (0, 1)]
    shape = next(
        (f for f in functions if isinstance(f, Slant | Triangulation) and f.ceiling == ceiling), None
    )
    if shape is None:
        return {corner: {base} for corner in corners}
    if isinstance(shape, Slant):
        # Chapters 4.4.2 and 4.4.3: the lowered sides of floors, and the raised sides of ceilings.
        x_side = (0 if shape.x > 0 else 1) if not ceiling else (1 if shape.x > 0 else 0)
        z_side = 0 if shape.z > 0 else 1
        sign = -1 if ceiling else 1
        return {
            (x, z): {base + sign * (abs(shape.x) * (x == x_side) + abs(shape.z) * (z == z_side))}
            for x, z in corners
        }
    order = [(1, 1), (0, 1), (0, 0), (1, 0)] if ceiling else [(1, 0), (0, 0), (0, 1), (1, 1)]
    values = dict(zip(order, shape.corners, strict=True))
    rising = shape.function in (8, 10, 0xD, 0xE, 0x11, 0x12)
    found: dict[Corner, set[int]] = {corner: set() for corner in corners}
    for plus in (0, 1):
        right_angle = (plus, plus) if not rising else (plus, 1 - plus)
        across = (1 - right_angle[0], 1 - right_angle[1])
        neighbors = [corner for corner in corners if corner not in (right_angle, across)]
        plane = {corner: values[corner] for corner in (right_angle, *neighbors)}
        plane[across] = sum(values[corner] for corner in neighbors) - values[right_angle]
        shift = shape.height_x if plus else shape.height_other
        for corner in (right_angle, *neighbors):
            if ceiling:
                found[corner].add(base + shift - max(plane.values()) + plane[corner])
            else:
                found[corner].add(base + shift + max(plane.values()) - plane[corner])
    return found


# --- Scenes ----------------------------------------


def with_shapes(data: bytes, functions: Mapping[Place, Sequence[Function]], **fields: int) -> bytes:
    """Do as `with_functions`, with the functions of each sector in the order of the games."""
    return with_functions(data, {at: in_order(each) for at, each in functions.items()}, **fields)


def collision(root: Collection, room: int) -> Any:
    return objects(root, "COLLISION")[room]


def sector_row(level: Level, room: int, at: tuple[int, int]) -> int:
    return at[0] * level.rooms[room].z_sectors + at[1]


def surface_faces(obj: Any, part: int, at: tuple[int, int]) -> list[int]:
    """Return the faces of a part above a sector."""
    mesh = obj.data
    found = []
    for polygon in mesh.polygons:
        x, y, _ = polygon.center
        inside = (int(x // 2), int(y // 2)) == at
        if inside and mesh.attributes["tr_part"].data[polygon.index].value == part:
            found.append(polygon.index)
    return found


def face_of(obj: Any, part: int, at: tuple[int, int]) -> int:
    (face,) = surface_faces(obj, part, at)
    return face


def drag_corner(obj: Any, part: int, at: tuple[int, int], corner: Corner, clicks: float) -> None:
    """Raise all vertices of a surface at a corner of its sector, as box select and G Z do."""
    mesh = obj.data
    x, y = 2 * (at[0] + corner[0]), 2 * (at[1] + corner[1])
    vertices = {v for face in surface_faces(obj, part, at) for v in mesh.polygons[face].vertices}
    for vertex in vertices:
        if mesh.vertices[vertex].co.to_2d()[:] == (x, y):
            mesh.vertices[vertex].co.z += clicks * STEP


def set_face(obj: Any, part: int, at: tuple[int, int], name: str, value: int) -> None:
    for face in surface_faces(obj, part, at):
        obj.data.attributes[name].data[face].value = value


def sector_changes(found: list[Difference]) -> list[tuple[Any, ...]]:
    """Return the differences in rooms, without those that pathfinding rebuilds."""
    return [each for each in found if each[0] in ("rooms",) and each[-1] != "box"]


def functions_at(level: Level, room: int, at: tuple[int, int]) -> tuple[Function, ...]:
    return decode(level.floor_data, int(level.rooms[room].sectors[sector_row(level, room, at)]["floor_data"]))


def surface_at(level: Level, room: int, at: tuple[int, int], ceiling: bool = False) -> dict[Corner, set[int]]:
    record = level.rooms[room].sectors[sector_row(level, room, at)]
    base = int(record["ceiling" if ceiling else "floor"])
    return documented_heights(base, functions_at(level, room, at), ceiling)


class EditMode:
    """Edit mode of a room's collision, with faces of a sector selected."""

    def __init__(self, root: Collection, room: int, *faces: tuple[int, tuple[int, int]]) -> None:
        self.obj = collision(root, room)
        self.layer = next(
            each
            for top in bpy.context.view_layer.layer_collection.children
            for each in top.children
            if each.collection.tomb_raider.kind == "COLLISION" and top.collection == root
        )
        self.layer.exclude = False
        self.obj.hide_viewport = False  # flipped rooms are hidden
        bpy.context.view_layer.update()
        self.faces = faces

    def __enter__(self) -> Any:
        bpy.context.view_layer.objects.active = self.obj
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.context.tool_settings.mesh_select_mode = (False, False, True)
        self.select(*self.faces)
        return self

    def select(self, *faces: tuple[int, tuple[int, int]], triangle: int | None = None) -> None:
        bm = bmesh.from_edit_mesh(self.obj.data)
        part = bm.faces.layers.int["tr_part"]
        for face in bm.faces:
            middle = face.calc_center_median()
            face.select_set((face[part], (int(middle.x // 2), int(middle.y // 2))) in faces)
        if triangle is not None:
            chosen = [face for face in bm.faces if face.select]
            for number, face in enumerate(chosen):
                face.select_set(number == triangle)
        bm.select_flush_mode()
        bmesh.update_edit_mesh(self.obj.data)

    def select_wall(self, at: tuple[int, int], side: int) -> None:
        bm = bmesh.from_edit_mesh(self.obj.data)
        part, sector, way = (bm.faces.layers.int[name] for name in ("tr_part", "tr_sector", "tr_side"))
        depth = self.obj.tomb_raider.collision.z_sectors
        for face in bm.faces:
            face.select_set((face[part], face[sector], face[way]) == (WALL, at[0] * depth + at[1], side))
        bm.select_flush_mode()
        bmesh.update_edit_mesh(self.obj.data)

    def __exit__(self, *_: object) -> None:
        bpy.ops.object.mode_set(mode="OBJECT")


def tool_changes(
    data: bytes,
    room: int,
    faces: Sequence[tuple[int, tuple[int, int]]],
    use: Callable[[EditMode], Any],
) -> tuple[Level, list[tuple[Any, ...]]]:
    """Return the exported level and its differences after work in edit mode."""
    root = import_collision(data)
    with EditMode(root, room, *faces) as mode:
        use(mode)
    level = export_scene(root)
    return level, sector_changes(differences(read_level(data), level))


def sector_path(level: Level, room: int, at: tuple[int, int], name: str) -> tuple[Any, ...]:
    return ("rooms", room, "sectors", sector_row(level, room, at), name)


def surface_kind(obj: Any, face: int) -> str:
    index = obj.data.polygons[face].material_index
    return str(obj.data.materials[index].tomb_raider.collision)
