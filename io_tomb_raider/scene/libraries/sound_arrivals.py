"""Sounds that an asset carries, as sounds of the level that it has come to."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection, Object, Sound

from ...catalogue import names
from ...formats import Game
from ..appending.contents import Piece
from ..appending.plan import Numbering
from ..appending.sounds import converted
from ..base.report import Report, first_few
from ..ownership.lent_sounds import has_place, is_in_main_sfx
from ..sounds.samples import MAIN_SFX
from .carried import SOUND_FIELDS, is_carrier

_NAMED = 8  # sounds in one warning
_OF_RANGE = frozenset({"range", "pitch"})  # which TR1 and TR2 do not know


def bring_sounds(root: Collection, thing: Object, numbering: Numbering, report: Report) -> None:
    """Add the sounds that an asset carries to a level that does not have them.

    Args:
        root: the level.
        thing: the object of the asset.
        numbering: gets by which numbers the level has them.
        report: takes those that have no samples.
    """
    target = Game[root.tomb_raider.game]
    source = Game[thing.tomb_raider.game] if is_carrier(thing) else target
    called = names(source)
    silent: list[str] = []
    in_main_sfx, can_hold = is_in_main_sfx(root), has_place(root)
    homeless = 0
    for item in thing.tomb_raider.sounds.details:
        arrivals = [
            arrival
            for each in item.ids
            if (arrival := numbering.arrive(_piece(called.sound(each.number), each.number), is_asked=False))
        ]
        if not arrivals or "SOUNDS" not in root.tomb_raider.imported:
            continue
        if not can_hold:
            homeless += len(arrivals)
            continue
        samples = [slot.sound for slot in item.samples]
        if not samples or None in samples:
            silent += [each.piece.name for each in arrivals]
            continue
        made = root.tomb_raider.sounds.details.add()
        known = [name for name in SOUND_FIELDS if source.traits.has_sound_range or name not in _OF_RANGE]
        values = {name: int(getattr(item, name)) for name in known}
        for name, value in converted(values, source, target).items():
            setattr(made, name, value)
        for arrival in arrivals:
            made.ids.add().number = arrival.number
        for sound in samples:
            made.samples.add().sound = _own(sound, in_main_sfx=in_main_sfx)
    if homeless:
        text = f"choose the level's {MAIN_SFX} in its settings first, to which they are added"
        report.warn("Sounds", f"{homeless} are not brought: {text}")
    if silent:
        text = "these do not come along, as their samples are not there"
        report.warn("Sounds", f"{text}: {first_few(silent, _NAMED)}")


def _piece(name: str, number: int) -> Piece:
    return Piece("sound", number, name)


def _own(sound: Sound, *, in_main_sfx: bool) -> Sound:
    """Return a sample as one of the user's own, unless the level knows it as one of MAIN.SFX."""
    settings = sound.tomb_raider
    if settings.kind == "NONE" or (settings.kind == "MAIN_SFX" and in_main_sfx):
        return sound
    made: Any = sound if sound.is_editable else sound.copy()
    made.tomb_raider.kind, made.tomb_raider.number = "NONE", -1
    return made
