"""Reducing a level to the pieces that are imported into another one."""
