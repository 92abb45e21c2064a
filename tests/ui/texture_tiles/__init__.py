"""Tests of the texture brush in the interface."""
