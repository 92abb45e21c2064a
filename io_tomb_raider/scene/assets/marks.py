"""Marking objects of a level as assets, with tags, catalogs and previews, and clearing the marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from bpy.types import ID, Collection, Object, Speaker

from ...formats import Game
from ..core.membership import is_local
from ..properties.base.kinds import GAMES
from .assets import KINDS, Asset, assets_of, marked_blocks
from .catalogs import catalog_id, catalog_path
from .payload import clear, is_carrier, make_speaker, pack, remove_speakers, speakers_of

_GAME_NAMES = {name: label for name, label, _, _ in GAMES}


class Marked(NamedTuple):
    """The result of marking."""

    assets: list[Asset]  #: the assets, with their data-blocks.
    catalogs: dict[str, str]  #: the UUIDs of their catalogs by path.


def mark(
    root: Collection,
    assets: Sequence[Asset],
    *,
    known: Mapping[str, str] | None = None,
    levels: Mapping[Asset, Sequence[str]] | None = None,
    previews: bool = True,
) -> Marked:
    """Mark objects of a level as Blender assets.

    Args:
        known: the UUIDs of existing catalogs of the library by path.
        levels: the titles of the levels with an asset, if it is not only this level.
    """
    marked: list[Asset] = []
    catalogs: dict[str, str] = {}
    for asset in assets:
        titles = (levels or {}).get(asset) or [title_of(root)]
        ready = _with_block(root, asset)
        if ready.block is None or not is_local(ready.block):
            continue
        if ready.obj is not None and ready.kind != "SOUNDS":
            pack(root, ready.obj)
        path = catalog_of(root, ready.kind, titles)
        catalogs[path] = (known or {}).get(path) or catalog_id(path)
        _describe(root, ready, titles, catalogs[path])
        marked.append(ready)
    return Marked(marked, catalogs)


def title_of(root: Collection) -> str:
    """Return the name of a level in catalogs."""
    return str(root.tomb_raider.title or root.name)


def catalog_of(root: Collection, kind: str, levels: Sequence[str]) -> str:
    """Return the catalog path of an asset: game, kind, and level if only one has it."""
    return catalog_path(_game_name(root), KINDS[kind][1], levels[0] if len(levels) == 1 else "")


def _game_name(root: Collection) -> str:
    return _GAME_NAMES[Game[root.tomb_raider.game].name]


def _with_block(root: Collection, asset: Asset) -> Asset:
    """Return an asset with its data-block: a sound gets a new speaker."""
    if asset.kind != "SOUNDS":
        return asset
    if isinstance(asset.obj, Object):
        remove_speakers([asset.obj])  # its sound may have changed
    speaker = make_speaker(root, asset.number)
    return asset._replace(block=speaker, obj=speaker)


def _describe(root: Collection, asset: Asset, levels: Sequence[str], catalog: str) -> None:
    block = asset.block
    block.asset_mark()
    data = block.asset_data
    data.catalog_id = catalog
    number = f" {asset.number}" if asset.number >= 0 else ""
    where = levels[0] if len(levels) == 1 else f"{len(levels)} levels"
    data.description = f"{asset.name}: {KINDS[asset.kind][0].lower()}{number} of {_game_name(root)}, {where}"
    for tag in list(data.tags):
        data.tags.remove(tag)
    for name in (root.tomb_raider.game, KINDS[asset.kind][0], *levels):
        data.tags.new(name, skip_if_exists=True)


def unmark(root: Collection, kinds: Iterable[str], chosen: Iterable[Object] | None = None) -> int:
    """Clear the marks of assets of a level and their additional data. Return the number of marks.

    Args:
        kinds: some of :data:`~.assets.KINDS`.
        chosen: objects of the level, to limit this to assets that they are or use.
    """
    pieces = assets_of(root, set(kinds), chosen)
    blocks = {each.block for each in pieces}
    if chosen is None and "SOUNDS" in set(kinds):
        blocks |= set(speakers_of(root))  # also of sounds that the level no longer has
    marked: list[ID] = [each for each in marked_blocks(root) if each in blocks]
    for piece in pieces:
        if is_carrier(piece.obj) and piece.obj is not None:
            clear(piece.obj)
    speakers = [each for each in marked if isinstance(each, Object) and isinstance(each.data, Speaker)]
    for block in marked:
        block.asset_clear()
    remove_speakers(speakers)
    return len(marked)
