"""A compiled room with triggers and everything that they can activate."""

from __future__ import annotations

from pathlib import Path

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Flyby,
    Moveable,
    PlacedObject,
    Sink,
    Static,
)

from .compile_samples import compiled, lara, plain_room, project_of

TRNG = 16
SWITCH, CAMERA, SINK, FLYBY, STATIC = 20, 21, 22, 23, 24


def made(
    folder: Path, *triggers: PlacedObject, version: int | None = None, game: Game = Game.TR4
) -> Compiled:
    room = plain_room(0)
    room.objects += [
        lara(),
        Moveable(SWITCH, (1536, 0, 1536), slot=0),
        Camera(CAMERA, (1536, 512, 1536), move_timer=5),
        Sink(SINK, (1536, 0, 1536), strength=2),
        Flyby(FLYBY, (1536, 512, 1536), sequence=3),
        Static(STATIC, (1536, 0, 1536), slot=0, script_id=44),
        *triggers,
    ]
    project = project_of([room], game, folder, version)
    # A second Lara would be omitted: it has the slot of any other model.
    models = read_level(folder / project.settings.wads[0]).models["id"]
    room.objects[1].slot = int(next(each for each in models if each))
    return compiled(project, folder)
