"""Sounds (documentation, chapter 8): details, samples, waves, and files full of them."""
