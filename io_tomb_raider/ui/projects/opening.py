"""Opening of projects, by the operator for them and in place of a level."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpy.types import Context

from ...formats.base import about, plural
from ..base.reports import contents, note_tracebacks, report_line, report_result
from ..preferences.options import SETTINGS
from ..preferences.preferences import first_view, game_folder
from ..view.first_view import present

if TYPE_CHECKING:
    from ...scene.core import Work


def open_project(operator: Any, context: Context, path: str, search: Path | None = None) -> Work[None]:
    """Import a project step by step, and report the result.

    Args:
        operator: has the settings of imports.
        context: the context of the operator.
        path: the project.
        search: the folder of missing files, None for those that the project names.
    """
    from ...scene.core import ImportOptions
    from ...scene.interop.projects import import_project_steps

    file, parts = os.path.basename(path), first_view(context)
    options = ImportOptions(
        **{name: getattr(operator, name) for name in SETTINGS},
        set_up_frames="frames" in parts,
        game_folder=partial(game_folder, context),
    )
    made, missing = yield from import_project_steps(Path(path), options, search, with_hooks=True)
    present(context, made.root, parts, set_up_scene=options.set_up_scene)
    note_tracebacks(operator, made.report)
    for note in made.report.notes:
        report_line(operator, "INFO", about(file, note))
    warnings = made.report.warnings
    if missing:  # after the files themselves, since Blender shows the last lines
        text = plural(
            "one file is missing: import again with its folder in Missing Files",
            "{count} files are missing: import again with their folder in Missing Files",
            len(missing),
        )
        warnings.append(about(file, text))
    report_result(operator, about(file, contents(made.level)), warnings)
