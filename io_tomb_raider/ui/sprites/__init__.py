"""Sprites: panels."""
