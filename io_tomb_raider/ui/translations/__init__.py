"""Translations: a file of texts for each language, and the translation of messages."""
