"""Repair of seams of rooms."""
