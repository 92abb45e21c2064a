"""Shared base classes of operators."""

from collections.abc import Callable, Container, Iterable
from functools import wraps
from typing import Any

from bpy.props import StringProperty
from bpy.types import Collection, Context, Object, Operator

from ...formats import ExportError
from ...formats.base.messages import T
from ...scene.core.members import LevelObjects, require_local
from ...scene.properties.kinds import CONTEXT
from .active import active_layer
from .levels import chosen_level, level_of, meant_level
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
            set_poll_message(cls, T("The scene belongs to another file"))
            return False
        return True


class EditingTool(Operator):
    """Base of operators that edit objects of levels, by default the selected ones.

    Linked data and library overrides are refused: Blender discards edits of the former when it saves the
    file, and allows few edits of the latter.
    """

    bl_options = {"REGISTER", "UNDO"}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "execute" in vars(cls):
            setattr(cls, "execute", _refusing(vars(cls)["execute"]))  # noqa: B010 - mypy refuses an assignment

    def edited(self, context: Context) -> Iterable[Any]:
        """Return the data-blocks to edit: the level, the active and selected objects, and their data."""
        objects = [obj for obj in (context.object, *context.selected_objects) if obj is not None]
        return [level_of(context.object) or meant_level(context), *objects, *(obj.data for obj in objects)]


class PlayingTool(EditingTool):
    """Base of operators that show animations on an armature. Library overrides can play them, too."""

    @staticmethod
    def armature(context: Context) -> Object | None:
        """Return the armature."""
        raise NotImplementedError

    def edited(self, context: Context) -> Iterable[Any]:
        armature = self.armature(context)
        return [armature] if armature is not None and armature.library is not None else []


def _refusing(execute: Callable[[Any, Context], Outcome]) -> Callable[[Any, Context], Outcome]:
    """Return a method of an :class:`EditingTool` that refuses data of other files."""

    @wraps(execute)
    def refusing(self: EditingTool, context: Context) -> Outcome:
        try:
            for block in self.edited(context):
                require_local(block)
        except ExportError as error:
            report_line(self, "ERROR", explain(error))
            return {"CANCELLED"}
        return execute(self, context)

    return refusing


class LevelTool(EditingTool):
    """Base of operators on a level: the named one, or the one that the user means.

    Attributes:
        edits_level: whether the level is edited, so that one of another file is refused.
        edited_kinds: kinds of its objects that are edited without being selected.
    """

    edits_level = True
    edited_kinds: Container[str] = ()

    collection: StringProperty(
        name="Level",
        translation_context=CONTEXT,
        description="Collection of the level. Empty: the active level, or the only one",
        options={"SKIP_SAVE"},
    )

    def edited(self, context: Context) -> Iterable[Any]:
        """Return the level if it is edited. A missing one is reported later."""
        if not self.edits_level:
            return []
        try:
            level = chosen_level(context, self.collection)
        except ExportError:
            return []
        objects = LevelObjects(level).of(self.edited_kinds)
        return [level, *objects, *(obj.data for obj in objects)]

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
            set_poll_message(cls, T("Go to Object Mode first"))
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
