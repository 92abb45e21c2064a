"""Figures as TR4 needs them: all animations that it sets by number, and the models that come with Lara."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.edits.rules import needs

from .solids import Face, Figure, Joint, Motion, Solid

_GAME = Game.TR4
# The number of the one animation of the explorer that is not at its place in her list.
_PLACES = {"walk start": 20}
_STAND = 2  # the state
_HAIR_MESHES = 6


def with_all_moves(lara: Figure) -> Figure:
    """Return Lara with an animation for each number of the game: those that she lacks stand still."""
    known = {_PLACES.get(each.name, number): each for number, each in enumerate(lara.motions)}
    stand = next(each for each in lara.motions if each.name == "stand")
    motions = []
    for number in range(needs.LARAS_ANIMATIONS[_GAME]):
        state = needs.LARAS_STATES[number] if number < len(needs.LARAS_STATES) else _STAND
        if number in known:
            motions.append(replace(known[number], state=state))
        else:
            motions.append(Motion(f"still {number}", stand.poses[:1], 1, state, "stand"))
    return replace(lara, motions=tuple(motions))


def padded(figure: Figure, slot: int) -> Figure:
    """Return a figure with as many animations and meshes as the code of its slot names."""
    need = needs.MODELS[_GAME].get(slot)
    if need is None:
        return figure
    motions, meshes, joints = list(figure.motions), list(figure.meshes), list(figure.joints)
    while len(motions) < need.animations and motions:
        last = motions[-1]
        motions.append(Motion(f"more {len(motions)}", last.poses[-1:], 1, last.state, last.name))
    return Figure(figure.name, tuple(meshes), tuple(joints), tuple(motions))


def companions(lara: Figure) -> dict[int, Figure]:
    """Return by slot the models that come with Lara: her arms with pistols, her skin, and hair."""
    stand = next(each for each in lara.motions if each.name == "stand")
    still = Motion("stand", stand.poses[:1], 1, 0, "stand")
    arms = [replace(still, name=f"arms {number}", follows=f"arms {number}") for number in range(4)]
    tile = lara.meshes[0].faces[0].tile
    return {
        needs.PISTOLS: Figure("pistols", lara.meshes, lara.joints, tuple(arms)),
        needs.SKIN[_GAME]: Figure("skin", (_other(lara.meshes[0]), *lara.meshes[1:]), lara.joints, (still,)),
        needs.HAIR: _hair(tile),
    }


def _other(mesh: Solid) -> Solid:
    """Return a mesh that is stored twice: some engines do not draw the first mesh of a level."""
    x, y, z = mesh.vertices[0]
    return replace(mesh, vertices=[(x, y + 1, z), *mesh.vertices[1:]])


def _hair(tile: str) -> Figure:
    """Return hair that is too small to be seen: she wears hers under the hat."""
    meshes: Sequence[Solid] = [
        Solid([(0, 0, 0), (0, 1, 0), (1, 0, 0)], [Face((0, 1, 2), tile, ((0, 0), (0, 4), (4, 0)))])
        for _ in range(_HAIR_MESHES)
    ]
    joints = tuple(Joint(False, False, (0, 0, -1)) for _ in meshes[1:])
    return Figure("hair", tuple(meshes), joints, ())
