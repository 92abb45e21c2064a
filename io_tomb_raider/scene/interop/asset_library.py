"""Asset libraries of whole games: the assets of all levels, duplicates only once.

Each level is imported into an empty file, and its assets are written to a .blend of their own, so there is
only one level in memory. Since Blender writes only what is in memory, a library in one file has the assets of
all levels in memory at the end.
"""

from __future__ import annotations

import gc
from collections.abc import Collection as Some
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import bpy
from bpy.types import Collection, Image, Material

from ...formats import ExportError, FormatError, Game, Level
from ...formats.edits.assets import Contents
from ..assets.assets import KINDS, Asset, assets_of
from ..assets.catalogs import read_catalogs, write_catalogs
from ..assets.marks import mark
from ..assets.previews import draw_previews
from ..core import original
from ..core.membership import members
from ..core.reporting.progress import Listener, finish
from ..core.reporting.report import Report
from ..pipeline.importer import import_level
from ..subjects.level.names import find_names
from ..subjects.rooms.transfer import clear_room_references
from ..subjects.textures.materials import user_image
from ..subjects.textures.pixels import read_pixels
from ..transfer.engine.contents import Piece, pieces_of, read_source

_PIECES = {
    "MODELS": "model",
    "STATIC_MESHES": "static",
    "SPRITES": "sprite",
    "ROOMS": "room",
    "SOUNDS": "sound",
}
_BLEND = ".blend"


class AddedAssets(NamedTuple):
    """The result of adding a level."""

    pieces: int  #: the number of new assets in the library.
    known: int  #: the number of assets that it had already, from other levels.
    warnings: list[str]  #: the warnings of the import.


class GameLibrary:
    """A library under construction."""

    def __init__(self, target: Path, kinds: Some[str] = tuple(KINDS), *, previews: bool = True) -> None:
        """Start a library; the open file is closed.

        Args:
            target: a .blend file for a library in one file; otherwise a folder for one .blend per level.
            kinds: the kinds of assets, from :data:`~..assets.assets.KINDS`.
        """
        self._target, self._kinds, self._previews = target, kinds, previews
        self._is_one = target.suffix.lower() == _BLEND
        self._folder = target.parent if self._is_one else target
        self._titles_by_digest: dict[str, list[str]] = {}
        self._titles: dict[Path, str] = {}
        self._written: set[str] = set()
        self._catalogs: dict[str, str] = {}
        self._parts: list[Path] = []
        self._has_any = False
        _empty()

    # --- Duplicates

    def survey(self, paths: Iterable[Path]) -> None:
        """Note the assets of each level. Unreadable files are skipped, since :meth:`add` reports them."""
        for path in paths:
            try:
                level = read_source(path)
                digests = set(_digests(level, self._kinds).values())
            except (FormatError, ExportError, OSError):
                continue
            self._titles[path] = self._title(path, level.game)
            for digest in digests:
                self._titles_by_digest.setdefault(digest, []).append(self._titles[path])

    def _title(self, path: Path, game: Game) -> str:
        entry = find_names(game, path, "", Report())
        title = (entry.title if entry is not None else "") or path.stem
        used = set(self._titles.values())
        return title if title not in used else f"{title} ({path.stem})"

    # --- Levels

    def add(self, path: Path, listener: Listener | None = None) -> AddedAssets:
        """Add the assets of a level that the library does not have yet.

        Raises:
            FormatError, ExportError: if it is no level, damaged, or has texture pages only.
            OSError: if a file cannot be read or written.
        """
        level = read_source(path)
        if path not in self._titles:
            self.survey([path])
        digests = _digests(level, self._kinds)
        wanted = {piece for piece, digest in digests.items() if digest not in self._written}
        context = import_level(path)
        root = context.root
        pieces, known = self._new(root, wanted, digests)
        if pieces:
            for obj in members(root):
                clear_room_references(obj)  # otherwise assets include other rooms
            self._folder.mkdir(parents=True, exist_ok=True)
            levels = {
                each: self._titles_by_digest.get(digest) or [self._titles[path]]
                for each, digest in pieces.items()
            }
            marked = mark(root, list(pieces), known=read_catalogs(self._folder), levels=levels)
            if self._previews:
                finish(draw_previews(marked.assets), listener)
            self._keep(path, level.game, [each.block for each in marked.assets])
            self._catalogs.update(marked.catalogs)
            self._written |= set(pieces.values())
        warnings = list(context.report.warnings)
        if self._is_one:
            _drop_rest(root)
        else:
            _empty()
        return AddedAssets(len(pieces), known, warnings)

    def _new(
        self, root: Collection, wanted: set[Piece], digests: dict[Piece, str]
    ) -> tuple[dict[Asset, str], int]:
        """Return the new assets of a level with their digests, and the number of known ones."""
        by_number = {(piece.kind, piece.number): piece for piece in digests}
        result: dict[Asset, str] = {}
        seen: set[str] = set()
        count = 0
        for asset in assets_of(root, self._kinds):
            if asset.kind == "MATERIALS":
                digest = _material_digest(asset.block)
                is_new = digest not in self._written
            else:
                piece = by_number.get((_PIECES[asset.kind], asset.number))
                digest = digests.get(piece, "") if piece is not None else ""
                is_new = piece in wanted
            if not digest or digest in seen:
                continue
            seen.add(digest)
            if is_new:
                result[asset] = digest
            else:
                count += 1
        return result, count

    def _keep(self, path: Path, game: Game, blocks: Sequence[Any]) -> None:
        """Write the assets of a level, or note for a library in one file that there are any."""
        if self._is_one:
            self._has_any |= bool(blocks)
            return
        name = f"{game.name} {path.stem}"
        part, number = self._folder / f"{name}{_BLEND}", 2
        while part in self._parts:
            part, number = self._folder / f"{name} {number}{_BLEND}", number + 1
        _write(part, blocks)
        self._parts.append(part)

    # --- Writing

    def finish(self) -> int:
        """Write the catalogs, and the file of a library in one file. Return the number of assets.

        Raises:
            OSError: if a file cannot be read or written.
        """
        if self._has_any:
            _save(self._target)
        self._has_any = False
        if self._catalogs:
            write_catalogs(self._folder, self._catalogs)
        _empty()
        return len(self._written)


def _write(path: Path, blocks: Sequence[Any]) -> None:
    libraries: Any = bpy.data.libraries
    try:
        libraries.write(str(path.absolute()), set(blocks), fake_user=True, compress=True)
    except RuntimeError as error:
        raise OSError(str(error).strip()) from None


def _save(path: Path) -> None:
    """Write the whole open file.

    ``bpy.data.libraries.write`` would copy all data-blocks, which needs half as much memory again for many
    levels.
    """
    try:
        bpy.ops.wm.save_as_mainfile(
            filepath=str(path.absolute()), copy=True, compress=True, check_existing=False
        )
    except RuntimeError as error:
        raise OSError(str(error).strip()) from None


def _digests(level: Level, kinds: Some[str]) -> dict[Piece, str]:
    """Return the digests of a level's assets; damaged ones are left out."""
    included = {_PIECES[kind] for kind in kinds if kind in _PIECES}
    contents = Contents(level)
    result = {}
    for piece in pieces_of(level):
        if piece.kind in included:
            with suppress(FormatError):
                result[piece] = contents.digest(piece.kind, piece.number)
    return result


def _material_digest(material: Any) -> str:
    """Return the digest of a material's image and settings, "" without an image."""
    image = user_image(material) if isinstance(material, Material) else None
    if not isinstance(image, Image):
        return ""
    settings = material.tomb_raider
    values = (settings.kind, settings.attribute, settings.double_sided, settings.bump, settings.animation)
    return sha256(repr(values).encode() + read_pixels(image).tobytes()).hexdigest()


def _drop_rest(root: Collection) -> None:
    """Remove the data-blocks of a level that are no assets and not used by any."""
    original.forget()
    collections = (root, *root.children_recursive)
    bpy.data.batch_remove([each for each in collections if each.asset_data is None])
    for block in bpy.data.user_map():
        if block.use_fake_user and block.asset_data is None:
            block.use_fake_user = False
    bpy.data.orphans_purge(do_local_ids=True, do_linked_ids=True, do_recursive=True)
    for image in bpy.data.images:
        if image.packed_file is not None and not image.is_dirty:
            image.buffers_free()  # otherwise pixels that were read stay in memory
    gc.collect()


def _empty() -> None:
    """Open an empty file, and free the memory of the previous one."""
    original.forget()
    bpy.ops.wm.read_homefile(use_empty=True)
    gc.collect()
