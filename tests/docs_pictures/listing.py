"""Icon and featured image of the listing on Blender's extensions platform, from a sample level.

The sizes are those that the platform asks for.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Object, Scene
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.pipeline.importer import import_level

from .. import pictures
from ..sample_levels import sample_bytes
from . import empty_file, save

ICON = 256, 256
FEATURED = 1920, 1080
_BACKGROUND = (0.012, 0.014, 0.02, 1.0)


def draw(path: Path) -> None:
    """Draw both pictures into the folder of this page's name."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    empty_file()
    root = import_level(sample_bytes(Game.TR4)).root
    scene: Any = bpy.context.scene
    with tempfile.TemporaryDirectory() as temporary:
        shot = Path(temporary) / "shot.png"
        save(folder / "featured.png", _featured(scene, pictures.visible_rooms(root), shot))
        pictures.save(folder / "icon.png", _icon(scene, shot))


def _featured(scene: Scene, rooms: list[Object], shot: Path) -> NDArray[np.uint8]:
    """Return the level from above in the game's light."""
    pictures.set_up(scene, FEATURED, lit=True)
    scene.cycles.samples = 32
    _set_background(scene)
    view = pictures.view_from_above(rooms, FEATURED[0] / FEATURED[1])
    with pictures.cut_open(rooms):
        return pictures.load(pictures.render(scene, view, shot))


def _set_background(scene: Scene) -> None:
    world: Any = bpy.data.worlds.new("Background")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = _BACKGROUND
    scene.world = world


def _icon(scene: Scene, shot: Path) -> NDArray[np.uint8]:
    """Return a crate without a background."""
    crate = bpy.data.objects["Furniture 0, 0"]
    for obj in scene.objects:
        obj.hide_render = obj != crate
    pictures.set_up(scene, ICON)
    scene.render.film_transparent = True
    middle = crate.matrix_world @ (sum((Vector(each) for each in crate.bound_box), Vector()) / 8)
    view = pictures.looking(middle + Vector((3, -4, 3)), middle, height=2.0)
    return pictures.load(pictures.render(scene, view, shot))
