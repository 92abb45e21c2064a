"""The game flow of TRX: reading the entry of a level from a file, and writing it there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from bpy.types import Collection

from ....formats import ExportError
from ....formats.base import T, TextError
from ....formats.levels.game_files import STRINGS, Flow, TrxGameflow, read_trx_gameflow, write_trx_gameflow
from ...core.membership import is_local
from ...core.reporting.report import Report
from ...subjects.script.gameflow import flow_of, note_written, noted_drops, show_flow


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
