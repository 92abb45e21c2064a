"""Previews that are drawn between events, one at a time, so that the window shows progress and takes Esc.

Only session numbers are kept from one to the next, since undo in another window may replace data-blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bpy.types import Collection

from ...scene.core import levels

if TYPE_CHECKING:
    from ...scene.assets import Asset


class _Waiting(NamedTuple):
    kind: str
    block: int
    name: str


class Previews:
    """The previews of marked assets that are still to be drawn."""

    def __init__(self, root: Collection, assets: Sequence[Asset]) -> None:
        self._root = root.session_uid
        self._waiting = [
            _Waiting(asset.kind, asset.block.session_uid, asset.name)
            for asset in assets
            if asset.block is not None
        ]
        self.count = len(self._waiting)  #: the number of all assets.

    @property
    def remaining(self) -> int:
        """The number of assets whose preview is not drawn yet."""
        return len(self._waiting)

    @property
    def next_name(self) -> str:
        """The name of the next asset, "" after the last one."""
        return self._waiting[0].name if self._waiting else ""

    def draw_next(self) -> None:
        """Draw the next preview. An asset that is no longer in the file is skipped."""
        from ...scene.assets import assets_of, draw_previews

        kind, block, _ = self._waiting.pop(0)
        for root in levels():
            if root.session_uid == self._root:
                assets = assets_of(root, {kind})
                draw_previews(
                    asset for asset in assets if asset.block is not None and asset.block.session_uid == block
                )
