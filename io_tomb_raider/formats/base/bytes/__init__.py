"""Bytes: cursors, bits, records, chunks, files."""
