"""Scenes that older versions of the extension made, brought up to date."""
