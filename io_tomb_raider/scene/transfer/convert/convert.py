"""A level of the scene becomes one of another game.

The scene says what things are, not how a file spells them. So the level gets the new game, loses the file
that it came from with all hints to it, and every subject puts its values into the words of the game. What
the game has no word for is left out or replaced by the nearest, and told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import bpy
from bpy.types import Collection, Sound, Text

from ....formats import ExportError, Game, Level
from ....formats.converting.pages import Pictures, level_of_pages
from ....formats.converting.samples import hold_samples
from ....formats.games import LARA
from ....formats.level.decoded import Decoded
from ....formats.sounds.samples import Home, home_of
from ...core import original
from ...core.handler_suspension import unwatched
from ...core.level_uid import stamp
from ...core.progress import Listener, Progress
from ...core.report import Report
from ...core.subjects import SUBJECTS
from ...subjects.collision.edit import CollisionEdit
from ...subjects.lights.fog import draw_fog
from ...subjects.lights.object_lighting import light_level
from ...subjects.sounds.of_models import note_all
from ...subjects.sounds.sources import show_source
from ..adoption.adoption import adopt
from .animations import convert_animations
from .cameras import convert_cameras
from .collision import convert_collision, read_collision
from .conversion import Conversion
from .entities import convert_ai_objects, convert_entities, show_entities
from .ids import NewIds
from .kit import Kit, bring_kit, read_kit
from .lara import fill_moves
from .library import convert_models, convert_sprites, convert_static_meshes, plan_ids
from .materials import convert_materials
from .meshes import convert_meshes
from .pages import read_pictures, take_pages
from .rooms import (
    convert_lights,
    convert_placements,
    convert_portals,
    convert_room_sprites,
    convert_rooms,
    flip_group_of,
)
from .sounds import convert_sounds, fitted_waves, new_sounds
from .triggers import convert_triggers

_STEPS = 9
_TEXT = "Conversion of {}"
# What a conversion cannot go without: the file that has the rest of it goes.
_NEEDED = frozenset(subject.identifier for subject in SUBJECTS if subject.number) - {"CINEMATIC"}


@dataclass(frozen=True)
class _Plan:
    """All that is read before anything is changed.

    Attributes:
        level: what the level begins with.
        pictures: what it shows.
        collision: of all rooms.
        ids: of models and sprite sequences.
        sounds: by number the new one.
        waves: of samples, as the game plays them.
        flip_group: the only group of rooms that flips, None for all.
        has_trng: whether the level is one of TRNG's.
        kit: what brings Lara and what is hers, or None.
    """

    level: Level
    pictures: Pictures
    collision: list[CollisionEdit]
    ids: NewIds
    sounds: dict[int, int]
    waves: dict[Sound, bytes]
    flip_group: int | None
    has_trng: bool
    kit: Kit | None


class Converted(NamedTuple):
    """What a conversion has to tell.

    Attributes:
        report: what is lost, or was replaced by the nearest; of many things the first few by name.
        lines: the same, a line each, with all names.
    """

    report: Report
    lines: list[str]


def _nowhere(_game: Game) -> Path | None:
    return None


def convert(
    root: Collection,
    game: Game,
    kit: Path | None = None,
    *,
    game_folder: Callable[[Game], Path | None] = _nowhere,
    listener: Listener | None = None,
) -> Converted:
    """Make a level of the scene one of another game.

    Args:
        root: the level.
        game: the game that it shall be for.
        kit: a level of that game, which has Lara and what else engines need of their own.
        game_folder: where games are installed, for the sounds of kits of TR2 and TR3.
        listener: is told of every step.

    Returns:
        What there is to tell.

    Raises:
        ExportError: where the level is one of this game already, parts of it were left out when it was
            imported, something of it cannot be read, or the kit is for another game. The scene is then as
            it was.
        FormatError: where the file that it carries, or the kit, is damaged; likewise.
        OSError: where the kit cannot be read; likewise.
    """
    progress = Progress(listener, _STEPS)
    source = Game[root.tomb_raider.game]
    if source is game:
        raise ExportError(root.name, f"it is a level of {game.name} already")
    progress("Reading")
    adopt(root)
    conversion = Conversion(root, source, game)
    plan = _read(conversion, None if kit is None else read_kit(kit, game, game_folder))
    with unwatched():
        _apply(conversion, plan, progress)
    if plan.kit is not None:
        progress("Kit")
        bring_kit(root, plan.kit, conversion.report, game_folder)
        show_entities(conversion)
    for thing in conversion.things("SOUND_SOURCE"):
        show_source(thing, root)
    note_all([root])
    progress("Light")
    light_level(root)
    for each in (source, game):
        draw_fog(each)
    return Converted(conversion.report, conversion.lines())


def _read(conversion: Conversion, kit: Kit | None) -> _Plan:
    root = conversion.root
    decoded = original.load(root)
    if decoded is None:
        raise ExportError(root.name, "the collection carries no level: import one first")
    if not decoded.level.has("models"):
        raise ExportError(root.name, "it holds texture pages only")
    _check_whole(root, decoded)
    pictures = read_pictures(conversion, decoded)
    level = level_of_pages(conversion.target, conversion.source, pictures)
    if kit is not None and conversion.target.traits.has_32bit_pages and pictures.misc is None:
        level.misc_textiles32 = kit.level.misc_textiles32  # which the source's game does not have
    waves = fitted_waves(conversion)
    hold_samples(level, list(waves.values()))
    return _Plan(
        level=level,
        pictures=pictures,
        collision=read_collision(conversion),
        ids=plan_ids(conversion),
        sounds=new_sounds(conversion),
        waves=waves,
        flip_group=flip_group_of(conversion),
        has_trng=decoded.level.has_trng_footer,
        kit=kit,
    )


def _check_whole(root: Collection, decoded: Decoded) -> None:
    """Refuse levels of which the scene has a part only: the rest is in the file, which goes."""
    lacking = [
        subject.label.lower()
        for subject in SUBJECTS
        if subject.identifier in _NEEDED - set(root.tomb_raider.imported)
        and (subject.section is None or decoded.level.has(subject.section))
        and not (subject.identifier == "SOUNDS" and home_of(decoded.level) is Home.NONE)
    ]
    if lacking:
        text = f"its {', '.join(lacking)} were left out when it was imported: import it whole"
        raise ExportError(root.name, text)


def _apply(conversion: Conversion, plan: _Plan, progress: Progress) -> None:
    root = conversion.root
    settings = root.tomb_raider
    settings.game = conversion.target.name
    progress("Textures")
    take_pages(conversion, plan.level, plan.pictures)
    convert_materials(conversion)
    progress("Meshes")
    convert_meshes(conversion)
    progress("Rooms")
    convert_rooms(conversion)
    convert_lights(conversion)
    convert_placements(conversion)
    convert_portals(conversion)
    convert_room_sprites(conversion)
    progress("Collision")
    convert_collision(conversion, plan.collision)
    progress("Library")
    convert_animations(conversion, plan.sounds)
    convert_models(conversion, plan.ids)
    convert_static_meshes(conversion)
    convert_sprites(conversion, plan.ids)
    if plan.kit is None or not (plan.kit.level.models["id"] == LARA).any():
        fill_moves(conversion)
    if plan.kit is not None and plan.kit.main_sfx is not None:
        settings.sounds.main_sfx, settings.sounds.main_sfx_count = (
            str(plan.kit.main_sfx),
            plan.kit.samples,
        )
    convert_sounds(conversion, plan.sounds, plan.waves)
    progress("Entities and Triggers")
    coming = set() if plan.kit is None else plan.kit.numbers
    gone = convert_entities(conversion, plan.ids, coming)
    gone += convert_ai_objects(conversion, plan.ids)
    convert_cameras(conversion, set(gone))
    convert_triggers(conversion, set(gone), plan.flip_group, has_trng=plan.has_trng)
    conversion.remove(gone)
    _settle(conversion, plan.level)


def _settle(conversion: Conversion, level: Level) -> None:
    """Let the level be a level of the game that comes from no file."""
    root = conversion.root
    settings = root.tomb_raider
    found = {
        subject.identifier
        for subject in SUBJECTS
        if subject.number and (subject.section is None or level.has(subject.section))
    }
    settings.imported = found
    settings.target = ""
    settings.pathfinding = "AUTOMATIC"
    settings.findings.clear()
    general = settings.level
    general.number = general.demo_frames = 0
    general.lara_type = general.weather_type = 0
    general.distance_start = general.distance_end = 0
    general.shows_distance = general.shows_fog_bulbs = False
    conversion.remove(conversion.things("BOXES"))
    stamp(root)


def text_of(root: Collection, converted: Converted) -> Text | None:
    """Make a text of what a conversion has to tell, or None where that is nothing."""
    if not converted.lines:
        return None
    text = bpy.data.texts.new(_TEXT.format(root.name))
    text.from_string("\n".join(converted.lines) + "\n")
    return text
