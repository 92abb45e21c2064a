"""Public API for ENGLISH.DAT and the like (documentation, chapter 12.2), see :mod:`.scripts.language`."""

from .scripts.language import Language, language_to_text, read_language, text_to_language

__all__ = ["Language", "language_to_text", "read_language", "text_to_language"]
