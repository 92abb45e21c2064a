"""Bases of panels and menus, and what they draw."""
