"""Texture pages and palettes (documentation, chapters 2.3.3 and 9.2) as packed images.

Users see one form of each page: the 32-bit one, else the 16-bit one, else the 8-bit one in the colours of
the palette. Whatever they paint goes into all forms that the game's file has.

Blender's solid view leaves texels without alpha out on all faces, the games only on colour-keyed ones. So
transparent texels that only opaque faces show are opaque in the images, in the colour that the games draw.
A face that users turn from opaque to colour-keyed shows such texels in that colour, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Image
from numpy.typing import NDArray

from ...formats import ExportError, Game, Level
from ...formats.textures.level_pages import opaque_pixels, pages_of
from ...formats.textures.packing import Placements, page_numbers
from ...formats.textures.png import encode_png
from ...formats.textures.textiles import (
    PAGE_SIZE,
    BoolArray,
    Pages,
    U8Array,
    changed_pixels,
    decode_pages,
    decode_pages32,
    encode_pages,
    encode_pages8,
    encode_pages16,
    encode_pages32,
    expand_palette,
)
from ...formats.textures.tiles import draw_tiles
from ..base.color import bytes_to_linear
from ..base.context import ExportContext, ImportContext
from ..base.members import members
from .materials import prefixed
from .palettes import Palettes, cell_colors, palette_cells, palette_pages, write_palettes
from .pixels import read_pixels

Average = tuple[float, float, float]

_SAMPLED = 8  # every so many pixels of a row and a column count for the average colour
_BLACK = np.array((0, 0, 0, 255), np.uint8)
_MISC_LABELS = {Game.TR4: ("Font", "Sky"), Game.TR5: ("Environment Map", "Font", "Sky")}


# --- The way in ------------------------------------------------------------------------------------


class _Picture(NamedTuple):
    """An image, ready for Blender."""

    png: bytes
    digest: str
    average: Average  # colour of what is opaque, linear


class _Job(NamedTuple):
    kind: str
    page: int
    label: str
    picture: Future[_Picture]


@dataclass(frozen=True)
class PreparedPages:
    """A level's images on their way, made by :func:`start_pages`."""

    jobs: list[_Job]

    def wait(self) -> None:
        """Return when all threads are done: Blender crashes where some run beside its operators."""
        wait([job.picture for job in self.jobs])


def start_pages(level: Level) -> PreparedPages:
    """Start to turn a level's pages into PNG files, in threads that need nothing of Blender.

    Wait for them before anything else is done with Blender.
    """
    jobs: list[_Job] = []
    pool = ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1))

    def add(kind: str, page: int, label: str, make: Callable[..., _Picture], *of: Any) -> None:
        jobs.append(_Job(kind, page, label, pool.submit(make, *of)))

    if level.game is Game.TR1:
        colors = _key_palette(level.palette)
        opaque = pool.submit(opaque_pixels, level)
        for page, indices in enumerate(level.textiles8):
            add("PAGE", page, f"Page {page:02}", _indexed_picture, indices, colors, opaque, page)
    else:
        # Transparency is told over all pages together, so one thread decodes for all.
        decoded = pool.submit(_decoded, level)
        for page in range(len(level.textiles16)):
            add("PAGE", page, f"Page {page:02}", _picture_of, decoded, page)
    for page, label in palette_pages(level.game):
        add("PALETTE", page, label, _picture, palette_cells(), Palettes.of(level).colors(page))
    if level.game >= Game.TR4:
        decoded = pool.submit(decode_pages32, level.misc_textiles32)
        labels = _MISC_LABELS[level.game]
        for page in range(len(level.misc_textiles32)):
            label = labels[page] if page < len(labels) else f"Miscellaneous Page {page:02}"
            add("MISC", page, label, _picture_of, decoded, page)
    pool.shutdown(wait=False)
    return PreparedPages(jobs)


def _decoded(level: Level) -> U8Array:
    return decode_pages(pages_of(level))


def _picture_of(decoded: Future[U8Array], page: int) -> _Picture:
    return _picture(decoded.result()[page])


def _indexed_picture(
    indices: U8Array, colors: U8Array, opaque: Future[BoolArray | None], page: int
) -> _Picture:
    """Make the picture of an 8-bit page, with an entry that is free for the key colour of opaque faces."""
    pixels = opaque.result()
    black = np.zeros(indices.shape, np.bool_) if pixels is None else pixels[page] & (indices == 0)
    if not black.any():
        return _picture(indices, colors)
    free = np.flatnonzero(np.bincount(indices.ravel(), minlength=256)[1:] == 0) + 1
    if not len(free):
        return _picture(np.where(black[..., None], _BLACK, colors[indices]))
    colors = colors.copy()
    colors[free[0]] = _BLACK
    return _picture(np.where(black, free[0], indices).astype(np.uint8), colors)


def _key_palette(palette: U8Array) -> U8Array:
    """The colours of 8-bit pages, (256, 4) RGBA: entry 0 is the colour key."""
    colors = np.full((256, 4), 255, np.uint8)
    colors[:, :3] = expand_palette(palette)
    colors[0, 3] = 0
    return colors


def _picture(pixels: U8Array, palette: U8Array | None = None) -> _Picture:
    png = encode_png(pixels, palette)
    sample = pixels[::_SAMPLED, ::_SAMPLED]
    if palette is not None:
        sample = palette[sample]
    sample = sample.reshape(-1, sample.shape[-1])
    if sample.shape[1] == 4 and sample[:, 3].any():
        sample = sample[sample[:, 3] > 0]
    red, green, blue = bytes_to_linear(sample[:, :3]).mean(axis=0).tolist()
    return _Picture(png, _digest(png), (red, green, blue))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def import_images(context: ImportContext, prepared: PreparedPages | None = None) -> None:
    """Make the level's images, in ``context.images`` and known to the root collection.

    Args:
        context: the import.
        prepared: what :func:`start_pages` gave for the level, if it was called before.
    """
    for job in (prepared or start_pages(context.level)).jobs:
        picture = job.picture.result()
        image = _make_image(prefixed(context.root.name, job.label), picture)
        settings = image.tomb_raider
        settings.kind, settings.page, settings.digest = job.kind, job.page, picture.digest
        if job.kind == "PAGE" and context.level.game >= Game.TR4:
            settings.use = page_use(context.level, job.page)
        # The level holds its images, so that unused ones stay with it, and go with it.
        entry = context.root.tomb_raider.images.add()
        entry.kind, entry.page, entry.image = job.kind, job.page, image
        context.images[job.kind, job.page] = image, picture.average


def page_use(level: Level, page: int) -> str:
    """Return what TR4 and TR5 keep a texture page for: an identifier of the property ``use``."""
    if page < level.room_textiles:
        return "ROOMS"
    bumped = page - level.room_textiles - level.object_textiles
    if bumped < 0:
        return "OBJECTS"
    # Bumped pages come first, then a height map for each.
    return "BUMPED" if bumped < level.bump_textiles // 2 else "HEIGHTS"


def _make_image(name: str, picture: _Picture) -> Image:
    image = bpy.data.images.new(name, 1, 1, alpha=True)
    image.pack(data=picture.png, data_len=len(picture.png))
    # Blender reads the packed file only when something asks for pixels.
    image.source = "FILE"
    image.filepath_raw = f"//{bpy.path.clean_name(name)}.png"  # where Blender would unpack it to
    return image


# --- The way back ----------------------------------------------------------------------------------


@dataclass
class PageSet:
    """The texture pages of an export.

    Attributes:
        before: (n, 256, 256, 4) RGBA, as the original shows them.
        painted: the same with what users painted; the same array where that is nothing.
        tiles: pictures for free places on the pages, from :func:`store_tiles`.
        placements: their places.
    """

    before: U8Array
    painted: U8Array
    tiles: list[U8Array] = field(default_factory=list)
    placements: Placements | None = None


def page_set(context: ExportContext) -> PageSet:
    """Return the pages of an export, read from the images that changed, or from all to rebuild.

    Raises:
        ExportError: where an image has another size than a page, or cannot be read.
    """
    if context.page_set is None:
        before = decode_pages(pages_of(context.original))
        read = _read_images(context, "PAGE", len(before))
        context.page_set = PageSet(before, _replaced(before, read))
    return context.page_set


def store_tiles(context: ExportContext, tiles: list[U8Array], placements: Placements) -> None:
    """Note tiles, RGBA, that :func:`export_images` shall draw; new pages come behind the others."""
    pages = page_set(context)
    pages.tiles, pages.placements = tiles, placements


def export_images(context: ExportContext) -> None:
    """Write painted pages and stored tiles into the level; pages that nobody touched keep their bits.

    It has to run when object textures and sprite textures are complete: new pages may renumber them.

    Raises:
        ExportError: as :func:`page_set`, and where an image was deleted although a material of the level
            needs it.
    """
    _export_pages(context)
    if context.original.game >= Game.TR4:
        _export_misc_pages(context)
    else:
        counts = write_palettes(context.level, context.original, palettes_of(context))
        for section, count in counts.items():
            context.report.count(section, count)


def palettes_of(context: ExportContext) -> Palettes:
    """Return the palettes of an export of TR1 to TR3 with the colors that users gave them.

    Raises:
        ExportError: where an image of a palette cannot be read, or is not divided into its cells.
    """
    if context.palettes is None:
        palettes = Palettes.of(context.original)
        for page, image in _touched_images(context, "PALETTE").items():
            shown = palettes.colors(page)
            palettes = palettes.with_colors(page, cell_colors(read_pixels(image), shown, image))
        context.palettes = palettes
    return context.palettes


def _export_pages(context: ExportContext) -> None:
    level = context.level
    for page, image in _level_images(context.root, "PAGE").items():
        if image is None:
            _check_unused(context, page)
    touched = _touched_images(context, "PAGE")
    if not (touched or context.rebuild or context.page_set is not None):
        return
    pages, original = page_set(context), pages_of(context.original)
    picture = pages.painted
    if pages.placements is not None:
        picture = draw_tiles(picture, pages.tiles, pages.placements)
    palette = palettes_of(context).palette if level.game <= Game.TR3 else None
    encoded = encode_pages(picture, original, palette)
    painted = changed_pixels(picture, pages.before)
    if context.rebuild:
        encoded = _rebuilt(picture, encoded, original, painted)
    for name in ("textiles8", "textiles16", "textiles32"):
        new = getattr(encoded, name)
        if new is not getattr(original, name):
            setattr(level, name, new)
    context.report.count("textiles", int(painted.any(axis=(1, 2)).sum()))
    if level.game >= Game.TR4 and len(picture) > len(pages.before):
        _insert_pages(level, len(pages.before), len(picture) - len(pages.before))


def _rebuilt(picture: U8Array, encoded: Pages, original: Pages, painted: BoolArray) -> Pages:
    """Encode the form that users see from the images alone. The other forms cannot be told from images."""
    if original.textiles32 is not None:
        return encoded._replace(textiles32=encode_pages32(picture))
    if original.textiles16 is not None:
        return encoded._replace(textiles16=encode_pages16(picture))
    assert original.palette is not None
    indices = encode_pages8(picture, original.palette)
    if original.opaque is not None:
        _restore_black(indices[: len(original.opaque)], picture, original.opaque, original.palette)
    assert encoded.textiles8 is not None
    # Images show the palette of the file: what nobody painted follows its entries to their colors of today.
    indices[painted] = encoded.textiles8[painted]
    return encoded._replace(textiles8=indices)


def _restore_black(indices: U8Array, picture: U8Array, opaque: BoolArray, palette: U8Array) -> None:
    """Let pixels that opaque faces show black be the key colour where the palette has no other black."""
    black = opaque & (picture[: len(opaque)] == _BLACK).all(axis=-1)
    is_black: BoolArray = (expand_palette(palette) == 0).all(axis=1)
    indices[black & ~is_black[indices]] = 0


def _insert_pages(level: Level, pages: int, added: int) -> None:
    """Count new pages as pages of objects, and move them before the bumped ones, which stand last."""
    at = level.room_textiles + level.object_textiles
    level.object_textiles += added
    if at >= pages:
        return
    number = page_numbers(pages, added, at)
    order = np.argsort(number)
    level.textiles16, level.textiles32 = level.textiles16[order], level.textiles32[order]
    level.object_textures = _renumbered(level.object_textures, number, 0x7FFF)
    level.sprite_textures = _renumbered(level.sprite_textures, number, 0xFFFF)


def _renumbered(records: NDArray[Any], number: NDArray[np.int64], mask: int) -> NDArray[Any]:
    out = records.copy()
    page = records["page"].astype(np.int64) & mask
    inside = page < len(number)
    moved = number[np.where(inside, page, 0)]
    out["page"] = np.where(inside, moved | (records["page"].astype(np.int64) & ~mask), records["page"])
    return out


def _export_misc_pages(context: ExportContext) -> None:
    original = context.original.misc_textiles32
    if not (context.rebuild or _touched_images(context, "MISC")):
        return
    before = decode_pages32(original)
    picture = _replaced(before, _read_images(context, "MISC", len(before)))
    changed = changed_pixels(picture, before).any(axis=(1, 2))
    encoded = encode_pages32(picture, original, before)
    if context.rebuild:
        encoded = encode_pages32(picture)
    if encoded is not original:
        context.level.misc_textiles32 = encoded
    context.report.count("miscellaneous textiles", int(changed.sum()))


# --- Which images changed --------------------------------------------------------------------------


def _level_images(root: Collection, kind: str) -> dict[int, Image | None]:
    """Return a level's images of a kind by page; None for deleted ones."""
    return {entry.page: entry.image for entry in root.tomb_raider.images if entry.kind == kind}


def _touched_images(context: ExportContext, kind: str) -> dict[int, Image]:
    """Return the images whose pixels may have changed since the import. No image is decoded for that."""
    found = _level_images(context.root, kind)
    return {page: image for page, image in found.items() if image is not None and _is_touched(image)}


def _is_touched(image: Image) -> bool:
    packed = image.packed_file
    return image.is_dirty or packed is None or _digest(packed.data) != image.tomb_raider.digest


def _read_images(context: ExportContext, kind: str, count: int) -> dict[int, U8Array]:
    """Read the pages that may have changed, or all of them to rebuild."""
    read: dict[int, U8Array] = {}
    for page, image in _level_images(context.root, kind).items():
        if image is not None and page < count and (context.rebuild or _is_touched(image)):
            read[page] = _read_page(image)
    return read


def _read_page(image: Image) -> U8Array:
    pixels = read_pixels(image)
    height, width = pixels.shape[:2]
    if (width, height) != (PAGE_SIZE, PAGE_SIZE):
        problem = f"a texture page is 256 by 256 pixels, this image is {width} by {height}"
        raise ExportError(image.name, problem)
    return pixels


def _check_unused(context: ExportContext, page: int) -> None:
    """A deleted page stays as it was, unless a material of the level shows that it is missed."""
    for thing in members(context.root):
        for slot in thing.material_slots:
            key = slot.material and context.material_keys[slot.material]
            if key and key.kind == "PAGE" and key.page == page:
                raise ExportError(slot.material.name, f"the image of texture page {page} has been deleted")


def _replaced(before: U8Array, read: dict[int, U8Array]) -> U8Array:
    if not read:
        return before
    result = before.copy()
    for page, pixels in read.items():
        result[page] = pixels
    return result
