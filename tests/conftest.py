"""Shared set-up of all tests. Without Blender, only tests that do not need it are collected."""

import atexit
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.edits.rules import rules

from . import case_rotation
from .real_levels import REAL_LEVELS
from .sample_levels import BROKEN_RULES

_STATUS = pytest.StashKey[int]()

HAS_BLENDER = importlib.util.find_spec("bpy") is not None

# Blender must not read the user's preferences and extensions, which it does on import.
_USER_RESOURCES = tempfile.mkdtemp(prefix="io_tomb_raider-tests-")
os.environ["BLENDER_USER_RESOURCES"] = _USER_RESOURCES
atexit.register(shutil.rmtree, _USER_RESOURCES, ignore_errors=True)

# Tests have no time limit, since machines differ. In CI, every run tries the same examples.
hypothesis.settings.register_profile("project", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("project")
# Profiles for --hypothesis-profile, with fewer or more examples.
for _name, _examples in (("few", 8), ("many", 20_000)):
    _project = hypothesis.settings.get_profile("project")
    hypothesis.settings.register_profile(_name, _project, max_examples=_examples)

_NEED_BLENDER = ["abuse", "docs", "scene", "ui", "test_demo.py", "test_each_game.py", "test_packaging.py"]
collect_ignore = [] if HAS_BLENDER else _NEED_BLENDER


def pytest_addoption(parser: pytest.Parser) -> None:
    case_rotation.add_options(parser)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    case_rotation.print_turn(terminalreporter)
    path = os.environ.get("TOMB_RAIDER_CRASHED")
    if path:
        Path(path).write_text("\n".join(crashed_tests(terminalreporter.stats)), encoding="utf-8")


def crashed_tests(stats: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the tests whose process crashed, if no other test failed."""
    failed = [each for kind in ("failed", "error") for each in stats.get(kind, ())]
    has_crashed = [" crashed while running " in str(each.longrepr) for each in failed]
    return [each.nodeid for each in failed] if all(has_crashed) else []


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Store the exit status for pytest_unconfigure."""
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process immediately if Blender is loaded.

    As a module, Blender 4.2 crashes if the interpreter exits while anything, such as a test module, still
    refers to bpy. That would make a passed run fail.
    """
    if "bpy" not in sys.modules or _STATUS not in config.stash:
        return
    shutil.rmtree(_USER_RESOURCES, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash[_STATUS])


def pytest_report_header() -> list[str]:
    """Return a header line with the versions under test."""
    blender = "no Blender: only tests that need none"
    if HAS_BLENDER:
        # Do not import bpy: the main process of a distributed run does not need it.
        blender = f"Blender {importlib.metadata.version('bpy')}"
    return [f"{blender}, NumPy {np.__version__}, {platform.platform()}, {len(REAL_LEVELS)} real levels"]


def pytest_make_parametrize_id(val: object) -> str | None:
    """Use the names of games in test ids, so that `-k TR4` selects all tests of TR4."""
    return val.name if isinstance(val, Game) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests without real files, which pytest would report, and cases of other turns."""
    empty = [item for item in items if _is_over_nothing(item)]
    if empty:
        config.hook.pytest_deselected(items=empty)
        items[:] = [item for item in items if item not in empty]
    case_rotation.choose(config, items)


def _is_over_nothing(item: pytest.Item) -> bool:
    marks = item.iter_markers("skip")
    return any(str(mark.kwargs.get("reason", "")).startswith("got empty parameter set") for mark in marks)


@pytest.fixture(autouse=True)
def _rules_of_samples(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not check the rules of readers that the sample levels break, but in the tests of rules."""
    if "rules" not in request.path.parts:
        kept = tuple(rule for rule in rules.RULES if rule.name not in BROKEN_RULES)
        monkeypatch.setattr(rules, "RULES", kept)


@pytest.fixture(scope="session")
def extension() -> Iterator[ModuleType]:
    """Register the extension for the whole run. Blender 4.2 crashes at exit if it stays registered."""
    import io_tomb_raider

    io_tomb_raider.register()
    yield io_tomb_raider
    io_tomb_raider.unregister()


@pytest.fixture
def blender(extension: ModuleType) -> ModuleType:
    """Return the bpy module, with the extension registered and an empty factory scene."""
    import bpy

    from io_tomb_raider.ui.base import error_report

    from .empty_scene import start_empty

    start_empty()
    error_report.clear()
    return bpy
