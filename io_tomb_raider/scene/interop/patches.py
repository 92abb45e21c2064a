"""Patches of levels in the scene: made of an edited level, applied to the original of a level."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from bpy.types import Collection

from ...formats import ExportError
from ...formats.base import T, plural
from ...formats.edits.patches import Patch, PatchResult, apply_patch, make_patch
from ..core import original
from ..core.context import ImportContext, ImportOptions
from ..core.reporting.progress import Listener, Work
from ..core.reporting.report import Report
from ..pipeline.exporter import export_level
from ..pipeline.importer import import_steps


def original_file(root: Collection) -> bytes:
    """Return the file that a level was imported from.

    Raises:
        ExportError: if it comes from no file.
        FormatError: if the stored file is damaged.
    """
    decoded = original.load_base(root) if root.tomb_raider.source else None
    if decoded is None:
        raise ExportError(
            root.name, T("this level comes from no file, so a patch has no base: export the level")
        )
    return decoded.level.to_bytes()


def export_patch(root: Collection, *, report: Report, listener: Listener | None = None) -> Patch:
    """Return the patch that makes a level as it would be exported of the file that it was imported from.

    Raises:
        ExportError: if the game cannot hold something of the scene, or if the level comes from no file.
        FormatError: if the stored file is damaged.
    """
    old = original_file(root)
    new = export_level(root, report=report, listener=listener).level.to_bytes()
    name = root.tomb_raider.source
    return make_patch(old, new, name, name)


def level_for(patch: Patch, roots: Iterable[Collection]) -> Collection | None:
    """Return the level whose file is the base of a patch, None if there is none.

    Raises:
        FormatError: if a stored file is damaged.
    """
    digest = patch.document["base"]["sha256"]
    with_file = (root for root in roots if root.tomb_raider.source)
    return next((root for root in with_file if sha256(original_file(root)).hexdigest() == digest), None)


class Imported(NamedTuple):
    """A level that was imported with a patch."""

    context: ImportContext
    applied: PatchResult  #: the result of the patch.


def import_patch_steps(
    root: Collection, patch: Patch, options: ImportOptions, *, without_conflicts: bool = False
) -> Work[Imported]:
    """Apply a patch to the file that a level was imported from, and import the result as another level.

    Raises:
        ExportError: if changes conflict, or if the level comes from no file. Nothing is imported.
        FormatError: if the patch is damaged or for another level.
    """
    name = root.tomb_raider.source
    applied = apply_patch(original_file(root), patch, name)
    if applied.conflicts and not without_conflicts:
        text = plural(
            "one change conflicts with this level. *Leave Out Conflicts* imports the others: {conflict}",
            "{count} changes conflict with this level. *Leave Out Conflicts* imports the others. "
            "The first is: {conflict}",
            len(applied.conflicts),
            conflict=applied.conflicts[0],
        )
        raise ExportError(root.name, text)
    # A whole file may be a level of another game.
    result = patch.document["result"]["name"] if patch.is_whole else ""
    context = yield from import_steps(applied.data, options, result or name)
    return Imported(context, applied)


def is_edited(root: Collection) -> bool:
    """Return whether an export of a level differs from its file, or is impossible as it is."""
    try:
        return export_level(root).level.to_bytes() != original_file(root)
    except ExportError:
        return True
