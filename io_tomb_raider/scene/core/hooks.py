"""Hooks of other add-ons in imports and exports of levels.

An add-on takes part if its main module has a class ``TombRaiderHooks``. Extensions have no fixed import path,
so this module looks for the class in all enabled add-ons, as Blender's glTF add-on does. The class may have
any of these methods; each import and each export makes one instance of it:

- ``before_import(context)``: the file is decoded, and no object exists yet.
- ``import_object(context, obj, record)``: for each object of the complete level.
- ``after_import(context)``: the level is complete and in the scene.
- ``before_export(context)``: no object has been read yet.
- ``export_object(context, obj, record)``: for each object of the level; changes of the record are exported.
- ``after_export(context)``: the level is complete, and not written yet.

``context`` is the :class:`~.context.ImportContext` or :class:`~.context.ExportContext` of the subjects.
``record`` is the object's record in ``context.level``, or None for objects without exactly one.

An add-on that raises an exception is reported and not called again in that import or export. An import keeps
its earlier changes; an export contains all changes of an add-on or none.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import addon_utils
import bpy
import numpy as np
from bpy.types import Object

from ...formats import Level, read_level
from ...formats.base import T
from ...formats.edits.references import differences
from .blender.cleanup import undone_on_failure
from .context import ExportContext, ImportContext
from .membership import members
from .reporting.report import Message, Report
from .reporting.results import Place
from .subjects import Kind

CLASS = "TombRaiderHooks"
_ADDON_UTILS: Any = addon_utils  # the stubs have wrong types
# The lists of the level, and of its rooms, by the kinds of their objects.
_OF_LEVELS = {
    Kind.ROOM: "rooms",
    Kind.MODEL: "models",
    Kind.STATIC_MESH: "static_meshes",
    Kind.SPRITE_TEXTURE: "sprite_textures",
    Kind.ENTITY: "entities",
    Kind.AI_OBJECT: "ai_objects",
    Kind.CAMERA: "cameras",
    Kind.SINK: "cameras",
    Kind.FLYBY: "flyby_cameras",
    Kind.SOUND_SOURCE: "sound_sources",
}
_OF_ROOMS = {
    Kind.PLACEMENT: ("static_meshes",),
    Kind.LIGHT: ("lights", "fog_bulbs"),
    Kind.SPRITE: ("sprites",),
    Kind.PORTAL: ("portals",),
}


class Hooks:
    """The hooks of one import or export, those of all enabled add-ons.

    Args:
        wanted: whether hooks are called at all.
    """

    def __init__(self, report: Report, *, wanted: bool = True) -> None:
        modules = _enabled() if wanted else ()
        self._all = [_AddOn(module, report) for module in modules]

    def __bool__(self) -> bool:
        return any(each.is_running for each in self._all)

    def before_import(self, context: ImportContext) -> None:
        """Call the hooks before an import."""
        for each in self._all:
            each.call("before_import", context)

    def after_import(self, context: ImportContext) -> None:
        """Call the hooks of all imported objects, then those after an import."""
        for each in self._all:
            if each.has("import_object"):
                _each_object(each, context)
            each.call("after_import", context)

    def before_export(self, context: ExportContext) -> None:
        """Call the hooks before an export. They read a copy of the original level."""
        for each in self._all:
            if each.has("before_export"):
                each.call("before_export", replace(context, level=_copy(context.level)))

    def after_export(self, context: ExportContext) -> None:
        """Call the hooks of all exported objects, then those after an export.

        The level of the context becomes that of each add-on which neither failed nor broke the level.
        """
        for each in self._all:
            if each.has("export_object", "after_export"):
                _export(each, context)


class _AddOn:
    """The hooks of one add-on."""

    def __init__(self, module: ModuleType, report: Report) -> None:
        self._module = module
        self._name = str(_ADDON_UTILS.module_bl_info(module).get("name") or module.__name__)
        self._report = report
        self._instance: Any = None
        self.is_running = True  #: whether they are called.
        self.run(CLASS, self._make)

    def _make(self) -> None:
        self._instance = getattr(self._module, CLASS)()

    def has(self, *methods: str) -> bool:
        """Return whether the add-on has one of some methods, and none has failed."""
        return self.is_running and any(callable(getattr(self._instance, each, None)) for each in methods)

    def call(self, method: str, *arguments: Any, obj: str = "") -> None:
        """Call a method if the add-on has it, see :meth:`run`."""
        if self.has(method):
            self.run(method, lambda: getattr(self._instance, method)(*arguments), obj)

    def run(self, method: str, function: Callable[[], object], obj: str = "") -> None:
        """Run code of the add-on. If it raises, report that, and remove the data-blocks that it has made."""
        try:
            with undone_on_failure():
                function()
        except Exception as error:  # an add-on may raise anything
            self.fail(method, error, obj)

    def fail(self, method: str, error: Exception, obj: str = "") -> None:
        """Report an error, and stop calling the add-on."""
        self.is_running = False
        kind, line = type(error).__name__, self._line(error)
        where = ", ".join(part for part in (method, obj, line) if part)
        message = Message(
            self._name,
            T(
                "an error in this add-on, {kind}: {error} ({where}). "
                "Its hooks are skipped: update or disable the add-on",
                kind=kind,
                error=str(error),
                where=where,
            ),
        )
        self._report.warn(*message)
        self._report.tracebacks[message] = "".join(traceback.format_exception(error))

    def _line(self, error: Exception) -> str:
        """Return the innermost line of the add-on's own code in a traceback, "" if there is none."""
        folder = Path(self._module.__file__ or "").parent
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            path = Path(frame.filename)
            if path == Path(self._module.__file__ or "") or (
                hasattr(self._module, "__path__") and path.is_relative_to(folder)
            ):
                return f"line {frame.lineno} of {path.name}"
        return ""


def _enabled() -> Iterable[ModuleType]:
    """Return the modules of the enabled add-ons that have hooks."""
    names = bpy.context.preferences.addons.keys()
    modules = (sys.modules.get(name) for name in names)
    return [module for module in modules if module is not None and hasattr(module, CLASS)]


def _each_object(add_on: _AddOn, context: ImportContext) -> None:
    places = _imported_places(context.level)
    for obj in members(context.root):
        try:
            name, kind, index = obj.name, obj.tomb_raider.kind, obj.tomb_raider.index
        except ReferenceError:  # an add-on has removed it
            continue
        of_kind = places.get(Kind(kind), ())
        record = of_kind[index].record(context.level) if 0 <= index < len(of_kind) else None
        if kind != Kind.NONE:
            add_on.call("import_object", context, obj, record, obj=name)


def _imported_places(level: Level) -> Mapping[Kind, list[Place]]:
    """Return the places of all records by the kind of their objects, in the order of ``index``."""
    result: dict[Kind, list[Place]] = {}
    for kind, section in _OF_LEVELS.items():
        result[kind] = [Place(section, number) for number in range(len(getattr(level, section, ())))]
    rooms = getattr(level, "rooms", ())
    for kind, sections in _OF_ROOMS.items():
        result[kind] = [
            Place(section, number, room)
            for section in sections
            for room, each in enumerate(rooms)
            for number in range(len(getattr(each, section)))
        ]
    return result


def _export(add_on: _AddOn, context: ExportContext) -> None:
    """Run the hooks of an add-on on a copy of the level, and take that copy over if all is well."""
    copied = replace(context, level=_copy(context.level))
    if add_on.has("export_object"):
        for obj, kind in context.level_objects.kinds.items():
            if kind != Kind.NONE:
                _export_object(add_on, copied, obj)
    add_on.call("after_export", copied)
    if add_on.is_running:
        add_on.run("after_export", lambda: _take_over(context, copied.level))


def _export_object(add_on: _AddOn, context: ExportContext, obj: Object) -> None:
    place = context.places.get(obj)

    def call() -> None:
        record = None if place is None else place.record(context.level)
        add_on.call("export_object", context, obj, record, obj=obj.name)

    if add_on.is_running:
        add_on.run("export_object", call, obj.name)  # the add-on may have removed the record


def _take_over(context: ExportContext, level: Level) -> None:
    """Make an add-on's level the exported one, and count its changes.

    Raises:
        Exception: of any type, if the level cannot be written and read back.
    """
    reread = read_level(level.to_bytes(), name=f"level{level.game.traits.suffix}")
    lost = next(differences(level, reread), None)
    if lost is not None:
        raise ValueError(f"{lost.section} cannot be written: {lost.text}")
    changed = {(each.section, each.element) for each in differences(context.level, level)}
    for section, _ in sorted(changed):
        context.rebuilt.count(section)
    vars(context.level).update(vars(level))


def _copy(level: Level) -> Level:
    """Return a copy of a level with writable arrays of its own."""
    result = level.copy()
    for owner in chain([result], getattr(result, "rooms", ())):
        for name, value in vars(owner).items():
            if isinstance(value, np.ndarray):
                setattr(owner, name, value.copy())
    return result
