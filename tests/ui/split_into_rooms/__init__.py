"""Tests of io_tomb_raider.ui.split_into_rooms."""
