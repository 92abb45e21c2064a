"""Skins in other levels."""

from __future__ import annotations

from ....formats.base import T
from ....formats.editors.wads import WAD2
from ...core import original
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .skins import SPLIT


def remap_skins(transfer: Transfer) -> None:
    """Warn of skins in a level that is not exported as a WAD2, which they stay in."""
    if not transfer.target.traits.has_wads or original.packed_file(transfer.root, WAD2) is None:
        names = [each.name for each in transfer.objects(Kind.SKIN)]
        text = T("only .wad2 files hold skins, so levels are exported without them: {remedy}", remedy=SPLIT)
        transfer.lose(T("Skins"), names, text)
