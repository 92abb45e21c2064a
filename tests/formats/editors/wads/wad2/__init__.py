"""Tests of io_tomb_raider.formats.editors.wads.wad2."""
