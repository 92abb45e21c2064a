"""Icon and featured image of the listing on Blender's extensions platform, from the example.

The sizes are those that the platform asks for.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray
from PIL import Image

from .. import pictures
from .example import HALL, LARA_IN_HALL, import_example, move_lara, rendered, view_at

ICON = 256, 256
FEATURED = 1920, 1080


def draw(path: Path) -> None:
    """Draw both pictures into the folder of this page's name."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    import_example()
    move_lara(*LARA_IN_HALL)
    featured = rendered(view_at(*HALL), FEATURED)
    Image.fromarray(featured[..., :3].copy()).quantize(256).save(folder / "featured.png", optimize=True)
    pictures.save(folder / "icon.png", _icon())


def _icon() -> NDArray[np.uint8]:
    """Return the idol of the example without a background."""
    scene: Any = bpy.context.scene
    items = (each for each in bpy.data.objects if each.name.startswith("Puzzle item 1"))
    idol = next(each for each in items if each.tomb_raider.kind == "ENTITY")
    model: Any = idol.instance_collection
    for obj in scene.objects:
        obj.hide_render = obj != idol and obj not in model.all_objects[:]
    pictures.set_up(scene, ICON)
    scene.render.film_transparent = True
    middle = idol.matrix_world.translation + Vector((0, 0, _MIDDLE))
    view = pictures.looking(middle + Vector((-0.7, -1.5, 0.5)), middle, height=_HEIGHT)
    with tempfile.TemporaryDirectory() as temporary:
        return pictures.load(pictures.render(scene, view, Path(temporary) / "shot.png"))


_MIDDLE, _HEIGHT = 0.36, 0.95  # meters
