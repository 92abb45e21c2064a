"""Portals: openings between rooms, and how rooms are connected."""
