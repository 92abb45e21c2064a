"""Damaged and malicious files: each is read, or refused with a FormatError."""
