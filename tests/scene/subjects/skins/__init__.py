"""Tests of io_tomb_raider.scene.subjects.skins."""
