"""Picture of entities."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from . import save
from .cameras import colored, tube
from .example import at, import_example, move_lara, rendered, spread_wings, view_at

_SIZE = 640, 400
_VIEW = (25.5, 4.2, 25.8), (23.5, 1.9, 31.0)
_BAT = 24.9, 4.2, 29.2
_GUARD = ((21.5, 0, 30.0), -70.0), ((24.5, 0, 33.0), 180.0), ((25.6, 0, 28.6), 60.0)  # marks, degrees


def draw(path: Path) -> None:
    """Draw the entities of a level from above, and arrows for AI objects."""
    root = import_example()
    move_lara((23.9, 0.0, 28.9), 30.0)
    bpy.data.objects["Bat 1"].location = at(*_BAT)
    spread_wings()
    for place, angle in _GUARD:
        bpy.context.scene.cursor.location = at(*place)
        bpy.ops.tomb_raider.add_camera(kind="AI_OBJECT")
        bpy.context.object.rotation_euler.z = np.radians(angle)
    bpy.context.view_layer.update()
    for obj in [obj for obj in root.all_objects if obj.tomb_raider.kind == "AI_OBJECT"]:
        matrix = obj.matrix_world
        tip = matrix @ Vector((0, 1.1, 0.15))
        for start in ((0, -0.2, 0.15), (0.35, 0.75, 0.15), (-0.35, 0.75, 0.15)):
            places = [matrix @ Vector(start), tip]
            root.objects.link(tube(places, 0.06, colored("Mark", (0.2, 0.75, 1.0))))
    save(path, rendered(view_at(*_VIEW, lens=26), _SIZE, exposure=1.2))
