"""Set-up that all tests share. It works without Blender too: then only tests that need none are collected."""

import atexit
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from types import ModuleType

import hypothesis
import numpy as np
import pytest

from io_tomb_raider.formats import Game

from . import case_rotation
from .real_levels import REAL_LEVELS

_STATUS = pytest.StashKey[int]()

HAS_BLENDER = importlib.util.find_spec("bpy") is not None

# Blender must not see the preferences and extensions of whoever runs the tests. It looks on import.
_USER_RESOURCES = tempfile.mkdtemp(prefix="io_tomb_raider-tests-")
os.environ["BLENDER_USER_RESOURCES"] = _USER_RESOURCES
atexit.register(shutil.rmtree, _USER_RESOURCES, ignore_errors=True)

# No test has a time limit, since machines differ. Where CI is set, every run tries the same examples.
hypothesis.settings.register_profile("project", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("project")
# Chosen by --hypothesis-profile where the whole number of examples is tried elsewhere, or another time.
for _name, _examples in (("few", 8), ("many", 20_000)):
    _project = hypothesis.settings.get_profile("project")
    hypothesis.settings.register_profile(_name, _project, max_examples=_examples)

_NEED_BLENDER = ["abuse", "docs", "scene", "ui", "test_demo.py", "test_each_game.py", "test_packaging.py"]
collect_ignore = [] if HAS_BLENDER else _NEED_BLENDER


def pytest_addoption(parser: pytest.Parser) -> None:
    case_rotation.add_options(parser)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    case_rotation.print_turn(terminalreporter)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Remember how the run ended, for the last step."""
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process at once, where Blender is in it.

    As a module, Blender 4.2 crashes when the interpreter goes first while anything, such as a test's
    module, still refers to bpy; that would make a failure of a run that has passed.
    """
    if "bpy" not in sys.modules or _STATUS not in config.stash:
        return
    shutil.rmtree(_USER_RESOURCES, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash[_STATUS])


def pytest_report_header() -> list[str]:
    """Say at the top of a run what it runs on."""
    blender = "no Blender: only tests that need none"
    if HAS_BLENDER:
        # Not loaded for it: the process that hands tests to others needs none.
        blender = f"Blender {importlib.metadata.version('bpy')}"
    return [f"{blender}, NumPy {np.__version__}, {platform.platform()}, {len(REAL_LEVELS)} real levels"]


def pytest_make_parametrize_id(val: object) -> str | None:
    """Call games by their names in the ids of all tests, so that `-k TR4` finds whatever is about TR4."""
    return val.name if isinstance(val, Game) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests over an empty list of real files, which pytest would report, and who has no turn."""
    empty = [item for item in items if _is_over_nothing(item)]
    if empty:
        config.hook.pytest_deselected(items=empty)
        items[:] = [item for item in items if item not in empty]
    case_rotation.choose(config, items)


def _is_over_nothing(item: pytest.Item) -> bool:
    marks = item.iter_markers("skip")
    return any(str(mark.kwargs.get("reason", "")).startswith("got empty parameter set") for mark in marks)


@pytest.fixture(scope="session")
def extension() -> Iterator[ModuleType]:
    """The extension, registered for the whole run; Blender 4.2 crashes at exit if it stays registered."""
    import io_tomb_raider

    io_tomb_raider.register()
    yield io_tomb_raider
    io_tomb_raider.unregister()


@pytest.fixture
def blender(extension: ModuleType) -> ModuleType:
    """The module bpy with the extension registered and an empty scene of factory settings."""
    import bpy

    from .empty_scene import start_empty

    start_empty()
    return bpy
