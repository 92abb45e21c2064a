"""Materials with the colors of collision: one per kind of face, shared by all levels."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Material

from ....formats.base import CLICK
from ...core.blender import compat
from .build import FaceColor

# Linear red, green, blue and opacity.
_LOOKS: dict[FaceColor, tuple[str, tuple[float, float, float, float]]] = {
    FaceColor.FLOOR: ("Collision Floor", (0.13, 0.40, 0.16, 1.0)),
    FaceColor.SLOPE: ("Collision Steep Floor", (0.75, 0.42, 0.03, 1.0)),
    FaceColor.CEILING: ("Collision Ceiling", (0.16, 0.28, 0.55, 1.0)),
    FaceColor.WALL: ("Collision Wall", (0.32, 0.32, 0.34, 1.0)),
    FaceColor.DEATH: ("Collision Death", (0.70, 0.03, 0.03, 1.0)),
    FaceColor.OPENING: ("Collision Opening", (0.80, 0.80, 0.85, 0.3)),
    FaceColor.CLIMB: ("Collision Climbable Wall", (0.45, 0.12, 0.60, 1.0)),
    FaceColor.MONKEY_SWING: ("Collision Monkey Swing", (0.90, 0.75, 0.05, 1.0)),
}
# The same for rounded floors and ceilings.
_ROUNDED_LOOKS: dict[str, tuple[str, tuple[float, float, float, float]]] = {
    "ROUNDED_LITTLE": ("Collision Rounded a Little", (0.85, 0.80, 0.10, 1.0)),
    "ROUNDED": ("Collision Rounded", (0.90, 0.35, 0.02, 1.0)),
    "ROUNDED_MUCH": ("Collision Rounded Much", (0.85, 0.02, 0.10, 1.0)),
}
_SURFACE = "Diffuse BSDF"  # the node with the color; Blender's default name depends on the language
# Minimal rounding error in units.
ROUNDED = {"ROUNDED_LITTLE": 0, "ROUNDED": CLICK // 4, "ROUNDED_MUCH": CLICK // 2}


def collision_materials() -> list[Material]:
    """Return the materials of all kinds of faces in order; missing ones are made."""
    by_kind = _by_kind()
    opaque: Material | None = None  # made just now, so the user has not changed it
    for kind in FaceColor:
        if kind.name not in by_kind:
            name, color = _LOOKS[kind]
            is_alike = opaque is not None and color[3] == 1
            material = _copy(opaque, kind.name, name, color) if is_alike else _make(kind.name, name, color)
            by_kind[kind.name] = material
            opaque = material if color[3] == 1 else opaque
    return [by_kind[kind.name] for kind in FaceColor]


def collision_material(name: str) -> Material:
    """Return the material of rounded floors and ceilings, by a name of :data:`ROUNDED`."""
    return _by_kind().get(name) or _make(name, *_ROUNDED_LOOKS[name])


def _by_kind() -> dict[str, Material]:
    result: dict[str, Material] = {}
    for material in bpy.data.materials:
        if material.library is None:
            result.setdefault(material.tomb_raider.collision, material)
    return result


def _copy(opaque: Any, meaning: str, name: str, color: tuple[float, float, float, float]) -> Material:
    """Return the same as :func:`_make`, in an eighth of the time, by copying an opaque material."""
    material = opaque.copy()
    material.name = name
    material.tomb_raider.collision = meaning
    material.diffuse_color = color
    material.node_tree.nodes[_SURFACE].inputs[0].default_value = color
    return material


def _make(meaning: str, name: str, color: tuple[float, float, float, float]) -> Material:
    material: Any = bpy.data.materials.new(name)
    material.tomb_raider.kind = "GUIDE"
    material.tomb_raider.collision = meaning
    material.diffuse_color = color
    material.roughness = 1.0
    tree = compat.material_nodes(material)
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    surface = tree.nodes.new("ShaderNodeBsdfDiffuse")
    if surface.name != _SURFACE:  # setting a name makes Blender search the whole file for uses
        surface.name = _SURFACE
    surface.location = (-400, 0)
    surface.inputs[0].default_value = (*color[:3], 1.0)
    shader = surface.outputs[0]
    if color[3] < 1:
        clear = tree.nodes.new("ShaderNodeBsdfTransparent")
        clear.location = (-400, 150)
        mix = tree.nodes.new("ShaderNodeMixShader")
        mix.location = (-200, 0)
        mix.inputs[0].default_value = color[3]
        tree.links.new(clear.outputs[0], mix.inputs[1])
        tree.links.new(shader, mix.inputs[2])
        shader = mix.outputs[0]
        material.surface_render_method = "BLENDED"
    tree.links.new(shader, output.inputs[0])
    compat.cull_back_faces(material, True)
    return material
