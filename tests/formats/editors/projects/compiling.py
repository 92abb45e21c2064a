"""Levels as projects, compiled again: what tests of both directions share."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import read_level
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.from_level.from_level import FromLevel, project_of
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.levels.views.decoded import Decoded

_NAME = "made"
_FOLDER = "$(LevelDirectory)\\"


class Round(NamedTuple):
    """A level, the project made from it, and the level compiled from that.

    Attributes:
        before: the level.
        made: the project with its files.
        content: the project's file.
        compiled: the project, read again and compiled.
        after: the level of that.
    """

    before: Decoded
    made: FromLevel
    content: bytes
    compiled: Compiled
    after: Decoded

    def project(self) -> Project:
        """Return the project, read from its file."""
        return read_project(self.content)


def load_png(path: Path) -> NDArray[np.uint8]:
    """Return a picture that the extension wrote, (h, w, 4)."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    rows = np.frombuffer(zlib.decompress(_chunks(data)), np.uint8).reshape(height, 1 + 4 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 4)


def _chunks(data: bytes) -> bytes:
    at, found = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        found += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    return found


def write_files(made: FromLevel, folder: Path) -> None:
    """Write the files of a project."""
    for name, content in made.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


def round_trip(folder: Path, level: Path, *, keep_light: bool = True) -> Round:
    """Make a project of a level in a folder, and compile it."""
    before = Decoded(read_level(level))
    objects = f"objects{level.suffix}"
    (folder / objects).write_bytes(level.read_bytes())
    made = project_of(before, _NAME, _FOLDER + objects, keep_light=keep_light)
    write_files(made, folder)
    content = made.project.to_bytes()
    project = read_project(content)
    path = folder / f"{_NAME}.prj2"
    compiled = compile_project(
        project, Resources(paths_of(project.settings, path), load_png), keep_missing=True
    )
    return Round(before, made, content, compiled, Decoded(compiled.level))
