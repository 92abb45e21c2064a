"""Whole levels of all games that are built from plain meshes and a kit: `python build.py new-levels OUT`."""
