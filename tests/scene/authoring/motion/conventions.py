"""Recordings in the conventions of other programs: one motion with other axes, joints and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .recordings import CMU, JOINTS, MIXAMO, OLD, Recording, about, sides, zxy

_LEGS_AND_ARMS = ["thigh", "calf", "foot", "toe", "clavicle", "arm", "elbow", "hand"]


def _named(limbs: str, trunk: str, *, prefix: str = "", is_lower: bool = False) -> dict[str, str]:
    names = sides(
        dict(zip(_LEGS_AND_ARMS, limbs.split("/"), strict=True)),
        dict(zip(("hips", "spine", "chest", "neck", "head"), trunk.split("/"), strict=True)),
    )
    return {joint: prefix + (name.lower() if is_lower else name) for joint, name in names.items()}


NAMES: Mapping[str, Mapping[str, str]] = {
    "Mixamo": MIXAMO,
    "old BVH": OLD,
    "CMU": CMU,
    "glued sides": _named(
        "{}hip/{}knee/{}foot/{}toe/{}collar/{}shoulder/{}elbow/{}hand",
        "hip/abdomen/chest/neck/head",
        is_lower=True,
    ),
    "SMPL": _named(
        "{}_Hip/{}_Knee/{}_Ankle/{}_Foot/{}_Collar/{}_Shoulder/{}_Elbow/{}_Wrist",
        "Pelvis/Spine1/Spine3/Neck/Head",
        prefix="m_avg_",
    ),
    "Biped": _named(
        "{} Thigh/{} Calf/{} Foot/{} Toe0/{} Clavicle/{} UpperArm/{} Forearm/{} Hand",
        "Pelvis/Spine/Spine2/Neck/Head",
        prefix="Bip01 ",
    ),
    "VRM": _named(
        "{}_UpperLeg/{}_LowerLeg/{}_Foot/{}_ToeBase/{}_Shoulder/{}_UpperArm/{}_LowerArm/{}_Hand",
        "C_Hips/C_Spine/C_UpperChest/C_Neck/C_Head",
        prefix="J_Bip_",
    ),
    "Rigify": _named(
        "DEF-thigh.{}/DEF-shin.{}/DEF-foot.{}/DEF-toe.{}/DEF-shoulder.{}/DEF-upper_arm.{}/DEF-forearm.{}/DEF-hand.{}",
        "DEF-spine/DEF-spine.001/DEF-spine.003/DEF-spine.004/DEF-spine.006",
    ),
    "Auto-Rig Pro": _named(
        "thigh_stretch.{}/leg_stretch.{}/foot.{}/toes_01.{}/shoulder.{}/arm_stretch.{}/forearm_stretch.{}/hand.{}",
        "root.x/spine_01.x/spine_02.x/neck.x/head.x",
        is_lower=True,
    ),
    "Unity": _named(
        "#UpperLeg/#LowerLeg/#Foot/#Toes/#Shoulder/#UpperArm/#LowerArm/#Hand",
        "Hips/Spine/UpperChest/Neck/Head",
    ),
}
UPS: Mapping[str, Any] = {
    "Y": np.eye(3),
    "Z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "X": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "-Y": np.diag([1.0, -1.0, -1.0]),
}
ARMS = {"T": 0.0, "A": 45.0, "I": 85.0}


@dataclass(frozen=True)
class Convention:
    """How a program tells a motion.

    Attributes:
        names: see :data:`NAMES`.
        up: see :data:`UPS`.
        rest: the rest pose, see :data:`ARMS`; "X" has all joints along +X.
        missing: joints without a side that are left out: hands, toes.
        extra: the number of bones before the chest and the neck, each.
        twists: whether limbs have bones for their twist.
        unkeyed: whether joints that do not move have no keys.
    """

    names: str = "Mixamo"
    up: str = "Y"
    rest: str = "T"
    missing: frozenset[str] = frozenset()
    extra: int = 0
    twists: bool = False
    unkeyed: bool = False


@dataclass
class Respelled(Recording):
    """A recording in a convention."""

    convention: Convention = field(default_factory=Convention)

    def __post_init__(self) -> None:
        """List the joints: name, parent, offset in a T-pose, and the recorded joint that they turn with."""
        said = self.convention
        self.tree: list[tuple[str, str, Any, str]] = []
        self.written: dict[str, str] = dict(NAMES[said.names])
        for name, parent, offset in JOINTS:
            if name.partition(".")[0] in said.missing:
                continue
            place, above = np.array(offset), parent
            if name in ("chest", "neck"):
                place = place / (said.extra + 1)
                for number in range(said.extra):
                    between = f"{name} extra {number}"
                    self.written[between] = f"bend{name}{number}"
                    self.tree.append((between, above, place, parent))
                    above = between
            self.tree.append((name, above, place, name))
            if said.twists and name.startswith(("thigh", "arm")):
                self.written[f"{name} twist"] = f"{self.written[name]}_twist"
                self.tree.append((f"{name} twist", name, np.array(JOINT_OF[name]) / 2, name))

    def text(self) -> str:
        frames, up = self._frames(), UPS[self.convention.up]
        lines = ["HIERARCHY"]
        self._write(lines, self.tree[0], 0, frames)
        times = self.frames()
        lines += ["MOTION", f"Frames: {len(times)}", f"Frame Time: {1 / self.rate:.7f}"]
        order = self._ordered(self.tree[0])
        around = about("y", self.around)
        for time in times:
            angles, hips = self.pose(time)
            whole: dict[str, Any] = {}
            for name, parent, _ in JOINTS:
                z, x, y = angles.get(name, (0.0, 0.0, 0.0))
                own = about("z", z) @ about("x", x) @ about("y", y)
                whole[name] = whole[parent] @ own if parent else own
            values = (up @ around @ np.array(hips) * self.scale).tolist()
            turns = {
                name: up @ around @ whole[origin] @ around.T @ frames[name]
                for name, _, _, origin in self.tree
            }
            for name, parent, _, _ in order:
                values += zxy(turns[parent].T @ turns[name] if parent else turns[name])
            lines.append(" ".join(f"{each:.9f}" for each in values))
        return "\n".join(lines) + "\n"

    def _frames(self) -> dict[str, Any]:
        """Return the axes of each joint in a T-pose that are those of the file at rest."""
        up, around = UPS[self.convention.up], about("y", self.around)
        frames = {}
        for name, _, _, origin in self.tree:
            joint, _, side = origin.partition(".")
            if self.convention.rest == "X":
                end = next(
                    (offset for _, parent, offset, _ in self.tree if parent == name), JOINT_OF.get(origin)
                )
                way = np.array((0.0, 1.0, 0.0) if joint == "hips" or end is None else end)
                if end is None and joint in ("hand", "toe"):
                    way = np.array(next(offset for each, _, offset in JOINTS if each == origin))
                x = way / np.linalg.norm(way)
                z = np.cross(x, (0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (0.0, 1.0, 0.0))
                z /= np.linalg.norm(z)
                frames[name] = around @ np.stack([x, np.cross(z, x), z], axis=1)
                continue
            hangs = joint in ("arm", "elbow", "hand")
            degrees = ARMS[self.convention.rest] * (1.0 if side == "R" else -1.0) if hangs else 0.0
            frames[name] = around @ about("z", degrees).T @ around.T @ up.T
        return frames

    def _ordered(self, joint: Any) -> list[Any]:
        found = [joint]
        for child in (each for each in self.tree if each[1] == joint[0]):
            found += self._ordered(child)
        return found

    def _write(self, lines: list[str], joint: Any, depth: int, frames: dict[str, Any]) -> None:
        name, parent, offset, _ = joint
        indent, around = "  " * depth, about("y", self.around)
        places = "3" if depth else "6 Xposition Yposition Zposition"
        place = frames[parent].T @ around @ offset * self.scale if parent else np.zeros(3)
        lines += [
            f"{indent}{'JOINT' if depth else 'ROOT'} {self.written[name]}",
            f"{indent}{{",
            "{}  OFFSET {:.9f} {:.9f} {:.9f}".format(indent, *place),
            f"{indent}  CHANNELS {places} Zrotation Xrotation Yrotation",
        ]
        children = [each for each in self.tree if each[1] == name]
        for child in children:
            self._write(lines, child, depth + 1, frames)
        if not children:
            end = frames[name].T @ around @ np.array(JOINT_OF.get(name, offset)) * self.scale
            lines += [f"{indent}  End Site", f"{indent}  {{"]
            lines += ["{}    OFFSET {:.9f} {:.9f} {:.9f}".format(indent, *end), f"{indent}  }}"]
        lines.append(f"{indent}}}")


# Where a joint ends: the place of its first child.
JOINT_OF: dict[str, tuple[float, float, float]] = {}
for _name, _parent, _offset in JOINTS:
    JOINT_OF.setdefault(_parent, _offset)
JOINT_OF["head"] = (0.0, 1.0, 0.0)
