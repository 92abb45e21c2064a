"""Tests of io_tomb_raider.scene.authoring.animation_tools."""
