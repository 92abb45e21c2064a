"""Tests in copies of a checkout, with one slip at a time."""

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
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from .slips import Slip

# Not needed in a copy: environments, build results, and the history.
_LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "dist", "build", "docs", "*.pyc")
_PYTEST = ("-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider")
# The first try of each slip; survivors are tried again with all cases and examples.
_FIRST = ("-m", "not fuzz and not once", "--hypothesis-profile", "few", "--one-case")
_ALL = ("-m", "not fuzz")
# Tests are stopped after this processor time, in seconds: at the first try, with all cases.
_SECONDS = 300
_SECONDS_ALL = 1800
_CAN_LIMIT = os.name == "posix"
_FAILED = ("FAILED ", "ERROR ")
_TIME_LIMIT = "the time limit"


@dataclass(frozen=True)
class Job:
    """One slip in the source of a module, and the Python and paths of the tests that may notice it.

    Paths are those of the checkout. The source is stored, since the checkout may be edited meanwhile.
    """

    module: Path
    source: bytes
    slip: Slip
    python: Path
    tests: tuple[Path, ...]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a slip: the test that noticed it, or None if it survived."""

    job: Job
    killed_by: str | None
    before: str
    after: str


class UntestedError(Exception):
    """The tests fail without any slip, or there are none."""


class Runner:
    """Copies of a checkout, and the tests in them.

    Args:
        root: the checkout, which is not modified.
        jobs: the number of slips that are tried in parallel, each in its own copy.
    """

    def __init__(self, root: Path, jobs: int) -> None:
        self.root = root
        self.jobs = jobs
        self._copies: SimpleQueue[Path] = SimpleQueue()
        self._writes = 0
        self._sound: set[str] = set()  # tests that passed without any slip
        # Whether tests end within a number of seconds without any slip.
        self._in_time: dict[tuple[Path, tuple[Path, ...], int], bool] = {}

    @contextmanager
    def copies(self) -> Iterator[None]:
        """Create the copies, and remove them at the end."""
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            for number in range(self.jobs):
                copy = Path(folder) / str(number) / self.root.name
                shutil.copytree(self.root, copy, ignore=_LEFT_BEHIND)
                self._copies.put(copy)
            yield

    def try_all(self, jobs: Sequence[Job], report: Callable[[Outcome], None]) -> list[Outcome]:
        """Try each slip and report it at once. Raises UntestedError if tests fail without any."""
        outcomes = []
        with self.copies(), ThreadPoolExecutor(self.jobs) as pool:
            for outcome in pool.map(self._try, jobs):
                report(outcome)
                outcomes.append(outcome)
        return outcomes

    def _try(self, job: Job) -> Outcome:
        with self._copy() as copy:
            killed_by = self._run_with_slip(copy, job, _FIRST, _SECONDS)
            if killed_by == _TIME_LIMIT and not self._ends(copy, job, _FIRST, _SECONDS):
                killed_by = None
            if killed_by is None:
                killed_by = self._run_with_slip(copy, job, _ALL, _SECONDS_ALL)
                if killed_by == _TIME_LIMIT and not self._ends(copy, job, _ALL, _SECONDS_ALL):
                    tests = " ".join(test.relative_to(self.root).as_posix() for test in job.tests)
                    raise UntestedError(
                        f"Without any slip these tests take more than {_SECONDS_ALL} s, too: {tests}"
                    )
            if killed_by is not None and "::" in killed_by:
                self._must_pass(copy, job, killed_by)
        return Outcome(job, killed_by, *job.slip.lines(job.source))

    def _run_with_slip(self, copy: Path, job: Job, options: Sequence[str], seconds: int) -> str | None:
        """Run tests with the slip in the copy, as :meth:`_run` does, and undo the slip."""
        place = copy / job.module.relative_to(self.root)
        self._write(place, job.slip.apply(job.source))
        try:
            return self._run(copy, job.python, job.tests, options, seconds)
        finally:
            self._write(place, job.source)

    def _ends(self, copy: Path, job: Job, options: Sequence[str], seconds: int) -> bool:
        """Return whether tests end in time without any slip."""
        key = (job.python, job.tests, seconds)
        if key not in self._in_time:
            self._in_time[key] = self._run(copy, job.python, job.tests, options, seconds) != _TIME_LIMIT
        return self._in_time[key]

    def _must_pass(self, copy: Path, job: Job, test: str) -> None:
        """Raise UntestedError if a test that killed a slip fails without it, too."""
        if test in self._sound:
            return
        if self._run(copy, job.python, (test,), (), None) is not None:
            raise UntestedError(f"Without any slip this test fails, too: {test}")
        self._sound.add(test)

    @contextmanager
    def _copy(self) -> Iterator[Path]:
        copy = self._copies.get()
        try:
            yield copy
        finally:
            self._copies.put(copy)

    def _write(self, path: Path, source: bytes) -> None:
        """Write a module with a new modification time; otherwise Python uses the compiled last slip."""
        self._writes += 1
        path.write_bytes(source)
        os.utime(path, (self._writes, self._writes))

    def _run(
        self,
        copy: Path,
        python: Path,
        tests: Sequence[Path | str],
        options: Sequence[str],
        seconds: int | None,
    ) -> str | None:
        """Run tests in a copy. Return None if all pass, else the first that fails or another reason."""
        paths = [test if isinstance(test, str) else test.relative_to(self.root).as_posix() for test in tests]
        process = subprocess.Popen(
            [str(python), *_PYTEST, *options, *paths],
            cwd=copy,
            env=_environ(copy),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(_limit, seconds) if seconds is not None and _CAN_LIMIT else None,
        )
        try:
            output, _ = process.communicate()
        except BaseException:
            _end(process)
            raise
        if process.returncode == 0:
            return None
        if _CAN_LIMIT and process.returncode == -signal.SIGXCPU:
            return _TIME_LIMIT
        lines = output.decode(errors="replace").splitlines()
        failed = (line for line in lines if line.startswith(_FAILED))
        return next(
            (line.split(" - ")[0].split(" ", 1)[1] for line in failed), f"exit code {process.returncode}"
        )


def _limit(seconds: int) -> None:
    """Limit the processor time of this process, which does not depend on the load of the machine."""
    import resource  # not available on Windows

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def compiled_in(copy: Path) -> Path:
    """Return the folder for compiled modules of a copy and of its dependencies."""
    return copy.parent / "pycache"


def _environ(copy: Path) -> dict[str, str]:
    """Return the variables for tests in a copy, which hide real files and share compiled modules."""
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(compiled_in(copy))}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environ["TOMB_RAIDER_LEVELS"] = os.devnull
    # The same examples for every slip.
    environ["CI"] = "1"
    return environ


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its children."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
