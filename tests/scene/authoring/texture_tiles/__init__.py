"""Tests of io_tomb_raider.scene.authoring.texture_tiles."""
