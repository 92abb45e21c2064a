"""Models of the sample levels: their meshes, mesh trees and ids in each game."""

from __future__ import annotations

from dataclasses import dataclass

from io_tomb_raider.formats import Game

from .shapes import Shape, Triple, lathe

# Entity types differ by game.
IDS: dict[str, tuple[int, ...]] = {
    "lara": (0, 0, 0, 0, 0),
    "pistols": (1, 1, 1, 2, 2),
    "enemy": (7, 15, 22, 91, 85),
    "switch": (55, 103, 128, 306, 266),
    "door": (57, 106, 131, 322, 284),
    "medikit": (108, 171, 176, 369, 350),
    "target": (169, 243, 304, 422, 409),
    "sky": (-1, 254, 355, 459, 454),
    "plant": (191, 224, 294, 467, 464),
    "medikit_sprite": (93, 149, 297, 464, 459),
    "flame0": (178, 252, 299, 463, 458),
    "guard_mark": (-1, -1, 74, 398, 378),
    "patrol_mark": (-1, -1, 76, 400, 380),
}


def model_id(game: Game, name: str) -> int:
    """Return the number of a type of entity in a game, or -1."""
    return IDS[name][game - 1]


# Flags of the mesh tree: pop the last joint from the stack, or push the current one.
POP, PUSH = 1, 2


@dataclass(frozen=True)
class ModelPlan:
    """A model: its meshes by name, and for each but the first the flags and offset of its joint."""

    name: str
    meshes: tuple[str, ...]
    tree: tuple[tuple[int, Triple], ...] = ()


_LARA_TREE = (
    (PUSH, (-52, 20, 0)),  # left thigh
    (0, (0, 180, 0)),
    (0, (0, 180, 0)),
    (POP | PUSH, (52, 20, 0)),  # right thigh
    (0, (0, 180, 0)),
    (0, (0, 180, 0)),
    (POP, (0, -36, 0)),  # torso
    (PUSH, (86, -190, 0)),  # right upper arm
    (0, (0, 130, 0)),
    (0, (0, 120, 0)),
    (POP | PUSH, (-86, -190, 0)),  # left upper arm
    (0, (0, 130, 0)),
    (0, (0, 120, 0)),
    (POP, (0, -216, 8)),  # head
)
_LARA_MESHES = (
    "hips",
    "left_thigh",
    "left_calf",
    "left_foot",
    "right_thigh",
    "right_calf",
    "right_foot",
    "torso",
    "right_upper_arm",
    "right_lower_arm",
    "right_hand",
    "left_upper_arm",
    "left_lower_arm",
    "left_hand",
    "head",
)
HEIGHT_OF_HIPS = 430

MODELS = (
    ModelPlan("lara", _LARA_MESHES, _LARA_TREE),
    # The same body with other hands: all other mesh pointers are shared.
    ModelPlan("pistols", tuple(name.replace("_hand", "_pistol") for name in _LARA_MESHES), _LARA_TREE),
    ModelPlan("enemy", ("body", "muzzle", "tail"), ((PUSH, (0, -40, 250)), (POP, (0, -60, -220)))),
    ModelPlan("switch", ("plate", "handle"), ((0, (0, -640, 470)),)),
    ModelPlan("door", ("door",)),
    ModelPlan("medikit", ("medikit",)),
    ModelPlan("target", ("target",)),
    ModelPlan("sky", ("sky",)),
)


def _limb(width: int, length: int, cut: tuple[str, ...] = (), **sides: str) -> Shape:
    return Shape().box((-width, 0, -width), (width, length, width), cut, **sides)


def _side(name: str, left: Shape, right: Shape) -> dict[str, Shape]:
    return {f"left_{name}": left, f"right_{name}": right}


def _head() -> Shape:
    shape = Shape().box(
        (-56, -128, -56),
        (56, 0, 60),
        cut=("top",),
        front="face",
        left="hair",
        right="hair",
        back="hair",
        top="hair",
        bottom="skin",
    )
    first = len(shape.points)
    shape.points += [(-24, -90, -58), (24, -90, -58), (14, 70, -84), (-14, 70, -84)]
    # The braid is seen from both sides.
    return shape.both_ways((first, first + 1, first + 2, first + 3), "hair")


def _torso(degenerate: bool) -> Shape:
    shape = Shape().box(
        (-78, -216, -42), (78, 0, 42), front="shirt", back="shirt", left="shirt", right="shirt", top="skin"
    )
    shape.box((-52, -190, -92), (52, -50, -42), cut=("left", "right"), every="backpack", front="")
    if degenerate:
        # Genuine levels have such invisible faces, with one vertex twice.
        shape.face((0, 1, 1), "shirt")
        shape.face((0, 1, 3, 1), "shirt")
    return shape


def _body_parts(degenerate: bool) -> dict[str, Shape]:
    return {
        "hips": Shape().box((-80, -44, -46), (80, 44, 46), every="shorts"),
        **_side(
            "thigh", _limb(38, 180, every="skin", front="left"), _limb(38, 180, every="skin", front="right")
        ),
        **_side("calf", *[_limb(32, 180, cut=("back",), every="skin") for _ in range(2)]),
        **_side(
            "foot",
            *[
                Shape()
                .box((-34, 0, -36), (34, 50, 74), every="boots", bottom="ink", cut=("top",))
                .box((-30, 20, 74), (30, 50, 98), every="leather", back="", cut=("front",))
                for _ in range(2)
            ],
        ),
        "torso": _torso(degenerate),
        **_side(
            "upper_arm",
            _limb(28, 130, every="skin", left="left"),
            _limb(28, 130, every="skin", right="right"),
        ),
        **_side("lower_arm", _limb(24, 120, every="skin"), _limb(24, 120, cut=("front",), every="skin")),
        **_side("hand", _limb(22, 60, every="green"), _limb(22, 60, every="red")),
        **_side("pistol", _pistol("green"), _pistol("red")),
        "head": _head(),
    }


def _pistol(hand: str) -> Shape:
    shape = _limb(22, 60, every=hand)
    shape.shiny = ("steel",)
    return shape.box((-8, 44, 20), (8, 68, 130), every="steel", back="", front="ink")


def _sky() -> Shape:
    """Return a box seen from inside, of more than 16 triangles, which some engines need."""
    shape = Shape(lit=True)
    size = 3000
    for side, (x, z) in {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}.items():
        # The two ends of the wall, left and right as seen from the front.
        ends = [(size * (x + sign * z), size * (z - sign * x)) for sign in (-1, 1)]
        for tile, top, bottom in (("sky_top", -size, -1400), (f"sky_{side}", -1400, 400)):
            places = ((ends[0], top), (ends[1], top), (ends[1], bottom), (ends[0], bottom))
            shape.halves([(end[0], y, end[1]) for end, y in places], tile)
    return shape.halves(
        [(size, -size, size), (-size, -size, size), (-size, -size, -size), (size, -size, -size)], "sky_top"
    )


def shapes(degenerate: bool = True) -> dict[str, Shape]:
    """Return all shapes by name; ``degenerate`` puts faces that use a vertex twice into one of them."""
    muzzle = Shape().box((-70, -80, 0), (70, 70, 160), every="fur", front="muzzle")
    muzzle.box((-60, -130, 20), (-30, -80, 40), every="fur", cut=("front",)).box(
        (30, -130, 20), (60, -80, 40), every="fur"
    )
    return {
        **_body_parts(degenerate),
        "body": Shape()
        .box((-90, -110, -240), (90, 90, 250), every="fur", top="moss")
        .box((-80, 90, 150), (-30, 330, 210), every="fur", top="")
        .box((30, 90, 150), (80, 330, 210), every="fur", top="")
        .box((-80, 90, -230), (-30, 330, -170), every="fur", top="")
        .box((30, 90, -230), (80, 330, -170), every="fur", top=""),
        "muzzle": muzzle,
        "tail": Shape().box((-24, -20, -220), (24, 24, 0), cut=("left", "right"), every="fur", back="bone"),
        "plate": Shape(lit=True).box(
            (-128, -768, 470), (128, -512, 508), every="steel", back="plate", front=""
        ),
        "handle": Shape().box((-20, -20, -80), (20, 80, 0), cut=("top",), every="handle"),
        "door": Shape(lit=True).box(
            (-512, -1280, 472), (512, 0, 508), every="leather", back="door", front="door"
        ),
        "medikit": Shape().box(
            (-110, -120, -60), (110, 0, 60), every="bone", front="medikit", back="medikit", top="red"
        ),
        "target": Shape().box((-32, -64, -32), (32, 0, 32), cut=("front", "top"), every="glow"),
        "sky": _sky(),
        "crate": Shape().box((-320, -640, -320), (320, 0, 320), every="crate", bottom=""),
        "lamp": lathe([(60, -900), (110, -840), (50, -760), (40, -80), (140, 0)], 6, "lamp", "brass"),
    }


STATIC_IDS = {"crate": 10, "lamp": 12}
