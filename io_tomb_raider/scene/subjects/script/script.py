"""Data of a level in its script that the scene shows (TR4, TR5; documentation, chapter 12.1.6).

These are its lens flare, mirror and loading camera, and the speed of scrolling textures.

They are in no level file. Exports of a script compare them with the commands that were noted when they were
made, and write those that differ into its text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import bpy
import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.game_files import CODES, Commands
from ...core.membership import home_of, members_of
from ...core.reporting.report import Report
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ..animated_textures.animated_textures import scroll_speed_of
from ..cameras.fixed import new_camera
from ..cameras.looking import DEFAULT_FOV, look_rotation, same_rotation, view_of
from ..rooms.location.scene_rooms import SceneRooms
from .gameflow import rooms_in_order

COMMANDS: dict[str, str] = {
    Kind.LENS_FLARE: "LensFlare",
    Kind.MIRROR: "Mirror",
    Kind.LOAD_CAMERA: "LoadCamera",
}
SPEED = "UVRotate"
NO_ROOM = 255
_NO_LOAD_CAMERA = (0, 0, 0, 0, 0, 0, NO_ROOM)  # without the command, the game uses that of the level before
_COUNTS = {SPEED: 1, "LensFlare": 6, "Mirror": 2, "LoadCamera": 7}  # of operands
_NAMES: dict[str, str] = {
    Kind.LENS_FLARE: "Lens Flare",
    Kind.MIRROR: "Mirror",
    Kind.LOAD_CAMERA: "Loading Camera",
}
_THICKNESS = 0.01  # of the mirror, which is a plane
_FLARE_UNIT = 256
_FLARE_HEIGHT = 4096  # units by which the game draws the flare above its position
_RANGES: dict[str, tuple[tuple[int, int], ...]] = {
    Kind.LENS_FLARE: ((0, 0xFFFF), (-0x8000, 0x7FFF), (0, 0xFFFF)),
    Kind.LOAD_CAMERA: ((-0x7FFFFFFF, 0x7FFFFFFF),) * 6,
    Kind.MIRROR: ((-0x7FFFFFFF, 0x7FFFFFFF),),
}


def script_kinds(game: Game) -> tuple[str, ...]:
    """Return the kinds of objects that the scripts of a game place."""
    codes = CODES.get(game, {})
    return tuple(kind for kind, name in COMMANDS.items() if (name, ()) in codes)


def noted_commands(root: Collection) -> Commands | None:
    """Return the commands that were last read from or written into a script, or None if none was."""
    try:
        stored = json.loads(root.tomb_raider.script or "null")
        if stored is None:
            return None
        commands = ((name, stored.get(name, ())) for name in _COUNTS)
        return {name: tuple(map(int, each)) for name, each in commands if len(each) == _COUNTS[name]}
    except (ValueError, TypeError, AttributeError):
        return None


def note_commands(root: Collection, commands: Mapping[str, tuple[int, ...]]) -> None:
    """Store the commands of a level's script, see :func:`changed_commands`."""
    root.tomb_raider.script = json.dumps(dict(commands))


# --- From the script ----------------------------------------


def show_commands(root: Collection, commands: Mapping[str, tuple[int, ...]]) -> None:
    """Make the objects that the script places in a level, and set the speed of its scrolling textures."""
    note_commands(root, commands)
    root.tomb_raider.animated.scroll_speed = commands.get(SPEED, (0,))[0]
    for kind in script_kinds(Game[root.tomb_raider.game]):
        operands = commands.get(COMMANDS[kind])
        if operands is None or (kind == Kind.LOAD_CAMERA and operands[-1] == NO_ROOM):
            continue
        obj = new_script_object(root, kind)
        space, point = Space.of(root), _point(kind, operands)
        obj.location = space.in_world(space.to_blender(point).tolist())
        settings = obj.tomb_raider.script
        if kind == Kind.LENS_FLARE:
            settings.color = [channel / 255 for channel in operands[3:]]
        elif kind == Kind.LOAD_CAMERA:
            target = np.array(operands[3:6], np.float64)
            obj.rotation_euler = look_rotation(point, target, 0).to_euler()
            settings.distance = float(np.linalg.norm(target - point))
        if kind != Kind.LENS_FLARE:
            rooms, number = rooms_in_order(root), operands[0 if kind == Kind.MIRROR else -1]
            settings.room = rooms[number] if number < len(rooms) else None
        if kind == Kind.MIRROR and settings.room is not None:
            _fit_mirror(obj, settings.room)


def new_script_object(root: Collection, kind: str) -> Object:
    """Return a new object of a kind that scripts place, in the level's collection of cameras."""
    scale, data = root.tomb_raider.scale, None
    if kind == Kind.LOAD_CAMERA:
        data = new_camera(_NAMES[kind], DEFAULT_FOV, scale)
    obj = bpy.data.objects.new(_NAMES[kind], data)
    obj.tomb_raider.kind = kind
    obj.show_name = True
    obj.empty_display_size = SECTOR_SIZE * scale
    if kind == Kind.LENS_FLARE:
        obj.empty_display_type = "SPHERE"
    elif kind == Kind.MIRROR:
        obj.empty_display_type = "CUBE"
        obj.scale.y = _THICKNESS
    home_of(root, Kind.CAMERAS).objects.link(obj)
    return obj


def _point(kind: str, operands: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the position in a command, in the file's units."""
    if kind == Kind.LENS_FLARE:
        return np.array(operands[:3], np.float64) * _FLARE_UNIT - (0, _FLARE_HEIGHT, 0)
    return np.array((0, 0, operands[1]) if kind == Kind.MIRROR else operands[:3], np.float64)


def _fit_mirror(obj: Object, room: Object) -> None:
    """Move a mirror within its plane to the center of its room, and give it the room's size."""
    corners = np.array(room.bound_box) + np.array(world_matrix(room).translation)
    low, high = corners.min(axis=0), corners.max(axis=0)
    for axis in (0, 2):
        obj.location[axis] = (low[axis] + high[axis]) / 2
        obj.scale[axis] = (high[axis] - low[axis]) / 2 / obj.empty_display_size


# --- Into the script ----------------------------------------


def changed_commands(root: Collection, report: Report) -> dict[str, tuple[int, ...] | None]:
    """Return the commands by name that differ from the noted ones; None for those to remove.

    Raises:
        ExportError: if the script cannot hold the position of an object.
    """
    noted = noted_commands(root)
    changed: dict[str, tuple[int, ...] | None] = {}
    speed = scroll_speed_of(root)
    if noted is not None and speed is not None and speed != noted.get(SPEED, (0,))[0]:
        changed[SPEED] = (speed,)
    for kind in script_kinds(Game[root.tomb_raider.game]):
        old = (noted or {}).get(COMMANDS[kind])
        objects = sorted(members_of(root, kind), key=lambda obj: (len(obj.name), obj.name))
        for obj in objects[1:]:
            text = T("a level has one of these, and {objects} is exported", objects=objects[0].name)
            report.warn(obj.name, text)
        operands = _operands(root, objects[0], old) if objects else None
        if kind == Kind.LOAD_CAMERA and operands is None:
            operands = _NO_LOAD_CAMERA if old is not None and old[-1] != NO_ROOM else old
        if operands != old:
            changed[COMMANDS[kind]] = operands
    return changed


def placed_commands(root: Collection, report: Report) -> Commands:
    """Return the commands by name for all objects that the script of a level places.

    Raises:
        ExportError: as :func:`changed_commands`.
    """
    commands = {**(noted_commands(root) or {}), **changed_commands(root, report)}
    return {name: each for name in COMMANDS.values() if (each := commands.get(name)) is not None}


def _operands(root: Collection, obj: Object, old: tuple[int, ...] | None) -> tuple[int, ...]:
    kind, settings, space = obj.tomb_raider.kind, obj.tomb_raider.script, Space.of(root)
    matrix = space.matrix_of(obj)
    point = space.to_file(np.array(matrix.translation, np.float64), obj.name)
    if kind == Kind.LENS_FLARE:
        position = (point + np.array((0, _FLARE_HEIGHT, 0))) / _FLARE_UNIT
        return (*_whole(obj, position), *(round(part * 255) for part in settings.color))
    if kind == Kind.MIRROR:
        return (_room_number(root, obj, None if old is None else old[0]), *_whole(obj, point[2:]))
    view = np.zeros(3) if old is None else np.array(old[3:6], np.float64) - old[:3]
    rotation, length = matrix.to_3x3().normalized(), float(np.linalg.norm(view))
    is_same = old is not None and same_rotation(rotation, look_rotation((0, 0, 0), view, 0))
    if not is_same or round(settings.distance) != round(length):
        view = view_of(rotation)[0] * settings.distance
    number = _room_number(root, obj, None if old is None else old[-1])
    position = np.rint(point)
    return (*_whole(obj, np.concatenate((position, position + view))), number)


def _whole(obj: Object, values: NDArray[np.float64]) -> tuple[int, ...]:
    result = tuple(int(value) for value in np.rint(values))
    for value, (low, high) in zip(result, _RANGES[obj.tomb_raider.kind], strict=True):
        if not low <= value <= high:
            raise ExportError(obj.name, T("it is too far from the world origin: move it closer"))
    return result


def _room_number(root: Collection, obj: Object, before: int | None) -> int:
    """Return the number of the room of an object, by default of the one that it is in.

    Raises:
        ExportError: if the script cannot hold it.
    """
    rooms, room = rooms_in_order(root), obj.tomb_raider.script.room
    if room not in rooms and before is not None and not 0 <= before < len(rooms):
        return before  # a room that the level does not have
    if room not in rooms:
        room = SceneRooms(root).nearest(world_matrix(obj).translation)
    number = rooms.index(room) if room in rooms else NO_ROOM
    if number >= NO_ROOM:
        problem = T("scripts can refer only to rooms below 255")
        raise ExportError(obj.name, problem, count=number, limit=NO_ROOM - 1)
    return number
