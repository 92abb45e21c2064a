"""The programs that it takes, and what to say where they are missing."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

# Programs, what each is for, and the package that has it on Debian and Ubuntu.
NEEDED = {
    "Xvfb": ("a screen that nobody sees", "xvfb"),
    "xdotool": ("a mouse and a keyboard", "xdotool"),
    "import": ("pictures of the screen", "imagemagick"),
}


class MissingError(Exception):
    """The machine lacks something. The message says what, and what to do."""


@dataclass(frozen=True)
class Tools:
    """Where the programs are."""

    blender: Path
    xvfb: Path
    xdotool: Path
    picture: Path


def find_tools(blender: str | None) -> Tools:
    """Find all programs. Raises MissingError, which names every one that is not there.

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
