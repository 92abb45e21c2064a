"""Textures: operators and panels."""
