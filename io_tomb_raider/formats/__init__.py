"""Levels of the five classic Tomb Raider games as data: a library of its own, without Blender.

"Documentation", with a chapter, means TRosettaStone 3 everywhere in this project, the description of the
formats by their community: https://opentomb.github.io/TRosettaStone3/trosettastone.html
"""

from typing import TYPE_CHECKING

from .base.errors import ExportError, FormatError
from .base.games import Game, Variant
from .base.lazy import lazy_exports

if TYPE_CHECKING:
    from .levels.level.level import Level, read_level, write_level
    from .levels.rooms.rooms import Room
else:
    # Nearly all modules import games and errors from this package, and most import nothing else.
    __getattr__ = lazy_exports(__name__)

__version__ = "1.0.0"
__all__ = ["ExportError", "FormatError", "Game", "Level", "Room", "Variant", "read_level", "write_level"]
