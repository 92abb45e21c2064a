"""Playback of levels in an engine."""
