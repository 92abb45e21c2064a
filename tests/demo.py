"""Demo: `python build.py demo [LEVEL ...] [--output FOLDER] [--size WIDTHxHEIGHT]`.

The demo imports a level, edits it, exports it, and reads it back, with pictures of before and after. Without
LEVEL, it uses the example, converted to each of the five games. It checks that exactly the edits differ in
the exported level; otherwise its exit code is not 0.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

# Blender must not read the user's preferences and extensions, which it does on import.
os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="io_tomb_raider-demo-"))

import bpy
from bpy.types import Action, Collection, Object
from mathutils import Vector

import io_tomb_raider
from io_tomb_raider.formats import Game, read_level
from tests import demo_edits as edits
from tests import pictures

OUTPUT = Path(__file__).resolve().parent.parent / "build" / "demo"
SUFFIXES = {game: game.traits.suffix for game in Game}
_POSES = 6
ABOVE = Vector((0, 0, 0.2))  # the floor


class Demo:
    """The demo on one level. All output is written into ``folder``."""

    def __init__(self, level: Path, folder: Path, size: tuple[int, int]) -> None:
        self.level = level
        self.folder = folder
        self.size = size
        self.views: dict[str, pictures.View] = {}
        self.page = 0
        self.moved: Object | None = None

    def run(self) -> bool:
        """Run the demo, and return whether exactly the edits differ."""
        self.folder.mkdir(parents=True, exist_ok=True)
        print(f"\n{self.level.name}")
        root = self._import(self.level)
        subject = edits.choose_subject(root)
        texture = self._find_views(root, subject)
        self.page = texture.page
        scale = root.tomb_raider.scale
        self._take_pictures(root, subject, "before")
        painting = edits.paint_page(root, texture)
        figure = edits.figure_of(subject)
        made = [edits.stretch_head(figure[0], scale), edits.move_entity(self.moved or subject, scale)]
        for words in (made[0].words, painting.words, made[1].words):
            print(f"  edited    {words}")
        target = self._export(root)
        problems = edits.unexpected(read_level(self.level), read_level(target), made, painting)
        again = self._import(target)
        self._take_pictures(again, edits.choose_subject(again), "after")
        for problem in problems:
            print(f"  PROBLEM   {problem}")
        if not problems:
            print("  checked   exactly what was edited differs in the exported level, and nothing else")
        print(f"  pictures  {self.folder}{os.sep}*.png")
        return not problems

    def _import(self, path: Path) -> Collection:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        start = perf_counter()
        _run(bpy.ops.import_scene.tomb_raider, filepath=str(path))
        seconds = perf_counter() - start
        root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
        numbers = ((len(edits.objects(root, kind)), words) for kind, words in _COUNTED)
        listed = ", ".join(f"{number} {words}" for number, words in numbers)
        print(f"  imported  {path.name} in {seconds:.2f} s: {listed}, {len(bpy.data.actions)} actions")
        return root

    def _export(self, root: Collection) -> Path:
        target = self.folder / f"{self.level.stem} edited{self.level.suffix}"
        start = perf_counter()
        _run(bpy.ops.export_scene.tomb_raider, filepath=str(target), collection=root.name)
        print(f"  exported  {target} in {perf_counter() - start:.2f} s")
        return target

    # --- Pictures

    def _find_views(self, root: Collection, subject: Object) -> edits.Texture:
        """Choose the cameras and an entity in sight, and return the most visible texture."""
        rooms = pictures.visible_rooms(root)
        shape = self.size[0] / self.size[1]
        walls = pictures.Walls.of(rooms, edits.objects(root, "PLACEMENT"))
        self.views["room"] = pictures.view_of_subject(subject, walls)
        view = self.views["room"]
        self.moved = edits.choose_entity(
            root, subject, lambda obj: walls.sees_in(view, shape, obj.matrix_world.translation + ABOVE)
        )
        with pictures.cut_open(rooms):
            self.views["from above"] = pictures.view_from_above(rooms, shape)
        return edits.choose_texture(pictures.Walls.of(rooms).faces_in(view, shape))

    def _take_pictures(self, root: Collection, subject: Object, when: str) -> None:
        scene: Any = bpy.context.scene
        rooms = pictures.visible_rooms(root)
        figure = edits.figure_of(subject)
        actions = edits.choose_poses(subject, _POSES)
        if actions:
            edits.pose(figure, actions[0])
        with pictures.shown_as(subject, [edits.model_collection(armature) for armature in figure]):
            pictures.set_up(scene, self.size)
            pictures.render(scene, self.views["room"], self._picture("1 room", when))
            with pictures.cut_open(rooms):
                pictures.render(scene, self.views["from above"], self._picture("3 from above", when))
            pictures.set_up(scene, self.size, lit=True)
            pictures.render(scene, self.views["room"], self._picture("2 room as lit in the game", when))
        self._take_poses(figure, actions, when)
        page = edits.read_image(edits.page_image(root, self.page))
        pictures.save(self._picture("5 texture page", when), page)

    def _take_poses(self, figure: Sequence[Object], actions: Sequence[Action], when: str) -> None:
        """Render the subject's figure alone, in poses of some of its animations."""
        scene = bpy.data.scenes.new("Poses")
        for armature in figure:
            pictures.add_instance(scene.collection, edits.model_collection(armature))
        layer = scene.view_layers[0]
        size = max(64, self.size[0] // 3), max(64, self.size[1] * 2 // 3)
        scene.world = bpy.context.scene.world
        pictures.set_up(scene, size)
        images = []
        with tempfile.TemporaryDirectory() as folder:
            for number, action in enumerate(actions):
                edits.pose(figure, action)
                scene.frame_set(int(action.frame_range[1]) // 2)
                layer.update()
                view = pictures.view_of_all(layer, size[0] / size[1])
                images.append(pictures.load(pictures.render(scene, view, Path(folder) / f"{number}.png")))
        bpy.data.scenes.remove(scene)
        if images:
            pictures.save(self._picture("4 poses", when), pictures.side_by_side(images))

    def _picture(self, name: str, when: str) -> Path:
        return self.folder / f"{name} - {when}.png"


def _run(operator: Any, **options: str) -> None:
    """Run an operator. A reported error ends the demo."""
    try:
        operator(**options)
    except RuntimeError as error:
        raise SystemExit(str(error).strip()) from None


_COUNTED = (("ROOM", "rooms"), ("MODEL", "models"), ("ENTITY", "entities"))


def run_demo(levels: Sequence[Path], output: Path, size: tuple[int, int]) -> bool:
    """Run the demo on levels, or on the example in each game; return whether all checks passed."""
    io_tomb_raider.register()
    try:
        if levels:
            return all([Demo(path, output / path.stem, size).run() for path in levels])
        return all([run_example(game, output, size) for game in Game])
    finally:
        # Blender 4.2 crashes at exit if an extension stays registered.
        io_tomb_raider.unregister()


def run_example(game: Game, output: Path, size: tuple[int, int]) -> bool:
    """Run the demo on the example. The extension must be registered."""
    folder = output / game.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"ruin{SUFFIXES[game]}"
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    _run(bpy.ops.tomb_raider.example, game=game.name)
    _run(bpy.ops.export_scene.tomb_raider, filepath=str(path))
    return Demo(path, folder, size).run()


def main(arguments: Sequence[str]) -> int:
    """Run the demo with command line arguments."""
    parser = argparse.ArgumentParser(prog="build.py demo", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("levels", nargs="*", type=Path, metavar="LEVEL")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="FOLDER")
    parser.add_argument("--size", default="960x540", metavar="WIDTHxHEIGHT", help="of the pictures")
    options = parser.parse_args(arguments)
    width, height = (int(part) for part in options.size.split("x"))
    done = run_demo(options.levels, options.output.resolve(), (width, height))
    if not pictures.has_workbench():
        print("\nWithout a graphics driver, Cycles has drawn all pictures, as lit in the game.")
    print(f"\nEverything was written to {options.output.resolve()}")
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
