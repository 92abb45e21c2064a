"""Shared parts of operators and panels."""
