"""Transfer of portals."""

from __future__ import annotations

from ....formats.base import T
from ...core.subjects import Kind
from ...core.transfer import Transfer


def remap_portals(transfer: Transfer) -> None:
    """Discard portals whose adjoining room is not in the level."""
    lost = [obj for obj in transfer.objects(Kind.PORTAL) if not transfer.has(obj.tomb_raider.portal.room)]
    transfer.lose(T("Portals"), [obj.name for obj in lost], T("they have no adjoining room"))
    transfer.discard(lost)
