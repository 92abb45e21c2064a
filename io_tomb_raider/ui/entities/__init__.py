"""Panels of what stands in a level: entities, models, static meshes, lights and sprites."""
