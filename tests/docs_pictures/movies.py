"""Moving pictures of tutorials: a model before a step and after it, next to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector
from PIL import Image

from io_tomb_raider.formats.base.arrays.typing import Pixels

from .. import pictures
from ..animation_samples import anim_key, anim_text
from ..sample_levels.models import HEIGHT_OF_HIPS
from ..sample_levels.world import wave
from ..scene.authoring.motion.recordings import Recording
from .tutorials import play

Lines = Sequence[tuple[Vector, Vector]]
Color = tuple[float, float, float]
# Lines with their color and width, by frame.
Drawn = Callable[[int], Iterable[tuple[Lines, Color, float]]]
SIZE = 240, 270  # of a model; two are next to each other
_FLOOR, _MARK = (0.13, 0.15, 0.19), (0.24, 0.27, 0.33)
_LEFT, _RIGHT, _MIDDLE = (0.9, 0.1, 0.1), (0.15, 0.4, 1.0), (1.0, 0.75, 0.1)
_FOOT = 3  # the bone of her left one
_CONTROLS = {
    "IK Foot.L": _LEFT,
    "IK Hand.L": _LEFT,
    "IK Foot.R": _RIGHT,
    "IK Hand.R": _RIGHT,
    "Body": _MIDDLE,
    "Control Hips": _MIDDLE,
    "Control Torso": _MIDDLE,
    "Control Head": _MIDDLE,
}


def draw(path: Path) -> None:
    """Draw the moving pictures into the folder of the tutorials' pictures."""
    folder = path.with_name("tutorials")
    folder.mkdir(exist_ok=True)
    for movie in _MOVIES:
        movie(folder)


def _save(path: Path, sides: Sequence[list[Pixels]], ticks: Sequence[int], speed: float = 1.0) -> None:
    """Write a moving picture that repeats.

    Args:
        path: of the WebP file.
        sides: pictures on the left and on the right, (height, width, 4) each.
        ticks: how long each is shown, in thirtieths of a second.
        speed: 0.5 is half as fast as in the game.
    """
    movie = [pictures.side_by_side(pair) for pair in zip(*sides, strict=True)]
    first, *others = [Image.fromarray(each[..., :3].copy()) for each in movie]
    durations = [round(1000 / 30 * each / speed) for each in ticks]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, quality=70, method=6)


# --- The model ----------------------------------------


@dataclass(frozen=True)
class Filming:
    """How a model is filmed.

    Attributes:
        place: of the camera, as seen from the model, which faces +Y.
        target: what it looks at.
        height: of the picture, in Blender's units.
        block: middle and size of a block that the model pushes.
    """

    place: tuple[float, float, float] = (-2.6, 1.8, 1.0)
    target: tuple[float, float, float] = (0.0, 0.1, 0.85)
    height: float = 2.05
    block: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None


class Stage:
    """A scene with nothing but a model and a floor, which follows what the model does in its own scene."""

    def __init__(self, armature: Object | None, filming: Filming) -> None:
        self._filming = filming
        self._scene: Any = bpy.data.scenes.new("Movie")
        self._own: list[Any] = []
        self._foot = Vector()
        if armature is not None:
            self._foot = armature.matrix_world.translation.copy()
            for obj in (armature, *armature.children_recursive):
                self._scene.collection.objects.link(obj)
        pictures.set_up(self._scene, SIZE)
        shading = self._scene.display.shading
        shading.light, shading.color_type = "STUDIO", "TEXTURE"
        if filming.block is not None:
            self.add("Block", _box(*filming.block), (0.5, 0.42, 0.32))
        self.add("Floor", _box((0, 0, -0.02), (3.2, 40, 0.02)), _FLOOR)

    def film(self, frames: Sequence[int], way: float, drawn: Drawn) -> list[Pixels]:
        """Return pictures of frames, while marks on the floor move below the model.

        Args:
            frames: of the scene.
            way: how far the model moves until the first frame comes again, in Blender's units.
            drawn: what to draw besides the model at a frame: lines with their color and width.
        """
        found = []
        gap = way / max(round(way / 0.7), 1) or 0.7
        target = self._foot + Vector(self._filming.target)
        view = pictures.looking(target + 4 * Vector(self._filming.place), target, height=self._filming.height)
        with TemporaryDirectory() as folder:
            for number, frame in enumerate(frames):
                self._scene.frame_set(frame)
                kept = len(self._own)
                for place in range(-12, 13):
                    y = (place - way / gap * number / len(frames) % 1) * gap
                    self.add("Mark", _box((0, y, -0.005), (3.2, 0.05, 0.01)), _MARK)
                for lines, color, width in drawn(frame):
                    self.add("Lines", tubes(lines, width), color, Vector())
                found.append(pictures.load(pictures.render(self._scene, view, Path(folder) / "shot.png")))
                self._remove(kept)
        return found

    def close(self) -> None:
        """Remove the scene."""
        self._remove(0)
        bpy.data.scenes.remove(self._scene)

    def add(self, name: str, data: Any, color: Color, place: Vector | None = None) -> None:
        """Add an object of one color until the scene is closed, at the model if no place is given."""
        material: Any = bpy.data.materials.new(name)
        material.diffuse_color = (*color, 1.0)
        data.materials.append(material)
        obj = bpy.data.objects.new(name, data)
        obj.location = self._foot if place is None else place
        self._scene.collection.objects.link(obj)
        self._own.append(obj)

    def _remove(self, kept: int) -> None:
        for obj in self._own[kept:]:
            data = obj.data
            bpy.data.objects.remove(obj)
            bpy.data.batch_remove([data, *data.materials])
        del self._own[kept:]


@contextmanager
def stage_of(armature: Any, filming: Filming) -> Iterator[Stage]:
    stage = Stage(armature, filming)
    try:
        yield stage
    finally:
        stage.close()


def _box(middle: Sequence[float], size: Sequence[float]) -> Any:
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new("Box")
    mesh.from_pydata((np.array(corners) * size + middle).tolist(), [], faces)
    return mesh


def _shape(armature: Any, name: str) -> list[tuple[Vector, Vector]]:
    """Return the lines that draw a control, as the viewport shows them."""
    bone = armature.pose.bones[name]
    size = bone.custom_shape_scale_xyz * (bone.length if bone.use_custom_shape_bone_size else 1.0)
    turn = bone.custom_shape_rotation_euler.to_quaternion()
    matrix = (
        armature.matrix_world @ bone.matrix @ Matrix.LocRotScale(bone.custom_shape_translation, turn, size)
    )
    mesh = bone.custom_shape.data
    points = [matrix @ each.co for each in mesh.vertices]
    return [(points[edge.vertices[0]], points[edge.vertices[1]]) for edge in mesh.edges]


def tubes(lines: Lines, width: float) -> Any:
    curve: Any = bpy.data.curves.new("Lines", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.use_fill_caps = "3D", width, True
    for start, end in lines:
        points = curve.splines.new("POLY").points
        points.add(1)
        points[0].co, points[1].co = (*start, 1.0), (*end, 1.0)
    return curve


def _way(action: Any) -> float:
    """Return how far the game moves a model while an animation plays once, in Blender's units."""
    from io_tomb_raider.scene.subjects.animations.changes import chains

    level = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    link = chains.Link(action, 0, chains.length(action))
    places = chains.positions_of([link, link], level.tomb_raider.scale)
    return float(places[link.frames, 1])


def film(filming: Filming, *, controls: bool = False, step: int = 1) -> list[Pixels]:
    """Return pictures of frames of the animation that Lara shows."""
    armature = lara()
    action = armature.animation_data.action
    first, last = (int(frame) for frame in action.frame_range)

    shown = {name: color for name, color in _CONTROLS.items() if name in armature.pose.bones and controls}

    def drawn(_frame: int) -> list[tuple[Lines, Color, float]]:
        return [(_shape(armature, name), color, 0.01) for name, color in shown.items()]

    with stage_of(armature, filming) as stage:
        return stage.film(range(first, last + 1, step), _way(action), drawn)


def lara() -> Any:
    return next(
        each for each in bpy.data.objects if each.type == "ARMATURE" and each.tomb_raider.model.id == 0
    )


# --- The movies ----------------------------------------


def _run(folder: Path) -> None:
    filming = Filming()
    shots = {1: lambda: film(filming), 3: lambda: film(filming, controls=True)}
    sides = play("animate-lara", shots)
    # The edited key is the first one. It is shown for longer.
    _save(folder / "animate-lara-run.webp", sides, [20] + [1] * (len(sides[0]) - 1), speed=0.5)


def _push(folder: Path) -> None:
    filming = Filming((-2.6, -0.5, 0.7), (0, 0.35, 0.85), block=((0, 0.95, 0.6), (1.0, 1.0, 1.2)))
    shots = {4: lambda: film(filming, step=2), 7: lambda: film(filming, controls=True, step=2)}
    sides = play("animate-lara", shots)
    _save(folder / "animate-lara-push.webp", sides, [2] * len(sides[0]))


def _walk(folder: Path) -> None:
    filming = Filming((-2.6, 1.4, 0.8))
    recording = Recording(seconds=2.5, rate=60.0, arms=45.0)
    size = 0.092  # its hips are as high as Lara's

    def skeleton(time: float) -> list[tuple[Lines, Color, float]]:
        places = {
            name: Vector((-x, z - 9.0 * time, y)) * size for name, (x, y, z) in recording.joints(time).items()
        }
        colors = {"L": _LEFT, "R": _RIGHT}
        return [
            ([(places[parent], places[name])], colors.get(name[-1], _MIDDLE), 0.025)
            for name, parent in recording.bones()
        ]

    def foot_of_recording(frame: int) -> float:
        return float(recording.joints(frame / 30)["foot.L"][2] - 9.0 * frame / 30)

    def foot_of_lara(frame: int) -> float:
        bpy.context.scene.frame_set(frame)
        return float(lara().pose.bones[_FOOT].head.y)

    def shot() -> list[list[Pixels]]:
        lara = film(filming)
        # Her walk begins where the loop was found. A walk takes a second.
        late = max(range(30), key=foot_of_lara) - max(range(30), key=foot_of_recording)
        with stage_of(None, filming) as stage:
            found = stage.film(range(len(lara)), 9.0 * size, lambda frame: skeleton((frame - late) / 30))
        return [found, lara]

    (sides,) = play("motion-capture", {6: shot}, {"walk.bvh": recording.text().encode()})
    _save(folder / "motion-capture.webp", sides, [1] * len(sides[0]))


def _wave(folder: Path) -> None:
    filming = Filming((-1.2, 2.6, 0.5), (-0.05, 0, 0.95))
    keys = []
    for number in range(9):
        angles = np.zeros((15, 3))
        angles[11] = (0, 0, -125)
        angles[12] = (0, 0, 40 * np.sin(np.pi / 2 * number) - 35)
        angles[8] = (0, 0, 8)
        keys.append(anim_key((0, HEIGHT_OF_HIPS, 0), (angles % 360).tolist()))
    file = anim_text(keys, name="WAVE", rate=5, following=(11, 0)).encode()
    sides = play("anim-file", {4: lambda: film(filming), 5: lambda: film(filming)}, {"0007_WAVE.anim": file})
    _save(folder / "anim-file.webp", sides, [15 if frame == 5 else 1 for frame in range(len(sides[0]))])


def _chest(folder: Path) -> None:
    filming = Filming((-1.8, 2.2, 0.9))
    sides = play("turn-the-chest", {1: lambda: film(filming), 5: lambda: film(filming, controls=True)})
    _save(folder / "turn-the-chest.webp", sides, [1] * len(sides[0]), speed=0.5)


def _scene(folder: Path) -> None:
    """Film every fourth frame of a cutscene through its cameras."""

    def shots() -> list[Pixels]:
        scene: Any = bpy.context.scene
        for name in ("Lara 0", "Bat 1"):  # behind their actors
            bpy.data.objects[name].hide_render = True
        pictures.set_up(scene, (256, 144))
        shading = scene.display.shading
        shading.light, shading.color_type = "STUDIO", "TEXTURE"
        found = []
        with TemporaryDirectory() as place:
            for frame in range(scene.frame_start, scene.frame_end + 1, 4):
                scene.frame_set(frame)
                camera = scene.camera.evaluated_get(bpy.context.evaluated_depsgraph_get())
                view = pictures.View(camera.matrix_world.copy(), lens=29.0)
                found.append(pictures.load(pictures.render(scene, view, Path(place) / "shot.png")))
        return found

    sound = wave(np.sin(np.arange(4410) / 10), 22050, 16)
    (frames,) = play("two-actors", {10: shots}, {"bat.wav": sound})
    _save(folder / "two-actors.webp", [frames], [4] * len(frames))


_MOVIES = _run, _push, _chest, _walk, _wave, _scene
