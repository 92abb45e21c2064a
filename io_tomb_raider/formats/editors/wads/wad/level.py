"""Conversion of the level editor's WAD to a TR4 level with its objects and without rooms.

The result is a complete level that can be imported and written: ``wad_to_level(wad).to_bytes()`` can be read
again. :class:`WadLevel` has the texture samples of faces for the export in :mod:`.edit`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints
from ....base.bytes import records
from ....base.bytes.records import U16
from ....base.errors import FormatError
from ....base.games import Game
from ....levels.level.level import Level
from ....levels.meshes.meshes import Mesh, encode_block, encode_mesh
from ....levels.textures.object_textures import MOST_TEXTURES
from ....levels.textures.sprites import encode_sprites
from ....levels.textures.textiles import encode_pages16
from .meshes import decode_wad_meshes
from .swd import Swd, decode_swd_sprites
from .textures import decode_texture_words, decode_wad_pages, make_object_textures
from .wad import Wad

_GAME = Game.TR4
_IS_TRIANGLE = 1 << 16  # above a face's texture word

# Sections whose records are those of TR4 levels.
SHARED = (
    "state_changes",
    "animation_dispatches",
    "animation_commands",
    "mesh_trees",
    "frames",
    "models",
    "static_meshes",
)


@dataclass(frozen=True, eq=False)
class WadLevel:
    """A WAD and the level that was made from it."""

    wad: Wad
    swd: Swd | None  #: its sprites, if there are any.
    level: Level
    #: (object textures,) the texture word that each was made from; above its 16 bits, 1 for triangles.
    uses: Ints
    pages: int  #: the number of pages of the WAD; those of the sprites follow.


def convert_wad(wad: Wad, swd: Swd | None = None) -> WadLevel:
    """Return a level of TR4 with the models, static meshes, animations and textures of a WAD.

    Models, static meshes, animations and texture pages keep their numbers; the pages of the sprites follow.
    There is one object texture for each distinct use of a texture sample.

    Raises:
        FormatError: if its meshes are damaged, or need more object textures than a face can refer to.
    """
    level = Level.empty(_GAME)
    for name in SHARED:
        setattr(level, name, getattr(wad, name))
    level.animations = _in_order(wad.animations)
    pages = decode_wad_pages(wad.page_data)
    count = len(pages)
    uses = _add_meshes(level, wad, pages)
    _add_sprites(level, swd, count)
    if swd is not None:
        pages = np.concatenate([pages, decode_wad_pages(swd.page_data)])
    level.room_textiles, level.object_textiles, level.bump_textiles = 0, len(pages), 0
    level.textiles32 = pages[..., [2, 1, 0, 3]]  # transparent texels are already 0, 0, 0, 0
    level.textiles16 = encode_pages16(pages)
    return WadLevel(wad, swd, level, uses, count)


def _in_order(animations: NDArray[np.void]) -> NDArray[np.void]:
    """Return animations that do not end before they begin, as tools write those of a single frame.

    Their last frame is one less than the first; before frame 0 that is frame 65535.
    """
    first, last = animations["first_frame"], animations["last_frame"]
    wrong = (last < first) | ((first == 0) & (last == 0xFFFF))
    if not wrong.any():
        return animations
    result = animations.copy()
    result["last_frame"][wrong] = first[wrong]
    return result


def _add_meshes(level: Level, wad: Wad, pages: NDArray[np.uint8]) -> Ints:
    """Set the meshes, and an object texture for each distinct use of texture samples; return these."""
    block = decode_wad_meshes(wad.mesh_data, wad.mesh_pointers)
    keys = [key for mesh in block.meshes for key in _keys(mesh)]
    # As in levels, uses that differ only in the triangle bit are separate textures.
    uses, numbers = np.unique(np.concatenate(keys or [np.zeros(0, np.int64)]), return_inverse=True)
    most = MOST_TEXTURES[_GAME]
    if len(uses) > most:
        raise FormatError("meshes", f"at most {most} uses of texture samples", str(len(uses)))
    triangle = uses >= _IS_TRIANGLE
    decoded = decode_texture_words((uses & 0xFFFF).astype(U16), triangle)
    level.object_textures = make_object_textures(decoded, triangle, wad.texture_samples, pages)
    ends = np.cumsum([len(key) for key in keys], dtype=np.int64)
    parts = np.split(numbers.reshape(-1), ends[:-1]) if keys else []
    pairs = zip(parts[::2], parts[1::2], strict=True)
    encoded = [
        encode_mesh(_GAME, _with_textures(mesh, quads, triangles), f"mesh {index}")
        for index, (mesh, (quads, triangles)) in enumerate(zip(block.meshes, pairs, strict=True))
    ]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)
    return uses


def _keys(mesh: Mesh) -> tuple[Ints, Ints]:
    quads, triangles = mesh.quads["texture"], mesh.triangles["texture"]
    return quads.astype(np.int64), triangles.astype(np.int64) | _IS_TRIANGLE


def _with_textures(mesh: Mesh, quads: Ints, triangles: Ints) -> Mesh:
    result = replace(mesh, quads=mesh.quads.copy(), triangles=mesh.triangles.copy())
    result.quads["texture"], result.triangles["texture"] = quads, triangles
    return result


def _add_sprites(level: Level, swd: Swd | None, first_page: int) -> None:
    level.sprite_textures = np.zeros(0, records.SPRITE_TEXTURE)
    level.sprite_sequences = np.zeros(0, records.SPRITE_SEQUENCE)
    if swd is not None:
        sprites = decode_swd_sprites(swd.sprites)
        moved = replace(sprites, page=np.minimum(sprites.page + first_page, 0xFFFF))
        level.sprite_textures = encode_sprites(moved, _GAME)
        level.sprite_sequences = swd.sequences
