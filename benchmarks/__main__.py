"""The benchmark: `python build.py bench [LEVEL ...] [--runs N] [--all | --no-gltf] [--quick] [--profile]`.

Reading, import and export of levels are compared with bare zlib, the time that Blender itself needs to make
the same data-blocks from ready arrays (the floor), and Blender's bundled glTF importer. Every level has its
own processes, every run a new, empty file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from io_tomb_raider.formats import read_level

from .bounds import (
    Measured,
    Table,
    asset_table,
    conversion_table,
    cutscene_table,
    failures,
    many_tables,
    new_level_table,
    project_table,
    script_table,
    start_up_table,
    stroke_table,
    tables,
)
from .levels import ROOMS_MADE, benchmark_levels, heavy_first
from .timing import RUNS, Times


class _Bench:
    """One run of the benchmark, with a folder for its temporary files."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        self.runs = runs

    def measure(self, path: Path, *, gltf: bool) -> Measured:
        """Measure one level, each part in a new process."""
        print(f"measuring {path.name} ...", file=sys.stderr, flush=True)
        memory = self.task("memory", path)["peak"] - self.task("memory")["peak"]
        level = read_level(path)
        return Measured(
            path=path,
            game=level.game,
            reading=self.task("reading", path),
            scene=self.task("scene", path),
            memory=memory,
            gltf=self.task("gltf", path) if gltf else {},
            rig=self.task("rig", path),
            rooms=len(level.rooms),
        )

    def start_up(self) -> dict[str, float]:
        """Measure the extension's startup, each run in a new process; the first one compiles its modules."""
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(self.folder / "compiled")
        self.task("start-up")
        times = Times()
        for _ in range(self.runs):
            for name, seconds in self.task("start-up").items():
                times.note(name, seconds)
        return times.medians()

    def many(self, levels: Sequence[Path]) -> list[Table]:
        """Measure files with many levels: copies of one, and different ones."""
        print("measuring files with many levels ...", file=sys.stderr, flush=True)
        same, different = (self.task("many levels", *each, count=4) for each in (levels[:1], levels))
        return many_tables(same, different)

    def task(self, name: str, *levels: Path, count: int | None = None) -> dict[str, Any]:
        """Run a task in its own process. Raises CalledProcessError if it fails."""
        result = self.folder / f"{name}.json"
        number = str(self.runs if count is None else count)
        command = [sys.executable, "-m", "benchmarks.worker", name, number, str(result), *map(str, levels)]
        subprocess.run(command, check=True, stdout=None if name == "profile" else subprocess.DEVNULL)
        return dict(json.loads(result.read_text(encoding="utf-8")))


def _chosen_for_gltf(levels: Sequence[Path]) -> set[Path]:
    """Choose two typical levels, the smallest and the median, since glTF takes minutes for large ones."""
    by_size = sorted(levels, key=lambda path: path.stat().st_size)
    return {by_size[0], by_size[len(by_size) // 2]}


def _print_table(title: str, rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print(f"\n{title}\n")
    for row in rows:
        first, *others = (
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]))


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(prog="build.py bench", description=__doc__.split("\n\n")[1])
    parser.add_argument("levels", nargs="*", type=Path, metavar="LEVEL", help="instead of the usual levels")
    parser.add_argument("--runs", type=int, default=RUNS, help="how many runs a median is taken of")
    parser.add_argument("--all", action="store_true", help="compare all levels with glTF (takes long)")
    parser.add_argument("--no-gltf", action="store_true", help="leave glTF out")
    parser.add_argument("--quick", action="store_true", help="leave files with many levels out")
    parser.add_argument("--profile", action="store_true", help="print instead where the time goes")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="io_tomb_raider-bench-") as name:
        folder = Path(name)
        # Blender must not read the user's preferences and extensions. It reads the variable when it starts.
        os.environ.setdefault("BLENDER_USER_RESOURCES", str(folder / "blender-user"))
        bench = _Bench(folder, options.runs)
        levels = options.levels or benchmark_levels(folder)
        retail: list[Path] = []
        for rooms in () if options.levels or options.profile else ROOMS_MADE:
            retail.append(folder / f"made_{rooms}_rooms.tr2")
            bench.task("make", retail[-1], count=rooms)
        if options.profile:
            for path in levels:
                bench.task("profile", path)
            return 0
        gltf = set(levels) if options.all or options.levels else _chosen_for_gltf(levels)
        every = [*levels, *retail]
        measured = [bench.measure(path, gltf=path in gltf and not options.no_gltf) for path in every]
        found = [*tables(measured), cutscene_table(bench.task("cutscene"))]
        heavy = heavy_first(every)[0]
        found.append(conversion_table(heavy.name, bench.task("conversion", heavy)))
        found.append(script_table(bench.task("scripts")))
        found.append(new_level_table(bench.task("new level")))
        peaks = (bench.task(name)["peak"] for name in ("project memory", "memory"))
        found.append(project_table(bench.task("project"), *peaks))
        found.append(asset_table(bench.task("assets", heavy_first(every)[0])))
        found.append(stroke_table(bench.task("strokes")))
        found.append(start_up_table(bench.start_up()))
        if not options.quick:
            found += bench.many(heavy_first(every))
    for title, rows in found:
        _print_table(title, rows)
    failed = failures(found)
    print(f"\nMedians of {options.runs} runs, ratios within each. ", end="")
    print(f"{failed} figures marked ! do not keep their bound." if failed else "All bounds are kept.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
