"""Picture of cameras."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Collection, Material, Object
from mathutils import Matrix
from numpy.typing import NDArray

from io_tomb_raider.scene.core.blender import compat

from .. import pictures
from . import save
from .example import LARA_IN_HALL, SAMPLES, at, from_above, import_example, move_lara, only_rooms, view_at

_LEFT, _RIGHT = (520, 390), (260, 195)
_ROOMS = "Pillared Hall", "Pillared Hall North"
_FLIGHT = (
    ((21.6, 2.0, 24.6), (23.5, 3.0, 30.5)),
    ((26.4, 4.0, 26.0), (23.6, 2.0, 31.0)),
    ((26.6, 8.0, 31.0), (22.6, 2.0, 29.5)),
    ((25.0, 7.0, 35.5), (23.2, 1.0, 28.9)),
    ((22.0, 3.4, 33.2), (23.6, 2.0, 28.0)),
)
_CORNERS = ((0.5, 0.35, -0.9), (-0.5, 0.35, -0.9), (-0.5, -0.35, -0.9), (0.5, -0.35, -0.9))


def draw(path: Path) -> None:
    """Draw a flyby sequence around a hall from above, and two frames of its preview."""
    from io_tomb_raider.scene.subjects.cameras.preview import preview_flyby, sequence_of

    root = import_example()
    move_lara(*LARA_IN_HALL)
    for place, target in _FLIGHT:
        bpy.context.scene.cursor.location = at(*place)
        bpy.ops.tomb_raider.add_camera(kind="FLYBY")
        bpy.context.object.matrix_world = view_at(place, target).matrix
    bpy.context.view_layer.update()
    flybys = sequence_of(root, 0)
    camera, frames = preview_flyby(root, 0)
    scene: Any = bpy.context.scene
    moments = []
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        pictures.set_up(scene, _RIGHT, lit=True)
        scene.cycles.samples = SAMPLES
        for frame in (frames // 5, frames * 3 // 5):
            scene.frame_set(frame)
            view = pictures.View(camera.matrix_world.copy(), lens=camera.data.lens)
            moments.append(pictures.load(pictures.render(scene, view, shot)))
        _show_flight(root, scene, flybys, camera, frames)
        overview = from_above(only_rooms(root, _ROOMS), _LEFT)
    save(path, _compose(overview, moments))


def _compose(overview: NDArray[np.uint8], moments: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    return np.concatenate([overview, np.concatenate(moments)], axis=1)


def _show_flight(root: Collection, scene: Any, flybys: list[Object], camera: Object, frames: int) -> None:
    """Add objects for overlays of the viewport: cameras, and their flight path."""
    for obj in flybys:
        made = bpy.data.objects.new("Pyramid", _pyramid(colored("Camera", (1.0, 0.62, 0.1))))
        made.matrix_world = obj.matrix_world @ Matrix.Scale(0.9, 4)
        root.objects.link(made)
    places = []
    for frame in range(0, frames, 5):
        scene.frame_set(frame)
        places.append(camera.matrix_world.translation.copy())
    root.objects.link(tube(places, 0.07, colored("Flight", (0.2, 0.75, 1.0))))


def colored(name: str, color: tuple[float, float, float]) -> Material:
    """Return an emissive material of one color, for any render engine."""
    material = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    settings: Any = material
    settings.diffuse_color = (*color, 1)
    tree: Any = compat.material_nodes(material)
    tree.nodes.clear()
    shine, output = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    shine.inputs[0].default_value = (*color, 1)
    tree.links.new(shine.outputs[0], output.inputs[0])
    return material


def _pyramid(material: Material) -> Any:
    edit = bmesh.new()
    tip = edit.verts.new((0, 0, 0))
    corners = [edit.verts.new(corner) for corner in _CORNERS]
    for number in range(4):
        edit.faces.new((tip, corners[number], corners[(number + 1) % 4]))
    mesh = bpy.data.meshes.new("Pyramid")
    edit.to_mesh(mesh)
    edit.free()
    mesh.materials.append(material)
    return mesh


def tube(places: list[Any], radius: float, material: Material) -> Object:
    """Return a tube through places."""
    curve: Any = bpy.data.curves.new("Tube", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", radius
    line = curve.splines.new("POLY")
    line.points.add(len(places) - 1)
    for point, place in zip(line.points, places, strict=True):
        point.co = (*place, 1)
    curve.materials.append(material)
    return bpy.data.objects.new("Tube", curve)
