"""Files of a game that stand beside its levels."""

from __future__ import annotations

from pathlib import Path


def find_beside(level: Path, *names: str) -> Path | None:
    """Return the first file of these names beside a level, else one folder up, or None.

    The case of letters does not count.
    """
    folder = level.absolute().parent
    found = (_file(each, name) for each in (folder, folder.parent) for name in names)
    return next((path for path in found if path is not None), None)


def _file(folder: Path, name: str) -> Path | None:
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return None
    return next((path for path in files if path.name.lower() == name.lower() and path.is_file()), None)
