"""Pictures of the first page: a level as Blender renders it, and one for each task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray
from PIL import Image

from io_tomb_raider.formats import Game

from .. import pictures
from ..sample_levels import sample_bytes
from . import empty_file, movies, tutorials

Picture = NDArray[np.uint8]
_LARGE, SMALL = (960, 600), (330, 250)
_SAMPLES = 48


def draw(path: Path) -> None:
    """Draw the pictures into the folder of this name."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        Image.fromarray(picture()[..., :3].copy()).save(folder / f"{name}.webp", quality=82, method=6)


def import_sample(game: Game) -> Any:
    """Import the sample level of a game as the menu does, and return its collection."""
    empty_file()
    with TemporaryDirectory() as folder:
        level = Path(folder) / "level"
        level.write_bytes(sample_bytes(game))
        bpy.ops.import_scene.tomb_raider(filepath=str(level))
    return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")


def rendered(view: pictures.View, size: tuple[int, int], *, lit: bool = True) -> Picture:
    """Return a picture of the scene, with the light of the game or with textures only."""
    scene: Any = bpy.context.scene
    pictures.set_up(scene, size, lit=lit)
    if lit:
        scene.cycles.samples = _SAMPLES
    bpy.context.view_layer.update()
    with TemporaryDirectory() as folder:
        return pictures.load(pictures.render(scene, view, Path(folder) / "shot.png"))


def behind_lara(game: Game = Game.TR4, size: tuple[int, int] = _LARGE) -> Picture:
    """Return what the camera behind Lara sees, as F12 renders it."""
    import_sample(game)
    bpy.ops.tomb_raider.camera_behind_lara()
    camera: Any = bpy.context.scene.camera
    return rendered(pictures.View(camera.matrix_world.copy(), None, camera.data.lens), size)


def _after(page: str, step: int, shot: Callable[[], Picture]) -> Callable[[], Picture]:
    """Return a function that draws the level after a step of a tutorial, with the game's light."""
    return lambda: tutorials.play(page, {step: tutorials.lit(shot)})[0]


def _posed() -> Picture:
    """Return Lara in a run, with the controls of her rig."""
    size, movies.SIZE = movies.SIZE, SMALL
    try:
        (film,) = tutorials.play(
            "animate-lara", {3: lambda: movies.film(movies.Filming(height=1.9), controls=True, step=6)}
        )
    finally:
        movies.SIZE = size
    return film[1]


def _two_games() -> Picture:
    """Return the same hall in two games, half of each."""
    left, right = (behind_lara(game, SMALL) for game in (Game.TR1, Game.TR4))
    middle = SMALL[0] // 2
    left[:, middle - 2 : middle + 2] = 255
    return np.concatenate((left[:, : middle + 2], right[:, middle + 2 :]), axis=1)


def _library() -> Picture:
    """Return models and static meshes of a level in a row."""
    root = import_sample(Game.TR4)
    figures = [obj for obj in root.all_objects if obj.tomb_raider.kind in ("MODEL", "STATIC_MESH")]
    figures = [obj for obj in figures if obj.name != "Lara"]  # in TR4 her skin is another model
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    for child in layer.children:
        child.exclude = child.collection.tomb_raider.kind not in ("MODELS", "STATIC_MESHES")
    bpy.context.view_layer.update()
    x = 0.0
    for figure in figures:
        parts = [each for each in (figure, *figure.children_recursive) if each.type == "MESH"]
        corners = np.array(
            [part.matrix_world @ Vector(corner) for part in parts for corner in part.bound_box]
        )
        size = np.ptp(corners, axis=0) if len(corners) else np.zeros(3)
        if not 0.5 < size.max() < 2.5:  # neither a horizon nor a hand
            for part in parts:
                part.hide_render = True
            continue
        # Models of a level are in a row, which is too long for a picture.
        figure.location.x += x - corners[:, 0].min()
        figure.location.y -= corners[:, 1].mean()
        figure.location.z -= corners[:, 2].min()
        x += float(size[0]) + 0.35
    middle = Vector((x / 2, 0, 0.7))
    view = pictures.looking(middle + Vector((2, 10, 4)), middle, height=x * SMALL[1] / SMALL[0])
    return rendered(view, SMALL, lit=False)


PICTURES: dict[str, Callable[[], Picture]] = {
    "render": behind_lara,
    "edit": _after("walkable-room", 7, tutorials.NICHE),
    "texture": _after("texture-a-room", 8, tutorials.TILED),
    "animate": _posed,
    "build": _after("new-level", 13, tutorials.NEW),
    "convert": _two_games,
    "exchange": _library,
}
