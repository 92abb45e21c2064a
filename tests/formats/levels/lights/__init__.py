"""Tests of io_tomb_raider.formats.levels.lights."""
