"""Findings of checks and exports: in the window manager, which undo leaves alone, by the level's uid.

They describe the level at the time of the check. As data of the scene, undo would bring back those of an
older state, and a check would be a change. Only the findings that a fix has mended are noted on the level, so
undoing the fix lists them again. They are saved in the .blend with the user's windows.
"""

from random import SystemRandom
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    StringProperty,
)
from bpy.types import Collection, PropertyGroup

from ...formats.base import as_message, unpack
from ..core.membership import levels

_random = SystemRandom()
BY_CHECK, BY_EXPORT = "CHECK", "EXPORT"


class TombRaiderFinding(PropertyGroup):
    """A result of a check or an export."""

    severity: EnumProperty(
        name="Severity",
        items=[
            ("INFO", "Information", "Also in the imported file, or possibly intended", 0),
            ("WARNING", "Warning", "The game will not match the scene", 1),
            ("ERROR", "Error", "The level cannot be exported, or the game may crash", 2),
        ],
        description="Severity of the finding",
    )
    found_by: EnumProperty(
        name="Found By",
        items=[
            (BY_CHECK, "Check", "Found by a check or a conversion", 0),
            (BY_EXPORT, "Export", "Found by an export", 1),
        ],
        description="Whether a check or an export reported the finding",
    )
    subject: StringProperty(name="Subject", description="Name of the object or data-block")
    text: StringProperty(name="Text", description="Problem and remedy")
    message: StringProperty(
        name="Message", description="The text with its arguments, for its translation", options={"HIDDEN"}
    )
    sort: StringProperty(
        name="Sort", description="What findings of one kind have in common", options={"HIDDEN"}
    )
    fix: StringProperty(name="Fix", description="Name of a safe automatic fix, if there is one")
    has_place: BoolProperty(name="Has Place", description="The position in the level is known")
    place: FloatVectorProperty(name="Place", subtype="TRANSLATION", description="Position in the level")
    uid: IntProperty(name="Uid", description="Number that identifies the finding", options={"HIDDEN"})


class TombRaiderLevelFindings(PropertyGroup):
    """The findings of one level; the name is that of :func:`_key`."""

    findings: CollectionProperty(name="Findings", type=TombRaiderFinding, description="Findings of the level")
    active: IntProperty(name="Finding", min=0, description="Index of the active finding")
    #: the message of the last check, for its translation; "" for none.
    checked: StringProperty(name="Check", description="Message of the last check", options={"HIDDEN"})
    #: that of the last export.
    exported: StringProperty(name="Export", description="Message of the last export", options={"HIDDEN"})


class TombRaiderWindowManager(PropertyGroup):
    """Data of the session that undo leaves alone."""

    levels: CollectionProperty(
        name="Findings", type=TombRaiderLevelFindings, description="Findings of the levels"
    )


def _key(root: Collection) -> str:
    """Return the name of a level's entry: its uid, which renaming keeps. Old levels may have none."""
    return str(root.tomb_raider.origin or root.name)


def _entries() -> Any:
    return bpy.data.window_managers[0].tomb_raider.levels


def entry_of(root: Collection) -> Any:
    """Return the entry of a level, or None if it was neither checked nor exported."""
    return _entries().get(_key(root))


def make_entry(root: Collection) -> Any:
    """Return the entry of a level, which is added if there is none."""
    entry = entry_of(root)
    if entry is None:
        entry = _entries().add()
        entry.name = _key(root)
    return entry


def level_of_entry(entry: Any) -> Collection | None:
    """Return the level that an entry belongs to, or None if it is no longer in the file."""
    return next((root for root in levels() if _key(root) == entry.name), None)


def add_finding(entry: Any) -> Any:
    """Add an empty finding with a uid of its own."""
    item = entry.findings.add()
    item.uid = _random.randint(1, (1 << 31) - 1)
    return item


def open_findings(root: Collection) -> list[Any]:
    """Return the findings of a level in the order of the list, without those that were mended since."""
    entry, mended = entry_of(root), set(root.tomb_raider.mended.split())
    return [] if entry is None else [each for each in entry.findings if str(each.uid) not in mended]


def last_source(root: Collection) -> str:
    """Return the check or export that reported findings of a level last, as a message; "" for none."""
    entry = entry_of(root)
    return "" if entry is None else as_message(unpack(entry.exported or entry.checked))


def make_active(root: Collection, item: Any) -> None:
    """Make a finding of a level the active one of its list."""
    entry = entry_of(root)
    entry.active = next(index for index, each in enumerate(entry.findings) if each == item)


def note_mended(root: Collection, item: Any) -> None:
    """Note on a level that a finding was mended. Undo takes back both the fix and the note."""
    listed = {str(each.uid) for each in entry_of(root).findings}
    mended = [uid for uid in root.tomb_raider.mended.split() if uid in listed]
    root.tomb_raider.mended = " ".join([*mended, str(item.uid)])


GROUPS = (TombRaiderFinding, TombRaiderLevelFindings, TombRaiderWindowManager)
