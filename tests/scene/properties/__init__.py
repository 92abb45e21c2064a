"""Tests of what properties show."""
