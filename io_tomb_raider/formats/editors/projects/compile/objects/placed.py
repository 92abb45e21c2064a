"""Objects in the rooms of a project as records of a level."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import cos, radians, sin
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Records
from .....base.bytes.records import (
    AI_OBJECT,
    CAMERA,
    ENTITY,
    FLYBY_CAMERA,
    ROOM_SPRITE,
    ROOM_STATIC,
    SOUND_SOURCE,
)
from .....base.games import LARA, Game
from .....base.messages import T, about, plural
from .....base.units import SECTOR_SIZE
from .....edits.rules.needs import HELPERS, pickups
from .....levels.collision.sectors import no_box
from .....levels.lights.baking import pack_light
from ...light.shades import pack_gray, pack_shades
from ...model.objects import (
    NO_OBJECT,
    Camera,
    Flyby,
    Moveable,
    PlacedObject,
    Sink,
    SoundSource,
    Sprite,
    Static,
    Vector,
)
from ...model.rooms import ProjectRoom
from ..plan.log import Log
from ..plan.plan import Plan, angle, sector_at, world_position
from ..plan.slots import AI_OBJECTS
from ..rooms.mesh import MeshPart, level_positions

_CODE_BITS, _AI_CODE_BITS = 9, 1
_CLEAR_BODY, _INVISIBLE = 0x80, 0x100
_UNTINTED = 0xFFFF
_CAMERA_FLAGS = {0: 0, 1: 1, 2: 3}
_GLIDE_OUT = 4
_SPEED = 655
_WIDEST = 180
_FAR = 512 * SECTOR_SIZE
_IN_BASE, _IN_ALTERNATE = 0x80, 0x40
_ALWAYS, _BASE, _ALTERNATE, _AUTOMATIC = range(4)

_Kind = TypeVar("_Kind", bound=PlacedObject)


@dataclass
class LibraryContents:
    """The slots of a library's models and static meshes, and the numbers of its sounds."""

    models: Collection[int] = frozenset()
    statics: Collection[int] = frozenset()
    #: the models with a mesh whose light is in its vertices, which a tint can change.
    static_light: Collection[int] = frozenset()
    sounds: Collection[int] = frozenset()


@dataclass
class Entities:
    """The entities and AI objects of a level, with their objects in the project by number."""

    entities: Records
    ai_objects: Records
    entity_origins: list[int] = field(default_factory=list)
    ai_origins: list[int] = field(default_factory=list)


def _each(plan: Plan, kind: type[_Kind]) -> Iterator[tuple[int, ProjectRoom, _Kind]]:
    for index, room in enumerate(plan.rooms):
        for each in room.each(kind):
            yield index, room, each


def pack_tint(game: Game, color: Vector, *, wide: bool = False) -> int:
    """Return the tint of an object as levels store it: red is in the low bits, unlike in vertices.

    Games without colored light use the brightness. `wide`: whether the level has colors of 24 bits, of which
    the upper five of each are stored.
    """
    rows = np.array([color], np.float64)
    if not game.traits.has_color_light:
        return int(pack_gray(rows)[0])
    packed = pack_light(Game.TR5, rows) >> 3 if wide else pack_light(Game.TR4, rows)
    red, green, blue = packed[0].astype(np.int64).tolist()
    return int(blue << 10 | green << 5 | red)


# --- Entities ----------------------------------------------------------------------------------


def compile_entities(plan: Plan, library: LibraryContents, *, keep: bool) -> Entities:
    """Return the entities of a level, and note their numbers in the plan.

    `keep`: keep objects that have no model.
    """
    game = plan.target.game
    ai_slots = AI_OBJECTS.get(game, range(0))
    sprites = pickups(game)
    entities: list[tuple[Moveable, Any]] = []
    markers: list[tuple[Moveable, Any]] = []
    missing: dict[int, int] = {}
    laras = 0
    for index, room, moveable in _each(plan, Moveable):
        is_marker = moveable.slot in ai_slots
        slot = sprites.get(moveable.slot, moveable.slot)
        if moveable.slot not in library.models and slot not in library.models:
            missing[moveable.slot] = missing.get(moveable.slot, 0) + (not is_marker or not keep)
            if not keep:
                continue
        if is_marker:
            plan.items[moveable.number] = len(markers)
            plan.markers.add(moveable.number)
            markers.append((moveable, _ai_object(room, index, moveable)))
            continue
        if moveable.slot == LARA:
            laras += 1
            if laras > 1:
                plan.log.warn(about(room.name, T("a second Lara is omitted")))
                continue
        plan.items[moveable.number] = len(entities)
        entities.append((moveable, _entity(plan, room, index, moveable, slot, library)))
    _warn_of_missing(plan, missing, keep=keep)
    if not keep:
        entities += _needed(game, {each.slot for each, _ in entities})
    if not laras:
        plan.log.warn(T("there is no Lara in the project"))
    markers.sort(key=lambda each: (-each[0].slot, each[0].ocb))
    return Entities(
        np.array([tuple(record) for _, record in entities], ENTITY[game]),
        np.array([tuple(record) for _, record in markers], AI_OBJECT),
        [each.number for each, _ in entities],
        [each.number for each, _ in markers],
    )


def _needed(game: Game, placed: Collection[int]) -> Iterator[tuple[Moveable, Any]]:
    """Yield the entities that a game needs in some levels, far away from all rooms."""
    for slot in HELPERS.get(game, ()):
        if slot not in placed:
            record = np.zeros(1, ENTITY[game])[0]
            record["type"] = slot
            for axis in "xyz":
                record[axis] = _FAR
            yield Moveable(NO_OBJECT, slot=slot), record


def _warn_of_missing(plan: Plan, missing: Mapping[int, int], *, keep: bool) -> None:
    for slot, count in sorted(missing.items()):
        if not count:
            continue
        if keep:
            plan.log.warn(
                plural(
                    "no object file has the moveable {slot}, which is placed once",
                    "no object file has the moveable {slot}, which is placed {count} times",
                    count,
                    slot=slot,
                )
            )
        else:
            plan.log.warn(
                plural(
                    "no object file has the moveable {slot}: one object is omitted",
                    "no object file has the moveable {slot}: {count} objects are omitted",
                    count,
                    slot=slot,
                )
            )


def _entity(
    plan: Plan, room: ProjectRoom, index: int, moveable: Moveable, slot: int, library: LibraryContents
) -> Any:
    game = plan.target.game
    record = _record(ENTITY[game], room, moveable.position)
    record["type"], record["room"] = _low(slot), index
    record["angle"] = _low(angle(moveable.y))
    tint = _UNTINTED
    if (min(moveable.color) != 1 or max(moveable.color) != 1) and moveable.slot in library.static_light:
        tint = pack_tint(game, moveable.color, wide=plan.wide)
    record["intensity"] = _low(tint)
    names = record.dtype.names or ()
    if "ocb" in names:
        record["ocb"] = _low(moveable.ocb)
    if "intensity2" in names:
        record["intensity2"] = _low(tint)
    record["flags"] = (
        (moveable.code_bits & 31) << _CODE_BITS
        | (_CLEAR_BODY if moveable.clear_body else 0)
        | (_INVISIBLE if moveable.invisible else 0)
    )
    return record


def _ai_object(room: ProjectRoom, index: int, moveable: Moveable) -> Any:
    record = _record(AI_OBJECT, room, moveable.position)
    record["type"], record["room"] = moveable.slot, index
    record["ocb"], record["angle"] = _low(moveable.ocb), _low(angle(moveable.y))
    record["flags"] = (moveable.code_bits & 31) << _AI_CODE_BITS
    return record


def _record(dtype: np.dtype[np.void], room: ProjectRoom, position: Sequence[float]) -> Any:
    """Return a record at a position in a room."""
    record = np.zeros(1, dtype)[0]
    for axis, number in zip("xyz", world_position(room, position), strict=True):
        record[axis] = number
    return record


def _low(value: int) -> int:
    """Return the signed number with the same lowest 16 bits."""
    return (int(value) + 0x8000 & 0xFFFF) - 0x8000


# --- Static meshes -----------------------------------------------------------------------------


def compile_statics(
    plan: Plan, room: ProjectRoom, library: LibraryContents, *, keep: bool
) -> tuple[Records, list[int]]:
    """Return the static meshes of a room, and the numbers of their objects.

    Merged static meshes, which become a part of the room's mesh, keep their collision.
    """
    game = plan.target.game
    rows, origins = [], []
    for static in room.each(Static):
        if static.slot not in library.statics:
            plan.log.warn(T("no object file has the static mesh {slot}", slot=static.slot))
            if not keep:
                continue  # engines would show the first static mesh of the level in its place
        record = _record(ROOM_STATIC[game], room, static.position)
        record["angle"], record["static_mesh"] = angle(static.y), static.slot & 0xFFFF
        # The editor exchanges red and blue before it takes the brightness.
        color = static.color if game.traits.has_color_light else static.color[::-1]
        tint = pack_tint(game, color, wide=plan.wide)
        names = record.dtype.names or ()
        record["color" if "color" in names else "intensity"] = tint
        if "intensity2" in names:
            record["intensity2"] = tint
        if "unused" in names:
            second = static.ocb & 0xFFFF if plan.target.trng else int(game.traits.marks_static_meshes)
            record["unused"] = second
        rows.append(tuple(record))
        origins.append(static.number)
    return np.array(rows, ROOM_STATIC[game]), origins


# --- Cameras, sounds ---------------------------------------------------------------------------


def compile_cameras(plan: Plan) -> tuple[Records, list[int]]:
    """Return the table of cameras and sinks, and the numbers of their objects.

    The numbers are noted in the plan. The boxes of sinks are set by :func:`put_boxes`.
    """
    rows: list[Any] = []
    origins: list[int] = []
    for index, room, camera in _each(plan, Camera):
        record = _record(CAMERA, room, camera.position)
        record["room"] = index
        record["flags"] = _CAMERA_FLAGS.get(camera.mode, 0) | (_GLIDE_OUT if camera.glide_out else 0)
        plan.cameras[camera.number] = len(rows)
        rows.append(tuple(record))
        origins.append(camera.number)
    for _, room, sink in _each(plan, Sink):
        record = _record(CAMERA, room, sink.position)
        record["room"] = _low(sink.strength)
        plan.cameras[sink.number] = len(rows)
        rows.append(tuple(record))
        origins.append(sink.number)
    return np.array(rows, CAMERA), origins


def put_boxes(plan: Plan, cameras: Records, boxes: Sequence[NDArray[np.int32]]) -> None:
    """Set the boxes of sinks in the table of cameras and sinks. Those of AI objects stay 0: games find them.

    `boxes`: for each room the boxes of its sectors, x-major, -1 for none.
    """
    none = no_box(plan.target.game)
    for index, room, sink in _each(plan, Sink):
        box = _box_at(plan, room, sink.position, boxes[index])
        cameras["flags"][plan.cameras[sink.number]] = box
        if box == none:
            plan.log.warn(about(room.name, T("a sink is outside of all boxes, so its current has no target")))


def _box_at(plan: Plan, room: ProjectRoom, position: Sequence[float], boxes: NDArray[np.int32]) -> int:
    sector = sector_at(room, position)
    box = -1 if sector is None else int(boxes[sector[1] * room.shape.z_sectors + sector[0]])
    return no_box(plan.target.game) if box < 0 else box


def compile_flybys(plan: Plan) -> tuple[Records, list[int]]:
    """Return the flyby cameras, and the numbers of their objects."""
    flybys = []
    for index, room, flyby in _each(plan, Flyby):
        record = _record(FLYBY_CAMERA, room, flyby.position)
        record["target"] = world_position(room, target_of_flyby(flyby))
        record["sequence"], record["index"] = flyby.sequence & 0xFF, flyby.index & 0xFF
        field_of_view = min(max(flyby.field_of_view, 0), _WIDEST)
        record["fov"], record["roll"] = angle(field_of_view), _low(65536 - angle(flyby.roll))
        speed = min(round(max(flyby.speed, 0) * _SPEED), 0xFFFF)
        record["timer"], record["speed"] = flyby.timer & 0xFFFF, speed
        record["flags"], record["room"] = flyby.flags & 0xFFFF, index
        flybys.append((flyby, record))
    flybys.sort(key=lambda each: (each[0].sequence, each[0].index))
    keys = [(each.sequence, each.index) for each, _ in flybys]
    for sequence, index in sorted({key for key, following in pairwise(keys) if key == following}):
        plan.log.warn(
            T(
                "flyby sequence {sequence} has several cameras with number {index}",
                sequence=sequence,
                index=index,
            )
        )
    return np.array([tuple(record) for _, record in flybys], FLYBY_CAMERA), [
        each.number for each, _ in flybys
    ]


def target_of_flyby(flyby: Flyby) -> Vector:
    """Return the point that a flyby camera looks at, a sector ahead, in its room."""
    up, turn = radians(flyby.x), radians(flyby.y)
    x, y, z = flyby.position
    ahead = cos(up) * sin(turn), sin(up), cos(up) * cos(turn)
    return x + ahead[0] * SECTOR_SIZE, y + ahead[1] * SECTOR_SIZE, z + ahead[2] * SECTOR_SIZE


def compile_sounds(plan: Plan, library: LibraryContents, *, keep: bool) -> tuple[Records, list[int]]:
    """Return the sound sources, and the numbers of their objects."""
    rows, origins, lost = [], [], 0
    for _, room, source in _each(plan, SoundSource):
        if source.sound < 0 or (source.sound not in library.sounds and not keep):
            lost += 1
            continue
        record = _record(SOUND_SOURCE, room, source.position)
        record["sound"], record["flags"] = source.sound & 0xFFFF, _sound_flags(plan, room, source)
        rows.append(tuple(record))
        origins.append(source.number)
    if lost:
        plan.log.warn(
            plural(
                "one sound source without a known sound is omitted",
                "{count} sound sources without a known sound are omitted",
                lost,
            )
        )
    return np.array(rows, SOUND_SOURCE), origins


def _sound_flags(plan: Plan, room: ProjectRoom, source: SoundSource) -> int:
    if source.play_mode == _BASE:
        return _IN_BASE
    if source.play_mode == _ALTERNATE:
        return _IN_ALTERNATE
    if source.play_mode == _AUTOMATIC and plan.group(room) is not None:
        return _IN_BASE if room.alternate is not None else _IN_ALTERNATE
    return _IN_BASE | _IN_ALTERNATE


# --- Sprites of TR1 and TR2 --------------------------------------------------------------------


class CompiledSprites(NamedTuple):
    """The sprites of a room."""

    part: MeshPart  #: a vertex for each, without faces.
    records: Records  #: (n,) the sprites, with their vertices numbered from 0.

    def moved(self, vertices: int) -> Records:
        """Return the records in a room whose last vertices are those of sprites."""
        records = self.records.copy()
        records["vertex"] += vertices - len(records)
        return records


def room_sprites_of(
    game: Game, room: ProjectRoom, sequences: Mapping[int, tuple[int, int]], log: Log
) -> CompiledSprites:
    """Return the sprites of a room. Those that no object file has are omitted.

    `sequences`: by slot, the first sprite of a sequence, and their number.
    """
    sprites = [
        sprite for sprite in room.each(Sprite) if 0 <= sprite.frame < sequences.get(sprite.slot, (0, 0))[1]
    ]
    lost = sum(1 for _ in room.each(Sprite)) - len(sprites)
    if lost and sequences:
        log.warn(
            about(
                room.name,
                plural(
                    "a sprite is omitted, since no object file has it",
                    "{count} sprites are omitted, since no object file has them",
                    lost,
                ),
            )
        )
    positions = level_positions(
        room, np.array([sprite.position for sprite in sprites], np.float64).reshape(-1, 3)
    )
    # The editor exchanges red and blue before it takes the brightness.
    colors = np.array([sprite.color[::-1] for sprite in sprites], np.float64).reshape(-1, 3)
    records = np.zeros(len(sprites), ROOM_SPRITE)
    records["vertex"] = np.arange(len(sprites))
    for row, sprite in enumerate(sprites):
        records["texture"][row] = sequences[sprite.slot][0] + sprite.frame
    quads, triangles = np.zeros((0, 4), np.int64), np.zeros((0, 3), np.int64)
    words, origins = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
    none = np.zeros(len(sprites), np.int64)
    part = MeshPart(
        positions, pack_shades(game, colors), quads, triangles, words, words, none, origins, origins,
        np.zeros(positions.shape),
    )  # fmt: skip
    return CompiledSprites(part, records)
