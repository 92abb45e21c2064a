"""Copies of sounds of another level of the scene, or of an asset of another file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Collection, Object, Sound

from ....catalogue import names
from ....formats import Game
from ....formats.base import T
from ...core.reporting.report import Report, first_few
from ...subjects.sounds.of_models import content_of
from ...subjects.sounds.samples import MAIN_SFX
from ...subjects.sounds.transfer import values_of
from ..engine.contents import Piece
from ..engine.plan import Numbering, PlannedImport, numbering_of
from ..engine.sounds import add_sound, has_place, is_in_main_sfx

_NAMED = 8  # sounds in one warning


def copy_sounds(
    root: Collection, source: Collection, numbers: Iterable[int], report: Report
) -> dict[int, int | None]:
    """Copy sounds of another level to a level.

    Returns:
        The numbers in the level by those in the other level.
    """
    if "SOUNDS" not in source.tomb_raider.imported:
        return {}
    game = Game[source.tomb_raider.game]
    numbering = numbering_of(root, game, report)
    item_of = {each.number: item for item in source.tomb_raider.sounds.details for each in item.ids}
    selected = sorted(set(numbers))
    for number in selected:
        if number not in item_of:
            numbering.plan(_piece(game, number), is_asked=False)
    items = [(each, item_of[each]) for each in selected if each in item_of]
    _add_sounds(root, game, items, numbering, report, is_kept=True)
    return dict(numbering.numbers["sound"]) if "SOUNDS" in root.tomb_raider.imported else {}


def import_payload_sounds(
    root: Collection, obj: Object, source: Game, numbering: Numbering, report: Report
) -> None:
    """Add the sounds in the payload of an asset to a level that does not have them.

    Args:
        numbering: receives the numbers in the level.
    """
    items = [(each.number, item) for item in obj.tomb_raider.sounds.details for each in item.ids]
    _add_sounds(root, source, items, numbering, report, is_kept=False)


def _piece(game: Game, number: int) -> Piece:
    return Piece("sound", number, names(game).sound(number))


def _add_sounds(
    root: Collection,
    source: Game,
    items: Iterable[tuple[int, Any]],
    numbering: Numbering,
    report: Report,
    *,
    is_kept: bool,
) -> None:
    """Add sounds to a level, each once under all of its numbers.

    Args:
        items: their numbers in the source, and their entries.
        is_kept: whether another level keeps the samples, so that they are copied.
    """
    groups: dict[Any, tuple[Any, list[PlannedImport]]] = {}
    for number, item in items:
        plan = numbering.plan(_piece(source, number), is_asked=False)
        if plan is not None and "SOUNDS" in root.tomb_raider.imported:
            groups.setdefault(content_of(item), (item, []))[1].append(plan)
    silent: list[str] = []
    can_hold = has_place(root)
    claim = _SampleClaims(is_in_main_sfx(root), is_kept=is_kept).claimed
    for item, group in groups.values():
        samples = [slot.sound for slot in item.samples]
        if can_hold and samples and None not in samples:
            add_sound(root, values_of(item, source), source, group, map(claim, samples))
        else:
            silent += [each.piece.name for each in group]
    if silent:
        no_main_sfx = T("before {main_sfx} is chosen in the level's settings", main_sfx=MAIN_SFX)
        why = T("because their samples are missing") if can_hold else no_main_sfx
        report.warn(
            T("Sounds"), T("these are not copied, {why}: {silent}", why=why, silent=first_few(silent, _NAMED))
        )


class _SampleClaims:
    """Claims of samples for a level."""

    def __init__(self, in_main_sfx: bool, *, is_kept: bool) -> None:
        """Start without samples.

        Args:
            in_main_sfx: whether the samples of the level are in MAIN.SFX.
            is_kept: whether another level keeps the samples, so that they are copied.
        """
        self._in_main_sfx, self._is_kept = in_main_sfx, is_kept
        self._by_source: dict[Sound, Sound] = {}

    def claimed(self, sound: Sound) -> Sound:
        """Return a sample, or its copy, as a user sample or as one of MAIN.SFX."""
        if sound not in self._by_source:
            self._by_source[sound] = own_copy(sound) if self._is_kept else self._own_sound(sound)
        return self._by_source[sound]

    def _own_sound(self, sound: Sound) -> Sound:
        result: Any = sound if sound.is_editable else sound.copy()
        settings = result.tomb_raider
        if settings.kind != "NONE" and not (settings.kind == "MAIN_SFX" and self._in_main_sfx):
            settings.kind, settings.number = "NONE", -1
        return result


def own_copy(sound: Sound) -> Sound:
    """Return a copy of a sample that is in no level; samples in MAIN.SFX keep their number."""
    result: Any = sound.copy()
    result.name = sound.name
    if result.tomb_raider.kind == "SAMPLE":
        result.tomb_raider.kind, result.tomb_raider.number = "NONE", -1
    return result
