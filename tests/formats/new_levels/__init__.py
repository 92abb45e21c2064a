"""Tests of io_tomb_raider.formats.new_levels."""
