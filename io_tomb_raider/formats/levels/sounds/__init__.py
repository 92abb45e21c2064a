"""Sounds (documentation, chapter 8): details, samples, waves, and sound files."""
