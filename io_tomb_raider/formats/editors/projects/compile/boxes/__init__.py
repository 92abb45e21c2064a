"""Boxes and their overlaps, as the editor builds them."""
