"""The subjects of a level, a folder each, with import, export and transfer."""
