"""Names of bones: those of other programs' skeletons and of ours, and the limbs that they mean.

Names are compared by their words, without prefixes and numbers: *mixamorig:LeftUpLeg*, *DEF-thigh.L*,
*thigh_l* and *Bip01 L Thigh* all mean the left thigh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """The roles of bones, as Lara's bones are named (without the side)."""

    HIPS = "Hips"
    THIGH = "Thigh"
    CALF = "Calf"
    HOCK = "Hock"
    FOOT = "Foot"
    TORSO = "Torso"
    SHOULDER = "Shoulder"
    UPPER_ARM = "Upper Arm"
    LOWER_ARM = "Lower Arm"
    WRIST = "Wrist"
    HAND = "Hand"
    NECK = "Neck"
    HEAD = "Head"


class LimbBone(NamedTuple):
    """A bone by its role.

    Attributes:
        role: its role.
        side: "L" or "R", "" in the middle.
    """

    role: Role
    side: str = ""

    @property
    def name(self) -> str:
        """The name that such a bone has in models of a level."""
        return f"{self.role}.{self.side}" if self.side else str(self.role)


SIDES = ("L", "R")
LEG = (Role.THIGH, Role.CALF, Role.FOOT)
ARM = (Role.UPPER_ARM, Role.LOWER_ARM, Role.HAND)

# Words of bones with a side. Several rows: the first row that gives a side a bone counts, so that a weak word
# ("hip" for the thigh) is no role where a better one exists.
_WITH_SIDE: Mapping[Role, Sequence[str]] = {
    Role.THIGH: ("thigh upleg upperleg femur thighbend", "hip", "leg"),
    Role.CALF: ("calf shin lowerleg knee tibia", "leg"),
    Role.FOOT: ("foot", "ankle"),
    Role.UPPER_ARM: ("upperarm humerus shldr shldrbend", "arm", "shoulder"),
    Role.LOWER_ARM: ("lowerarm forearm elbow radius forearmbend",),
    Role.HAND: ("hand", "wrist"),
}
_IN_THE_MIDDLE: Mapping[Role, Sequence[str]] = {
    Role.HIPS: ("hips hip pelvis",),
    Role.TORSO: ("torso chest", "upperchest", "spine"),
    Role.HEAD: ("head",),
}
# Roles that no other program's names are searched for, by our own names.
_OWN = {role.lower().replace(" ", ""): role for role in (Role.HOCK, Role.SHOULDER, Role.WRIST, Role.NECK)}

_NAMESPACE = re.compile(r"^.*[:|]")  # such as mixamorig:
_PREFIX = re.compile(r"^(DEF[-_]|ORG[-_]|Bip\d*[ _]|CC_Base_|J_Bip_C_|J_Bip_)")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
_GLUED = re.compile(r"^(left|right)(.+)$")


def read_name(name: str) -> tuple[str, str]:
    """Return the words of a bone's name as one, in lower case, and its side ("L", "R" or "")."""
    side, words = "", []
    for word in _WORDS.findall(_PREFIX.sub("", _NAMESPACE.sub("", name))):
        lower = word.lower()
        glued = _GLUED.match(lower)
        if lower in _SIDES and not side:
            side = _SIDES[lower]
        elif glued and not side:
            side = _SIDES[glued[1]]
            words.append(glued[2])
        else:
            words.append(lower)
    return "".join(words), side


def find_bones(names: Sequence[str], parents: Sequence[int]) -> dict[LimbBone, int]:
    """Find the limbs of a skeleton by the names of its bones, and the trunk by its tree.

    The hips are the bone that both thighs hang on, and the torso the one that both upper arms hang on,
    whatever they are called. Of several bones with the same name, such as the parts of a thigh that can be
    twisted, the first one from the root counts.

    Args:
        names: the names of b bones.
        parents: (b,), the number of each bone's parent, -1 for none; parents come before their children.

    Returns:
        The numbers of bones by their roles.
    """
    words = [read_name(name) for name in names]
    found: dict[LimbBone, int] = {}
    for limb in (LEG, ARM):
        for side in SIDES:
            found |= _limb(limb, side, words, parents)
    for role, rows in _IN_THE_MIDDLE.items():
        numbers = _first(rows, "", words, range(len(names)))
        found |= {LimbBone(role): number for number in numbers[:1]}
    for role, first in ((Role.HIPS, Role.THIGH), (Role.TORSO, Role.UPPER_ARM)):
        pair = [found[LimbBone(first, side)] for side in SIDES if LimbBone(first, side) in found]
        common = _common(parents, pair) if len(pair) == 2 else -1
        if common >= 0 and not (role is Role.TORSO and common == found.get(LimbBone(Role.HIPS))):
            found[LimbBone(role)] = common
    taken = set(found.values())
    for number, (word, side) in enumerate(words):
        if number not in taken and word in _OWN:
            found.setdefault(LimbBone(_OWN[word], side), number)
    return found


def _limb(
    limb: Sequence[Role], side: str, words: Sequence[tuple[str, str]], parents: Sequence[int]
) -> dict[LimbBone, int]:
    """Return the bones of one limb, each below the one before it."""
    found: dict[LimbBone, int] = {}
    below: list[int] = list(range(len(words)))
    for role in limb:
        numbers = _first(_WITH_SIDE[role], side, words, below)
        if role is limb[0] and len(numbers) and words[numbers[0]][0] == "leg":
            # "Leg" is the thigh only where another bone below is the calf.
            calf = _first(_WITH_SIDE[Role.CALF][:1], side, words, _below(parents, numbers[0]))
            numbers = numbers if calf else []
        if numbers:
            found[LimbBone(role, side)] = numbers[0]
            below = _below(parents, numbers[0])
    return found


def _first(
    rows: Sequence[str], side: str, words: Sequence[tuple[str, str]], among: Sequence[int]
) -> list[int]:
    """Return the bones of the first row of words that any has."""
    for row in rows:
        wanted = {(word, side) for word in row.split()}
        numbers = [number for number in among if words[number] in wanted]
        if numbers:
            return numbers
    return []


def _below(parents: Sequence[int], bone: int) -> list[int]:
    inside = {bone}
    for number, parent in enumerate(parents):
        if parent in inside:
            inside.add(number)
    return sorted(inside - {bone})


def ancestors(parents: Sequence[int], bone: int) -> Iterator[int]:
    """Yield the bones above a bone, from its parent to the root."""
    bone = parents[bone]
    while bone >= 0:
        yield bone
        bone = parents[bone]


def _common(parents: Sequence[int], pair: Sequence[int]) -> int:
    """Return the lowest bone that two bones hang on, -1 for none."""
    first = set(ancestors(parents, pair[0]))
    return next((bone for bone in ancestors(parents, pair[1]) if bone in first), -1)
