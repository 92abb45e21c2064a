"""Portals: the ways between rooms, and how rooms are connected."""
