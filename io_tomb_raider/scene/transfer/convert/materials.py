"""Materials of a converted level: how faces are blended, and the nodes that draw them as the game does."""

from __future__ import annotations

from typing import Any

from bpy.types import Material

from ....formats import Game
from ....formats.textures.blending import BlendMode
from ...core import compat
from ...subjects.textures.animation_nodes import make_player
from ...subjects.textures.materials import surface_mode
from ...subjects.textures.shader import ADDITIVE, COLOR_KEYED, OPAQUE, is_surface_group, surface_group
from .conversion import Conversion

_NOT_TESTED, _SUBTRACTED, _WIREFRAME, _FORCED = 4, 5, 6, 7  # blend modes of TR4 and TR5 alone
_AS_KEYED, _AS_ADDITIVE = (_NOT_TESTED, _FORCED), (3, _SUBTRACTED, _WIREFRAME)
_MODES = (OPAQUE, COLOR_KEYED, ADDITIVE)


def blending_of(attribute: int, target: Game) -> int:
    """Return the blend mode of a game that is nearest to one of another game, both as numbers."""
    if target.traits.has_effects:
        return attribute
    if attribute in _AS_KEYED:
        attribute = BlendMode.COLOR_KEYED
    elif attribute in _AS_ADDITIVE:
        attribute = BlendMode.ADDITIVE
    if attribute == BlendMode.ADDITIVE and not target.traits.has_additive_blending:
        return int(BlendMode.COLOR_KEYED)
    return attribute


def convert_materials(conversion: Conversion) -> None:
    """Let the materials of a level ask for what its new game can draw, and show that."""
    traits = conversion.target.traits
    lost: list[str] = []
    for material in conversion.materials():
        settings = material.tomb_raider
        if settings.kind == "GUIDE":
            continue
        if settings.kind == "MISSING":
            settings.kind = "NONE"  # a color of the user's own: there is no file that lacks it
        if settings.kind == "PALETTE" and not traits.has_colored_faces:
            settings.kind = "NONE"
        attribute = settings.attribute
        if settings.kind == "PAGE" or settings.is_property_set("attribute"):
            settings.attribute = blending_of(attribute, conversion.target)
        if settings.attribute != attribute:
            lost.append(material.name)
        if settings.bump and not traits.has_bump:
            settings.bump = 0
        if settings.double_sided and not traits.has_double_sided_faces:
            settings.double_sided = False
        _redraw(material, conversion.target, has_other_mode=settings.attribute != attribute)
    conversion.lose("Materials", lost, "this game does not blend so, and draws them in the nearest way")
    _convert_animated(conversion)


def _redraw(material: Material, target: Game, *, has_other_mode: bool) -> None:
    """Draw a material by the nodes of a game."""
    tree = compat.used_nodes(material)
    if tree is None:
        return
    group = surface_group(target)
    for node in tree.nodes:
        surface: Any = node
        if node.bl_idname != "ShaderNodeGroup" or surface.node_tree is None:
            continue
        if not is_surface_group(surface.node_tree):
            continue
        mode = surface_mode(material.tomb_raider.attribute)
        links: list[Any] = list(tree.links)
        targets = [(each.from_socket.name, each.to_socket) for each in links if each.from_node == node]
        feeding = [(each.from_socket, each.to_socket.name) for each in links if each.to_node == node]
        surface.node_tree = group
        # Links go by identifiers of sockets, which groups of other files may have in another order.
        for socket, name in feeding:
            tree.links.new(socket, surface.inputs[name])
        for name, socket in targets:
            wanted = mode if has_other_mode and name in _MODES else name
            tree.links.new(surface.outputs[wanted], socket)
        if has_other_mode:
            material.surface_render_method = "BLENDED" if mode == ADDITIVE else "DITHERED"


def _convert_animated(conversion: Conversion) -> None:
    """Let animated textures forget the file, and do what the game can."""
    lost: list[str] = []
    for group in conversion.root.tomb_raider.animated.groups:
        for frame in group.frames:
            frame.texture = -1
            frame.attribute = blending_of(frame.attribute, conversion.target)
            if not conversion.target.traits.has_bump:
                frame.bump = 0
        if group.scrolls and not conversion.target.traits.has_scrolling_textures:
            group.scrolls = False
            lost.append(group.name)
            if group.player is not None:
                make_player(conversion.root, group)
    conversion.lose("Animated Textures", lost, "textures of this game do not scroll, so these stand still")
