"""Tests of io_tomb_raider.scene.static_meshes."""
