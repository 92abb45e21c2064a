"""Tests of io_tomb_raider.ui.mesh_from_sectors."""
