"""Tests of views of animations."""
