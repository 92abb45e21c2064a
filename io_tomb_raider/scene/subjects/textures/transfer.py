"""Transfer of materials and animated textures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Collection, Image, Material, Mesh, Object

from ....formats import Game
from ....formats.base import T
from ....formats.levels.textures import BlendMode
from ...core.blender import compat
from ...core.transfer import Transfer
from .animation_nodes import make_player
from .materials import belongs_to, show_bump, surface_mode, user_image
from .shader import is_surface_group, show_mode, surface_group

_NOT_TESTED, _SUBTRACTED, _WIREFRAME, _FORCED = 4, 5, 6, 7  # blend modes of TR4 and TR5 only
_AS_KEYED, _AS_ADDITIVE = (_NOT_TESTED, _FORCED), (3, _SUBTRACTED, _WIREFRAME)
NEAREST_BLENDING = T("this game does not support this blending, and draws them in the closest way")
_FRAME_FIELDS = ("image", "page", "corners", "is_triangle", "attribute", "bump")


def blending_of(attribute: int, target: Game) -> int:
    """Return the nearest blend mode of the target game, both as numbers."""
    if target.traits.has_effects:
        return attribute
    if attribute in _AS_KEYED:
        attribute = BlendMode.COLOR_KEYED
    elif attribute in _AS_ADDITIVE:
        attribute = BlendMode.ADDITIVE
    if attribute == BlendMode.ADDITIVE and not target.traits.has_additive_blending:
        return int(BlendMode.COLOR_KEYED)
    return attribute


def remap_materials(transfer: Transfer, materials: Iterable[Material]) -> None:
    """Replace unsupported settings of materials, and use the node groups of the target game."""
    traits = transfer.target.traits
    changed: list[str] = []
    for material in materials:
        settings = material.tomb_raider
        if settings.kind == "GUIDE":
            continue
        if settings.kind == "MISSING":
            settings.kind = "NONE"  # a user color: no file lacks its texture now
        if settings.kind == "PALETTE" and not traits.has_colored_faces:
            settings.kind = "NONE"
        attribute = settings.attribute
        if settings.kind == "PAGE" or settings.is_property_set("attribute"):
            settings.attribute = blending_of(attribute, transfer.target)
        if settings.attribute != attribute:
            changed.append(material.name)
        if settings.bump and not traits.has_bump:
            settings.bump = 0
        if settings.double_sided and not traits.has_double_sided_faces:
            settings.double_sided = False
        has_other_mode = settings.attribute != attribute
        if transfer.is_foreign or has_other_mode:
            _redraw(material, transfer.target, has_other_mode=has_other_mode)
    transfer.lose(T("Materials"), changed, NEAREST_BLENDING)


def _redraw(material: Material, target: Game, *, has_other_mode: bool) -> None:
    """Replace the node group of a material by that of a game."""
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
        links: list[Any] = list(tree.links)
        targets = [(each.from_socket.name, each.to_socket) for each in links if each.from_node == node]
        sources = [(each.from_socket, each.to_socket.name) for each in links if each.to_node == node]
        surface.node_tree = group
        # Links are matched by socket identifier, and groups of other files may have another socket order.
        for socket, name in sources:
            tree.links.new(socket, surface.inputs[name])
        for name, socket in targets:
            tree.links.new(surface.outputs[name], socket)
    if has_other_mode:
        show_mode(material, surface_mode(material.tomb_raider.attribute))
    show_bump(material)


# --- Animated textures ----------------------------------------


def remap_animated_textures(transfer: Transfer, groups: Iterable[Any], *, redraws: bool = True) -> None:
    """Reset the object textures of animated textures, and replace unsupported settings.

    Nodes are not rebuilt (``redraws``) if another level uses them.
    """
    lost: list[str] = []
    for group in groups:
        for frame in group.frames:
            frame.texture = -1
            frame.attribute = blending_of(frame.attribute, transfer.target)
            if not transfer.target.traits.has_bump:
                frame.bump = 0
        if group.scrolls and not transfer.target.traits.has_scrolling_textures:
            group.scrolls = False
            lost.append(group.name)
            if group.player is not None and redraws:
                make_player(transfer.root, group)
    text = T("textures of this game do not scroll, so these become still")
    transfer.lose(T("Animated Textures"), lost, text)


def copy_group(group: Any, groups: Any) -> Any:
    """Copy an animated texture to the list of a level or of an asset; return the copy."""
    result = groups.add()
    result.name = group.name
    if group.scrolls:
        result.scrolls = True
    for frame in group.frames:
        copy = result.frames.add()
        for name in _FRAME_FIELDS:
            setattr(copy, name, getattr(frame, name))
    result.player = group.player
    return result


# --- Materials of another level ----------------------------------------


def adopt_materials(
    transfer: Transfer, source: Collection | Object | None, objects: Iterable[Object], *, copies: bool
) -> None:
    """Claim the materials of another level: their pictures become user pictures.

    Args:
        source: the owner of the animated textures: the root of the other level, or the object of an asset;
            None if it is not in the scene.
        copies: whether to copy materials, so that the other level keeps its own.
    """
    if source == transfer.root:
        return
    meshes = dict.fromkeys(obj.data for obj in objects if isinstance(obj.data, Mesh))
    materials = {each for mesh in meshes for each in mesh.materials if each is not None}
    if copies:
        materials = _copies(transfer.root, meshes, materials)
    root, groups, adopted = transfer.root, dict[int, Any](), []
    for material in sorted(materials, key=lambda each: str(each.name)):
        settings, image = material.tomb_raider, user_image(material)
        if image is not None and belongs_to(image, root):
            continue  # the material of a piece that the level had already
        adopted.append(material)
        if not copies:
            _release(image)
        if settings.kind == "MISSING":
            settings.kind = "NONE"
        if settings.animation:
            if settings.animation not in groups:
                groups[settings.animation] = _adopt_group(root, source, settings.animation, copies=copies)
            group = groups[settings.animation]
            settings.animation = 0 if group is None else group.uid
            if group is None:
                text = T("its faces become still, because their animated texture was not copied")
                transfer.report.warn(material.name, text)
    remap_materials(transfer, adopted)
    added = [each for each in groups.values() if each is not None]
    remap_animated_textures(transfer, added, redraws=not copies)


def _copies(root: Collection, meshes: Iterable[Mesh], materials: Iterable[Material]) -> set[Material]:
    """Replace materials that show pages of another level by copies; return the copies."""
    copies: dict[Material, Any] = {each: each.copy() for each in materials if _shows_other_pages(each, root)}
    for mesh in meshes:
        for slot, material in enumerate(mesh.materials):
            if material in copies:
                mesh.materials[slot] = copies[material]
    return set(copies.values())


def _shows_other_pages(material: Material, root: Collection) -> bool:
    """Return whether a material shows a page of another level, or misses its texture."""
    image = user_image(material)
    if image is None:
        return bool(material.tomb_raider.kind == "MISSING")
    return image.tomb_raider.kind != "NONE" and not belongs_to(image, root)


def _release(image: Image | None) -> None:
    """Turn a page of another level into a user picture."""
    for page in () if image is None else (image, image.tomb_raider.heights):
        if page is not None:
            page.tomb_raider.kind = "NONE"


def _adopt_group(root: Collection, source: Collection | Object | None, number: int, *, copies: bool) -> Any:
    """Add an animated texture of another level to the level; return it, or None if it is missing."""
    foreign = () if source is None else source.tomb_raider.animated.groups
    original = next((each for each in foreign if each.uid == number), None)
    if original is None:
        return None
    groups = root.tomb_raider.animated.groups
    uid = max((each.uid for each in groups), default=0) + 1
    result = copy_group(original, groups)
    result.uid = uid
    for frame in () if copies else result.frames:
        _release(frame.image)
    return result
