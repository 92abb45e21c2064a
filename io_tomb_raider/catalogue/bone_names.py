"""Names of bones: those of other programs' skeletons and of ours, and the limbs that they mean.

Names are compared by their words, without numbers and what all names of a skeleton begin with:
*mixamorig:LeftUpLeg*, *DEF-thigh.L*, *lthigh* and *Bip01 L Thigh* all mean the left thigh.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple


class BoneRole(StrEnum):
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
    """A bone by its role."""

    role: BoneRole
    side: str = ""  #: "L" or "R", "" in the middle.

    @property
    def name(self) -> str:
        """The name that such a bone has in models of a level."""
        return f"{self.role}.{self.side}" if self.side else str(self.role)


SIDES = ("L", "R")
LEG = (BoneRole.THIGH, BoneRole.CALF, BoneRole.FOOT)
ARM = (BoneRole.UPPER_ARM, BoneRole.LOWER_ARM, BoneRole.HAND)

# Words of bones with a side. Several rows: the first row that gives a side a bone counts, so that a weak word
# ("hip" for the thigh) is no role where a better one exists.
_WITH_SIDE: Mapping[BoneRole, Sequence[str]] = {
    BoneRole.THIGH: ("thigh upleg upperleg legupper uleg femur thighbend", "hip", "leg"),
    BoneRole.CALF: ("calf shin lowerleg lowleg leglower knee tibia", "leg"),
    BoneRole.FOOT: ("foot ankle",),  # with both, the foot is the part at the toes
    BoneRole.UPPER_ARM: ("upperarm uparm armupper uarm humerus shldr shldrbend", "arm", "shoulder"),
    BoneRole.LOWER_ARM: ("lowerarm lowarm armlower forearm farm elbow radius forearmbend",),
    BoneRole.HAND: ("hand wrist",),
}
_IN_THE_MIDDLE: Mapping[BoneRole, Sequence[str]] = {
    BoneRole.HIPS: ("hips hip pelvis",),
    BoneRole.TORSO: ("torso chest thorax", "upperchest", "spine"),
    BoneRole.HEAD: ("head skull",),
}
_OF_SPINE = {"spine", "neck"}  # its last bone is the head, where none has that name
# Roles that no other program's names are searched for, by our own names.
_OTHER_ROLES = {
    role.lower().replace(" ", ""): role
    for role in (BoneRole.HOCK, BoneRole.SHOULDER, BoneRole.WRIST, BoneRole.NECK)
}

_NAMESPACE = re.compile(r"^.*[:|]")  # such as mixamorig:
_PREFIX = re.compile(r"^(DEF[-_]|ORG[-_]|Bip\d*[ _]|CC_Base_|J_Bip_C_|J_Bip_)")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
_MEANINGLESS = {"m", "c", "x", "stretch"}  # of the middle, and of bones that some rigs deform with
_SIDE_PREFIX = re.compile(r"^(left|right)(.+)$")
_LIMB_WORDS = "|".join(sorted({word for rows in _WITH_SIDE.values() for row in rows for word in row.split()}))
_LETTER = re.compile(rf"^(?:([lr])({_LIMB_WORDS})|({_LIMB_WORDS})(left|right|[lr]))$")
_USUAL = 0.8  # of the names of a skeleton begin with a word that means nothing
_JAPANESE = {
    "左": "Left",
    "右": "Right",
    "足首": "Ankle",
    "ひざ": "Knee",
    "足": "Leg",
    "手首": "Wrist",
    "ひじ": "Elbow",
    "腕": "Arm",
    "上半身": "Spine",
    "下半身": "Hips",
    "首": "Neck",
    "頭": "Head",
}


def read_name(name: str) -> tuple[str, str]:
    """Return the words of a bone's name as one, in lower case, and its side ("L", "R" or "")."""
    return _read_words(_words_of(name))


def _words_of(name: str) -> list[str]:
    for word, english in _JAPANESE.items():
        name = name.replace(word, english)
    return [word.lower() for word in _WORDS.findall(_PREFIX.sub("", _NAMESPACE.sub("", name)))]


def _read_words(words: Sequence[str]) -> tuple[str, str]:
    side, rest = "", []
    for word in words:
        prefixed = _SIDE_PREFIX.match(word)
        if word in _SIDES and not side:
            side = _SIDES[word]
        elif prefixed and not side:
            side = _SIDES[prefixed[1]]
            rest.append(prefixed[2])
        elif word not in _MEANINGLESS:
            rest.append(word)
    text = "".join(rest)
    letter = None if side else _LETTER.match(text)
    if letter:
        return letter[2] or letter[3], _SIDES[letter[1] or letter[4]]
    return text, side


def _read_names(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words and sides of the names of a skeleton, without what most of them begin with."""
    words = [_words_of(name) for name in names]
    while True:
        firsts = Counter(each[0] for each in words if len(each) > 1)
        word, count = firsts.most_common(1)[0] if firsts else ("", 0)
        if count <= _USUAL * len(words) or word in _SIDES:
            return [_read_words(each) for each in words]
        words = [each[1:] if each[:1] == [word] and len(each) > 1 else each for each in words]


def find_bones(names: Sequence[str], parents: Sequence[int]) -> dict[LimbBone, int]:
    """Find the limbs of a skeleton by the names of its bones, and the trunk by its tree.

    The hips are the bone that both thighs hang on, and the torso the one that both upper arms hang on,
    whatever they are called. Of several bones with the same name, such as the parts of a thigh that can be
    twisted, the first one from the root counts.

    Args:
        parents: the number of each bone's parent, -1 for none; parents come before their children.

    Returns:
        The numbers of bones by their roles.
    """
    words = _read_names(names)
    result: dict[LimbBone, int] = {}
    for limb in (LEG, ARM):
        for side in SIDES:
            result |= _limb(limb, side, words, parents)
    for role, rows in _IN_THE_MIDDLE.items():
        numbers = _first(rows, "", words, range(len(names)))
        result |= {LimbBone(role): number for number in numbers[:1]}
    for role, first in ((BoneRole.HIPS, BoneRole.THIGH), (BoneRole.TORSO, BoneRole.UPPER_ARM)):
        pair = [result[LimbBone(first, side)] for side in SIDES if LimbBone(first, side) in result]
        common = _common(parents, pair) if len(pair) == 2 else -1
        if common >= 0 and not (role is BoneRole.TORSO and common == result.get(LimbBone(BoneRole.HIPS))):
            result[LimbBone(role)] = common
    torso = result.get(LimbBone(BoneRole.TORSO), -1)
    if LimbBone(BoneRole.HEAD) not in result and torso >= 0:
        spine = [
            number for number in _below(parents, torso) if words[number] in ((each, "") for each in _OF_SPINE)
        ]
        result |= {LimbBone(BoneRole.HEAD): number for number in spine[-1:]}
    assigned = set(result.values())
    for number, (word, side) in enumerate(words):
        if number not in assigned and word in _OTHER_ROLES:
            result.setdefault(LimbBone(_OTHER_ROLES[word], side), number)
    return result


def _limb(
    limb: Sequence[BoneRole], side: str, words: Sequence[tuple[str, str]], parents: Sequence[int]
) -> dict[LimbBone, int]:
    """Return the bones of one limb, each below the one before it."""
    result: dict[LimbBone, int] = {}
    below: list[int] = list(range(len(words)))
    for role in limb:
        numbers = _first(_WITH_SIDE[role], side, words, below)
        if not numbers and role is limb[-1] and len(result) == 2:
            # Feet of some rigs hang on the root.
            numbers = _first(_WITH_SIDE[role], side, words, range(len(words)))
        if role is limb[0] and len(numbers) and words[numbers[0]][0] == "leg":
            # "Leg" is the thigh only where another bone below is the calf.
            calf = _first(_WITH_SIDE[BoneRole.CALF][:1], side, words, _below(parents, numbers[0]))
            numbers = numbers if calf else []
        if numbers:
            result[LimbBone(role, side)] = numbers[0]
            below = _below(parents, numbers[0])
    return result


def _first(
    rows: Sequence[str], side: str, words: Sequence[tuple[str, str]], among: Sequence[int]
) -> list[int]:
    """Return the bones of the first row of words that any has."""
    for row in rows:
        accepted = {(word, side) for word in row.split()}
        numbers = [number for number in among if words[number] in accepted]
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
