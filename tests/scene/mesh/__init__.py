"""Tests of io_tomb_raider.scene.mesh."""
