"""Tests of io_tomb_raider.scene.new_levels."""
