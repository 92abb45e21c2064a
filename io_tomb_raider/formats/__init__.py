"""Levels of the five classic Tomb Raider games as data: a library of its own, without Blender.

"Documentation", with a chapter, means TRosettaStone 3 everywhere in this project, the description of the
formats by their community: https://opentomb.github.io/TRosettaStone3/trosettastone.html
"""

from typing import TYPE_CHECKING

from .base.errors import ExportError, FormatError
from .base.games import Game, Variant

if TYPE_CHECKING:
    from .levels.level.level import Level, read_level, write_level
    from .levels.rooms.rooms import Room
else:
    # Nearly all modules import games and errors from this package, and most import nothing else, so the
    # readers are imported on first use: this shortens Blender's startup.
    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(
            import_module(".levels.rooms.rooms" if name == "Room" else ".levels.level.level", __name__), name
        )
        globals()[name] = found
        return found


__all__ = ["ExportError", "FormatError", "Game", "Level", "Room", "Variant", "read_level", "write_level"]
