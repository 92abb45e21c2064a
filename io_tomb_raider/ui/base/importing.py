"""Import of several files by one operator."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from bpy.types import Context

from ...formats.base.messages import T
from .modes import UserMode
from .paths import chosen_paths
from .progress import ProgressBar
from .reports import Outcome, report_line


def import_each(
    operator: Any, context: Context, nothing_chosen: str, import_file: Callable[[str, ProgressBar], bool]
) -> Outcome:
    """Import the chosen files one by one, and continue after failures.

    Undo of other modes could not revert an import, so the user stays in object mode.

    Args:
        operator: has the chosen files.
        context: the context of the operator.
        nothing_chosen: the error if there are none.
        import_file: imports a file, reports the result, and returns whether it was imported.
    """
    paths = chosen_paths(operator)
    if not paths:
        report_line(operator, "ERROR", nothing_chosen)
    mode = UserMode(context)
    mode.leave()
    imported = 0
    try:
        with ProgressBar(context, T("Importing"), len(paths)) as bar:
            for path in paths:
                bar.title = T("Importing {file}", file=os.path.basename(path))
                imported += import_file(path, bar)
                bar.next_part()
    finally:
        if not imported:
            mode.enter_again()
    return {"FINISHED"} if imported else {"CANCELLED"}
