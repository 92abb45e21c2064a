"""Tests of the texture brush and of tools for what faces show."""
