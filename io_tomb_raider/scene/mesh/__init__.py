"""Polygon meshes as arrays: the one form in which geometry is read, changed and written."""
