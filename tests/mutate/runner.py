"""Runs tests in copies of a checkout, with one slip at a time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

from .slips import Slip

# What a copy needs not: other people's code, what was made, and the history.
_LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "dist", "build", "docs", "*.pyc")
_PYTEST = ("-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", "-m", "not fuzz and not once")
# The first try of each slip; what survives it is tried again with all cases and examples.
_FIRST = ("--hypothesis-profile", "few", "--one-case")
# How long the first try may take: so many times as long as without a slip, and some more; all cases, longer.
_TIMES = 5
_TIMES_ALL = 60
_SPARE_SECONDS = 20.0
_FAILED = ("FAILED ", "ERROR ")


@dataclass(frozen=True)
class Job:
    """One slip in the source of a module, and what may notice it: a Python and paths of tests.

    Paths are those of the checkout. The source is as it was at first, since people go on working meanwhile.
    """

    module: Path
    source: bytes
    slip: Slip
    python: Path
    tests: tuple[Path, ...]


@dataclass(frozen=True)
class Outcome:
    """How a slip ended: by the test that noticed it, or None where it survived."""

    job: Job
    killed_by: str | None
    before: str
    after: str


class UntestedError(Exception):
    """The tests fail, or there are none, without any slip."""


class Runner:
    """Copies of a checkout, and the tests in them.

    Args:
        root: the checkout, which stays as it is.
        jobs: how many slips are tried at once, each in a copy of its own.
    """

    def __init__(self, root: Path, jobs: int) -> None:
        self.root = root
        self.jobs = jobs
        self._copies: SimpleQueue[Path] = SimpleQueue()
        self._writes = 0

    @contextmanager
    def copies(self) -> Iterator[None]:
        """Make the copies, and remove them in the end."""
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            for number in range(self.jobs):
                copy = Path(folder) / str(number) / self.root.name
                shutil.copytree(self.root, copy, ignore=_LEFT_BEHIND)
                self._copies.put(copy)
            yield

    def try_all(self, jobs: Sequence[Job], report: Callable[[Outcome], None]) -> list[Outcome]:
        """Try each slip and report it at once. Raises UntestedError where tests fail without any."""
        outcomes = []
        with self.copies(), ThreadPoolExecutor(self.jobs) as pool:
            sets = list(dict.fromkeys((job.python, job.tests) for job in jobs))
            times = dict(zip(sets, pool.map(self._time_without, sets), strict=True))
            for outcome in pool.map(lambda job: self._try(job, times[job.python, job.tests]), jobs):
                report(outcome)
                outcomes.append(outcome)
        return outcomes

    def _time_without(self, tests: tuple[Path, tuple[Path, ...]]) -> float:
        """Return how many seconds the first tests take without any slip."""
        with self._copy() as copy:
            start = monotonic()
            killed_by = self._run(copy, *tests, _FIRST, None)
        if killed_by is not None:
            names = " ".join(str(path.relative_to(self.root)) for path in tests[1])
            raise UntestedError(f"Without any slip the tests {names} end so: {killed_by}")
        return monotonic() - start

    def _try(self, job: Job, seconds: float) -> Outcome:
        source = job.source
        with self._copy() as copy:
            place = copy / job.module.relative_to(self.root)
            late = False
            self._write(place, job.slip.apply(source))
            try:
                killed_by = self._run(copy, job.python, job.tests, _FIRST, _SPARE_SECONDS + _TIMES * seconds)
                if killed_by is None:
                    late = True
                    limit = _SPARE_SECONDS + _TIMES_ALL * seconds
                    killed_by = self._run(copy, job.python, job.tests, (), limit)
            finally:
                self._write(place, source)
            if late and killed_by is not None and "::" in killed_by:
                self._must_pass(copy, job, killed_by)
        return Outcome(job, killed_by, *job.slip.lines(source))

    def _must_pass(self, copy: Path, job: Job, test: str) -> None:
        """Raise UntestedError where a test fails without the slip, too."""
        if self._run(copy, job.python, (test,), (), None) is not None:
            raise UntestedError(f"Without any slip this test fails, too: {test}")

    @contextmanager
    def _copy(self) -> Iterator[Path]:
        copy = self._copies.get()
        try:
            yield copy
        finally:
            self._copies.put(copy)

    def _write(self, path: Path, source: bytes) -> None:
        """Write a module with a time that it never had, or Python takes what it compiled of the last slip."""
        self._writes += 1
        path.write_bytes(source)
        os.utime(path, (self._writes, self._writes))

    def _run(
        self,
        copy: Path,
        python: Path,
        tests: Sequence[Path | str],
        options: Sequence[str],
        seconds: float | None,
    ) -> str | None:
        """Run tests in a copy. Return None where all pass, else the first that fails or what happened."""
        paths = [test if isinstance(test, str) else test.relative_to(self.root).as_posix() for test in tests]
        process = subprocess.Popen(
            [str(python), *_PYTEST, *options, *paths],
            cwd=copy,
            env=_environ(copy),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            return "the time limit"
        except BaseException:
            _end(process)
            raise
        if process.returncode == 0:
            return None
        lines = output.decode(errors="replace").splitlines()
        failed = (line for line in lines if line.startswith(_FAILED))
        return next(
            (line.split(" - ")[0].split(" ", 1)[1] for line in failed), f"exit code {process.returncode}"
        )


def _environ(copy: Path) -> dict[str, str]:
    """Return the variables for tests in a copy: they find no real files, and share what is compiled."""
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(copy.parent / "pycache")}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environ["TOMB_RAIDER_LEVELS"] = environ["TOMB_RAIDER_FILES"] = os.devnull
    # Every slip meets the same examples.
    environ["CI"] = "1"
    return environ


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
