"""Tests of io_tomb_raider.scene.authoring.collision_from_mesh."""
