"""Append and replace: operators on pieces of other files."""
