"""Real levels and other real files, which are optional.

The environment variable `TOMB_RAIDER_LEVELS` lists folders and files, separated as in `PATH`. Levels are in
these folders or in their folders `levels` and `more_levels`. Other kinds of files have a folder each: scripts
and pictures `files`, animations `motions`, files of TRX `trx`, projects `projects`, object files `wads`.
"""

import os
from collections.abc import Sized
from pathlib import Path

import pytest

VARIABLE = "TOMB_RAIDER_LEVELS"
LEVEL_SUFFIXES = frozenset({".phd", ".tub", ".tr2", ".tr4", ".trc"})


def _files_in(*folders: str) -> list[Path]:
    """Return the files in some folders below the paths of the variable; "" is the path itself."""
    files: list[Path] = []
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        for path in (Path(name, folder) for folder in folders):
            files += sorted(path.iterdir()) if path.is_dir() else [path]
    return [path for path in files if path.is_file()]


def real_levels() -> list[Path]:
    """Return the real levels, recognized by their suffixes; [] if there are none."""
    files = _files_in("", "levels", "more_levels")
    return [path for path in files if path.suffix.lower() in LEVEL_SUFFIXES]


def real_files(*suffixes: str) -> list[Path]:
    """Return real scripts and pictures, optionally only those with some suffixes (".dat")."""
    return [path for path in _files_in("files") if not suffixes or path.suffix.lower() in suffixes]


def real_motions(*suffixes: str) -> list[Path]:
    """Return real files with motions, optionally only those with some suffixes (".bvh")."""
    return [path for path in _files_in("motions") if not suffixes or path.suffix.lower() in suffixes]


def real_injections() -> list[Path]:
    """Return real injection files of TRX, and levels with such a block."""
    return _files_in("trx")


def real_projects(*suffixes: str) -> list[Path]:
    """Return real projects of level editors, optionally only those with some suffixes (".prj")."""
    return [path for path in _files_in("projects") if path.suffix.lower() in (suffixes or (".prj", ".prj2"))]


def skip_without(elements: Sized) -> None:
    """Skip a test of elements that a real level does not have: a file of outfits has no rooms."""
    if not len(elements):
        pytest.skip("it has none")


def each_real_objects(suffix: str) -> pytest.MarkDecorator:
    """Return a decorator for tests with an argument `objects`:

    the content of an object file of level editors.
    """
    files = [path for path in _files_in("wads") if path.suffix.lower() == suffix]
    return pytest.mark.parametrize(
        "objects", [pytest.param(path.read_bytes(), id=path.name, marks=pytest.mark.once) for path in files]
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
