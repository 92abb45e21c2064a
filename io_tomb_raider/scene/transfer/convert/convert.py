"""Conversion of a level of the scene to another game.

The level gets the new game and loses its original file with all references to it. Each subject remaps its
values. Unsupported data is removed or replaced by the nearest, and reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import bpy
from bpy.types import Collection, Text

from ....formats import ExportError, Game, Level
from ....formats.base import LARA, T, Target, as_message, joined
from ....formats.edits.convert import PageImages, level_of_pages, store_samples
from ....formats.edits.injections import edits_of
from ....formats.levels.sounds import SampleStorage, sample_storage
from ....formats.levels.views import Decoded
from ...authoring.effect_sprites import add_effect_sprites
from ...core import original
from ...core.blender.handler_suspension import handlers_suspended
from ...core.level_uid import assign_level_uid
from ...core.reporting.progress import Listener, Progress
from ...core.reporting.report import Report
from ...core.subjects import SUBJECTS, Kind
from ...core.transfer import Transfer
from ...subjects.animations.lara import fill_moves, keep_known_states
from ...subjects.entities.transfer import show_entities
from ...subjects.lights.fog import draw_fog
from ...subjects.lights.object_lighting import light_level
from ...subjects.portals.water_effects import add_converted_effects
from ...subjects.sounds.of_models import note_all
from ...subjects.sounds.sources import show_source
from ...subjects.sounds.transfer import fitted_waves, plan_numbers
from ..adoption.adoption import adopt
from ..engine.engine import PreparedTransfer, prepare, remap
from ..engine.ids import plan_ids
from .kit import Kit, import_kit, read_kit
from .pages import read_pictures, replace_pages

_STEPS = 9
_TEXT = "Conversion of {}"
# Subjects that must be imported: the original file is lost.
_NEEDED = frozenset(subject.identifier for subject in SUBJECTS if subject.number) - {"CINEMATIC"}


@dataclass(frozen=True)
class _ConversionPlan:
    """Data that is read before the scene is changed."""

    level: Level  #: the new original level.
    pictures: PageImages  #: the textures of the level.
    prepared: PreparedTransfer  #: the data of the engine.
    kit: Kit | None  #: the kit with Lara and her objects, or None.


class Converted(NamedTuple):
    """The result of a conversion."""

    report: Report  #: warnings about lost and replaced data, with the first few names.
    lines: list[str]  #: the warnings, one line each, with all names.


def nowhere(_game: Game) -> Path | None:
    """Return no folder, for users without an installed game."""
    return None


def convert_level(
    root: Collection,
    game: Game,
    kit: Path | None = None,
    *,
    game_folder: Callable[[Game], Path | None] = nowhere,
    listener: Listener | None = None,
) -> Converted:
    """Convert a level of the scene to another game. The scene is unchanged if an error is raised.

    Args:
        kit: a level of the target game with Lara and other objects that its engine needs.
        game_folder: returns the folder of an installed game, for the sounds of kits of TR2 and TR3.

    Raises:
        ExportError: the level is of this game already, was not imported as a whole, has invalid data, or the
            kit is for another game.
        FormatError: the original level or the kit is damaged.
        OSError: the kit cannot be read.
    """
    progress = Progress(listener, _STEPS)
    source = Game[root.tomb_raider.game]
    if source is game:
        raise ExportError(root.name, T("it is already a level of {game}", game=game.name))
    progress(T("Reading"))
    adopt(root)
    transfer = Transfer(root, source, game)
    plan = _read(transfer, None if kit is None else read_kit(kit, game, game_folder))
    with handlers_suspended():
        _apply(transfer, plan, progress)
        add_converted_effects(root, source)
    if plan.kit is not None:
        progress(T("Kit"))
        import_kit(root, plan.kit, transfer.report, game_folder)
        show_entities(transfer)
    if add_effect_sprites(root):
        text = T("{game} shows more pictures of effects: they are invisible. A kit has them", game=game.name)
        transfer.report.warn(T("Sprites"), text)
    for obj in transfer.objects(Kind.SOUND_SOURCE):
        show_source(obj, root)
    note_all([root])
    progress(T("Light"))
    light_level(root)
    for each in (source, game):
        draw_fog(each)
    return Converted(transfer.report, transfer.lines())


def _read(transfer: Transfer, kit: Kit | None) -> _ConversionPlan:
    root = transfer.root
    decoded = original.load(root)
    if decoded is None:
        raise ExportError(root.name, T("the collection is not a level: import one first"))
    if not decoded.level.has("models"):
        raise ExportError(root.name, T("it holds texture pages only"))
    _check_whole(root, decoded)
    pictures = read_pictures(transfer, decoded)
    level = level_of_pages(transfer.target, transfer.source, pictures)
    if kit is not None and transfer.target.traits.has_32bit_pages and pictures.misc is None:
        level.misc_textiles32 = kit.level.misc_textiles32  # missing in the source game
    waves = fitted_waves(transfer)
    store_samples(level, list(waves.values()))
    prepared = replace(prepare(transfer), waves=waves, expected=set() if kit is None else kit.numbers)
    transfer.has_trng = decoded.level.has_trng_footer
    if decoded.injection is not None and edits_of(decoded.injection):
        transfer.report.warn(
            "TRX", T("its edits for TRX are left out, except for those that the scene shows")
        )
    plan_ids(transfer)
    transfer.numbers["sound"] = plan_numbers(transfer)
    return _ConversionPlan(level, pictures, prepared, kit)


def _check_whole(root: Collection, decoded: Decoded) -> None:
    """Refuse levels that were not imported as a whole: the original file is lost."""
    lacking = [
        as_message(subject.label.lower())
        for subject in SUBJECTS
        if subject.identifier in _NEEDED - set(root.tomb_raider.imported)
        and (subject.section is None or decoded.level.has(subject.section))
        and not (subject.identifier == "SOUNDS" and sample_storage(decoded.level) is SampleStorage.NONE)
    ]
    if lacking:
        text = T(
            "its {lacking} were left out when it was imported: import it whole", lacking=joined(", ", lacking)
        )
        raise ExportError(root.name, text)


def _apply(transfer: Transfer, plan: _ConversionPlan, progress: Progress) -> None:
    root = transfer.root
    settings = root.tomb_raider
    settings.game = transfer.target.name
    if not transfer.target.traits.is_in_trx:
        settings.engine = Target.ORIGINAL.name
    progress(T("Textures"))
    replace_pages(transfer, plan.level, plan.pictures)
    if plan.kit is not None and plan.kit.main_sfx is not None:
        sounds = settings.sounds
        sounds.main_sfx, sounds.main_sfx_count = str(plan.kit.main_sfx), plan.kit.samples
    remap(transfer, plan.prepared, progress)
    if plan.kit is None or not (plan.kit.level.models["id"] == LARA).any():
        fill_moves(transfer)
        keep_known_states(transfer)
    _reset_settings(transfer, plan.level)


def _reset_settings(transfer: Transfer, level: Level) -> None:
    """Reset the level settings for the target game."""
    root = transfer.root
    settings = root.tomb_raider
    included = {subject.identifier for subject in SUBJECTS if subject.number and subject.is_in(level)}
    settings.imported = included
    settings.target = ""
    settings.pathfinding = "AUTOMATIC"
    settings.edits.clear()
    settings.known_findings.clear()
    general = settings.level
    general.number = general.demo_frames = 0
    general.demo_room = None
    general.lara_type = general.weather_type = 0
    general.distance_start = general.distance_end = 0
    general.shows_distance = general.shows_fog_bulbs = False
    bpy.data.batch_remove(transfer.objects(Kind.BOXES))
    assign_level_uid(root)


def text_of(root: Collection, converted: Converted) -> Text | None:
    """Return a text data-block with the warnings of a conversion, or None if there are none."""
    if not converted.lines:
        return None
    text = bpy.data.texts.new(_TEXT.format(root.name))
    text.from_string("\n".join(converted.lines) + "\n")
    return text
