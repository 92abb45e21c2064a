"""Texture pages and palettes of a converted level."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import Level
from ....formats.edits.convert import PageImages
from ....formats.levels.textures import decode_pages32, nearest_entries
from ....formats.levels.views import Decoded
from ...core import original
from ...core.context import ExportContext, ImportContext, ImportOptions
from ...core.membership import LevelObjects
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ...mesh.blender_mesh import material_slots
from ...subjects.level.names import catalogue_with
from ...subjects.meshes.layers import shown_uv_map, write_uvs
from ...subjects.object_textures.view import cell_at
from ...subjects.textures.materials import MaterialKeys
from ...subjects.textures.pages import PageSet, import_images
from ...subjects.textures.palettes import COLORS, SIDE
from ...subjects.textures.pixels import read_pixels

_COLORED = (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH)


def read_pictures(transfer: Transfer, decoded: Decoded) -> PageImages:
    """Return the textures of a level, with all painted changes.

    Raises:
        ExportError: an image cannot be read.
    """
    root, level = transfer.root, decoded.level
    context = ExportContext(root, decoded, level.copy(), transfer.space, transfer.report, LevelObjects(root))
    pages, traits = PageSet(context, MaterialKeys(root)), transfer.source.traits
    result = PageImages(pages.painted)
    if traits.has_palette:
        result = _with_palette(transfer, result, pages)
    if traits.has_32bit_pages:
        misc = decode_pages32(level.misc_textiles32)
        for entry in root.tomb_raider.images:
            if entry.kind == "MISC" and entry.image is not None and 0 <= entry.page < len(misc):
                picture = read_pixels(entry.image)
                if picture.shape == misc.shape[1:]:
                    misc[entry.page] = picture
        result = PageImages(
            pages.painted, level.room_textiles, level.object_textiles, level.bump_textiles, misc
        )
    return result


def _with_palette(transfer: Transfer, images: PageImages, pages: PageSet) -> PageImages:
    palettes = pages.palettes
    used = {entry for mesh in transfer.meshes(*_COLORED) for entry in _entries(mesh).tolist()}
    return PageImages(
        images.pages, palette=palettes.palette, colors=palettes.colors(COLORS), used=tuple(sorted(used))
    )


def replace_pages(transfer: Transfer, level: Level, pictures: PageImages) -> None:
    """Replace the original level and the page images of a level."""
    root, target = transfer.root, transfer.target
    level.compression = 0  # exports compress it
    original.store(root, original.kept(level.to_bytes()))
    original.keep_base(root, None)
    before = {(each.kind, each.page): each.image for each in root.tomb_raider.images}
    root.tomb_raider.images.clear()
    context = ImportContext(
        decoded=Decoded(level),
        names=catalogue_with(target, None),
        options=ImportOptions(scale=root.tomb_raider.scale),
        space=transfer.space,
        root=root,
        report=transfer.report,
    )
    new_images = {key: image for key, (image, _) in import_images(context).items()}
    if pictures.colors is not None and target.traits.has_colored_faces:
        _recolor(transfer, level, pictures)
    elif not target.traits.has_colored_faces:
        _widen(transfer)
    replaced = []
    for key, image in before.items():
        if image is None:
            continue
        if key[0] == "PALETTE" and not target.traits.has_colored_faces:
            _enlarge(image)
        new = new_images.get(_shown_as(transfer, key))
        if new is not None:
            image.user_remap(new)
        elif image.users > int(image.use_fake_user):
            image.tomb_raider.kind = "NONE"  # a user picture now
            continue
        replaced.append(image)
    bpy.data.batch_remove(replaced)


def _shown_as(transfer: Transfer, key: tuple[str, int]) -> tuple[str, int]:
    """Return the key in the target game of an image: fonts and skies are counted from the last."""
    kind, page = key
    if kind == "PALETTE" and not transfer.target.traits.has_colored_faces:
        return "NONE", page
    if kind == "MISC":
        counts = {False: 2, True: 3}  # TR5 has an environment map in front
        offset = (
            counts[transfer.target.traits.has_room_layers] - counts[transfer.source.traits.has_room_layers]
        )
        return kind, page + offset
    return kind, page


# --- Faces of one color ----------------------------------------


def _entries(mesh: bpy.types.Mesh) -> NDArray[np.int64]:
    """Return the palette entries of a mesh, one per corner of faces of one color."""
    uvs, corners = _palette_corners(mesh)
    return cell_at(uvs[corners])


def _palette_corners(mesh: bpy.types.Mesh) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the UVs of a mesh, (k, 2), and a mask of the corners of faces of one color, (k,)."""
    layer = shown_uv_map(mesh)
    uvs = np.zeros((len(mesh.loops), 2), np.float32)
    materials = enumerate(mesh.materials)
    slots = [slot for slot, each in materials if each and each.tomb_raider.kind == "PALETTE"]
    if layer is None or not slots or not len(mesh.polygons):
        return uvs, np.zeros(len(uvs), np.bool_)
    layer.uv.foreach_get("vector", uvs.ravel())
    sizes = np.zeros(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    return uvs, np.repeat(np.isin(material_slots(mesh), slots), sizes)


def _recolor(transfer: Transfer, level: Level, pictures: PageImages) -> None:
    """Move UVs of faces of one color to the nearest entries of the palette of TR1."""
    if transfer.target.traits.has_16bit_pages or not transfer.source.traits.has_16bit_pages:
        return
    assert pictures.colors is not None
    entries = nearest_entries(pictures.colors, level.palette).astype(np.int64)
    for mesh in transfer.meshes(*_COLORED):
        uvs, corners = _palette_corners(mesh)
        if not corners.any():
            continue
        cells = entries[cell_at(uvs[corners])]
        row, column = np.divmod(cells, SIDE)
        uvs[corners] = np.stack([column + 0.5, SIDE - row - 0.5], axis=1) / SIDE
        layer = shown_uv_map(mesh)
        assert layer is not None
        write_uvs(mesh, layer, uvs)
        mesh.update()


# Engines leave out textures without a width, so colors become squares of a few pixels.
_CELL, _INSET = 4, 0.5  # pixels
_SQUARE = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)], np.float32)


def _enlarge(image: bpy.types.Image) -> None:
    """Repeat the pixels of a palette's image, of one pixel for each color."""
    pixels = np.zeros((image.size[1], image.size[0], 4), np.float32)
    image.pixels.foreach_get(pixels.ravel())
    large = pixels.repeat(_CELL, axis=0).repeat(_CELL, axis=1)
    image.scale(large.shape[1], large.shape[0])
    flat: Any = large.ravel()
    image.pixels.foreach_set(flat)
    image.update()
    image.pack()


def _widen(transfer: Transfer) -> None:
    """Spread the UVs of faces of one color over the squares of their colors, as from the upper left."""
    side = (0.5 - _INSET / _CELL) / SIDE
    for mesh in transfer.meshes(*_COLORED):
        uvs, corners = _palette_corners(mesh)
        if not corners.any():
            continue
        starts = np.zeros(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("loop_start", starts)
        within = np.arange(len(uvs)) - starts[np.searchsorted(starts, np.arange(len(uvs)), side="right") - 1]
        row, column = np.divmod(cell_at(uvs[corners]), SIDE)
        middle = np.stack([column + 0.5, SIDE - row - 0.5], axis=1) / SIDE
        uvs[corners] = middle + side * _SQUARE[within[corners] % len(_SQUARE)]
        layer = shown_uv_map(mesh)
        assert layer is not None
        write_uvs(mesh, layer, uvs)
        mesh.update()
