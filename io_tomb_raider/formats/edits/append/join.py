"""Adding the models, static meshes and sprites of one level to another level of the same game.

The pieces keep their ids. Meshes, animations, object textures, sprites and pages get the numbers after those
of the level, so everything else keeps its numbers.
"""

from __future__ import annotations

import numpy as np

from ...base.messages import T
from ...levels.level.level import Level
from ...levels.meshes.meshes import decode_meshes, encode_block
from ...levels.textures.object_textures import BUMP
from ..references.renumbering import join, remove, renumber, size, used

_TOO_MANY = (T("animations"), T("a WAD cannot contain so many"))


def join_objects(level: Level, piece: Level) -> None:
    """Add the library of a piece to a level, which is modified.

    Pages are appended as those of objects, so the level must not have bumped pages. Games with a palette
    share that of the level.

    Args:
        piece: a level of the same game with an empty world (:func:`.cut.cut_to`); its records are modified.

    Raises:
        ExportError: if there are too many of something.
    """
    join_textures(level, piece)
    join(level, piece, ["sprite_textures"], _TOO_MANY)
    join_meshes(level, piece)
    join_animations(level, piece)
    for name in ("sprite_sequences", "models", "static_meshes"):
        setattr(level, name, np.concatenate([getattr(level, name), getattr(piece, name)]))


def join_textures(level: Level, piece: Level) -> None:
    """Add the object textures of a piece and their pages; its sprites and faces follow them."""
    remove(piece, "pages", used(piece, "pages", "object_textures", "sprite_textures"))
    if level.game.traits.has_bump:
        piece.object_textures = piece.object_textures.copy()
        piece.object_textures["flags"] = BUMP.put(piece.object_textures["flags"], 0)
    if level.game.traits.has_32bit_pages:
        level.object_textiles += size(piece, "pages")
    join(level, piece, ["pages"])
    join(level, piece, ["object_textures"], ("textures", T("there are too many uses of textures")))


def join_meshes(level: Level, piece: Level) -> None:
    """Add the meshes of a piece, whose models and static meshes follow them to their new numbers."""
    block, added = (decode_meshes(each.game, each.mesh_data, each.mesh_pointers) for each in (level, piece))
    count = len(block.pointers)
    renumber(piece, "mesh_pointers", np.arange(count, count + len(added.pointers) + 1), count, _TOO_MANY)
    pointers = np.concatenate([block.pointers, added.pointers + len(block.meshes)])
    encoded = [mesh.raw for mesh in (*block.meshes, *added.meshes)]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, pointers.astype(np.int32))


def join_animations(level: Level, piece: Level) -> None:
    """Add the animations and mesh trees of a piece, whose models follow them to their new numbers."""
    lists = ("frames", "animation_commands", "state_changes", "animation_dispatches", "animations")
    join(level, piece, [*lists, "mesh_trees"], _TOO_MANY)
