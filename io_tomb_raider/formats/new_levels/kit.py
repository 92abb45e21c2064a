"""Kits: levels reduced to their library, as a start for new levels.

Models with their animations, static meshes, sprites and sounds are kept with their textures. Rooms are
removed with their contents and the textures that only they use. The result is a complete level.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..base.messages import T
from ..errors import ExportError
from ..games import SamplePlace, Variant
from ..level.footer import FLOOR_DATA_PLUGINS, ROOM_FLAGS, ROOM_REMAP, footer_of, put_footer
from ..level.level import Level
from ..meshes.meshes import MeshBlock, decode_meshes, encode_block, encode_mesh
from ..textures.animated import decode_animated, encode_animated
from ..textures.face_words import mesh_texture_mask, texture_index
from ..textures.level_pages import page_count
from .menu import animate_menu_models

_LIBRARY = (
    *("palette", "palette16", "light_map", "misc_textiles32", "lara_type"),
    *("mesh_data", "mesh_pointers", "mesh_trees", "models", "static_meshes"),
    *("animations", "state_changes", "animation_dispatches", "animation_commands", "frames"),
    *("object_textures", "sprite_textures", "sprite_sequences"),
)
_SOUNDS = ("sound_map", "sound_details", "sample_indices", "sample_data", "sample_count", "samples")
_PAGE = 0x7FFF  # of a page word: its highest bit marks triangles


def kit_of(level: Level) -> Level:
    """Return a level of the same game with the library of another one, and an empty world.

    Models, static meshes, animations, sprites and sounds keep their numbers. Object textures and pages that
    only rooms use are removed, so the others are renumbered. The embedded sounds of TR2 demos are removed:
    other levels of TR2 use MAIN.SFX.

    Args:
        level: any level; it is not modified.

    Raises:
        ExportError: if the file has texture pages only.
        FormatError: if its meshes are damaged.
    """
    if not level.has("models"):
        raise ExportError("kit", T("it holds texture pages only: choose a whole level"))
    kit = Level.empty(level.game)
    in_main_sfx = level.game.traits.samples is SamplePlace.IN_MAIN_SFX
    has_own_samples = in_main_sfx and level.variant is Variant.DEMO
    for name in (*_LIBRARY, *(() if has_own_samples else _SOUNDS)):
        if name in vars(level):
            setattr(kit, name, getattr(level, name))
    _keep_footer(kit, level)
    _keep_textures(kit, level)
    _keep_pages(kit, level)
    animate_menu_models(kit)
    return kit


def _keep_footer(kit: Level, level: Level) -> None:
    """Keep the TRNG footer except for chunks about rooms and floor data."""
    footer = footer_of(level)
    if footer is None:
        return
    for chunk in (ROOM_FLAGS, ROOM_REMAP, FLOOR_DATA_PLUGINS):
        footer = footer.with_chunk(chunk, None)
    kit.footer, kit.has_trng_footer = level.footer, True
    kit.sound_map_counted = level.sound_map_counted
    put_footer(kit, footer)


def _keep_textures(kit: Level, level: Level) -> None:
    """Keep the object textures that meshes use, and those of the same animated textures."""
    count, mask = len(level.object_textures), mesh_texture_mask(level.game)
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    stays = np.zeros(count + 1, np.bool_)  # the last element stands for all invalid indices
    for mesh in block.meshes:
        for faces in (mesh.quads, mesh.triangles):
            stays[np.minimum(texture_index(faces["texture"], mask), count)] = True
    groups = decode_animated(level.animated_textures).groups
    kept = [any(stays[min(each, count)] for each in group) for group in groups]
    for group, is_kept in zip(groups, kept, strict=True):
        if is_kept:
            stays[np.minimum(group, count)] = True
    stays = stays[:count]
    if stays.all():
        kit.animated_textures = level.animated_textures
        kit.uv_rotates = level.uv_rotates
        return
    numbers = np.where(stays, np.cumsum(stays) - 1, np.arange(count))
    kit.object_textures = level.object_textures[stays]
    _renumber_faces(kit, block, numbers, mask)
    chosen = [group for group, is_kept in zip(groups, kept, strict=True) if is_kept]
    kit.animated_textures = encode_animated(
        [[int(numbers[each]) if each < count else each for each in group] for group in chosen]
    )
    kit.uv_rotates = sum(kept[: level.uv_rotates])


def _renumber_faces(kit: Level, block: MeshBlock, numbers: NDArray[np.int64], mask: int) -> None:
    encoded = []
    for index, mesh in enumerate(block.meshes):
        quads, triangles = (_renumbered(each, numbers, mask) for each in (mesh.quads, mesh.triangles))
        encoded.append(
            encode_mesh(kit.game, replace(mesh, quads=quads, triangles=triangles), f"mesh {index}")
        )
    kit.mesh_data, kit.mesh_pointers = encode_block(encoded, block.pointers)


def _renumbered(faces: NDArray[np.void], numbers: NDArray[np.int64], mask: int) -> NDArray[np.void]:
    out = faces.copy()
    words = faces["texture"].astype(np.int64)
    index = words & mask
    known = index < len(numbers)
    out["texture"][known] = words[known] & ~mask | numbers[index[known]]
    return out


def _keep_pages(kit: Level, level: Level) -> None:
    """Keep the pages that object textures and sprites use; of bumped ones all, since they are in pairs."""
    count = page_count(level)
    stays = np.zeros(count, np.bool_)
    for records in (kit.object_textures, kit.sprite_textures):
        pages = records["page"].astype(np.int64) & _PAGE
        stays[pages[pages < count]] = True
    if level.game.traits.has_32bit_pages:
        ends = np.cumsum([level.room_textiles, level.object_textiles])
        if stays[ends[1] :].any():
            stays[ends[1] :] = True
        rooms, objects, bumps = (int(part.sum()) for part in np.split(stays, ends))
    if not stays.any():
        return  # the empty level has pages for the first pictures
    if level.game.traits.has_32bit_pages:
        kit.room_textiles, kit.object_textiles, kit.bump_textiles = rooms, objects, bumps
    for name in ("textiles8", "textiles16", "textiles32"):
        if name in vars(level):
            setattr(kit, name, getattr(level, name)[stays])
    numbers = np.cumsum(stays) - 1
    for name in ("object_textures", "sprite_textures"):
        out = getattr(kit, name).copy()
        pages = out["page"].astype(np.int64)
        known = (pages & _PAGE) < count
        out["page"][known] = pages[known] & ~_PAGE | numbers[pages[known] & _PAGE]
        setattr(kit, name, out)
