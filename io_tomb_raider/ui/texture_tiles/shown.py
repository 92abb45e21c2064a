"""Operators on what faces show already: turned, mirrored, replaced by the active tile, set for all faces."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import Collection, Context, Event, Object, UILayout

from ...formats import ExportError, FormatError
from ...formats.base import N_, T
from ...scene.properties import CONTEXT
from ..base.levels import game_of, level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.reports import Outcome, explain, report_line
from ..base.text.i18n import translate
from ..textures.operators import FaceTool, ListTool, active_group, edited_objects
from ..textures.pieces import PieceTool, active_piece
from .settings import active_tile, remember_tile

if TYPE_CHECKING:
    from ...scene.authoring.texture_regions import TextureRegion
    from ...scene.authoring.texture_tiles import Look, Users
    from ..textures.operators import FaceNumbers

_SCOPES = [
    ("SELECTED", "Selected Faces", "The selected faces that show it", 0),
    ("MESH", "Room or Mesh", "All faces of the active object that show it", 1),
    ("LEVEL", "Whole Level", "All faces of the level that show it", 2),
]
_KEEP = ("KEEP", "Keep", "Do not change it", 0)
_BLENDING = [
    _KEEP,
    ("OPAQUE", "Opaque", "No pixel is transparent", 1),
    ("ALPHA", "Alpha", "Transparent pixels are cut out", 2),
    ("ADDITIVE", "Additive", "Colors are added to the background (TR3 to TR5)", 3),
]
_SIDES = [
    _KEEP,
    ("FRONT", "Single-Sided", "Show the faces from their front only", 1),
    ("BOTH", "Double-Sided", "Show the faces from both sides", 2),
]
_BUMP = [
    _KEEP,
    ("0", "None", "Show no height map", 1),
    ("1", "Level 1", "Show the height map of the page", 2),
    ("2", "Level 2", "Show the height map of the page strongly", 3),
]
_RUN = [
    ("RIGHT", "Right", "Go right along a row, then along the next one", 0),
    ("DOWN", "Down", "Go down a column, then down the next one", 1),
]


class TOMB_RAIDER_OT_turn_texture(FaceTool):
    """Turn the textures of the selected faces clockwise by 90°"""

    bl_idname = "tomb_raider.turn_texture"
    bl_label = "Turn Texture"

    counterclockwise: BoolProperty(
        name="Counterclockwise", description="Turn counterclockwise", options={"SKIP_SAVE"}
    )

    def change_object(self, level: Collection, obj: Object, faces: "FaceNumbers") -> int:
        from ...scene.authoring.texture_tiles import turn_shown
        from .counts import note_use

        note_use()
        return turn_shown(level, obj, faces, quarters=3 if self.counterclockwise else 1)


class TOMB_RAIDER_OT_mirror_texture(FaceTool):
    """Swap left and right of the textures of the selected faces"""

    bl_idname = "tomb_raider.mirror_texture"
    bl_label = "Mirror Texture"

    def change_object(self, level: Collection, obj: Object, faces: "FaceNumbers") -> int:
        from ...scene.authoring.texture_tiles import mirror_shown
        from .counts import note_use

        note_use()
        return mirror_shown(level, obj, faces)


class _ScopeTool(PieceTool, EditingTool):
    """Base of operators on all faces that show the tile of the active face."""

    scope: EnumProperty(
        name="Scope",
        translation_context=CONTEXT,
        items=_SCOPES,
        description="Faces to change",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.texture_tiles import require_all_local
        from .counts import note_use

        level, mode, stays_left = level_of(context.object), UserMode(context), False
        edited = {obj.data for obj in edited_objects(context)}
        mode.leave()
        try:
            piece = active_piece(context)
            if piece is None or level is None:
                report_line(self, "WARNING", T("The active face shows no image"))
                return {"CANCELLED"}
            users = self._users(context, level, piece, edited)
            require_all_local(users)
            # Undo of edit mode covers only the edited meshes, so the user stays in object mode for others.
            stays_left = any(user.mesh not in edited for user in users)
            count = self.change(context, level, piece, users)
            stays_left = stays_left and count > 0
            note_use()
        except (ExportError, FormatError) as error:
            stays_left = False
            report_line(self, "ERROR", explain(error))
            return {"CANCELLED"}
        finally:
            if not stays_left:
                mode.enter_again()
        objects = sum(len(user.faces) > 0 for user in users)
        text = T("Faces that changed: {count}, in rooms and meshes: {objects}", count=count, objects=objects)
        report_line(self, "INFO", text)
        return {"FINISHED"} if count else {"CANCELLED"}

    def change(
        self, context: Context, level: Collection, piece: "TextureRegion", users: "Sequence[Users]"
    ) -> int:
        """Change faces that show a texture region, and return how many."""
        raise NotImplementedError

    def _users(
        self, context: Context, level: Collection, piece: "TextureRegion", edited: set[Any]
    ) -> "list[Users]":
        """Return the faces to change, by mesh."""
        import numpy as np

        from ...scene.authoring.texture_tiles import users_of
        from ...scene.subjects.object_textures import selected_faces

        result, active = users_of(level, piece), context.object
        if self.scope == "LEVEL":
            return result
        if self.scope == "MESH":
            return [user for user in result if active is not None and user.mesh == active.data]
        chosen = [
            user._replace(faces=np.intersect1d(user.faces, selected_faces(user.mesh)))
            for user in result
            if user.mesh in edited
        ]
        return [user for user in chosen if len(user.faces)]


class TOMB_RAIDER_OT_replace_tile(_ScopeTool):
    """Replace the tile of the active face with the active tile"""

    bl_idname = "tomb_raider.replace_tile"
    bl_label = "Replace Tile"

    quarters: IntProperty(
        name="Quarter Turns",
        min=0,
        max=3,
        description="Clockwise turns by 90° relative to the old tile",
        options={"SKIP_SAVE"},
    )
    mirrored: BoolProperty(
        name="Mirrored", description="Mirror the tile relative to the old one", options={"SKIP_SAVE"}
    )

    def change(
        self, context: Context, level: Collection, piece: "TextureRegion", users: "Sequence[Users]"
    ) -> int:
        from ...scene.authoring.texture_tiles import replace_shown

        tile = active_tile(context)
        remember_tile(context, tile)
        tile = tile._replace(turns=self.quarters, is_mirrored=self.mirrored)
        for user in users:
            replace_shown(level, user, piece, tile)
        return sum(len(user.faces) for user in users)


def _animations(_tool: object, context: Context | None) -> list[tuple[str, str, str, int]]:
    level = level_of(context.object) if context is not None and context.object is not None else None
    groups = () if level is None else level.tomb_raider.animated.groups
    items = [
        (str(group.uid), group.name, N_("Play this animated texture"), 2 + group.uid) for group in groups
    ]
    # Blender keeps no reference to the texts of enumerations that functions return.
    _shown[:] = [_KEEP, ("0", "None", N_("Play no animated texture"), 1), *items]
    return _shown


_shown: list[tuple[str, str, str, int]] = []


class TOMB_RAIDER_OT_texture_info(_ScopeTool):
    """Show which faces have the texture of the active face, and set how they show it"""

    bl_idname = "tomb_raider.texture_info"
    bl_label = "Texture Info"

    blending: EnumProperty(
        name="Blending",
        translation_context=CONTEXT,
        items=_BLENDING,
        description="How the game blends the faces",
        options={"SKIP_SAVE"},
    )
    sides: EnumProperty(
        name="Sides",
        translation_context=CONTEXT,
        items=_SIDES,
        description="Sides from which faces are visible (rooms, TR3 to TR5)",
        options={"SKIP_SAVE"},
    )
    bump: EnumProperty(
        name="Bump Level",
        items=_BUMP,
        description="Strength of the height map (TR4, TR5)",
        options={"SKIP_SAVE"},
    )
    animation: EnumProperty(
        name="Animated Texture",
        items=_animations,
        description="The animated texture that the faces play",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        from ...scene.authoring.texture_tiles import look_of_face, users_of

        level, mode = level_of(context.object), UserMode(context)
        mode.leave()
        try:
            piece = active_piece(context)
            if piece is None or level is None:
                report_line(self, "WARNING", T("The active face shows no image"))
                return {"CANCELLED"}
            mesh: Any = context.object.data
            look = look_of_face(level, mesh, mesh.polygons.active or 0, piece)
            users = users_of(level, piece)
        finally:
            mode.enter_again()
        left, bottom, right, top = piece[1:]
        rectangle = T(
            "{width} x {height} at {x}, {y}",
            width=right - left,
            height=top - bottom,
            x=left,
            y=piece.image.size[1] - top,
        )
        rooms = sum(user.obj.tomb_raider.kind == "ROOM" for user in users)
        counts = T(
            "{faces} faces in {rooms} rooms and {meshes} meshes",
            faces=sum(len(user.faces) for user in users),
            rooms=rooms,
            meshes=len(users) - rooms,
        )
        self._lines = [(piece.image.name, ""), ("", rectangle), ("", counts)]
        if look.attribute < len(_BLENDING) - 1:
            self.blending = _BLENDING[look.attribute + 1][0]
        self.sides = "BOTH" if look.is_double_sided else "FRONT"
        if look.bump < len(_BUMP) - 1:
            self.bump = _BUMP[look.bump + 1][0]
        self.animation = str(look.group)
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: Context) -> None:
        layout: UILayout = self.layout
        level = level_of(context.object)
        for name, text in getattr(self, "_lines", ()):
            layout.label(text=name or translate(text), translate=False)
        layout.use_property_split = True
        layout.prop(self, "scope")
        layout.prop(self, "blending")
        if level is None:
            return
        traits = game_of(level).traits
        if traits.has_double_sided_faces:
            layout.prop(self, "sides")
        if traits.has_bump:
            layout.prop(self, "bump")
        layout.prop(self, "animation")

    def change(
        self, context: Context, level: Collection, piece: "TextureRegion", users: "Sequence[Users]"
    ) -> int:
        from ...scene.authoring.texture_tiles import look_of_face, set_look

        mesh: Any = context.object.data
        before = look_of_face(level, mesh, mesh.polygons.active or 0, piece)
        return set_look(level, users, self._changed_look(before, level), before)

    def _changed_look(self, look: "Look", level: Collection) -> "Look":
        traits = game_of(level).traits
        if self.blending != "KEEP":
            look = look._replace(attribute=[name for name, *_ in _BLENDING].index(self.blending) - 1)
        if self.sides != "KEEP" and traits.has_double_sided_faces:
            look = look._replace(is_double_sided=self.sides == "BOTH")
        if self.bump != "KEEP" and traits.has_bump:
            look = look._replace(bump=int(self.bump))
        if self.animation not in {"", "KEEP"}:
            look = look._replace(group=int(self.animation))
        return look


# --- Frames of animated textures -------------------------------------------------------------------


class _FrameTool(ListTool):
    """Base of operators that add tiles as frames."""

    def execute(self, context: Context) -> Outcome:
        self._tile = active_tile(context)
        return super().execute(context)

    def add(self, level: Collection, count: int, *, downwards: bool = False) -> None:
        """Add the active tile, and those after it."""
        from ...scene.authoring.texture_tiles import add_tiles_as_frames, run_of_tiles

        add_tiles_as_frames(level, active_group(level), run_of_tiles(self._tile, count, downwards=downwards))


class TOMB_RAIDER_OT_add_tile_frame(_FrameTool):
    """Add the active tile as a frame of the active animated texture"""

    bl_idname = "tomb_raider.add_tile_frame"
    bl_label = "Add Active Tile as Frame"

    def change(self, level: Collection) -> None:
        self.add(level, 1)


class TOMB_RAIDER_OT_add_tile_run(_FrameTool):
    """Add the active tile and those after it as frames of the active animated texture"""

    bl_idname = "tomb_raider.add_tile_run"
    bl_label = "Add Run of Tiles"

    count: IntProperty(name="Tiles", default=4, min=1, max=256, description="Number of tiles to add")
    direction: EnumProperty(
        name="Direction", translation_context=CONTEXT, items=_RUN, description="Direction of the next tile"
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        return context.window_manager.invoke_props_dialog(self)

    def change(self, level: Collection) -> None:
        self.add(level, self.count, downwards=self.direction == "DOWN")


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_turn_texture,
        TOMB_RAIDER_OT_mirror_texture,
        TOMB_RAIDER_OT_replace_tile,
        TOMB_RAIDER_OT_texture_info,
        TOMB_RAIDER_OT_add_tile_frame,
        TOMB_RAIDER_OT_add_tile_run,
    )
)
