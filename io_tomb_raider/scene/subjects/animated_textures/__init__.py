"""Animated textures: lists of pictures that faces play."""
