"""The common setup of all pictures: a scene that renders like the games, and a camera."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import radians, tan
from typing import Any

import bpy
import numpy as np
from bpy.types import Light, Object, Scene
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T

# Directions in which cameras look.
AT_MODELS = (-0.45, -0.85, -0.3)  # models face +y
AT_ROOMS = (-0.35, 0.6, -0.7)
_FIELD_OF_VIEW = radians(30)
_SAMPLES = 4  # per pixel
_NEAR, _FAR = 0.02, 10000.0
_LAYERS = 64  # of transparent faces


def require_cycles() -> None:
    """Raise an error if Blender's renderer of all pictures is switched off. Raises ExportError if it is."""
    if not hasattr(Scene, "cycles"):
        raise ExportError(T("Cycles"), T("it is disabled: enable it in the preferences, Add-ons"))


@contextmanager
def studio(
    scene: Scene,
    objects: Iterable[Object],
    size: tuple[int, int],
    field_of_view: float = _FIELD_OF_VIEW,
    samples: int = _SAMPLES,
) -> Iterator[Object]:
    """Set up a scene for pictures, and yield a camera.

    Args:
        scene: its render settings stay changed.
        objects: the rendered objects. Their lights are hidden meanwhile, since no face of a level needs them.
        size: of the pictures, in pixels.
        field_of_view: vertical, in radians.
        samples: per pixel.

    Raises:
        ExportError: as :func:`require_cycles`.
    """
    require_cycles()
    data = bpy.data.cameras.new("Picture")
    data.sensor_fit, data.sensor_height = "VERTICAL", 24.0
    data.lens = data.sensor_height / 2 / tan(field_of_view / 2)
    data.clip_start, data.clip_end = _NEAR, _FAR
    camera = bpy.data.objects.new("Picture", data)
    scene.collection.objects.link(camera)
    before = scene.camera
    scene.camera = camera
    render: Any = scene.render
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    render.image_settings.file_format = "PNG"
    # Cycles then prepares the scene only once.
    render.use_persistent_data = True
    cycles: Any = scene
    cycles.cycles.device, cycles.cycles.samples = "CPU", samples
    cycles.cycles.use_denoising, cycles.cycles.transparent_max_bounces = False, _LAYERS
    cycles.cycles.max_bounces = 0
    lamps = [obj for obj in objects if isinstance(obj.data, Light) and not obj.hide_render]
    for obj in lamps:
        obj.hide_render = True
    try:
        yield camera
    finally:
        for obj in lamps:
            obj.hide_render = False
        scene.camera = before
        bpy.data.objects.remove(camera)
        bpy.data.cameras.remove(data)


def look(scene: Any, camera: Object, direction: Sequence[float], points: NDArray[np.float64]) -> None:
    """Aim a camera in a direction, at a distance where points, (n, 3) in the world, fill its picture."""
    rotation = Vector(direction).to_track_quat("-Z", "Y").to_matrix().to_4x4()
    camera.matrix_world = rotation
    layer = scene.view_layers[0]
    layer.update()
    position, _ = camera.camera_fit_coords(layer.depsgraph, points.ravel().tolist())
    camera.matrix_world = Matrix.Translation(tuple(position)) @ rotation


@contextmanager
def stage() -> Iterator[Scene]:
    """Yield a temporary scene for pictures with a transparent background."""
    scene = bpy.data.scenes.new("Pictures")
    scene.render.film_transparent = True
    scene.view_settings.view_transform = "Standard"
    try:
        yield scene
    finally:
        bpy.data.scenes.remove(scene)


def shown_points(scene: Scene) -> NDArray[np.float64]:
    """Return the corners of the bounding boxes of all meshes of a scene, (n, 3) in the world."""
    layer = scene.view_layers[0]
    layer.update()
    points = [
        each.matrix_world @ Vector(corner)
        for each in layer.depsgraph.object_instances
        if each.object.type == "MESH" and each.object.data.polygons
        for corner in each.object.bound_box
    ]
    return np.array(points, np.float64).reshape(-1, 3)
