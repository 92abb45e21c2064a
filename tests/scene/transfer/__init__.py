"""Differential tests of io_tomb_raider.scene.transfer: pieces on every road between two games."""
