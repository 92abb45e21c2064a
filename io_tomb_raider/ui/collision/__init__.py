"""Collision: tools of edit mode, and their panel."""
