"""Texts of the games."""
