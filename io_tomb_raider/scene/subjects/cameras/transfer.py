"""Transfer of fixed and flyby cameras."""

from __future__ import annotations

from ....formats.base.messages import T
from ....formats.converting.flags import camera_flags, flyby_flags
from ...core.members import is_for_trx
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
    other: list[str] = []
    for obj in flybys:
        settings = obj.tomb_raider.flyby
        for name in _REFERENCES:
            if getattr(settings, name) is not None and not transfer.has(getattr(settings, name)):
                setattr(settings, name, None)
        flags = flyby_flags(int(settings.flags), source, target)
        if flags != settings.flags:
            settings.flags = flags
            other.append(obj.name)
    text = T("some of their flags have another meaning in this game, and are cleared")
    transfer.lose(T("Flyby Cameras"), other, text)
    for obj in transfer.objects(Kind.CAMERA) if transfer.is_foreign else ():
        obj.tomb_raider.camera.flags = camera_flags(int(obj.tomb_raider.camera.flags), target)
