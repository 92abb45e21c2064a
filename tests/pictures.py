"""Pictures of a scene without a window: cameras that frame a level, and renders.

Workbench needs a graphics driver, and exits without one, so a separate process tests it. Without a driver,
Cycles renders everything.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from math import pi, radians
from pathlib import Path
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Collection, LayerCollection, Object, Scene, ViewLayer
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from io_tomb_raider.formats.levels.textures.png import encode_png

_EYE = 1.3  # height above the floor of a camera's target, a little below a figure's head
_FARTHEST, _NEAREST = 4.5, 1.2
_MARGIN = 0.4  # minimum distance of a camera from walls


@dataclass(frozen=True)
class View:
    """A camera:

    its matrix, the height of the picture for cameras without perspective, and the focal length.
    """

    matrix: Matrix
    height: float | None = None
    lens: float = 24.0


def looking(place: Any, target: Any, *, height: float | None = None, lens: float = 24.0) -> View:
    """Return the view from a position towards a target."""
    turn = (target - place).to_track_quat("-Z", "Y")
    return View(Matrix.Translation(place) @ turn.to_matrix().to_4x4(), height, lens)


# --- Views -------------------------------------------------------------------------------------------


def visible_rooms(root: Collection) -> list[Object]:
    """Return the visible rooms of a level, and hide the others in renders."""
    hidden = [
        layer.collection for layer in _layers(bpy.context.view_layer.layer_collection) if _is_hidden(layer)
    ]
    for collection in hidden:
        # Libraries are hidden, too, but their instances must be rendered.
        if collection.tomb_raider.kind == "ROOM":
            collection.hide_render = True
    rooms = [obj for obj in root.all_objects if obj.tomb_raider.kind == "ROOM"]
    return [room for room in rooms if not set(hidden).intersection(room.users_collection)]


def _is_hidden(layer: LayerCollection) -> bool:
    return layer.exclude or layer.hide_viewport


def _layers(layer: LayerCollection) -> Iterator[LayerCollection]:
    for child in layer.children:
        yield child
        yield from _layers(child)


@dataclass
class Walls:
    """Faces of rooms, for tests of visibility.

    Attributes:
        tree: all faces.
        faces: room and face index of each face in the tree.
    """

    tree: BVHTree
    faces: list[tuple[Object, int]]

    @classmethod
    def of(cls, rooms: Sequence[Object], obstacles: Sequence[Object] = ()) -> Walls:
        """Return the faces of rooms, and of other meshes that hide what is farther away."""
        points: list[Any] = []
        polygons: list[list[int]] = []
        faces: list[tuple[Object, int]] = []
        for obj in (*rooms, *obstacles):
            first = len(points)
            points += [obj.matrix_world @ vertex.co for vertex in obj.data.vertices]
            polygons += [[first + number for number in face.vertices] for face in obj.data.polygons]
            faces += [(obj, face.index) for face in obj.data.polygons]
        return cls(BVHTree.FromPolygons(points, polygons), faces)

    def free_distance(self, start: Vector, direction: Vector, farthest: float) -> float:
        """Return the free distance from a position in a direction, up to a margin before the first face."""
        hit = self.tree.ray_cast(start, direction, farthest + _MARGIN)[3]
        return float(hit if hit is not None else farthest + _MARGIN) - _MARGIN

    def sees(self, place: Vector, target: Vector) -> bool:
        """Return whether no face is between two positions."""
        direction = target - place
        return self.tree.ray_cast(place, direction.normalized(), direction.length - 0.05)[3] is None

    def sees_in(self, view: View, shape: float, target: Vector) -> bool:
        """Return whether a position is visible in a picture with perspective."""
        seen = view.matrix.inverted() @ target
        x, y, z = seen.x, seen.y, seen.z
        half = 18 / view.lens * -z
        in_picture = z < 0 and abs(x) < 0.9 * half and abs(y) < 0.9 * half / shape
        return in_picture and self.sees(view.matrix.translation, target)

    def faces_in(self, view: View, shape: float) -> Counter[tuple[Object, int]]:
        """Return the number of samples of a perspective picture per face; ``shape`` is width by height."""
        found: Counter[tuple[Object, int]] = Counter()
        place, turn = view.matrix.translation, view.matrix.to_3x3()
        half = 18 / view.lens  # of a sensor 36 mm wide
        for x in np.linspace(-0.97, 0.97, 64).tolist():
            for y in np.linspace(-0.97, 0.97, 36).tolist():
                direction = turn @ Vector((x * half, y * half / shape, -1.0))
                index = self.tree.ray_cast(place, direction.normalized())[2]
                if index is not None:
                    found[self.faces[index]] += 1
        return found


def view_of_subject(subject: Object, walls: Walls) -> View:
    """Return a camera inside the level that looks at an object, from its front if there is space for it."""
    foot = subject.matrix_world.translation
    target = foot + Vector((0, 0, _EYE))
    front: Any = (subject.matrix_world.to_3x3() @ Vector((0, 1, 0))).normalized()
    # An oblique view shows more of a figure than a frontal one.
    wanted = Matrix.Rotation(radians(35), 3, "Z") @ front
    best, place = -1.0, target + wanted * _NEAREST
    for step in range(24):
        turned: Any = Matrix.Rotation(step * pi / 12, 3, "Z") @ front
        for rise in (8, 18, 30):
            direction = Matrix.Rotation(radians(rise), 3, turned.cross(Vector((0, 0, 1)))) @ turned
            free = min(walls.free_distance(target, direction, _FARTHEST), _FARTHEST)
            seen = sum(
                walls.sees(target + direction * free, foot + Vector((0, 0, z))) for z in (0.1, 0.5, 0.9)
            )
            worth = free + 1.5 * turned.dot(wanted) + 2 * seen - rise / 20
            if free > _NEAREST and worth > best:
                best, place = worth, target + direction * free
    return looking(place, target - Vector((0, 0, 0.4)))


_DIRECTION_ABOVE = Vector((0.45, -0.75, 1.0)).normalized()


def view_from_above(rooms: Sequence[Object], shape: float) -> View:
    """Return an orthographic view of all rooms from above; ``shape`` is width by height of the picture.

    It is for rooms that are :func:`cut_open`, and ignores the faces which that removes.
    """
    points = [room.matrix_world @ vertex.co for room in rooms for vertex in room.data.vertices]
    return _framing(np.array(points), _DIRECTION_ABOVE, shape)


def view_of_all(layer: ViewLayer, shape: float) -> View:
    """Return an orthographic view of the fronts of all meshes in a view layer, from the side."""
    points = [
        instance.matrix_world @ Vector(corner)
        for instance in layer.depsgraph.object_instances
        if instance.object.type == "MESH"
        for corner in instance.object.bound_box
    ]
    return _framing(np.array(points), Vector((0.6, 1.0, 0.25)), shape)


def _framing(points: NDArray[np.float64], direction: Vector, shape: float) -> View:
    turn = looking(direction, Vector()).matrix.to_3x3()
    seen = points @ np.array(turn)
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle = (low + high) / 2
    middle[2] = high[2] + 1.0
    width, height = (high - low)[:2]
    place: Any = turn @ Vector(middle.tolist())
    return View(Matrix.Translation(place) @ turn.to_4x4(), float(max(height, width / shape)) * 1.06)


# --- Rendering ---------------------------------------------------------------------------------------


@cache
def has_workbench() -> bool:
    """Return whether Workbench can render here."""
    command = [sys.executable, "-c", _TRY_WORKBENCH]
    answer = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return answer.returncode == 0


_TRY_WORKBENCH = """
import bpy
scene = bpy.context.scene
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
scene.collection.objects.link(camera)
scene.camera = camera
scene.render.engine = "BLENDER_WORKBENCH"
scene.render.resolution_x = scene.render.resolution_y = 8
bpy.ops.render.render()
"""


def set_up(scene: Scene, size: tuple[int, int], *, lit: bool = False) -> None:
    """Set up a scene to be rendered with its textures only, or with the game's light."""
    render: Any = scene.render
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = "RGBA"
    scene.view_settings.view_transform = "Standard"
    if scene.world is None:
        scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.03, 0.035, 0.045)
    if lit or not has_workbench():
        render.engine = "CYCLES"
        scene.cycles.device = "CPU"
        scene.cycles.samples = 8
        scene.cycles.use_denoising = False
        scene.cycles.transparent_max_bounces = 32
        return
    render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light, shading.color_type = "FLAT", "TEXTURE"
    scene.display.render_aa = "8"


def render(scene: Scene, view: View, path: Path) -> Path:
    """Render a view into a PNG file."""
    data = bpy.data.cameras.new("Picture")
    camera = bpy.data.objects.new("Picture", data)
    camera.matrix_world = view.matrix
    data.lens = view.lens
    data.clip_start, data.clip_end = 0.02, 10000
    if view.height is not None:
        data.type = "ORTHO"
        width, height = scene.render.resolution_x, scene.render.resolution_y
        # Blender's scale is that of the longer side.
        data.ortho_scale = view.height * max(1.0, width / height)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.filepath = str(path)
    override: dict[str, Any] = {"scene": scene, "view_layer": scene.view_layers[0]}
    try:
        # Otherwise, a scene other than the window's would be rendered at the frame of the window's scene.
        with bpy.context.temp_override(**override), _silence():
            bpy.ops.render.render(write_still=True, scene=scene.name)
    finally:
        bpy.data.objects.remove(camera)
        bpy.data.cameras.remove(data)
    return path


@contextmanager
def _silence() -> Iterator[None]:
    """Suppress what Blender and graphics drivers print while rendering."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with open(os.devnull, "w") as nowhere:
        try:
            for number in (1, 2):
                os.dup2(nowhere.fileno(), number)
            yield
        finally:
            for number, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, number)
                os.close(copy)


@contextmanager
def shown_as(subject: Object, collections: Sequence[Collection]) -> Iterator[None]:
    """Show other collections by an instance temporarily, all at its location."""
    before = subject.instance_collection
    others = [
        add_instance(subject.users_collection[0], each, subject.matrix_world) for each in collections[1:]
    ]
    subject.instance_collection = collections[0]
    try:
        yield
    finally:
        subject.instance_collection = before
        for other in others:
            bpy.data.objects.remove(other)


def add_instance(parent: Collection, shown: Collection, matrix: Matrix | None = None) -> Object:
    """Add an instance of a collection to another collection, at its origin or with a matrix."""
    obj = bpy.data.objects.new(shown.name, None)
    obj.instance_type, obj.instance_collection = "COLLECTION", shown
    if matrix is not None:
        obj.matrix_world = matrix
    parent.objects.link(obj)
    return obj


@contextmanager
def cut_open(rooms: Sequence[Object]) -> Iterator[None]:
    """Temporarily remove the faces of rooms that face away from above, which the games do not draw."""
    whole: list[Any] = [room.data for room in rooms]
    cut: list[Any] = [mesh.copy() for mesh in whole]
    try:
        for room, mesh in zip(rooms, cut, strict=True):
            room.data = mesh
            edit: Any = bmesh.new()
            edit.from_mesh(mesh)
            hidden = [face for face in edit.faces if face.normal.dot(_DIRECTION_ABOVE) < -1e-4]
            bmesh.ops.delete(edit, geom=hidden, context="FACES")
            loose = [vertex for vertex in edit.verts if not vertex.link_faces]
            bmesh.ops.delete(edit, geom=loose, context="VERTS")
            edit.to_mesh(mesh)
            edit.free()
        yield
    finally:
        for room, mesh in zip(rooms, whole, strict=True):
            room.data = mesh
        for mesh in cut:
            bpy.data.meshes.remove(mesh)


# --- Pictures as arrays ------------------------------------------------------------------------------


def load(path: Path) -> NDArray[np.uint8]:
    """Return a picture file as RGBA rows from top to bottom, shape (h, w, 4)."""
    image: Any = bpy.data.images.load(str(path))
    width, height = image.size[0], image.size[1]
    pixels: Any = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return np.rint(pixels.reshape(height, width, 4)[::-1] * 255).astype(np.uint8)


def save(path: Path, pixels: NDArray[np.uint8]) -> Path:
    """Write RGBA rows from top to bottom as a PNG file."""
    path.write_bytes(encode_png(np.ascontiguousarray(pixels)))
    return path


def side_by_side(pictures: Sequence[NDArray[np.uint8]], gap: int = 6) -> NDArray[np.uint8]:
    """Join pictures of equal height in a row."""
    space = np.full((pictures[0].shape[0], gap, 4), 255, np.uint8)
    parts = [part for picture in pictures for part in (picture, space)]
    return np.concatenate(parts[:-1], axis=1)
