"""Sounds: details, samples, sources, and sound files such as MAIN.SFX."""
