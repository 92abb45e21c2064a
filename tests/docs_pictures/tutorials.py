"""Pictures of tutorials, which are executed step by step."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from tools.example.tiles import draw_tiles

from .. import pictures
from ..docs.tutorials import steps_of
from ..formats.levels.cutscenes.samples import Sample, cutseq_file
from ..sample_levels.other import other_level
from ..window.levels_of_games import TILES
from . import empty_file, save
from .example import Place, at, example_file, move_lara, spread_wings
from .triggers import show_trigger

Picture = NDArray[np.uint8]
T = TypeVar("T")
_SIZE = 330, 250
SAMPLES = 24
# What tutorials paint: floor, ceiling, wall, side and top of a step, slope, door frame, and lintel.
_TILES = "slabs", "coffer", "blocks", "bricks", "slabs_sand", "slabs_moss", "glyphs", "frieze"
_FILES = {"LEVEL1.PHD": Game.TR1, "WALL.TR2": Game.TR2, "angkor1.tr4": Game.TR4}


@dataclass(frozen=True)
class Page:
    """The pictures of a tutorial.

    Attributes:
        shots: what draws after a step, which count from 1.
        instead: replacements in its code, for places and names of the example.
        before: what changes the level after a step, before it is drawn.
        example: whether the second level is the example, too.
    """

    shots: Mapping[int, Callable[[], Picture]]
    instead: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[int, Callable[[], object]] = field(default_factory=dict)
    example: bool = False


def draw(path: Path) -> None:
    """Draw a picture for each tutorial into the folder of this page's name."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        save(folder / f"{name}.png", drawn(name, page))


def drawn(name: str, page: Page) -> Picture:
    """Return the picture of a tutorial."""

    def both(step: int, shot: Callable[[], Picture]) -> Picture:
        if step in page.before:
            page.before[step]()
        return shot()

    shots = {step: partial(both, step, shot) for step, shot in page.shots.items()}
    files = {"LEVEL2.PHD": example_file(Game.TR1)} if page.example else {}
    return pictures.side_by_side(play(name, shots, files, page.instead))


def play(
    page: str,
    shots: Mapping[int, Callable[[], T]],
    files: Mapping[str, bytes] | None = None,
    instead: Mapping[str, str] | None = None,
) -> list[T]:
    """Execute a tutorial with the example, and return what functions make after some of its steps.

    Args:
        page: its name.
        shots: the functions by step, which count from 1.
        files: contents of files that it needs, other than levels and pictures.
        instead: replacements in its code; each key must occur.
    """
    empty_file()
    found, before = list[T](), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            steps = steps_of(page)
            _give_files(Path(folder), [step.code for step in steps])
            for name, content in (files or {}).items():
                Path(name).write_bytes(content)
            names: dict[str, Any] = {"bpy": bpy}
            for words in instead or {}:
                assert any(words in step.code for step in steps), f"{page} has no {words}"
            for number, step in enumerate(steps, 1):
                code = step.code
                for words, others in (instead or {}).items():
                    code = code.replace(words, others)
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(code, page, "exec"), names)
                if number in shots:
                    found.append(shots[number]())
                if number == max(shots):
                    break
        finally:
            os.chdir(before)
    return found


def _give_files(folder: Path, codes: Sequence[str]) -> None:
    for name, game in _FILES.items():
        if any(name in code for code in codes):
            (folder / name).write_bytes(example_file(game))
    (folder / "LEVEL2.PHD").write_bytes(other_level())
    (folder / "CUTSEQ.PAK").write_bytes(cutseq_file({1: Sample(1).data}, 30))
    tiles = draw_tiles()
    pictures.save(folder / TILES, np.concatenate([tiles[name] for name in _TILES], axis=1))
    pictures.save(folder / "bricks.png", tiles["dark_blocks"])
    pictures.save(folder / "top.png", tiles["mosaic_border"])


# --- Views ----------------------------------------


def _rendered(view: pictures.View, exposure: float = 0.0) -> Picture:
    scene: Any = bpy.context.scene
    pictures.set_up(scene, _SIZE, lit=True)
    scene.cycles.samples = SAMPLES
    scene.view_settings.exposure = exposure
    scene.world.color = np.array(scene.world.color) / 2 ** (2 * exposure)  # the background remains dark
    bpy.context.view_layer.update()
    with tempfile.TemporaryDirectory() as folder:
        return pictures.load(pictures.render(scene, view, Path(folder) / "shot.png"))


def _from(
    place: Sequence[float], target: Sequence[float], lens: float = 24.0, exposure: float = 0.0
) -> Callable[[], Picture]:
    """Return a function that draws the level from a place, with rooms cut open."""

    def shot() -> Picture:
        rooms = pictures.visible_rooms(_level())
        with pictures.cut_open(rooms):
            return _within(place, target, lens, exposure)()

    return shot


def _within(
    place: Sequence[float], target: Sequence[float], lens: float = 24.0, exposure: float = 0.0
) -> Callable[[], Picture]:
    """Return a function that draws the level from a place within a room."""

    def shot() -> Picture:
        pictures.visible_rooms(_level())
        for each in _objects("COLLISION", new=False):
            each.hide_render = True
        view = pictures.looking(Vector(place), Vector(target), lens=lens)
        return _rendered(view, exposure)

    return shot


def _triggers(view: Callable[[], Picture]) -> Callable[[], Picture]:
    """Return a function that draws the new trigger, with lines to its targets."""

    def shot() -> Picture:
        show_trigger(_level(), _objects("TRIGGER", new=True)[0])
        return view()

    return shot


def _model(action: str) -> Callable[[], Picture]:
    """Return a function that draws Lara's model in the first pose of an action."""

    def shot() -> Picture:
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


def _moments(*frames: int) -> list[Callable[[], Picture]]:
    def at(frame: int) -> Callable[[], Picture]:
        def shot() -> Picture:
            bpy.context.scene.frame_set(frame)
            for obj in _objects("CUTSCENE_ACTOR", new=False):
                obj.hide_render = False
            for obj in _objects("ENTITY", new=False):
                obj.hide_render = obj.name in ("Lara 0", "Bat 7")
            camera = next(each for each in bpy.data.objects if each.tomb_raider.kind == "CUTSCENE_CAMERA")
            pictures.visible_rooms(_level())
            return _rendered(pictures.View(camera.matrix_world.copy(), None, 30))

        return shot

    return [at(frame) for frame in frames]


def _two(shots: Sequence[Callable[[], Picture]]) -> Callable[[], Picture]:
    return lambda: pictures.side_by_side([shot() for shot in shots])


def _level() -> Any:
    return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")


def _objects(kind: str, *, new: bool) -> list[Object]:
    found = [each for each in bpy.data.objects if each.tomb_raider.kind == kind]
    return [each for each in found if each.tomb_raider.index < 0] if new else found


def _view(place: Place, target: Place, lens: float = 24.0, exposure: float = 0.0) -> Callable[[], Picture]:
    """Return a function that draws the example from a place within a room, in sectors and clicks."""
    return _within(tuple(at(*place)), tuple(at(*target)), lens, exposure)


def _from_outside(place: Place, target: Place, lens: float = 24.0) -> Callable[[], Picture]:
    """Return a function that draws the example with rooms cut open, brighter than the game."""
    return _from(tuple(at(*place)), tuple(at(*target)), lens, 1.0)


def _lara_to(x: float, height: float, z: float, angle: float = 0.0) -> Callable[[], None]:
    return lambda: move_lara((x, height, z), angle)


_OUTFIT = _view((24.75, 10.6, 5.75), (23.95, 9.5, 4.6), 32, 0.9)
_STEP = _view((23.6, 4.2, 28.8), (22.0, 1.4, 26.8), 26, 1.3)
_NICHE = _view((22.9, 0.6, 43.2), (24.8, -2.9, 40.0), 22, 0.8)
TILED = _from((117, 88, 14), (101, 102.5, 2.5), 38)
_WALL = _view((23.8, 4.5, 31.5), (18.5, 4.0, 26.8), 24, 0.8)
_GALLERY = _from_outside((22.0, 30, 12.0), (14.6, 8, 23.6), 30)
_TO_GALLERY = {"(74, 49, 0)": "(32, 44, 4)", '"Room 001"': '"Room 014"', "(74, 49, 1)": "(32, 44, 5)"}
_WATCH = _view((21.6, 1.8, 27.75), (23.05, 1.7, 28.75), 28, 1.4)
NEW = _from((97, 87, 15), (108.5, 102, -1), 24)
PAGES: dict[str, Page] = {
    "lara-outfit": Page({1: _OUTFIT, 6: _OUTFIT}),
    "exchange": Page({1: _OUTFIT, 6: _OUTFIT}),
    "append-outfit": Page({1: _OUTFIT, 5: _OUTFIT}),
    "append-enemy": Page(
        {5: _triggers(_WATCH)}, {"(55, 53, 1)": "(47.6, 59.6, 0.1)", "(53, 45, 0.5)": "(49, 57, 0.5)"}
    ),
    "append-room": Page(
        {1: _GALLERY, 4: _GALLERY},
        {
            "(75, 51, 0)": "(34, 42, 4)",
            "Room 001.001": "Room 012.001",
            'rooms="Room 001"': 'rooms="Room 012"',
            '["Room 001"]': '["Room 014"]',
        },
        example=True,
    ),
    "edit-room": Page(
        {1: _STEP, 5: _STEP},
        {"Room 000 Collision": "Room 003 Collision", "Small medipack (menu) 5": "Lara 0"},
        {1: _lara_to(22.0, 0, 27.0, -120)},
    ),
    "walkable-room": Page(
        {1: _NICHE, 7: _NICHE},
        {
            '"Room 000"': '"Room 012"',
            "(47, 42, 1), (0, -2, 0)": "(49, 80, -1), (0, -2, 0)",
            "(51, 49, 0)": "(47, 83, -2)",
        },
    ),
    "texture-a-room": Page({3: TILED, 8: TILED}),
    "texture": Page({1: _WALL, 4: _WALL}, {'"Room 000"': '"Room 003"'}),
    "animation": Page({3: _model("Lara 011 Stand still"), 5: _model("Lara waves")}),
    "enemy": Page(
        {6: _triggers(_WATCH)},
        {
            '"7"': '"9"',
            "(55, 53, 1)": "(45.6, 57.6, 1)",
            "wolf.rotation": "wolf.location.z = 1.3; wolf.rotation",  # it flies
            "(53, 45, 0.5)": "(49, 57, 0.5)",
        },
        {6: spread_wings},
    ),
    "door": Page(
        {7: _triggers(_view((26.6, 6.0, 27.0), (20.6, 1.4, 25.2), 21, 0.8))},
        {"(69, 53, 1)": "(47, 45, 0.1)", "(45, 55, 3)": "(37, 55, 0.6)"},
    ),
    "connect-room": Page({1: _GALLERY, 5: _GALLERY}, _TO_GALLERY),
    "new-level": Page({10: NEW, 13: NEW}, {'"7"': '"9"', '"93"': '"74"'}),
    "cutscene": Page({6: _two(_moments(1, 90))}, {"Dog 1": "Bat 1"}),
}
