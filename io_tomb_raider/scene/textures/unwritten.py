"""What of materials is not written: settings and nodes that the games have no equal for, told by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bpy.types import Image, Material, Object

from ...formats import Game
from ...formats.textures.blending import BlendMode
from ..base import compat
from ..base.context import ExportContext
from .materials import MaterialKeys, image_node, is_surface, nodes_behind, user_attribute
from .shader import is_surface_group
from .slots import has_own_materials, shown_materials

# Nodes that only hand on what the ones before them have.
_CARRIERS = frozenset(
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
_FACES = frozenset({"ROOM", "MODEL_MESH", "STATIC_MESH", "SPRITE_TEXTURE"})
_SHARING = frozenset({"PLACEMENT", "SPRITE"})


def tell_of_materials(context: ExportContext, things: Iterable[Object], material_keys: MaterialKeys) -> None:
    """Warn of what the materials of a level's objects show and the file does not hold, each of them once."""
    materials: dict[Material, None] = {}
    for thing in things:
        kind = thing.tomb_raider.kind
        if kind in _FACES or (kind == "NONE" and thing.type == "MESH" and thing.parent_type == "BONE"):
            materials |= dict.fromkeys(each for each in shown_materials(thing) if each is not None)
        elif kind in _SHARING and has_own_materials(thing):
            text = (
                "materials of its own slots are left out: it looks like all that share its mesh; give the"
                " materials to the mesh, or make a copy of the thing in the library"
            )
            context.report.warn(thing.name, text)
    game = context.original.game
    for material in materials:
        context.report.warn_all(material.name, _left(material, material_keys, game))


def _left(material: Material, material_keys: MaterialKeys, game: Game) -> Iterator[str]:
    """Yield what is not written of a material, in words."""
    key = material_keys[material]
    placed = material_keys.coordinates(material).left
    if placed:
        names = ", ".join(placed)
        yield f"how it lays its image on faces is not written: {names}; use UV maps and Mapping nodes alone"
    names = ", ".join(_nodes_left(material, is_playing=bool(material.tomb_raider.animation)))
    if names:
        yield f"nodes that no game has are left out: {names}; bake what they do into an image"
    alpha = _fixed_alpha(material)
    if alpha < 1:
        text = f"its Alpha of {alpha:.2f} is not written: use Blending in its panel Tomb Raider Material"
        yield text + (", where additive is translucent" if game.traits.has_additive_blending else "")
    if key is None:
        if material.surface_render_method == "BLENDED" and user_attribute(material, game) is None:
            yield "its Render Method Blended is not written: this game has no translucent faces"
        return
    if key.kind != "PAGE" or material.tomb_raider.kind != "PAGE":
        return
    is_blended = material.surface_render_method == "BLENDED"
    if is_blended != (key.attribute == BlendMode.ADDITIVE):
        yield "its Render Method is not written: choose Blending in its panel Tomb Raider Material"
    shows_both = not material.use_backface_culling and not key.double_sided
    if shows_both:
        yield "it shows both sides of faces, but in this game they have one: duplicate and flip them instead"


def _nodes_left(material: Material, *, is_playing: bool) -> Iterator[str]:
    """Yield the names of nodes that have a share in how a material looks, but none in what is written."""
    tree = compat.used_nodes(material)
    if tree is None:
        return
    image = image_node(material)
    known = set() if image is None else set(nodes_behind(image))
    for node in nodes_behind(tree.get_output_node("ALL"), stop=is_surface_group):
        if node in known or node.mute or node.bl_idname in _CARRIERS or is_surface(node):
            continue
        if is_playing and (node.bl_idname in _PLAYING or node.bl_idname == "ShaderNodeTexImage"):
            continue
        shown: Image | None = getattr(node, "image", None)
        yield node.name if shown is None else f"{node.name} ({shown.name})"


def _fixed_alpha(material: Material) -> float:
    """Return the alpha that a material gives all of its faces, 1 where its image says that."""
    tree = compat.used_nodes(material)
    for node in nodes_behind(tree.get_output_node("ALL"), stop=is_surface_group) if tree is not None else ():
        socket: Any = node.inputs.get("Alpha") if is_surface(node) else None
        if socket is not None and not socket.is_linked:
            return float(socket.default_value)
    return 1.0
