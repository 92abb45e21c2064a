"""Boxes, overlaps and zones (documentation, chapter 7.3), by which creatures find their way."""
