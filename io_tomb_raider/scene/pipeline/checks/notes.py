"""What checks and exports have found, as the level's root keeps it for users to work through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from bpy.types import Collection, Mesh, Object

from ....formats import ExportError
from ...core.members import members
from ...core.report import Report

Severity = Literal["ERROR", "WARNING", "INFO"]


class Note(NamedTuple):
    """A line of the list.

    Attributes:
        severity: how bad it is.
        subject: the name of what it is about.
        text: what is to be said of it.
        place: where in Blender's world, where that is known.
        fix: the name of the fix that is safe, see :mod:`.fixes`; "" for none.
    """

    severity: Severity
    subject: str
    text: str
    place: tuple[float, float, float] | None = None
    fix: str = ""


def of_report(report: Report) -> list[Note]:
    """Return the warnings of an import or export."""
    return [Note("WARNING", subject, text) for subject, text in report.messages]


def of_error(error: ExportError) -> Note:
    """Return why an export was refused."""
    return Note("ERROR", error.subject, str(error).removeprefix(f"{error.subject}: "))


def keep(root: Collection, source: str, notes: Iterable[Note]) -> None:
    """Put notes in the place of those that the level had.

    Args:
        root: the level's root collection.
        source: what has found them, as users read it.
        notes: in the order in which they are shown. Levels of other files keep none.
    """
    if root.library is not None:
        return
    settings = root.tomb_raider
    settings.findings.clear()
    settings.active_finding, settings.findings_of = 0, source
    for note in notes:
        item = settings.findings.add()
        item.severity, item.subject, item.text, item.fix = note.severity, note.subject, note.text, note.fix
        if note.place is not None:
            item.has_place, item.place = True, note.place


def culprits(root: Collection, subject: str) -> list[Object]:
    """Return the objects of a level that a note is about: by that name, or showing what has it."""
    objects = members(root)
    for found in (
        [obj for obj in objects if obj.name == subject],
        [obj for obj in objects if obj.data is not None and obj.data.name == subject],
        [obj for each in root.children_recursive if each.name == subject for obj in members(each)],
        [obj for obj in objects if _shows(obj, subject)],
    ):
        if found:
            return found
    return []


def _shows(obj: Object, name: str) -> bool:
    """Tell whether an object has a material or an action of a name."""
    materials = list(obj.data.materials) if isinstance(obj.data, Mesh) else []
    action = obj.animation_data.action if obj.animation_data is not None else None
    return any(each is not None and each.name == name for each in (*materials, action))
