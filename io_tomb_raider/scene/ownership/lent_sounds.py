"""Sounds of one level of the scene for another: how they are played, and copies of their samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Collection, Sound

from ...catalogue import names
from ...formats import Game
from ...formats.sounds.samples import Home, home_of
from ..appending.contents import Piece
from ..appending.plan import SKIP, Arrival, Numbering, most_sounds, taken_ids
from ..appending.sounds import converted
from ..base import original
from ..base.report import Report, first_few
from ..sounds.samples import MAIN_SFX

_NAMED = 8  # sounds in one warning
_FIELDS = ("volume", "chance", "range", "pitch", "flags")


def lend_sounds(
    root: Collection, source: Collection, numbers: Iterable[int], report: Report
) -> dict[int, int]:
    """Let a level have sounds of another one, which keeps them.

    Args:
        root: the level.
        source: the other one.
        numbers: by which the other one knows them.
        report: takes which cannot come, and which the game calls by another number.

    Returns:
        For each the number by which the level knows it.
    """
    if not {"SOUNDS"} <= (root.tomb_raider.imported & source.tomb_raider.imported):
        return {}
    game, target = Game[source.tomb_raider.game], Game[root.tomb_raider.game]
    called = names(game)
    numbering = Numbering(game, target, taken_ids(root), SKIP, most_sounds(root), report)
    there = {each.number: place for place, item in enumerate(_details(source)) for each in item.ids}
    groups: dict[int, list[Arrival]] = {}
    for number in sorted(set(numbers)):
        arrival = numbering.arrive(Piece("sound", number, called.sound(number)), is_asked=False)
        if arrival is not None and number in there:
            groups.setdefault(there[number], []).append(arrival)
    can_hold = has_place(root)
    copies: dict[Sound, Sound] = {}
    silent: list[str] = []
    for place, group in groups.items():
        item = _details(source)[place]
        if can_hold and all(slot.sound is not None for slot in item.samples):
            _add(root, item, group, copies, game, target)
        else:
            silent += [each.piece.name for each in group]
    if silent:
        chosen = f"before {MAIN_SFX} is chosen in the level's settings"
        why = "as their samples are not there" if can_hold else chosen
        report.warn("Sounds", f"these do not come along, {why}: {first_few(silent, _NAMED)}")
    return dict(numbering.numbers["sound"])


def _details(root: Collection) -> Any:
    return root.tomb_raider.sounds.details


def is_in_main_sfx(root: Collection) -> bool:
    """Tell whether the samples of a level stand in MAIN.SFX, as in TR2 and TR3."""
    decoded = original.load(root)
    return decoded is not None and home_of(decoded.level) is Home.MAIN_SFX


def has_place(root: Collection) -> bool:
    """Tell whether a level has a place for new samples: that of TR2 and TR3 is MAIN.SFX."""
    return not is_in_main_sfx(root) or root.tomb_raider.sounds.main_sfx_count >= 0


def _add(
    root: Collection, before: Any, group: list[Arrival], copies: dict[Sound, Sound], game: Game, target: Game
) -> None:
    """Add one sound, by all numbers that it gets."""
    item = _details(root).add()
    values = {name: getattr(before, name) for name in _FIELDS}
    if not game.traits.has_sound_range:
        del values["range"]
    for name, value in converted(values, game, target).items():
        setattr(item, name, value)
    for each in group:
        item.ids.add().number = each.number
    for slot in before.samples:
        item.samples.add().sound = _copy(slot.sound, copies)


def _copy(sound: Sound, copies: dict[Sound, Sound]) -> Sound:
    if sound not in copies:
        copies[sound] = own_copy(sound)
    return copies[sound]


def own_copy(sound: Sound) -> Sound:
    """Return a copy of a sound that stands in no level yet; what is in MAIN.SFX may be in both."""
    made: Any = sound.copy()
    made.name = sound.name
    if made.tomb_raider.kind == "SAMPLE":
        made.tomb_raider.kind, made.tomb_raider.number = "NONE", -1
    return made
