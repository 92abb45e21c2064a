"""Materials of levels, and the meaning of users' materials for exports.

A material of a level stands for a texture page and a blend mode. The image in its node tree decides the page,
as users exchange images and copy materials. Everything else are typed settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeGuard

import bpy
import numpy as np
from bpy.types import (
    Collection,
    Image,
    Material,
    Node,
    NodeLink,
    NodeSocket,
    NodeTree,
    Object,
    ShaderNodeTexImage,
)

from ....catalogue import BLEND_MODES
from ....formats import Game
from ....formats.levels.textures import BlendMode
from ...core.blender import compat
from ...core.blender.color import linear_to_bytes
from ...core.blender.compat import LONGEST_NAME
from ...core.blender.material_slots import shown_materials
from ...core.blender.node_builder import COLUMN, NodeBuilder, shader_nodes
from ...core.stages import Product
from ...core.stored import within
from .animation_nodes import attach_player, make_player
from .coordinates import Coordinates, coordinates_of
from .keys import MaterialKey
from .map_nodes import is_map_group, show_maps
from .shader import (
    ADDITIVE,
    COLOR_KEYED,
    OPAQUE,
    build_surface,
    game_of_group,
    is_surface_group,
    show_image,
    show_mode,
    surface_group,
)

_BUMP_GROUP = "Tomb Raider Bump"
_BUMP_INPUTS, _BUMP_OUTPUTS = {"Color": "Color", "Heights": "Color"}, {"Color": "Color"}


def is_bump_group(tree: NodeTree | None) -> bool:
    """Return whether a node group shows a height map, also for appended copies."""
    return tree is not None and tree.name.startswith(_BUMP_GROUP)


def show_heights(material: Material, texture: Any, heights: Image | None) -> None:
    """Show a height map in a material, or none.

    Materials whose texture is mixed with others, as by animated textures of several images, are unchanged.
    """
    tree: Any = compat.material_nodes(material)
    bump: Any = next((n for n in tree.nodes if is_bump_group(getattr(n, "node_tree", None))), None)
    if bump is not None:
        relief: Any = next((link.from_node for link in tree.links if link.to_socket == bump.inputs[1]), None)
        if heights is not None and relief is not None:
            relief.image = heights
            return
        targets = [link.to_socket for link in tree.links if link.from_node == bump]
        for target in targets:
            tree.links.new(texture.outputs[0], target)
        for node in (bump, relief):
            if node is not None:
                tree.nodes.remove(node)
    if heights is None:
        return
    targets = [link.to_socket for link in tree.links if link.from_socket == texture.outputs[0]]
    # The previous nodes of a user's material are still connected to its texture, but to no output.
    targets = [each for each in targets if any(_surface_groups([each.node]))]
    if len(targets) != 1:
        return
    bump, relief = tree.nodes.new("ShaderNodeGroup"), tree.nodes.new("ShaderNodeTexImage")
    bump.node_tree = shader_nodes(_BUMP_GROUP, _BUMP_INPUTS, _BUMP_OUTPUTS, _add_relief)
    bump.location = (-COLUMN / 2, -COLUMN)
    relief.image, relief.interpolation, relief.extension = heights, texture.interpolation, texture.extension
    relief.location = (-2 * COLUMN, -2 * COLUMN)
    for link in [link for link in tree.links if link.to_node == texture]:
        tree.links.new(link.from_socket, relief.inputs[0])
    tree.links.new(texture.outputs[0], bump.inputs[0])
    tree.links.new(relief.outputs[0], bump.inputs[1])
    tree.links.new(bump.outputs[0], targets[0])
    tree.nodes.active = texture  # Workbench and texture painting use it


def _surface_groups(nodes: Iterable[Any]) -> Iterator[NodeTree]:
    """Yield the node groups of nodes that draw faces of levels."""
    trees = (getattr(node, "node_tree", None) for node in nodes)
    return (tree for tree in trees if tree is not None and is_surface_group(tree))


def _add_relief(build: NodeBuilder, inputs: Sequence[NodeSocket]) -> list[NodeSocket]:
    texture, heights = inputs
    product = build.vector("MULTIPLY", build.to_screen(texture, row=0), build.to_screen(heights, row=2))
    doubled = build.vector("MULTIPLY", product, 2.0, label="half is neutral")
    return [build.to_linear(build.vector("MINIMUM", doubled, 1.0))]


MISSING_COLOR = (1.0, 0.0, 1.0)
MOST_PLAYED = 256  # frames: each needs nodes, and damaged files may have any number


# A level's images by kind and page, with the average color of opaque pixels, linear.
LevelImages = dict[tuple[str, int], tuple[Image, tuple[float, float, float]]]
LevelMaterials = dict[MaterialKey, Material]
IMAGES: Product[LevelImages] = Product("IMAGES")
MATERIALS: Product[LevelMaterials] = Product("MATERIALS")


# --- Import ------------------------------------------------------------------------------------


def import_materials(root: Collection, images: LevelImages, keys: Iterable[MaterialKey]) -> LevelMaterials:
    """Make the materials of a level and return them by their keys."""
    materials: LevelMaterials = {}
    group = surface_group(Game[root.tomb_raider.game])
    templates: dict[str, Any] = {}
    for key in keys:
        material: Any
        name = prefixed(root.name, material_label(key))
        mode = surface_mode(key.attribute)
        page = images.get((key.kind, key.page if key.kind == "PAGE" else 0))
        if page is None:
            material = bpy.data.materials.new(name)
            build_surface(material, group, mode, None, MISSING_COLOR)
        elif mode in templates:
            # A copy is eight times as fast as a new node tree.
            material = templates[mode].copy()
            material.name = name
            show_image(material, *page)
        else:
            material = bpy.data.materials.new(name)
            build_surface(material, group, mode, *page)
            if not key.group and not _has_maps(page[0]):
                templates[mode] = material
        if key.group and page is not None:
            play_in(root, material, key.group, page[0])
        describe_material(material, key)
        if page is not None and _has_maps(page[0]):
            show_bump(material)
        materials[key] = material
    return materials


def _has_maps(image: Image) -> bool:
    return image.tomb_raider.heights is not None or image.tomb_raider.maps is not None


def play_in(root: Collection, material: Material, number: int, image: Image) -> None:
    """Play an animated texture of the level in a new material with an image."""
    group = next((each for each in root.tomb_raider.animated.groups if each.uid == number), None)
    if group is None or len(group.frames) > MOST_PLAYED:
        return
    if group.player is None:
        make_player(root, group)
    attach_player(material, group, image)


def show_bump(material: Material) -> None:
    """Show the height map and other maps of a material's image, if it is drawn as in TR4 or TR5, or none."""
    texture, game = image_node(material), game_of_material(material)
    if texture is not None and game is not None:
        heights = texture.image.tomb_raider.heights if texture.image is not None else None
        show_heights(material, texture, heights if game.traits.has_bump else None)
        show_maps(material, texture)


def show_blending(material: Material) -> None:
    """Show the blend mode of a material, if it is drawn as in a level and has one."""
    settings = material.tomb_raider
    if settings.kind == "PAGE" or (settings.kind == "NONE" and settings.is_property_set("attribute")):
        show_mode(material, surface_mode(settings.attribute))
        show_bump(material)


def game_of_material(material: Material) -> Game | None:
    """Return the game whose faces a material draws, or None if it is lit by Blender."""
    return next(map(game_of_group, _surface_groups(surface_nodes(material))), None)


def describe_material(material: Material, key: MaterialKey) -> None:
    """Set the settings of a material to its key."""
    settings = material.tomb_raider
    settings.kind = key.kind
    settings.page = key.page
    settings.attribute = key.attribute
    settings.double_sided = key.double_sided
    settings.bump = key.bump
    settings.animation = key.group
    compat.cull_back_faces(material, not key.double_sided)


def surface_mode(attribute: int) -> str:
    """Map a blend mode of the games to a mode of :mod:`.shader`."""
    if attribute == BlendMode.OPAQUE:
        return OPAQUE
    # Other modes, internal to engines or accidental in files, respect the key color.
    return ADDITIVE if attribute == BlendMode.ADDITIVE else COLOR_KEYED


def material_label(key: MaterialKey) -> str:
    """Return the name of a material without that of its level."""
    if key.kind != "PAGE":
        return "Palette" if key.kind == "PALETTE" else "Missing Texture"
    parts = [f"Page {key.page:02}"]
    if key.attribute:
        parts.append(BLEND_MODES.get(key.attribute) or f"Blending {key.attribute}")
    if key.bump:
        parts.append(f"Bump {key.bump}")
    if key.double_sided:
        parts.append("Double-Sided")
    if key.group:
        parts.append(f"Animated {key.group - 1}")
    return " ".join(parts)


def prefixed(level: str, label: str) -> str:
    """Return a data-block name: the level's name, cut where too long, and a label."""
    limit = LONGEST_NAME - len(label.encode()) - 1
    return f"{level.encode()[:limit].decode(errors='ignore')} {label}"


# --- Export ----------------------------------------------------------------------------------


def material_key(material: Material, root: Collection | None = None) -> MaterialKey | None:
    """Return the key of a material; None for a user's material.

    The image decides: a page of the level in any material makes it one of that page, another image in a
    material of the level makes it a user's.

    Args:
        root: the level's root collection. With it, pages of other levels and copies of pages count as
            users' images; without it, every page counts as the level's.
    """
    settings = material.tomb_raider
    kind, image = settings.kind, user_image(material)
    if kind == "MISSING" and image is None:
        attribute, bump = (within(settings, name, material.name) for name in ("attribute", "bump"))
        return MaterialKey("MISSING", -1, attribute, settings.double_sided, bump)
    group = settings.animation if root is None else known_group(root, settings.animation)
    page = settings.page
    if image is not None:
        if not belongs_to(image, root):
            return None
        kind, page = image.tomb_raider.kind, image.tomb_raider.page
    if kind == "PALETTE":
        # Colored faces refer to the first palette, pages to the second.
        is_second = image is not None and image.tomb_raider.page > 0
        return None if is_second else MaterialKey("PALETTE", -1, 0, False, 0)
    if kind != "PAGE":
        return None
    attribute, double_sided = within(settings, "attribute", material.name), settings.double_sided
    if settings.kind == "PAGE" and (
        root is None or Game[root.tomb_raider.game].traits.has_double_sided_faces
    ):
        double_sided = not material.use_backface_culling
    elif settings.kind != "PAGE" and not settings.is_property_set("attribute"):
        # A user's material with a page.
        attribute = _shown_attribute(material)
    return MaterialKey("PAGE", page, attribute, double_sided, within(settings, "bump", material.name), group)


def known_group(root: Collection, number: int) -> int:
    """Return the number of an animated texture if the level still has it, else 0."""
    if not number:
        return 0
    return number if any(group.uid == number for group in root.tomb_raider.animated.groups) else 0


class MaterialKeys:
    """Cached keys of materials: ``keys[material]`` is :func:`material_key`."""

    def __init__(self, root: Collection | None = None) -> None:
        self._root = root
        self._keys: dict[Material, MaterialKey | None] = {}
        self._coordinates: dict[Material, Coordinates] = {}

    def __getitem__(self, material: Material) -> MaterialKey | None:
        if material not in self._keys:
            self._keys[material] = material_key(material, self._root)
        return self._keys[material]

    def coordinates(self, material: Material) -> Coordinates:
        """Return the texture coordinates of a material."""
        if material not in self._coordinates:
            self._coordinates[material] = coordinates_of(image_node(material))
        return self._coordinates[material]

    def is_textured(self, material: Material) -> bool:
        """Return whether faces with a material show an image, or a color of the palette, by their UVs."""
        return self[material] is not None or image_node(material) is not None


def belongs_to(image: Image, root: Collection | None) -> bool:
    """Return whether an image is a page or the palette of a level, of any level without ``root``."""
    if image.tomb_raider.kind not in ("PAGE", "PALETTE"):
        return False
    return root is None or any(entry.image == image for entry in root.tomb_raider.images)


def _shown_attribute(material: Material) -> int:
    """Return the blend mode that corresponds to the look of a user's material with a page."""
    if material.surface_render_method == "BLENDED":
        return BlendMode.ADDITIVE
    tree = compat.used_nodes(material)
    uses_alpha = tree is not None and any(
        link.from_node.bl_idname == "ShaderNodeTexImage" and link.from_socket.identifier == "Alpha"
        for link in tree.links
    )
    return BlendMode.COLOR_KEYED if uses_alpha else BlendMode.OPAQUE


def user_attribute(material: Material, game: Game) -> int | None:
    """Return the blend mode of a user's material, or None if its texels decide.

    The settings have priority; otherwise ``BLENDED`` surfaces are additive, the only translucency of the
    games, from TR3 on.
    """
    settings = material.tomb_raider
    if settings.is_property_set("attribute"):
        return int(settings.attribute)
    if game.traits.has_additive_blending and material.surface_render_method == "BLENDED":
        return BlendMode.ADDITIVE
    return None


def user_image(material: Material) -> Image | None:
    """Return the image of a material: that of its surface, else its active or first one."""
    node = image_node(material)
    return None if node is None else node.image


def image_node(material: Material) -> ShaderNodeTexImage | None:
    """Return the image node of a material, see :func:`user_image`.

    If the surface has one color, images for other values, as roughness or normals, are ignored.
    """
    tree = compat.used_nodes(material)
    if tree is None:
        return None
    output, is_flat = tree.get_output_node("ALL"), False
    for node in upstream_nodes(output, colors_only=True):
        if shows_image(node):
            return node
        is_flat |= _fixed_color(node) is not None
    unseen = set(upstream_nodes(output)) if is_flat else set()
    for node in (*(() if is_flat else upstream_nodes(output)), tree.nodes.active, *tree.nodes):
        if shows_image(node) and node not in unseen:
            return node
    return None


def is_drawn_as_level(material: Material) -> bool:
    """Return whether a material draws faces as the games do, in the light of the level."""
    return any(_surface_groups(surface_nodes(material)))


def materials_in_other_light(objects: Iterable[Object]) -> list[Material]:
    """Return the materials of objects that are lit by Blender instead of the level."""
    materials = dict.fromkeys(each for obj in objects for each in shown_materials(obj) if each is not None)
    return [each for each in materials if not is_drawn_as_level(each)]


def shows_image(node: Node | None) -> TypeGuard[ShaderNodeTexImage]:
    """Return whether a node is an unmuted image node with an image."""
    return isinstance(node, ShaderNodeTexImage) and not node.mute and node.image is not None


def user_color(material: Material) -> tuple[int, int, int]:
    """Return the flat color of a material without an image, as screen values 0 to 255."""
    colors = (_fixed_color(node) for node in surface_nodes(material))
    color = next((each for each in colors if each is not None), material.diffuse_color)
    red, green, blue = linear_to_bytes(np.array(color[:3], np.float32)).tolist()
    return red, green, blue


def _fixed_color(node: Node) -> Any:
    """Return the fixed color of a node, or None."""
    if node.bl_idname == "ShaderNodeRGB":
        return node.outputs[0].default_value
    socket = next((each for each in node.inputs if each.type == "RGBA"), None) if is_surface(node) else None
    return None if socket is None or socket.is_linked else getattr(socket, "default_value", None)


def is_surface(node: Node) -> bool:
    """Return whether a node is a shader with a color."""
    return node.bl_idname != "ShaderNodeBsdfTransparent" and node.bl_idname.startswith(
        ("ShaderNodeBsdf", "ShaderNodeEmission", "ShaderNodeSubsurface", "ShaderNodeEeveeSpecular")
    )


def surface_nodes(material: Material) -> Iterator[Node]:
    """Yield the output of a material and all nodes connected to it; none if it uses no nodes."""
    tree = compat.used_nodes(material)
    return upstream_nodes(None if tree is None else tree.get_output_node("ALL"))


def upstream_nodes(node: Node | None, *, colors_only: bool = False) -> Iterator[Node]:
    """Yield a node and all nodes connected to its inputs, colors and shaders first, or only these.

    Includes nodes in users' groups, but not those in the groups that draw faces of levels, nor height maps.
    """
    seen: set[Node] = set()
    links: dict[Any, dict[Node, list[NodeLink]]] = {}
    pending = [node] if node is not None else []
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        tree = node.id_data
        if tree not in links:
            links[tree] = _links_by_end(tree)
        sources: list[Any] = [
            link.from_node
            for link in _in_order(node, links[tree].get(node, []))
            if not (colors_only and _is_number(link.to_socket))
        ]
        inner_tree = getattr(node, "node_tree", None)
        if inner_tree is not None and not is_surface_group(inner_tree) and not _shows_maps(inner_tree):
            sources += [each for each in inner_tree.nodes if each.bl_idname == "NodeGroupOutput"]
        pending += reversed(sources)  # the last one is next


def _links_by_end(tree: Any) -> dict[Node, list[NodeLink]]:
    """Return the links of a tree by target node: `links` of a socket searches all links of its tree."""
    result: dict[Node, list[NodeLink]] = {}
    for link in tree.links:
        if not link.is_muted:
            result.setdefault(link.to_node, []).append(link)
    return result


def _in_order(node: Node, links: list[NodeLink]) -> list[NodeLink]:
    """Return links into a node in the order of its sockets, numbers last."""
    if len(links) < 2:
        return links
    if _shows_maps(getattr(node, "node_tree", None)):  # these are no texture
        return [link for link in links if link.to_socket == node.inputs[0]]
    order = {socket.identifier: index for index, socket in enumerate(node.inputs)}
    return sorted(links, key=lambda link: (_is_number(link.to_socket), order[link.to_socket.identifier]))


def _shows_maps(tree: NodeTree | None) -> bool:
    return is_bump_group(tree) or is_map_group(tree)


def _is_number(socket: Any) -> bool:
    return socket.type not in ("RGBA", "SHADER")
