"""Levels of the five classic Tomb Raider games as data: a library of its own, without Blender.

"Documentation", with a chapter, means TRosettaStone 3 everywhere in this project, the description of the
formats by their community: https://opentomb.github.io/TRosettaStone3/trosettastone.html
"""

from .errors import ExportError, FormatError
from .games import Game, Variant
from .level.level import Level, read_level, write_level
from .rooms.rooms import Room

__all__ = ["ExportError", "FormatError", "Game", "Level", "Room", "Variant", "read_level", "write_level"]
