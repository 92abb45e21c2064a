"""Tests of io_tomb_raider.formats.edits.new_levels."""
