"""Properties of materials and images."""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Context, PropertyGroup

from ..core.blender.compat import cull_back_faces
from ..core.blender.handler_suspension import handlers_active
from .base.kinds import CONTEXT, IMAGE_KINDS, PAGE_USES
from .base.pointers import pointer_set
from .collision import COLLISION_MATERIALS
from .views.switches import blend_mode


def _show_sides(settings: Any, _context: Context) -> None:
    """Show the chosen sides of a material's faces, which exports follow."""
    if settings.kind != "NONE":
        cull_back_faces(settings.id_data, not settings.double_sided)


def _show_blending(settings: Any, _context: Context) -> None:
    if handlers_active():  # imports do it for their materials
        from ..subjects.textures.materials import show_blending

        show_blending(settings.id_data)


def _show_heights(image: Any, context: Context) -> None:
    """Show a height map in the materials of its image."""
    if pointer_set is not None:
        pointer_set(image, context)
    if handlers_active():  # imports do it for their materials
        from ..subjects.textures.materials import show_bump, user_image

        for material in bpy.data.materials:
            if material.library is None and user_image(material) == image.id_data:
                show_bump(material)


class TombRaiderMaterial(PropertyGroup):
    """The properties of faces with this material."""

    kind: EnumProperty(
        name="Kind",
        items=[
            ("NONE", "Own", "A material of your own: its image is packed into the level's pages", 0),
            ("PAGE", "Texture Page", "A texture page of the level", 1),
            ("PALETTE", "Palette", "Faces of one palette color (TR1 to TR3)", 2),
            ("MISSING", "Missing Texture", "Faces whose texture is missing in the file", 3),
            ("GUIDE", "Guide", "Shows data that the game does not show: collision, zones, portals", 4),
        ],
        description="Role of the material in the level",
    )
    collision: EnumProperty(
        name="Collision", items=COLLISION_MATERIALS, description="Meaning of collision faces of this color"
    )
    page: IntProperty(name="Page", default=-1, description="Number of the page, -1 for none")
    attribute: IntProperty(
        name="Blending",
        translation_context=CONTEXT,
        update=_show_blending,
        description="Blend mode as a number: 0 opaque, 1 color-keyed, 2 additive",
        min=0,
        max=0xFFFF,
    )
    blending: blend_mode("Blending in Game", "How the game blends faces with this material")
    double_sided: BoolProperty(
        name="Double-Sided",
        update=_show_sides,
        description="Show faces from both sides (room faces, TR3 to TR5)",
    )
    large: EnumProperty(
        name="Large Pictures",
        items=[
            ("SHRINK", "Shrink", "Shrink the picture of a face to the size of a texture page", 0),
            ("CUT", "Cut Faces", "Cut faces in the file so that each one fits on a page", 1),
        ],
        description="Export of faces that show more than the 256 by 256 pixels of a page",
    )
    bump: IntProperty(name="Bump Level", min=0, max=3, description="Strength of the height map (TR4, TR5)")
    animation: IntProperty(
        name="Animated Texture",
        min=0,
        max=0xFFFF,
        description="Number of the animated texture that faces play, 0 for none",
    )


class TombRaiderImage(PropertyGroup):
    kind: EnumProperty(name="Kind", items=IMAGE_KINDS, description="Role of the image in the level")
    page: IntProperty(name="Page", default=-1, description="Number of the page, -1 for none")
    use: EnumProperty(
        name="Use",
        translation_context=CONTEXT,
        items=PAGE_USES,
        description="Use of the texture page in the file",
    )
    heights: PointerProperty(
        name="Height Map",
        type=bpy.types.Image,
        update=_show_heights,
        description="Picture of the heights of the pixels: brighter is higher (TR4, TR5)",
    )
    maps: PointerProperty(
        name="Maps", type=bpy.types.NodeTree, description="Nodes with the maps of the page (TombEngine)"
    )
    digest: StringProperty(name="Digest", description="Digest of the packed picture as it was imported")
    shows_edits: BoolProperty(
        name="Shows Edits", description="The picture includes the pixels that TRX paints over the page"
    )


class TombRaiderLevelImage(PropertyGroup):
    """One image that belongs to a level."""

    kind: EnumProperty(name="Kind", items=IMAGE_KINDS, description="Role of the image in the level")
    page: IntProperty(name="Page", default=-1, description="Number of the page, -1 for none")
    image: PointerProperty(
        name="Image", type=bpy.types.Image, update=pointer_set, description="Image of the level"
    )


GROUPS = (
    TombRaiderMaterial,
    TombRaiderImage,
    TombRaiderLevelImage,
)
