"""Panel of the project that a level comes from, in the properties of its collection."""

import os
from itertools import islice

from bpy.types import Collection, Context, UILayout

from ...formats.base import T, as_message
from ...scene.core import is_level
from ..base.active import active_collection
from ..base.layout.panels import CollectionPanel, LevelPart, LevelPopover
from ..base.text.fitting import panel_width, shortened
from ..base.text.i18n import translate

_MOST_MISSING = 12
_MOST_PARTS = 200  # drawn; panels with thousands of rows are slow


class COLLECTION_PT_tomb_raider_project(LevelPart):
    bl_label = "Tomb Editor Project"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.interop.projects import is_project

        return (
            context.collection is not None and is_level(context.collection) and is_project(context.collection)
        )

    def draw(self, context: Context) -> None:
        from ...scene.interop.projects import details

        level = active_collection(context)
        column = self.layout.column(align=True)
        for label, value in details(level).items():
            split = column.split(factor=0.4)
            split.label(text=translate(label), translate=False)
            split.label(text=value, translate=False)
        column.separator()
        button = column.operator("export_scene.tomb_raider_project", text="Save Project", icon="FILE_TICK")
        button.collection = level.name
        column.operator("export_scene.tomb_raider_compiled", icon="PLAY").collection = level.name


class COLLECTION_PT_tomb_raider_project_parts(CollectionPanel):
    bl_label = "Only in the Project"
    bl_parent_id = "COLLECTION_PT_tomb_raider_project"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.interop.projects import parts_of

        return context.collection is not None and bool(parts_of(context.collection))

    def draw(self, context: Context) -> None:
        from ...scene.interop.projects import parts_of

        parts = parts_of(active_collection(context))
        column = self.layout.column(align=True)
        for name, value in islice(parts.items(), _MOST_PARTS):
            split = column.split(factor=0.4)
            split.label(text=name, translate=False)
            split.label(text=value, translate=False)
        if len(parts) > _MOST_PARTS:
            more = len(parts) - _MOST_PARTS
            column.label(text=translate(T("and {count} more", count=more)), translate=False)


class VIEW3D_PT_tomb_raider_missing(LevelPopover):
    """Popover of the files that the import of a project did not find."""

    bl_label = "Missing Files"

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        from ...scene.interop.projects import details, missing_of

        missing = missing_of(level)
        column = layout.column(align=True)
        for path, use in islice(missing.items(), _MOST_MISSING):
            name = os.path.basename(path.replace("\\", "/"))
            text = translate(T("{file} ({use})", file=name, use=as_message(use)))
            column.label(text=shortened(text, panel_width()), icon="ERROR", translate=False)
        if len(missing) > _MOST_MISSING:
            more = len(missing) - _MOST_MISSING
            column.label(text=translate(T("and {count} more", count=more)), translate=False)
        button = layout.operator("import_scene.tomb_raider_project", text="Import Again…", icon="IMPORT")
        button.filepath = os.path.join(level.tomb_raider.folder, details(level).get("Project", ""))


CLASSES = (
    VIEW3D_PT_tomb_raider_missing,
    COLLECTION_PT_tomb_raider_project,
    COLLECTION_PT_tomb_raider_project_parts,
)
