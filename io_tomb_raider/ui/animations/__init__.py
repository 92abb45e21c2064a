"""Animations: operators and panels."""
