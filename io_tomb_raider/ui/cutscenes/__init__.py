"""Cutscenes: operators and panels."""
