"""Meshes of models and static meshes as datablocks, and what all faces share."""
