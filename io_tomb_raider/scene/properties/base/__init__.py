"""Parts of the typed properties: kinds, pointers, texts, watched values."""
