"""Properties of animated textures, on the root collection of their level."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, PropertyGroup

from .base.kinds import CONTEXT
from .base.pointers import pointer_set
from .views.switches import blend_mode


def _pace_changed(group: PropertyGroup, _context: Context) -> None:
    from ..subjects.textures.animation_nodes import set_pace

    set_pace(group.id_data)


def _scrolling_changed(group: PropertyGroup, _context: Context) -> None:
    from ..subjects.textures.animation_nodes import replay

    replay(group.id_data)


class TombRaiderTextureFrame(PropertyGroup):
    """One picture of an animated texture."""

    kind = "PAGE"  # selects the items of blend modes

    image: PointerProperty(
        name="Image",
        type=bpy.types.Image,
        update=pointer_set,
        description="Texture page of the level, or your own picture, which exports pack into pages",
    )
    page: IntProperty(name="Page", default=-1, description="Page of the picture in the file")
    corners: FloatVectorProperty(
        name="Corners",
        size=8,
        precision=3,
        description="Pixels from the left and top of the image, corner by corner",
    )
    is_triangle: BoolProperty(name="Triangle", description="The picture has only three corners")
    attribute: IntProperty(
        name="Blending",
        translation_context=CONTEXT,
        min=0,
        max=0xFFFF,
        description="Blend mode as a number: 0 opaque, 1 color-keyed, 2 additive",
    )
    blending: blend_mode("Blending in Game", "How the game blends this picture")
    bump: IntProperty(name="Bump Level", min=0, max=3, description="Strength of the height map (TR4, TR5)")
    texture: IntProperty(
        name="Object Texture", default=-1, description="Index in the imported file, -1 if new"
    )


class TombRaiderAnimatedTexture(PropertyGroup):
    """A sequence of pictures on faces with its materials."""

    name: StringProperty(name="Name", description="Name in Blender. Files do not store it")
    uid: IntProperty(name="Number", description="Number that materials refer to")
    scrolls: BoolProperty(
        name="UVRotate",
        description="Pictures scroll instead of alternating, if the script sets a speed (TR4, TR5)",
        update=_scrolling_changed,
    )
    frames: CollectionProperty(
        name="Frames", type=TombRaiderTextureFrame, description="Pictures that are shown in turn"
    )
    active_frame: IntProperty(
        name="Active Frame", translation_context=CONTEXT, description="Index of the active frame"
    )
    player: PointerProperty(
        name="Player",
        translation_context=CONTEXT,
        type=bpy.types.NodeTree,
        update=pointer_set,
        description="Nodes that play the animated texture in Blender",
    )


class TombRaiderAnimatedTextures(PropertyGroup):
    """All animated textures of a level, and the speed at which Blender plays them."""

    groups: CollectionProperty(
        name="Animated Textures", type=TombRaiderAnimatedTexture, description="Animated textures of the level"
    )
    active: IntProperty(name="Active Animated Texture", description="Index of the active animated texture")
    frames_per_picture: FloatProperty(
        name="Frames per Picture",
        default=5.0,
        min=0.1,
        soft_max=60,
        description="Frames for which Blender shows each picture. Games have a fixed pace",
        update=_pace_changed,
    )
    scroll_speed: FloatProperty(
        name="UVRotate Speed",
        default=7.0,
        min=-128,
        max=127,
        step=100,
        precision=0,
        description="Scrolling speed in pixels per frame, from the game's script. 0: pictures alternate",
        update=_pace_changed,
    )


GROUPS = (
    TombRaiderTextureFrame,
    TombRaiderAnimatedTexture,
    TombRaiderAnimatedTextures,
)
