"""Tests of io_tomb_raider.formats.levels.game_files."""
