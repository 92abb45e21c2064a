"""Tests of io_tomb_raider.scene.interop.wads."""
