"""Boxes, overlaps and zones as an overlay."""
