"""Tests of operators for single animations as files."""
