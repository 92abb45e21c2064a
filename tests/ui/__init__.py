"""Tests of io_tomb_raider.ui, which run in Blender."""
