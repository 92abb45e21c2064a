"""Opening of projects, by the operator for them and in place of a level."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpy.types import Context

from ...formats.base import about, plural
from ..base.reports import contents, note_tracebacks, report_line, report_result
from ..preferences.options import SETTINGS
from ..preferences.preferences import first_view, import_options
from ..view.first_view import present

if TYPE_CHECKING:
    from ...scene.core import Work


def open_project(operator: Any, context: Context, path: str, search: Path | None = None) -> Work[None]:
    """Import a project step by step with the settings of an operator, and report the result.

    Missing files are searched in the folder ``search``, if any.
    """
    from ...scene.interop.projects import import_project_steps

    file = os.path.basename(path)
    options = import_options(context, **{name: getattr(operator, name) for name in SETTINGS})
    imported, missing = yield from import_project_steps(Path(path), options, search, with_hooks=True)
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
