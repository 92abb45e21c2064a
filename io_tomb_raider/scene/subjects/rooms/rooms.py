"""Rooms (documentation, chapter 3): visible meshes and settings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game, Room
from ....formats.base import SECTOR_SIZE, Record, T, Target, Text, alpha_of, argb_to_bytes, bytes_to_argb
from ....formats.levels.injections import MOST_GROUP, edit_of, with_edit
from ....formats.levels.lights import is_placeholder, put_integer_position
from ....formats.levels.rooms import encode_faces, encode_layers
from ...core.context import ExportContext, ImportContext, RoomPart
from ...core.space import matrix_within
from ...core.stages import ROOMS, ExportStage, ImportStage, Product, RoomObjects, Steps
from ...core.stored import within
from ...core.subjects import Kind
from ..meshes.arrays import LAYER, ROOM_ARRAYS, ROOM_MESHES, VERTEX, MeshArrays, build_meshes
from ..meshes.joining import join_meshes
from ..meshes.placed import transform, warn_of_lost_doubles
from ..meshes.read import read_mesh
from ..object_textures.faces import (
    FACE_USERS,
    QUADS,
    RESOLVED,
    TRIANGLES,
    FaceResolver,
    ResolvedFaces,
    TexturedFaces,
)
from ..object_textures.mesh_faces import mesh_faces
from ..textures.materials import MATERIALS, LevelMaterials
from .arrays import room_shades, room_vertices, rooms_arrays
from .demo import export_demo, import_demo
from .diagnosis import RoomDiagnosis
from .imported import PART, PARTS, RoomWithParts, add_parts, marked, snapped, split
from .location.plan import RoomPlan
from .location.where import WHEREABOUTS, Whereabouts
from .numbers import renumber_records, start_rooms

_MOST_VERTICES = 0xFFFF
_SAME_PLACE = 1e-3  # units
_UPRIGHT = np.eye(3)
_HELD = 1 << 24  # units: the range in which 32-bit floats hold each integer

# --- Import ----------------------------------------


def import_rooms(context: ImportContext, arrays: list[MeshArrays], materials: LevelMaterials) -> RoomObjects:
    """Make an object for every room; ``arrays`` are from :func:`.arrays.rooms_arrays`."""
    context.root.tomb_raider.imported |= {"ROOMS"}
    parent = context.collection("Rooms", Kind.ROOMS)
    objects: list[Object] = []
    collections: list[Collection] = []
    names = [f"Room {number:03}" for number in range(len(arrays))]
    arrays = list(arrays)
    parts: list[tuple[RoomPart, MeshArrays]] = []
    for number, of_room in groupby(context.options.parts, key=lambda part: part.room):
        room_parts = list(of_room)
        arrays[number], part_arrays = split(arrays[number], room_parts)
        parts += zip(room_parts, part_arrays, strict=True)
    meshes = build_meshes(names, arrays, materials, flat=True)
    origins = np.array([(room.x, 0, room.z) for room in context.level.rooms]).reshape(-1, 3)
    locations = context.space.to_blender(origins).tolist()
    for number, (room, name, mesh) in enumerate(zip(context.level.rooms, names, meshes, strict=True)):
        collection = context.collection(name, Kind.ROOM, parent)
        obj = bpy.data.objects.new(name, mesh)
        obj.location = locations[number]
        collection.objects.link(obj)
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.ROOM, number
        properties = settings.room
        values = with_edit(room_values(context.level.game, room), context.decoded.room_edits.get(number))
        for field, value in values.items():
            setattr(properties, field, value)
        objects.append(obj)
        collections.append(collection)
    rooms = RoomObjects(objects, collections)
    for room, obj in zip(context.level.rooms, objects, strict=True):
        alternate = rooms.get(room.alternate_room)
        if alternate is not None:
            obj.tomb_raider.room.alternate_room = alternate
    meshes += add_parts(context, rooms, parts, materials)
    ROOM_MESHES.set(context, list(zip(meshes, [*arrays, *(each for _, each in parts)], strict=True)))
    return rooms


def room_values(game: Game, room: Room) -> dict[str, Any]:
    """Return the values of a room's typed properties by name."""
    traits = game.traits
    values: dict[str, Any] = {"flags": room.flags}
    if traits.has_ambient:
        values["ambient"] = room.ambient
    if traits.has_second_light:
        values["ambient2"] = room.ambient2
    if traits.has_light_mode:
        values["light_mode"] = room.light_mode
    if traits.has_room_color:
        color = np.array([room.color])
        alpha = int(alpha_of(color)[0])
        values["color"] = [part / 255 for part in (*argb_to_bytes(color)[0].tolist(), alpha)]
    if traits.has_reverb:
        values |= {name: getattr(room, name) for name in ("water_scheme", "reverb", "alternate_group")}
    if traits.has_room_layers:
        values["y"] = room.y
    heights = room.vertices["y"]
    if len(heights) and np.isfinite(heights).all():
        margins = {
            "bottom_margin": room.y_bottom - round(float(heights.max())),
            "top_margin": round(float(heights.min())) - room.y_top,
        }
        # Damaged rooms keep heights that no property holds.
        values |= {name: margin for name, margin in margins.items() if abs(margin) <= _MOST_MARGIN}
    return values


# --- Export ----------------------------------------


_MOST_MARGIN = 0x7FFFFFFF
_UNSTORED = ("y", "bottom_margin", "top_margin")  # scenes of older versions do not have them
_EDITED = ("flags", "reverb", "alternate_group")  # values that TRX can have as edits


@dataclass(eq=False)
class _Changed:
    """A room with a changed mesh."""

    number: int
    source: int
    name: str
    arrays: MeshArrays
    faces: TexturedFaces


class RoomExport:
    """Export of rooms; a :class:`~..object_textures.faces.FaceUser`."""

    def __init__(self, context: ExportContext, plan: RoomPlan) -> None:
        self.context = context
        self.plan = plan
        self._changed: list[_Changed] = []
        self._with_parts: list[RoomWithParts] = []
        self._diagnosis = RoomDiagnosis(context, plan)

    def collect(self, resolver: FaceResolver) -> None:
        """Read all rooms, and find those whose meshes differ from the file's."""
        sources = sorted({source for source in self.plan.sources if source >= 0})
        original = self.context.original
        rooms = [original.rooms[source] for source in sources]
        arrays = rooms_arrays(original, rooms, resolver.view, self.context.space)
        expected = dict(zip(sources, arrays, strict=True))
        for number, (obj, source) in enumerate(zip(self.plan.objects, self.plan.sources, strict=True)):
            if obj is not None:
                self._collect(resolver, obj, number, expected.get(source))
            elif self.context.rebuild:
                # The object textures of its faces get other numbers.
                self._add_changed(resolver, number, f"Room {number:03}", expected[source])

    def _collect(self, resolver: FaceResolver, obj: Object, number: int, expected: MeshArrays | None) -> None:
        mesh = self._read(obj, resolver, T("a room must be a mesh"))
        parts = self.plan.parts_of(number)
        imported = [part for part in parts if part.tomb_raider.kind == Kind.IMPORTED_GEOMETRY]
        of_face: NDArray[np.int32] | None = None
        imported_arrays: list[MeshArrays] = []
        if parts:
            placed_parts: list[MeshArrays] = []
            for part in parts:
                arrays = self._read(part, resolver, T("a part of a room must be a mesh"))
                placed = self._in_room(arrays, part, obj)
                if part in imported:
                    imported_arrays.append(arrays)
                    placed = snapped(placed, expected, self.context.space, part.name)
                placed_parts.append(placed)
            if imported:
                numbers = {part: number for number, part in enumerate(imported, 1)}
                mesh = marked(mesh, 0)
                pairs = zip(parts, placed_parts, strict=True)
                placed_parts = [marked(each, numbers.get(part, 0)) for part, each in pairs]
            mesh = join_meshes([mesh, *placed_parts], expected)
            of_face = mesh.face.pop(PART, None)
        mesh = self._place(obj, number, mesh)
        if expected is not None:
            warn_of_lost_doubles(obj.name, mesh, expected, self.context.report)
        if self.context.rebuild or expected is None or not mesh.equals(expected):
            self._diagnosis.check_mesh(obj.name, number, mesh)
            faces = self._add_changed(resolver, number, obj.name, mesh)
        elif of_face is not None:
            faces = mesh_faces(obj.name, mesh, resolver.view, self.context.report, room=True)
        if of_face is not None:
            room = RoomWithParts(number, obj, imported, imported_arrays, faces, of_face, resolver.view)
            self._with_parts.append(room)

    def _read(self, obj: Object, resolver: FaceResolver, problem: Text) -> MeshArrays:
        """Read the mesh that an object shows, and warn of what cannot be exported.

        Raises:
            ExportError: with a problem, if it shows none.
        """
        mesh = self.context.shown.of(obj)
        if mesh is None:
            raise ExportError(obj.name, problem)
        shades = room_shades(self.context.original.game)
        result = read_mesh(mesh, resolver.material_keys, self.context.shown.materials(obj), shades)
        self.context.report.warn_all(obj.name, result.notes)
        return result

    def _in_room(self, mesh: MeshArrays, part: Object, room: Object) -> MeshArrays:
        """Return the mesh of a part in the space of its room's object."""
        matrix = np.array(matrix_within(part, room), np.float64)
        is_in_place = np.abs(matrix[:3, 3]).max() < _SAME_PLACE * self.context.space.scale
        is_in_place &= np.allclose(matrix[:3, :3], _UPRIGHT, atol=1e-6)
        return mesh if is_in_place else transform(mesh, matrix)

    def _add_changed(
        self, resolver: FaceResolver, number: int, name: str, arrays: MeshArrays
    ) -> TexturedFaces:
        faces = mesh_faces(name, arrays, resolver.view, self.context.report, room=True)
        resolver.add(faces)
        self._changed.append(_Changed(number, self.plan.sources[number], name, arrays, faces))
        return faces

    def _place(self, obj: Object, number: int, mesh: MeshArrays) -> MeshArrays:
        """Move the room to its object; return its mesh with height, rotation and scale applied."""
        room = self.context.level.rooms[number]
        matrix = np.array(self.context.space.matrix_of(obj), np.float64)
        x, y, z = self.context.space.to_file_int(matrix[:3, 3], obj.name).tolist()
        if np.array_equal(matrix[:2, 3], self.context.space.to_blender([room.x, 0, room.z])[:2]):
            x, z = room.x, room.z  # equal within 32-bit floats
        if max(abs(x), abs(z)) > _HELD:
            text = T(
                "it is so far away that Blender cannot store positions in it exactly: move it closer "
                "to the origin"
            )
            self.context.report.warn(obj.name, text)
        if (x, z) != (room.x, room.z):
            self._move_unimported(room, x - room.x, z - room.z)
            room.x, room.z = x, z
            self.context.rebuilt.count("rooms")
            if x % SECTOR_SIZE or z % SECTOR_SIZE:
                self.context.report.warn(obj.name, T("it is not on the grid of sectors"))
        if y or (matrix[:3, :3] != _UPRIGHT).any():
            rest = matrix.copy()
            rest[:2, 3] = 0
            mesh = transform(mesh, rest)
        self._diagnosis.check_object(obj.name, number, matrix, mesh)
        return mesh

    def _move_unimported(self, room: Room, x: int, z: int) -> None:
        """Move lights and static meshes that were not imported with their room."""
        imported = self.context.root.tomb_raider.imported
        subjects = {"lights": "LIGHTS", "fog_bulbs": "LIGHTS", "static_meshes": "PLACEMENTS"}
        for section, subject in subjects.items():
            if subject in imported:
                continue
            records = getattr(room, section).copy()
            for record in records:
                if not is_placeholder(record):
                    record["x"], record["z"] = record["x"] + x, record["z"] + z
                    put_integer_position(record)
            setattr(room, section, records)

    def finish(self, resolved: ResolvedFaces) -> Whereabouts:
        """Write the changed meshes and properties into the level's rooms; return the rooms as written."""
        context = self.context
        for changed in self._changed:
            room = context.level.rooms[changed.number]
            before = _geometry(room)
            self._write(changed, room, resolved)
            if changed.source >= 0:
                _keep_margins(room, before[0]["y"])
            same = all(np.array_equal(old, new) for old, new in zip(before, _geometry(room), strict=True))
            context.rebuilt.count("rooms", changed.source >= 0 and not same)  # new ones are counted already
        PARTS.set(context, [part for each in self._with_parts for part in each.exported()])
        plan, rooms = self.plan, context.original.rooms
        for number, (obj, source) in enumerate(zip(plan.objects, plan.sources, strict=True)):
            if obj is not None:
                original = None if source < 0 else rooms[source]
                self._write_values(obj, original, number)
        return Whereabouts(context.root, plan, context.level.rooms, self._diagnosis.causes)

    def _write(self, changed: _Changed, room: Room, resolved: ResolvedFaces) -> None:
        game = self.context.original.game
        space, cause = self.context.space, self._diagnosis.causes.get(changed.number, "")
        vertices = room_vertices(changed.arrays, changed.name, game, space, self.context.report, cause)
        quads, triangles = (resolved.listed(changed.faces, kind) for kind in (QUADS, TRIANGLES))
        if not game.traits.has_room_layers:
            room.vertices = self._keep_sprites(room, vertices, changed)
            room.quads, room.triangles = encode_faces(game, quads, triangles)
            return
        layer = changed.arrays.point.get(LAYER, np.zeros(len(vertices), np.int32))
        numbers = changed.arrays.point.get(VERTEX) if changed.source >= 0 else None
        layered = encode_layers(vertices, np.maximum(layer, 0), quads, triangles, room.layers, numbers)
        room.vertices, room.quads, room.triangles = layered.vertices, layered.quads, layered.triangles
        room.layers = layered.layers

    def _keep_sprites(self, room: Room, vertices: NDArray[np.void], changed: _Changed) -> NDArray[np.void]:
        """Renumber the vertices of sprites; return all vertices, including deleted ones that sprites use.

        Sprites in the scene find their vertices later.
        """
        old = room.sprites["vertex"].astype(np.int64)
        if not len(old) or "SPRITES" in self.context.root.tomb_raider.imported:
            return vertices
        numbers = changed.arrays.point.get(VERTEX, np.full(len(vertices), -1, np.int32))
        order = np.argsort(numbers, kind="stable")
        positions = np.searchsorted(numbers[order], old)
        exists = np.append(numbers[order], -1)[positions] == old
        # Sprites with invalid vertices keep their numbers.
        lost = np.unique(old[~exists & (old < len(room.vertices))])
        total = len(vertices) + len(lost)
        if len(lost) and total > _MOST_VERTICES:
            raise ExportError(changed.name, T("too many vertices"), count=total, limit=_MOST_VERTICES)
        new = np.where(exists, np.append(order, 0)[positions], len(vertices) + np.searchsorted(lost, old))
        room.sprites = room.sprites.copy()
        room.sprites["vertex"] = np.where(old < len(room.vertices), new, old)
        return np.concatenate([vertices, room.vertices[lost]])

    def _write_values(self, obj: Object, original: Room | None, number: int) -> None:
        """Write the typed properties that differ from those of the file's values."""
        room = self.context.level.rooms[number]
        game, settings = self.context.original.game, obj.tomb_raider.room
        before = room_values(game, room)
        writes_all = self.context.rebuild or original is None
        edited = self._write_edit(obj, number, before)
        for field, expected in before.items():
            value = edited.get(field, getattr(settings, field))
            if field in _UNSTORED and not settings.is_property_set(field):
                continue
            if field == "bottom_margin":
                room.y_bottom += value - expected
            elif field == "top_margin":
                room.y_top -= value - expected
            elif field == "color":
                color = [round(part * 255) for part in within(settings, field, obj.name)]
                if writes_all or color != [round(part * 255) for part in expected]:
                    room.color = int(bytes_to_argb(np.array([color[:3]]), color[3])[0])
            elif writes_all or value != expected:
                setattr(room, field, value)
        self._write_alternate(obj, original, room)
        changed = original is not None and (
            room_values(game, room) != before
            or number in ROOM_EDITS.of(self.context)
            or room.alternate_room != self.plan.number(original.alternate_room)
        )
        self.context.rebuilt.count("rooms", changed)

    def _write_edit(self, obj: Object, number: int, before: dict[str, Any]) -> dict[str, Any]:
        """Store what TRX needs as an edit of the room; return the values that the level stores instead."""
        context, source = self.context, self.plan.sources[number]
        settings, edit = obj.tomb_raider.room, context.decoded.room_edits.get(source)
        if edit is None and context.target is not Target.TRX:
            return {}
        native = {name: before.get(name, 0) for name in _EDITED}
        imported = with_edit(native, edit)
        values = {name: getattr(settings, name) for name in _EDITED}
        if values == imported:
            return native
        stored, new = edit_of(values, native, context.original.game)
        if new is not None and context.target is not Target.TRX:
            stored, new = values | {"alternate_group": stored["alternate_group"]}, None
        if new is not None and values["alternate_group"] == imported["alternate_group"]:
            new["flip_group"] = (edit or {}).get("flip_group", new["flip_group"])
        elif new is not None and values["alternate_group"] > MOST_GROUP:
            problem = T("its alternate group is too high for TRX")
            raise ExportError(obj.name, problem, count=values["alternate_group"], limit=MOST_GROUP)
        if edit is not None or new is not None:
            ROOM_EDITS.of(context)[number] = new
        return stored

    def _write_alternate(self, obj: Object, original: Room | None, room: Room) -> None:
        """Write the alternate room; an invalid number of the file is kept until the user chooses one."""
        alternate = obj.tomb_raider.room.alternate_room
        target = self.plan.pointed_at(alternate, obj.name, "alternate room")
        if target is not None:
            room.alternate_room = target
        elif original is not None and 0 <= original.alternate_room < len(self.context.original.rooms):
            room.alternate_room = -1


def _keep_margins(room: Room, before: NDArray[Any]) -> None:
    """Keep the distance of a room's top and bottom, by which games find rooms, from its mesh."""
    heights = room.vertices["y"]
    if len(before) and len(heights):
        room.y_bottom += round(float(heights.max()) - float(before.max()))
        room.y_top += round(float(heights.min()) - float(before.min()))


def _geometry(room: Room) -> tuple[NDArray[Any], ...]:
    return room.vertices, room.quads, room.triangles


# Of an export: the edits of changed rooms by number, None without one.
ROOM_EDITS: Product[dict[int, Record | None]] = Product("ROOM_EDITS", dict)
_PLAN: Product[RoomPlan] = Product("_PLAN")
_EXPORT: Product[RoomExport] = Product("_EXPORT")


def _import(context: ImportContext) -> None:
    rooms = import_rooms(context, ROOM_ARRAYS.of(context), MATERIALS.of(context))
    ROOMS.set(context, rooms)
    import_demo(context, rooms)


def _collect(context: ExportContext) -> None:
    export = RoomExport(context, _PLAN.of(context))
    _EXPORT.set(context, export)
    FACE_USERS.of(context).append(export)


def _export(context: ExportContext) -> None:
    where = _EXPORT.of(context).finish(RESOLVED.of(context))
    WHEREABOUTS.set(context, where)
    renumber_records(context, where)
    export_demo(context, where)
    for obj, number in where.numbers.items():
        context.note_place(obj, "rooms", number)


STEPS = Steps(
    {ImportStage.LIBRARY: _import},
    {
        ExportStage.PLAN: lambda context: _PLAN.set(context, start_rooms(context)),
        ExportStage.FACES: _collect,
        ExportStage.GEOMETRY: _export,
    },
)
