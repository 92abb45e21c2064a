"""Repair Level operator."""

import os
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Context, Operator

from ...formats import ExportError
from ...formats.base import N_, T, about, plural
from ...formats.edits.repair import DEFAULT, KINDS
from ..base.files.browsing import FileBrowser
from ..base.files.file_tools import file_filter
from ..base.files.paths import check_path
from ..base.layout.panels import split_layout
from ..base.levels import ALL_SUFFIXES
from ..base.operators import SceneEditingTool
from ..base.reports import Outcome, ToolError, report_line
from ..preferences.preferences import import_defaults

if TYPE_CHECKING:
    from ...formats.edits.repair import Repair

_KINDS: Any = [
    (key, kind.label, kind.description, 1 << index) for index, (key, kind) in enumerate(KINDS.items())
]
_TEXT = "Repair of {}"


class TOMB_RAIDER_OT_repair_level(SceneEditingTool, FileBrowser, Operator):
    """Write a repaired copy of a damaged level, and list the repairs. The level itself stays as it is"""

    bl_idname = "tomb_raider.repair_level"
    bl_label = "Repair Level"
    bl_options = {"REGISTER", "UNDO"}
    failure = N_("{file} was not repaired: {error}")

    filter_glob: file_filter(*ALL_SUFFIXES)
    target: StringProperty(
        name="Repaired File",
        description="Path of the repaired level. Empty: next to the level, under a new name",
        options={"SKIP_SAVE"},
    )
    kinds: EnumProperty(
        name="Repairs",
        items=_KINDS,
        description="Kinds of damage to repair",
        default=set(DEFAULT),
        options={"ENUM_FLAG"},
    )
    import_result: BoolProperty(name="Import", description="Import the repaired level")

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        layout.prop(self, "target", placeholder=os.path.basename(_new_name(self.filepath)))
        layout.prop(self, "import_result")
        layout.use_property_split = False
        layout.label(text="Repairs")
        layout.column().prop(self, "kinds")

    def execute(self, context: Context) -> Outcome:
        from ...formats import read_level, write_level
        from ...formats.edits.repair import repair_level

        path = bpy.path.abspath(self.filepath)
        if not os.path.basename(path):
            raise ToolError(T("No level was chosen to repair"))
        name = os.path.basename(path)
        target = self._target(path)
        left_out = [kind for kind in KINDS if kind not in self.kinds]
        repaired, repairs = repair_level(read_level(path), left_out, self.kinds)
        if repairs:
            write_level(repaired, target)
            text = _list_repairs(name, repairs)
            outcome = plural(
                "one repair, saved as {file}, and listed in the text {text}",
                "{count} repairs, saved as {file}, and listed in the text {text}",
                len(repairs),
                file=target,
                text=text.name,
            )
        else:
            outcome = T("nothing to repair")
        if self.import_result and not self._import(context, target if repairs else path):
            return {"CANCELLED"}
        report_line(self, "INFO", about(name, outcome))
        return {"FINISHED"}

    def _target(self, path: str) -> str:
        """Return the path to write to. Raises ExportError if it is that of the level."""
        check_path(self.target)
        target = bpy.path.abspath(self.target) if self.target else _new_name(path)
        if os.path.realpath(target) == os.path.realpath(path):
            problem = T("the repaired level would replace it. Choose another name")
            raise ExportError(os.path.basename(path), problem)
        return target

    def _import(self, context: Context, path: str) -> bool:
        imports: Any = bpy.ops.import_scene
        try:
            imports.tomb_raider(filepath=path, **import_defaults(context))
        except RuntimeError as error:
            self.report({"ERROR"}, str(error).strip().removeprefix("Error: "))  # in the user's language
            return False
        return True


def _new_name(path: str) -> str:
    """Return the path of a file next to a level that does not exist yet."""
    stem, suffix = os.path.splitext(path)
    target, number = f"{stem}_repaired{suffix}", 2
    while os.path.exists(target):
        target, number = f"{stem}_repaired_{number}{suffix}", number + 1
    return target


def _list_repairs(name: str, repairs: "list[Repair]") -> bpy.types.Text:
    """Return a new text with all repairs, one line each."""
    from ...formats.levels.views import name_of

    text = bpy.data.texts.new(_TEXT.format(name))
    text.from_string("".join(f"{name_of(repair.obj)}: {repair.text}\n" for repair in repairs))
    return text


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_repair_level,))
