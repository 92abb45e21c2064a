"""``check`` command: problems of a level in the game, and whether writing it gives the same bytes.

Single animations, injections and object files are only read and written, and so are projects, of which it
reports what Tomb Editor drops or does not compile, too.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...formats import ExportError
from ...formats.editors.animation_files import (
    ANIMATION_SUFFIXES,
    is_animation_file,
    read_animation,
    write_animation,
)
from ...formats.editors.projects import PROJECT_SUFFIXES
from ...formats.editors.wads import OBJECT_SUFFIXES, is_object_file
from ...formats.levels.injections import INJECTION_SUFFIXES
from ...formats.levels.views import Finding, Severity, name_of
from ..base.text.words import plain
from .commands import LEVEL_SUFFIXES, CheckError, Command, Result, jobs, levels

_SEVERITIES = {Severity.INFO: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def check(path: str, *, scene: bool = False, seams: bool = False) -> Result:
    """Read a level, check that writing it gives the same bytes, and return its problems in the game.

    Args:
        scene: import the level into an empty scene, and export it from there.
    Raises:
        ExportError: writing gives other bytes.
        CheckError: a game may crash.
        FormatError, OSError: the level cannot be read.
    """
    from ...formats import read_level
    from ...formats.base import read_file
    from ...formats.edits.checks import find_seams
    from ...formats.levels.views import Decoded
    from ...scene.pipeline.checks import check_with_roles

    before = read_file(path)
    level = read_level(path)
    _require_same(path, before, _from_scene(path) if scene else level.to_bytes())
    decoded = Decoded(level)
    unsorted = [*check_with_roles(decoded), *(find_seams(decoded) if seams and level.has("models") else ())]
    return _result(f"writing gives the same {len(before)} bytes", _findings(unsorted), equal=True)


class _Finding(NamedTuple):
    """A problem of a level: its severity, the name of the object, and the text."""

    severity: str
    object: str
    text: str


def _findings(problems: Iterable[Finding]) -> list[_Finding]:
    """Return findings for users, the worst first."""
    return [
        _Finding(_SEVERITIES[problem.severity], name_of(problem.obj), problem.say(name_of))
        for problem in sorted(problems, key=lambda problem: -problem.severity)
    ]


def _result(summary: str, findings: Sequence[_Finding], **values: Any) -> Result:
    """Return the result of a check. Raises CheckError if there is an error among the findings."""
    lines = [f"  {finding.severity}: {finding.object}: {finding.text}" for finding in findings]
    text = "\n".join([summary, *lines])
    data = [finding._asdict() for finding in findings]
    if any(finding.severity == _SEVERITIES[Severity.ERROR] for finding in findings):
        raise CheckError(text, error=summary, findings=data, **values)
    return Result(text, findings=data, **values)


def _require_same(path: str, before: bytes, after: bytes) -> None:
    """Raise ExportError if the written bytes of a file differ from those that were read."""
    if after != before:
        offset = _first_difference(before, after)
        raise ExportError(os.path.basename(path), f"the written file differs from byte {offset} on")


def _first_difference(before: bytes, after: bytes) -> int:
    pairs = zip(before, after, strict=False)
    offsets = (offset for offset, (old, new) in enumerate(pairs) if old != new)
    return next(offsets, min(len(before), len(after)))


def check_animation(path: str) -> Result:
    """Read an .anim or .trw, and check that writing it gives the same numbers.

    Raises:
        ExportError: writing gives other numbers.
        CheckError: a part of it is damaged.
        FormatError, OSError: it cannot be read.
    """
    from ...formats.base import read_file
    from ...formats.editors.animation_files import same_numbers

    before, suffix = read_file(path), os.path.splitext(path)[1]
    animation = read_animation(before, suffix)
    after = write_animation(animation, suffix)
    content = f"{animation.keys} keys of {animation.bones} bones, {animation.frame_rate} ticks per key"
    if after == before:
        text = f"writing gives the same {len(before)} bytes ({content})"
    elif same_numbers(read_animation(after, suffix), animation):
        offset = _first_difference(before, after)
        text = f"writing gives the same numbers ({content}); the text differs from byte {offset} on"
    else:
        raise ExportError(os.path.basename(path), "the written file has other numbers")
    problems = list(animation.problems)
    if problems:
        lines = [text, *(f"  error: {problem}" for problem in problems)]
        raise CheckError("\n".join(lines), error=text, problems=problems, equal=after == before)
    return Result(text, problems=[], equal=after == before)


def check_injection(path: str) -> Result:
    """Read an injection of TRX, and check that writing it gives the same bytes.

    Raises:
        ExportError: writing gives other bytes.
        FormatError, OSError: it cannot be read.
    """
    from ...formats.base import read_file
    from ...formats.edits.injections import remarks
    from ...formats.levels.injections import content, read_injection

    before = read_file(path)
    injection = read_injection(before)
    _require_same(path, before, injection.to_bytes())
    counts = content(injection)
    listed = ", ".join(f"{count} {name}" for name, count in counts.items()) or "no edits"
    magic, version = injection.header
    problems = [remark.text for remark in remarks(injection)]
    text = f"writing gives the same {len(before)} bytes ({magic.decode()} {version}: {listed})"
    text = "\n".join([text, *(f"  {problem}" for problem in problems)])
    return Result(text, version=version, content=dict(counts), equal=True, problems=problems)


def check_objects(path: str) -> Result:
    """Read a WAD or WAD2, and check that writing it gives the same bytes.

    Raises:
        ExportError: writing gives other bytes.
        FormatError, OSError: it cannot be read.
    """
    from ...formats.editors.wads import open_objects, read_files

    files, suffix = read_files(path), os.path.splitext(path)[1].lower()
    objects = open_objects(files)
    before = files[suffix]
    after = objects.edited(objects.level, lambda kind, number: f"{kind} {number}")[suffix]
    _require_same(path, before, after)
    counted = ("models", "animations", "static_meshes", "sprite_sequences")
    counts = {name.replace("_", " "): len(getattr(objects.level, name)) for name in counted}
    listed = ", ".join(f"{count} {name}" for name, count in counts.items())
    return Result(f"writing gives the same {len(before)} bytes ({listed})", content=counts)


def check_project(path: str) -> Result:
    """Read a project, check that writing it gives the same bytes, and return its problems in Tomb Editor.

    A `.prj` is only read.

    Raises:
        ExportError: writing gives other bytes.
        CheckError: Tomb Editor may fail.
        FormatError, OSError: it cannot be read.
    """
    from ...formats.base import read_file
    from ...formats.editors.projects import PROJECT2, content, read_any_project
    from ...formats.editors.rules import check_project as check_rules

    before = read_file(path)
    project = read_any_project(before)
    counts = content(project)
    listed = ", ".join(f"{count} {name}" for name, count in counts.items())
    if path.lower().endswith(PROJECT2):
        _require_same(path, before, project.to_bytes())
        values = {"equal": True}
        text = f"writing gives the same {len(before)} bytes ({listed})"
    else:
        values = {}
        text = f"it can be read ({listed})"
    problems = [plain(problem) for problem in project.problems]
    lines = [text, *(f"  warning: {problem}" for problem in problems)]
    findings = _findings(check_rules(project))
    return _result("\n".join(lines), findings, content=counts, problems=problems, **values)


def _from_scene(path: str) -> bytes:
    from ...scene.pipeline import export_level, import_level
    from .blends import empty_file

    empty_file()
    return export_level(import_level(path).root).level.to_bytes()


def check_blend(path: str, collection: str = "", *, seams: bool = False) -> Result:
    """Return the problems of a level in a .blend file, in the game and on export.

    Raises:
        ExportError: there is no such level.
        CheckError: the level cannot be exported, or a game may crash.
        FormatError, OSError: the file cannot be read.
    """
    from ...scene.core import Report
    from ...scene.interop.projects import check_edited
    from ...scene.pipeline.checks import check_scene
    from ...scene.transfer.adoption import reconcile
    from .blends import open_level

    root, report = open_level(path, collection), Report()
    reconcile(root, report)
    notes = check_scene(root, seams=seams, report=report, more=check_edited)
    findings = [_Finding(_SEVERITIES[Severity[note.severity]], note.subject, note.text) for note in notes]
    count = sum(note.severity != "INFO" for note in notes)
    return _result(f"{count or 'no'} error{'s' * (count != 1)} or warning{'s' * (count != 1)}", findings)


def _declare(parser: ArgumentParser) -> None:
    levels(parser)
    jobs(parser)
    parser.add_argument(
        "--scene", action="store_true", help="import into a Blender scene, and export from there"
    )
    parser.add_argument("--seams", action="store_true", help="find gaps, turned textures and unlit faces")
    parser.add_argument(
        "--collection", default="", help="for .blend files with several levels: the level's collection"
    )


def _run(path: str, options: Namespace) -> Result:
    if path.lower().endswith(".blend"):
        return check_blend(path, options.collection, seams=options.seams)
    if is_animation_file(path):
        return check_animation(path)
    if path.lower().endswith(INJECTION_SUFFIXES):
        return check_injection(path)
    if path.lower().endswith(PROJECT_SUFFIXES):
        return check_project(path)
    if is_object_file(path):
        return check_objects(path)
    return check(path, scene=options.scene, seams=options.seams)


COMMAND = Command(
    "check",
    "report problems for the game, and whether writing gives the same bytes",
    _declare,
    _run,
    suffixes=LEVEL_SUFFIXES.union(ANIMATION_SUFFIXES, INJECTION_SUFFIXES, PROJECT_SUFFIXES, OBJECT_SUFFIXES),
)
