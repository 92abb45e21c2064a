"""Picture of triggers."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from bpy.types import Collection, Object
from mathutils import Vector

from . import save
from .cameras import colored, tube
from .example import from_above, import_example, only_rooms

_SIZE = 640, 460
_ROOMS = "Pillared Hall", "Pillared Hall North", "Pool Chamber", "Sanctum"
_BOX, _TARGET, _SOURCE = (0.95, 0.95, 0.95), (0.2, 0.9, 0.4), (1.0, 0.6, 0.1)


def draw(path: Path) -> None:
    """Draw the triggers of a level from above, with lines to their targets, as in the viewport."""
    root = import_example()
    rooms = only_rooms(root, _ROOMS)
    for obj in [obj for obj in root.all_objects if obj.tomb_raider.kind == "TRIGGER"]:
        if obj.parent in rooms:
            show_trigger(root, obj)
    save(path, from_above(rooms, _SIZE))


def show_trigger(root: Collection, obj: Object) -> None:
    """Add objects for overlays of the viewport: the box of a trigger, and the lines from it."""
    size = obj.empty_display_size
    corners = {
        sides: obj.matrix_world @ (Vector(sides) * size * 0.95) for sides in product((-1, 1), repeat=3)
    }
    for one, other in product(corners, repeat=2):
        if one < other and sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            root.objects.link(tube([corners[one], corners[other]], 0.03, colored("Box", _BOX)))
    settings = obj.tomb_raider.trigger
    ends = [(action.target, colored("Target", _TARGET)) for action in settings.actions]
    for end, material in [*ends, (settings.source, colored("Source", _SOURCE))]:
        if end is not None:
            places = [obj.matrix_world.translation, end.matrix_world.translation + Vector((0, 0, 0.2))]
            root.objects.link(tube(places, 0.045, material))
