"""Sounds of compiled projects."""
