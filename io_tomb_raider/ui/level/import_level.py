"""File > Import > Tomb Raider Level, and levels dropped into Blender."""

from __future__ import annotations

import os
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, StringProperty
from bpy.types import Context, Event, Operator, OperatorFileListElement, UILayout
from bpy_extras.io_utils import ImportHelper

from ...formats import ExportError, FormatError
from ...scene.base.space import DEFAULT_SCALE
from ...scene.subjects import OPTIONS
from ..base.active import active_scene
from ..base.levels import IMPORT_SUFFIXES
from ..base.modes import UserMode
from ..base.progress import ProgressBar
from ..base.reports import Outcome, conclude, contents, explain, say
from .first_view import make_active, show_level

# Blender looks here for presets/operator/import_scene.tomb_raider.
_PRESETS = str(Path(__file__).parent.parent)


class _Switches:
    """A switch for everything that can be left out."""

    __annotations__ = {
        option.name: BoolProperty(name=option.label, default=True, description=option.description)
        for option in OPTIONS
    }


class IMPORT_SCENE_OT_tomb_raider(Operator, _Switches, ImportHelper):
    """Import levels of Tomb Raider 1 to 5, and the level editor's objects"""

    bl_idname = "import_scene.tomb_raider"
    bl_label = "Import Tomb Raider Level"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filter_glob: StringProperty(
        default=";".join(f"*{suffix}" for suffix in IMPORT_SUFFIXES), options={"HIDDEN", "SKIP_PRESET"}
    )
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})

    main_sfx: StringProperty(
        name="MAIN.SFX",  # without a button to browse, which would not work in the file browser
        description="Path of the samples of TR2 and TR3. Empty: look for them beside the level",
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )
    scale: FloatProperty(
        name="Scale",
        default=DEFAULT_SCALE,
        min=1e-5,
        max=1e3,
        precision=6,
        description="Blender units per unit of the game. At 1/512 a sector is two meters wide",
    )
    names_from_script: BoolProperty(
        name="Names from Script",
        default=True,
        description="Call levels and items as the game's script does, beside the level or one folder up",
    )
    script: StringProperty(
        name="Script",
        options={"SKIP_SAVE", "SKIP_PRESET"},
        description="Path of the game's script, if it is somewhere else: TOMBPC.DAT or SCRIPT.DAT",
    )
    set_up_scene: BoolProperty(
        name="Set Up Scene",
        default=True,
        description=(
            "Set the scene to the games' 30 frames per second and to their display of colors, show the "
            "level in all 3D views, with textures, without the cube, light and camera of a new file"
        ),
    )

    beside: BoolProperty(
        name="Beside Other Levels",
        default=True,
        description=(
            "Place the level behind those that the scene has. Otherwise it stands where the game has it, in "
            "them. Exports are the same"
        ),
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.scene is None or not context.scene.is_editable:
            cls.poll_message_set("The scene belongs to another file")
            return False
        return True

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        header, body = layout.panel("tomb_raider_import_include", default_closed=False)
        header.label(text="Include")
        if body:
            _draw_switches(self, body)
        header, body = layout.panel("tomb_raider_import_scene", default_closed=False)
        header.label(text="Scene")
        if body:
            body.prop(self, "scale")
            body.prop(self, "set_up_scene")
            body.prop(self, "beside")
            body.prop(self, "names_from_script")
            below = body.column()
            below.active = self.names_from_script
            below.prop(self, "script")

    def execute(self, context: Context) -> Outcome:
        paths = self._paths()
        if not paths:
            say(self, "ERROR", "No level was chosen to import")
        # The undo of other modes could not take an import back, so the user stays in object mode.
        mode = UserMode(context)
        mode.leave()
        imported = 0
        try:
            with ProgressBar(context, "Importing", len(paths)) as bar:
                for path in paths:
                    bar.title = f"Importing {os.path.basename(path)}"
                    imported += self._import(context, path, bar)
                    bar.next_part()
        finally:
            if not imported:
                mode.enter_again()
        return {"FINISHED"} if imported else {"CANCELLED"}

    def _paths(self) -> list[str]:
        """Return the chosen files: several come as a folder and names, one may come as a path."""
        names = [each.name for each in self.files if each.name]
        if self.directory and names:
            return [os.path.join(bpy.path.abspath(self.directory), name) for name in names]
        return [bpy.path.abspath(self.filepath)] if self.filepath else []

    def _import(self, context: Context, path: str, bar: ProgressBar) -> bool:
        # The converters are loaded when they are needed, so that they don't slow down Blender's start.
        from ...scene.base.context import ImportOptions
        from ...scene.importer import import_level
        from ...scene.level.start_up import remove_factory_objects

        name = os.path.basename(path)
        options = ImportOptions(**{field.name: getattr(self, field.name) for field in fields(ImportOptions)})
        try:
            made = import_level(path, options, listener=bar)
        except (FormatError, ExportError, OSError) as error:
            say(self, "ERROR", f"{name} was not imported: {explain(error)}")
            return False
        make_active(context, made.root)
        if self.set_up_scene:
            remove_factory_objects(active_scene(context))
            show_level(context, made.root)
        warnings = [f"{name}: {text}" for text in made.report.warnings]
        conclude(self, f"{name}: {contents(made.level)}", warnings)
        return True


def _draw_switches(operator: Any, body: UILayout) -> None:
    """Show what can be left out, group by group; what needs something else stands below it."""
    for group, options in groupby(OPTIONS, key=lambda option: option.group):
        column = body.column(heading=group)
        for needed, some in groupby(options, key=lambda option: option.needs):
            rows = _below(operator, column, needed) if needed else column
            for option in some:
                rows.prop(operator, option.name, text=option.short or option.label)
        if group == "Audio":
            _below(operator, column, "sounds").prop(operator, "main_sfx")


def _below(operator: Any, column: UILayout, needed: str) -> UILayout:
    """Return a column for what counts only where another switch is on."""
    rows = column.column()
    rows.active = getattr(operator, needed)
    return rows


def register() -> None:
    bpy.utils.register_class(IMPORT_SCENE_OT_tomb_raider)
    bpy.utils.register_preset_path(_PRESETS)


def unregister() -> None:
    bpy.utils.unregister_preset_path(_PRESETS)
    bpy.utils.unregister_class(IMPORT_SCENE_OT_tomb_raider)
