"""New cameras, sinks and AI objects."""

from __future__ import annotations

from math import pi

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Vector

from ....catalogue import names
from ....formats import ExportError, Game
from ....formats.base import CINEMATIC_FRAME, T
from ...core.membership import home_of, is_for_trx, members_of
from ...core.new_names import name_new
from ...core.space import Space
from ...core.subjects import Kind, subject_of_kind
from ...properties.base.kinds import camera_kinds
from ...subjects.cameras.fixed import new_camera
from ...subjects.cameras.flybys import DEFAULT_DISTANCE
from ...subjects.cameras.looking import DEFAULT_FOV
from ...subjects.cutscenes.cinematics import make_cinematic
from ...subjects.script.script import new_script_object, script_kinds

_SIZE = 256  # units
_FRAMES = 30


def add_object(root: Collection, kind: str, place: Vector, after: Object | None = None) -> Object:
    """Add an object to a level, and return it.

    Args:
        kind: CAMERA, SINK, FLYBY, CINEMATIC, AI_OBJECT, or one of those that scripts place.
        place: in the world.
        after: the flyby camera that a new one follows in its sequence.

    Raises:
        ExportError: if the level's game has no such objects, or they were not imported.
    """
    game = Game[root.tomb_raider.game]
    if kind in script_kinds(game):
        return _add_script_object(root, place, kind)
    if kind not in camera_kinds(game.traits, for_trx=is_for_trx(root)):
        raise ExportError(root.name, T("its game does not have such objects"))
    if kind == Kind.AI_OBJECT and not game.traits.has_ai_objects:
        kind = Kind.ENTITY
    if subject_of_kind(kind).identifier not in root.tomb_raider.imported:
        raise ExportError(
            root.name, T("these were left out when the level was imported, so they would be lost")
        )
    if kind == Kind.CINEMATIC:
        return _add_cinematic(root, place)
    if kind == Kind.SINK:
        return _add_sink(root, place)
    if kind in (Kind.ENTITY, Kind.AI_OBJECT):
        return _add_mark(root, place, kind, game)
    return _add(root, kind, place, after)


def _add(root: Collection, kind: str, place: Vector, after: Object | None) -> Object:
    name = "Camera" if kind == Kind.CAMERA else "Flyby"
    obj = bpy.data.objects.new(name, new_camera(name, DEFAULT_FOV, root.tomb_raider.scale))
    obj.location, obj.rotation_euler.x = place, pi / 2
    obj.tomb_raider.kind = kind
    if kind == Kind.FLYBY:
        settings = obj.tomb_raider.flyby
        settings.distance = DEFAULT_DISTANCE
        flybys = [each.tomb_raider.flyby for each in members_of(root, Kind.FLYBY)]
        if after is not None and after.tomb_raider.kind == Kind.FLYBY:
            settings.sequence = after.tomb_raider.flyby.sequence
        else:
            settings.sequence = max((each.sequence for each in flybys), default=-1) + 1
        numbers = [each.number for each in flybys if each.sequence == settings.sequence]
        settings.number = max(numbers, default=-1) + 1
        obj.name = obj.data.name = f"Flyby {settings.sequence}.{settings.number}"
    else:
        name_new(root, obj, name, kind)
    home_of(root, Kind.CAMERAS).objects.link(obj)
    return obj


def _add_sink(root: Collection, place: Vector) -> Object:
    obj = bpy.data.objects.new("Sink", None)
    obj.location, obj.tomb_raider.kind = place, Kind.SINK
    obj.empty_display_type, obj.empty_display_size = "CONE", _SIZE * root.tomb_raider.scale
    name_new(root, obj, obj.name, Kind.SINK)
    home_of(root, Kind.CAMERAS).objects.link(obj)
    return obj


def _add_mark(root: Collection, place: Vector, kind: str, game: Game) -> Object:
    """Add a mark for characters: Lara's start position, or of games without one, a guard's."""
    marks = game.traits.ai_marks
    number = marks[-1] if game.traits.has_ai_objects else marks[0]
    obj = bpy.data.objects.new("Mark", None)
    obj.location, obj.show_name = place, True
    obj.empty_display_type, obj.empty_display_size = "ARROWS", _SIZE * root.tomb_raider.scale
    home_of(root, Kind.ENTITIES).objects.link(obj)
    settings = obj.tomb_raider
    if kind == Kind.AI_OBJECT:
        settings.ai_object.type = number
    else:
        settings.entity.type = number
        settings.entity.intensity = settings.entity.intensity2 = -1  # no light of its own
    settings.kind, settings.index, settings.origin = kind, -1, root.tomb_raider.origin
    name_new(root, obj, names(game).entity(number), kind)
    return obj


def _add_script_object(root: Collection, place: Vector, kind: str) -> Object:
    if members_of(root, kind):
        raise ExportError(
            root.name, T("its script already places an object of this kind, and cannot place a second")
        )
    obj = new_script_object(root, kind)
    obj.location = place
    if kind == Kind.LOAD_CAMERA:
        obj.rotation_euler.x = pi / 2
    return obj


def _add_cinematic(root: Collection, place: Vector) -> Object:
    if members_of(root, Kind.CINEMATIC):
        raise ExportError(root.name, T("it already has a cutscene camera, and a level can have only one"))
    space = Space.of(root)
    home = home_of(root, Kind.CAMERAS)
    origin = bpy.data.objects.new("Cutscene Origin", None)
    origin.empty_display_type, origin.location = "ARROWS", place
    home.objects.link(origin)
    frames = np.zeros(_FRAMES, CINEMATIC_FRAME)
    frames["position"], frames["target"] = (0, -768, -2048), (0, -512, 0)
    frames["fov"] = DEFAULT_FOV
    return make_cinematic(frames, space, home, origin)
