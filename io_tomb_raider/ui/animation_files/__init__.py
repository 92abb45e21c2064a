"""Operators for single animations as files."""
