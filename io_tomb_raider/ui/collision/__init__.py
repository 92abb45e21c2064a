"""Collision: tools for edit mode, and their panels."""
