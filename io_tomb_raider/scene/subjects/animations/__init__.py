"""Animations, in the scene actions of a model's armature."""
