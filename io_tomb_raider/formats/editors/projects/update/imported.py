"""Imported geometry of a scene written into the objects of a project."""

from __future__ import annotations

from math import atan2, degrees, hypot
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Floats
from ..compile.compiled import Origin
from ..compile.rooms.imported import turn_of
from ..model.objects import ImportedGeometry
from .face_rows import FaceRows

_SAME_PLACE = 1 / 64  # units: 32-bit floats of a scene hold places in rooms more exactly
_SAME_ANGLE = 0.01  # degrees
_SAME_TURN, _SAME_SCALE = 1e-4, 1e-5
_UPRIGHT = 1e-6  # of the cosine of the tilt: the model looks up or down, and its roll is like a turn


class PlacedModel(NamedTuple):
    """Imported geometry of a level as it is now."""

    name: str  #: shown to users.
    number: int  #: of its object in the project, -1 for a new one.
    source: int  #: the number of its object, or of the object it is a copy of; -1 if there is none.
    room: int  #: its room in the level.
    place: Floats  #: (3,) relative to the corner of the level's room, y upwards, in units.
    turn: Floats  #: (3, 3) its rotation and scale, y upwards.
    faces: FaceRows
    is_edited: bool  #: whether its mesh differs from the model.


def faces_of_origin(origin: Origin) -> dict[int, FaceRows]:
    """Return the faces of imported geometry of a compiled level by room."""
    return {
        number: FaceRows.joined(
            FaceRows(each.first_quad + np.arange(each.quads), each.first_triangle + np.arange(each.triangles))
            for each in room_faces
        )
        for number, room_faces in enumerate(origin.imported)
    }


def linear_of(placed: ImportedGeometry) -> Floats:
    """Return the rotation and scale of an object, (3, 3), y upwards."""
    return turn_of(placed).astype(np.float64) * placed.scale


def put_position(placed: ImportedGeometry, position: Floats) -> None:
    """Move an object to a place in its room, (3,); coordinates that did not change keep their value."""
    steps = position - np.array(placed.position)
    whole = np.rint(steps)
    steps = np.where(np.abs(steps - whole) < _SAME_PLACE, whole, steps)
    if steps.any():
        x, y, z = (
            value + step if step else value
            for value, step in zip(placed.position, steps.tolist(), strict=True)
        )
        placed.position = (x, y, z)


def put_turn(placed: ImportedGeometry, turn: Floats) -> bool:
    """Turn and scale an object by a matrix (3, 3), y upwards; values that did not change stay.

    Return whether the project can have it: not if it is mirrored, or scaled differently along its axes.
    """
    tolerance = _SAME_TURN * 0.1 * max(abs(placed.scale), 1e-3)
    if np.allclose(turn, linear_of(placed), rtol=0, atol=tolerance):
        return True
    volume = float(np.linalg.det(turn)) if np.isfinite(turn).all() else 0.0
    if volume <= 0:
        return False
    scale = float(np.cbrt(volume))
    rotation = turn / scale
    if np.abs(rotation.T @ rotation - np.eye(3)).max() > _SAME_TURN:
        return False
    if abs(scale - placed.scale) > _SAME_SCALE * abs(placed.scale):
        placed.scale = float(f"{scale:.6g}")
    angles = placed.y, placed.x, placed.roll
    new_angles = min(_angles(rotation, placed), key=lambda each: sum(map(_angle_difference, each, angles)))
    placed.y, placed.x, placed.roll = (
        before
        if _angle_difference(angle, before) < _SAME_ANGLE
        else _rounded(angle) % 360
        if wraps
        else _rounded(angle)
        for angle, before, wraps in zip(new_angles, angles, (True, False, True), strict=True)
    )
    return True


def _angles(turn: Floats, placed: ImportedGeometry) -> list[tuple[float, float, float]]:
    """Return the two triples of angles of a rotation: around y, x, and the roll, in degrees."""
    level = hypot(float(turn[0, 2]), float(turn[2, 2]))
    tilt = degrees(atan2(float(turn[1, 2]), level))
    if level < _UPRIGHT:
        # Only the sum or difference of turn and roll counts.
        around = degrees(atan2(-float(turn[2, 0]), float(turn[0, 0])))
        return [(around + (-placed.roll if tilt > 0 else placed.roll), tilt, placed.roll)]
    around = degrees(atan2(float(turn[0, 2]), float(turn[2, 2])))
    roll = degrees(atan2(float(turn[1, 0]), float(turn[1, 1])))
    return [(around, tilt, roll), (around + 180, 180 - tilt if tilt > 0 else -180 - tilt, roll + 180)]


def _angle_difference(a: float, b: float) -> float:
    """Return the difference of two angles in degrees, 0 to 180."""
    return abs((a - b + 180) % 360 - 180)


def _rounded(angle: float) -> float:
    whole = round(angle)
    return float(whole) if abs(angle - whole) < _SAME_ANGLE else round(angle, 4)
