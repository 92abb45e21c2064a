"""Notes of checks and exports, stored for the level: see :mod:`...properties.findings`."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, Literal, NamedTuple

from bpy.types import Collection, Mesh, Object

from ....formats import ExportError
from ....formats.base import as_message, outline, pack, unpack
from ....formats.edits.checks import is_original
from ...core.membership import is_local, members
from ...core.record_fields import MIRRORED, SCALED, TILTED
from ...core.reporting.report import Report, storable
from ...properties.findings import BY_CHECK, BY_EXPORT, add_finding, make_entry

# The fixes of warnings, by their text.
_FIXES: dict[str, str] = dict.fromkeys((SCALED, MIRRORED, TILTED), "as_in_game")
Severity = Literal["ERROR", "WARNING", "INFO"]


class Note(NamedTuple):
    """A line of the list."""

    severity: Severity
    subject: str  #: the name of the object or part of the level.
    text: str  #: the message.
    place: tuple[float, float, float] | None = None  #: a place in Blender's world, if known.
    fix: str = ""  #: the key of the safe fix, see :mod:`.fixes`; "" for none.


def of_report(report: Report) -> list[Note]:
    """Return the warnings of an import or export as notes."""
    return [Note("WARNING", subject, text, fix=_fix_of(text)) for subject, text in report.messages]


def _fix_of(text: str) -> str:
    return "for_trx" if is_original(text) else _FIXES.get(text, "")


def of_error(error: ExportError) -> Note:
    """Return the error of a failed export as a note."""
    return Note("ERROR", error.subject, error.text)


def keep(root: Collection, source: str, notes: Iterable[Note]) -> None:
    """Replace the stored notes of a level, also those of exports, which a check repeats.

    Args:
        notes: in display order.
    """
    clear(root)
    entry = make_entry(root)
    entry.checked = storable(pack(source))
    _add(entry, BY_CHECK, notes)


def keep_export(root: Collection, source: str, notes: Iterable[Note]) -> None:
    """Replace the notes of exports, and leave those of the last check. Arguments as of :func:`keep`."""
    clear(root, (BY_EXPORT,))
    entry = make_entry(root)
    entry.exported = storable(pack(source))
    first = len(entry.findings)
    _add(entry, BY_EXPORT, notes)
    if len(entry.findings) > first:
        entry.active = first


def clear(root: Collection, kinds: Container[str] = (BY_CHECK, BY_EXPORT)) -> None:
    """Remove the notes of checks, exports or both."""
    entry = make_entry(root)
    for index in reversed(range(len(entry.findings))):
        if entry.findings[index].found_by in kinds:
            entry.findings.remove(index)
    entry.active = 0
    if BY_CHECK in kinds:
        entry.checked = ""
    if BY_EXPORT in kinds:
        entry.exported = ""


def _add(entry: Any, found_by: str, notes: Iterable[Note]) -> None:
    for note in notes:
        item = add_finding(entry)
        item.found_by = found_by
        item.severity, item.fix = note.severity, note.fix
        item.subject, item.text = storable(note.subject), storable(note.text)
        item.message = storable(pack(note.text))
        item.sort = storable(outline(note.text))
        if note.place is not None:
            item.has_place, item.place = True, note.place


def text_of(item: Any) -> str:
    """Return the text of a stored note as a message. Files of older versions have its English text only."""
    return as_message(unpack(item.message or item.text))


def kinds_of(findings: Iterable[Any]) -> list[list[int]]:
    """Return the indices of stored notes by kind: of one list and problem, each about another object."""
    kinds: dict[tuple[str, ...], list[int]] = {}
    for number, item in enumerate(findings):
        sort = item.sort or item.text
        kinds.setdefault((item.found_by, item.severity, sort, item.fix), []).append(number)
    return list(kinds.values())


def remember(root: Collection, notes: Iterable[Note]) -> None:
    """Store notes that a level has from the start: exports omit them, and checks show them as information."""
    if not is_local(root):
        return
    settings = root.tomb_raider
    settings.known_findings.clear()
    for note in notes:
        item = settings.known_findings.add()
        item.subject, item.text = storable(note.subject), storable(note.text)


def weighed(root: Collection, notes: Iterable[Note]) -> list[Note]:
    """Return notes, in which those that the level has from the start are information."""
    known = {(each.subject, each.text) for each in root.tomb_raider.known_findings}
    return [
        note._replace(severity="INFO")
        if note.severity != "ERROR" and (storable(note.subject), storable(note.text)) in known
        else note
        for note in notes
    ]


def objects_of_note(root: Collection, subject: str) -> list[Object]:
    """Return the objects of a level that a note is about: with that name, or using data with that name."""
    objects = members(root)
    for result in (
        [obj for obj in objects if obj.name == subject],
        [obj for obj in objects if obj.data is not None and obj.data.name == subject],
        [obj for each in root.children_recursive if each.name == subject for obj in members(each)],
        [obj for obj in objects if _shows(obj, subject)],
    ):
        if result:
            return result
    return []


def _shows(obj: Object, name: str) -> bool:
    """Return whether an object uses a material or an action of a name."""
    materials = list(obj.data.materials) if isinstance(obj.data, Mesh) else []
    action = obj.animation_data.action if obj.animation_data is not None else None
    return any(each is not None and each.name == name for each in (*materials, action))
