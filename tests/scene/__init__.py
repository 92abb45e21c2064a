"""Tests of io_tomb_raider.scene, which run in Blender."""
