"""Time of a conversion on the command line: the whole process, from the start of Blender's module."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from io_tomb_raider.formats import Game, read_level

from .levels import SUFFIXES
from .timing import Times


def measure_conversion(path: Path, runs: int) -> dict[str, float]:
    """Return the median of the processor's seconds of a process that converts a level: ``conversion``."""
    times = Times()
    target = Game.TR3 if read_level(path).game is Game.TR4 else Game.TR4
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "io_tomb_raider", "convert", str(path)]
        command += [str(folder / f"converted{SUFFIXES[target]}"), "--game", target.name]
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for run in range(runs + 1):
            start, before = perf_counter(), _children()
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            seconds = _children() - before or perf_counter() - start
            if run:  # the first one compiles the modules
                times.note("conversion", seconds)
    return times.medians()


def _children() -> float:
    """Return the processor's seconds of ended child processes; 0 if the system does not count them."""
    times = os.times()
    return times.children_user + times.children_system
