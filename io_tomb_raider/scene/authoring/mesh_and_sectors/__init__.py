"""Fixes of rooms whose mesh and sectors are apart, together with those of all other findings."""
