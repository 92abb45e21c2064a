"""Forward kinematics of figures, and limbs that reach for a place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from io_tomb_raider.formats.base.arrays.typing import Floats

from ..solids import Joint, Pose


def rotation(angles: Sequence[float] | Floats) -> Floats:
    """Return the matrix of angles around x, y and z in degrees: y, then x, then z, as games apply them."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(np.radians(angles)), np.sin(np.radians(angles))
    yaw = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    pitch = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    roll = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return np.asarray(yaw @ pitch @ roll)


def angles_of(matrix: Floats) -> Floats:
    """Return the angles of a rotation matrix, in degrees."""
    x = np.arcsin(np.clip(-matrix[1, 2], -1, 1))
    y = np.arctan2(matrix[0, 2], matrix[2, 2])
    z = np.arctan2(matrix[1, 0], matrix[1, 1])
    return np.degrees([x, y, z])


def parents(joints: Sequence[Joint]) -> list[int]:
    """Return the parent of each mesh but the first, by the stack of the games."""
    result: list[int] = []
    stack: list[int] = []
    current = 0
    for number, joint in enumerate(joints):
        if joint.pop:
            current = stack.pop()
        if joint.push:
            stack.append(current)
        result.append(current)
        current = number + 1
    return result


def frames(joints: Sequence[Joint], pose: Pose) -> tuple[Floats, Floats]:
    """Return the places (meshes, 3) and rotations (meshes, 3, 3) of all meshes in a pose."""
    root, angles = pose
    places, turns = [np.array(root, np.float64)], [rotation(angles[0])]
    for number, (joint, parent) in enumerate(zip(joints, parents(joints), strict=True)):
        places.append(places[parent] + turns[parent] @ np.array(joint.offset))
        turns.append(turns[parent] @ rotation(angles[number + 1]))
    return np.array(places), np.array(turns)


def reach(
    origin: Floats, target: Floats, forward: Floats, lengths: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return the rotations of both bones of a limb that reaches from an origin to a target.

    The bones are along y where they are not rotated. The joint between them bends towards `forward`. A limb
    that is too short points to the target.
    """
    first, second = lengths
    away = target - origin
    distance = float(np.linalg.norm(away))
    along = away / max(distance, 1e-9)
    distance = min(distance, first + second - 0.01)
    side = forward - (forward @ along) * along
    side /= np.linalg.norm(side)
    cosine = np.clip((first**2 + distance**2 - second**2) / (2 * first * distance), -1, 1)
    upper = along * cosine + side * np.sqrt(1 - cosine**2)
    lower = (along * distance - upper * first) / second
    across = np.cross(along, side)
    rotations = [np.stack((across, bone, np.cross(across, bone)), axis=1) for bone in (upper, lower)]
    return rotations[0], rotations[1]
