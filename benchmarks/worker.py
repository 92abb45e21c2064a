"""One measurement in a process of its own: `python -m benchmarks.worker TASK LEVEL RUNS RESULT`.

The result is written as JSON to the file RESULT. LEVEL is "-" where a task needs none.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def run(task: str, level: Path | None, runs: int) -> dict[str, Any]:
    """Do a task and return what it measured, in numbers that JSON can hold."""
    if task == "reading":
        from .reading import measure_reading

        assert level is not None
        return measure_reading(level, runs)

    if task == "start-up":
        from .start_up import measure_start_up

        return measure_start_up()

    import io_tomb_raider

    from . import scenes

    # Blender 4.2 crashes at its end where an extension stays registered.
    io_tomb_raider.register()
    try:
        if task == "memory":
            return scenes.measure_memory(level)
        if task == "scripts":
            from .scripts import measure_scripts

            return measure_scripts(runs)
        if task == "new level":
            from .new_levels import measure_new_level

            return measure_new_level(runs)
        if task == "cutscene":
            from .cutscenes import measure_cutscene

            return measure_cutscene(runs)
        assert level is not None
        if task == "profile":
            scenes.profile_level(level)
            return {}
        if task == "gltf":
            from .gltf import measure_gltf

            return measure_gltf(level, runs)
        return scenes.measure_scene(level, runs)
    finally:
        io_tomb_raider.unregister()


def main(arguments: list[str]) -> None:
    """Run one task as the command line says."""
    task, level, runs, result = arguments
    measured = run(task, None if level == "-" else Path(level), int(runs))
    Path(result).write_text(json.dumps(measured), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
