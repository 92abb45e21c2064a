"""Files that are damaged, byte by byte and on purpose: each is read, or refused with a FormatError."""
