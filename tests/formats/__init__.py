"""Tests of io_tomb_raider.formats, which need NumPy only."""
