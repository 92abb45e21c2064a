"""Choose the tests that `python build.py test` runs.

    python build.py test --full --blender 5.2.3 -p tools.choose.recorder --executed FOLDER
    python -m tools.choose FOLDER [--seconds 400]

The tests whose lines are the rarest for their time are chosen until their time is used up; the others are
listed in `tests/left_out.txt`. Tests that are in no recording, such as new ones, are not listed and therefore
run.
"""

from __future__ import annotations

import argparse
import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.case_rotation import LEFT_OUT

from .recorder import read

_FEWER = 0.25  # the value of a line falls to this with each chosen test that executes it


@dataclass(frozen=True)
class Function:
    """A test function.

    Args:
        name: without the arguments of a case.
        seconds: CPU time of all recorded cases.
        lines: indices of the lines that any of its cases executes, int32.
    """

    name: str
    seconds: float
    lines: NDArray[np.int32]


def functions(tests: dict[str, tuple[float, NDArray[np.int32]]]) -> list[Function]:
    """Join the cases of each test function."""
    cases: defaultdict[str, list[tuple[float, NDArray[np.int32]]]] = defaultdict(list)
    for name, case in tests.items():
        cases[name.partition("[")[0]].append(case)
    return [
        Function(
            name, sum(seconds for seconds, _ in of), np.unique(np.concatenate([lines for _, lines in of]))
        )
        for name, of in sorted(cases.items())
    ]


def choose(candidates: Sequence[Function], num_lines: int, seconds: float) -> list[Function]:
    """Return the functions with the highest value for their time, in order, within `seconds` in all.

    A line is worth 1 to the first function that executes it, and a quarter of that to each further one.
    Functions that execute none, which test the sources or other processes, are always chosen.
    """
    worth = np.ones(num_lines, np.float64)
    chosen = [each for each in candidates if not each.lines.size]
    spent = sum(each.seconds for each in chosen)

    def value(function: Function) -> float:
        return float(worth[function.lines].sum()) / (function.seconds + 0.01)

    queue = [(-value(each), each.name, each) for each in candidates if each.lines.size]
    heapq.heapify(queue)
    while queue:
        _, name, best = heapq.heappop(queue)
        now = -value(best)
        if queue and now > queue[0][0]:  # other functions have executed its lines meanwhile
            heapq.heappush(queue, (now, name, best))
        elif spent + best.seconds <= seconds:
            chosen.append(best)
            spent += best.seconds
            worth[best.lines] *= _FEWER
    return chosen


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the list and print what the choice executes."""
    parser = argparse.ArgumentParser(prog="python -m tools.choose", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=400.0, help="CPU time of the chosen tests")
    options = parser.parse_args(arguments)
    tests, lines = read(options.folder)
    candidates = functions(tests)
    chosen = choose(candidates, len(lines), options.seconds)
    names = {each.name for each in chosen}
    left_out = [each for each in candidates if each.name not in names]
    LEFT_OUT.write_text("".join(f"{each.name}\n" for each in left_out), encoding="utf-8")
    executed = np.unique(np.concatenate([each.lines for each in chosen])).size
    for part, of in (("chosen", chosen), ("left out", left_out)):
        print(f"{part}: {len(of)} functions, {sum(each.seconds for each in of):.0f} s of CPU")
    print(f"lines: {executed} of {len(lines)} that all tests execute")
    modules = {module for module, _ in lines}
    left = modules - {lines[each][0] for function in chosen for each in function.lines}
    print(
        f"modules: {len(modules - left)} of {len(modules)}{''.join(f', not {name}' for name in sorted(left))}"
    )


if __name__ == "__main__":
    main()
