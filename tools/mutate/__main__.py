"""The mutation tester: `python build.py mutate [MODULE ...] [--limit N] [--seed S] [--jobs N] [--list]`.

Makes one small slip at a time in a copy of the checkout, such as a comparison with `<=` for `<` or two fields
of a record in the wrong order, and runs the tests of the module. A slip that no test notices has survived: a
test is missing, or the slip has no visible effect. Survivors of that kind are explained in docs/testing.md
and do not count.

MODULE is a path below io_tomb_raider, of a module or a folder: `formats/levels/level`, `scene/lights`. By
default, slips are made in all of formats and scene. The exit code is 1 if unexplained slips survived.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .runner import Job, Outcome, Runner, UntestedError
from .slips import choose
from .subjects import WITHOUT_BLENDER, floor_of, modules_of, tests_of

ROOT = Path(__file__).resolve().parents[2]
_EVERYTHING = ["formats", "scene"]


def main(arguments: Sequence[str], root: Path = ROOT, package: str = "io_tomb_raider") -> int:
    """Try slips in the modules of a checkout, print the outcomes, and return the exit code."""
    options = _parse(arguments)
    try:
        modules = modules_of(root / package, options.modules or _EVERYTHING)
    except FileNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 2
    sources = {path: path.read_bytes() for path in modules}
    chosen = choose(sources, options.limit, options.seed)
    jobs = []
    for module, slip in chosen:
        plain = floor_of(module, root / package) in WITHOUT_BLENDER
        python = Path(sys.executable) if plain else options.blender_python
        jobs.append(
            Job(
                module, sources[module], slip, python, tuple(tests_of(module, root / package, root / "tests"))
            )
        )
    print(
        f"{len(jobs)} slips in {len({job.module for job in jobs})} modules, seed {options.seed}", flush=True
    )
    explained = _Explained(root)

    def report(outcome: Outcome) -> None:
        print(_line(outcome, explained, root), flush=True)

    if options.list:
        for job in jobs:
            report(Outcome(job, "", *job.slip.lines(job.source)))
        return 0
    try:
        outcomes = Runner(root, options.jobs).try_all(jobs, report)
    except UntestedError as problem:
        print(problem, file=sys.stderr)
        return 2
    survivors = [each for each in outcomes if each.killed_by is None and each not in explained]
    print(*_table(outcomes, survivors, root), sep="\n", flush=True)
    return 1 if survivors else 0


class _Explained:
    """The survivors that docs/testing.md explains, each as "`module`: `line before` → `line after`"."""

    def __init__(self, root: Path) -> None:
        self._root = root
        page = root / "docs" / "testing.md"
        self._text = page.read_text(encoding="utf-8") if page.is_file() else ""

    def __contains__(self, outcome: Outcome) -> bool:
        name = outcome.job.module.relative_to(self._root).as_posix()
        return f"`{name}`: `{outcome.before}` → `{outcome.after}`" in self._text


def _line(outcome: Outcome, explained: _Explained, root: Path) -> str:
    """Return the line printed for a slip: its outcome, its place, and its change."""
    job = outcome.job
    if outcome.killed_by is None:
        word = "explained" if outcome in explained else "survived"
    else:
        word = "killed" if outcome.killed_by else "slip"
    place = f"{job.module.relative_to(root).as_posix()}:{job.slip.line}"
    by = f"\n          by {outcome.killed_by}" if outcome.killed_by else ""
    return f"{word:9} {place} ({job.slip.kind}){by}\n        - {outcome.before}\n        + {outcome.after}"


def _table(outcomes: Sequence[Outcome], survivors: Sequence[Outcome], root: Path) -> list[str]:
    """Return the lines of a table: the numbers of slips and survivors per module."""
    names = {each.job.module: each.job.module.relative_to(root).as_posix() for each in outcomes}
    width = max(map(len, names.values()), default=6)
    tried = Counter(each.job.module for each in outcomes)
    killed = Counter(each.job.module for each in outcomes if each.killed_by is not None)
    left = Counter(each.job.module for each in survivors)
    lines = ["", f"{'module':{width}}  slips  killed  survived  explained"]
    for module, name in names.items():
        numbers = (tried[module], killed[module], left[module])
        lines.append(
            "{:{}}  {:5}  {:6}  {:8}  {:9}".format(name, width, *numbers, numbers[0] - sum(numbers[1:]))
        )
    total = (len(outcomes), killed.total(), len(survivors))
    lines.append("{:{}}  {:5}  {:6}  {:8}  {:9}".format("all", width, *total, total[0] - sum(total[1:])))
    return lines


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="build.py mutate", usage=__doc__, add_help=True)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8))
    parser.add_argument("--list", action="store_true")
    # The Python for tests that need Blender; build.py names it.
    parser.add_argument("--blender-python", type=Path, default=Path(sys.executable), help=argparse.SUPPRESS)
    return parser.parse_args(list(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
