"""Blender application handlers.

Older scenes are upgraded when files are opened. Edits of Blender's lights set the game's values and relight
what they shine on. New objects, and rooms whose mesh or sectors follow, are noted for a timer
(:mod:`.pending`): handlers make, copy, relink and remove no data-blocks. Painted texture pages are packed
into the file when it is saved. Views follow models that chains move.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from typing import TypeVar

import bpy
from bpy.app.handlers import persistent
from bpy.types import Collection, Depsgraph, Object, Scene
from mathutils import Vector

from ..formats import ExportError
from ..scene.core import OF_ROOMS, Kind, Space, handlers_active, is_level, is_local, level_of, levels, members
from . import pending
from .animation_views import following
from .base import stepped
from .base.text import i18n
from .mesh_from_sectors import overlay
from .state_graph import refreshing
from .texture_tiles import tools

_Handler = TypeVar("_Handler", bound=Callable[..., None])


def _persistent(handler: _Handler) -> _Handler:
    """Keep a handler registered when another file is opened."""
    persistent(handler)
    return handler


@_persistent
def _upgrade(*_args: object) -> None:
    from ..scene.upgrades import upgrade_all

    upgrade_all()


class _Watch:
    """State of the handlers between calls."""

    is_lighting = False  #: the light handler is running, so changes are its own.
    is_restored = False  #: undo or redo restored a step, and the update after it was not handled yet.
    posed: frozenset[int] | set[int] = frozenset()  #: session numbers of the models that are posed.
    is_shaping = False  #: whether collision is in edit mode.
    is_modeling = False  #: whether a room is in edit mode.

    def __init__(self) -> None:
        #: the positions of the selected rooms at the last call, by session numbers.
        self.positions: dict[int, Vector] = {}
        self.start_positions: dict[int, Vector] = {}  #: the same before the operator that moves them.
        self.skies: set[int] = set()  #: session numbers of levels whose sky was ever shown or hidden.

    @property
    def is_edited(self) -> bool:
        """Whether a room or its collision is in edit mode."""
        return self.is_shaping or self.is_modeling


_LIT = frozenset({*OF_ROOMS, Kind.LIGHT, Kind.ENTITY, Kind.PLACEMENT})  # kinds on which light depends

_POSED = (Kind.MODEL, Kind.CUTSCENE_ACTOR)

_PAUSE = 0.1  # seconds between the drawings of a room while its collision is dragged

_watch = _Watch()


@_persistent
def _note_added_objects(_scene: object, depsgraph: Depsgraph) -> None:
    """Note levels of which a collection has other objects than before. Dragging and orbiting update none.

    Blender also updates all parent collections, so checking the roots is sufficient. Undo and redo update
    collections, too, when they restore an object that is not claimed yet.
    """
    if handlers_active() and depsgraph.id_type_updated("COLLECTION"):
        updates = (update.id.original for update in depsgraph.updates if isinstance(update.id, Collection))
        roots = [collection for collection in updates if collection is not None and is_level(collection)]
        if roots:
            from .new.dropping import ray_of_drop

            pending.note_levels(roots, ray_of_drop())
    pending.start()


def _updated(depsgraph: Depsgraph, kinds: Container[str]) -> list[Object]:
    """Return the updated objects of some kinds that can be edited. The evaluated ones are copies of these."""
    objects = (update.id.original for update in depsgraph.updates if isinstance(update.id, Object))
    return [obj for obj in objects if obj and obj.tomb_raider.kind in kinds and obj.is_editable]


@_persistent
def _sync_lights(_scene: object, depsgraph: Depsgraph) -> None:
    """Set the game's values of lights that were changed by Blender's own tools."""
    if not handlers_active():
        return
    if _watch.is_restored:
        from ..scene.subjects.lights import take_over_restored

        with suppress(ExportError):
            take_over_restored()
        return
    active = depsgraph.view_layer.objects.active
    is_dragged = active is not None and active.tomb_raider.kind == Kind.LIGHT
    # Listing updates makes Blender walk over all objects: avoid that while other objects are dragged.
    if not depsgraph.id_type_updated("LIGHT") and not (is_dragged and depsgraph.id_type_updated("OBJECT")):
        return
    lights = _updated(depsgraph, {Kind.LIGHT})  # objects are updated together with their light data
    if lights:
        from ..scene.subjects.lights import take_over_all

        with suppress(ExportError):  # the next export reports it
            take_over_all(lights)


@_persistent
def _relight(_scene: object, depsgraph: Depsgraph) -> None:
    """Relight changed objects, and those that changed lights and rooms shine on."""
    is_restored, _watch.is_restored = _watch.is_restored, False
    if _watch.is_lighting or not handlers_active() or not depsgraph.id_type_updated("OBJECT"):
        return
    # Dragging an object outside levels must not cost a walk over all objects.
    active = depsgraph.view_layer.objects.active
    if not is_restored and active is not None and active.tomb_raider.kind not in _LIT:
        return
    # Blender reports nearly all objects as updated after undo.
    changed = [] if is_restored else _updated(depsgraph, _LIT)
    if changed or is_restored:
        from ..scene.subjects.lights import light_again, light_restored
        from ..scene.subjects.sky import show_sky

        _watch.is_lighting = True
        try:
            if is_restored:
                light_restored()
                roots = (
                    [root for root in levels() if root.session_uid in _watch.skies] if _watch.skies else []
                )
            else:
                roots = light_again(changed)
            for root in roots:
                if show_sky(root):
                    _watch.skies.add(root.session_uid)
            pending.note_fog(roots)
            pending.start()
        finally:
            _watch.is_lighting = False


@_persistent
def _note_restored(*_args: object) -> None:
    """Note that the next update follows undo or redo. That of a text causes none, so forget it soon."""
    _watch.is_restored = True
    if not bpy.app.timers.is_registered(_forget_restored):
        bpy.app.timers.register(_forget_restored, first_interval=0.0)


def _forget_restored() -> None:
    _watch.is_restored = False


@_persistent
def _claim_new_actions(_scene: object, depsgraph: Depsgraph) -> None:
    """Make new actions with keys animations of their models, or they are lost once others are shown."""
    if not handlers_active():
        return
    objects = depsgraph.view_layer.objects
    posed = objects.selected[:] if depsgraph.id_type_updated("ACTION") else []
    _claim_actions_of([objects.active, *posed])


def _claim_actions_of(objects: Iterable[Object | None]) -> None:
    for obj in objects:
        if obj is None or obj.type != "ARMATURE" or obj.tomb_raider.kind != Kind.MODEL:
            continue
        data = obj.animation_data
        if data is None or data.action is None:
            continue
        if len(data.nla_tracks):
            from ..scene.subjects.animations import drop_unused_tracks

            drop_unused_tracks(obj)
        if data.action.tomb_raider.model is None:
            from ..scene.subjects.animations import claim_new_action

            if claim_new_action(obj):
                from ..scene.authoring.control_rig import switch_new_action

                switch_new_action(obj, data.action)


@_persistent
def _claim_before_saving(*_args: object) -> None:
    """Make new actions that models use animations of them, so that they stay in the file, and mark copies.

    An opened file does not tell which of two objects was made first.
    """
    from ..scene.transfer.adoption import mark_copies

    _claim_actions_of(bpy.data.objects)
    for root in levels():
        if is_local(root):
            mark_copies(members(root))


@_persistent
def _show_bones(_scene: object, depsgraph: Depsgraph) -> None:
    """Show the bones of models that are posed, and hide those of models that no longer are."""
    if not handlers_active() or not depsgraph.id_type_updated("OBJECT"):
        return
    active = depsgraph.view_layer.objects.active
    posing = {active} if active is not None and active.mode in ("POSE", "EDIT") else set()
    if posing and active is not None and active.type == "ARMATURE":
        posing |= {obj for obj in depsgraph.view_layer.objects.selected if obj.type == "ARMATURE"}
    posed = {obj.session_uid for obj in posing if obj.tomb_raider.kind in _POSED}
    if posed == _watch.posed:
        return
    from ..scene.subjects.models import show_bones

    changed, _watch.posed = posed ^ _watch.posed, posed
    for obj in bpy.data.objects:
        if obj.session_uid in changed and obj.type == "ARMATURE" and obj.is_editable:
            show_bones(obj)


@_persistent
def _note_pose(scene: Scene, depsgraph: Depsgraph) -> None:
    """Note the pose of the posed model when another frame or animation is shown, for *Spread Edit*."""
    active = depsgraph.view_layer.objects.active
    if active is None or active.mode != "POSE" or active.tomb_raider.kind not in _POSED:
        return
    if depsgraph.mode != "VIEWPORT":  # renders run in another thread
        return
    if handlers_active() and active.is_editable and active.pose is not None:
        from ..scene.authoring.animation_tools import note_pose

        note_pose(active, scene.frame_current + scene.frame_subframe)


@_persistent
def _note_edited_rooms(_scene: object, depsgraph: Depsgraph) -> None:
    """Schedule updates of rooms and collision, of which one may follow the other, and of the overlay."""
    active = depsgraph.view_layer.objects.active
    was_edited = _watch.is_edited
    kind = "" if active is None else active.tomb_raider.kind
    mode = "" if active is None else active.mode
    _watch.is_shaping = kind == Kind.COLLISION and mode == "EDIT"
    _watch.is_modeling = kind == Kind.ROOM and mode == "EDIT"
    if _watch.is_edited and (not was_edited or depsgraph.id_type_updated("MESH")):
        overlay.note_edit()
    if was_edited and not _watch.is_edited:
        _note_all()
    # Delayed, since a drag sends an update for each move of the mouse.
    elif _watch.is_shaping and depsgraph.id_type_updated("MESH"):
        _start_drawing(_PAUSE)
    elif active is not None and kind == Kind.ROOM and mode == "OBJECT":
        _note_shaped_room(active, depsgraph)


@_persistent
def _note_moved_rooms(_scene: object, depsgraph: Depsgraph) -> None:
    """Snap selected rooms to the grid while an operator moves them; note those moved in other ways.

    The operator computes each move from where it started, and its undo step holds the snapped positions.
    Opening a file, or undo, moves none.
    """
    active = depsgraph.view_layer.objects.active
    if active is None or active.tomb_raider.kind != Kind.ROOM or active.mode != "OBJECT":
        _watch.positions, _watch.start_positions = {}, {}
        return
    selected = depsgraph.view_layer.objects.selected[:]
    rooms = [obj for obj in selected if obj.tomb_raider.kind == Kind.ROOM]
    positions = {room.session_uid: room.matrix_world.translation.copy() for room in rooms}
    before, _watch.positions = _watch.positions, positions
    moved = [uid for uid, position in positions.items() if before.get(uid, position) != position]
    if not moved or not handlers_active():
        return
    if stepped.is_operator_running():
        _watch.start_positions = _watch.start_positions or before
        _snap_moving(active, selected, depsgraph)
        _watch.positions = {room.session_uid: room.matrix_world.translation.copy() for room in rooms}
        return
    # A canceled move ends where it started.
    starts, _watch.start_positions = _watch.start_positions, {}
    moved = [uid for uid in moved if starts.get(uid) != positions[uid]]
    if moved:
        pending.note_moved(moved)
        pending.start()


def _snap_moving(active: Object, selected: list[Object], depsgraph: Depsgraph) -> None:
    from ..scene.subjects.rooms import snap_along

    root = level_of(active)
    if root is not None and active.is_editable and snap_along(active, selected, Space.of(root)):
        depsgraph.view_layer.update()


def _note_shaped_room(room: Object, depsgraph: Depsgraph) -> None:
    """Schedule updates after a change of a room outside of edit mode: of its mesh, modifiers or settings."""
    if room.tomb_raider.room.mesh_and_sectors == "INDEPENDENT" or not handlers_active():
        return
    blocks: tuple[object, ...] = (room, room.data)
    if any(update.is_updated_geometry and update.id.original in blocks for update in depsgraph.updates):
        _note_all()


def _start_drawing(seconds: float) -> None:
    if not bpy.app.timers.is_registered(_draw_shaped):
        bpy.app.timers.register(_draw_shaped, first_interval=seconds)


def _draw_shaped() -> None:
    """Redraw the rooms whose collision is in edit mode.

    These are looked up at this time, since undo may have replaced them. Leaving edit mode pushes the undo
    step that holds the changes.
    """
    from ..scene.authoring.mesh_from_sectors import draw_shaped

    shaped = [
        obj
        for obj in bpy.data.objects
        if obj.mode == "EDIT" and obj.type == "MESH" and obj.tomb_raider.kind == Kind.COLLISION
    ]
    if shaped:
        draw_shaped(levels(), shaped)
        pending.note_shaped(shaped)


@_persistent
def _note_all(*_args: object) -> None:
    """Note all levels: undo may restore a step before a claim, and does not undo rooms drawn in edit mode."""
    roots = levels()
    pending.note_levels(roots)
    pending.note_fog(roots)
    pending.start()
    if _watch.is_shaping:
        _start_drawing(0.0)
    if _watch.is_edited:
        overlay.note_edit()


@_persistent
def _follow(scene: Scene, *_args: object) -> None:
    following.follow(scene)
    refreshing.note_frame()


@_persistent
def _forget_positions(*_args: object) -> None:
    """Forget the positions of rooms: what undo moves, the user does not move."""
    _watch.positions, _watch.start_positions = {}, {}
    pending.forget_moved()


@_persistent
def _listen(*_args: object) -> None:
    """Subscribe again to changes of the language and of the tool, which Blender forgets."""
    i18n.listen()
    tools.listen()


@_persistent
def _reload_images(*_args: object) -> None:
    from ..scene.authoring.texture_regions import reload_images

    reload_images()


@_persistent
def _pack(*_args: object) -> None:
    """Pack painted pages, pictures and the original level files into the saved file."""
    from ..scene.core import pack_for_saving
    from ..scene.subjects.textures import compress_pictures, pack_painted

    for root in levels():
        pack_painted(root)
        compress_pictures(root)
        pack_for_saving(root)


@_persistent
def _store_sounds(*_args: object) -> None:
    """Store on each model the sounds that it plays, so that they are copied to other files with it."""
    from ..scene.subjects.sounds import note_all

    note_all(levels())


_LISTS = ("load_post", "save_pre", "blend_import_post")  # blend_import_post exists from 5.0 on


_HANDLERS = (
    *((name, _upgrade) for name in _LISTS),
    ("save_pre", _pack),
    ("save_pre", _claim_before_saving),
    ("save_pre", _store_sounds),
    ("depsgraph_update_post", _note_added_objects),
    ("depsgraph_update_post", _sync_lights),
    ("depsgraph_update_post", _relight),
    ("depsgraph_update_post", _claim_new_actions),
    ("depsgraph_update_post", _show_bones),
    ("depsgraph_update_post", _note_pose),
    ("frame_change_post", _note_pose),
    ("depsgraph_update_post", _note_edited_rooms),
    ("depsgraph_update_post", _note_moved_rooms),
    ("frame_change_post", _follow),
    ("load_post", _forget_positions),
    ("load_post", _listen),
    ("undo_post", _forget_positions),
    ("redo_post", _forget_positions),
    ("undo_post", _note_restored),
    ("redo_post", _note_restored),
    ("undo_post", _note_all),
    ("undo_post", _reload_images),
    ("redo_post", _note_all),
    ("redo_post", _reload_images),
)


def register() -> None:
    for name, handler in _HANDLERS:
        if hasattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    for name, handler in _HANDLERS:
        if hasattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).remove(handler)
    for timer in (_draw_shaped, _forget_restored):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    pending.unregister()
