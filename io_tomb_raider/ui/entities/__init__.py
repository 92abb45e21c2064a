"""Panels of entities and AI objects."""
