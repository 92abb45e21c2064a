"""A command on many files in several processes: each runs this program again, and is handed file after file.

A process that ends by itself, as Blender does where a file makes it crash, fails its file and no other. After
:data:`_FILES` files it is replaced by a new one, so that none holds more and more memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, NamedTuple

SERVE = "serve"  # what a process is called with that waits for files
ANSWER = "\x1etomb_raider "  # before each answer: Blender itself prints to the same place
_FILES = 16
_USUAL = 4  # files, from which on several processes are worth their start
_SHOWN = 300  # letters of what a process said last


class Outcome(NamedTuple):
    """What came of a file.

    Attributes:
        number: which of the files.
        said: what to tell.
        failed: whether that is an error.
    """

    number: int
    said: str
    failed: bool


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processes_for(jobs: int | None, files: int) -> int:
    """Return how many processes there are for so many files: 1 where all is done in this one.

    Args:
        jobs: what users have asked for, None where they have not.
        files: how many there are.
    """
    if jobs is None:
        return min(usable_cores(), files) if files >= _USUAL else 1
    return max(min(jobs, files), 1)


def run_in_processes(
    program: Sequence[str],
    task: dict[str, Any],
    paths: Sequence[str],
    jobs: int,
    tell: Callable[[str], None],
) -> Iterator[Outcome]:
    """Run a command on files, several at once.

    Args:
        program: the words that call this program.
        task: what to do with them, see :func:`task_of`.
        paths: the files.
        jobs: how many at once.
        tell: is called with the file that was done last.

    Yields:
        What came of each file, in their order, as soon as all before it are done.
    """
    waiting: SimpleQueue[_Process] = SimpleQueue()
    made = [_Process(program, json.dumps(task)) for _ in range(jobs)]
    for process in made:
        waiting.put(process)

    def work(number: int) -> Outcome:
        process = waiting.get()
        try:
            return process.do(number, paths[number])
        finally:
            waiting.put(process)

    done: dict[int, Outcome] = {}
    following = 0
    try:
        with ThreadPoolExecutor(jobs) as pool:
            left: set[Future[Outcome]] = {pool.submit(work, number) for number in range(len(paths))}
            try:
                while left:
                    finished, left = wait(left, return_when=FIRST_COMPLETED)
                    for each in finished:
                        outcome = each.result()
                        done[outcome.number] = outcome
                        tell(paths[outcome.number])
                    while following in done:
                        yield done.pop(following)
                        following += 1
            finally:
                for each in left:
                    each.cancel()
                if left:  # nobody waits for what is half done
                    for process in made:
                        process.kill()
    finally:
        for process in made:
            process.close()


def task_of(command: str, options: Namespace, *, needs_blender: bool) -> dict[str, Any]:
    """Return what processes are told to do: a command with its arguments, as JSON has it."""
    plain = {name: value for name, value in vars(options).items() if name not in ("command", "paths")}
    return {"command": command, "options": plain, "needs_blender": needs_blender}


class _Process:
    """One process, which is started when it gets its first file."""

    def __init__(self, program: Sequence[str], task: str) -> None:
        self._program = [*program, SERVE]
        self._task = task
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] | None = None
        self._files = 0

    def do(self, number: int, path: str) -> Outcome:
        """Hand it a file, and wait until it is done."""
        if self._files == _FILES:
            self.close()
        try:
            if self._process is None:
                self._start()
            self._files += 1
            return Outcome(number, *self._ask(path))
        except OSError as error:  # it has gone before it could read the file's name
            return Outcome(number, self._gone(str(error)), True)

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is there
        self._files = 0
        self._process = subprocess.Popen(
            self._program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._write(self._task)

    def _write(self, line: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _ask(self, path: str) -> tuple[str, bool]:
        self._write(json.dumps(path))
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            _, mark, answer = line.partition(ANSWER)
            if mark:
                found = json.loads(answer)
                return str(found["said"]), bool(found["failed"])
        return self._gone(""), True

    def _gone(self, why: str) -> str:
        """Say that the process has ended by itself, and let the next file have a new one."""
        code = None if self._process is None else self._process.wait()
        last = why
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            last = lines[-1][:_SHOWN] if lines else why
        self.close()
        ended = "its process could not be started" if code is None else f"its process ended with code {code}"
        return f"{ended}: {last}" if last else ended

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Let the process end."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            with suppress(OSError):  # where it has ended already
                process.stdin.close()
            process.stdout.close()
            process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
