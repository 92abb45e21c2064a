"""Public API for names of a level and its items, see :mod:`.scripts.level_names`."""

from .scripts.level_names import LevelNames, find_script, read_level_names

__all__ = ["LevelNames", "find_script", "read_level_names"]
