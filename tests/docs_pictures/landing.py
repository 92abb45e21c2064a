"""Pictures of the first page: a level as Blender renders it, and one for each task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Vector
from PIL import Image

from io_tomb_raider.formats import Game

from .. import pictures
from . import movies, tutorials
from .example import (
    CLICK,
    HALL,
    LARA_IN_HALL,
    POOL,
    SECTOR,
    SMALL,
    Picture,
    Place,
    import_example,
    move_lara,
    rendered,
    view_at,
)

_LARGE = 960, 600
_TILES = 110  # pixels of tiles beside a picture
_MOST_FIGURES = 7
_AT_STEPS: tuple[Place, Place] = (26.4, 9.0, 27.2), (23.6, 1.0, 31.5)
_STEPS = ((23, 29, 1), (23, 30, 2), (23, 31, 3))  # x and z of a sector, clicks


def draw(path: Path) -> None:
    """Draw the pictures into the folder of this name."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        Image.fromarray(picture()[..., :3].copy()).save(folder / f"{name}.webp", quality=82, method=6)


def hall(game: Game = Game.TR4, size: tuple[int, int] = _LARGE) -> Picture:
    """Return Lara in the hall of the example."""
    import_example(game)
    move_lara(*LARA_IN_HALL)
    return rendered(view_at(*HALL), size)


def _raised() -> Picture:
    """Return the hall with steps that were raised out of its floor."""
    import_example()
    for x, z, clicks in _STEPS:
        _raise(x, z, clicks)
    return rendered(view_at(*_AT_STEPS), SMALL)


def _raise(x: int, z: int, clicks: int) -> None:
    """Extrude the floor of a sector upwards."""
    middle = Vector(((x + 0.5) * SECTOR, (z + 0.5) * SECTOR))
    for room in [each for each in bpy.data.objects if each.tomb_raider.kind == "ROOM"]:
        edit: Any = bmesh.new()
        edit.from_mesh(room.data)
        inside = [
            face
            for face in edit.faces
            if face.normal.z > 0.9
            and ((room.matrix_world @ face.calc_center_median()).xy - middle).length < SECTOR / 4
        ]
        if inside:
            made = bmesh.ops.extrude_face_region(edit, geom=inside)["geom"]
            bmesh.ops.delete(edit, geom=inside, context="FACES_ONLY")
            vertices = [each for each in made if isinstance(each, bmesh.types.BMVert)]
            bmesh.ops.translate(edit, verts=vertices, vec=(0, 0, clicks * CLICK))
            edit.to_mesh(room.data)
        edit.free()


def _with_tiles() -> Picture:
    """Return tiles of the example beside the pool that they cover."""
    import_example()
    width, height = SMALL
    room = rendered(view_at(*POOL), (width - _TILES, height))
    page: Any = next(each for each in bpy.data.images if each.name.endswith("Page 00"))
    size = page.size[0]
    pixels = np.array(page.pixels, np.float32).reshape(size, size, 4)[::-1]
    rows = size * height // (2 * _TILES)
    tiles = Image.fromarray((pixels[:rows, : size // 2] * 255).astype(np.uint8)).resize((_TILES, height))
    return np.concatenate((np.asarray(tiles), room), axis=1)


def _from_above() -> Picture:
    """Return all rooms of the example, cut open."""
    root = import_example()
    rooms = pictures.visible_rooms(root)
    for each in bpy.data.objects:
        if each.tomb_raider.kind in ("COLLISION", "PORTAL"):
            each.hide_render = True
    with pictures.cut_open(rooms):
        return rendered(pictures.view_from_above(rooms, SMALL[0] / SMALL[1]), SMALL)


def _posed() -> Picture:
    """Return Lara in a run, with the controls of her rig."""
    size, movies.SIZE = movies.SIZE, SMALL
    try:
        (film,) = tutorials.play(
            "animate-lara",
            {3: lambda: movies.film(movies.Filming(height=1.9), controls=True, step=6)},
        )
    finally:
        movies.SIZE = size
    return film[1]


def _two_games() -> Picture:
    """Return the same hall in two games, half of each."""
    left, right = (hall(game, SMALL) for game in (Game.TR1, Game.TR4))
    middle = SMALL[0] // 2
    left[:, middle - 2 : middle + 2] = 255
    return np.concatenate((left[:, : middle + 2], right[:, middle + 2 :]), axis=1)


def _library() -> Picture:
    """Return models and static meshes of a level in a row."""
    root = import_example()
    figures = [obj for obj in root.all_objects if obj.tomb_raider.kind in ("MODEL", "STATIC_MESH")]
    figures = [obj for obj in figures if obj.name != "Lara"]  # in TR4 her skin is another model
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    for child in layer.children:
        child.exclude = child.collection.tomb_raider.kind not in ("MODELS", "STATIC_MESHES")
    bpy.context.view_layer.update()
    x, shown = 0.0, 0
    for figure in figures:
        parts = [each for each in (figure, *figure.children_recursive) if each.type == "MESH"]
        corners = np.array(
            [part.matrix_world @ Vector(corner) for part in parts for corner in part.bound_box]
        )
        size = np.ptp(corners, axis=0) if len(corners) else np.zeros(3)
        if not 0.8 < size.max() < 2.5 or shown == _MOST_FIGURES:  # neither a horizon nor a hand
            for part in parts:
                part.hide_render = True
            continue
        shown += 1
        # Models of a level are in a row, which is too long for a picture.
        figure.location.x += x - corners[:, 0].min()
        figure.location.y -= corners[:, 1].mean()
        figure.location.z -= corners[:, 2].min()
        x += float(size[0]) + 0.35
    middle = Vector((x / 2, 0, 0.7))
    view = pictures.looking(middle + Vector((2, 10, 4)), middle, height=x * SMALL[1] / SMALL[0])
    return rendered(view, SMALL, lit=False)


PICTURES: dict[str, Callable[[], Picture]] = {
    "render": hall,
    "edit": _raised,
    "texture": _with_tiles,
    "animate": _posed,
    "build": _from_above,
    "convert": _two_games,
    "exchange": _library,
}
