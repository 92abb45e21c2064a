"""Transfer of fixed and flyby cameras."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from bpy.types import Object

from ....formats.base import T
from ....formats.edits.convert import camera_flags, flyby_flags
from ...core.membership import is_for_trx, members
from ...core.subjects import Kind
from ...core.transfer import Transfer

_REFERENCES = ("cut_to", "tracks", "preview")


def remap_cameras(transfer: Transfer) -> None:
    """Remap the flags of cameras, and discard unsupported flyby cameras."""
    source, target = transfer.source, transfer.target
    flybys = transfer.objects(Kind.FLYBY)
    if flybys and not (target.traits.has_flybys or is_for_trx(transfer.root)):
        text = T("{count} are left out: this game has no flyby cameras", count=len(flybys))
        transfer.report.warn(T("Flyby Cameras"), text)
        transfer.discard(flybys)
        flybys = []
    _renumber_sequences(transfer, flybys)
    changed: list[str] = []
    for obj in flybys:
        settings = obj.tomb_raider.flyby
        for name in _REFERENCES:
            if getattr(settings, name) is not None and not transfer.has(getattr(settings, name)):
                setattr(settings, name, None)
        flags = flyby_flags(int(settings.flags), source, target)
        if flags != settings.flags:
            settings.flags = flags
            changed.append(obj.name)
    text = T("some of their flags have another meaning in this game, and are cleared")
    transfer.lose(T("Flyby Cameras"), changed, text)
    for obj in transfer.objects(Kind.CAMERA) if transfer.is_foreign else ():
        obj.tomb_raider.camera.flags = camera_flags(int(obj.tomb_raider.camera.flags), target)


def _renumber_sequences(transfer: Transfer, flybys: Sequence[Object]) -> None:
    """Give sequences of another level free numbers: a flight would go on with the cameras of another one."""
    moved = set(transfer.moved or ())
    others = (obj for obj in members(transfer.root) if obj not in moved)
    used = {obj.tomb_raider.flyby.sequence for obj in others if obj.tomb_raider.kind == Kind.FLYBY}
    moved_sequences = {obj.tomb_raider.flyby.sequence for obj in flybys}
    if not moved or not used & moved_sequences:
        return
    free = (number for number in count() if number not in used | moved_sequences)
    numbers = {sequence: next(free) for sequence in sorted(used & moved_sequences)}
    for obj in flybys:
        settings = obj.tomb_raider.flyby
        settings.sequence = numbers.get(settings.sequence, settings.sequence)
    for old, new in numbers.items():
        text = T("the level has a sequence {old}, so it is sequence {new} here", old=old, new=new)
        transfer.report.warn(T("Flyby Cameras"), text)
