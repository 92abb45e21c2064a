"""Entities and AI objects."""
