"""Polygon meshes as arrays: the common form for reading, changing and writing geometry."""
