"""Transfer of the cinematic camera of a cutscene level."""

from __future__ import annotations

from ....formats.base import T
from ...core.membership import members
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .cinematics import is_on_stage


def remap_cinematics(transfer: Transfer) -> None:
    """Discard an unsupported cinematic camera."""
    stage = transfer.objects(Kind.CINEMATIC, Kind.CINEMATIC_TARGET)
    if transfer.target.traits.has_cinematics or not stage:
        return
    origins = {obj.parent for obj in stage if obj.parent is not None}
    transfer.discard(each for each in members(transfer.root) if is_on_stage(each))
    transfer.discard(each for each in origins if each.tomb_raider.kind == Kind.NONE)
    text = T("{count} are left out: this game has no cutscene levels", count=len(stage))
    transfer.report.warn(T("Cinematic Frames"), text)
    transfer.discard(stage)
