"""Tests of io_tomb_raider.ui.collision."""
