"""What a level and its items are called: the public door to :mod:`.scripts.level_names`."""

from .scripts.level_names import LevelNames, find_script, read_level_names

__all__ = ["LevelNames", "find_script", "read_level_names"]
