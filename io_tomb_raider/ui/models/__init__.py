"""Panels of models."""
