"""Panel of the project that a level comes from, in the properties of its collection."""

from bpy.types import Context, Panel
from bpy.utils import register_classes_factory

from ...scene.core.members import is_level
from ...scene.interop.projects.details import details, is_project
from ..base.active import active_collection
from ..base.i18n import translate


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
        column.operator("export_scene.tomb_raider_project", icon="EXPORT").collection = level.name


register, unregister = register_classes_factory((COLLECTION_PT_tomb_raider_project,))
