"""Operators that prepare or export parts of a level for other programs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...formats.base import N_, T
from ...scene.core import OF_ROOMS, Kind, level_of
from ..base.active import active_layer, active_scene
from ..base.conditions import condition
from ..base.files.browsing import browse, path_to_export
from ..base.files.file_tools import FileExport, file_filter
from ..base.layout.panels import draw_settings
from ..base.levels import meant_level
from ..base.modes import UserMode, object_mode
from ..base.operators import SceneEditingTool, file_path
from ..base.reports import Outcome, ToolError, report_result
from ..base.selecting import select_only
from ..wads.operators import meant_armature

if TYPE_CHECKING:
    from ...scene.interop.exchange import PrepareOptions

_KINDS = frozenset({Kind.MODEL, Kind.MODEL_MESH, Kind.ENTITY, Kind.STATIC_MESH, Kind.PLACEMENT, *OF_ROOMS})
_PAGES, _PIECES = "PAGES", "PIECES"
_TEXTURES = [
    (_PAGES, "Pages", "Materials show whole texture pages, as in the level", 0),
    (_PIECES, "Pieces", "Each part of a page that faces show becomes a separate image", 1),
]
_SUFFIXES = (".glb", ".gltf", ".fbx", ".obj")


def _chosen(context: Context) -> list[Object]:
    """Return the selected objects, or else the active one, if they are exchangeable parts of a level."""
    objects = context.selected_objects or [obj for obj in (context.object,) if obj is not None]
    return [obj for obj in objects if obj.tomb_raider.kind in _KINDS and level_of(obj) is not None]


class _PrepareTool(SceneEditingTool):
    """Options of operators that prepare objects for other programs."""

    textures: EnumProperty(name="Textures", items=_TEXTURES, description="Images of the materials")
    light: BoolProperty(
        name="Vertex Light",
        default=True,
        description="Keep vertex light as a color attribute, which other programs multiply with textures",
    )
    animations: BoolProperty(
        name="Animations", default=True, description="Keep the animations of models, with their names"
    )
    contents: BoolProperty(
        name="Contents of Rooms",
        description="Add static meshes, sprites and entities of a room to its mesh, as currently posed",
    )

    def draw(self, _context: Context) -> None:
        draw_settings(self, "textures", "light", "animations", "contents")

    def _options(self, folder: Path | None) -> "PrepareOptions":
        from ...scene.interop.exchange import PrepareOptions

        return PrepareOptions(
            pieces=self.textures == _PIECES,
            light=self.light,
            animations=self.animations,
            contents=self.contents,
            folder=folder,
        )

    requires = SceneEditingTool.requires + condition(
        lambda context: _chosen(context), T("Select a model, an entity, a static mesh or a room of a level")
    )


class TOMB_RAIDER_OT_prepare_for_exchange(_PrepareTool, Operator):
    """Make a copy for other programs: one skinned mesh, animations and simple materials"""

    bl_idname = "tomb_raider.prepare_for_exchange"
    bl_label = "Prepare for Exchange"
    bl_options = {"REGISTER", "UNDO"}

    failure = N_("Nothing was prepared: {error}")

    folder: StringProperty(
        name="Save Images in",
        subtype="DIR_PATH",
        description="Folder for images, which FBX and OBJ files do not contain. Empty: keep them in the "
        "scene",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, context: Context) -> None:
        super().draw(context)
        self.layout.prop(self, "folder")

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop.exchange import add_exporters, prepare

        folder = Path(bpy.path.abspath(self.folder)) if self.folder else None
        layer, scene = active_layer(context), active_scene(context)
        with object_mode(context):
            prepared = prepare(_chosen(context), layer, scene.collection, self._options(folder))
        stem = bpy.path.abspath(f"//{bpy.path.clean_name(prepared.home.name)}") if bpy.data.filepath else ""
        add_exporters(prepared, stem)
        layer.update()
        select_only(context, prepared.objects)
        text = T(
            "{collection}: {objects} objects and {animations} animations to export",
            collection=prepared.home.name,
            objects=len(prepared.objects),
            animations=len(prepared.actions),
        )
        report_result(self, text, prepared.report.warnings)
        return {"FINISHED"}


class _ExchangeExport(FileExport):
    """Base of exports with Blender's exporters; the suffix of the file sets the format."""

    suffixes: Sequence[str] = _SUFFIXES

    def chosen(self, context: Context) -> list[Object]:
        """Return the objects to export."""
        raise NotImplementedError

    def _options(self, folder: Path | None) -> "PrepareOptions":
        raise NotImplementedError

    def invoke(self, context: Context, _event: Event) -> Any:
        if not self.filepath:
            name = f"{bpy.path.clean_name(self.chosen(context)[0].name)}{self.filename_ext}"
            self.filepath = path_to_export(meant_level(context), name)
        return browse(self, context)

    def check(self, _context: Context) -> bool:
        """Keep the suffix that the user has typed, if it is supported."""
        suffix = os.path.splitext(self.filepath)[1].lower()
        if suffix in self.suffixes or not os.path.basename(self.filepath):
            return False
        self.filepath += self.filename_ext
        return True

    def write(self, context: Context, path: Path, mode: UserMode) -> tuple[str, Sequence[str]]:
        from ...scene.interop.exchange import export

        if not path.name:
            raise ToolError(T("No file was chosen to export to"))
        objects, home = self.chosen(context), active_scene(context).collection
        mode.leave()
        result = export(objects, path, active_layer(context), home, self._options(None))
        text = T("{file}: {animations} animations", file=path.name, animations=result.animations)
        return text, result.report.warnings


class TOMB_RAIDER_OT_export_exchange(_PrepareTool, _ExchangeExport):
    """Export models, static meshes and rooms with Blender's own exporters"""

    bl_idname = "tomb_raider.export_exchange"
    bl_label = "Export to Other Programs"
    bl_options = {"PRESET"}

    filename_ext = ".glb"
    filter_glob: file_filter(*_SUFFIXES)
    filepath: file_path("File to write. Its extension sets the format: glb, gltf, fbx or obj")

    def chosen(self, context: Context) -> list[Object]:
        return _chosen(context)


class TOMB_RAIDER_OT_export_for_wadtool(SceneEditingTool, _ExchangeExport):
    """Export the skin of the active model, or its meshes as one, for WadTool (TombEngine)"""

    bl_idname = "tomb_raider.export_for_wadtool"
    bl_label = "Export for WadTool"

    filename_ext = ".fbx"
    suffixes = (".fbx", ".glb", ".gltf")
    filter_glob: file_filter(*suffixes)

    requires = SceneEditingTool.requires + condition(
        lambda context: meant_armature(context) is not None, T("Select a model of a level first")
    )

    def chosen(self, context: Context) -> list[Object]:
        return [each for each in (meant_armature(context),) if each is not None]

    def _options(self, folder: Path | None) -> "PrepareOptions":
        from ...scene.interop.exchange import PrepareOptions

        return PrepareOptions(pieces=True, light=False, animations=False, folder=folder, wadtool=True)

    def write(self, context: Context, path: Path, mode: UserMode) -> tuple[str, Sequence[str]]:
        _, warnings = super().write(context, path, mode)
        return T("Exported {file}", file=path.name), warnings


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_prepare_for_exchange, TOMB_RAIDER_OT_export_exchange, TOMB_RAIDER_OT_export_for_wadtool)
)
