"""Tests of io_tomb_raider.ui.game_files."""
