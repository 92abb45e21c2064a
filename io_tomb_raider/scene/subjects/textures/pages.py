"""Texture pages and palettes (documentation, chapters 2.3.3 and 9.2) as packed images.

Images show one form of each page: 32-bit, else 16-bit, else 8-bit in the colors of the palette, and pixels
that TRX paints over it. Painted pixels are written into all forms of the file. For TRX, those whose color the
forms cannot hold are stored as edits, too.

Blender's solid view hides texels without alpha on all faces, the games only on color-keyed ones. So
transparent texels that only opaque faces show are opaque in the images, in the color that the games draw.
They keep that color when users make a face color-keyed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
from bpy.types import Collection, Image
from numpy.typing import NDArray

from ....formats import ExportError, Game, Level
from ....formats.base import Bools, Record, T, Target
from ....formats.edits.references import sort
from ....formats.levels.injections import page_records
from ....formats.levels.level import height_page, page_count
from ....formats.levels.textures import (
    PAGE_SIZE,
    Pages,
    Placements,
    U8Array,
    changed_pixels,
    decode_pages,
    decode_pages32,
    draw_tiles,
    encode_edits,
    encode_pages,
    encode_pages8,
    encode_pages16,
    encode_pages32,
    expand_palette,
    key_palette,
    page_numbers,
    used_pixels,
)
from ....formats.levels.views import Decoded
from ...core.context import ExportContext, ImportContext
from ...core.original import has_files
from ...core.reporting.report import Report
from ...core.stages import Product
from .images import make_image, make_picture, picture_digest
from .materials import LevelImages, MaterialKeys, prefixed
from .palettes import Palettes, cell_colors, palette_cells, palette_pages, write_palettes
from .pixels import has_other_color_space, read_pixels, warn_of_half_transparent

_BLACK = np.array((0, 0, 0, 255), np.uint8)
# The pixels that TRX paints over pages, if they have changed.
PAGE_EDITS: Product[list[Record] | None] = Product("PAGE_EDITS", lambda: None)
_MISC_LABELS = {Game.TR4: ("Font", "Sky"), Game.TR5: ("Environment Map", "Font", "Sky")}


# --- Import ------------------------------------------------------------------------------------

# Kind, page, label, pixels, and palette or None.
_Page = tuple[str, int, str, U8Array, U8Array | None]


def _pages(decoded: Decoded) -> Iterator[_Page]:
    """Yield every image of a level."""
    level = decoded.level
    if level.game.traits.has_16bit_pages:
        for page, pixels in enumerate(decode_pages(decoded.pages)):
            yield "PAGE", page, f"Page {page:02}", pixels, None
    else:
        colors, opaque = key_palette(level.palette), decoded.pages.opaque
        edited = {edit.page for edit in decoded.pages.edits}
        edited_pages = decode_pages(decoded.pages) if edited else None
        for page, indices in enumerate(level.textiles8):
            if edited_pages is not None and page in edited:
                yield "PAGE", page, f"Page {page:02}", edited_pages[page], None
                continue
            is_black = None if opaque is None else opaque[page] & (indices == 0)
            yield "PAGE", page, f"Page {page:02}", *_with_black(indices, colors, is_black)
    for page, label in palette_pages(level.game):
        yield "PALETTE", page, label, palette_cells(), Palettes.of(level).colors(page)
    if level.game.traits.has_32bit_pages:
        labels = _MISC_LABELS[level.game]
        for page, pixels in enumerate(decode_pages32(level.misc_textiles32)):
            label = labels[page] if page < len(labels) else f"Miscellaneous Page {page:02}"
            yield "MISC", page, label, pixels, None


def _with_black(indices: U8Array, colors: U8Array, is_black: Bools | None) -> tuple[U8Array, U8Array | None]:
    """Return an 8-bit page and its palette, with a free entry for the key color of opaque faces."""
    if is_black is None or not is_black.any():
        return indices, colors
    used = indices.tobytes()
    free = next((entry for entry in range(1, 256) if entry not in used), None)
    if free is None:
        return np.where(is_black[..., None], _BLACK, colors[indices]), None
    colors = colors.copy()
    colors[free] = _BLACK
    return np.where(is_black, np.uint8(free), indices), colors


def import_images(context: ImportContext) -> LevelImages:
    """Make the level's images, list them on the root collection, and return them.

    Pages are stored without compression until the scene is saved, see :func:`.images.compress_pictures`.
    """
    result: LevelImages = {}
    edited = {("PAGE", edit.page) for edit in context.decoded.pages.edits}
    for kind, page, label, pixels, palette in _pages(context.decoded):
        picture = make_picture(pixels, palette, level=1 if kind == "PALETTE" else 0)
        image = make_image(prefixed(context.root.name, label), picture)
        settings = image.tomb_raider
        settings.kind, settings.page, settings.digest = kind, page, picture.digest
        settings.shows_edits = (kind, page) in edited
        if kind == "PAGE" and context.level.game.traits.has_32bit_pages:
            settings.use = page_use(context.level, page)
        # The level is a user of its images, so that unused ones are kept and are copied with it.
        entry = context.root.tomb_raider.images.add()
        entry.kind, entry.page, entry.image = kind, page, image
        result[kind, page] = image, picture.average
    for kind, page in list(result):
        heights = height_page(context.level, page) if kind == "PAGE" else None
        if heights is not None and (kind, heights) in result:
            result[kind, page][0].tomb_raider.heights = result[kind, heights][0]
    return result


def page_use(level: Level, page: int) -> str:
    """Return the use of a texture page of TR4 and TR5, an identifier of the property ``use``."""
    if page < level.room_textiles:
        return "ROOMS"
    if page < level.room_textiles + level.object_textiles:
        return "OBJECTS"
    return "HEIGHTS" if height_page(level, page) is None else "BUMPED"


# --- Export ----------------------------------------------------------------------------------


class PageSet:
    """The texture pages and palettes of an export: read lazily, filled, then written.

    All changes of pages are made here, so that new pages are numbered once.
    """

    def __init__(self, context: ExportContext, material_keys: MaterialKeys) -> None:
        self._context = context
        self._material_keys = material_keys
        self._tiles: list[U8Array] = []
        self._placements: Placements | None = None
        self._bumped: tuple[list[U8Array], list[U8Array], Placements] | None = None

    @property
    def game(self) -> Game:
        """The game of the level."""
        return self._context.original.game

    @property
    def report(self) -> Report:
        """The report of the export."""
        return self._context.report

    # Reading

    @cached_property
    def _forms(self) -> Pages:
        """The pages of the original in all its forms."""
        return self._context.decoded.pages

    @property
    def is_true_color(self) -> bool:
        """Whether the level can hold 32-bit colors beside pages of fewer colors."""
        return self._context.target is Target.TRX and self.game.traits.has_trx

    @cached_property
    def before(self) -> U8Array:
        """The pages of the original, (n, 256, 256, 4) RGBA."""
        return decode_pages(self._forms)

    @cached_property
    def painted(self) -> U8Array:
        """The pages as users painted them; the same array as ``before`` if nothing changed.

        Raises:
            ExportError: where an image has another size than a page, or cannot be read.
        """
        return _replaced(self.before, self._with_edits(self._read_images("PAGE", len(self.before))))

    def _with_edits(self, pages: dict[int, U8Array]) -> dict[int, U8Array]:
        """Return images with the pixels of edits that scenes of older versions do not show."""
        images, edited = _level_images(self._context.root, "PAGE"), {edit.page for edit in self._forms.edits}
        old_pages = [page for page in sorted(edited & set(pages)) if not _shows_edits(images[page])]
        if old_pages:
            unedited = decode_pages(self._forms._replace(edits=()))
            for page in old_pages:
                unpainted = ~changed_pixels(pages[page][None], unedited[page][None])[0]
                pages[page] = np.where(unpainted[..., None], self.before[page], pages[page])
        return pages

    @cached_property
    def palettes(self) -> Palettes:
        """The palettes of TR1 to TR3 with users' changes.

        Raises:
            ExportError: where an image of a palette cannot be read, or is not divided into its cells.
        """
        palettes = Palettes.of(self._context.original)
        for page, image in self._touched_images("PALETTE").items():
            colors = palettes.colors(page)
            palettes = palettes.with_colors(page, cell_colors(read_pixels(image), colors, image))
        return palettes

    def _read_images(self, kind: str, count: int) -> dict[int, U8Array]:
        """Read the pages that may have changed, or all of them to rebuild."""
        pages: dict[int, U8Array] = {}
        images = _level_images(self._context.root, kind)
        heights = {image.tomb_raider.heights for image in images.values() if image is not None}
        for page, image in images.items():
            if image is not None and 0 <= page < count:
                as_data = image in heights
                if self._context.rebuild or _is_touched(image, as_data):
                    pages[page] = _read_page(image, as_data)
        return pages

    def _touched_images(self, kind: str) -> dict[int, Image]:
        """Return the images that may have changed since the import, found without decoding."""
        images = _level_images(self._context.root, kind)
        return {page: image for page, image in images.items() if image is not None and _is_touched(image)}

    # Filling

    @property
    def fillable(self) -> range:
        """The existing pages that may be filled: without bumped pages and their height maps (TR4, TR5).

        None in levels of object files, where also unused texels belong to textures.
        """
        level = self._context.original
        if has_files(self._context.root):
            return range(0)
        if level.game.traits.has_32bit_pages:
            return range(min(level.room_textiles + level.object_textiles, page_count(level)))
        return range(page_count(level))

    def occupied(self, reserved: Iterable[NDArray[np.int64]] = ()) -> Bools:
        """Return whether each pixel has to be kept, (n, 256, 256): used in the original, painted or reserved.

        Reserved rectangles, (k, 5) each, are page, left, top, width, height in pixels.
        """
        original, rects = self._context.original, list(reserved)
        used = used_pixels(
            len(self.before),
            original.object_textures,
            original.sprite_textures,
            original.game,
            reserved=np.concatenate(rects) if rects else None,
        )
        if self.painted is not self.before:
            used |= changed_pixels(self.painted, self.before)
        return used

    def place(self, tiles: list[U8Array], placements: Placements) -> None:
        """Set the pictures, RGBA, to write and their placements; new pages follow the others."""
        self._tiles, self._placements = tiles, placements

    def place_bumped(self, tiles: list[U8Array], heights: list[U8Array], placements: Placements) -> None:
        """Set the pictures for new bumped pages, numbered from 0, and their height maps."""
        self._bumped = tiles, heights, placements

    @property
    def count(self) -> int:
        """The number of pages including new ones, without new bumped pages."""
        return len(self.before) if self._placements is None else self._placements.pages

    # Writing

    def write(self, level: Level) -> None:
        """Write painted pages, placed tiles and palettes; untouched pages keep their bits.

        Object textures and sprite textures have to be complete: new pages may renumber them.

        Raises:
            ExportError: as :attr:`painted` and :attr:`palettes`, and where an image was deleted that a
                material of the level needs.
        """
        self._write_pages(level)
        if self.game.traits.has_32bit_pages:
            self._write_misc_pages(level)
            return
        for section, count in write_palettes(level, self._context.original, self.palettes).items():
            self._context.rebuilt.count(section, count)

    def _write_pages(self, level: Level) -> None:
        for page, image in _level_images(self._context.root, "PAGE").items():
            if image is None:
                self._check_unused(page)
        is_placed = self._placements is not None or self._bumped is not None
        touched = self._touched_images("PAGE")
        if not (touched or self._context.rebuild or is_placed):
            return
        picture, original = self.painted, self._forms
        for page, image in () if self.is_true_color else touched.items():
            changed = changed_pixels(picture[page : page + 1], self.before[page : page + 1])[0]
            warn_of_half_transparent(self.report, image.name, [picture[page, changed, 3]])
        if self._placements is not None:
            picture = draw_tiles(picture, self._tiles, self._placements)
        bumped = 0
        if self._bumped is not None:
            tiles, heights, placements = self._bumped
            bumped_pages = [draw_tiles(picture[:0], each, placements) for each in (tiles, heights)]
            picture, bumped = np.concatenate([picture, *bumped_pages]), placements.pages
        palette = self.palettes.palette if level.game.traits.has_palette else None
        encoded = encode_pages(picture, original, palette)
        painted = changed_pixels(picture, self.before)
        shown_form = encoded if palette is None else encoded._replace(palette=palette)
        edits = encode_edits(picture, original, shown_form, is_true_color=self.is_true_color)
        if edits is not original.edits:
            PAGE_EDITS.set(self._context, page_records(edits))
        if self._context.rebuild:
            encoded = _rebuilt(picture, encoded, original, painted)
        for name in ("textiles8", "textiles16", "textiles32"):
            new = getattr(encoded, name)
            if new is not getattr(original, name):
                setattr(level, name, new)
        self._context.rebuilt.count("textiles", int(painted.any(axis=(1, 2)).sum()))
        if level.game.traits.has_32bit_pages and len(picture) > len(self.before):
            _insert_pages(level, len(self.before), self.count - len(self.before), bumped)

    def _write_misc_pages(self, level: Level) -> None:
        original, rebuild = self._context.original.misc_textiles32, self._context.rebuild
        if not (rebuild or self._touched_images("MISC")):
            return
        before = decode_pages32(original)
        picture = _replaced(before, self._read_images("MISC", len(before)))
        changed = changed_pixels(picture, before).any(axis=(1, 2))
        encoded = encode_pages32(picture) if rebuild else encode_pages32(picture, original, before)
        if encoded is not original:
            level.misc_textiles32 = encoded
        self._context.rebuilt.count("miscellaneous textiles", int(changed.sum()))

    def _check_unused(self, page: int) -> None:
        """Raise an ExportError if a material of the level uses a deleted page; others keep their bits."""
        for obj in self._context.level_objects.inside:
            for slot in obj.material_slots:
                key = slot.material and self._material_keys[slot.material]
                if key and key.kind == "PAGE" and key.page == page:
                    problem = T("the image of texture page {page} was deleted", page=page)
                    raise ExportError(slot.material.name, problem)


def _rebuilt(picture: U8Array, encoded: Pages, original: Pages, painted: Bools) -> Pages:
    """Encode the form that images show from them alone; images cannot decide the other forms.

    Images show no form where TRX paints over it.
    """
    result = _rebuilt_form(picture, encoded, original, painted)
    for edit in original.edits:
        for name in ("textiles8", "textiles16"):
            form = getattr(result, name)
            if form is not None and form is not getattr(encoded, name):
                form[edit.part] = getattr(encoded, name)[edit.part]
    return result


def _rebuilt_form(picture: U8Array, encoded: Pages, original: Pages, painted: Bools) -> Pages:
    if original.textiles32 is not None:
        return encoded._replace(textiles32=encode_pages32(picture))
    if original.textiles16 is not None:
        return encoded._replace(textiles16=encode_pages16(picture))
    assert original.palette is not None
    indices = encode_pages8(picture, original.palette)
    if original.opaque is not None:
        _restore_black(indices[: len(original.opaque)], picture, original.opaque, original.palette)
    assert encoded.textiles8 is not None
    # Images have the colors of the file's palette: unpainted pixels follow entries to changed colors.
    indices[painted] = encoded.textiles8[painted]
    return encoded._replace(textiles8=indices)


def _restore_black(indices: U8Array, picture: U8Array, opaque: Bools, palette: U8Array) -> None:
    """Set black pixels of opaque faces to the key color where the palette has no other black."""
    colors = np.ascontiguousarray(picture[: len(opaque)]).view(np.uint32)[..., 0]
    is_opaque_black = opaque & (colors == _BLACK.view(np.uint32))
    is_black: Bools = (expand_palette(palette) == 0).all(axis=1)
    indices[is_opaque_black & ~is_black[indices]] = 0


def _insert_pages(level: Level, pages: int, added: int, bumped: int) -> None:
    """Count new pages as object pages and bumped pages, and move them after the others of their use."""
    position, old_bumped = level.room_textiles + level.object_textiles, level.bump_textiles // 2
    level.object_textiles += added
    level.bump_textiles += 2 * bumped
    if position >= pages:
        return
    numbers = page_numbers(pages, added, position, bumped, old_bumped)
    sort(level, "pages", np.argsort(numbers))


# --- Changed images --------------------------------------------------------------------------


def _level_images(root: Collection, kind: str) -> dict[int, Image | None]:
    """Return a level's images of a kind by page; None for deleted ones."""
    return {entry.page: entry.image for entry in root.tomb_raider.images if entry.kind == kind}


def _shows_edits(image: Image | None) -> bool:
    return image is not None and bool(image.tomb_raider.shows_edits)


def _is_touched(image: Image, as_data: bool = False) -> bool:
    packed = image.packed_file
    if image.is_dirty or (not as_data and has_other_color_space(image)):
        return True
    return packed is None or picture_digest(packed.data) != image.tomb_raider.digest


def _read_page(image: Image, as_data: bool) -> U8Array:
    pixels = read_pixels(image, as_data=as_data)
    height, width = pixels.shape[:2]
    if (width, height) != (PAGE_SIZE, PAGE_SIZE):
        problem = T(
            "a texture page is 256 by 256 pixels, this image is {width} by {height}",
            width=width,
            height=height,
        )
        raise ExportError(image.name, problem)
    return pixels


def _replaced(before: U8Array, replacements: dict[int, U8Array]) -> U8Array:
    if not replacements:
        return before
    result = before.copy()
    for page, pixels in replacements.items():
        result[page] = pixels
    return result
