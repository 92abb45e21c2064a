"""Work that handlers schedule for a timer, since handlers make, copy, relink and remove no data-blocks.

Changes by a handler are in no undo step, and data-blocks that Blender evaluates must not be removed. The
timer runs between events: it reconciles the noted levels, and pushes an undo step if that changed anything.
Only session numbers are stored, since undo and opening a file replace data-blocks. Timers do not run without
a window: operators and the command line reconcile the levels that they export.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.types import Collection, Object

from ..formats import ExportError
from ..formats.base import N_
from ..scene.core import Kind, Space, levels, members_of
from .base import stepped
from .base.reconciling import push_undo
from .base.reports import popup_later

if TYPE_CHECKING:
    from .new.dropping import Ray

_MODES = frozenset({"OBJECT", "POSE"})  # undo steps of other modes hold the edited object only


class _Pending:
    """Scheduled work, by session numbers of data-blocks."""

    def __init__(self) -> None:
        self.levels: set[int] = set()  #: root collections to reconcile.
        self.foggy: set[int] = set()  #: root collections whose fog bulbs may have changed.
        #: collision meshes whose rooms were drawn while they were in edit mode.
        self.shaped: set[int] = set()
        self.moved: set[int] = set()  #: rooms that were moved, to be snapped to the grid.
        #: line of sight under the mouse at which the last operator dropped an object.
        self.ray: Ray | None = None
        self.is_claiming = False  #: the timer is running, so changes are its own and are not noted.


_pending = _Pending()


def note_levels(roots: Iterable[Collection], ray: Ray | None = None) -> None:
    """Note levels that have new objects or changed collision.

    The ray is the line of sight at which an object was dropped, if one was.
    """
    if not _pending.is_claiming:
        _pending.levels |= {root.session_uid for root in roots}
        _pending.ray = ray or _pending.ray


def note_fog(roots: Iterable[Collection]) -> None:
    """Note levels whose fog bulbs may have changed."""
    _pending.foggy |= {root.session_uid for root in roots}


def note_shaped(objects: Iterable[Object]) -> None:
    """Note collision meshes whose rooms were drawn while they were in edit mode."""
    _pending.shaped |= {obj.session_uid for obj in objects}


def note_moved(numbers: Iterable[int]) -> None:
    """Note rooms that were moved, by their session numbers."""
    if not _pending.is_claiming:
        _pending.moved |= set(numbers)


def forget_moved() -> None:
    """Forget the rooms that were moved."""
    _pending.moved.clear()


def start() -> None:
    """Start the timer if there is work."""
    has_work = _pending.levels or _pending.foggy or _pending.moved
    if has_work and not bpy.app.timers.is_registered(work):
        bpy.app.timers.register(work, first_interval=0.0)


def work() -> float | None:
    """Do the scheduled work as far as possible now; called by the timer."""
    show_fog()
    if not (_pending.levels or _pending.moved) or not _is_undo_possible():
        return None  # the next change starts the timer again
    if stepped.is_operator_running():
        return stepped.OPERATOR_PAUSE
    claim()
    return None


def show_fog() -> None:
    """Update the fog bulbs of the noted levels, also while an operator moves them."""
    from ..scene.subjects.lights import follow_fog_bulbs

    for root in _looked_up(_pending.foggy):
        follow_fog_bulbs(root)
    _pending.foggy.clear()


def claim() -> bool:
    """Reconcile the noted levels. Return whether that changed anything; if so, an undo step was pushed."""
    from ..scene.core import Report
    from ..scene.transfer.adoption import reconcile
    from .new.dropping import place_dropped

    roots, shaped, ray = _looked_up(_pending.levels), frozenset(_pending.shaped), _pending.ray
    _pending.levels.clear()
    _pending.shaped.clear()
    _pending.ray = None
    report, is_changed = Report(), False
    moved = frozenset(_pending.moved)
    _pending.moved.clear()
    _pending.is_claiming = True
    try:
        is_changed |= bool(moved) and _snap(moved)
        for root in roots:
            try:
                adopted = reconcile(root, report, shaped)
            except ExportError:  # the next export reports it
                continue
            place_dropped(root, adopted.objects, ray)
            is_changed |= adopted.is_changed
        if is_changed:
            bpy.context.view_layer.update()
    finally:
        _pending.is_claiming = False
    note_fog(roots)
    show_fog()
    if is_changed:
        push_undo()
    if report.messages:
        popup_later(N_("Added from another level"), report.warnings)
    return is_changed


def _snap(moved: frozenset[int]) -> bool:
    """Move rooms to the grid, and return whether any was off it."""
    from ..scene.subjects.rooms import snap_to_grid

    was_off = False
    for root in levels():
        rooms = [room for room in members_of(root, Kind.ROOM) if room.session_uid in moved]
        if rooms:
            was_off |= bool(snap_to_grid(rooms, Space.of(root)))
    return was_off


def _looked_up(numbers: set[int]) -> list[Collection]:
    return [root for root in levels() if root.session_uid in numbers]


def _is_undo_possible() -> bool:
    """Return whether an undo step pushed now holds all changes, and discards no redo steps."""
    redo: Any = bpy.ops.ed.redo
    windows = bpy.context.window_manager.windows
    actives = (window.view_layer.objects.active for window in windows)
    return not redo.poll() and all(active is None or active.mode in _MODES for active in actives)


def unregister() -> None:
    if bpy.app.timers.is_registered(work):
        bpy.app.timers.unregister(work)
