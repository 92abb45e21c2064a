"""ENGLISH.DAT and its like (documentation, chapter 12.2): the public door to :mod:`.scripts.language`."""

from .scripts.language import Language, language_to_text, read_language, text_to_language

__all__ = ["Language", "language_to_text", "read_language", "text_to_language"]
