"""Boxes, overlaps and zones (documentation, chapter 7.3), shown as an overlay and recomputed on export.

They follow from the sectors. The exporter reads only some face attributes of the overlay: which boxes can be
blocked, and zones that were set by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, FormatError, Game, Level, Room
from ....formats.base import SECTOR_SIZE, Bits, T
from ....formats.levels.collision import join_boxes, no_box, split_boxes
from ....formats.levels.floor import Function, camera_uses
from ....formats.levels.pathfinding import (
    BLOCK_BITS,
    NO_LIST,
    Pathfinding,
    RoomGround,
    blockable_bits,
    decode_overlaps,
    find_paths,
    room_ground,
    same_ground,
)
from ...core.context import ExportContext, ImportContext
from ...core.membership import level_of
from ...core.space import Space
from ...core.stages import ExportStage, ImportStage, Product, Steps
from ...core.subjects import Kind
from ...mesh.blender_mesh import read_ints, read_shape, read_values, write_material_slots, write_mesh
from ...mesh.poly_mesh import PolyMesh
from ..floor.floor_data import FLOOR, FloorExport
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from .zones import USUAL_ZONES, ZONE_KINDS

BOX = "tr_box"
BLOCKABLE = "tr_blockable"
_ZONE = "tr_zone"
BY_HAND = "tr_zones_by_hand"  # a bit for each zone attribute that was set by hand
_MOST_ZONES = 10  # of a box
_ABOVE = 16  # units over the floor, so that the overlay is visible
_COLORS = 12

# --- Import ----------------------------------------


def import_boxes(context: ImportContext) -> None:
    """Make the overlay: a quad per box, edges between boxes that overlap."""
    level = context.level
    if not len(level.boxes):
        return
    collection = context.collection("Pathfinding", Kind.PATHFINDING)
    obj = bpy.data.objects.new("Boxes", bpy.data.meshes.new("Boxes"))
    obj.tomb_raider.kind = Kind.BOXES
    obj.hide_render = True
    collection.objects.link(obj)
    zones = obj.tomb_raider.boxes.zones = USUAL_ZONES[level.game]
    draw_boxes(obj, level, context.space, zones)


def draw_boxes(obj: Object, level: Level, space: Space, zones: str | None = None) -> None:
    """Fill the overlay's mesh with the boxes of a level; for ``zones`` see :func:`show_zones`."""
    mesh = obj.data
    assert isinstance(mesh, Mesh)
    by_hand = read_zones_by_hand([obj], space)
    mesh.clear_geometry()
    count = len(level.boxes)
    corners = _corners(level.game, level.boxes)
    points = np.concatenate([corners.reshape(-1, 3), corners.mean(axis=1)])
    pairs = np.sort(decode_overlaps(level.game, level.boxes, level.overlaps), axis=1)
    # Single numbers are sorted ten times as fast as pairs.
    edges = np.stack(np.divmod(np.unique(pairs[:, 0] * count + pairs[:, 1]), count), axis=1)
    mesh.edges.add(len(edges))
    mesh.edges.foreach_set("vertices", (edges + 4 * count).astype(np.int32).ravel())
    face = {BOX: np.arange(count), BLOCKABLE: _blockable(level).astype(np.int32)}
    rows, marks, _ = _with_zones(level, by_hand)
    if by_hand:
        face[BY_HAND] = marks
    for index, zone in enumerate(rows):
        face[f"{_ZONE}_{index}"] = zone.astype(np.int32)
    quads = np.arange(4 * count), np.full(count, 4)
    write_mesh(mesh, PolyMesh(space.to_blender(points), *quads, face=face))
    show_zones(obj, level.game, zones)


def _corners(game: Game, boxes: NDArray[np.void]) -> NDArray[np.float64]:
    """Return the corners of boxes in world units, (boxes, 4, 3)."""
    unit = SECTOR_SIZE if game.traits.has_box_sectors else 1
    x0, x1, z0, z1 = (boxes[name].astype(np.float64) * unit for name in ("x_min", "x_max", "z_min", "z_max"))
    if not game.traits.has_box_sectors:  # boxes may end at their last unit
        x1, z1 = np.ceil(x1 / SECTOR_SIZE) * SECTOR_SIZE, np.ceil(z1 / SECTOR_SIZE) * SECTOR_SIZE
    y = boxes["floor"].astype(np.float64) - _ABOVE
    around = ((x0, z0), (x0, z1), (x1, z1), (x1, z0))
    return np.stack([np.stack([x, y, z], axis=1) for x, z in around], axis=1)


def _blockable(level: Level) -> NDArray[np.uint8]:
    """Return two bits per box: whether it can be blocked (2), and is (1)."""
    return blockable_bits(np.arange(len(level.boxes), dtype=np.int32), level.boxes)


def show_zones(obj: Object, game: Game | None = None, chosen: str | None = None) -> None:
    """Color the overlay by zones, by default those of its settings.

    Without a game, the level's collections are searched for the level of the overlay.
    """
    mesh, settings = obj.data, obj.tomb_raider.boxes
    assert isinstance(mesh, Mesh)
    if not len(mesh.polygons):
        return
    layers: Any = mesh.attributes
    if game is None:
        root = level_of(obj)
        game = Game.TR5 if root is None else Game[root.tomb_raider.game]
    kinds = [item[0] for item in ZONE_KINDS[game]]
    chosen = chosen or settings.zones
    number = kinds.index(chosen) if chosen in kinds else 0
    layer = layers.get(f"{_ZONE}_{number + len(kinds) * settings.flipped}")
    if layer is None:
        return
    colors = read_values(layer, len(mesh.polygons)) % _COLORS
    missing = range(len(mesh.materials), int(colors.max()) + 1)
    for material in _materials(missing):
        mesh.materials.append(material)
    write_material_slots(mesh, colors)
    mesh.update()


# --- Zones by hand ----------------------------------------

# The extents of a box, and the zones that were set by hand: by index in the file, the number of the zone.
_ByHand = dict[tuple[int, ...], dict[int, int]]


def zone_index(obj: Object) -> int:
    """Return the index of the zones that an overlay shows among those of the file."""
    settings, root = obj.tomb_raider.boxes, level_of(obj)
    kinds = [item[0] for item in ZONE_KINDS[Game.TR5 if root is None else Game[root.tomb_raider.game]]]
    return kinds.index(settings.zones) + len(kinds) * settings.flipped


def set_zone(obj: Object, faces: Sequence[int], zone: int, *, by_hand: bool = True) -> int:
    """Set the shown zone of boxes of an overlay, not in edit mode, and return the number of the zone.

    Args:
        zone: the number of the zone, -1 for a new one.
        by_hand: whether exports write this zone; otherwise they write the computed one.
    """
    mesh, index = obj.data, zone_index(obj)
    assert isinstance(mesh, Mesh)
    layers: Any = mesh.attributes
    names = (f"{_ZONE}_{index}", BY_HAND)
    for name in names:
        if name not in layers:
            layers.new(name, "INT", "FACE")
    zones, marks = (layers[name] for name in names)  # a new attribute invalidates those of before
    if zone < 0:
        zone = int(read_values(zones, len(mesh.polygons)).max(initial=-1)) + 1
    for face in faces:
        marks.data[face].value = Bits(index).put(marks.data[face].value, int(by_hand))
        if by_hand:
            zones.data[face].value = zone
    show_zones(obj)
    return zone


def read_zones_by_hand(overlays: Iterable[Object], space: Space) -> _ByHand:
    """Return the zones that were set by hand in overlays of a level."""
    result: _ByHand = {}
    for obj in overlays:
        layers: Any = obj.data.attributes if isinstance(obj.data, Mesh) else {}
        for *extents, bits, face in _rows(obj, space, BY_HAND).tolist():
            indices = [index for index in range(_MOST_ZONES) if Bits(index).of(bits)]
            zones = {index: layers.get(f"{_ZONE}_{index}") for index in indices}
            numbers = {index: layer.data[face].value for index, layer in zones.items() if layer is not None}
            if numbers:
                result[tuple(extents)] = numbers
    return result


def _with_zones(level: Level, by_hand: _ByHand) -> tuple[NDArray[np.uint16], NDArray[np.int32], int]:
    """Return a level's zones with those set by hand.

    Returns:
        (zones, boxes); the bits of the zones set by hand, (boxes,); the number of boxes missing in the level.
    """
    count = len(level.boxes)
    zones, marks = level.zones.reshape(-1, count), np.zeros(count, np.int32)
    if not by_hand:
        return zones, marks, 0
    zones = zones.copy()
    boxes = _extents(_corners(level.game, level.boxes))
    rows = {tuple(box): row for row, box in enumerate(boxes.tolist())}
    for extents, values in by_hand.items():
        for index, zone in values.items() if extents in rows else ():
            if index < len(zones):
                zones[index, rows[extents]] = min(max(zone, 0), 0xFFFF)
                marks[rows[extents]] = Bits(index).put(int(marks[rows[extents]]), 1)
    return zones, marks, len(by_hand.keys() - rows.keys())


def _write_zones(context: ExportContext) -> None:
    """Write the zones that were set by hand, after boxes were recomputed or kept."""
    by_hand = read_zones_by_hand([obj for obj, _ in context.objects(Kind.BOXES)], context.space)
    if not by_hand:
        return
    level = context.level
    zones, _, lost = _with_zones(level, by_hand)
    if lost:
        text = T("zones set by hand are lost, because the collision there changed: {lost} boxes", lost=lost)
        context.report.warn(T("Pathfinding"), text)
    zones = zones.reshape(level.zones.shape)
    changed = int((zones != level.zones).sum())
    if changed:
        level.zones = zones
        context.rebuilt.count("zones", changed)


def _materials(numbers: Iterable[int]) -> list[Material]:
    """Return the materials of zones; each is made once per file."""
    names = {f"Zone Color {number:02}": number for number in numbers}
    materials: dict[str, Material] = {}
    for existing in bpy.data.materials if names else ():
        if existing.name in names and existing.tomb_raider.kind == "GUIDE":
            materials.setdefault(existing.name, existing)
    for name, number in names.items():
        if name not in materials:
            material: Any = bpy.data.materials.new(name)
            material.tomb_raider.kind = "GUIDE"
            material.diffuse_color = (*_hue(number / _COLORS), 0.5)
            materials[name] = material
    return [materials[name] for name in names]


def _hue(turn: float) -> tuple[float, float, float]:
    red, green, blue = (min(max(abs((turn * 6 + shift) % 6 - 3) - 1, 0), 1) for shift in (0, 4, 2))
    return 0.15 + 0.8 * red, 0.15 + 0.8 * green, 0.15 + 0.8 * blue


# --- Export ----------------------------------------


def export_boxes(context: ExportContext, where: Whereabouts, floor: FloorExport) -> bool:
    """Recompute boxes, overlaps and zones where the walkable space has changed; return whether it did so.

    Rooms, sectors and floor data have to be final.

    Raises:
        ExportError: where there are more boxes or overlaps than the game can number.
    """
    is_new = _update_boxes(context, where, floor)
    _write_zones(context)
    return is_new


def _update_boxes(context: ExportContext, where: Whereabouts, floor: FloorExport) -> bool:
    policy = context.root.tomb_raider.pathfinding
    blockable = _read_overlay(context)
    have_changed = policy != "ALWAYS" and _ground_changed(context, floor)
    if policy == "ALWAYS" or (have_changed and policy != "NEVER"):
        _recompute(context, where, floor, blockable)
        return True
    if have_changed:
        text = T("collision changed, but boxes, overlaps and zones were kept")
        context.report.warn(T("Pathfinding"), text)
    _write_blockable(context, blockable.bits)
    return False


@dataclass(frozen=True)
class _Blockable:
    """The boxes that can be blocked, read from the overlay."""

    bits: NDArray[np.uint8]  #: (boxes,) of the original's boxes: 2 blockable, 1 blocked.
    #: (n, 6) boxes of the overlay that the original lacks, as after a refresh: x_min, x_max, z_min, z_max and
    #: floor in world units, and the bits.
    others: NDArray[np.int64]


def _read_overlay(context: ExportContext) -> _Blockable:
    bits = _blockable(context.original)
    rows = [_rows(obj, context.space, BLOCKABLE)[:, :6] for obj, _ in context.objects(Kind.BOXES)]
    boxes = np.concatenate([np.zeros((0, 6), np.int64), *rows])
    corners = _corners(context.original.game, context.original.boxes)
    numbers_by_extents = {tuple(row): number for number, row in enumerate(_extents(corners).tolist())}
    numbers = np.array([numbers_by_extents.get(tuple(row), -1) for row in boxes[:, :5].tolist()], np.int64)
    is_original = numbers >= 0
    bits[numbers[is_original]] = BLOCK_BITS.fit(boxes[is_original, 5])
    return _Blockable(bits, boxes[~is_original])


def _rows(obj: Object, space: Space, name: str) -> NDArray[np.int64]:
    """Return the boxes of an overlay, (n, 7): extents, the value of a face attribute, and the face."""
    mesh = obj.data
    layer: Any = mesh.attributes.get(name) if isinstance(mesh, Mesh) else None
    values = None if layer is None else read_ints(layer, "FACE", len(layer.data))
    if not isinstance(mesh, Mesh) or values is None or not len(values):
        return np.zeros((0, 7), np.int64)
    shape = read_shape(mesh)
    quads = shape.sizes == 4
    corners = shape.positions[shape.vertex_rows()[quads]].astype(np.float64)
    extents = _extents(space.to_file(corners.reshape(-1, 3), obj.name, "a vertex").reshape(-1, 4, 3))
    return np.concatenate([extents, values[quads, None], np.flatnonzero(quads)[:, None]], axis=1)


def _extents(corners: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return x_min, x_max, z_min, z_max and floor, (n, 5), of boxes with corners (n, 4, 3)."""
    least, greatest = corners.min(axis=1), corners.max(axis=1)
    columns = (least[:, 0], greatest[:, 0], least[:, 2], greatest[:, 2], least[:, 1] + _ABOVE)
    return np.rint(np.stack(columns, axis=1)).astype(np.int64)


def _write_blockable(context: ExportContext, bits: NDArray[np.uint8]) -> None:
    changed = bits != _blockable(context.original)
    # In older games the value for "no overlaps" has no bits left.
    changed &= context.original.boxes["overlap"] != NO_LIST if len(changed) else changed
    if not changed.any():
        return
    boxes = context.level.boxes.copy()
    boxes["overlap"][changed] = BLOCK_BITS.put(boxes["overlap"][changed], bits[changed])
    context.level.boxes = boxes
    context.rebuilt.count("boxes", int(changed.sum()))


def _ground_changed(context: ExportContext, floor: FloorExport) -> bool:
    """Return whether the walkable space of any room differs from that of the original with its number."""
    before, after = context.original.rooms, context.level.rooms
    if len(before) != len(after):
        return True
    is_same = all(map(_looks_same, before, after))
    if is_same and np.array_equal(context.level.floor_data, context.original.floor_data):
        return False
    try:
        original_lists = context.decoded.floor_lists
    except FormatError as error:
        problem = T("pathfinding cannot be updated, because its data is damaged ({error})", error=str(error))
        raise ExportError(T("floor data"), problem) from None
    game = context.original.game
    for number, (room, new_room) in enumerate(zip(before, after, strict=True)):
        lists, new_lists = original_lists.of(room.sectors["floor_data"]), floor.functions(number)
        # An edit of one list moves those after it, so the numbers of lists have no meaning.
        if lists == new_lists and _looks_same(room, new_room, with_lists=False):
            continue
        if not same_ground(room_ground(room, lists, game), room_ground(new_room, new_lists, game)):
            return True
    return False


def _looks_same(before: Room, after: Room, *, with_lists: bool = True) -> bool:
    names = ("x", "z", "z_sectors", "alternate_room", "flags")
    same = all(getattr(before, name) == getattr(after, name) for name in names)
    if not same or before.sectors is after.sectors:
        return same
    columns = [name for name in before.sectors.dtype.names or () if with_lists or name != "floor_data"]
    return all(np.array_equal(before.sectors[name], after.sectors[name]) for name in columns)


def _recompute(context: ExportContext, where: Whereabouts, floor: FloorExport, blockable: _Blockable) -> None:
    level, game = context.level, context.original.game
    functions = [floor.functions(number) for number in range(len(level.rooms))]
    grounds = [room_ground(room, lists, game) for room, lists in zip(level.rooms, functions, strict=True)]
    pathfinding = find_paths(game, grounds, [_bits_of(ground, blockable) for ground in grounds])
    if pathfinding.outside:
        text = T("they are too far from the world origin for boxes, so enemies cannot find a way there")
        context.report.warn(T("{count} sectors", count=pathfinding.outside), text)
    _number_sectors(level.rooms, game, pathfinding)
    level.boxes, level.overlaps, level.zones = pathfinding.boxes, pathfinding.overlaps, pathfinding.zones
    _move_into_boxes(context.level, where, functions, grounds, pathfinding)
    context.rebuilt.count("boxes", len(pathfinding.boxes))


def _bits_of(ground: RoomGround, blockable: _Blockable) -> NDArray[np.uint8]:
    """Return for each sector of a room the bits of its original box, or of the overlay's box there."""
    box, original_bits = ground.sectors.box, blockable.bits
    bits = np.zeros(len(box), np.uint8)
    is_original = (box >= 0) & (box < len(original_bits))
    bits[is_original] = original_bits[box[is_original]]
    if len(blockable.others):
        column, row = np.divmod(np.arange(len(box)), ground.z_sectors)
        x, z = (column + ground.x) * SECTOR_SIZE, (row + ground.z) * SECTOR_SIZE
        heights = ground.sectors.floor.heights.reshape(len(box), -1)
        for x0, x1, z0, z1, floor, value in blockable.others.tolist():  # few: boxes made since the import
            is_inside = (x0 <= x) & (x < x1) & (z0 <= z) & (z < z1)
            is_inside &= (heights.min(axis=1) <= floor) & (floor <= heights.max(axis=1))
            bits[is_inside] = BLOCK_BITS.fit(value)
    return bits


def _number_sectors(rooms: list[Room], game: Game, pathfinding: Pathfinding) -> None:
    for room, boxes in zip(rooms, pathfinding.sector_boxes, strict=True):
        _, material, stopper = split_boxes(room.sectors["box"], game)
        fields = join_boxes(boxes, material, stopper, game)
        if not np.array_equal(fields, room.sectors["box"]):
            room.sectors = room.sectors.copy()
            room.sectors["box"] = fields


def _move_into_boxes(
    level: Level,
    where: Whereabouts,
    functions: list[list[tuple[Function, ...]]],
    grounds: list[RoomGround],
    pathfinding: Pathfinding,
) -> None:
    """Set the box numbers of sinks and AI objects to the new boxes at their positions."""
    lists = {each for room in functions for each in room}
    no_box_number = no_box(level.game)

    def box_at(room: int, x: int, z: int) -> int:
        if not 0 <= room < len(grounds):
            return no_box_number
        ground = grounds[room]
        column, row = x // SECTOR_SIZE - ground.x, z // SECTOR_SIZE - ground.z
        boxes = pathfinding.sector_boxes[room].reshape(-1, ground.z_sectors)
        is_inside = 0 <= column < boxes.shape[0] and 0 <= row < boxes.shape[1]
        box = int(boxes[column, row]) if is_inside else -1
        return no_box_number if box < 0 else box

    sinks = sorted(camera_uses(lists)[1] & set(range(len(level.cameras))))
    if sinks:
        level.cameras = level.cameras.copy()
    for number in sinks:
        record = level.cameras[number]
        position = np.array([record[axis] for axis in "xyz"], np.int64)
        room = where.find(position)
        record["flags"] = box_at(-1 if room is None else room, int(position[0]), int(position[2]))
    if level.has("ai_objects") and len(level.ai_objects):
        level.ai_objects = level.ai_objects.copy()
        for record in level.ai_objects:
            record["box"] = box_at(int(record["room"]), int(record["x"]), int(record["z"]))


def _export(context: ExportContext) -> None:
    HAS_NEW_BOXES.set(context, export_boxes(context, WHEREABOUTS.of(context), FLOOR.of(context)))


HAS_NEW_BOXES: Product[bool] = Product("HAS_NEW_BOXES")
STEPS = Steps({ImportStage.REFERENCES: import_boxes}, {ExportStage.BOXES: _export})
