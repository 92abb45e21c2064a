"""Tests of the translations of all user-visible texts."""
