"""Shared base classes of operators."""

from bpy.props import StringProperty
from bpy.types import Collection, Context, Object, Operator

from ...formats import ExportError
from ...scene.properties.kinds import CONTEXT
from .active import active_layer
from .levels import chosen_level
from .reports import Outcome, explain, report_line, set_poll_message
from .selecting import select_only


def file_path(description: str) -> object:
    """Declare a file path property whose value Blender does not remember for the next call."""
    return StringProperty(
        name="File Path", maxlen=1024, subtype="FILE_PATH", description=description, options={"SKIP_SAVE"}
    )


class SceneEditingTool:
    """Mixin for operators that add objects: a scene linked from another file is not editable."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.scene is None or not context.scene.is_editable:
            set_poll_message(cls, "The scene belongs to another file")
            return False
        return True


class LevelTool(Operator):
    """Base of operators on a level: the named one, or the one that the user means."""

    bl_options = {"REGISTER", "UNDO"}

    collection: StringProperty(
        name="Level",
        translation_context=CONTEXT,
        description="Collection of the level. Without one: the active level, or the only one there is",
        options={"SKIP_SAVE"},
    )

    def level(self, context: Context) -> Collection | None:
        """Return the level, or None after reporting an error."""
        try:
            return chosen_level(context, self.collection)
        except ExportError as error:
            report_line(self, "ERROR", explain(error))
            return None


class AddingTool(LevelTool):
    """Base of operators that add an object to a level, in object mode."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.mode != "OBJECT":
            set_poll_message(cls, "Go to object mode first")
            return False
        return True

    def add(self, context: Context, level: Collection) -> Object:
        """Add the object and return it, to be selected. Raises ExportError if that is impossible."""
        raise NotImplementedError

    def execute(self, context: Context) -> Outcome:
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            made = self.add(context, level)
        except ExportError as error:
            report_line(self, "ERROR", explain(error))
            return {"CANCELLED"}
        active_layer(context).update()
        select_only(context, [made])
        return {"FINISHED"}
