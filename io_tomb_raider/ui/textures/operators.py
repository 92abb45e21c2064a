"""Operators for textures of faces: blending, shine, playback, and the lists of animated textures."""

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, IntProperty
from bpy.types import Collection, Context, Mesh, Object

from ...formats import ExportError
from ...formats.base import T, Traits
from ...scene.core import OF_ROOMS, Kind
from ...scene.properties import BLENDING, CONTEXT
from ..base.levels import game_of, level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool, LevelTool
from ..base.reports import Outcome, report_line, set_poll_message

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FaceNumbers = NDArray[np.int64]

TEXTURED = (*OF_ROOMS, Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH)
_SHINY = (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH)


def edited_objects(context: Context) -> list[Object]:
    """Return the textured meshes of levels that are in edit mode."""
    objects = context.objects_in_mode_unique_data if context.mode == "EDIT_MESH" else ()
    return [obj for obj in objects if obj.tomb_raider.kind in TEXTURED and level_of(obj) is not None]


class FaceTool(EditingTool):
    """Base of operators on the faces that are selected in edit mode."""

    kinds: tuple[str, ...] = TEXTURED

    @staticmethod
    def is_supported(traits: Traits) -> bool:
        """Return whether a game supports the property that the tool changes."""
        return True

    @classmethod
    def objects(cls, context: Context) -> list[Object]:
        """Return the edited objects that the operator supports."""
        objects = [obj for obj in edited_objects(context) if obj.tomb_raider.kind in cls.kinds]
        levels = {obj: level_of(obj) for obj in objects}
        return [obj for obj, level in levels.items() if level and cls.is_supported(game_of(level).traits)]

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not cls.objects(context):
            reason = T("Select faces of a level in Edit Mode")
            if cls.kinds == _SHINY:
                reason = T("Select faces of models or static meshes in edit mode")
            set_poll_message(cls, reason)
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.object_textures import selected_faces

        objects, mode, changed, is_chosen = self.objects(context), UserMode(context), 0, False
        mode.leave()
        try:
            for obj in objects:
                mesh: Any = obj.data
                faces = selected_faces(mesh)
                level = level_of(obj)
                if len(faces) and level is not None:
                    is_chosen = True
                    changed += self.change_object(level, obj, faces)
        finally:
            mode.enter_again()
        if not is_chosen:
            report_line(self, "WARNING", T("No faces are selected"))
            return {"CANCELLED"}
        report_line(self, "INFO", T("Faces that changed: {changed}", changed=changed))
        return {"FINISHED"}

    def change_object(self, level: Collection, obj: Object, faces: "FaceNumbers") -> int:
        """Change faces of an object's mesh, in object mode; return the number of changed faces."""
        mesh: Any = obj.data
        return self.change(level, mesh, faces)

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        """Change faces of a mesh, in object mode; return the number of changed faces."""
        raise NotImplementedError


class TOMB_RAIDER_OT_set_blending(FaceTool):
    """Set how the game blends the selected faces"""

    bl_idname = "tomb_raider.set_blending"
    bl_label = "Set Blending"

    blending: EnumProperty(
        name="Blending",
        translation_context=CONTEXT,
        items=BLENDING,
        description="How the game blends the faces",
    )

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import set_blending

        return set_blending(level, mesh, faces, [name for name, *_ in BLENDING].index(self.blending))


class TOMB_RAIDER_OT_set_double_sided(FaceTool):
    """Show the selected faces from both sides, or from their front only"""

    bl_idname = "tomb_raider.set_double_sided"
    bl_label = "Set Double-Sided"

    kinds = OF_ROOMS
    double_sided: BoolProperty(
        name="Double-Sided", default=True, description="Show the faces from both sides"
    )

    @staticmethod
    def is_supported(traits: Traits) -> bool:
        return traits.has_double_sided_faces

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import set_double_sided

        return set_double_sided(level, mesh, faces, self.double_sided)


class TOMB_RAIDER_OT_set_bump(FaceTool):
    """Set how strongly the game shows the height map of the selected faces' page"""

    bl_idname = "tomb_raider.set_bump"
    bl_label = "Set Bump Level"

    bump: IntProperty(
        name="Bump Level", min=0, max=2, default=1, description="Strength of the height map, 0 for none"
    )

    @staticmethod
    def is_supported(traits: Traits) -> bool:
        return traits.has_bump

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import set_bump

        return set_bump(level, mesh, faces, self.bump)


class TOMB_RAIDER_OT_set_palette_color(FaceTool):
    """Give the selected faces one color of the level's palette, without a texture"""

    bl_idname = "tomb_raider.set_palette_color"
    bl_label = "Set Palette Color"

    kinds = _SHINY
    color: FloatVectorProperty(
        name="Color",
        subtype="COLOR_GAMMA",
        size=3,
        min=0,
        max=1,
        default=(0.5, 0.5, 0.5),
        description="Desired color. The faces get the nearest color of the palette",
    )

    @staticmethod
    def is_supported(traits: Traits) -> bool:
        return traits.has_colored_faces

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import set_palette_color

        return set_palette_color(level, mesh, faces, self.color[:])


class TOMB_RAIDER_OT_set_shine(FaceTool):
    """Make the selected faces reflect the environment map, or not"""

    bl_idname = "tomb_raider.set_shine"
    bl_label = "Set Shine"

    kinds = _SHINY
    shines: BoolProperty(name="Shines", default=True, description="The faces reflect the environment map")
    strength: IntProperty(
        name="Strength", min=0, max=31, default=16, description="Strength of the reflection, in 1/32"
    )

    @staticmethod
    def is_supported(traits: Traits) -> bool:
        return traits.has_effects

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.models import refuse_to_shine
        from ...scene.subjects.object_textures import set_shine

        if self.shines:
            refuse_to_shine(level, mesh)
        return set_shine(mesh, faces, self.shines, self.strength)


class TOMB_RAIDER_OT_set_additive(FaceTool):
    """Make the selected faces additive independently of their texture, or not"""

    bl_idname = "tomb_raider.set_additive"
    bl_label = "Set Additive Effect"

    kinds = _SHINY
    additive: BoolProperty(name="Additive", default=True, description="Make the faces additive")

    @staticmethod
    def is_supported(traits: Traits) -> bool:
        return traits.has_effects

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import set_additive

        return set_additive(level, mesh, faces, self.additive)


# --- Animated textures -----------------------------------------------------------------------------


def active_group(level: Collection) -> Any | None:
    """Return the active animated texture of a level's list, or None."""
    settings = level.tomb_raider.animated
    return settings.groups[settings.active] if 0 <= settings.active < len(settings.groups) else None


class TOMB_RAIDER_OT_play_on_faces(FaceTool):
    """Play the active animated texture on the selected faces, from their frame or the first"""

    bl_idname = "tomb_raider.play_on_faces"
    bl_label = "Play on Selected Faces"

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import play_on

        group = active_group(level)
        if group is None:
            raise ExportError(level.name, T("it has no animated texture: add one first"))
        return play_on(level, group, mesh, faces)


class TOMB_RAIDER_OT_stop_on_faces(FaceTool):
    """Stop animated textures on the selected faces"""

    bl_idname = "tomb_raider.stop_on_faces"
    bl_label = "Stop on Selected Faces"

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import set_group

        return set_group(level, mesh, faces, 0)


class TOMB_RAIDER_OT_add_texture_frames(FaceTool):
    """Add the texture of each selected face as a frame of the active animated texture"""

    bl_idname = "tomb_raider.add_texture_frames"
    bl_label = "Add Frames from Selected Faces"

    def change(self, level: Collection, mesh: Mesh, faces: "FaceNumbers") -> int:
        from ...scene.subjects.object_textures import add_frames

        return add_frames(level, active_group(level), mesh, faces)


class ListTool(LevelTool):
    """Base of operators on the animated textures of a level."""

    def execute(self, context: Context) -> Outcome:
        level = self.level(context)
        mode = UserMode(context)
        try:
            mode.leave()
            changed = self.change(level)
        finally:
            mode.enter_again()
        return {"CANCELLED"} if changed is False else {"FINISHED"}

    def change(self, level: Collection) -> bool | None:
        """Change the list; return False if nothing was changed."""
        raise NotImplementedError


def _chosen_group(level: Collection) -> Any:
    group = active_group(level)
    if group is None:
        raise ExportError(level.name, T("no animated texture is chosen"))
    return group


class TOMB_RAIDER_OT_add_animated_texture(ListTool):
    """Add an animated texture without frames"""

    bl_idname = "tomb_raider.add_animated_texture"
    bl_label = "Add Animated Texture"

    def change(self, level: Collection) -> None:
        from ...scene.subjects.object_textures import add_group

        add_group(level)


class TOMB_RAIDER_OT_remove_animated_texture(ListTool):
    """Remove the active animated texture. Its faces keep a still picture"""

    bl_idname = "tomb_raider.remove_animated_texture"
    bl_label = "Remove Animated Texture"

    def change(self, level: Collection) -> None:
        from ...scene.subjects.object_textures import remove_group

        _chosen_group(level)
        remove_group(level, level.tomb_raider.animated.active)


class TOMB_RAIDER_OT_remove_texture_frame(ListTool):
    """Remove the active frame"""

    bl_idname = "tomb_raider.remove_texture_frame"
    bl_label = "Remove Frame"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    def change(self, level: Collection) -> None:
        from ...scene.subjects.object_textures import remove_frame

        group = _chosen_group(level)
        if not 0 <= group.active_frame < len(group.frames):
            raise ExportError(group.name, T("no frame is chosen"))
        remove_frame(level, group, group.active_frame)


class TOMB_RAIDER_OT_move_texture_frame(ListTool):
    """Move the active frame up or down"""

    bl_idname = "tomb_raider.move_texture_frame"
    bl_label = "Move Frame"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    direction: EnumProperty(
        name="Direction",
        translation_context=CONTEXT,
        items=[("UP", "Up", "Show it earlier", 0), ("DOWN", "Down", "Show it later", 1)],
        description="Where to move the frame",
    )

    def change(self, level: Collection) -> bool:
        from ...scene.subjects.object_textures import move_frame

        group = _chosen_group(level)
        to = group.active_frame + (1 if self.direction == "DOWN" else -1)
        is_inside = 0 <= group.active_frame < len(group.frames) and 0 <= to < len(group.frames)
        if is_inside:
            move_frame(level, group, group.active_frame, to)
        return is_inside


class TOMB_RAIDER_OT_refresh_animated_textures(ListTool):
    """Apply the edited frames of the active animated texture to materials and faces"""

    bl_idname = "tomb_raider.refresh_animated_texture"
    bl_label = "Refresh"

    def change(self, level: Collection) -> None:
        from ...scene.subjects.object_textures import refresh

        refresh(level, _chosen_group(level))


_CLASSES = (
    TOMB_RAIDER_OT_set_blending,
    TOMB_RAIDER_OT_set_double_sided,
    TOMB_RAIDER_OT_set_bump,
    TOMB_RAIDER_OT_set_palette_color,
    TOMB_RAIDER_OT_set_shine,
    TOMB_RAIDER_OT_set_additive,
    TOMB_RAIDER_OT_play_on_faces,
    TOMB_RAIDER_OT_stop_on_faces,
    TOMB_RAIDER_OT_add_texture_frames,
    TOMB_RAIDER_OT_add_animated_texture,
    TOMB_RAIDER_OT_remove_animated_texture,
    TOMB_RAIDER_OT_remove_texture_frame,
    TOMB_RAIDER_OT_move_texture_frame,
    TOMB_RAIDER_OT_refresh_animated_textures,
)

register, unregister = bpy.utils.register_classes_factory(_CLASSES)
