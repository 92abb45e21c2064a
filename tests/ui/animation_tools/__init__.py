"""Tests of io_tomb_raider.ui.animation_tools."""
