"""Made-up recordings: BVH texts, and the joints that they describe, computed here.

BVH files have y up and left at +x, and faces +z. Games and Blender's importer have no part in these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

# Joints of our skeleton with parent and offset in a T-pose; 8 units from hip to ankle.
JOINTS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("hips", "", (0.0, 0.0, 0.0)),
    ("thigh.L", "hips", (1.0, -0.5, 0.0)),
    ("calf.L", "thigh.L", (0.0, -4.0, 0.0)),
    ("foot.L", "calf.L", (0.0, -4.0, 0.0)),
    ("toe.L", "foot.L", (0.0, -0.7, 1.3)),
    ("thigh.R", "hips", (-1.0, -0.5, 0.0)),
    ("calf.R", "thigh.R", (0.0, -4.0, 0.0)),
    ("foot.R", "calf.R", (0.0, -4.0, 0.0)),
    ("toe.R", "foot.R", (0.0, -0.7, 1.3)),
    ("spine", "hips", (0.0, 1.0, 0.0)),
    ("chest", "spine", (0.0, 1.6, 0.0)),
    ("neck", "chest", (0.0, 1.6, 0.0)),
    ("head", "neck", (0.0, 1.0, 0.1)),
    ("clavicle.L", "chest", (0.2, 1.2, 0.0)),
    ("arm.L", "clavicle.L", (1.4, 0.0, 0.0)),
    ("elbow.L", "arm.L", (2.8, 0.0, 0.0)),
    ("hand.L", "elbow.L", (2.5, 0.0, 0.0)),
    ("clavicle.R", "chest", (-0.2, 1.2, 0.0)),
    ("arm.R", "clavicle.R", (-1.4, 0.0, 0.0)),
    ("elbow.R", "arm.R", (-2.8, 0.0, 0.0)),
    ("hand.R", "elbow.R", (-2.5, 0.0, 0.0)),
)
LIMBS = {
    "Thigh": ("thigh", "calf"),
    "Calf": ("calf", "foot"),
    "Upper Arm": ("arm", "elbow"),
    "Lower Arm": ("elbow", "hand"),
}
_ARMS = ("arm", "elbow", "hand")


def sides(left: Mapping[str, str], middle: Mapping[str, str]) -> dict[str, str]:
    both = {f"{joint}.{side}": name.format(side) for joint, name in left.items() for side in "LR"}
    long = {"L": "Left", "R": "Right"}
    return {key: name.replace("#", long[key[-1]]) for key, name in both.items()} | dict(middle)


MIXAMO = sides(
    {
        "thigh": "mixamorig:#UpLeg",
        "calf": "mixamorig:#Leg",
        "foot": "mixamorig:#Foot",
        "toe": "mixamorig:#ToeBase",
        "clavicle": "mixamorig:#Shoulder",
        "arm": "mixamorig:#Arm",
        "elbow": "mixamorig:#ForeArm",
        "hand": "mixamorig:#Hand",
    },
    {
        "hips": "mixamorig:Hips",
        "spine": "mixamorig:Spine",
        "chest": "mixamorig:Spine2",
        "neck": "mixamorig:Neck",
        "head": "mixamorig:Head",
    },
)
OLD = sides(
    {
        "thigh": "#Hip",
        "calf": "#Knee",
        "foot": "#Ankle",
        "toe": "#Toe",
        "clavicle": "#Collar",
        "arm": "#Shoulder",
        "elbow": "#Elbow",
        "hand": "#Wrist",
    },
    {"hips": "Hips", "spine": "Chest", "chest": "Chest2", "neck": "Neck", "head": "Head"},
)
CMU = sides(
    {
        "thigh": "#UpLeg",
        "calf": "#Leg",
        "foot": "#Foot",
        "toe": "#ToeBase",
        "clavicle": "#Shoulder",
        "arm": "#Arm",
        "elbow": "#ForeArm",
        "hand": "#Hand",
    },
    {"hips": "Hips", "spine": "LowerBack", "chest": "Spine1", "neck": "Neck1", "head": "Head"},
)

Pose = Callable[[float], tuple[dict[str, tuple[float, float, float]], tuple[float, float, float]]]


def stand(_time: float) -> tuple[dict[str, tuple[float, float, float]], tuple[float, float, float]]:
    """The rest pose, with the soles on the floor."""
    return {}, (0.0, 9.2, 0.0)


def walk(time: float) -> tuple[dict[str, tuple[float, float, float]], tuple[float, float, float]]:
    """A walk with a cycle of a second, at 9 units per second; angles about z, x and y in degrees."""
    swing = float(np.sin(2 * np.pi * time))
    bend = float(np.cos(2 * np.pi * time))
    turns = {
        "thigh.L": (3.0, -25.0 * swing, 4.0),
        "calf.L": (0.0, 20.0 + 20.0 * bend, 0.0),
        "foot.L": (0.0, -10.0 * bend, 2.0),
        "thigh.R": (-3.0, 25.0 * swing, -4.0),
        "calf.R": (0.0, 20.0 - 20.0 * bend, 0.0),
        "foot.R": (0.0, 10.0 * bend, -2.0),
        "hips": (2.0 * bend, 1.0, 6.0 * swing),
        "chest": (0.0, 3.0, -8.0 * swing),
        "head": (0.0, 5.0 * bend, 0.0),
        "arm.L": (-70.0, 0.0, 20.0 * swing),
        "elbow.L": (0.0, 0.0, -30.0),
        "arm.R": (70.0, 0.0, 20.0 * swing),
        "elbow.R": (0.0, 0.0, 30.0),
        "hand.R": (10.0, 20.0, 5.0),
    }
    return turns, (0.2 * swing, 9.0 + 0.1 * bend, 9.0 * time)


@dataclass
class Recording:
    """A made-up recording.

    Attributes:
        pose: rotations in degrees about z, x, y by joint, and the place of the hips, at a time in seconds.
        rate: frames per second.
        seconds: its length.
        names: of the joints.
        arms: degrees that the arms hang down at rest: 0 in a T-pose.
        scale: size of all lengths.
        around: degrees that the whole skeleton is turned about the vertical, at rest and in motion.
        all_channels: whether every joint has six channels.
        rest_first: whether the first frame is an upright T-pose.
        lying: degrees by which the skeleton lies at rest, as some programs write it.
    """

    pose: Pose = walk
    rate: float = 30.0
    seconds: float = 1.5
    names: Mapping[str, str] = field(default_factory=lambda: MIXAMO)
    arms: float = 0.0
    scale: float = 1.0
    around: float = 0.0
    all_channels: bool = False
    rest_first: bool = False
    lying: float = 0.0

    @property
    def offsets(self) -> dict[str, Any]:
        """The offsets of the joints at rest."""
        found = {}
        for name, _, offset in JOINTS:
            place = np.array(offset) * self.scale
            joint, _, side = name.partition(".")
            if joint in ("elbow", "hand"):
                place = about("z", -self.arms if side == "L" else self.arms) @ place
            found[name] = about("x", self.lying) @ about("y", self.around) @ place
        return found

    @staticmethod
    def bones() -> list[tuple[str, str]]:
        """Return the joints with the ones that they hang on, but for the root."""
        return [(name, parent) for name, parent, _ in JOINTS if parent]

    def frames(self) -> list[float]:
        count = round(self.seconds * self.rate) + 1
        return [each / self.rate for each in range(count)]

    def joints(self, time: float) -> dict[str, Any]:
        """Return the places of all joints at a time, (3,) each, as BVH files have them."""
        turns, places = {}, {}
        lies = about("x", self.lying)
        offsets = {name: lies.T @ place for name, place in self.offsets.items()}
        angles, hips = self.pose(time)
        around = about("y", self.around)
        for name, parent, _ in JOINTS:
            z, x, y = angles.get(name, (0.0, 0.0, 0.0))
            # The rest pose of a turned skeleton has turned axes.
            own = around @ about("z", z) @ about("x", x) @ about("y", y) @ around.T
            if not parent:
                turns[name], places[name] = own, around @ np.array(hips) * self.scale
            else:
                turns[name] = turns[parent] @ own
                places[name] = places[parent] + turns[parent] @ offsets[name]
        return places

    def text(self) -> str:
        """Return the BVH file."""
        lines = ["HIERARCHY"]
        self._joint(lines, "hips", "")
        times = self.frames()
        rows = [self._row(each) for each in times]
        if self.rest_first:
            rows.insert(0, self._row(None))
        lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1 / self.rate:.7f}", *rows]
        return "\n".join(lines) + "\n"

    def save(self, path: Path) -> Path:
        path.write_text(self.text())
        return path

    def _joint(self, lines: list[str], name: str, indent: str) -> None:
        kind = "JOINT" if indent else "ROOT"
        x, y, z = self.offsets[name]
        places = "6 Xposition Yposition Zposition" if not indent or self.all_channels else "3"
        lines += [
            f"{indent}{kind} {self.names[name]}",
            f"{indent}{{",
            f"{indent}  OFFSET {x:.9f} {y:.9f} {z:.9f}",
            f"{indent}  CHANNELS {places} Zrotation Xrotation Yrotation",
        ]
        children = [each for each, parent, _ in JOINTS if parent == name]
        for child in children:
            self._joint(lines, child, indent + "  ")
        if not children:
            lines += [f"{indent}  End Site", f"{indent}  {{", f"{indent}    OFFSET 0 {self.scale} 0"]
            lines.append(f"{indent}  }}")
        lines.append(f"{indent}}}")

    def _row(self, time: float | None) -> str:
        angles, hips = self.pose(time) if time is not None else ({}, stand(0.0)[1])
        around = about("y", self.around)
        values: list[float] = []
        for name in self._order("hips"):
            if name == "hips":
                values += (around @ np.array(hips) * self.scale).tolist()
            elif self.all_channels:
                values += self.offsets[name].tolist()
            z, x, y = angles.get(name, (0.0, 0.0, 0.0))
            own = around @ about("z", z) @ about("x", x) @ about("y", y) @ around.T
            lies = about("x", self.lying)
            values += zxy(own @ lies.T if name == "hips" else lies @ own @ lies.T)
        return " ".join(f"{each:.9f}" for each in values)

    def _order(self, name: str) -> list[str]:
        found = [name]
        for child in (each for each, parent, _ in JOINTS if parent == name):
            found += self._order(child)
        return found

    def direction(self, time: float, limb: str, side: str) -> Any:
        """Return where a limb points, (3,), in Blender's axes of a model that faces +Y."""
        start, end = (f"{each}.{side}" for each in LIMBS[limb])
        joints = self.joints(time)
        way = about("y", -self.around) @ (joints[end] - joints[start])
        return np.array([-way[0], way[2], way[1]]) / np.linalg.norm(way)


def about(axis: str, degrees: float) -> Any:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def zxy(turn: Any) -> list[float]:
    """Return the angles in degrees about z, x and y, applied in this order from the left."""
    x = np.arcsin(np.clip(turn[2, 1], -1, 1))
    z = np.arctan2(-turn[0, 1], turn[1, 1])
    y = np.arctan2(-turn[2, 0], turn[2, 2])
    return [float(np.degrees(each)) for each in (z, x, y)]
