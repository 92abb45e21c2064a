"""Cones of spots: conversion between files and Blender."""

from __future__ import annotations

from math import acos, cos, degrees, isfinite, pi, radians

_LEAST_DEGREES = 1.0001  # smaller values would be read as a cosine


def half_angle(value: float) -> float:
    """Return half a cone's angle in radians; files have its cosine, or from some tools degrees."""
    if not isfinite(value) or value < -1:
        return pi / 2
    return acos(value) if value <= 1 else min(radians(value), pi / 2)


def cone_value(half: float, like: float) -> float:
    """Return the value for half a cone's angle: degrees if the value `like` is in degrees, else a cosine."""
    return max(degrees(half), _LEAST_DEGREES) if like > 1 else cos(half)
