"""Export of single models and animations into existing object files."""

from __future__ import annotations

from pathlib import Path

from bpy.types import Action, Collection, Object

from ....catalogue import SKINS
from ....formats import ExportError, Game
from ....formats.base import LARA, T
from ....formats.editors.wads import (
    TOMB_ENGINE,
    TR4_OBJECTS,
    WAD2,
    AnimationPlace,
    blank_files,
    open_objects,
    put_animation,
    put_model,
    read_files,
    read_wad2,
)
from ...core import original
from ...core.reporting.progress import Listener
from ...core.reporting.report import Report
from ...core.reporting.results import ExportResult
from ...pipeline.exporter import export_level
from ...subjects.level.texture_materials import moved_paths
from ...subjects.models.figures import TOMB_ENGINE_SKIN
from ...subjects.skins.skins import skins_of
from .files import name_of, save, warn_of_skins, with_lua
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
        path: a WAD or WAD2. One that does not exist is made, for TombEngine if the model has a skin.
        number: of the model in the file, or OWN.

    Returns:
        Its number in the file.

    Raises:
        ExportError: if the scene or the file cannot hold it.
        FormatError: if the file is damaged.
        OSError: if the file cannot be read or written.
    """
    is_skinned = bool(skins_of(armature))
    if path.exists():
        files = read_files(path)
    else:
        files = blank_files(path.suffix.lower(), TOMB_ENGINE if is_skinned else TR4_OBJECTS)
    exported = _exported(root, report, listener)
    slot = int(armature.tomb_raider.model.id)
    wad2 = read_wad2(files[WAD2]) if WAD2 in files else None
    to = number
    if number == OWN:
        is_other = wad2 is not None and wad2.version == TOMB_ENGINE and not _is_for_tomb_engine(root)
        to = _in_tomb_engine(armature, slot, path.name, report) if is_other else slot
    if is_skinned:
        warn_of_skins(armature.name, wad2, path.name, report)
    source = _as_wad2(root, exported, path)
    save(put_model(files, source, slot, to, name_of(Game.TR4)), path, report)
    return to


def _is_for_tomb_engine(root: Collection) -> bool:
    wad2 = original.wad2_of(root)
    return wad2 is not None and wad2.wad2.version == TOMB_ENGINE


def _in_tomb_engine(armature: Object, slot: int, name: str, report: Report) -> int:
    """Return the number of a model of TR4 in a file for TombEngine; those of Lara are known."""
    if slot == SKINS[Game.TR4]:
        return TOMB_ENGINE_SKIN
    if slot != LARA:
        text = T("{name} is for TombEngine, whose models have other numbers: set Model", name=name)
        report.warn(armature.name, text)
    return slot


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
