"""What happens by itself.

Older scenes are upgraded as files are opened, what people add is adopted, what they change about the lights
that Blender shows is changed for the game and seen on what they light, rooms that are drawn from their
sectors follow these, and what they paint on texture pages is saved with the file.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import TypeVar

import bpy
from bpy.app.handlers import persistent
from bpy.types import Collection, Depsgraph, Object

from ..scene.core.handler_suspension import is_watched
from ..scene.core.members import is_level
from .base.i18n import marked
from .base.reports import tell_later

_Handler = TypeVar("_Handler", bound=Callable[..., None])


def _kept(handler: _Handler) -> _Handler:
    """Let a handler stay while other files are opened."""
    persistent(handler)
    return handler


@_kept
def _upgrade(*_args: object) -> None:
    from ..scene.upgrades.versions import upgrade_all

    upgrade_all()


class _Watch:
    """Sees that something was added to a scene, at no cost while nothing is.

    Attributes:
        is_adopting: what is adopted is a change of the scene, too.
        is_lighting: so is what is lit.
        posed: the models that are posed, by the numbers that objects have in a session.
        is_shaping: whether collision is in edit mode.
        shaped: the collision meshes that rooms were drawn from since then, by the same numbers.
    """

    is_adopting = False
    is_lighting = False
    posed: frozenset[int] | set[int] = frozenset()
    is_shaping = False
    shaped: frozenset[int] | set[int] = frozenset()


_LIT = frozenset({"ROOM", "LIGHT", "ENTITY", "PLACEMENT"})  # kinds on which light depends

_PAUSE = 0.1  # seconds between the drawings of a room while its collision is dragged

_watch = _Watch()


def _adopt(roots: Sequence[Collection]) -> None:
    if not roots:
        return
    from ..formats import ExportError
    from ..scene.core.report import Report
    from ..scene.subjects.lights.fog import follow_fog_bulbs
    from ..scene.transfer.adoption.adoption import adopt
    from .new.dropping import land_dropped

    _watch.is_adopting = True
    report = Report()
    try:
        for root in roots:
            with suppress(ExportError):  # which the next export says
                land_dropped(root, adopt(root, report).objects)
            follow_fog_bulbs(root)
    finally:
        _watch.is_adopting = False
    if report.messages:
        tell_later(marked("Brought from another level"), report.warnings)


@_kept
def _adopt_what_was_added(_scene: object, depsgraph: Depsgraph) -> None:
    """Look once a collection has others in it than before: dragging and orbiting do not touch any.

    With it, all collections above it are updated: no other levels need to be looked at. Undo and redo update
    them, too, when they bring a thing without what its adoption has made of it.
    """
    if _watch.is_adopting or not is_watched() or not depsgraph.id_type_updated("COLLECTION"):
        return
    updated = [each.id.original for each in depsgraph.updates if isinstance(each.id, Collection)]
    _adopt([each for each in updated if each is not None and is_level(each)])


@_kept
def _take_over_lights(_scene: object, depsgraph: Depsgraph) -> None:
    """Let lights that were changed by Blender's own means have the game's values for that."""
    if not is_watched():
        return
    active = depsgraph.view_layer.objects.active
    is_dragged = active is not None and active.tomb_raider.kind == "LIGHT"
    # Blender walks over all objects to say which were changed: not while others are dragged.
    if not depsgraph.id_type_updated("LIGHT") and not (is_dragged and depsgraph.id_type_updated("OBJECT")):
        return
    # Objects are among what was updated with their lights. What is evaluated is a copy.
    things = (update.id.original for update in depsgraph.updates if isinstance(update.id, Object))
    lights = [each for each in things if each and each.tomb_raider.kind == "LIGHT" and each.is_editable]
    if lights:
        from ..formats import ExportError
        from ..scene.subjects.lights.light_sync import take_over_all

        with suppress(ExportError):  # which the next export says
            take_over_all(lights)


@_kept
def _light_again(_scene: object, depsgraph: Depsgraph) -> None:
    """Light things anew that were changed, and those that changed lights and rooms light."""
    if _watch.is_lighting or not is_watched() or not depsgraph.id_type_updated("OBJECT"):
        return
    # Dragging what is no part of a level costs no walk over all objects.
    active = depsgraph.view_layer.objects.active
    if active is not None and active.tomb_raider.kind not in _LIT:
        return
    things = (update.id.original for update in depsgraph.updates if isinstance(update.id, Object))
    changed = [each for each in things if each and each.tomb_raider.kind in _LIT and each.is_editable]
    if changed:
        from ..scene.subjects.lights.object_lighting import light_again
        from ..scene.subjects.sky.sky import show_sky

        _watch.is_lighting = True
        try:
            for root in light_again(changed):
                show_sky(root)
        finally:
            _watch.is_lighting = False


@_kept
def _show_bones(_scene: object, depsgraph: Depsgraph) -> None:
    """Show the bones of models that are posed now, and hide those of models that no more are."""
    if not is_watched() or not depsgraph.id_type_updated("OBJECT"):
        return
    active = depsgraph.view_layer.objects.active
    posing = {active} if active is not None and active.mode in ("POSE", "EDIT") else set()
    if posing and active is not None and active.type == "ARMATURE":
        posing |= {each for each in depsgraph.view_layer.objects.selected if each.type == "ARMATURE"}
    posed = {each.session_uid for each in posing if each.tomb_raider.kind == "MODEL"}
    if posed == _watch.posed:
        return
    from ..scene.subjects.models.models import show_bones

    changed, _watch.posed = posed ^ _watch.posed, posed
    for thing in bpy.data.objects:
        if thing.session_uid in changed and thing.type == "ARMATURE" and thing.is_editable:
            show_bones(thing)


@_kept
def _draw_rooms_again(_scene: object, depsgraph: Depsgraph) -> None:
    """Draw rooms anew that follow their collision, while it is shaped and once its edit mode is left."""
    active = depsgraph.view_layer.objects.active
    was_shaping = _watch.is_shaping
    kind = "" if active is None else active.tomb_raider.kind
    _watch.is_shaping = kind == "COLLISION" and active is not None and active.mode == "EDIT"
    if was_shaping and not _watch.is_shaping:
        shaped, _watch.shaped = _watch.shaped, set()
        _draw_rooms(shaped)
        return
    is_changed = _watch.is_shaping and depsgraph.id_type_updated("MESH")
    # Not now: a drag brings an update for each move of the mouse.
    if is_changed and not bpy.app.timers.is_registered(_draw_shaped):
        bpy.app.timers.register(_draw_shaped, first_interval=_PAUSE)


def _draw_shaped() -> None:
    """Draw the rooms anew whose collision is in edit mode. What they are is asked now: undo may have come."""
    from ..scene.authoring.mesh_from_sectors.room import draw_shaped
    from ..scene.core.members import levels

    shaped = [
        thing
        for thing in bpy.data.objects
        if thing.mode == "EDIT" and thing.type == "MESH" and thing.tomb_raider.kind == "COLLISION"
    ]
    if shaped:
        draw_shaped(levels(), shaped)
        _watch.shaped |= {thing.session_uid for thing in shaped}


def _draw_rooms(shaped: Container[int]) -> None:
    from ..scene.authoring.mesh_from_sectors.room import draw_again
    from ..scene.core.members import levels

    for root in levels():
        draw_again(root, shaped)


@_kept
def _draw_all_again(*_args: object) -> None:
    """Undo in edit mode takes back what was done to the collision, but not what was drawn from that."""
    _draw_rooms(())


@_kept
def _read_images_again(*_args: object) -> None:
    from ..scene.authoring.texture_regions.regions import read_again

    read_again()


@_kept
def _pack(*_args: object) -> None:
    """Pack what users have painted, pages, and the files that levels come from, into the saved file."""
    from ..scene.core.members import levels
    from ..scene.core.original import pack_for_saving
    from ..scene.subjects.textures.saving import compress_pictures, pack_painted

    for root in levels():
        pack_painted(root)
        compress_pictures(root)
        pack_for_saving(root)


@_kept
def _note_sounds(*_args: object) -> None:
    """Let models refer to the sounds that they play: they go with them to other files."""
    from ..scene.core.members import levels
    from ..scene.subjects.sounds.of_models import note_all

    note_all(levels())


_LISTS = ("load_post", "save_pre", "blend_import_post")  # the last one exists from 5.0 on


_HANDLERS = (
    *((name, _upgrade) for name in _LISTS),
    ("save_pre", _pack),
    ("save_pre", _note_sounds),
    ("depsgraph_update_post", _adopt_what_was_added),
    ("depsgraph_update_post", _take_over_lights),
    ("depsgraph_update_post", _light_again),
    ("depsgraph_update_post", _show_bones),
    ("depsgraph_update_post", _draw_rooms_again),
    ("undo_post", _draw_all_again),
    ("undo_post", _read_images_again),
    ("redo_post", _draw_all_again),
    ("redo_post", _read_images_again),
)


def register() -> None:
    for name, handler in _HANDLERS:
        if hasattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    for name, handler in _HANDLERS:
        if hasattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(_draw_shaped):
        bpy.app.timers.unregister(_draw_shaped)
