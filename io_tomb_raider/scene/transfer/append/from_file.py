"""Replacement of a model, its meshes or its animations by those of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from bpy.types import Collection, Object

from ....catalogue import BODY, names, outfit
from ....formats import ExportError, Game, Level
from ....formats.base import T
from ...core.blender.cleanup import undone_on_failure
from ...core.membership import Places
from ...core.reporting.progress import Listener
from ...core.reporting.report import Report, first_few
from ...core.subjects import Kind
from ...subjects.models.lara import merged_models
from ...subjects.models.models import own_collection
from ...subjects.models.transfer import delete_models
from ..adoption.adoption import adopt
from ..engine import move
from ..engine.choice import PieceSelection, chosen
from ..engine.contents import pieces_of
from ..engine.plan import TEMPORARY
from .appending import append
from .blend import read_any
from .replace import ALL, ANIMATIONS, models_of, put_meshes, replace_model

_NAMED = 6


def outfit_pairs(root: Collection, source: Game, others: Iterable[int]) -> dict[str, tuple[int, int]]:
    """Return the models of the parts of Lara's outfit that two levels have, the other level's first."""
    ours, theirs = outfit(Game[root.tomb_raider.game], set(models_of(root))), outfit(source, set(others))
    return {part: (theirs[part], number) for part, number in ours.items() if part in theirs}


def replace_outfit(
    root: Collection, source: Game, others: Mapping[int, Object], report: Report
) -> list[Object]:
    """Replace Lara's body, joints, hair, holsters and hands by those of another level; keep all skeletons.

    Args:
        others: the armatures of the models of the other level by id.

    Returns:
        The objects with other meshes.

    Raises:
        ExportError: one of the levels has no Lara.
    """
    game, models = Game[root.tomb_raider.game], models_of(root)
    ours, theirs = outfit(game, set(models)), outfit(source, set(others))
    for parts, text in ((ours, T("the level has no Lara")), (theirs, T("the other level has no Lara"))):
        if BODY not in parts:
            raise ExportError(root.name, text)
    changed: list[Object] = []
    for other, number in outfit_pairs(root, source, others).values():
        changed += put_meshes(models[number], others[other], report)
    kept = [names(game).model(number) for part, number in ours.items() if part not in theirs]
    if kept:
        text = T("the other outfit lacks these parts, so they keep their look")
        report.warn(T("Lara"), T("{text}: {kept}", text=text, kept=first_few(kept, _NAMED)))
    merged = merged_models(source, game)
    missing = [
        names(source).model(number)
        for part, number in theirs.items()
        if part not in ours and number not in merged
    ]
    if missing:
        report.warn(
            T("Lara"),
            T(
                "the level lacks these models, so they are not replaced: {left}",
                left=first_few(missing, _NAMED),
            ),
        )
    return changed


OUTFIT = "OUTFIT"


class Replaced(NamedTuple):
    """The result of a replacement."""

    objects: list[Object]  #: the new armature, or the parts of Lara with other meshes.
    report: Report  #: the warnings.


def replace_from_file(
    root: Collection,
    old: Object | None,
    path: Path,
    model: str,
    part: str,
    *,
    game_folder: Callable[[Game], Path | None] | None = None,
    listener: Listener | None = None,
) -> Replaced:
    """Replace a model of a level, or Lara's outfit, by that of a file.

    Args:
        old: the armature of the model to replace; None for OUTFIT.
        model: the name or number of the model in the file; "" for the model with the same name.
        part: ALL, MESHES, ANIMATIONS or OUTFIT.
        game_folder: returns the folder of an installed game, for the sounds of TR2 and TR3.

    Raises:
        ExportError: not exactly one model matches, or the level was imported without models.
        FormatError: the file is of another format, or damaged. The scene is unchanged then.
        OSError: the file cannot be read.
    """
    source = read_any(path, report := Report())
    level = source.level
    if old is None or part == OUTFIT:
        numbers = _outfit_of(level, path)
        fits = dict(outfit_pairs(root, level.game, numbers).values())
    else:
        numbers = [_selected_id(root, level, old, model)]
        fits = {numbers[0]: int(old.tomb_raider.model.id)}
    is_animated = part in (ALL, ANIMATIONS)
    with undone_on_failure():
        appended = append(
            root,
            path,
            PieceSelection(models=",".join(map(str, numbers))),
            source=source,
            on_conflict=TEMPORARY,
            companions=is_animated,
            motions=is_animated,
            fits=fits,
            game_folder=game_folder,
            listener=listener,
        )
        report.warn_again(appended.report)
        if old is None or part == OUTFIT:
            armatures = sorted(appended.objects, key=lambda each: int(each.tomb_raider.model.id))
            others = dict(zip(numbers, armatures, strict=True))
            objects = replace_outfit(root, level.game, others, report)
        elif part == ALL:
            new, number = own_collection(appended.objects[0]), int(old.tomb_raider.model.id)
            return Replaced([move.move_model(root, new, number, old, Places(root, Kind.MODEL))], report)
        else:
            objects = [replace_model(root, old, appended.objects[0], part, report)]
        delete_models(appended.objects)
    adopt(root, report)
    return Replaced(objects, report)


def _outfit_of(level: Level, path: Path) -> list[int]:
    parts = outfit(level.game, set(level.models["id"].tolist()))
    if BODY not in parts:
        raise ExportError(path.name, T("it has no Lara"))
    return sorted(set(parts.values()))


def _selected_id(root: Collection, level: Level, old: Object, model: str) -> int:
    """Return the id of the selected model of a file."""
    name = model or names(Game[root.tomb_raider.game]).model(int(old.tomb_raider.model.id))
    matches = chosen(pieces_of(level), "model", name)
    if len(matches) != 1:
        listed = ", ".join(each.name for each in matches[:4]) or T("none")
        raise ExportError(
            name, T("one model is needed, but {count} match: {names}", count=len(matches), names=listed)
        )
    return matches[0].number
