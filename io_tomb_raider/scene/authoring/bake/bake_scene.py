"""A temporary scene in which Cycles computes the light at places, without changes to the user's scene.

In it, the level's faces do not emit light, as their materials do, but reflect it by their textures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

import bpy
import numpy as np
from bpy.types import LayerCollection, Material, Mesh, NodeTree, Object, Scene, ViewLayer
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import Floats, T
from ...core.blender import compat
from ...core.blender.node_builder import NodeBuilder
from ...core.subjects import Kind
from ...mesh.blender_mesh import material_slots, write_material_slots, write_mesh
from ...mesh.poly_mesh import PolyMesh
from ...subjects.textures.shader import ADDITIVE, COLOR_KEYED, OPAQUE, is_surface_group

_SHAPED = {"MESH", "CURVE", "CURVES", "SURFACE", "FONT", "META", "POINTCLOUD", "VOLUME", "LIGHT", "EMPTY"}
_HIDDEN_FROM = ("diffuse", "glossy", "transmission", "volume_scatter", "shadow")
_CORNERS = 3  # of a receiver: Cycles samples each of them


class BakeScene:
    """A temporary scene, as a context manager.

    Args:
        samples: of Cycles per place.
        like: the user's scene, whose world and device are used.
    """

    def __init__(self, samples: int, like: Scene) -> None:
        self._scene: Any = bpy.data.scenes.new("Bake Light")
        self._temporary: list[Any] = []
        self._twins: dict[Material, Material] = {}
        self._groups: dict[NodeTree, NodeTree] = {}
        if not hasattr(self._scene, "cycles"):
            bpy.data.scenes.remove(self._scene)
            raise ExportError(T("Cycles"), T("it is disabled: enable it in the preferences, Add-ons"))
        render: Any = self._scene.render
        render.engine = "CYCLES"
        self._scene.world = like.world
        settings = self._scene.cycles
        settings.device = getattr(like, "cycles", settings).device
        settings.samples = -(-samples // _CORNERS)
        settings.use_adaptive_sampling = False

    def __enter__(self) -> BakeScene:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        bpy.data.scenes.remove(self._scene)
        bpy.data.batch_remove(self._temporary)

    def link(self, obj: Object) -> None:
        """Link an object of the user, such as a light, unchanged."""
        if obj.name not in self._scene.collection.objects:
            self._scene.collection.objects.link(obj)

    def add_faces(self, obj: Object, matrix: Matrix, clear: NDArray[np.bool_] | None = None) -> None:
        """Add the mesh of an object, which casts shadows and reflects light by the level's textures.

        Args:
            matrix: its matrix in Blender's world.
            clear: (f,), the faces that are transparent.
        """
        mesh = obj.data
        if clear is not None and clear.any():
            mesh = self._cleared(mesh, clear)
        copy = bpy.data.objects.new("Bake Light", mesh)
        self._temporary.append(copy)
        copy.matrix_world = matrix
        self._scene.collection.objects.link(copy)
        # Transparent faces have an additional slot.
        for slot, original in zip(copy.material_slots, obj.material_slots, strict=False):
            slot.link = "OBJECT"
            slot.material = original.material if original.material is None else self._twin(original.material)

    def _cleared(self, mesh: Any, clear: NDArray[np.bool_]) -> Mesh:
        """Return a copy of a mesh with an additional transparent material on some faces."""
        copy = mesh.copy()
        self._temporary.append(copy)
        material = bpy.data.materials.new("Bake Light")
        self._temporary.append(material)
        with NodeBuilder(compat.material_nodes(material)) as build:
            build.tree.nodes.clear()
            output = build.node("ShaderNodeOutputMaterial").inputs[0]
            build.link(build.node("ShaderNodeBsdfTransparent").outputs[0], output)
        if not len(copy.materials):
            copy.materials.append(None)
        copy.materials.append(material)
        slots = material_slots(copy)
        slots[clear] = len(copy.materials) - 1
        write_material_slots(copy, slots)
        result: Mesh = copy
        return result

    def _twin(self, material: Material) -> Material:
        """Return a copy of a material that does not emit light, if it is a level's."""
        if not is_of_level(material):
            return material
        if material not in self._twins:
            twin: Any = material.copy()
            self._twins[material] = twin
            self._temporary.append(twin)
            for node in _surfaces(twin):
                node.node_tree = self._group(node.node_tree)
        return self._twins[material]

    def _group(self, group: NodeTree) -> NodeTree:
        if group not in self._groups:
            # A copy keeps the links to its sockets.
            copy: Any = group.copy()
            self._groups[group] = copy
            self._temporary.append(copy)
            make_diffuse(copy)
        return self._groups[group]

    def light_at(self, points: Floats, normals: Floats, size: float) -> Floats:
        """Return the light at places, (n, 3), linear; 1 makes a white surface white.

        Args:
            points: (n, 3), in Blender's world.
            normals: (n, 3), unit vectors toward the lit side.
            size: of the small receiving faces.

        Raises:
            ExportError: if Cycles fails.
        """
        if not len(points):
            return np.zeros((0, 3))
        mesh = bpy.data.meshes.new("Bake Light")
        self._temporary.append(mesh)
        corners = _small_triangles(points, normals, size)
        write_mesh(mesh, PolyMesh(corners, np.arange(len(corners)), np.full(len(points), _CORNERS)))
        name = mesh.color_attributes.new("Light", "FLOAT_COLOR", "CORNER").name
        mesh.color_attributes.active_color = mesh.color_attributes[name]
        obj = bpy.data.objects.new("Bake Light", mesh)
        self._temporary.append(obj)
        # Hidden from all rays but the camera's, since Cycles skips fully hidden objects.
        for rays in _HIDDEN_FROM:
            setattr(obj, f"visible_{rays}", False)
        self._scene.collection.objects.link(obj)
        self._bake(obj)
        colors = np.empty((len(corners), 4), np.float32)
        mesh.color_attributes[name].data.foreach_get("color", colors.ravel())
        self._scene.collection.objects.unlink(obj)
        light = np.nan_to_num(colors[:, :3].astype(np.float64), posinf=0.0, neginf=0.0)
        return np.asarray(light.reshape(-1, _CORNERS, 3).mean(axis=1))

    def _bake(self, obj: Object) -> None:
        context = bpy.context
        with context.temp_override(
            scene=self._scene,
            view_layer=self._scene.view_layers[0],
            active_object=obj,
            object=obj,
            selected_objects=[obj],
            selected_editable_objects=[obj],
        ):
            try:
                # Baking has no API besides the operator.
                outcome = bpy.ops.object.bake(
                    type="DIFFUSE", pass_filter={"DIRECT", "INDIRECT"}, target="VERTEX_COLORS", use_clear=True
                )
            except RuntimeError as error:
                raise ExportError(T("Cycles"), str(error).strip()) from None
        if outcome != {"FINISHED"}:
            raise ExportError(T("Cycles"), T("it did not finish"))


def _small_triangles(points: Floats, normals: Floats, size: float) -> Floats:
    """Return the corners of an equilateral triangle around each point, (3 n, 3), facing its normal."""
    smallest_axis = np.abs(normals).argmin(axis=1)
    across = np.cross(normals, np.eye(3)[smallest_axis])
    across /= np.maximum(np.linalg.norm(across, axis=1), 1e-9)[:, None]
    up = np.cross(normals, across)
    corners = np.empty((len(points), _CORNERS, 3))
    for corner in range(_CORNERS):
        angle = 2 * np.pi * corner / _CORNERS
        corners[:, corner] = points + size * (np.cos(angle) * across + np.sin(angle) * up)
    return corners.reshape(-1, 3)


def is_of_level(material: Material | None) -> bool:
    """Return whether a material draws faces like a level's game, without Blender's light."""
    return material is not None and any(_surfaces(material))


def _surfaces(material: Material) -> Iterator[Any]:
    """Yield the nodes of a material that draw like a level's game."""
    tree = compat.used_nodes(material)
    nodes: Iterable[Any] = () if tree is None else tree.nodes
    for node in nodes:
        if node.type == "GROUP" and node.node_tree is not None and is_surface_group(node.node_tree):
            yield node


def make_diffuse(group: NodeTree) -> None:
    """Replace the nodes of a copied surface group, so that faces reflect light by their textures."""
    group.nodes.clear()
    with NodeBuilder(group) as build:
        color, alpha = build.node("NodeGroupInput").outputs[:2]
        diffuse = build.node("ShaderNodeBsdfDiffuse")
        build.link(color, diffuse.inputs[0])
        clear = build.node("ShaderNodeBsdfTransparent", row=1).outputs[0]
        solid = build.math("GREATER_THAN", alpha, 0.5, row=2)
        # Names of this node's sockets differ between versions, so they are linked by index.
        mixed = build.node("ShaderNodeMixShader")
        for source, target in zip((solid, clear, diffuse.outputs[0]), mixed.inputs, strict=True):
            build.link(source, target)
        shaders = {OPAQUE: diffuse.outputs[0], COLOR_KEYED: mixed.outputs[0], ADDITIVE: clear}
        for socket in build.node("NodeGroupOutput").inputs:
            if socket.name in shaders:
                build.link(shaders[socket.name], socket)


def rendered_user_objects(layer: ViewLayer) -> Iterator[Object]:
    """Yield the rendered objects of a view layer that are no part of a level."""
    yield from dict.fromkeys(
        obj
        for obj in _rendered([layer.layer_collection])
        if obj.tomb_raider.kind == Kind.NONE and obj.type in _SHAPED and not obj.hide_render
    )


def _rendered(layers: Iterable[LayerCollection]) -> Iterator[Object]:
    for layer in layers:
        if layer.exclude or layer.collection.hide_render:
            continue
        yield from layer.collection.objects
        yield from _rendered(layer.children)
