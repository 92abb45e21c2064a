"""Files of projects of all level editors."""

from __future__ import annotations

import os
from pathlib import Path

from .project import Project

PROJECT_SUFFIXES = (".prj2", ".prj")


def is_project_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a project, by its suffix."""
    return Path(path).suffix.lower() in PROJECT_SUFFIXES


def read_any_project(path: str | os.PathLike[str]) -> Project:
    """Read a project of Tomb Editor, or of the level editor before it.

    Raises:
        FormatError: if it is no project, or damaged.
        OSError: if it cannot be read.
    """
    if Path(path).suffix.lower() == PROJECT_SUFFIXES[1]:
        from .prj_convert import read_prj

        return read_prj(path)
    from .project import read_project

    return read_project(path)
