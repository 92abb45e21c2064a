"""Rooms and portals: operators and panels."""
