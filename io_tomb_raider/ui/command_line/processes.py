"""Parallel processing of many files: worker processes run this program again, and receive file after file.

If a worker ends unexpectedly, as Blender does when it crashes, only its current file fails. A worker is
replaced after :data:`_FILES` files, which limits its use of memory.
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

SERVE = "serve"  # name of the command of worker processes
ANSWER = "\x1etomb_raider "  # marks answers in the output, since Blender prints to stdout, too
_FILES = 16
_FEW = 4  # number of files from which several processes are worth their start
_SHOWN = 300  # characters of a process's last output that are shown


class Outcome(NamedTuple):
    """Result of a file."""

    number: int  #: index of the file.
    text: str  #: text to print.
    failed: bool  #: whether the text is an error.
    data: dict[str, Any] = {}  #: the same as the text, for ``--json``.


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processes_for(jobs: int | None, files: int) -> int:
    """Return the number of worker processes for some files: 1 to use this process only.

    ``jobs`` is the number that the user has chosen, or None.
    """
    if jobs is None:
        return min(usable_cores(), files) if files >= _FEW else 1
    return max(min(jobs, files), 1)


def run_in_processes(
    program: Sequence[str],
    task: dict[str, Any],
    paths: Sequence[str],
    jobs: int,
    on_done: Callable[[str], None],
) -> Iterator[Outcome]:
    """Run a command on files, several at once, and yield the results in the order of the paths.

    Args:
        program: command line that calls this program.
        task: see :func:`task_of`.
        jobs: number of processes.
        on_done: called with each file that is done.
    """
    waiting: SimpleQueue[_Process] = SimpleQueue()
    processes = [_Process(program, json.dumps(task)) for _ in range(jobs)]
    for process in processes:
        waiting.put(process)

    def work(number: int) -> Outcome:
        process = waiting.get()
        try:
            return process.do(number, paths[number])
        finally:
            waiting.put(process)

    done: dict[int, Outcome] = {}
    next_number = 0
    try:
        with ThreadPoolExecutor(jobs) as pool:
            pending: set[Future[Outcome]] = {pool.submit(work, number) for number in range(len(paths))}
            try:
                while pending:
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in finished:
                        outcome = future.result()
                        done[outcome.number] = outcome
                        on_done(paths[outcome.number])
                    while next_number in done:
                        yield done.pop(next_number)
                        next_number += 1
            finally:
                for future in pending:
                    future.cancel()
                if pending:  # after an error or a cancellation, do not wait for started files
                    for process in processes:
                        process.kill()
    finally:
        for process in processes:
            process.close()


def task_of(command: str, options: Namespace, *, needs_blender: bool) -> dict[str, Any]:
    """Return the task for worker processes, a command with its options, ready for JSON."""
    plain = {name: value for name, value in vars(options).items() if name not in ("command", "paths")}
    return {"command": command, "options": plain, "needs_blender": needs_blender}


class _Process:
    """A worker process, started with its first file."""

    def __init__(self, program: Sequence[str], task: str) -> None:
        self._program = [*program, SERVE]
        self._task = task
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[bytes] | None = None
        self._files = 0

    def do(self, number: int, path: str) -> Outcome:
        """Send a file, and return its result."""
        if self._files == _FILES:
            self.close()
        try:
            if self._process is None:
                self._start()
            self._files += 1
            return Outcome(number, *self._ask(path))
        except OSError as error:  # the process ended before it read the path
            return Outcome(number, *self._failure(str(error)))

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process runs
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

    def _ask(self, path: str) -> tuple[str, bool, dict[str, Any]]:
        self._write(json.dumps(path))
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            _, mark, answer = line.partition(ANSWER)
            if mark:
                result = json.loads(answer)
                return str(result["text"]), bool(result["failed"]), dict(result["data"])
        return self._failure("")

    def _failure(self, reason: str) -> tuple[str, bool, dict[str, Any]]:
        """Close the ended process, so that the next file starts a new one; return the error."""
        code = None if self._process is None else self._process.wait()
        message = reason
        if self._errors is not None:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            message = lines[-1][:_SHOWN] if lines else reason
        self.close()
        ended = "its process could not be started" if code is None else f"its process ended with code {code}"
        text = f"{ended}: {message}" if message else ended
        return text, True, {"error": text}

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Close the input of the process, and wait until it has ended."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            with suppress(OSError):  # the process may have ended
                process.stdin.close()
            process.stdout.close()
            process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
