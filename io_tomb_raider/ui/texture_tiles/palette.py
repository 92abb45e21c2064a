"""The tile palette: pieces that a level uses, recently used tiles and favorites, as pictures to choose from.

Nothing of it is a data-block, and it is read again only when it is asked for: images and levels are
remembered by their session numbers, since undo replaces them.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
from bpy.props import EnumProperty
from bpy.types import Collection, Context, Image

from ...formats import FormatError
from ...formats.base import N_, T
from ...scene.properties import CONTEXT
from ..base.levels import meant_level
from ..base.text.i18n import translate
from .settings import store_tile, tile_in

if TYPE_CHECKING:
    from ...scene.authoring.texture_tiles import Area, TexturePiece, Tile, TileThumbnails

_SIZE = 64  # pixels of pictures
_MOST_PICTURES = 4096  # which take 16 KiB each
_EVERY = 0.5  # seconds between looks at painted pictures
_NO_TILE = N_("No Tile")

Item = tuple[str, str, str, int, int]
# The session number of the picture, the area, turns, whether mirrored, blend mode, bump level.
_Key = tuple[int, "Area", int, bool, int, int]


class _CachedPiece(NamedTuple):
    """A piece of a level without references to data-blocks."""

    image: int
    area: Area
    attribute: int
    bump: int


class Palette:
    """What the palette shows, cached until :meth:`forget`."""

    def __init__(self) -> None:
        self._previews: Any = None
        self._names: dict[tuple[Any, ...], str] = {}
        self._pieces: dict[int, list[_CachedPiece]] = {}
        self._listed: tuple[Any, ...] = ()
        self._active: tuple[Any, ...] | None = ()
        self._tiles: list[_Key | None] = [None]
        # Of pictures with unsaved pixels, by session number.
        self._painted: dict[int, str] = {}
        self._looked = 0.0
        # Blender keeps no reference to the texts of items.
        self._items: list[Item] = []

    # Pieces

    def pieces(self, level: Collection | None) -> list[TexturePiece]:
        """Return the pieces that a level uses; none without a level, or if its file is damaged."""
        from ...scene.authoring.texture_tiles import TexturePiece, level_pieces

        if level is None:
            return []
        images = {image.session_uid: image for image in bpy.data.images}
        if level.session_uid not in self._pieces:
            try:
                pieces = level_pieces(level)
            except FormatError:
                pieces = []
            self._pieces[level.session_uid] = [
                _CachedPiece(piece.image.session_uid, *piece[1:]) for piece in pieces
            ]
        cached = self._pieces[level.session_uid]
        return [TexturePiece(images[piece.image], *piece[1:]) for piece in cached if piece.image in images]

    def forget(self) -> None:
        """Read pieces and pictures again when they are shown next."""
        self._names.clear()
        self._pieces.clear()
        self._painted.clear()
        self._listed = ()

    # Pictures

    def _forget_painted(self, active: Tile | None) -> None:
        """Forget pictures of tiles whose pixels were painted since; look twice per second at most."""
        now = monotonic()
        if now < self._looked + _EVERY:
            return
        self._looked = now
        numbers = {key[0] for key in self._tiles if key is not None}
        if active is not None:
            numbers.add(active.image.session_uid)
        images = {image.session_uid: image for image in bpy.data.images if image.session_uid in numbers}
        before, self._painted = self._painted, {}
        for number, image in images.items():
            if image.is_dirty:
                self._painted[number] = self._source().digest_of(image)
        changed = {
            number for number in {*before, *self._painted} if before.get(number) != self._painted.get(number)
        }
        if changed:
            self._names = {key: name for key, name in self._names.items() if key[0] not in changed}
            self._listed, self._active = (), ()

    def items(self, context: Context | None) -> list[Item]:
        """Return the items to choose from; the first one is the active tile."""
        if context is None or context.scene is None:
            return self._items
        settings = context.scene.tomb_raider.texturing
        source = settings.palette
        active = tile_in(settings.tile)
        self._forget_painted(active)
        level = meant_level(context) if source in {"PAGE", "LEVEL"} else None
        stored = {"RECENT": settings.recent, "FAVORITES": settings.favorites}.get(source, ())
        tiles = [tile for tile in map(tile_in, stored) if tile is not None]
        page = (settings.page or settings.tile.image) if source == "PAGE" else None
        number = None if level is None else level.session_uid
        listed = (
            source,
            None if page is None else page.session_uid,
            number,
            len(bpy.data.images),
            tuple(map(_key, tiles)),
        )
        if listed != self._listed:
            if level is not None:
                tiles = [_tile(piece) for piece in self.pieces(level) if page is None or piece.image == page]
            self._list(tiles)
            self._listed = listed
        key = None if active is None else _key(active)
        if key != self._active or not self._items:
            name = translate(_NO_TILE) if active is None else area_text(active.area)
            icon = 0 if active is None else self._icon(self._source(), active)
            self._items = [("ACTIVE", name, "", icon, 0), *self._items[1:]]
            self._active = key
        return self._items

    def choose(self, settings: Any, number: int) -> None:
        """Make one of the last items the active tile."""
        key = self._tiles[number] if 0 <= number < len(self._tiles) else None
        if number == 0 or key is None:
            return
        image = next((image for image in bpy.data.images if image.session_uid == key[0]), None)
        if image is None:
            return
        is_piece = settings.palette in {"PAGE", "LEVEL"}
        was_double_sided = settings.tile.double_sided
        stored = next((tile for tile in (*settings.recent, *settings.favorites) if _is(tile, key)), None)
        store_tile(settings.tile, _of_key(image, key))
        if is_piece or stored is None:
            settings.tile.double_sided = was_double_sided
        else:
            settings.tile.double_sided, settings.tile.animation = stored.double_sided, stored.animation

    def _list(self, tiles: list[Tile]) -> None:
        """List tiles after the active one, which is drawn next."""
        if self._previews is not None and len(self._previews) > _MOST_PICTURES:
            self._free_pictures()
        source = self._source()
        self._tiles = [None, *map(_key, tiles)]
        self._items, self._active = [("ACTIVE", "", "", 0, 0)], ()
        for number, tile in enumerate(tiles, 1):
            text = area_text(tile.area)
            self._items.append((str(number), text, tile.image.name, self._icon(source, tile), number))

    @staticmethod
    def _source() -> TileThumbnails:
        from ...scene.authoring.texture_tiles import TileThumbnails

        return TileThumbnails(_SIZE)

    def _icon(self, source: TileThumbnails, tile: Tile) -> int:
        import bpy.utils.previews

        from ...scene.authoring.texture_tiles import digest
        from ..base.layout.thumbnails import fill_preview

        if self._previews is None:
            self._previews = bpy.utils.previews.new()
        key = _key(tile)[:4]
        if key not in self._names:
            crop = source.crop(tile)
            if crop is None:
                return 0
            name = digest(crop)
            if name not in self._previews:
                fill_preview(self._previews.new(name), source.picture(crop), with_icon=False)
            self._names[key] = name
        return int(self._previews[self._names[key]].icon_id)

    def free(self) -> None:
        """Free all pictures, and forget what is shown."""
        self._free_pictures()
        self.forget()

    def _free_pictures(self) -> None:
        if self._previews is not None:
            import bpy.utils.previews

            bpy.utils.previews.remove(self._previews)
        self._previews = None
        self._names.clear()


palette = Palette()


def area_text(area: Sequence[float]) -> str:
    """Return the size and place of a tile in whole pixels."""
    from ...scene.authoring.texture_tiles import whole_pixels

    left, top, width, height = whole_pixels((area[0], area[1], area[2], area[3]))
    return translate(
        T("{width:.0f} x {height:.0f} at {x:.0f}, {y:.0f}", width=width, height=height, x=left, y=top)
    )


def _key(tile: Tile) -> _Key:
    left, top, width, height = map(float, tile.area)
    area = left, top, width, height
    return tile.image.session_uid, area, tile.turns, tile.is_mirrored, tile.attribute, tile.bump


def _tile(piece: TexturePiece) -> Tile:
    from ...scene.authoring.texture_tiles import Tile

    return Tile(piece.image, piece.area, attribute=piece.attribute, bump=piece.bump)


def _of_key(image: Image, key: _Key) -> Tile:
    from ...scene.authoring.texture_tiles import Tile

    _, area, turns, is_mirrored, attribute, bump = key
    return Tile(image, area, turns, is_mirrored, attribute, bump=bump)


def _is(settings: Any, key: _Key) -> bool:
    tile = tile_in(settings)
    return tile is not None and _key(tile) == key


def _items_of(_scene: Any, context: Context | None) -> list[Item]:
    return palette.items(context)


def _active_item(_scene: Any) -> int:
    return 0


def _choose_item(scene: Any, number: int) -> None:
    palette.choose(scene.tomb_raider.texturing, number)


def register() -> None:
    # The scene has it, not the window manager, since only then choosing is an undo step.
    scenes: Any = bpy.types.Scene
    items: Any = _items_of
    scenes.tomb_raider_palette = EnumProperty(
        name="Tiles",
        translation_context=CONTEXT,
        items=items,
        get=_active_item,
        set=_choose_item,
        options={"SKIP_SAVE"},
        description="Active tile, as shown on faces. Click it to choose another one",
    )


def unregister() -> None:
    scenes: Any = bpy.types.Scene
    del scenes.tomb_raider_palette
    palette.free()
