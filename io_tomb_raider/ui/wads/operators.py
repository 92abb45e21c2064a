"""Operators that put a model or an animation into a WAD or WAD2."""

from pathlib import Path
from typing import Any

import bpy
from bpy.props import IntProperty
from bpy.types import Action, Collection, Context, Object, Operator

from ...formats.base import N_, T, about
from ...scene.interop.wads import OWN
from ...scene.subjects.animations import game_of_action
from ..animations.operators import shown_action
from ..base.active import active_collection
from ..base.conditions import ConditionalTool, condition
from ..base.files.browsing import FileBrowser
from ..base.files.file_tools import file_filter
from ..base.files.paths import check_path
from ..base.levels import OBJECT_SUFFIXES, level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool, file_path
from ..base.progress import ProgressBar
from ..base.reconciling import prepare
from ..base.reports import Outcome, ToolError, report_line, report_result


def meant_armature(context: Context) -> Object | None:
    """Return the armature of the active model, or else of the shown action's model."""
    from ...scene.subjects.models import armature_of_model

    armature = armature_of_model(context.object)
    if armature is None:
        action = shown_action(context)
        armature = None if action is None else action.tomb_raider.model
    return armature if armature is not None and level_of(armature) is not None else None


class _PutTool(ConditionalTool, FileBrowser, Operator):
    """Base of operators that put a part of a level into a chosen file."""

    failure = N_("{file} was not written: {error}")

    filter_glob: file_filter(*OBJECT_SUFFIXES)
    filepath: file_path("WAD or WAD2 file")
    model: IntProperty(
        name="Model",
        description="Number of the model in the file; -1: the same as here",
        default=OWN,
        min=OWN,
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report

        path = Path(bpy.path.abspath(self.filepath))
        if path.suffix.lower() not in OBJECT_SUFFIXES:
            raise ToolError(T("Choose a .wad or .wad2"))
        armature = meant_armature(context)
        level = level_of(armature)
        if armature is None or level is None:
            raise ToolError(T("Select a model of a level first"))
        report = Report()
        with UserMode(context) as mode:
            check_path(self.filepath)
            prepare(context, mode, level, report)
            with ProgressBar(context, T("Exporting {file}", file=path.name)) as bar:
                text = self.put(context, level, armature, path, report=report, listener=bar)
        report_result(self, about(path.name, text), report.warnings)
        return {"FINISHED"}

    def put(self, context: Context, level: Collection, armature: Object, path: Path, **options: Any) -> str:
        """Put it into the file, and return the text for the report."""
        raise NotImplementedError


class TOMB_RAIDER_OT_put_model(_PutTool):
    """Put the active model and its animations into a WAD or WAD2, or into a new one"""

    bl_idname = "tomb_raider.put_model"
    bl_label = "Put Model into WAD"
    requires = condition(
        lambda context: meant_armature(context) is not None, T("Select a model of a level first")
    )

    def put(self, context: Context, level: Collection, armature: Object, path: Path, **options: Any) -> str:
        from ...scene.interop.wads import put_model_into

        number = put_model_into(level, armature, path, self.model, **options)
        return T("{armature} is model {number} there", armature=armature.name, number=number)


class TOMB_RAIDER_OT_put_animation(_PutTool):
    """Put the active action into a model of an existing WAD or WAD2"""

    bl_idname = "tomb_raider.put_animation"
    bl_label = "Put Animation into WAD"

    animation: IntProperty(
        name="Animation",
        description="Number of the animation in that model; -1: the same as here; a free number adds it",
        default=OWN,
        min=OWN,
        options={"SKIP_SAVE"},
    )

    requires = condition(
        lambda context: _meant_action(context) is not None, T("Choose an action of a model first")
    )

    def put(self, context: Context, level: Collection, armature: Object, path: Path, **options: Any) -> str:
        from ...formats.editors.wads import AnimationPlace
        from ...scene.interop.wads import put_animation_into

        action = _meant_action(context)
        assert action is not None  # checked by the poll
        target = AnimationPlace(self.model, self.animation)
        slot, number = put_animation_into(level, armature, action, path, target, **options)
        return T(
            "{action} is animation {number} of model {slot} there",
            action=action.name,
            number=number,
            slot=slot,
        )


def _meant_action(context: Context) -> Action | None:
    """Return the shown action, or else that of the active model."""
    from ...scene.subjects.animations import action_in_use
    from ...scene.subjects.models import armature_of_model

    action = shown_action(context)
    if action is None or game_of_action(action) is None:
        action = action_in_use(armature_of_model(context.object))
    return action if action is not None and meant_armature(context) is not None else None


def _texture_row(context: Context) -> Any:
    """Return the active row of Texture Files, or None."""
    if context.collection is None:
        return None
    settings: Any = context.collection.tomb_raider.level
    number = settings.active_texture_path
    return settings.texture_paths[number] if 0 <= number < len(settings.texture_paths) else None


class _MaterialTool(EditingTool):
    """Base of operators on the materials of the active level's textures."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    requires = condition(_texture_row, T("Choose a texture in Texture Files"))

    def edited(self, context: Context) -> list[Collection]:
        return [active_collection(context)]


class TOMB_RAIDER_OT_save_material(_MaterialTool):
    """Write the material of the active texture into the .xml file next to its image, for TombEngine"""

    bl_idname = "tomb_raider.save_material"
    bl_label = "Save Material"

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.level import save_material

        file, is_changed = save_material(active_collection(context), _texture_row(context))
        if not is_changed:
            report_line(self, "INFO", T("{file} has no changes", file=file.name))
            return {"CANCELLED"}
        report_line(self, "INFO", T("Saved {file}", file=str(file)))
        return {"FINISHED"}


class TOMB_RAIDER_OT_reload_materials(_MaterialTool):
    """Read the materials of all textures again, with their maps. Changes that are not saved are lost"""

    bl_idname = "tomb_raider.reload_materials"
    bl_label = "Reload Materials"

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.subjects.level import reload_materials

        report = Report()
        reload_materials(active_collection(context), report)
        for text in report.warnings:
            report_line(self, "WARNING", text)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_put_model,
        TOMB_RAIDER_OT_put_animation,
        TOMB_RAIDER_OT_save_material,
        TOMB_RAIDER_OT_reload_materials,
    )
)
