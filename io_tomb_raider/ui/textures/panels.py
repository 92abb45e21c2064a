"""Panels of a level's animated textures, and of selected faces in the 3D view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bmesh
from bmesh.types import BMesh
from bpy.types import Collection, Context, Material, Object, UILayout

from ...formats import Game
from ...formats.base import T, as_message
from ...scene.core import OF_ROOMS, is_for_trx
from ..base.active import active_collection
from ..base.layout.panels import LevelPart, Rows, SidebarPanel, listing, offer, split_columns
from ..base.layout.sidebar import SELECTION, is_painting
from ..base.levels import game_of, level_of
from ..base.text.i18n import translate
from .operators import active_group, edited_objects

if TYPE_CHECKING:
    from ...scene.properties import TombRaiderTextureFrame


_EFFECTS = "tr_effects"


class TOMB_RAIDER_UL_animated_textures(Rows):
    """List of the animated textures of a level."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        layout.prop(item, "name", text="", emboss=False, icon="SEQUENCE")
        count = layout.row()
        count.alignment = "RIGHT"  # by default, the label takes half of the width
        count.label(text=translate(T("{count} frames", count=len(item.frames))))


class TOMB_RAIDER_UL_texture_frames(Rows):
    """List of the frames of an animated texture, in order."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        corners = list(item.corners)
        count = 6 if item.is_triangle else 8
        left, top = min(corners[0:count:2]), min(corners[1:count:2])
        width, height = max(corners[0:count:2]) - left, max(corners[1:count:2]) - top
        name = item.image.name if item.image is not None else translate(T("No Image"))
        layout.label(text=name, icon="MESH_DATA" if item.is_triangle else "MESH_PLANE", translate=False)
        layout.label(
            text=translate(
                T("{width:.0f} x {height:.0f} at {x:.0f}, {y:.0f}", width=width, height=height, x=left, y=top)
            )
        )


def draw_groups(layout: UILayout, level: Collection, heading: str = "") -> Any | None:
    """Draw the list of animated textures; return the active one."""
    settings = level.tomb_raider.animated
    buttons = listing(
        layout, TOMB_RAIDER_UL_animated_textures, settings, "groups", "active", rows=3, heading=heading
    )
    for name, icon in (("add_animated_texture", "ADD"), ("remove_animated_texture", "REMOVE")):
        buttons.operator(f"tomb_raider.{name}", text="", icon=icon).collection = level.name
    return active_group(level)


class COLLECTION_PT_tomb_raider_animated(LevelPart):
    """Panel of a level's animated textures."""

    bl_label = "Animated Textures"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        level = active_collection(context)
        game, settings = game_of(level), level.tomb_raider.animated
        column = split_columns(self)
        column.prop(settings, "frames_per_picture")
        if game.traits.has_scrolling_textures:
            column.prop(settings, "scroll_speed")
        group = draw_groups(column, level)
        if group is None:
            return
        if game.traits.has_scrolling_textures:
            column.prop(group, "scrolls")
        buttons = listing(
            column, TOMB_RAIDER_UL_texture_frames, group, "frames", "active_frame", rows=4, heading="Frames"
        )
        buttons.operator("tomb_raider.add_texture_frames", text="", icon="ADD")
        button = buttons.operator("tomb_raider.remove_texture_frame", text="", icon="REMOVE")
        button.collection = level.name
        buttons.separator()
        for direction, icon in (("UP", "TRIA_UP"), ("DOWN", "TRIA_DOWN")):
            button = buttons.operator("tomb_raider.move_texture_frame", text="", icon=icon)
            button.collection, button.direction = level.name, direction
        _draw_adding(column, level)
        if 0 <= group.active_frame < len(group.frames):
            _draw_frame(column, group.frames[group.active_frame], game)
            button = column.operator("tomb_raider.refresh_animated_texture", icon="FILE_REFRESH")
            button.collection = level.name


def _draw_adding(layout: UILayout, level: Collection) -> None:
    """Draw the buttons that add tiles as frames."""
    column = layout.column(align=True)
    column.operator("tomb_raider.add_tile_frame", icon="ADD").collection = level.name
    column.operator("tomb_raider.add_tile_run", text="Add Run of Tiles…").collection = level.name


def _draw_frame(column: UILayout, frame: TombRaiderTextureFrame, game: Game) -> None:
    column.prop(frame, "image")
    column.prop(frame, "corners")
    column.prop(frame, "blending")
    if game.traits.has_bump:
        column.prop(frame, "bump")


class VIEW3D_PT_tomb_raider_faces(SidebarPanel):
    """Panel of the selected faces' properties."""

    bl_label = "Faces"
    bl_order = SELECTION - 2  # above the brush: what is selected comes first

    @classmethod
    def poll(cls, context: Context) -> bool:
        return bool(edited_objects(context)) and not is_painting(context)

    def draw(self, context: Context) -> None:
        obj: Any = edited_objects(context)[0]
        level: Any = level_of(obj)
        layout = self.layout
        game, kind = game_of(level), obj.tomb_raider.kind
        _draw_piece(layout, obj)
        row = layout.row(align=True)
        has_additive = game.traits.has_additive_blending or is_for_trx(level)
        modes = ("OPAQUE", "ALPHA", *(("ADDITIVE",) if has_additive else ()))
        for mode in modes:
            row.operator("tomb_raider.set_blending", text=mode.title()).blending = mode
        if kind in OF_ROOMS and game.traits.has_double_sided_faces:
            row = layout.row(align=True)
            for double_sided, label in ((True, "Double-Sided"), (False, "Single-Sided")):
                row.operator("tomb_raider.set_double_sided", text=label).double_sided = double_sided
        if game.traits.has_bump:
            layout.operator("tomb_raider.set_bump")
        if kind not in OF_ROOMS and game.traits.has_colored_faces:
            layout.operator("tomb_raider.set_palette_color", icon="COLOR")
        if kind in OF_ROOMS and game.traits.has_room_layers:
            _draw_unknown(layout, bmesh.from_edit_mesh(obj.data))


class _PartOfFaces(SidebarPanel):
    """Base of closed parts of the panel of faces."""

    bl_order = SELECTION - 2
    bl_parent_id = "VIEW3D_PT_tomb_raider_faces"
    bl_options = {"DEFAULT_CLOSED"}


class VIEW3D_PT_tomb_raider_shine(_PartOfFaces):
    """Panel of the shine of faces of models and static meshes (TR4, TR5)."""

    bl_label = "Shine"

    @classmethod
    def poll(cls, context: Context) -> bool:
        edited = edited_objects(context)
        level = level_of(edited[0]) if edited else None
        if level is None or edited[0].tomb_raider.kind in OF_ROOMS:
            return False
        return game_of(level).traits.has_effects

    def draw(self, context: Context) -> None:
        mesh: Any = edited_objects(context)[0].data
        _draw_effects(self.layout, bmesh.from_edit_mesh(mesh))


class VIEW3D_PT_tomb_raider_animated_faces(_PartOfFaces):
    """Panel of the animated textures that faces play."""

    bl_label = "Animated Textures"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return bool(edited_objects(context))

    def draw(self, context: Context) -> None:
        level: Any = level_of(edited_objects(context)[0])
        layout = self.layout
        if draw_groups(layout.column(), level) is not None:
            column = layout.column(align=True)
            column.operator("tomb_raider.play_on_faces", icon="PLAY")
            column.operator("tomb_raider.stop_on_faces", icon="PAUSE")
            offer(column, "add_texture_frames", text="Add Selected Faces", icon="ADD")
        _draw_adding(layout, level)


def _draw_piece(layout: UILayout, obj: Object) -> None:
    """Draw the active face's page, rectangle in pixels from the top, and blending."""
    from ...scene.subjects.textures import user_image

    mesh: Any = obj.data
    edited = bmesh.from_edit_mesh(mesh)
    face, uv = edited.faces.active, edited.loops.layers.uv.active
    material = mesh.materials[face.material_index] if face is not None and len(mesh.materials) else None
    image = user_image(material) if material is not None else None
    column = layout.box().column(align=True)
    if face is None or uv is None or material is None or image is None:
        column.label(text="The active face shows no image" if face is not None else "Select a face")
        column.label(text="")  # keeps the buttons below in place
    else:
        size = image.size
        width, height = size[0], size[1]
        points = [loop[uv].uv for loop in face.loops]
        xs, ys = [point.x * width for point in points], [(1 - point.y) * height for point in points]
        column.label(text=image.name, icon="TEXTURE", translate=False)
        rectangle = T(
            "{width:.0f} x {height:.0f} at {x:.0f}, {y:.0f}",
            width=max(xs) - min(xs),
            height=max(ys) - min(ys),
            x=min(xs),
            y=min(ys),
        )
        blending = as_message(material.tomb_raider.blending.lower())
        column.label(text=translate(T("{place}, {blending}", place=rectangle, blending=blending)))
        _draw_look(column, obj, material)
    row = layout.row(align=True)
    offer(row, "select_same_texture", text="Select Same", icon="RESTRICT_SELECT_OFF")
    row.operator("tomb_raider.replace_texture", text="Replace…", icon="FILE_IMAGE")
    row = layout.row(align=True)
    row.operator_menu_enum("tomb_raider.replace_tile", "scope", icon="BRUSH_DATA")
    offer(row, "texture_info", text="Info…", icon="INFO")
    row = layout.row(align=True)
    row.operator("tomb_raider.turn_texture", text="Turn", icon="FILE_REFRESH")
    row.operator("tomb_raider.mirror_texture", text="Mirror", icon="MOD_MIRROR")
    layout.operator("tomb_raider.hide_backs", icon="HIDE_ON")


def _draw_look(column: UILayout, obj: Object, material: Material) -> None:
    """Draw the bump level and the animated texture of the active face, where it has them."""
    from ...scene.subjects.animated_textures import group_named

    settings, level = material.tomb_raider, level_of(obj)
    group = None if level is None else group_named(level, settings.animation)
    if settings.bump:
        column.label(text=translate(T("Bump Level {bump}", bump=settings.bump)))
    if group is not None:
        column.label(text=group.name, icon="PLAY", translate=False)


def _draw_unknown(layout: UILayout, edited: BMesh) -> None:
    """Draw the word of the active face of a room of TR5, of which no effect is known."""
    layer, face = edited.faces.layers.int.get(_EFFECTS), edited.faces.active
    if layer is not None and face is not None:
        layout.label(text=translate(T("Unknown word: {word}", word=int(face[layer]))))


def _draw_effects(layout: UILayout, edited: BMesh) -> None:
    """Draw the shine of the active face, and the tools for it."""
    from ...formats.levels.textures import SHINE_STRENGTH

    layer, face = edited.faces.layers.int.get(_EFFECTS), edited.faces.active
    if layer is not None and face is not None:
        word = int(face[layer])
        strength, most = SHINE_STRENGTH.of(word), SHINE_STRENGTH.largest
        shines = T("shines with {strength} of {most}", strength=strength, most=most)
        shines = shines if word & 2 else T("does not shine")
        additive = T(", additive") if word & 1 else ""
        text = T("The active face {shines}{additive}", shines=shines, additive=additive)
        layout.label(text=translate(text))
    column = layout.column(align=True)
    column.operator("tomb_raider.set_shine", text="Shine", icon="SHADING_RENDERED").shines = True
    column.operator("tomb_raider.set_shine", text="No Shine", icon="SHADING_SOLID").shines = False
    row = layout.row(align=True)
    row.operator("tomb_raider.set_additive", text="Additive").additive = True
    row.operator("tomb_raider.set_additive", text="Not Additive").additive = False


CLASSES = (
    TOMB_RAIDER_UL_animated_textures,
    TOMB_RAIDER_UL_texture_frames,
    COLLECTION_PT_tomb_raider_animated,
    VIEW3D_PT_tomb_raider_faces,
    VIEW3D_PT_tomb_raider_shine,
    VIEW3D_PT_tomb_raider_animated_faces,
)
