"""Rooms from large meshes and whole scenes: operator."""
