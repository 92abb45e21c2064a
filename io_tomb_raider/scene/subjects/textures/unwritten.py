"""Warnings of nodes and settings of materials that are not exported."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import cache
from typing import Any

import bpy
import numpy as np
from bpy.types import AnimData, Image, Material, Node, NodeTree

from ....formats import Game
from ....formats.base import T, Target, joined
from ....formats.levels.textures import BlendMode, most_blending
from ...core.blender import compat
from ...core.blender.material_slots import has_own_materials, shown_materials
from ...core.context import ExportContext
from ...core.subjects import OF_ROOMS, Kind
from .materials import MaterialKeys, image_node, is_surface, surface_nodes, upstream_nodes, user_attribute
from .waterfall_nodes import is_waterfall_group

# Nodes that only pass values through or mix them.
_PASSING = frozenset(
    {
        "ShaderNodeOutputMaterial",
        "ShaderNodeGroup",
        "NodeGroupInput",
        "NodeGroupOutput",
        "NodeReroute",
        "NodeFrame",
        "ShaderNodeMixShader",
        "ShaderNodeAddShader",
        "ShaderNodeBsdfTransparent",
        "ShaderNodeRGB",
    }
)
_PLAYING = frozenset({"ShaderNodeMath", "ShaderNodeMix"})
_FACES = frozenset({*OF_ROOMS, Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH, Kind.SPRITE_TEXTURE})
_SHARING = frozenset({Kind.PLACEMENT, Kind.SPRITE})
_NEAR = 1e-4
NO_SUCH_BLENDING = T("the game does not support this blending: choose Opaque or Alpha in Blending")
# Values of a surface without reflections, as all games draw it: exports to other programs set them.
_MATT = {"Roughness": 1.0, "Specular IOR Level": 0.0}


def warn_of_materials(context: ExportContext, material_keys: MaterialKeys) -> None:
    """Warn of nodes and settings that are not exported, once for each material of a level's objects."""
    materials: dict[Material, None] = {}
    for obj, kind in context.level_objects.kinds.items():
        if kind in _FACES or (kind == Kind.NONE and obj.type == "MESH" and obj.parent_type == "BONE"):
            materials |= dict.fromkeys(each for each in shown_materials(obj) if each is not None)
        elif kind in _SHARING and has_own_materials(obj):
            text = T(
                "materials of its own slots are left out: the game shows the materials of its mesh. "
                "Assign the materials to the mesh, or make a copy of the object in the library"
            )
            context.report.warn(obj.name, text)
    game = context.original.game
    groups = context.root.tomb_raider.animated.groups
    players = {group.player for group in groups}
    for group in groups:
        if any(_is_unknown_blending(context, frame.attribute) for frame in group.frames):
            context.report.warn(group.name, NO_SUCH_BLENDING)
    for material in materials:
        key = material_keys[material]
        attribute = user_attribute(material, game) if key is None else key.attribute
        if attribute is not None and _is_unknown_blending(context, attribute):
            context.report.warn(material.name, NO_SUCH_BLENDING)
        context.report.warn_all(material.name, _left(material, material_keys, game))
        context.report.warn_all(material.name, _moving(material, players))


def _is_unknown_blending(context: ExportContext, attribute: int) -> bool:
    """Return whether neither the game nor the imported file knows a blend mode."""
    most = most_blending(context.original.game, trx=context.target is Target.TRX)
    return attribute > most and attribute not in context.original.object_textures["attribute"]


def _left(material: Material, material_keys: MaterialKeys, game: Game) -> Iterator[str]:
    """Yield warnings of a material."""
    key = material_keys[material]
    mapping_nodes = material_keys.coordinates(material).unsupported
    if mapping_nodes:
        names = joined(", ", mapping_nodes)
        yield T(
            "its texture mapping by nodes is not exported: {names}; use only UV maps and Mapping nodes",
            names=names,
        )
    names = joined(", ", _nodes_left(material, is_playing=bool(material.tomb_raider.animation)))
    if names:
        yield T("unsupported nodes are left out: {names}; bake them into an image", names=names)
    alpha = _fixed_alpha(material)
    if alpha < 1:
        text = T(
            "its Alpha of {alpha:.2f} is not exported: use Blending in its panel Tomb Raider Material",
            alpha=alpha,
        )
        yield text + (T(", where additive is translucent") if game.traits.has_additive_blending else "")
    names = joined(", ", dict.fromkeys(_values_left(material)))
    if names:
        yield T("unsupported values are left out: {names}; bake them into an image", names=names)
    if key is None:
        if material.surface_render_method == "BLENDED" and user_attribute(material, game) is None:
            yield T("its Render Method Blended is not exported: this game has no translucent faces")
        return
    if key.kind != "PAGE" or material.tomb_raider.kind != "PAGE":
        return
    is_blended = material.surface_render_method == "BLENDED"
    if is_blended != (key.attribute == BlendMode.ADDITIVE):
        yield T("its Render Method is not exported: choose Blending in its panel Tomb Raider Material")
    if not material.use_backface_culling and not key.double_sided:
        yield T("it shows both sides of faces, but this game shows one: duplicate and flip them instead")


def _nodes_left(material: Material, *, is_playing: bool) -> Iterator[str]:
    """Yield the names of nodes that affect the look of a material, but not its export."""
    image = image_node(material)
    image_nodes = set() if image is None else set(upstream_nodes(image))
    for node in surface_nodes(material):
        if node in image_nodes or node.mute or node.bl_idname in _PASSING or is_surface(node):
            continue
        if is_playing and (node.bl_idname in _PLAYING or node.bl_idname == "ShaderNodeTexImage"):
            continue
        image_of_node: Image | None = getattr(node, "image", None)
        yield node.name if image_of_node is None else f"{node.name} ({image_of_node.name})"


def _fixed_alpha(material: Material) -> float:
    """Return the constant alpha of a material, 1 if its image decides."""
    for node in surface_nodes(material):
        socket: Any = node.inputs.get("Alpha") if is_surface(node) else None
        if socket is not None and not socket.is_linked:
            return float(socket.default_value)
    return 1.0


def _values_left(material: Material) -> Iterator[str]:
    """Yield changed numbers of a material's shaders, such as roughness or metallic."""
    for node in surface_nodes(material):
        if not is_surface(node) or node.mute:
            continue
        defaults = _usual_values(node.bl_idname)
        for socket, value in _values(node):
            if (
                socket.enabled
                and not socket.is_linked
                and abs(value - defaults.get(socket.identifier, value)) > _NEAR
                and abs(value - _MATT.get(socket.identifier, np.inf)) > _NEAR
            ):
                yield f"{socket.name} {value:.2f}"


def _values(node: Node) -> Iterator[tuple[Any, float]]:
    """Yield the number sockets of a shader except alpha, each with its value."""
    for socket in node.inputs:
        value = getattr(socket, "default_value", None)
        if isinstance(value, float) and socket.name != "Alpha":
            yield socket, value


@cache
def _usual_values(kind: str) -> dict[str, float]:
    """Return the default numbers of a kind of shader by socket identifier."""
    tree: Any = bpy.data.node_groups.new("Usual", "ShaderNodeTree")
    try:
        return {socket.identifier: value for socket, value in _values(tree.nodes.new(kind))}
    finally:
        bpy.data.node_groups.remove(tree)


def _moving(material: Material, players: Container[NodeTree | None]) -> Iterator[str]:
    """Yield a warning if a material's nodes are animated other than by animated textures of the level."""
    tree = compat.used_nodes(material)
    if tree is None:
        return
    inner = (getattr(node, "node_tree", None) for node in surface_nodes(material))
    trees = [tree, *(each for each in inner if each is not None and each not in players)]
    if any(_is_animated(each.animation_data) for each in trees if not is_waterfall_group(each)):
        yield T("its nodes are animated, which is not exported: make an animated texture of it")


def _is_animated(data: AnimData | None) -> bool:
    return data is not None and bool(data.drivers or data.action is not None or len(data.nla_tracks))
