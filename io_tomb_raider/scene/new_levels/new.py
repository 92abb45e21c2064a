"""A new level: nothing, or the library of a kit, and a first room."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from bpy.types import Collection, Mesh, Object
from mathutils import Vector

from ...formats import ExportError, Game, Level
from ...formats.appending.cut import cut_to
from ...formats.base.units import SECTOR_SIZE
from ...formats.games import LARA
from ...formats.lights.lights import POINT
from ...formats.new_levels.water import WaterLook, find_water
from ..authoring.new.objects import add, choices
from ..authoring.new.room import add_room
from ..authoring.placeholder_textures import paint_room
from ..core.cleanup import undone_on_failure
from ..core.context import ImportContext, ImportOptions
from ..core.progress import Listener
from ..core.report import Report
from ..pipeline.importer import hide_libraries, start_level
from ..subjects.lights.object_lighting import light_level
from ..transfer.append.blend import read_any
from ..transfer.engine.choice import Selection
from .choice import choice_of
from .other_game import level_as
from .water import bring_water

# Rooms have places from 0 on, and levels about a hundred sectors: so there is as much space on all sides.
_MIDDLE = 48
_SIZE = (6, 6, 4)


def new_level(
    game: Game | None,
    name: str = "New Level",
    kit: Path | None = None,
    options: ImportOptions | None = None,
    *,
    kit_level: str = "",
    wanted: Selection | None = None,
    listener: Listener | None = None,
) -> ImportContext:
    """Start a level in the current scene, with a room, collision and a light; and Lara, if the kit has her.

    Args:
        game: its game; None for that of the kit.
        name: what to call it.
        kit: a file whose library it begins with: a level, also of another game, or a WAD; or a .blend
            that has a level. What is of another game is converted.
        options: as of an import that leaves nothing out.
        kit_level: of a .blend with several levels: the name of the one that is meant; without, it is the
            first, which the report says.
        wanted: which of the kit's objects are brought in; all without.
        listener: is told of every step.

    Raises:
        ExportError: where the kit has no library, nothing that is called so, or what the game cannot hold.
        FormatError: where the kit is no level, or damaged. The scene is then as it was.
        OSError: where the kit cannot be read.
    """
    report = Report()
    library, water = (
        (None, None) if kit is None else _read_kit(kit, game, kit_level, wanted or Selection(), report)
    )
    game = library.game if library is not None else game
    if game is None:
        raise ExportError(name, "choose a game, or a kit")
    with undone_on_failure():
        context = start_level(game, name, library, options, listener=listener)
        context.report.warn_again(report)
        root = context.root
        if water is not None:
            bring_water(root, water)
        side = SECTOR_SIZE * root.tomb_raider.scale
        middle = Vector(((_MIDDLE + _SIZE[0] / 2) * side, (_MIDDLE + _SIZE[1] / 2) * side, 0.0))
        _first_room(root, middle)
        add(root, "LIGHT", POINT, middle + Vector((side, side, 0.0)))
        if any(each.identifier == str(LARA) for each in choices(root, "ENTITY")):
            add(root, "ENTITY", str(LARA), middle)
        hide_libraries(root)
        light_level(root)
    return context


class _Read(NamedTuple):
    """A kit: its library, and what its water looks like."""

    library: Level
    water: WaterLook | None


def _read_kit(path: Path, game: Game | None, name: str, wanted: Selection, report: Report) -> _Read:
    level = read_any(path, report, name)
    library, water = cut_to(level, choice_of(level, wanted), follow=True), find_water(level)
    if game is None or level.game is game:
        return _Read(library, water)
    return _Read(level_as(library, game, path.name, report), water)


def _first_room(root: Collection, middle: Vector) -> Object:
    room = add_room(root, middle, _SIZE)
    assert isinstance(room.data, Mesh)
    paint_room(root, room.data)
    return room
