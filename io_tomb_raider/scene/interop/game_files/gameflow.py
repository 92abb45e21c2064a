"""The game flow of TRX: reading the entry of a level from a file, and writing it there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from bpy.types import Collection

from ....formats import ExportError
from ....formats.base import T, TextError, about, replace_file
from ....formats.levels.game_files import (
    ROOM_KEY,
    ROOM_STEP,
    STRINGS,
    Flow,
    TrxGameflow,
    files_of,
    read_trx_gameflow,
    update_file,
    write_trx_gameflow,
)
from ...core.membership import is_local, members_of
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...properties.views import catalogue_in
from ...subjects.entities.shown import shown_type
from ...subjects.script.gameflow import flow_of, note_written, noted_drops, show_flow

_BACON_LARA = frozenset({"Doppelganger", "Bacon lara"})  # in the game's list, and of catalogs


class Written(NamedTuple):
    """A written entry."""

    files: list[Path]  #: the files that changed.
    is_new: bool  #: whether the game flow had no entry of the level before.


def read_entry(root: Collection, path: Path, file: str) -> bool:
    """Set the properties of a level to its entry in a game flow; return False if it has none.

    Raises:
        FormatError: if the game flow is damaged. The level is then unchanged.
        OSError: if it cannot be read.
    """
    flow = _entry(root, read_trx_gameflow(path), file)[1]
    if flow is not None:
        show_flow(root, path, flow)
    return flow is not None


def write_entry(root: Collection, path: Path, file: str, report: Report) -> Written:
    """Write the entry of a level into a game flow.

    Args:
        file: the name of the level's file, for a new entry.

    Raises:
        FormatError: if the game flow is damaged.
        ExportError: if a step of the sequence cannot be written.
        OSError: if a file cannot be read or written.
    """
    game = read_trx_gameflow(path)
    name, before = _entry(root, game, file)
    flow = flow_of(root)
    try:
        has_title = game.put(name, flow, noted_drops(root))
    except TextError as error:
        raise ExportError(
            _wrong_step(flow), T("its parameters cannot be read: {problem}", problem=error.problem)
        ) from None
    if not has_title:
        report.warn(
            T("Title"),
            T("it was not written: there is no {file} next to the game flow to hold it", file=STRINGS),
        )
    written = write_trx_gameflow(path, game)
    if is_local(root):
        note_written(root, flow)
        root.tomb_raider.gameflow.path = str(path)
    return Written(written, before is None)


def update_files(root: Collection, path: Path, file: str, report: Report) -> list[str]:
    """Write a game flow, and the strings and the object catalog next to it, in the form of TRX 1.11.

    The scene's entry of a level is written first, and read again. The room of its step for Bacon Lara becomes
    a property of that model or of its entities.

    Args:
        file: the name of the level's file.

    Returns:
        All changes of the files, one line each.

    Raises:
        FormatError: if a file is damaged. Only the level's entry may be written then.
        ExportError: if a step of the sequence cannot be written.
        OSError: if a file cannot be read or written.
    """
    settings = root.tomb_raider.gameflow
    if settings.path and Path(settings.path) == path:
        write_entry(root, path, file, report)
    else:
        read_entry(root, path, file)
    rooms = [(step.room, step.raw_room) for step in settings.steps if step.kind == ROOM_STEP]
    files = {each: update_file(each) for each in dict.fromkeys((path, *files_of(path.parent)))}
    lines: list[str] = []
    for each, result in files.items():
        if result.changes:
            replace_file(each, result.text.encode(errors="surrogateescape"))
        for change in result.changes:
            line = T("line {number}: {text}", number=change.line, text=change.text)
            lines.append(about(each.name, line))
    read_entry(root, path, file)
    if is_local(root) and rooms and not _put_anchor(root, *rooms[-1]):
        report.warn(
            T("Bacon Lara"),
            T("the level has no model and no entity of it that could get the property {name}", name=ROOM_KEY),
        )
    return lines


def _put_anchor(root: Collection, room: Any, number: int) -> bool:
    """Set the room of Bacon Lara's model, or else of its entities. Return whether there is any."""
    slots = {each for each, name in catalogue_in(root).known("model").items() if name in _BACON_LARA}
    models = [obj for obj in members_of(root, Kind.MODEL) if obj.tomb_raider.model.id in slots]
    owners = models or [obj for obj in members_of(root, Kind.ENTITY) if shown_type(obj) in slots]
    for owner in owners:
        properties = owner.tomb_raider.properties
        item = next((each for each in properties if each.name == ROOM_KEY), None) or properties.add()
        item.name, item.type, item.integer = ROOM_KEY, "INTEGER", -1 if room is not None else number
        item.room = room
    return bool(owners)


def _entry(root: Collection, game: TrxGameflow, file: str) -> tuple[str, Flow | None]:
    """Return the name of a level's file in a game flow, by default the given one, and its entry or None."""
    names = [name for name in (root.tomb_raider.source, file) if name]
    entries = ((name, game.find(name)) for name in names)
    return next(((name, flow) for name, flow in entries if flow is not None), (file, None))


def _wrong_step(flow: Flow) -> str:
    """Return the name of the first step whose parameters are no JSON5."""
    for number, step in enumerate(flow.steps, 1):
        try:
            TrxGameflow("{}").put("level", Flow(steps=(step,)))
        except TextError:
            return T("Step {number} ({kind})", number=number, kind=step.kind)
    return T("Sequence")
