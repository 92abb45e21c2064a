"""Invisible pictures in place of the sprites of effects that a level lacks.

The games take splashes, blood and fire by their number in one sequence, without asking for its length. Where
a level has fewer pictures they would show others, or read beyond the list.
"""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object

from ...catalogue import names
from ...formats import Game
from ...formats.base import SECTOR_SIZE
from ...formats.edits.rules import needs
from ..core.membership import home_of, members_of
from ..core.subjects import Kind
from ..subjects.meshes.layers import write_uvs
from .placeholder_textures import plain_material

# Counterclockwise from the lower left.
_CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], np.float32)
_UVS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)


def add_effect_sprites(root: Collection) -> int:
    """Add invisible pictures to a level's sequence of effects until it has as many as its game uses.

    Returns:
        The number of added pictures.
    """
    game = Game[root.tomb_raider.game]
    need = needs.EFFECT_SPRITES.get(game)
    if need is None:
        return 0
    pictures = members_of(root, Kind.SPRITE_TEXTURE)
    counts = {
        identity: sum(int(picture.tomb_raider.sprite.sequence) == identity for picture in pictures)
        for identity in need.sequences
    }
    if max(counts.values()) >= need.least:
        return 0
    identity = need.sequences[0]
    count = counts[identity]
    mesh = _quad(root)
    index = max((int(picture.tomb_raider.index) for picture in pictures), default=-1) + 1
    for number in range(count, need.least):
        obj: Object = bpy.data.objects.new(f"{names(game).sprite(identity)} {number}", mesh)
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.SPRITE_TEXTURE, index + number - count
        settings.sprite.texture = settings.index
        settings.sprite.sequence, settings.sprite.place = identity, number
        home_of(root, Kind.SPRITES).objects.link(obj)
    return need.least - count


def _quad(root: Collection) -> Mesh:
    mesh: Mesh = bpy.data.meshes.new("Invisible Sprite")
    side = SECTOR_SIZE * root.tomb_raider.scale
    mesh.from_pydata((_CORNERS * side - (side / 2, 0, 0)).tolist(), [], [(0, 1, 2, 3)])
    write_uvs(mesh, mesh.uv_layers.new(name="UVMap", do_init=False), _UVS)
    mesh.materials.append(plain_material(root, "CLEAR"))
    return mesh
