"""The operator that exports models or an outfit as an addon for TRX."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import Collection, Context, Event

from ...formats.base import T, joined, replace_file
from ..base.files.file_tools import LevelExport, file_filter
from ..base.layout.panels import draw_settings
from ..base.levels import level_of
from ..base.progress import ProgressBar

if TYPE_CHECKING:
    from ...scene.core import Report, Work

_SUFFIX = ".bin"


class EXPORT_SCENE_OT_tomb_raider_addon(LevelExport):
    """Export the selected models, or Lara's outfit, as a file that TRX 1.11 and newer load into any level"""

    bl_idname = "export_scene.tomb_raider_addon"
    bl_label = "Export Addon"

    filename_ext = _SUFFIX
    filter_glob: file_filter(_SUFFIX)
    content: EnumProperty(
        name="Content",
        items=[
            ("MODELS", "Models", "The selected models, and those of the selected entities", 0),
            ("PICKUPS", "Pickups", "The selected models, as objects that Lara can pick up", 1),
            ("OUTFIT", "Outfit", "Lara's body, joints and hair, without animations", 2),
        ],
        description="What the addon contains",
        default="MODELS",
    )
    prefix: StringProperty(
        name="Prefix",
        default="mymod",
        description="Word in front of the names of the models, so that they differ from those of other mods",
    )
    number: IntProperty(
        name="Outfit",
        default=32,
        min=2,
        max=32,
        description="Number of the outfit in TRX. Its own outfits have 1 to 31, hair takes the number below",
    )
    any_game: BoolProperty(
        name="Any Game",
        description="For levels of all games. Animations are silent then, since each game numbers its sounds "
        "differently",
    )
    copy_lines: BoolProperty(
        name="Copy Lines",
        default=True,
        description="Copy the lines that the mod's game flow, outfits or script need to the clipboard",
    )

    def invoke(self, context: Context, event: Event) -> Any:
        result = super().invoke(context, event)
        self.filepath = str(Path(self.filepath).with_name(f"{_file_word(self.prefix)}{_SUFFIX}"))
        return result

    def draw(self, context: Context) -> None:
        super().draw(context)
        names = ["content", "number" if self.content == "OUTFIT" else "prefix", "any_game", "copy_lines"]
        draw_settings(self, *names)

    def export(self, level: Collection, path: Path, report: "Report", bar: ProgressBar) -> "Work[str]":
        from ...scene.interop import export_addon, export_outfit

        options: dict[str, Any] = {"any_game": self.any_game, "report": report, "listener": bar}
        if self.content == "OUTFIT":
            addon = export_outfit(level, self.number, path.name, **options)
        else:
            models, pickup = _selected_models(level), self.content == "PICKUPS"
            addon = export_addon(level, models, self.prefix, path.name, pickup=pickup, **options)
        yield T("Writing"), 1.0
        replace_file(path, addon.data)
        names = joined(", ", addon.names)
        if not self.copy_lines:
            return T("exported {names}", names=names)
        bpy.context.window_manager.clipboard = addon.text
        return T("exported {names}. Paste the lines for the mod from the clipboard", names=names)


def _selected_models(level: Collection) -> list[Any]:
    from ...scene.subjects.models import armature_of_model

    armatures = (armature_of_model(obj) for obj in bpy.context.selected_objects)
    return [each for each in dict.fromkeys(armatures) if each is not None and level_of(each) == level]


def _file_word(prefix: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "_", prefix.lower()) or "addon"


register, unregister = bpy.utils.register_classes_factory((EXPORT_SCENE_OT_tomb_raider_addon,))
