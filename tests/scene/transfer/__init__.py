"""Differential tests of io_tomb_raider.scene.transfer: one piece on every road between two games."""
