"""The entry of a level in the game flow of TRX: its fields, and the items that entities drop.

The game flow is no part of the level. It refers to entities and rooms by their numbers, so it must be written
again when these change.
"""

from __future__ import annotations

from pathlib import Path

from bpy.types import Collection, Object

from ....formats import FormatError, Game
from ....formats.base import T
from ....formats.levels.game_files import ROOM_STEP, Drop, Flow, Step, find_trx_gameflow, read_trx_gameflow
from ...core.membership import members_of
from ...core.order import ordered
from ...core.reporting.report import Report, storable
from ...core.subjects import Kind
from ..entities.drops import drop_owners, drops_of, put_drops


def find_flow(level: Path | None, game: Game, report: Report) -> tuple[Path, Flow | None] | None:
    """Return the game flow of TRX for a level and the level's entry; None without a game flow.

    A damaged one causes a warning.
    """
    path = None if level is None else find_trx_gameflow(level, game)
    if level is None or path is None:
        return None
    try:
        return path, read_trx_gameflow(path).find(level.name)
    except (FormatError, OSError) as error:
        report.warn(path.name, T("the entry of the level was not read ({error})", error=str(error)))
        return None


def show_flow(root: Collection, path: Path, flow: Flow | None) -> None:
    """Set the properties of a level and its entities to those of its entry in the game flow, if it exists."""
    settings = root.tomb_raider.gameflow
    settings.path = storable(str(path))
    flow = flow or Flow(title=root.tomb_raider.title)
    settings.title, settings.version = storable(flow.title), flow.version
    root.tomb_raider.title = settings.title or root.tomb_raider.title
    settings.track = -1 if flow.track is None else min(flow.track, 0x7FFFFFFF)
    settings.has_water_color = flow.water_color is not None
    if flow.water_color is not None:
        settings.water_color = flow.water_color
    settings.has_fog = flow.fog is not None
    if flow.fog is not None:
        settings.fog_start, settings.fog_end = flow.fog
    settings.has_fog_color = flow.fog_color is not None
    if flow.fog_color is not None:
        settings.fog_color = flow.fog_color
    settings.fog_bulbs = {None: "GAME", True: "ON", False: "OFF"}[flow.fog_bulbs]
    _show_steps(root, flow)
    _show_drops(root, flow)


def _show_steps(root: Collection, flow: Flow) -> None:
    steps, rooms = root.tomb_raider.gameflow.steps, rooms_in_order(root)
    steps.clear()
    for step in flow.steps:
        entry = steps.add()
        entry.kind, entry.parameters = storable(step.kind), storable(step.parameters)
        if step.room is not None and 0 <= step.room < len(rooms):
            entry.room = rooms[step.room]
        elif step.room is not None and step.room <= 0x7FFFFFFF:
            entry.raw_room = max(step.room, -1)


def _show_drops(root: Collection, flow: Flow) -> None:
    """Set what entities drop. Those that the file was read for before keep their numbers of that time."""
    objects = ordered(members_of(root, Kind.ENTITY))
    owners = {number: obj for number, (obj, _) in enumerate(objects)}
    owners |= {number: obj for obj, number in drop_owners(objects).items()}
    for obj, _ in objects:
        put_drops(obj, (), -1)
    for drop in flow.drops:
        if drop.number in owners:
            put_drops(owners[drop.number], drop.items, drop.number)
    note_drops(root, [drop.number for drop in flow.drops if drop.number in owners])


def note_drops(root: Collection, numbers: list[int]) -> None:
    """Note the numbers of the entities that drop items according to the file."""
    root.tomb_raider.gameflow.dropping = " ".join(map(str, numbers))


def noted_drops(root: Collection) -> list[int]:
    """Return the numbers that :func:`note_drops` noted."""
    numbers = root.tomb_raider.gameflow.dropping.split()
    return [int(number) for number in numbers if number.removeprefix("-").isdecimal()]


def flow_of(root: Collection) -> Flow:
    """Return the entry that the properties of a level and its entities describe.

    The numbers of entities and rooms are those that an export gives them.
    """
    settings = root.tomb_raider.gameflow
    rooms = {room: number for number, room in enumerate(rooms_in_order(root))}
    steps = []
    for step in settings.steps:
        number = rooms.get(step.room, None if step.raw_room < 0 else step.raw_room)
        steps.append(Step(step.kind, step.parameters, number if step.kind == ROOM_STEP else None))
    objects = ordered(members_of(root, Kind.ENTITY))
    owners = drop_owners(objects)
    drops = [Drop(number, drops_of(obj), owners.get(obj)) for number, (obj, _) in enumerate(objects)]
    return Flow(
        title=settings.title,
        track=settings.track if settings.track >= 0 else None,
        water_color=tuple(settings.water_color) if settings.has_water_color else None,
        fog=(settings.fog_start, settings.fog_end) if settings.has_fog else None,
        fog_color=tuple(settings.fog_color) if settings.has_fog_color else None,
        fog_bulbs={"GAME": None, "ON": True, "OFF": False}[settings.fog_bulbs],
        steps=tuple(steps),
        drops=tuple(drop for drop in drops if drop.items or drop.before is not None),
    )


def note_written(root: Collection, flow: Flow) -> None:
    """Note the numbers of entities with drops, once they are in the file."""
    for number, (obj, _) in enumerate(ordered(members_of(root, Kind.ENTITY))):
        items = drops_of(obj)
        put_drops(obj, items, number if items else -1)
    note_drops(root, [drop.number for drop in flow.drops if drop.items])
    root.tomb_raider.title = flow.title or root.tomb_raider.title


def rooms_in_order(root: Collection) -> list[Object]:
    """Return the rooms of a level by the numbers of its export."""
    return [room for room, _ in ordered(members_of(root, Kind.ROOM))]
