"""Boxes, overlaps and zones (documentation, chapter 7.3) for the pathfinding of enemies."""
