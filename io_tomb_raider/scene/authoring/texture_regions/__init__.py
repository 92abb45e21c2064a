"""Pieces of texture pages: what a face shows, which faces show it, and another picture in its place."""
