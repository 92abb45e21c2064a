"""Worker side of :mod:`.processes`: reads the paths of files, one per line, and answers with each result."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable

from .commands import FAILED, Command, Result, data_of, run_one
from .processes import ANSWER


def serve(commands: dict[str, Command], start_blender: Callable[[], str] | None) -> int:
    """Run a command on files until the input ends. The first line has the command and its options.

    ``start_blender`` starts Blender for commands that need it, and returns an error message or "".
    """
    task_line = sys.stdin.readline()
    if not task_line:
        return FAILED
    task = json.loads(task_line)
    command, options = commands[task["command"]], Namespace(**task["options"])
    problem = start_blender() if start_blender is not None and task["needs_blender"] else ""
    while line := sys.stdin.readline():
        error = Result(problem, error=problem), True
        outcome, failed = error if problem else run_one(command, options, json.loads(line))
        data = data_of(command, options, outcome)
        answer = json.dumps({"text": str(outcome), "failed": failed, "data": data})
        # Blender may have left a line unfinished.
        print(f"\n{ANSWER}{answer}", flush=True)
    return 0
