"""Tests of io_tomb_raider.scene.authoring.mesh_from_sectors."""
