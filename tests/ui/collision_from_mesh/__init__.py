"""Tests of io_tomb_raider.ui.collision_from_mesh."""
