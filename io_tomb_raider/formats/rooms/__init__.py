"""Rooms (documentation, chapter 3): their records, and the geometry that these hold."""
