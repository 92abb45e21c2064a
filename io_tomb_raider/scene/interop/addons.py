"""Models and outfits of levels in the scene as addons for TRX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from bpy.types import Collection, Object

from ...catalogue import HAIR, JOINTS, SKINS
from ...formats import ExportError, Level
from ...formats.base import LARA, T
from ...formats.edits.injections import OutfitModels, addon_text, make_addon, outfit_text
from ..core.reporting.progress import Listener
from ..core.reporting.report import Report
from ..pipeline.exporter import export_level


class ExportedAddon(NamedTuple):
    """An addon that was made of models in the scene."""

    data: bytes  #: the file.
    names: list[str]  #: of its models.
    text: str  #: the lines that a mod needs to load and use it.


def export_addon(
    root: Collection,
    models: Iterable[Object],
    prefix: str,
    file_name: str,
    *,
    pickup: bool = False,
    any_game: bool = False,
    report: Report,
    listener: Listener | None = None,
) -> ExportedAddon:
    """Return models of a level as an addon.

    Args:
        models: their armatures.
        prefix: in front of the names, "" for none.
        file_name: of the addon, for the lines of the mod.
        pickup: they are pickups.
        any_game: for levels of all games, see :func:`make_addon`.

    Raises:
        ExportError: if there are no models, or TRX cannot hold them.
    """
    named = {int(each.tomb_raider.model.id): _name(prefix, each.name) for each in models}
    if not named:
        raise ExportError(root.name, T("select the models for the addon first"))
    level = export_level(root, report=report, listener=listener).level
    data = _data(level, named, file_name, report, any_game=any_game)
    return ExportedAddon(data, [*named.values()], addon_text(named, file_name, pickup=pickup))


def export_outfit(
    root: Collection,
    number: int,
    file_name: str,
    *,
    any_game: bool = False,
    report: Report,
    listener: Listener | None = None,
) -> ExportedAddon:
    """Return Lara's body, joints and hair of a level as an addon.

    Args:
        number: of the outfit among those that TRX has names for, 2 to 32.

    Raises ExportError if the level has no Lara, or TRX cannot hold her.
    """
    level = export_level(root, report=report, listener=listener).level
    outfit = _outfit_of(level, root.name)
    names = outfit.names(number)
    data = _data(level, names, file_name, report, outfit=True, any_game=any_game)
    return ExportedAddon(data, [*names.values()], outfit_text(outfit, number, file_name))


def _data(level: Level, names: dict[int, str], file_name: str, report: Report, **options: bool) -> bytes:
    addon = make_addon(level, names, **options)
    for text in addon.lost:
        report.warn(file_name, T("an addon cannot hold {what}", what=text))
    return addon.injection.to_bytes()


def _outfit_of(level: Level, name: str) -> OutfitModels:
    ids = {*level.models["id"].tolist()}
    body = next((each for each in (SKINS.get(level.game, LARA), LARA) if each in ids), None)
    if body is None:
        raise ExportError(name, T("the level has no Lara"))
    joints, hair = (kind.get(level.game, -1) for kind in (JOINTS, HAIR))
    return OutfitModels(body, joints if joints in ids else -1, hair if hair in ids else -1)


def _name(prefix: str, name: str) -> str:
    """Return the name of a model in TRX: its name in the scene with the letters that are possible there."""
    word = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "model"
    return f"{prefix}:{word}" if prefix else word
