"""Transfer of the objects that scripts place."""

from __future__ import annotations

from ....formats.base import T
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .script import COMMANDS, script_kinds


def remap_script_objects(transfer: Transfer) -> None:
    """Discard what the scripts of the target game do not place, and forget the source's script."""
    supported = script_kinds(transfer.target)
    unsupported = [obj for kind in COMMANDS if kind not in supported for obj in transfer.objects(kind)]
    transfer.lose(
        T("Script"), [obj.name for obj in unsupported], T("scripts of this game place none of these")
    )
    transfer.discard(unsupported)
    for kind in (Kind.MIRROR, Kind.LOAD_CAMERA):
        for obj in transfer.objects(kind):
            room = obj.tomb_raider.script.room
            if room is not None and not transfer.has(room):
                obj.tomb_raider.script.room = None
    if transfer.moved is None:
        settings = transfer.root.tomb_raider
        settings.script = settings.slot_names = settings.gameflow.path = settings.gameflow.dropping = ""
        settings.gameflow.relations = ""
        settings.has_trng = False
        for obj in transfer.objects(Kind.ENTITY):
            obj.tomb_raider.entity.drop_number = -1
