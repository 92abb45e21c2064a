"""Operators that replace a model, Lara's outfit, or a bone's mesh by one of the scene or of another file."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Context, Event, Object

from ...formats.base import N_, T
from ...scene.core import Kind, level_of
from ...scene.properties import CONTEXT
from ..base.active import active_layer
from ..base.conditions import condition
from ..base.files.browsing import browse
from ..base.files.file_tools import file_filter
from ..base.guard import report_errors
from ..base.layout.panels import split_layout
from ..base.levels import IMPORT_SUFFIXES
from ..base.modes import object_mode
from ..base.operators import EditingTool, LevelTool, SceneEditingTool, file_path
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError, report_line, report_result, set_poll_message
from ..base.selecting import select_only
from ..models.choosing import model_named, model_names, rig_named, rig_names
from ..preferences.preferences import game_folder

_SCENE, _FILE = "SCENE", "FILE"
_RIG = "RIG"
_PARTS = [
    ("ALL", "Everything", "Skeleton, meshes and animations. Its entities show the new model", 0),
    ("MESHES", "Meshes Only", "Keep skeleton and animations; match bones by name and position", 1),
    ("ANIMATIONS", "Animations Only", "Keep skeleton and meshes; match bones by name and position", 2),
]
_SOURCES = [
    (_FILE, "Another File", "A level or a WAD", 0),
    (_SCENE, "This Scene", "A model of this level, or of another level of the scene", 1),
    (
        _RIG,
        "Imported Rig",
        "An armature with meshes outside of all levels, such as from a glTF or FBX file",
        2,
    ),
]


class _FromFileTool(SceneEditingTool):
    """Base of operators that read from a file, or from the scene without a file."""

    filepath: file_path("Level or WAD with the other model. Empty: the scene")
    filter_glob: file_filter(*IMPORT_SUFFIXES, ".blend")

    def _path(self) -> Path | None:
        return Path(bpy.path.abspath(self.filepath)) if self.filepath else None


def _names(tool: Any, context: Context, text: str) -> Iterator[str]:
    """Yield the names of models, or of rigs; search callback."""
    return rig_names(context, text) if tool.source == _RIG else model_names(tool, context, text)


class TOMB_RAIDER_OT_replace_model(_FromFileTool, EditingTool):
    """Replace this model, or only its meshes or animations, with another one"""

    bl_idname = "tomb_raider.replace_model"
    bl_label = "Replace Model"

    part: EnumProperty(name="Replace", items=_PARTS, description="Parts of the model to replace")
    source: EnumProperty(
        name="By a Model of", items=_SOURCES, description="Source of the other model", options={"SKIP_SAVE"}
    )
    model: StringProperty(
        name="Model",
        translation_context=CONTEXT,
        search=_names,
        description="Other model: an armature of the scene, or a name or number in the file. Empty: same "
        "name",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.subjects.models import armature_of_model

        if not super().poll(context):
            return False
        model = armature_of_model(context.object)
        if model is None or level_of(model) is None:
            set_poll_message(cls, T("Make a model active, one of its meshes, or an entity that shows it"))
            return False
        return True

    def invoke(self, context: Context, _event: Event) -> Outcome:
        rigs = [obj.name for obj in context.selected_objects if obj.name in rig_names(context, "")]
        if rigs:  # selected with the model
            self.source, self.model = _RIG, rigs[0]
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        layout.prop(self, "part")
        layout.prop(self, "source")
        if self.source == _FILE:
            layout.prop(self, "filepath")
        is_rig = self.source == _RIG
        layout.prop(self, "model", text="Armature" if is_rig else "Model")

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.interop.exchange import split_by_bones
        from ...scene.subjects.models import armature_of_model
        from ...scene.transfer.append import replace_from_file, replace_model

        old = armature_of_model(context.object)
        level = None if old is None else level_of(old)
        if old is None or level is None:
            raise ToolError(T("No model is active"))
        name, path, report = old.name, self._path(), Report()
        if self.options.is_invoke:  # a script selects the source by the path alone
            path = path if self.source == _FILE else None
            if path is None and self.source == _FILE:
                raise ToolError(T("{name} was not replaced: no file was chosen", name=name))
        failure = N_("{name} was not replaced: {error}")
        with object_mode(context), report_errors(failure, self, path, name=name):
            if path is not None:
                with ProgressBar(context, T("Replacing"), 1) as bar:
                    folder = partial(game_folder, context)
                    appended = replace_from_file(
                        level, old, path, self.model, self.part, game_folder=folder, listener=bar
                    )
                objects, report = appended.objects, appended.report
            elif self.source == _RIG:
                converted = split_by_bones(
                    level,
                    [rig_named(self.model)],
                    old,
                    skeleton=self.part == "ALL",
                    meshes=self.part != "ANIMATIONS",
                    animations=self.part != "MESHES",
                )
                objects, report = [converted.armature], converted.report
            else:
                objects = [replace_model(level, old, model_named(self.model), self.part, report)]
        _select(context, objects)
        report_result(self, T("{name} was replaced", name=name), report.warnings)
        return {"FINISHED"}


class TOMB_RAIDER_OT_replace_outfit(_FromFileTool, LevelTool):
    """Replace Lara's outfit with another level's: body, joints, hair, holsters, weapon hands"""

    bl_idname = "tomb_raider.replace_outfit"
    bl_label = "Replace Lara's Outfit"

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return browse(self, context)

    def execute(self, context: Context) -> Outcome:
        from ...scene.transfer.append import OUTFIT, replace_from_file

        level, path = self.level(context), self._path()
        if path is None:
            raise ToolError(T("No file with the outfit was chosen"))
        with (
            object_mode(context),
            report_errors(N_("Lara looks as before: {file}: {error}"), self, path, file=path.name),
            ProgressBar(context, T("Replacing"), 1) as bar,
        ):
            result = replace_from_file(level, None, path, "", OUTFIT, listener=bar)
        text = T("{level}: {count} meshes of Lara were replaced", level=level.name, count=len(result.objects))
        report_result(self, text, result.report.warnings)
        return {"FINISHED"}


class TOMB_RAIDER_OT_replace_mesh(EditingTool):
    """Replace this mesh of a model with a copy of the other selected mesh"""

    bl_idname = "tomb_raider.replace_mesh"
    bl_label = "Replace Mesh by Selected"

    fits: BoolProperty(
        name="Fit to the Bone",
        default=True,
        description="Match size and center of the replaced mesh. Off: keep its placement at the model",
    )

    requires = condition(
        lambda context: context.mode == "OBJECT" and len(_other_meshes(context)) == 1,
        T("Select a mesh, then the mesh of a model to replace, in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.transfer.append import fit_mesh

        mesh: Any = context.object
        (source,) = _other_meshes(context)
        fit_mesh(mesh, source, fits=self.fits)
        _select(context, [mesh])
        report_line(self, "INFO", T("{part} shows a copy of {other}", part=mesh.name, other=source.name))
        return {"FINISHED"}


def _other_meshes(context: Context) -> list[Object]:
    """Return the selected meshes other than the active one, which must be a model's mesh."""
    active = context.object
    if active is None or active.tomb_raider.kind != Kind.MODEL_MESH:
        return []
    return [obj for obj in context.selected_objects if obj != active and obj.type == "MESH"]


def _select(context: Context, objects: list[Object]) -> None:
    layer = active_layer(context)
    layer.update()
    select_only(context, objects)


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_replace_model, TOMB_RAIDER_OT_replace_outfit, TOMB_RAIDER_OT_replace_mesh)
)
