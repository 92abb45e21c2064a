"""Tests of io_tomb_raider.scene.animated_textures."""
