"""Properties of the tools that put tiles on faces."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
)
from bpy.types import PropertyGroup

from .base.kinds import CONTEXT
from .base.pointers import pointer_set

# Numbers of the games' blend modes.
BLENDING = [
    ("OPAQUE", "Opaque", "No pixel is transparent", 0),
    ("ALPHA", "Alpha", "Transparent pixels are cut out", 1),
    ("ADDITIVE", "Additive", "Colors are added to the background (TR3 to TR5)", 2),
]
_GRIDS = [
    ("16", "16", "Cells of 16 by 16 pixels", 16),
    ("32", "32", "Cells of 32 by 32 pixels", 32),
    ("64", "64", "Cells of 64 by 64 pixels, as most levels have", 64),
    ("128", "128", "Cells of 128 by 128 pixels", 128),
    ("256", "256", "Cells of 256 by 256 pixels", 256),
    ("FREE", "Free", "Any rectangle of whole pixels", 1),
]
_SOURCES = [
    ("PAGE", "One Page", "Pieces of one texture page or picture that the level uses", 0),
    ("LEVEL", "Whole Level", "All pieces that the level uses", 1),
    ("RECENT", "Recent", "Recently used tiles", 2),
    ("FAVORITES", "Favorites", "Favorite tiles", 3),
]


class TombRaiderTile(PropertyGroup):
    """A tile: a rectangle of a picture, and how faces show it."""

    image: PointerProperty(
        name="Picture",
        type=bpy.types.Image,
        update=pointer_set,
        description="A texture page of the level, or an image of your own",
    )
    area: FloatVectorProperty(
        name="Area",
        size=4,
        precision=1,
        description="Left, top, width and height in pixels, from the top left of the picture",
    )
    turns: IntProperty(name="Quarter Turns", min=0, max=3, description="Clockwise turns of the tile by 90°")
    mirrored: BoolProperty(name="Mirrored", description="Swap left and right of the tile")
    blending: EnumProperty(
        name="Blending",
        translation_context=CONTEXT,
        items=BLENDING,
        description="How the game blends faces with the tile",
    )
    double_sided: BoolProperty(
        name="Double-Sided", description="Show faces from both sides (rooms, TR3 to TR5)"
    )
    bump: IntProperty(name="Bump Level", min=0, max=3, description="Strength of the height map (TR4, TR5)")
    animation: IntProperty(
        name="Animated Texture",
        min=0,
        max=0xFFFF,
        description="Number of the animated texture that faces play, 0 for none",
    )


class TombRaiderTexturing(PropertyGroup):
    """The settings of the texture brush."""

    tile: PointerProperty(name="Tile", type=TombRaiderTile)
    recent: CollectionProperty(name="Recent Tiles", type=TombRaiderTile, description="Recently used tiles")
    favorites: CollectionProperty(name="Favorites", type=TombRaiderTile, description="Favorite tiles")
    palette: EnumProperty(
        name="Palette",
        translation_context=CONTEXT,
        items=_SOURCES,
        description="Tiles to choose from when you click the picture of the active tile",
    )
    page: PointerProperty(
        name="Page",
        type=bpy.types.Image,
        update=pointer_set,
        description="Texture page or picture to show pieces of. Empty: that of the active tile",
    )
    grid: EnumProperty(name="Grid", items=_GRIDS, default="64", description="Size of the cells to pick")
    upright: EnumProperty(
        name="Floors",
        items=[
            ("VIEW", "View", "The top of a tile points in the view direction", 0),
            ("COMPASS", "North", "The top of a tile points north", 1),
        ],
        description="Orientation of tiles on floors and ceilings. Tiles on walls and slopes point up",
    )
    walls: EnumProperty(
        name="Walls",
        items=[
            ("STRETCH", "Stretch", "Stretch the tile to the face", 0),
            (
                "SCALE",
                "Keep Scale",
                "One tile per sector width. Low walls show a part, large walls are cut to repeat it",
                1,
            ),
        ],
        description="Fitting of tiles on walls that are taller or lower than the tile",
    )


GROUPS = (TombRaiderTile, TombRaiderTexturing)
