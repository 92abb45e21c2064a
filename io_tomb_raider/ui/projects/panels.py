"""Panel of the project that a level comes from, in the properties of its collection."""

from itertools import islice

from bpy.types import Context, Panel

from ...formats.base.messages import T
from ...scene.core.members import is_level
from ...scene.interop.projects.details import details, is_project, parts_of
from ..base.active import active_collection
from ..base.i18n import translate

_MOST_PARTS = 200  # drawn; panels with thousands of rows are slow


class COLLECTION_PT_tomb_raider_project(Panel):
    bl_label = "Tomb Editor Project"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "collection"
    bl_parent_id = "COLLECTION_PT_tomb_raider_level"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return (
            context.collection is not None and is_level(context.collection) and is_project(context.collection)
        )

    def draw(self, context: Context) -> None:
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


class COLLECTION_PT_tomb_raider_project_parts(Panel):
    bl_label = "Only in the Project"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "collection"
    bl_parent_id = "COLLECTION_PT_tomb_raider_project"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.collection is not None and bool(parts_of(context.collection))

    def draw(self, context: Context) -> None:
        parts = parts_of(active_collection(context))
        column = self.layout.column(align=True)
        for name, value in islice(parts.items(), _MOST_PARTS):
            split = column.split(factor=0.4)
            split.label(text=name, translate=False)
            split.label(text=value, translate=False)
        if len(parts) > _MOST_PARTS:
            more = len(parts) - _MOST_PARTS
            column.label(text=translate(T("and {count} more", count=more)), translate=False)


CLASSES = (COLLECTION_PT_tomb_raider_project, COLLECTION_PT_tomb_raider_project_parts)
