"""Tests of typed properties."""
