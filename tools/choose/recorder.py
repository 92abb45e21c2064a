"""A pytest plugin that records which lines of the extension each test executes, and how long it takes.

    python -m pytest -p tools.choose.recorder --executed FOLDER

Each process writes one file there, see :func:`read`. Recording requires Python 3.12.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

PACKAGE = Path(__file__).resolve().parents[2] / "io_tomb_raider"
_PREFIX = f"{PACKAGE}{os.sep}"
_monitoring: Any = getattr(sys, "monitoring", None)  # new in Python 3.12


class Recorder:
    """Records the tests of one process.

    Lines are events that Python disables once they were reported, until the next test: little slower
    than without, as lines in loops are reported once.
    """

    def __init__(self, path: Path) -> None:
        self._rows = path.open("w", encoding="utf-8")
        self._numbers: dict[tuple[str, int], int] = {}  # of each line met so far
        self._met: set[tuple[str, int]] = set()
        events, self._tool = _monitoring.events, _monitoring.COVERAGE_ID
        _monitoring.use_tool_id(self._tool, "executed lines")
        _monitoring.register_callback(self._tool, events.PY_START, self._start)
        _monitoring.register_callback(self._tool, events.LINE, self._line)
        _monitoring.set_events(self._tool, events.PY_START)

    def _start(self, code: CodeType, offset: int) -> object:
        if code.co_filename.startswith(_PREFIX):
            _monitoring.set_local_events(self._tool, code, _monitoring.events.LINE)
        return _monitoring.DISABLE

    def _line(self, code: CodeType, line: int) -> object:
        self._met.add((code.co_filename, line))
        return _monitoring.DISABLE

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._met.clear()
        _monitoring.restart_events()
        begin = sum(os.times()[:4])
        yield
        seconds = sum(os.times()[:4]) - begin
        numbers = [self._numbers.setdefault(each, len(self._numbers)) for each in self._met]
        bits = np.zeros(len(self._numbers), np.bool_)
        bits[numbers] = True
        packed = base64.b85encode(zlib.compress(np.packbits(bits).tobytes())).decode()
        self._rows.write(json.dumps([item.nodeid, round(seconds, 3), packed]) + "\n")
        self._rows.flush()

    def pytest_sessionfinish(self) -> None:
        table = [[str(Path(file).relative_to(PACKAGE)), line] for file, line in self._numbers]
        self._rows.write(json.dumps(table) + "\n")
        self._rows.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--executed", type=Path, help="folder for the lines that each test executes")


def pytest_configure(config: pytest.Config) -> None:
    folder: Path | None = config.getoption("--executed")
    is_controller = not hasattr(config, "workerinput") and config.getoption("numprocesses", None)
    if folder is not None and not is_controller:
        folder.mkdir(parents=True, exist_ok=True)
        config.pluginmanager.register(Recorder(folder / f"{os.getpid()}.jsonl"))


def read(folder: Path) -> tuple[dict[str, tuple[float, NDArray[np.int32]]], list[tuple[str, int]]]:
    """Return by test its CPU seconds and the indices of its lines, and the lines (module, number)."""
    tests: dict[str, tuple[float, NDArray[np.int32]]] = {}
    shared: dict[tuple[str, int], int] = {}
    for path in sorted(folder.glob("*.jsonl")):
        *rows, table = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        numbers = np.array([shared.setdefault((file, line), len(shared)) for file, line in table], np.int32)
        for test, seconds, packed in rows:
            bits = np.unpackbits(np.frombuffer(zlib.decompress(base64.b85decode(packed)), np.uint8))
            tests[test] = (seconds, numbers[np.flatnonzero(bits)])
    return tests, list(shared)
