"""Tests of io_tomb_raider.ui.command_line."""
