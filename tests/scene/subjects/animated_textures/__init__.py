"""Tests of io_tomb_raider.scene.subjects.animated_textures."""
