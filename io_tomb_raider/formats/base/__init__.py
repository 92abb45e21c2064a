"""Shared parts of all formats: bounded reading, declarative layouts, records, and splicing."""
