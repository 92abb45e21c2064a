"""Real levels and other real game files. They are optional.

The folders next to the checkout are used, unless the environment variables `TOMB_RAIDER_LEVELS` and
`TOMB_RAIDER_FILES` name others: lists of files and folders, separated as in `PATH`.
"""

import os
from collections.abc import Iterable, Sized
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LEVEL_SUFFIXES = frozenset({".phd", ".tub", ".tr2", ".tr4", ".trc"})


def _files_at(variable: str, *defaults: Path) -> list[Path]:
    """Return the files named by a variable, directly or by folder, or else those of the default folders."""
    named: Iterable[Path] = (Path(each) for each in os.environ.get(variable, "").split(os.pathsep) if each)
    found: list[Path] = []
    for path in list(named) or defaults:
        found += sorted(path.iterdir()) if path.is_dir() else [path]
    return [path for path in found if path.is_file()]


def real_levels() -> list[Path]:
    """Return the real levels, recognized by their suffixes; [] if there are none."""
    shared = ROOT.parent / "shared"
    files = _files_at("TOMB_RAIDER_LEVELS", shared / "levels", shared / "more_levels")
    return [path for path in files if path.suffix.lower() in LEVEL_SUFFIXES]


def real_files(*suffixes: str) -> list[Path]:
    """Return other real files (scripts, pictures), optionally only those with some suffixes (".dat")."""
    files = _files_at("TOMB_RAIDER_FILES", ROOT.parent / "shared" / "files")
    return [path for path in files if not suffixes or path.suffix.lower() in suffixes]


def real_motions(*suffixes: str) -> list[Path]:
    """Return real files with motions, optionally only those with some suffixes (".bvh")."""
    files = _files_at("TOMB_RAIDER_MOTIONS", ROOT.parent / "shared" / "motions")
    return [path for path in files if not suffixes or path.suffix.lower() in suffixes]


def real_injections() -> list[Path]:
    """Return real injection files of TRX, and levels with such a block."""
    return _files_at("TOMB_RAIDER_INJECTIONS", ROOT.parent / "shared" / "trx")


def real_projects(*suffixes: str) -> list[Path]:
    """Return real projects of level editors, optionally only those with some suffixes (".prj")."""
    files = _files_at("TOMB_RAIDER_PROJECTS", ROOT.parent / "shared" / "projects")
    return [path for path in files if path.suffix.lower() in (suffixes or (".prj", ".prj2"))]


def skip_without(elements: Sized) -> None:
    """Skip a test of elements that a real level does not have: a file of outfits has no rooms."""
    if not len(elements):
        pytest.skip("it has none")


def each_real_objects(suffix: str) -> pytest.MarkDecorator:
    """Return a decorator for tests with an argument `objects`:

    the content of an object file of level editors.
    """
    files = _files_at("TOMB_RAIDER_OBJECTS", ROOT.parent / "shared" / "wads")
    found = [path for path in files if path.suffix.lower() == suffix]
    return pytest.mark.parametrize(
        "objects", [pytest.param(path.read_bytes(), id=path.name, marks=pytest.mark.once) for path in found]
    )


REAL_LEVELS = real_levels()

# Parametrizes a test with `level_path`; without real levels, it is not collected. Tests of one subject do not
# depend on Blender's version, so they run once.
each_real_level = pytest.mark.parametrize(
    "level_path", [pytest.param(path, id=path.name, marks=pytest.mark.once) for path in REAL_LEVELS]
)

# For tests of whole levels, which run in every Blender.
each_real_level_everywhere = pytest.mark.parametrize(
    "level_path", [pytest.param(path, id=path.name, marks=pytest.mark.everywhere) for path in REAL_LEVELS]
)
