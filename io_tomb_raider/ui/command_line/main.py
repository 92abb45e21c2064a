"""Command line parser, commands and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from typing import Any

from . import (
    NAME,
    applying,
    check,
    compiling,
    converting,
    diff,
    exporting,
    importing,
    info,
    library,
    repairing,
)
from .commands import FAILED, INTERRUPTED, Bar, Command, entry, expanded, print_json, print_result, run_all
from .processes import SERVE, processes_for, run_in_processes, task_of
from .serving import serve

COMMANDS: tuple[Command, ...] = (
    info.COMMAND,
    check.COMMAND,
    diff.COMMAND,
    applying.APPLY,
    repairing.COMMAND,
    importing.IMPORT,
    exporting.EXPORT,
    exporting.RENDER,
    converting.CONVERT,
    compiling.COMPILE,
    library.LIBRARY,
)


def run(
    arguments: Sequence[str],
    program: str = f"blender --command {NAME}",
    start_blender: Callable[[], str] | None = None,
    again: Sequence[str] = (),
) -> int:
    """Run a command line, and return the exit code.

    It is 0 for success, 1 if a file failed or has errors, 2 for a wrong command line, 130 if interrupted.

    Args:
        arguments: arguments without the program's name.
        start_blender: starts Blender for commands that need it, and returns an error message or "".
        again: command line that calls this program again, for several processes; empty for a single process.
    """
    try:
        code = _run(arguments, program, start_blender, again)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader has ended, such as `head`
        with open(os.devnull, "wb") as nowhere:
            for stream in (sys.stdout, sys.stderr):  # Python flushes them at exit
                os.dup2(nowhere.fileno(), stream.fileno())
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(
    arguments: Sequence[str], program: str, start_blender: Callable[[], str] | None, again: Sequence[str]
) -> int:
    """Run a command line, see :func:`run`."""
    if list(arguments) == [SERVE]:
        return serve({command.name: command for command in COMMANDS}, start_blender)
    parser, commands = _parser(program)
    try:
        options = parser.parse_args(list(arguments))
        command: Command = options.command
        if command.prepare is not None:
            command.prepare(commands[command.name], options)
    except SystemExit as stop:  # after --help, or after reporting an error
        return int(stop.code or 0)
    paths = expanded(options.paths, command.suffixes)
    options.is_many = len(paths) > 1
    needs_blender = command.needs_blender and not _does_without(command, options, paths)
    count = processes_for(options.jobs, len(paths)) if again and hasattr(options, "jobs") else 1
    if count > 1:
        task = task_of(command.name, options, needs_blender=needs_blender)
        return _run_at_once(again, task, paths, count)
    if options.json and needs_blender:
        _separate_output()
    entries: list[dict[str, Any]] = []
    with redirect_stdout(sys.stderr) if options.json else nullcontext():
        problem = start_blender() if start_blender is not None and needs_blender else ""
        if problem:
            print(problem, file=sys.stderr)
            return FAILED
        code = run_all(command, options, paths, entries)
    if options.json:
        print_json(entries)
    return code


def _separate_output() -> None:
    """Move what Blender's own code prints to the standard error, so that the standard output is JSON alone.

    This includes the output at its exit. Python's ``print`` still writes to the standard output.
    """
    if sys.stdout is not sys.__stdout__:  # a test reads it, or it is separate already
        return
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(stdout, "w", encoding="utf-8")


def _run_at_once(again: Sequence[str], task: dict[str, Any], paths: Sequence[str], count: int) -> int:
    """Run a command on files in several processes. Return the exit code."""
    bar, done = Bar(len(paths)), 0
    code = 0
    entries: list[dict[str, Any]] = []

    def show(path: str) -> None:
        nonlocal done
        done += 1
        bar.show(done, path)

    bar.show(0, paths[0])
    for outcome in run_in_processes(again, task, paths, count, show):
        bar.clear()
        if outcome.failed:
            code = FAILED
        path = paths[outcome.number]
        if task["options"]["json"]:
            entries.append(entry(path, outcome.data, outcome.failed))
        else:
            print_result(path, outcome.text, outcome.failed)
    bar.clear()
    if task["options"]["json"]:
        print_json(entries)
    return code


def _does_without(command: Command, options: argparse.Namespace, paths: Sequence[str]) -> bool:
    """Return whether a command does not need Blender for these arguments: checks of levels only read them."""
    blends = any(path.lower().endswith(".blend") for path in paths)
    return command is check.COMMAND and not options.scene and not blends


def _parser(program: str) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    parser = argparse.ArgumentParser(
        prog=program,
        description="Levels of Tomb Raider 1 to 5",
        epilog="Exit codes: 0 success, 1 a file failed or has errors, 2 wrong command line, 130 interrupted.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    subparsers = {}
    for command in COMMANDS:
        subparser = commands.add_parser(
            command.name, help=command.help, description=command.help[:1].upper() + command.help[1:]
        )
        command.declare(subparser)
        subparser.add_argument("--json", action="store_true", help="print the results as JSON, for programs")
        subparser.set_defaults(command=command)
        subparsers[command.name] = subparser
    return parser, subparsers
