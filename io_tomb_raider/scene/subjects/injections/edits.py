"""The list of edits that TRX makes when it loads a level: made when the block is read, to disable and choose.

Edits that the scene shows as data of the level, such as sounds and pages, are not in it.

The block itself stays the truth: entries name its records by their keys, and hold nothing else that is
exported.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Collection, Object

from ....catalogue import names
from ....formats import Game
from ....formats.base import T, as_message, pack, unpack
from ....formats.edits.injections import edits_of
from ....formats.levels.injections import Injection
from ....formats.levels.views import THE_LEVEL, Element
from ...core.membership import members
from ...core.reporting.report import storable
from ...core.subjects import Kind

_BY_INDEX: dict[str, str] = {
    Kind.ENTITY: "entity",
    Kind.ROOM: "room",
    Kind.CAMERA: "camera",
    Kind.SINK: "camera",
}


def list_edits(root: Collection, injection: Injection | None, disabled: Iterable[str] = ()) -> None:
    """Replace the list of edits of a level."""
    settings = root.tomb_raider
    settings.edits.clear()
    settings.active_edit = 0
    edits = [] if injection is None else edits_of(injection)
    if not edits:
        return
    objects, off = _objects(root), set(disabled)
    for edit in edits:
        item = settings.edits.add()
        item.key, item.is_enabled = edit.key, edit.key not in off
        item.label, item.detail = storable(pack(edit.label)), storable(pack(edit.detail))
        target = objects.get((edit.target.kind, edit.target.number))
        item.subject = storable(pack(_name(root, edit.target)))
        if target is not None:
            item.target = target


def disabled_edits(root: Collection) -> set[str]:
    """Return the keys of the edits of a level that are not exported."""
    return {item.key for item in root.tomb_raider.edits if not item.is_enabled}


def label_of(item: Any) -> str:
    """Return the kind of an edit of the list, as a message."""
    return as_message(unpack(item.label))


def detail_of(item: Any) -> str:
    """Return the new values of an edit of the list, as a message."""
    return as_message(unpack(item.detail))


def subject_of(item: Any) -> str:
    """Return the name of the element that an edit of the list changes, as a message."""
    return str(item.target.name) if item.target is not None else as_message(unpack(item.subject))


def _objects(root: Collection) -> dict[tuple[str, int], Object]:
    """Return the objects that edits can change, by kind and number of the element."""
    result: dict[tuple[str, int], Object] = {}
    for obj in members(root):
        settings = obj.tomb_raider
        kind = _BY_INDEX.get(settings.kind)
        if kind is not None and settings.index >= 0:
            result.setdefault((kind, settings.index), obj)
        elif settings.kind == Kind.MODEL:
            result.setdefault(("model", settings.model.id), obj)
        elif settings.kind == Kind.STATIC_MESH:
            result.setdefault(("static mesh type", settings.static_mesh.id), obj)
    return result


def _name(root: Collection, element: Element) -> str:
    """Return the name of an element for users."""
    if element == THE_LEVEL:
        return T("Level")
    number, catalogue = element.number, names(Game[root.tomb_raider.game])
    if element.kind in ("model", "sprite"):
        return catalogue.model(number) if element.kind == "model" else T("Sprite {number}", number=number)
    if element.kind == "sound":
        return catalogue.sound(number)
    return T("{kind} {number}", kind=as_message(_KINDS.get(element.kind, element.kind)), number=number)


_KINDS = {
    "entity": "Entity",
    "room": "Room",
    "camera": "Camera",
    "static mesh type": "Static mesh",
    "page": "Page",
    "animated texture": "Animated texture",
}
