"""Command line that draws the pictures of some pages, or of all."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import io_tomb_raider

from . import FOLDER


def main(pages: list[str]) -> None:
    """Draw the pictures of some pages, or of all."""
    own = [module.name for module in iter_modules([str(Path(__file__).parent)]) if module.name != "__main__"]
    io_tomb_raider.register()
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for page in pages or own:
            draw = getattr(import_module(f".{page}", __package__), "draw", None)
            if draw is not None:  # others are helpers
                draw(FOLDER / f"{page}.png")
    finally:
        io_tomb_raider.unregister()


if __name__ == "__main__":
    main(sys.argv[1:])
