"""Pictures of tutorials, which are executed step by step."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.typing import Pixels

from .. import pictures
from ..docs.tutorials import steps_of
from ..formats.cutscenes.samples import Sample, cutseq_file
from ..sample_levels import sample_bytes
from ..sample_levels.other import other_level
from ..window.levels import write_tiles
from ..window.levels_of_games import TILES
from . import empty_file, save
from .triggers import show_trigger

T = TypeVar("T")
_SIZE = 330, 250
_FILES = {"LEVEL1.PHD": Game.TR1, "WALL.TR2": Game.TR2, "angkor1.tr4": Game.TR4}


def draw(path: Path) -> None:
    """Draw a picture for each tutorial into the folder of this page's name."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for page, shots in _SHOTS.items():
        save(folder / f"{page}.png", pictures.side_by_side(play(page, shots)))


def play(
    page: str, shots: Mapping[int, Callable[[], T]], files: Mapping[str, bytes] | None = None
) -> list[T]:
    """Execute a tutorial, and return what functions make after some of its steps, which count from 1.

    Args:
        page: its name.
        shots: the functions by step.
        files: contents of files that it needs, other than levels and pictures.
    """
    empty_file()
    found, before = list[T](), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _give_files(Path(folder))
            for name, content in (files or {}).items():
                Path(name).write_bytes(content)
            names: dict[str, Any] = {"bpy": bpy}
            for number, step in enumerate(steps_of(page), 1):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(step.code, page, "exec"), names)
                if number in shots:
                    found.append(shots[number]())
        finally:
            os.chdir(before)
    return found


def _give_files(folder: Path) -> None:
    for name, game in _FILES.items():
        (folder / name).write_bytes(sample_bytes(game))
    (folder / "LEVEL2.PHD").write_bytes(other_level())
    write_tiles(folder / TILES)
    (folder / "CUTSEQ.PAK").write_bytes(cutseq_file({1: Sample(1).data}, 30))
    rows, columns = np.indices((64, 64))
    bricks = (rows % 16 < 2) | ((columns + (rows // 16 % 2) * 16) % 32 < 2)
    stripes = columns % 16 < 8
    for name, light, dark, where in (
        ("bricks.png", (190, 180, 165), (165, 70, 50), bricks),
        ("top.png", (230, 230, 230), (30, 60, 150), stripes),
    ):
        pixels = np.where(where[..., None], np.array(light), np.array(dark))
        solid = np.full((64, 64, 1), 255)
        pictures.save(folder / name, np.concatenate((pixels, solid), axis=-1).astype(np.uint8))


# --- Views ----------------------------------------


def _rendered(view: pictures.View) -> Pixels:
    scene: Any = bpy.context.scene
    pictures.set_up(scene, _SIZE)
    bpy.context.view_layer.update()
    with tempfile.TemporaryDirectory() as folder:
        return pictures.load(pictures.render(scene, view, Path(folder) / "shot.png"))


def _from(place: Sequence[float], target: Sequence[float], lens: float = 24.0) -> Callable[[], Pixels]:
    """Return a function that draws the level from a place, with rooms cut open."""

    def shot() -> Pixels:
        rooms = pictures.visible_rooms(_level())
        for each in _objects("COLLISION", new=False):
            each.hide_render = True
        with pictures.cut_open(rooms):
            return _rendered(pictures.looking(Vector(place), Vector(target), lens=lens))

    return shot


def _within(place: Sequence[float], target: Sequence[float], lens: float = 24.0) -> Callable[[], Pixels]:
    """Return a function that draws the level from a place within a room."""

    def shot() -> Pixels:
        pictures.visible_rooms(_level())
        for each in _objects("COLLISION", new=False):
            each.hide_render = True
        return _rendered(pictures.looking(Vector(place), Vector(target), lens=lens))

    return shot


def lit(shot: Callable[[], Pixels]) -> Callable[[], Pixels]:
    """Return a function that draws the same with the light of the game."""

    def with_light() -> Pixels:
        set_up = pictures.set_up
        pictures.set_up = partial(set_up, lit=True)
        try:
            return shot()
        finally:
            pictures.set_up = set_up

    return with_light


def _triggers(place: Sequence[float], target: Sequence[float], lens: float) -> Callable[[], Pixels]:
    """Return a function that draws the new trigger, with lines to its targets."""

    def shot() -> Pixels:
        show_trigger(_level(), _objects("TRIGGER", new=True)[0])
        return _from(place, target, lens)()

    return shot


def _model(action: str) -> Callable[[], Pixels]:
    """Return a function that draws Lara's model in the first pose of an action."""

    def shot() -> Pixels:
        from io_tomb_raider.scene.subjects.animations.showing import show_animation

        armature: Any = bpy.data.objects["Lara"]
        before = armature.animation_data.action
        show_animation(armature, bpy.data.actions[action])
        bpy.context.scene.frame_set(0)
        foot = armature.matrix_world.translation
        drawn = _rendered(
            pictures.looking(foot + Vector((1.0, 3.2, 1.4)), foot + Vector((0, 0, 0.85)), lens=40)
        )
        show_animation(armature, before)
        return drawn

    return shot


def _moments(*frames: int) -> list[Callable[[], Pixels]]:
    def at(frame: int) -> Callable[[], Pixels]:
        def shot() -> Pixels:
            bpy.context.scene.frame_set(frame)
            for obj in _objects("CUTSCENE_ACTOR", new=False):
                obj.hide_render = False
            for obj in _objects("ENTITY", new=False):
                obj.hide_render = obj.name in ("Lara 0", "Dog 1")
            camera = next(each for each in bpy.data.objects if each.tomb_raider.kind == "CUTSCENE_CAMERA")
            pictures.visible_rooms(_level())
            return _rendered(pictures.View(camera.matrix_world.copy(), None, 30))

        return shot

    return [at(frame) for frame in frames]


def _two(shots: Sequence[Callable[[], Pixels]]) -> Callable[[], Pixels]:
    return lambda: pictures.side_by_side([shot() for shot in shots])


def _level() -> Any:
    return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")


def _objects(kind: str, *, new: bool) -> list[Object]:
    found = [each for each in bpy.data.objects if each.tomb_raider.kind == kind]
    return [each for each in found if each.tomb_raider.index < 0] if new else found


_OUTFIT = _from((51.0, 49.2, 1.7), (49, 47, 0.8), 34)
_ROOM = _from((55, 50, 6), (45, 54, 1), 30)
NICHE = _within((53.5, 51.5, 4.5), (48, 42, 0.6), 30)
TILED = _from((117, 88, 14), (101, 102.5, 2.5), 38)
_WALL = _from((56, 46, 3.2), (42, 48, 2.4), 26)
_CORRIDOR = _from((79, 37, 12), (68, 49, 0.5), 28)
NEW = lit(_from((97, 87, 15), (108.5, 102, -1), 24))
_SHOTS: dict[str, dict[int, Callable[[], Pixels]]] = {
    "lara-outfit": {1: _OUTFIT, 6: _OUTFIT},
    "exchange": {1: _OUTFIT, 6: _OUTFIT},
    "append-outfit": {1: _OUTFIT, 5: _OUTFIT},
    "append-enemy": {5: _triggers((59.5, 53.5, 3.4), (53.6, 49.4, 0.2), 24)},
    "append-room": {1: _CORRIDOR, 4: _CORRIDOR},
    "edit-room": {1: _ROOM, 5: _ROOM},
    "walkable-room": {1: NICHE, 7: NICHE},
    "texture-a-room": {3: TILED, 8: TILED},
    "texture": {1: _WALL, 4: _WALL},
    "animation": {3: _model("Lara 011 Stand still"), 5: _model("Lara waves")},
    "enemy": {6: _triggers((48, 50.4, 3.2), (54.5, 48.2, 0.2), 24)},
    "door": {7: _triggers((62, 33, 15), (57.5, 52, 0.5), 32)},
    "connect-room": {1: _CORRIDOR, 5: _CORRIDOR},
    "new-level": {10: NEW, 13: NEW},
    "cutscene": {6: _two(_moments(1, 90))},
}
