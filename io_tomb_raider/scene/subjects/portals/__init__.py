"""Portals, the rooms that they link, and copies of rooms."""
