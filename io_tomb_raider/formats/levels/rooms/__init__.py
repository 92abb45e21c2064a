"""Rooms (documentation, chapter 3): records and geometry."""
