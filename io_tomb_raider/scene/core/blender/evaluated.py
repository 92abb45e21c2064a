"""Results of Blender's evaluation: shapes by modifiers, places by constraints and keys.

Blender does not evaluate excluded or hidden objects, such as a level's libraries. So objects are evaluated in
a temporary scene.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import bpy
from bpy.types import Depsgraph, Material, Mesh, Object

from ....formats.base import T
from ..reporting.report import Report
from .material_slots import shown_materials


class ShownMeshes:
    """The meshes that objects show: their own meshes, unless another one was noted."""

    def __init__(self) -> None:
        self._noted: dict[Object, Mesh] = {}

    def note(self, obj: Object, mesh: Mesh) -> None:
        """Note a mesh that an object shows instead of its own. Several objects may show the same."""
        self._noted[obj] = mesh

    def of(self, obj: Object) -> Mesh | None:
        """Return the mesh that an object shows, None if it is no mesh object."""
        if obj in self._noted:
            return self._noted[obj]
        return obj.data if isinstance(obj.data, Mesh) else None

    def is_made(self, mesh: Mesh) -> bool:
        """Return whether a mesh was noted. Such a mesh has the materials that its objects show."""
        return mesh in self._noted.values()

    def materials(self, obj: Object) -> list[Material | None]:
        """Return the materials of the slots that an object shows."""
        mesh = self._noted.get(obj)
        return shown_materials(obj) if mesh is None else list(mesh.materials)


@contextmanager
def evaluation(objects: Sequence[Object]) -> Iterator[Depsgraph]:
    """Evaluate objects and their dependencies at the frame of the current scene.

    Args:
        objects: temporary objects. They are removed afterwards.
    """
    user_scene = bpy.context.scene
    scene = bpy.data.scenes.new("Evaluation")
    try:
        if user_scene is not None:
            scene.frame_current, scene.frame_subframe = user_scene.frame_current, user_scene.frame_subframe
        for obj in objects:
            scene.collection.objects.link(obj)
        # Evaluated like this, the scene triggers no handlers.
        with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
            graph = bpy.context.evaluated_depsgraph_get()
        yield graph
    finally:
        bpy.data.batch_remove([*objects, scene])


def refresh_places(objects: Iterable[Object], report: Report) -> None:
    """Have Blender evaluate where it moves objects, hidden ones included.

    Constraints, animation and parents other than objects, such as bones, can move them.

    Args:
        report: gets a warning for each animated object, as the games have no animated places.
    """
    moved = [obj for obj in objects if _is_moved(obj)]
    for obj in moved:
        if any(_has_keys(each) for each in _with_parents(obj)):
            frame = bpy.context.scene.frame_current
            text = T(
                "it is animated, which the game does not support: it is exported with its position at frame"
            )
            report.warn(obj.name, T("{text} {frame}", text=text, frame=frame))
    layer = bpy.context.view_layer
    probes = []
    for obj in moved:
        if layer is None or not obj.visible_get(view_layer=layer):
            # Blender evaluates the parents of visible objects, even hidden ones.
            probe = bpy.data.objects.new("Evaluation", None)
            probe.parent = obj
            probes.append(probe)
    if probes:
        with evaluation(probes):
            pass


def _with_parents(obj: Object) -> Iterator[Object]:
    ancestor: Object | None = obj
    while ancestor is not None:
        yield ancestor
        ancestor = ancestor.parent


def _is_moved(obj: Object) -> bool:
    """Return whether an object's place depends on more than its transforms and its parents'."""
    ancestor: Object | None = obj
    while ancestor is not None:  # a plain loop, as this runs for all objects of a level
        parent = ancestor.parent
        if ancestor.constraints or ancestor.animation_data or (parent and ancestor.parent_type != "OBJECT"):
            return True
        ancestor = parent
    return False


def _has_keys(obj: Object) -> bool:
    data = obj.animation_data
    return data is not None and (
        data.action is not None or any(len(track.strips) for track in data.nla_tracks)
    )
