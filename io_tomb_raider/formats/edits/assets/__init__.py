"""Content digests, by which libraries identify equal pieces of many levels."""
