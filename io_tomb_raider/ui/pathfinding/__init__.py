"""Boxes: operators and panels."""
