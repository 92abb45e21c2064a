"""Projects whose numbers can be compiled: numbers of damaged files are replaced, or their objects omitted.

Files can hold any number: values that are not numbers, infinite ones, and whole numbers of 70 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from math import copysign, isfinite, isnan
from operator import is_
from types import NoneType
from typing import Any, TypeVar

import numpy as np

from ....base.messages import N_, T, Text, about, plural
from .objects import (
    Camera,
    Direction,
    Flyby,
    GhostBlock,
    ImportedGeometry,
    Light,
    Memo,
    Moveable,
    PlacedObject,
    Positioned,
    ProjectPortal,
    ProjectTrigger,
    SectorArea,
    Sink,
    SoundSource,
    Sprite,
    Static,
    UnknownObject,
    Volume,
)
from .project import Project
from .rooms import ProjectRoom
from .settings import AnimatedSet, Settings
from .shape import MOST_SPLITS, Diagonal, RoomShape

_Element = TypeVar("_Element")
_Warn = Callable[[str], None]

_MOST_INTEGER = (1 << 31) - 1
_MOST_FLOAT = float(1 << 21)  # units; as sectors, levels hold them too
# By the classes of nearly all values: those that are always usable, and the largest usable numbers.
_ANY, _NUMBERS = (bool, str, NoneType), {float: _MOST_FLOAT, int: _MOST_INTEGER}
_MOST_SECTOR = 1 << 14  # of the position of a room
_MOST_HEIGHT = 1 << 20  # units
_MOST_AREA = 1 << 9  # sectors
_MOST_REPEATS = 1 << 8
_MOST_PADDING = 1 << 7  # pixels: half a page
_MOST_PIXEL = float(1 << 20)
_DIRECTIONS = frozenset(Direction)
_UNREAD = ("source", "content")  # the chunks that an element was read from

_LABELS: dict[type[PlacedObject], str] = {
    Camera: N_("a camera"),
    Flyby: N_("a flyby camera"),
    GhostBlock: N_("a ghost block"),
    ImportedGeometry: N_("imported geometry"),
    Light: N_("a light"),
    Memo: N_("a note"),
    Moveable: N_("a moveable"),
    ProjectPortal: N_("a portal"),
    Sink: N_("a sink"),
    SoundSource: N_("a sound source"),
    Sprite: N_("a sprite"),
    Static: N_("a static mesh"),
    ProjectTrigger: N_("a trigger"),
    UnknownObject: N_("an object of an unknown kind"),
    Volume: N_("a volume"),
}


def _ignore(_text: str) -> None:
    """Ignore a warning."""


def usable_project(project: Project, warn: _Warn = _ignore) -> Project:
    """Return a project without numbers that no level can have. Usual projects are returned as they are.

    Objects without a valid position are omitted. Other numbers are clamped; values that are not numbers
    become the default. The project is not changed. `warn` is called for each object with such numbers.
    """
    for text in unknown_parts(project):
        warn(text)
    settings, rooms = _settings(project.settings, warn), [_room(room, warn) for room in project.rooms]
    if settings is project.settings and all(map(is_, rooms, project.rooms)):
        return project
    return replace(project, settings=settings, rooms=rooms)


def unknown_parts(project: Project) -> Iterator[str]:
    """Yield what becomes of the objects in chunks with unknown names."""
    for (name, kind), number in sorted(project.content.unknown.items(), key=str):
        if kind is UnknownObject:
            yield plural(
                "one object of the unknown kind {name} is left out of the level, and stays in the project",
                "{count} objects of the unknown kind {name} are left out of the level, and stay in the "
                "project",
                number,
                name=name,
            )
        else:
            yield plural(
                "one object of the unknown form {name} is read as {kind}, and its other values are kept",
                "{count} objects of the unknown form {name} are each read as {kind}, and their other values "
                "are kept",
                number,
                name=name,
                kind=Text(_LABELS[kind], {}),
            )


# --- Numbers -----------------------------------------------------------------------------------


@cache
def _defaults(kind: type) -> dict[str, Any]:
    return {
        each.name: None if each.default is MISSING else each.default
        for each in fields(kind)
        if each.name not in _UNREAD
    }


def _value(value: Any, default: Any) -> Any:
    """Return a usable value, the same object if it is one."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        if isnan(value):
            return float(default) if isinstance(default, int | float) else 0.0
        return value if abs(value) <= _MOST_FLOAT else copysign(_MOST_FLOAT, value)
    if isinstance(value, int):
        return value if abs(value) <= _MOST_INTEGER else _clamped(value, _MOST_INTEGER)
    if is_dataclass(value):
        return _element(value)
    if isinstance(value, tuple):
        has_defaults = isinstance(default, tuple) and len(default) == len(value)
        defaults = default if has_defaults else (None,) * len(value)
        usable = [_value(each, default_part) for each, default_part in zip(value, defaults, strict=True)]
        if all(map(is_, usable, value)):
            return value
        return type(value)(*usable) if hasattr(value, "_fields") else tuple(usable)
    return value


def _is_usable(value: Any) -> bool:
    """Return whether a value needs no closer look, as nearly all."""
    kind = value.__class__
    if kind in _NUMBERS:
        return bool(abs(value) <= _NUMBERS[kind])
    return kind in _ANY or (kind is tuple and all(map(_is_usable, value)))


def _element(element: _Element) -> _Element:
    """Return an element with usable numbers, the same one if it has them."""
    values: Any = element
    changes = {}
    for name, default in _defaults(values.__class__).items():
        value = getattr(values, name)
        if _is_usable(value):
            continue
        usable = _value(value, default)
        if usable is not value:
            changes[name] = usable
    return replace(values, **changes) if changes else element


def _clamped(value: int, most: int) -> int:
    return max(min(value, most), -most)


# --- Settings ----------------------------------------------------------------------------------


def _settings(settings: Settings, warn: _Warn) -> Settings:
    result = _element(settings)
    lists: dict[str, list[Any]] = {
        "textures": [*map(_element, settings.textures)],
        "imported_geometries": [*map(_element, settings.imported_geometries)],
        "merged_statics": [*map(_element, settings.merged_statics)],
        "animated_sets": [
            each for each in (_animated(source, warn) for source in settings.animated_sets) if each
        ],
        "selected_sounds": [_value(each, 0) for each in settings.selected_sounds],
    }
    changes: dict[str, Any] = {
        name: value
        for name, value in lists.items()
        if len(value) != len(getattr(settings, name)) or not all(map(is_, value, getattr(settings, name)))
    }
    if not 0 <= result.padding <= _MOST_PADDING:
        changes["padding"] = min(max(result.padding, 0), _MOST_PADDING)
    if result is not settings or changes.keys() - {"animated_sets"}:
        warn(T("the settings have numbers that no level can have; they are replaced"))
    return replace(result, **changes) if changes else result


def _animated(source: AnimatedSet, warn: _Warn) -> AnimatedSet | None:
    corners = [number for frame in source.frames for corner in frame.corners for number in corner]
    if not all(isfinite(each) and abs(each) <= _MOST_PIXEL for each in corners):
        warn(
            about(
                source.name, T("an animated texture is omitted, since the corners of a frame are no places")
            )
        )
        return None
    frames = [
        replace(frame, repeat=_MOST_REPEATS) if frame.repeat > _MOST_REPEATS else frame
        for frame in map(_element, source.frames)
    ]
    result = _element(source)
    if not all(map(is_, frames, source.frames)):
        result = replace(result, frames=frames)
    if result is not source:
        warn(
            about(source.name, T("an animated texture has numbers that no level can have; they are replaced"))
        )
    return result


# --- Rooms -------------------------------------------------------------------------------------


def _room(room: ProjectRoom, warn: _Warn) -> ProjectRoom:
    result = _element(room)
    position = _clamped(room.x, _MOST_SECTOR), _clamped(room.y, _MOST_HEIGHT), _clamped(room.z, _MOST_SECTOR)
    if position != (room.x, room.y, room.z):
        result = replace(result, x=position[0], y=position[1], z=position[2])
    shape = _shape(room.shape)
    if shape is not room.shape:
        result = replace(result, shape=shape)
    if result is not room:
        warn(about(room.name, T("the room has numbers that no level can have; they are replaced")))
    faces = with_places(shape)
    if faces is not shape:
        result = replace(result, shape=faces)
    objects = [each for each in (_object(obj, room.name, warn) for obj in room.objects) if each is not None]
    if len(objects) != len(room.objects) or not all(map(is_, objects, room.objects)):
        result = replace(result, objects=objects)
    return result


def _object(obj: PlacedObject, room: str, warn: _Warn) -> PlacedObject | None:
    """Return an object with usable numbers, None without a valid position."""
    label = Text(_LABELS[type(obj)], {})
    if isinstance(obj, Positioned) and not all(
        isfinite(each) and abs(each) <= _MOST_FLOAT for each in obj.position
    ):
        text = T("{object} is omitted, since its position is no place in a level", object=label)
        warn(about(room, text))
        return None
    if isinstance(obj, ProjectPortal) and obj.direction not in _DIRECTIONS:
        warn(about(room, T("{object} is omitted, since it has no direction", object=label)))
        return None
    result = _element(obj)
    if isinstance(result, SectorArea) and max(map(abs, result.area)) > _MOST_AREA:
        x0, z0, x1, z1 = (_clamped(each, _MOST_AREA) for each in result.area)
        result = replace(result, area=(x0, z0, x1, z1))
    if isinstance(result, GhostBlock):
        for name in ("floor", "ceiling"):
            offsets: Any = getattr(result, name)
            if max(map(abs, offsets)) > _MOST_HEIGHT:
                changes: dict[str, Any] = {name: tuple(_clamped(each, _MOST_HEIGHT) for each in offsets)}
                result = replace(result, **changes)
    if result is not obj:
        warn(about(room, T("{object} has numbers that no level can have; they are replaced", object=label)))
    return result


def _shape(shape: RoomShape) -> RoomShape:
    """Return a shape whose heights, diagonals and textures are usable, the same one if they are."""
    surfaces = {}
    for name in ("floor", "ceiling"):
        surface = getattr(shape, name)
        valid = (surface.diagonal >= 0) & (surface.diagonal <= Diagonal.XNZN)
        counts = (surface.split_count >= 0) & (surface.split_count <= MOST_SPLITS)
        heights = {each: getattr(surface, each) for each in ("heights", "splits")}
        if (
            valid.all()
            and counts.all()
            and not any(_exceeds(each, _MOST_HEIGHT) for each in heights.values())
        ):
            continue
        surfaces[name] = replace(
            surface,
            diagonal=np.where(valid, surface.diagonal, Diagonal.NONE),
            split_count=np.clip(surface.split_count, 0, MOST_SPLITS),
            **{each: np.clip(values, -_MOST_HEIGHT, _MOST_HEIGHT) for each, values in heights.items()},
        )
    return replace(shape, **surfaces) if surfaces else shape


def _exceeds(values: np.ndarray[Any, Any], most: float) -> bool:
    return bool(values.size) and not (values.min() >= -most and values.max() <= most)


def with_places(shape: RoomShape) -> RoomShape:
    """Return a shape whose faces have corners that are numbers.

    Those of damaged files are put outside of all images, so that their faces are left out.
    """
    faces = shape.faces
    names = [name for name in ("corners", "parent") if _exceeds(faces[name], _MOST_PIXEL)]
    if not names:
        return shape
    faces = faces.copy()
    for name in names:
        faces[name] = np.clip(np.nan_to_num(faces[name], nan=-_MOST_PIXEL), -_MOST_PIXEL, _MOST_PIXEL)
    return replace(shape, faces=faces)
