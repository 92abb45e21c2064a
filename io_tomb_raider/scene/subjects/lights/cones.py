"""The cones of spots, as files have them and as Blender does."""

from __future__ import annotations

from math import acos, cos, degrees, isfinite, pi, radians

_LEAST_DEGREES = 1.0001  # below that they would count as a cosine


def half_angle(value: float) -> float:
    """Return half a cone's angle: files hold its cosine, or from some tools degrees."""
    if not isfinite(value) or value < -1:
        return pi / 2
    return acos(value) if value <= 1 else min(radians(value), pi / 2)


def cone_value(half: float, like: float) -> float:
    """Return what files hold for half a cone's angle: degrees, where they hold degrees for another one."""
    return max(degrees(half), _LEAST_DEGREES) if like > 1 else cos(half)
