"""A library of a whole game: the pieces of all its levels, and what several levels have alike only once.

Levels are done one after the other, each in an empty file whose pieces go to a .blend of their own. So there
is never more than one level in memory, however many there are. Blender writes no file but from memory,
though: for a library in one piece, the pieces of all levels are there at the end.
"""

from __future__ import annotations

import gc
from collections.abc import Collection as Some
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import bpy
from bpy.types import Collection, Image, Material

from ...formats import ExportError, FormatError, Game, Level
from ...formats.libraries.content import Contents
from ..assets.assets import KINDS, Asset, assets_of
from ..assets.catalogs import read_catalogs, write_catalogs
from ..assets.marks import mark
from ..core import original
from ..core.members import members
from ..core.progress import Listener
from ..core.report import Report
from ..core.subjects import Kind
from ..pipeline.importer import import_level
from ..subjects.level.names import find_names
from ..subjects.textures.materials import user_image
from ..subjects.textures.pixels import read_pixels
from ..transfer.engine.contents import Entry, pieces_of, read_source

_PIECES = {
    "MODELS": "model",
    "STATIC_MESHES": "static",
    "SPRITES": "sprite",
    "ROOMS": "room",
    "SOUNDS": "sound",
}
_BLEND = ".blend"


class AddedAssets(NamedTuple):
    """What came of a level.

    Attributes:
        pieces: how many are in the library for the first time.
        known: how many are there already, from other levels.
        warnings: what there was to tell of the level.
    """

    pieces: int
    known: int
    warnings: list[str]


class GameLibrary:
    """A library in the making."""

    def __init__(self, target: Path, kinds: Some[str] = tuple(KINDS), *, previews: bool = True) -> None:
        """Begin a library; the open file is lost.

        Args:
            target: a file that ends in .blend, for a library in one piece; else a folder, which gets a
                .blend of each level.
            kinds: which of :data:`~..assets.assets.KINDS` it has.
            previews: whether to draw them.
        """
        self._target, self._kinds, self._previews = target, kinds, previews
        self._is_one = target.suffix.lower() == _BLEND
        self._folder = target.parent if self._is_one else target
        self._homes: dict[str, list[str]] = {}
        self._titles: dict[Path, str] = {}
        self._written: set[str] = set()
        self._catalogs: dict[str, str] = {}
        self._parts: list[Path] = []
        self._has_any = False
        _empty()

    # --- What is alike

    def survey(self, paths: Iterable[Path]) -> None:
        """Note which levels have which pieces. Files that cannot be read are left for :meth:`add` to tell."""
        for path in paths:
            try:
                level = read_source(path)
                found = set(_digests(level, self._kinds).values())
            except (FormatError, ExportError, OSError):
                continue
            self._titles[path] = self._title(path, level.game)
            for digest in found:
                self._homes.setdefault(digest, []).append(self._titles[path])

    def _title(self, path: Path, game: Game) -> str:
        found = find_names(game, path, "", Report())
        title = (found.title if found is not None else "") or path.stem
        taken = set(self._titles.values())
        return title if title not in taken else f"{title} ({path.stem})"

    # --- Level by level

    def add(self, path: Path, listener: Listener | None = None) -> AddedAssets:
        """Add the pieces of a level that the library does not have.

        Args:
            path: the level.
            listener: is told of every picture that is drawn.

        Raises:
            FormatError, ExportError: where it is no level, damaged, or holds texture pages only.
            OSError: where a file cannot be read or written.
        """
        level = read_source(path)
        if path not in self._titles:
            self.survey([path])
        digests = _digests(level, self._kinds)
        wanted = {piece for piece, digest in digests.items() if digest not in self._written}
        context = import_level(path)
        root = context.root
        pieces, seen = self._new(root, wanted, digests)
        if pieces:
            _cut_loose(root)
            self._folder.mkdir(parents=True, exist_ok=True)
            levels = {
                each: self._homes.get(digest) or [self._titles[path]] for each, digest in pieces.items()
            }
            made = mark(
                root,
                list(pieces),
                known=read_catalogs(self._folder),
                levels=levels,
                previews=self._previews,
                listener=listener,
            )
            self._keep(path, level.game, [each.block for each in made.assets])
            self._catalogs.update(made.catalogs)
            self._written |= set(pieces.values())
        warnings = list(context.report.warnings)
        if self._is_one:
            _drop_rest(root)
        else:
            _empty()
        return AddedAssets(len(pieces), seen, warnings)

    def _new(
        self, root: Collection, wanted: set[Entry], digests: dict[Entry, str]
    ) -> tuple[dict[Asset, str], int]:
        """Return the new pieces of a level with their digests, and how many the library has already."""
        by_number = {(piece.kind, piece.number): piece for piece in digests}
        found: dict[Asset, str] = {}
        taken: set[str] = set()
        count = 0
        for asset in assets_of(root, self._kinds):
            if asset.kind == "MATERIALS":
                digest = _material_digest(asset.block)
                is_new = digest not in self._written
            else:
                piece = by_number.get((_PIECES[asset.kind], asset.number))
                digest = digests.get(piece, "") if piece is not None else ""
                is_new = piece in wanted
            if not digest or digest in taken:
                continue
            taken.add(digest)
            if is_new:
                found[asset] = digest
            else:
                count += 1
        return found, count

    def _keep(self, path: Path, game: Game, blocks: Sequence[Any]) -> None:
        """Write the pieces of a level, or note that there are any for the one file."""
        if self._is_one:
            self._has_any |= bool(blocks)
            return
        name = f"{game.name} {path.stem}"
        part, number = self._folder / f"{name}{_BLEND}", 2
        while part in self._parts:
            part, number = self._folder / f"{name} {number}{_BLEND}", number + 1
        _write(part, blocks)
        self._parts.append(part)

    # --- The end

    def finish(self) -> int:
        """Write the catalogs, and the file where there is to be one; return how many pieces there are.

        Raises:
            OSError: where a file cannot be read or written.
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
    """Write all that is there to a file.

    Blender copies whatever it writes as a library, which for many levels takes half as much memory again. It
    saves the open file as it is, for which it has an operator only.
    """
    try:
        bpy.ops.wm.save_as_mainfile(
            filepath=str(path.absolute()), copy=True, compress=True, check_existing=False
        )
    except RuntimeError as error:
        raise OSError(str(error).strip()) from None


def _digests(level: Level, kinds: Some[str]) -> dict[Entry, str]:
    """Return the digests of the pieces of a level; what is damaged has none, and stays out."""
    wanted = {_PIECES[kind] for kind in kinds if kind in _PIECES}
    return dict(_each_digest(level, wanted))


def _each_digest(level: Level, wanted: set[str]) -> Iterator[tuple[Entry, str]]:
    contents = Contents(level)
    for piece in pieces_of(level):
        if piece.kind in wanted:
            with suppress(FormatError):
                yield piece, contents.digest(piece.kind, piece.number)


def _material_digest(material: Any) -> str:
    """Return what tells whether materials of two levels look alike and mean the same."""
    image = user_image(material) if isinstance(material, Material) else None
    if not isinstance(image, Image):
        return ""
    settings = material.tomb_raider
    about = (settings.kind, settings.attribute, settings.double_sided, settings.bump, settings.animation)
    return sha256(repr(about).encode() + read_pixels(image).tobytes()).hexdigest()


def _cut_loose(root: Collection) -> None:
    """Let no room of an imported level lead to another one, which would come with it."""
    for obj in members(root):
        settings = obj.tomb_raider
        if settings.kind == Kind.ROOM:
            settings.room.alternate_room = None
        elif settings.kind == Kind.COLLISION:
            for entry in settings.collision.rooms:
                entry.room = None


def _drop_rest(root: Collection) -> None:
    """Drop what of a level is no asset, and nothing that one needs."""
    original.forget()
    homes = (root, *root.children_recursive)
    bpy.data.batch_remove([each for each in homes if each.asset_data is None])
    for block in bpy.data.user_map():
        if block.use_fake_user and block.asset_data is None:
            block.use_fake_user = False
    bpy.data.orphans_purge(do_local_ids=True, do_linked_ids=True, do_recursive=True)
    for image in bpy.data.images:
        if image.packed_file is not None and not image.is_dirty:
            image.buffers_free()  # what was looked at stays in memory otherwise
    gc.collect()


def _empty() -> None:
    """Begin an empty file, and hold nothing of the one before."""
    original.forget()
    bpy.ops.wm.read_homefile(use_empty=True)
    gc.collect()
