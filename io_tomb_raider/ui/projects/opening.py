"""Opening of projects, by the operator for them and in place of a level."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.types import Context

from ...formats.base import about, plural
from ..base.reports import contents, note_tracebacks, report_line, report_result
from ..preferences.options import SETTINGS
from ..preferences.preferences import first_view, import_options

if TYPE_CHECKING:
    from ...scene.core import Work


def open_project(
    operator: Any,
    context: Context,
    path: str,
    search: Path | None = None,
    target: str = "",
    *,
    cinematic: bool = False,
) -> Work[bool]:
    """Import a project step by step with the settings of an operator, and report the result.

    Missing files are searched in the folder ``search``, if any. If the target of the project is not known and
    ``target`` names none, a dialog asks for it where users are; return False then.
    """
    from ...scene.interop.projects import has_known_target, import_project_steps
    from ..view.first_view import present

    asks = operator.options.is_invoke and not bpy.app.background
    if asks and not target and not has_known_target(Path(path)):
        imports: Any = bpy.ops.import_scene
        imports.tomb_raider_project("INVOKE_DEFAULT", filepath=path)
        return False
    file = os.path.basename(path)
    options = import_options(context, **{name: getattr(operator, name) for name in SETTINGS})
    imported, missing = yield from import_project_steps(
        Path(path), options, search, target, cinematic=cinematic, with_hooks=True
    )
    present(context, imported.root, first_view(context), set_up_scene=options.set_up_scene)
    note_tracebacks(operator, imported.report)
    for note in imported.report.notes:
        report_line(operator, "INFO", about(file, note))
    warnings = imported.report.warnings
    if missing:  # after the files themselves, since Blender shows the last lines
        text = plural(
            "one file is missing: import again with its folder in Missing Files",
            "{count} files are missing: import again with their folder in Missing Files",
            len(missing),
        )
        warnings.append(about(file, text))
    report_result(operator, about(file, contents(imported.level)), warnings)
    return True
