"""Export of single models and animations into existing object files."""

from __future__ import annotations

from pathlib import Path

from bpy.types import Action, Collection, Object

from ....formats import ExportError, Game
from ....formats.base import T
from ....formats.editors.wads import (
    WAD2,
    AnimationPlace,
    blank_files,
    open_objects,
    put_animation,
    put_model,
    read_files,
)
from ...core import original
from ...core.reporting.progress import Listener
from ...core.reporting.report import Report
from ...core.reporting.results import ExportResult
from ...pipeline.exporter import export_level
from ...subjects.level.texture_materials import moved_paths
from .files import name_of, save, with_lua
from .numbers import OWN


def put_model_into(
    root: Collection,
    armature: Object,
    path: Path,
    number: int = OWN,
    *,
    report: Report,
    listener: Listener | None = None,
) -> int:
    """Add a model to an object file, or replace the one with the same number.

    Args:
        number: of the model in the file, or OWN.

    Returns:
        Its number in the file.

    Raises:
        ExportError: if the scene or the file cannot hold it.
        FormatError: if the file is damaged.
        OSError: if the file cannot be read or written.
    """
    files = read_files(path)
    exported = _exported(root, report, listener)
    slot = int(armature.tomb_raider.model.id)
    to = slot if number == OWN else number
    source = _as_wad2(root, exported, path)
    save(put_model(files, source, slot, to, name_of(Game.TR4)), path, report)
    return to


def put_animation_into(
    root: Collection,
    armature: Object,
    action: Action,
    path: Path,
    to: AnimationPlace,
    *,
    report: Report,
    listener: Listener | None = None,
) -> AnimationPlace:
    """Add an animation to a model of an object file, or replace one.

    Args:
        path: an existing WAD or WAD2.
        to: its place in the file, OWN for its own numbers. A number beyond the animations of the model there
            adds one.

    Returns:
        Its place in the file.

    Raises:
        ExportError: if the file has no such model, or one with other bones.
        FormatError: if the file is damaged.
        OSError: if the file cannot be read or written.
    """
    files = read_files(path)
    exported = _exported(root, report, listener)
    if action not in exported.animations:
        text = T(
            "it is not an animation of {armature}: choose that as its model in the panel Animation",
            armature=armature.name,
        )
        raise ExportError(action.name, text)
    own_place = AnimationPlace(int(armature.tomb_raider.model.id), exported.animations[action])
    place = AnimationPlace(
        *(default if chosen == OWN else chosen for default, chosen in zip(own_place, to, strict=True))
    )
    source = _as_wad2(root, exported, path)
    written, number = put_animation(files, source, own_place, place, name_of(Game.TR4))
    save(written, path, report)
    return AnimationPlace(place.slot, number)


def _exported(root: Collection, report: Report, listener: Listener | None) -> ExportResult:
    """Export a level of TR4.

    Raises:
        ExportError: if it is of another game, which is checked first, or the scene cannot be exported.
    """
    if root.tomb_raider.game != Game.TR4.name:
        text = T(
            "it is for {game}, and such files are for TR4: import the file as a level, and "
            "append objects of this one to it",
            game=root.tomb_raider.game,
        )
        raise ExportError(root.name, text)
    return export_level(root, report=report, listener=listener)


def _as_wad2(root: Collection, exported: ExportResult, target: Path) -> bytes:
    """Return an exported level as a WAD2, with the fractions and names of its original WAD2, if any.

    Paths of external textures start in the folder of the target.
    """
    from_wad2 = WAD2 in original.load_files(root)
    objects = original.objects_of(root, WAD2) if from_wad2 else open_objects(blank_files(WAD2))
    extras = moved_paths(root, exported.extras, target)
    edited = objects.edited(exported.level, name_of(exported.level.game), extras)
    return with_lua(root, edited[WAD2])
