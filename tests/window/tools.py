"""Required programs, and the message about missing ones."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

# Programs, their purposes, and their packages on Debian and Ubuntu.
NEEDED = {
    "Xvfb": ("a screen that nobody sees", "xvfb"),
    "xdotool": ("a mouse and a keyboard", "xdotool"),
    "import": ("pictures of the screen", "imagemagick"),
}


class MissingError(Exception):
    """A required program is missing. The message names it, and how to install it."""


@dataclass(frozen=True)
class Tools:
    """Paths of the programs."""

    blender: Path
    xvfb: Path
    xdotool: Path
    picture: Path


def find_tools(blender: str | None) -> Tools:
    """Return the paths of all programs. Raises MissingError, which names all missing ones.

    Args:
        blender: path or name of the Blender to use; None for the one on PATH.
    """
    lacking = []
    paths = {name: shutil.which(name) for name in NEEDED}
    for name, (purpose, package) in NEEDED.items():
        if paths[name] is None:
            lacking.append(f"{name} ({purpose}; on Debian and Ubuntu: apt install {package})")
    program = shutil.which(blender or "blender")
    if program is None:
        lacking.append(
            "Blender, installed, with a window (name it by --blender PATH)"
            if blender is None
            else f"Blender: {blender} is no program"
        )
    if lacking:
        raise MissingError("A walk through a real window needs what is not here:\n  " + "\n  ".join(lacking))
    found = {name: Path(path) for name, path in paths.items() if path is not None}
    return Tools(Path(str(program)), found["Xvfb"], found["xdotool"], found["import"])
