"""Cameras, sinks, flybys and AI objects: operators and panels."""
