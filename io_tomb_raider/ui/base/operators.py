"""Shared base classes of operators."""

from collections.abc import Callable, Container, Iterable
from functools import wraps
from typing import Any

from bpy.props import StringProperty
from bpy.types import Collection, Context, Object, Operator

from ...formats import ExportError
from ...scene.core import LevelObjects, require_local
from ...scene.properties import CONTEXT
from .active import active_layer
from .conditions import EDITABLE_SCENE, IN_OBJECT_MODE, ConditionalTool
from .levels import chosen_level, level_of, meant_level, scene_levels
from .progress import ProgressBar
from .reports import Outcome, ToolError, explain
from .selecting import select_only


def file_path(description: str) -> object:
    """Declare a file path property whose value Blender does not remember for the next call."""
    return StringProperty(
        name="File Path", maxlen=1024, subtype="FILE_PATH", description=description, options={"SKIP_SAVE"}
    )


def level_names(_self: Operator, context: Context, text: str) -> list[str]:
    """Return the names of the scene's levels that contain a text."""
    return sorted(level.name for level in scene_levels(context) if text.lower() in level.name.lower())


def level_name(description: str) -> object:
    """Declare a property with the name of a level's collection, which dialogs complete."""
    return StringProperty(
        name="Level",
        translation_context=CONTEXT,
        description=description,
        search=level_names,
        search_options=set(),
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )


class SceneEditingTool(ConditionalTool):
    """Mixin for operators that add objects: a scene linked from another file is not editable."""

    requires = EDITABLE_SCENE


def _refusing(execute: Callable[[Any, Context], Outcome]) -> Callable[[Any, Context], Outcome]:
    """Return a method of an :class:`EditingTool` that refuses data of other files."""

    @wraps(execute)
    def refusing(self: Any, context: Context) -> Outcome:
        _require_local(self, context)
        return execute(self, context)

    return refusing


def _refusing_steps(steps: Callable[[Any, Context, ProgressBar], Any]) -> Callable[..., Any]:
    """Return a method with the steps of an :class:`EditingTool` that refuses data of other files."""

    @wraps(steps)
    def refusing(self: Any, context: Context, bar: ProgressBar) -> Any:
        _require_local(self, context)
        return steps(self, context, bar)

    return refusing


def _require_local(tool: Any, context: Context) -> None:
    """Raise ToolError if an operator would edit data of another file."""
    try:
        for block in tool.edited(context):
            require_local(block)
    except ExportError as error:
        raise ToolError(explain(error)) from error


class EditingTool(ConditionalTool, Operator):
    """Base of operators that edit objects of levels, by default the selected ones.

    Linked data and library overrides are refused: Blender discards edits of the former when it saves the
    file, and allows few edits of the latter.
    """

    bl_options = {"REGISTER", "UNDO"}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, refusing in (("execute", _refusing), ("steps", _refusing_steps)):
            if name in vars(cls):
                setattr(cls, name, refusing(vars(cls)[name]))

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


class LevelTool(EditingTool):
    """Base of operators on a level: the named one, or the one that the user means."""

    edits_level = True  #: whether the level is edited, so that one of another file is refused.
    edited_kinds: Container[str] = ()  #: kinds of its objects that are edited without being selected.

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

    def level(self, context: Context) -> Collection:
        """Return the level. Raises ToolError if there is none, or the choice is ambiguous."""
        try:
            return chosen_level(context, self.collection)
        except ExportError as error:
            raise ToolError(explain(error)) from error


class AddingTool(LevelTool):
    """Base of operators that add an object to a level, in object mode."""

    requires = IN_OBJECT_MODE

    def add(self, context: Context, level: Collection) -> Object:
        """Add the object and return it, to be selected. Raises ExportError if that is impossible."""
        raise NotImplementedError

    def execute(self, context: Context) -> Outcome:
        result = self.add(context, self.level(context))
        active_layer(context).update()
        select_only(context, [result])
        return {"FINISHED"}
