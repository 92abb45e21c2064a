"""Repair of faces, sprites and object textures that refer to missing elements."""

from __future__ import annotations

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
    for number, (room, sprite_masks) in enumerate(zip(level.rooms, sprites, strict=True)):
        obj = Element("room", number)
        for name in names:
            no_texture, no_vertices = textures[name][number], vertices[name][number]
            if no_texture.any():
                repairs.set(
                    room, name, no_texture, "texture", getattr(room, name)["texture"][no_texture] & ~mask
                )
                repairs.add(_textures(int(no_texture.sum())), obj, int(no_texture.sum()))
            if no_vertices.any():
                repairs.set(room, name, no_vertices, "vertices", 0)
                repairs.add(_vertices(int(no_vertices.sum())), obj, int(no_vertices.sum()))
        no_vertices = sprite_masks[0] | sprite_masks[1]
        if no_vertices.any():
            text = plural(
                "a sprite had an image or a vertex that does not exist. It was removed",
                "{count} sprites had images or vertices that do not exist. They were removed",
                int(no_vertices.sum()),
            )
            repairs.add(text, obj, int(no_vertices.sum()))
            repairs.keep(room, "sprites", ~no_vertices)


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
        texture_count, vertex_count = 0, 0
        for name in _FACES:
            faces, has_texture = getattr(mesh, name), not name.startswith("colored")
            mask = mesh_texture_mask(level.game)
            no_texture = ((faces["texture"] & mask) >= len(level.object_textures)) & has_texture
            no_vertices = (faces["vertices"] >= len(mesh.vertices)).any(axis=1)
            if no_texture.any() or no_vertices.any():
                faces = np.array(faces)
                faces["texture"][no_texture] &= ~np.uint16(mask)
                faces["vertices"][no_vertices] = 0
                setattr(mesh, name, faces)
                texture_count += int(no_texture.sum())
                vertex_count += int(no_vertices.sum())
        if not texture_count + vertex_count or number not in firsts:
            continue
        content = encode_mesh(level.game, mesh)[: len(mesh.raw)]
        start = int(level.mesh_pointers[firsts[number]])
        data[start : start + len(content)] = np.frombuffer(content, np.uint8)
        obj = Element("mesh", firsts[number])
        if texture_count:
            repairs.add(_textures(texture_count), obj, texture_count)
        if vertex_count:
            repairs.add(_vertices(vertex_count), obj, vertex_count)
        level.mesh_data = data


def textures(repairs: Repairs) -> None:
    """Put object textures and sprites of missing pages on the first page, and repair animated textures."""
    level = repairs.level
    mask = PAGE_MASK if level.game.traits.has_texture_flags else 0xFFFF
    for name, bits in (("object_textures", mask), ("sprite_textures", 0xFFFF)):
        values = getattr(level, name)["page"]
        (is_missing,) = repairs.missing(name, "page")
        if is_missing.any():
            repairs.set(level, name, is_missing, "page", values[is_missing] & ~np.uint16(bits))
            text = plural(
                "a texture was on a page that does not exist. It is on the first page now",
                "{count} textures were on pages that do not exist. They are on the first page now",
                int(is_missing.sum()),
            )
            repairs.add(text, count=int(is_missing.sum()))
    (no_texture,) = repairs.missing("animated_textures", "")
    if no_texture.any():
        repairs.set(level, "animated_textures", no_texture, "", 0)
        text = T("an animated texture had a frame that does not exist. It has the first texture now")
        repairs.add(text, count=int(no_texture.sum()))


def opaque(repairs: Repairs) -> None:
    """Set the opaque bit of 16-bit pixels that only opaque textures show. Optional."""
    level = repairs.level
    if not level.game.traits.has_16bit_pages:
        return
    pixels = np.asarray(level.textiles16)
    is_opaque = opaque_pixels(level)
    is_transparent = (
        is_opaque.reshape(pixels.shape) & (pixels & _OPAQUE == 0) if is_opaque is not None else None
    )
    if is_transparent is not None and is_transparent.any():
        level.textiles16 = np.where(is_transparent, pixels | _OPAQUE, pixels)
        text = plural(
            "a pixel of an opaque texture was transparent. It is opaque now",
            "{count} pixels of opaque textures were transparent. They are opaque now",
            int(is_transparent.sum()),
        )
        repairs.add(text, count=int(is_transparent.sum()))


def corners(repairs: Repairs) -> None:
    """Put corners of object textures on the borders of pixels. Optional: they may be there on purpose.

    Corners half a pixel from two borders go to the outer one.
    """
    level = repairs.level
    if level.game.traits.has_texture_flags:
        return
    uv = level.object_textures["uv"]
    triangle = decode_object_textures(level.object_textures, level.game).triangle
    is_corner = np.ones(uv.shape, bool)
    is_corner[triangle, 3] = False
    is_inside = is_corner & ~np.isin(uv & 0xFF, _BORDERS)
    is_low = uv == np.where(is_corner, uv, 0xFFFF).min(axis=1, keepdims=True)
    border = (uv.astype(np.int64) + np.where(is_low, _HALF - 1, _HALF)) // RAW_PER_PIXEL * RAW_PER_PIXEL
    rounded = np.where(is_inside, np.minimum(border, 0xFFFF), uv).astype(np.uint16)
    rounded = snap_to_pixels(rounded, triangle, level.game)
    before, after = (_extents(each, is_corner) for each in (uv, rounded))
    rows = is_inside.any(axis=(1, 2)) & ((before == 0) | (after > 0)).all(axis=1)
    if rows.any():
        repairs.set(level, "object_textures", rows, "uv", rounded[rows])
        text = plural(
            "a texture had corners within pixels. They are on the borders of pixels now",
            "{count} textures had corners within pixels. They are on the borders of pixels now",
            int(rows.sum()),
        )
        repairs.add(text, count=int(rows.sum()))


def _extents(uv: np.ndarray, is_corner: np.ndarray) -> np.ndarray:
    """Return the width and height of textures, (n, 2)."""
    low, high = np.where(is_corner, uv, 0xFFFF).min(axis=1), np.where(is_corner, uv, 0).max(axis=1)
    return np.asarray(high.astype(np.int64) - low)
