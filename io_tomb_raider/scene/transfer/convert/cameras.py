"""Cameras of a converted level that not all games have: flybys, and those of cutscene levels."""

from __future__ import annotations

from collections.abc import Container

import bpy
from bpy.types import Object

from ....formats.converting.flags import camera_flags, flyby_flags
from ...core.members import members
from ...subjects.cutscenes.cinematics import is_on_stage
from .conversion import Conversion


def convert_cameras(conversion: Conversion, gone: Container[Object]) -> None:
    """Take away what the game does not have, and let the rest mean the same.

    Args:
        conversion: of the level.
        gone: entities that the level does not have any more.
    """
    flybys = conversion.things("FLYBY")
    target = conversion.target
    if not target.traits.has_flybys:
        _remove(conversion, flybys, "Flyby Cameras", "this game has no flyby cameras")
        flybys = []
    other: list[str] = []
    for thing in flybys:
        settings = thing.tomb_raider.flyby
        if settings.tracks in gone:
            settings.tracks = None
        flags = flyby_flags(int(settings.flags), conversion.source, target)
        if flags != settings.flags:
            settings.flags = flags
            other.append(thing.name)
    text = "some of their flags mean something else in this game, and are cleared"
    conversion.lose("Flyby Cameras", other, text)
    if not target.traits.has_cinematics:
        stage = conversion.things("CINEMATIC", "CINEMATIC_TARGET")
        origins = {thing.parent for thing in stage if thing.parent is not None}
        shown = [each for each in members(conversion.root) if is_on_stage(each)]
        conversion.remove([*shown, *(each for each in origins if each.tomb_raider.kind == "NONE")])
        _remove(conversion, stage, "Cinematic Frames", "levels of this game are no cutscenes")
    for thing in conversion.things("CAMERA"):
        camera = thing.tomb_raider.camera
        camera.flags = camera_flags(int(camera.flags), target)


def _remove(conversion: Conversion, things: list[Object], subject: str, text: str) -> None:
    if not things:
        return
    conversion.report.warn(subject, f"{len(things)} are left out: {text}")
    data = [thing.data for thing in things if thing.data is not None]
    conversion.remove(things)
    bpy.data.batch_remove([each for each in data if not each.users])
