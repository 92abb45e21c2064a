"""Sounds: details, samples, sources, and files full of sounds."""
