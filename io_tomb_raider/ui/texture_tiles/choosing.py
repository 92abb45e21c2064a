"""Operators that choose the active tile: in an Image Editor, from a file, from favorites."""

import os
from typing import Any

import bpy
from bpy.props import FloatVectorProperty
from bpy.types import Area, Context, Event, Image, Menu, Operator

from ...formats import ExportError
from ...formats.base import T
from ..base.conditions import EDITABLE_SCENE, ConditionalTool, condition
from ..base.layout.menu_entries import Entries, with_entries
from ..base.levels import meant_level
from ..base.modes import UserMode
from ..base.operators import LevelTool, SceneEditingTool
from ..base.reconciling import prepare
from ..base.reports import Outcome, ToolError, explain, report_line
from ..textures.pieces import PictureBrowser
from .brush import redraw_editors
from .palette import palette
from .settings import choose_tile, store_tile, texturing, tile_in

TOOL = "tomb_raider.choose_tile_tool"
_CLICK = 4  # pixels that the mouse may move in a click
_STILL = frozenset({"FILE", "GENERATED", "TILED"})


def tile_image(context: Context) -> Image | None:
    """Return the image that the context's Image Editor shows, if tiles of it can be chosen."""
    space: Any = context.space_data
    image = space.image if space is not None and space.type == "IMAGE_EDITOR" else None
    return image if image is not None and image.source in _STILL and all(image.size) else None


def grid_size(context: Context) -> int:
    """Return the width of the cells that a click chooses, 1 for any rectangle of pixels."""
    grid = texturing(context).grid
    return 1 if grid == "FREE" else int(grid)


def choose(
    context: Context, image: Image, start: tuple[float, float], end: tuple[float, float], *, is_click: bool
) -> None:
    """Make the rectangle between two points of an image the active tile.

    Args:
        start, end: points in pixels from its top left, also beyond the image.
        is_click: whether the mouse was not dragged. Without a grid, this chooses a piece that the level uses.
    """
    from ...scene.authoring.texture_tiles import chosen_area, chosen_tile, piece_at

    size, grid = image.size, grid_size(context)
    pieces = palette.pieces(meant_level(context))
    area = chosen_area((size[0], size[1]), start, end, grid)
    is_double_sided = texturing(context).tile.double_sided
    tile = chosen_tile(pieces, image, area, is_double_sided=is_double_sided)
    if is_click and grid == 1:
        piece = piece_at(pieces, image, end)
        if piece is None:
            raise ExportError(image.name, T("the level uses no piece there. Drag a rectangle"))
        tile = tile._replace(area=piece.area, attribute=piece.attribute, bump=piece.bump)
    choose_tile(context, tile)


class TOMB_RAIDER_OT_choose_tile(ConditionalTool, Operator):
    """Make a cell of the grid the active tile, or drag a rectangle"""

    bl_idname = "tomb_raider.choose_tile"
    bl_label = "Choose Tile"
    bl_options = {"INTERNAL", "UNDO", "BLOCKING"}

    start: FloatVectorProperty(
        name="Start", size=2, options={"SKIP_SAVE"}, description="Place in pixels from the top left"
    )
    end: FloatVectorProperty(
        name="End", size=2, options={"SKIP_SAVE"}, description="Place in pixels from the top left"
    )

    requires = EDITABLE_SCENE + condition(
        lambda context: tile_image(context) is not None,
        T("Use it in an Image Editor that shows a picture with pixels"),
    )

    def invoke(self, context: Context, event: Event) -> Any:
        self._mouse = (event.mouse_region_x, event.mouse_region_y)
        self._before = tile_in(texturing(context).tile)
        self._is_click = True
        self.start = self.end = self._point(context, event)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Any:
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            self._note(event)
            if not self._is_click:
                self.end = self._point(context, event)
                self._show(context)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._note(event)
            if not self._is_click:
                self.end = self._point(context, event)
            return self._choose(context)
        elif event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            if self._before is not None:
                choose_tile(context, self._before)
            else:
                texturing(context).tile.image = None
            redraw_editors(context)
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def execute(self, context: Context) -> Outcome:
        self._is_click = tuple(self.start) == tuple(self.end)
        return self._choose(context)

    def _note(self, event: Event) -> None:
        x, y = event.mouse_region_x - self._mouse[0], event.mouse_region_y - self._mouse[1]
        self._is_click = self._is_click and max(abs(x), abs(y)) <= _CLICK

    def _point(self, context: Context, event: Event) -> tuple[float, float]:
        image, region = tile_image(context), context.region
        if image is None or region is None:
            return 0.0, 0.0
        u, v = region.view2d.region_to_view(event.mouse_region_x, event.mouse_region_y)
        size = image.size
        return u * size[0], (1 - v) * size[1]

    def _show(self, context: Context) -> None:
        """Show the rectangle while the mouse is dragged."""
        from ...scene.authoring.texture_tiles import chosen_area

        image = tile_image(context)
        if image is None:
            return
        size = image.size
        tile = texturing(context).tile
        tile.image = image
        tile.area = chosen_area((size[0], size[1]), tuple(self.start), tuple(self.end), grid_size(context))
        redraw_editors(context)

    def _choose(self, context: Context) -> Outcome:
        image = tile_image(context)
        if image is None:
            return {"CANCELLED"}
        try:
            choose(context, image, tuple(self.start), tuple(self.end), is_click=self._is_click)
        except ExportError as error:
            report_line(self, "WARNING", explain(error))
            return {"CANCELLED"}
        redraw_editors(context)
        return {"FINISHED"}


class TOMB_RAIDER_OT_open_tile_set(SceneEditingTool, PictureBrowser):
    """Open an image file with tiles in an Image Editor, and choose its first tile"""

    bl_idname = "tomb_raider.open_tile_set"
    bl_label = "Open Tile Set"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Context) -> Outcome:
        name = os.path.basename(self.filepath)
        before = set(bpy.data.images)
        try:
            image = bpy.data.images.load(bpy.path.abspath(self.filepath), check_existing=True)
        except RuntimeError:
            image = None
        if image is None or not all(image.size):
            if image is not None and image not in before:
                bpy.data.images.remove(image)
            raise ToolError(T("{file} is no image that Blender can open", file=name))
        _show_image(context, image)
        settings = texturing(context)
        settings.page = None
        # Without a grid, the first tile is as large as those of most sets.
        side = 63.0 if settings.grid == "FREE" else 0.0
        choose(context, image, (0.0, 0.0), (side, side), is_click=False)
        redraw_editors(context)
        size = image.size
        text = T("{image}: {width} by {height} pixels", image=image.name, width=size[0], height=size[1])
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _show_image(context: Context, image: Image) -> None:
    """Show an image in the editor of the context, or else in one of the screen."""
    areas = [context.area, *(context.screen.areas if context.screen is not None else ())]
    for area in areas:
        if area is not None and area.type == "IMAGE_EDITOR":
            space: Any = area.spaces.active
            space.image = image
            if space.mode == "UV":  # which would show the image of the active face again
                space.use_image_pin = True
            _start_choosing(context, area)
            return


def _start_choosing(context: Context, area: Area) -> None:
    """Make *Choose Tile* the active tool of an Image Editor, where it has that tool."""
    space: Any = area.spaces.active
    # Tools need key maps, which Blender has only with a window.
    if space.mode in {"VIEW", "UV"} and not bpy.app.background:
        with context.temp_override(area=area, region=area.regions[-1]):
            bpy.ops.wm.tool_set_by_id(name=TOOL)


class TOMB_RAIDER_OT_toggle_favorite(SceneEditingTool, Operator):
    """Add the active tile to the favorites, or remove it"""

    bl_idname = "tomb_raider.toggle_favorite"
    bl_label = "Favorite Tile"
    bl_options = {"REGISTER", "UNDO"}
    requires = SceneEditingTool.requires + condition(
        lambda context: tile_in(texturing(context).tile) is not None, T("Choose a tile first")
    )

    def execute(self, context: Context) -> Outcome:
        settings = texturing(context)
        tile, index = tile_in(settings.tile), favorite_index(settings)
        if index is not None:
            settings.favorites.remove(index)
        elif tile is not None:
            store_tile(settings.favorites.add(), tile)
        redraw_editors(context)
        return {"FINISHED"}


def favorite_index(settings: Any) -> int | None:
    """Return the index of the active tile among the favorites, however it is turned; None without."""
    active = settings.tile.image, tuple(settings.tile.area)
    tiles = [(tile.image, tuple(tile.area)) for tile in settings.favorites]
    return tiles.index(active) if active in tiles else None


class TOMB_RAIDER_OT_refresh_palette(LevelTool):
    """Update the pieces and pictures of the palette, and count the object textures of an export"""

    bl_idname = "tomb_raider.refresh_palette"
    bl_label = "Refresh Tile Palette"
    bl_options = {"REGISTER"}
    edits_level = False

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from .counts import count_textures

        level = self.level(context)
        mode = UserMode(context)
        palette.forget()
        try:
            if level.is_editable:
                prepare(context, mode, level, Report())
            palette.pieces(level)
            count = count_textures(level)
        finally:
            mode.enter_again()
        redraw_editors(context)
        left = count.limit - count.total
        text = T(
            "Object textures: {total} of {limit}, {left} left",
            total=count.total,
            limit=count.limit,
            left=left,
        )
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _image_entries(menu: Menu, _context: Context) -> None:
    menu.layout.separator()
    menu.layout.operator("tomb_raider.open_tile_set", text="Open Tile Set...")


_CLASSES = (
    TOMB_RAIDER_OT_choose_tile,
    TOMB_RAIDER_OT_open_tile_set,
    TOMB_RAIDER_OT_toggle_favorite,
    TOMB_RAIDER_OT_refresh_palette,
)
_ENTRIES: Entries = (("IMAGE_MT_image", _image_entries),)

register, unregister = with_entries(_CLASSES, _ENTRIES)
