"""Repair of faces, sprites and object textures that refer to missing elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.messages import T, plural
from ...levels.level.level_pages import opaque_pixels
from ...levels.meshes.meshes import encode_mesh
from ...levels.textures.coordinates import RAW_PER_PIXEL, snap_to_pixels
from ...levels.textures.face_words import mesh_texture_mask, room_texture_mask
from ...levels.textures.object_textures import PAGE_MASK, decode_object_textures
from ...levels.views.decoded import Decoded
from ...levels.views.findings import Element
from .changes import Repairs

_OPAQUE = np.uint16(0x8000)
_BORDERS = (0, 1, RAW_PER_PIXEL - 1)  # fractions of corners on the borders of pixels
_HALF = RAW_PER_PIXEL // 2
_FACES = ("quads", "triangles", "colored_quads", "colored_triangles")


def rooms(repairs: Repairs) -> None:
    """Give faces of rooms with missing textures the first one, and hide those with missing vertices."""
    level = repairs.level
    names = ("quads", "triangles")
    textures, vertices = (
        {name: repairs.missing(f"room.{name}", field) for name in names} for field in ("texture", "vertices")
    )
    sprites = zip(*(repairs.missing("room.sprites", field) for field in ("texture", "vertex")), strict=True)
    mask = np.uint16(room_texture_mask(level.game))
    for number, (room, lost_sprites) in enumerate(zip(level.rooms, sprites, strict=True)):
        obj = Element("room", number)
        for name in names:
            wrong, lost = textures[name][number], vertices[name][number]
            if wrong.any():
                repairs.set(room, name, wrong, "texture", getattr(room, name)["texture"][wrong] & ~mask)
                repairs.add(_textures(int(wrong.sum())), obj, int(wrong.sum()))
            if lost.any():
                repairs.set(room, name, lost, "vertices", 0)
                repairs.add(_vertices(int(lost.sum())), obj, int(lost.sum()))
        lost = lost_sprites[0] | lost_sprites[1]
        if lost.any():
            text = plural(
                "a sprite had an image or a vertex that does not exist. It was removed",
                "{count} sprites had images or vertices that do not exist. They were removed",
                int(lost.sum()),
            )
            repairs.add(text, obj, int(lost.sum()))
            repairs.keep(room, "sprites", ~lost)


def _textures(count: int) -> str:
    return plural(
        "a face had a texture that does not exist. It has the first texture now",
        "{count} faces had textures that do not exist. They have the first texture now",
        count,
    )


def _vertices(count: int) -> str:
    return plural(
        "a face had vertices that do not exist. It is no longer visible",
        "{count} faces had vertices that do not exist. They are no longer visible",
        count,
    )


def meshes(repairs: Repairs) -> None:
    """Repair faces of meshes as those of rooms. The sizes of meshes do not change."""
    level = repairs.level
    block = Decoded(level).meshes
    data = np.array(level.mesh_data)
    firsts: dict[int, int] = {}
    for pointer, number in enumerate(block.pointers.tolist()):
        firsts.setdefault(number, pointer)
    for number, mesh in enumerate(block.meshes):
        wrong, lost = 0, 0
        for name, faces, textured in _mesh_faces(mesh):
            mask = mesh_texture_mask(level.game)
            bad = ((faces["texture"] & mask) >= len(level.object_textures)) & textured
            out = (faces["vertices"] >= len(mesh.vertices)).any(axis=1)
            if bad.any() or out.any():
                faces = np.array(faces)
                faces["texture"][bad] &= ~np.uint16(mask)
                faces["vertices"][out] = 0
                setattr(mesh, name, faces)
                wrong, lost = wrong + int(bad.sum()), lost + int(out.sum())
        if not wrong + lost or number not in firsts:
            continue
        content = encode_mesh(level.game, mesh)[: len(mesh.raw)]
        start = int(level.mesh_pointers[firsts[number]])
        data[start : start + len(content)] = np.frombuffer(content, np.uint8)
        obj = Element("mesh", firsts[number])
        if wrong:
            repairs.add(_textures(wrong), obj, wrong)
        if lost:
            repairs.add(_vertices(lost), obj, lost)
        level.mesh_data = data


def _mesh_faces(mesh: Any) -> Iterator[tuple[str, Any, bool]]:
    for name in _FACES:
        yield name, getattr(mesh, name), not name.startswith("colored")


def textures(repairs: Repairs) -> None:
    """Put object textures and sprites of missing pages on the first page, and repair animated textures."""
    level = repairs.level
    mask = PAGE_MASK if level.game.traits.has_texture_flags else 0xFFFF
    for name, own in (("object_textures", mask), ("sprite_textures", 0xFFFF)):
        values = getattr(level, name)["page"]
        (wrong,) = repairs.missing(name, "page")
        if wrong.any():
            repairs.set(level, name, wrong, "page", values[wrong] & ~np.uint16(own))
            text = plural(
                "a texture was on a page that does not exist. It is on the first page now",
                "{count} textures were on pages that do not exist. They are on the first page now",
                int(wrong.sum()),
            )
            repairs.add(text, count=int(wrong.sum()))
    (wrong_frames,) = repairs.missing("animated_textures", "")
    if wrong_frames.any():
        repairs.set(level, "animated_textures", wrong_frames, "", 0)
        text = T("an animated texture had a frame that does not exist. It has the first texture now")
        repairs.add(text, count=int(wrong_frames.sum()))


def opaque(repairs: Repairs) -> None:
    """Set the opaque bit of 16-bit pixels that only opaque textures show. Optional."""
    level = repairs.level
    if not level.game.traits.has_16bit_pages:
        return
    pixels = np.asarray(level.textiles16)
    shown = opaque_pixels(level)
    wrong = shown.reshape(pixels.shape) & (pixels & _OPAQUE == 0) if shown is not None else None
    if wrong is not None and wrong.any():
        level.textiles16 = np.where(wrong, pixels | _OPAQUE, pixels)
        text = plural(
            "a pixel of an opaque texture was transparent. It is opaque now",
            "{count} pixels of opaque textures were transparent. They are opaque now",
            int(wrong.sum()),
        )
        repairs.add(text, count=int(wrong.sum()))


def corners(repairs: Repairs) -> None:
    """Put corners of object textures on the borders of pixels. Optional: they may be there on purpose.

    Corners half a pixel from two borders go to the outer one.
    """
    level = repairs.level
    if level.game.traits.has_texture_flags:
        return
    uv = level.object_textures["uv"]
    triangle = decode_object_textures(level.object_textures, level.game).triangle
    used = np.ones(uv.shape, bool)
    used[triangle, 3] = False
    odd = used & ~np.isin(uv & 0xFF, _BORDERS)
    is_low = uv == np.where(used, uv, 0xFFFF).min(axis=1, keepdims=True)
    border = (uv.astype(np.int64) + np.where(is_low, _HALF - 1, _HALF)) // RAW_PER_PIXEL * RAW_PER_PIXEL
    rounded = np.where(odd, np.minimum(border, 0xFFFF), uv).astype(np.uint16)
    rounded = snap_to_pixels(rounded, triangle, level.game)
    before, after = (_extents(each, used) for each in (uv, rounded))
    rows = odd.any(axis=(1, 2)) & ((before == 0) | (after > 0)).all(axis=1)
    if rows.any():
        repairs.set(level, "object_textures", rows, "uv", rounded[rows])
        text = plural(
            "a texture had corners within pixels. They are on the borders of pixels now",
            "{count} textures had corners within pixels. They are on the borders of pixels now",
            int(rows.sum()),
        )
        repairs.add(text, count=int(rows.sum()))


def _extents(uv: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Return the width and height of textures, (n, 2)."""
    low, high = np.where(used, uv, 0xFFFF).min(axis=1), np.where(used, uv, 0).max(axis=1)
    return np.asarray(high.astype(np.int64) - low)
