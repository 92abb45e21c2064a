"""The other side of :mod:`.processes`: takes the names of files, one a line, and tells what came of each."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable

from .commands import FAILED, Command, run_one
from .processes import ANSWER


def serve(commands: dict[str, Command], start_blender: Callable[[], str] | None) -> int:
    """Run a command on files until there are no more. The first line says which command, and how.

    Args:
        commands: by name.
        start_blender: makes commands possible that need Blender, and says why not, else "".
    """
    first = sys.stdin.readline()
    if not first:
        return FAILED
    task = json.loads(first)
    command, options = commands[task["command"]], Namespace(**task["options"])
    problem = start_blender() if start_blender is not None and task["needs_blender"] else ""
    while line := sys.stdin.readline():
        said, failed = (problem, True) if problem else run_one(command, options, json.loads(line))
        answer = json.dumps({"said": str(said), "failed": failed})
        # Blender may have left a line unfinished.
        print(f"\n{ANSWER}{answer}", flush=True)
    return 0
