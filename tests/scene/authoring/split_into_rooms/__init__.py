"""Tests of io_tomb_raider.scene.authoring.split_into_rooms."""
