"""Tests of projects from levels."""
