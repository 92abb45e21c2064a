"""Pictures of whole levels from above, without ceilings and walls that face away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Collection, Material

from ...core.membership import members
from ...subjects.meshes.placed import rooms_with_vertices, world_corners
from ...subjects.sprites.facing import facing
from .studio import AT_ROOMS, look, studio

SIZE = 1600, 1000  # pixels


def render_overview(root: Collection, path: Path) -> None:
    """Render a whole level of the current scene into a PNG file. Raises OSError if it cannot be written."""
    scene: Any = bpy.context.scene
    objects = members(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    rooms = rooms_with_vertices(each for each in objects if not each.hide_render)
    points = world_corners(rooms).reshape(-1, 3)
    with (
        facing(root),
        studio(scene, objects, SIZE) as camera,
        opened(culled_materials(objects)),
    ):
        if len(points):
            look(scene, camera, AT_ROOMS, points)
        scene.render.filepath = str(path)
        bpy.ops.render.render(write_still=True)


def culled_materials(objects: Iterable[Any]) -> list[Material]:
    """Return the materials of objects whose back faces are not drawn."""
    meshes = {obj.data for obj in objects if isinstance(obj.data, bpy.types.Mesh)}
    used = {material for mesh in meshes for material in mesh.materials}
    return [each for each in used if each is not None and each.use_backface_culling and each.node_tree]


@contextmanager
def opened(materials: list[Material]) -> Iterator[None]:
    """Make the back faces of materials transparent, since Cycles has no backface culling."""
    added = [(material, *_hide_backs(material)) for material in materials]
    try:
        yield
    finally:
        for material, nodes, surface in added:
            tree = material.node_tree
            for node in nodes:
                tree.nodes.remove(node)
            if surface is not None:
                tree.links.new(surface, _output(tree).inputs["Surface"])


def _output(tree: Any) -> Any:
    return next(
        node for node in tree.nodes if node.bl_idname == "ShaderNodeOutputMaterial" and node.is_active_output
    )


def _hide_backs(material: Material) -> tuple[list[Any], Any]:
    """Return the added nodes, and the socket that was linked to the material's surface."""
    tree = material.node_tree
    surface = _output(tree).inputs["Surface"]
    if not surface.is_linked:
        return [], None
    source = surface.links[0].from_socket
    names = ("ShaderNodeNewGeometry", "ShaderNodeBsdfTransparent", "ShaderNodeMixShader")
    geometry, clear, mix = (tree.nodes.new(name) for name in names)
    tree.links.new(geometry.outputs["Backfacing"], mix.inputs[0])
    tree.links.new(source, mix.inputs[1])
    tree.links.new(clear.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], surface)
    return [geometry, clear, mix], source
