"""One measurement in its own process: `python -m benchmarks.worker TASK COUNT RESULT [LEVEL ...]`.

The result is written as JSON to the file RESULT. COUNT is the number of runs, or of generated rooms.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def run(task: str, count: int, levels: list[Path]) -> dict[str, Any]:
    """Run a task and return its measurements, as numbers for JSON."""
    if task == "reading":
        from .reading import measure_reading

        return measure_reading(levels[0], count)

    if task == "start-up":
        from .start_up import measure_start_up

        return measure_start_up()

    import io_tomb_raider

    # Blender 4.2 crashes on exit if an extension stays registered.
    io_tomb_raider.register()
    try:
        return _run_registered(task, count, levels)
    finally:
        io_tomb_raider.unregister()


def _run_registered(task: str, count: int, levels: list[Path]) -> dict[str, Any]:
    from . import scenes

    if task == "memory":
        return scenes.measure_memory(levels[0] if levels else None)
    if task == "scripts":
        from .scripts import measure_scripts

        return measure_scripts(count)
    if task == "assets":
        from .assets import measure_assets

        return measure_assets(levels[0], count)
    if task == "strokes":
        from .strokes import measure_strokes

        return measure_strokes(count)
    if task == "new level":
        from .new_levels import measure_new_level

        return measure_new_level(count)
    if task == "project":
        from .projects import measure_projects

        return measure_projects(count)
    if task == "project memory":
        from .projects import measure_project_memory

        return measure_project_memory()
    if task == "make":
        from .new_levels import make_level

        make_level(levels[0], count)
        return {}
    if task == "many levels":
        from .many_levels import measure_many

        return measure_many(levels, count)
    if task == "conversion":
        from .conversions import measure_conversion

        return measure_conversion(levels[0], count)
    if task == "cutscene":
        from .cutscenes import measure_cutscene

        return measure_cutscene(count)
    if task == "profile":
        scenes.profile_level(levels[0])
        return {}
    if task == "rig":
        from .control_rigs import measure_control_rig

        return measure_control_rig(levels[0], count)
    if task == "gltf":
        from .gltf import measure_gltf

        return measure_gltf(levels[0], count)
    return scenes.measure_scene(levels[0], count)


def main(arguments: list[str]) -> None:
    """Run one task from the command line."""
    task, count, result, *levels = arguments
    measured = run(task, int(count), [Path(level) for level in levels])
    Path(result).write_text(json.dumps(measured), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
