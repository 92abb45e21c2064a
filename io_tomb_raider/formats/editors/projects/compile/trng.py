"""The footer of TRNG: numbers of rooms and objects for scripts, plugins, and effects of rooms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.files import file_content
from ....base.errors import FormatError
from ....base.messages import T
from ....base.texts import plain_text
from ....levels.floor.functions import Trigger
from ....levels.level.footer import (
    FLOOR_DATA_PLUGINS,
    LEVEL_FLAGS,
    ROOM_FLAGS,
    ROOM_REMAP,
    FooterChunk,
    TrngFooter,
)
from ..model.objects import Camera, Flyby, Moveable, ProjectTrigger, Sink, Static
from ..model.parameters import ACTION_NG, CONDITION, FLIP_EFFECT
from ..model.settings import Settings
from .plan.plan import Plan
from .plan.resources import Resources
from .rooms.floor_data import SectorTriggers
from .rooms.sectors import CompiledSectors
from .rooms.triggers import plugin_of
from .sounds.sounds import sample_files
from .textures.animated import ANIMATIONS, REMAPPED_TILES

STATICS, OBJECTS, PLUGINS = 0x8021, 0x8005, 0x8047
_PARTIAL_TEXTURES, _TOOL_VERSION, _LEVEL_VERSION = 0x8017, 0x8025, 0x8024
_ORDER = (
    ROOM_FLAGS,
    STATICS,
    ANIMATIONS,
    OBJECTS,
    PLUGINS,
    _PARTIAL_TEXTURES,
    FLOOR_DATA_PLUGINS,
    LEVEL_FLAGS,
    ROOM_REMAP,
    _TOOL_VERSION,
    REMAPPED_TILES,
    _LEVEL_VERSION,
)
_IDS = 6000  # of scripts
_ROOMS = 1024
_ROOM_BYTES = 8
NONE = -1
_FLAGS = 0x3  # made by tools of TRNG, for TRNG

_PLUGIN = Struct("<i80sI")
_PLUGIN_LINE = re.compile(r"^Plugin\s*=\s*(\d+)\s*,\s*([^,;]+?)\s*(?:[,;].*)?$", re.IGNORECASE)
_LIBRARY = "Tomb_NextGeneration.dll"
_VERSION_MARK = b"\xbd\x04\xef\xfe"  # of the fixed part of a version resource
_VERSION = Struct("<4x4x4x4xII")  # after it: product version, two parts of 16 bits each
_USUAL_VERSION = (1, 3, 0, 6)


def footer_of(
    footer: TrngFooter, plan: Plan, plugins: NDArray[np.uint8], settings: Settings, resources: Resources
) -> TrngFooter:
    """Return the footer of a level, in the order of the editor.

    `footer`: with the chunks of animated textures. `plugins`: the plugin of each word of floor data.
    """
    numbers = [room.number for room in plan.rooms]
    is_sorted = numbers == sorted(numbers)
    version = _version(settings, resources)
    chunks = {
        ROOM_FLAGS: len(numbers).to_bytes(2, "little")
        + b"".join(bytes([room.kind_strength & 0xFF]) + bytes(_ROOM_BYTES - 1) for room in plan.rooms),
        STATICS: _statics(plan, by_number=is_sorted),
        OBJECTS: _objects(plan),
        PLUGINS: _plugin_names(plan, settings, resources),
        _PARTIAL_TEXTURES: bytes(2),
        FLOOR_DATA_PLUGINS: _plugin_table(plugins),
        LEVEL_FLAGS: _FLAGS.to_bytes(4, "little"),
        ROOM_REMAP: _remap(numbers if is_sorted else range(len(numbers))),
        _TOOL_VERSION: version,
        _LEVEL_VERSION: version,
    }
    chunks |= {chunk.id: chunk.payload for chunk in footer.chunks}
    return TrngFooter(tuple(FooterChunk(number, chunks[number]) for number in _ORDER if number in chunks))


def _remap(numbers: Sequence[int] | range) -> bytes:
    table = np.full(_ROOMS, NONE, "<i2")
    for index, number in enumerate(numbers):
        if 0 <= number < _ROOMS:
            table[number] = index
    return table.tobytes()


# --- Objects of scripts ------------------------------------------------------------------------


def _objects(plan: Plan) -> bytes:
    """Return the numbers of entities, cameras and sinks, and the sequences of flybys, by script id."""
    table = np.full(_IDS, NONE, "<i2")
    for number, obj in plan.script_ids.items():
        placed = plan.objects[obj]
        if not 0 <= number < _IDS:
            continue
        if isinstance(placed, Moveable) and placed.number not in plan.markers:
            table[number] = plan.items.get(placed.number, NONE)
        elif isinstance(placed, Camera | Sink):
            table[number] = plan.cameras.get(placed.number, NONE)
        elif isinstance(placed, Flyby):
            table[number] = placed.sequence
    return table.tobytes()


def _statics(plan: Plan, *, by_number: bool) -> bytes:
    """Return the rooms and the numbers in them of static meshes, by script id."""
    table = np.zeros((_IDS, 2), "<i2")
    table[:, 1] = NONE
    ids = {obj: number for number, obj in plan.script_ids.items()}
    for index, room in enumerate(plan.rooms):
        for row, static in enumerate(room.each(Static)):
            number = ids.get(static.number, NONE)
            if 0 <= number < _IDS:
                table[number] = room.number if by_number else index, row
    return table.tobytes()


# --- Plugins -----------------------------------------------------------------------------------


def floor_data_plugins(
    size: int,
    sectors: Sequence[CompiledSectors],
    triggers: Sequence[SectorTriggers],
    plan: Plan,
    depths: Sequence[int],
) -> NDArray[np.uint8]:
    """Return the plugin of each word of floor data, (size,).

    By room, `sectors` have the indices of their floor data, and `depths` are the numbers of sectors along z.
    """
    table = np.zeros(size, np.uint8)
    for room_sectors, lists, depth in zip(sectors, triggers, depths, strict=True):
        for (z, x), (function, numbers) in lists.items():
            project_triggers = [
                each for each in map(plan.objects.get, numbers) if isinstance(each, ProjectTrigger)
            ]
            if any(map(plugin_of, project_triggers)):
                sector = x * depth + z
                start = int(room_sectors.records["floor_data"][sector]) + int(room_sectors.counts[sector])
                _put_plugins(table, start, function, project_triggers)
    return table


def _put_plugins(
    table: NDArray[np.uint8], start: int, function: Trigger, triggers: Sequence[ProjectTrigger]
) -> None:
    if triggers[0].type == CONDITION:
        table[start] = plugin_of(triggers[0])
    word = start + 2 + (function.reference is not None)
    acting = triggers[len(triggers) - len(function.actions) :]
    for action, trigger in zip(function.actions, acting, strict=True):
        if trigger.target_type in (FLIP_EFFECT, ACTION_NG):
            table[word] = plugin_of(trigger)
        word += 1 + (action.extra is not None)


def _plugin_table(plugins: NDArray[np.uint8]) -> bytes:
    used = np.flatnonzero(plugins)
    size = 0 if not len(used) else int(used[-1]) + 1
    content = plugins[:size].tobytes() + bytes(size % 2)
    return len(content).to_bytes(2, "little") + content


def _plugin_names(plan: Plan, settings: Settings, resources: Resources) -> bytes:
    """Return the names of the plugins of the game's script."""
    names = _installed_plugins(settings, resources)
    used = {plugin_of(each) for room in plan.rooms for each in room.each(ProjectTrigger)} - {0}
    for number in sorted(used - names.keys()):
        plan.log.warn(T("the script of the game names no plugin {number}, which triggers use", number=number))
    records = [
        _PLUGIN.pack(number, names[number].encode("cp1252", "replace")[:79], 1) for number in sorted(names)
    ]
    return len(records).to_bytes(2, "little") + b"".join(records)


def _installed_plugins(settings: Settings, resources: Resources) -> Mapping[int, str]:
    """Return the plugins that the script of the game names and that are in its folder, by number."""
    script = resources.paths.find(f"{settings.script_directory}\\Script.txt")
    if script is None:
        return {}
    folders = "$(GameDirectory)\\Plugins", "$(GameDirectory)\\..\\Plugins"
    files = next(filter(None, (sample_files(resources.paths, [each]) for each in folders)), {})
    try:
        lines = plain_text(file_content(script), "cp1252").splitlines()
    except (OSError, FormatError):
        return {}
    matches = [match for match in map(_PLUGIN_LINE.match, lines) if match]
    return {
        int(match[1]): match[2]
        for match in matches
        if 0 < int(match[1]) <= 0xFFFF and f"{match[2].lower()}.trg" in files
    }


# --- Version -----------------------------------------------------------------------------------


def _version(settings: Settings, resources: Resources) -> bytes:
    """Return the version of TRNG next to the game's program, else a usual one."""
    folder = settings.executable_path.replace("/", "\\").rpartition("\\")[0]
    path = resources.paths.find(f"{folder}\\{_LIBRARY}")
    numbers: Sequence[int] = _USUAL_VERSION
    if path is not None:
        try:
            data = file_content(path)
        except (OSError, FormatError):
            data = b""
        offset = data.find(_VERSION_MARK)
        if 0 <= offset <= len(data) - _VERSION.size:
            high, low = _VERSION.unpack_from(data, offset)
            numbers = high >> 16, high & 0xFFFF, low >> 16, low & 0xFFFF
    return np.array([*numbers, 0], "<u2").tobytes()
