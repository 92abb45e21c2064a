"""Replacement of Lara's outfit: the meshes of all models that show her."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bpy.types import Collection, Object

from ....catalogue import BODY, names, outfit
from ....formats import ExportError, Game
from ....formats.base import T
from ...core.report import Report, first_few
from ...subjects.models.lara import merged_models
from .replace import models_of, put_meshes

_NAMED = 6


def outfit_pairs(root: Collection, source: Game, others: Iterable[int]) -> dict[str, tuple[int, int]]:
    """Return the models of the parts of Lara's outfit that two levels have, those of the other level first.

    Args:
        root: the level.
        source: the game of the other level.
        others: the models of the other level.
    """
    ours, theirs = outfit(Game[root.tomb_raider.game], set(models_of(root))), outfit(source, set(others))
    return {part: (theirs[part], number) for part, number in ours.items() if part in theirs}


def replace_outfit(
    root: Collection, source: Game, others: Mapping[int, Object], report: Report
) -> list[Object]:
    """Replace Lara's body, joints, hair, holsters and hands by those of another level; keep all skeletons.

    Args:
        root: the level.
        source: the game of the other level.
        others: the armatures of the models of the other level by id.
        report: receives warnings about parts that only one level has.

    Returns:
        The objects with other meshes.

    Raises:
        ExportError: one of the levels has no Lara.
    """
    game, own = Game[root.tomb_raider.game], models_of(root)
    ours, theirs = outfit(game, set(own)), outfit(source, set(others))
    for parts, text in ((ours, T("the level has no Lara")), (theirs, T("the other level has no Lara"))):
        if BODY not in parts:
            raise ExportError(root.name, text)
    changed: list[Object] = []
    for other, number in outfit_pairs(root, source, others).values():
        changed += put_meshes(own[number], others[other], report)
    kept = [names(game).model(number) for part, number in ours.items() if part not in theirs]
    if kept:
        text = T("the other outfit lacks these parts, so they keep their look")
        report.warn(T("Lara"), T("{text}: {kept}", text=text, kept=first_few(kept, _NAMED)))
    merged = merged_models(source, game)
    left = [
        names(source).model(number)
        for part, number in theirs.items()
        if part not in ours and number not in merged
    ]
    if left:
        report.warn(
            T("Lara"),
            T("the level lacks these models, so they are not replaced: {left}", left=first_few(left, _NAMED)),
        )
    return changed
