"""The example level that comes with the extension, for any game."""

from __future__ import annotations

from pathlib import Path

from ...formats import Game, Level, read_level
from ...formats.base import read_file
from ...formats.levels.textures import (
    DOUBLE_SIDED,
    BlendMode,
    encode_pages16,
    room_texture_mask,
    texture_index,
)
from ..authoring.collision_from_mesh.make import SECTORS_FOLLOW
from ..core.context import ImportContext, ImportOptions
from ..core.membership import collision_of, members_of
from ..core.reporting.progress import Listener
from ..core.reporting.report import Report
from ..core.subjects import Kind
from ..pipeline.importer import import_level
from .other_game import level_as

# A level of TR4, made by `python -m tools.example`. It is stored without what can be made from the rest, with
# the squares of the pages one after the other, and by xz, which packs it better than the level's own way.
EXAMPLE = Path(__file__).parents[2] / "example" / "ruin.tr4.xz"
_COMPRESSION = 9
NAME = "Ruin"
# Levels store no names of rooms.
ROOMS = (
    "Gorge",
    "Cave Mouth",
    "Vestibule",
    "Pillared Hall",
    "Pillared Hall North",
    "Lantern",
    "Pool Chamber",
    "Pool",
    "Cascade",
    "Shaft",
    "Sanctum",
    "Oculus",
    "Crypt",
    "Stair",
    "Gallery",
)


def open_example(
    game: Game, options: ImportOptions | None = None, *, listener: Listener | None = None
) -> ImportContext:
    """Import the example into the current scene. Its rooms have names, and their sectors follow their meshes.

    Args:
        game: the game to which it is converted.

    Raises:
        FormatError: if the file is damaged.
        OSError: if it cannot be read.
    """
    result = import_level(example_of(game), options, NAME, listener=listener)
    rooms = members_of(result.root, Kind.ROOM)
    for room in rooms:
        if 0 <= room.tomb_raider.index < len(ROOMS):
            room.name = ROOMS[room.tomb_raider.index]
            collision = collision_of(room)
            if collision is not None:
                collision.name = f"{room.name} Collision"
    for room in rooms:  # whoever raises a floor wants to stand on it
        if room.is_editable:
            room.tomb_raider.room.mesh_and_sectors = SECTORS_FOLLOW
    return result


def example_of(game: Game) -> bytes:
    """Return the file of the example for a game. Raises FormatError and OSError like :func:`open_example`."""
    import lzma  # late, since Blender's start needs no compression

    level = read_level(lzma.decompress(read_file(EXAMPLE)))
    pages = level.textiles32
    level.textiles32 = pages.reshape(-1, 4, 4, 64, 64, 4).swapaxes(2, 3).reshape(pages.shape)
    level.textiles16 = encode_pages16(level.textiles32[..., [2, 1, 0, 3]])
    level.streams.clear()
    level.compression = _COMPRESSION
    source = level.to_bytes()
    if game is level.game:
        return source
    level = read_level(source)
    if not game.traits.has_additive_blending:
        _remove_shafts_of_light(level)
    # What the other game lacks is no news to someone who only wants to see it.
    return level_as(level, game, EXAMPLE, Report()).to_bytes()


def _remove_shafts_of_light(level: Level) -> None:
    """Remove additive faces in the middle of rooms, which would be opaque; those of water have one side."""
    is_additive = level.object_textures["attribute"] == BlendMode.ADDITIVE
    mask = room_texture_mask(level.game)
    for room in level.rooms:
        words = room.quads["texture"]
        room.quads = room.quads[(DOUBLE_SIDED.of(words) == 0) | ~is_additive[texture_index(words, mask)]]
