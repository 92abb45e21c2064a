"""Append from Level: pieces of another file, chosen from a list."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, StringProperty
from bpy.types import Collection, Context, Event, PropertyGroup, UILayout

from ...formats import ExportError, FormatError, Game
from ...formats.base import N_, T, about, as_message, joined
from ...scene.core import clear_at_exit
from ...scene.properties import CONTEXT
from ..base.active import active_layer
from ..base.file_kinds import other_tool
from ..base.files.browsing import browse
from ..base.files.file_tools import file_filter
from ..base.layout.panels import Rows
from ..base.levels import IMPORT_SUFFIXES, level_with, meant_level
from ..base.modes import UserMode
from ..base.operators import LevelTool, SceneEditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError, ask, explain_file, report_line, report_result
from ..base.selecting import select_only
from ..base.text.i18n import translate
from ..preferences.preferences import game_folder
from .pictures import pictures

# By kind of piece: the property with its names, its icon, and its label.
_KINDS = {
    "model": ("models", "ARMATURE_DATA", N_("Models")),
    "static": ("static_meshes", "MESH_DATA", N_("Static Meshes")),
    "sprite": ("sprites", "IMAGE_PLANE", N_("Sprites")),
    "sound": ("sounds", "SOUND", N_("Sounds")),
    "room": ("rooms", "HOME", N_("Rooms")),
    "texture": ("textures", "TEXTURE", N_("Textures")),
}
_ROWS = 12
_WIDTH = 760  # fits six kinds in a row, also in German, and a picture next to the list
_LIST = 0.7  # of the width
_SCALE = 9.0  # of the picture, in row heights
_NEEDS = 8  # dependencies that are listed before they are only counted
_NAMED = 4  # materials that a report names before they are only counted
_NAMES = T("Names, patterns such as Door*, or numbers, with commas between")


def _note_ticked(item: Any, _context: Context) -> None:
    """Show the piece that was ticked, which may not be the active row."""
    pictures.note_ticked(item.kind, item.number)


class TombRaiderEntry(PropertyGroup):
    """A piece of the file that can be appended."""

    kind: StringProperty(name="Kind", description="Kind of the data")
    number: IntProperty(name="Number", description="Its number in the file")
    is_chosen: BoolProperty(name="Append", description="Append it to the level", update=_note_ticked)


clear_at_exit((TombRaiderEntry,))


class TOMB_RAIDER_UL_pieces(Rows):
    """List of the file's pieces of the shown kind."""

    bl_idname = "TOMB_RAIDER_UL_pieces"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row: Any = layout.row(align=True)
        row.prop(item, "is_chosen", text="")
        icon = pictures.icon(item.kind, item.number)
        if icon:
            row.label(text=item.name, icon_value=icon, translate=False)
        else:
            row.label(text=item.name, icon=_KINDS[item.kind][1], translate=False)
        number = row.row()
        number.alignment = "RIGHT"
        number.label(text=str(item.number) if item.number >= 0 else "", translate=False)

    def filter_items(self, _context: Any, data: Any, property: Any) -> Any:
        text = data.search.casefold()
        flag = self.bitflag_filter_item
        entries = getattr(data, property)
        matches = (entry.kind == data.shown and text in entry.name.casefold() for entry in entries)
        return [flag if is_match else 0 for is_match in matches], []


def _text(kind: str, name: str) -> object:
    return StringProperty(
        name=name,
        translation_context=CONTEXT,
        description=T("{name} to append. {names}", name=name, names=_NAMES),
        options={"SKIP_SAVE"},
    )


class TOMB_RAIDER_OT_append(SceneEditingTool, LevelTool):
    """Append models, static meshes, sprites, sounds, rooms and textures of another level"""

    bl_idname = "tomb_raider.append"
    bl_label = "Append from Tomb Raider Level"

    filepath: StringProperty(
        name="File Path",
        subtype="FILE_PATH",
        description="Level or WAD to append from",
        options={"SKIP_SAVE"},
    )
    filter_glob: file_filter(*IMPORT_SUFFIXES, ".blend")
    models: _text("model", "Models")
    static_meshes: _text("static", "Static Meshes")
    sprites: _text("sprite", "Sprites")
    sounds: _text("sound", "Sounds")
    rooms: _text("room", "Rooms")
    textures: _text("texture", "Textures")
    taken: EnumProperty(
        name="If a Number Is Taken",
        items=[
            ("SKIP", "Keep the Level's", "Skip it and report it", 0),
            ("FREE_ID", "Use a Free Number", "Give it a free number", 1),
            ("REPLACE", "Replace", "Replace the data of the level with that number", 2),
        ],
        description="Handling of data whose number the level already uses for something else",
    )
    companions: BoolProperty(
        name="Include Dependencies",
        default=True,
        description="Also append the sounds that they play and the models and sprites that they need",
    )
    place: EnumProperty(
        name="Place of Rooms",
        items=[
            ("CURSOR", "3D Cursor", "Move the middle of their floor to the 3D cursor, in whole sectors", 0),
            ("SAME", "Original Position", "Keep their position in their level", 1),
        ],
        description="Position of the rooms. Their relative positions are kept",
    )
    pieces: CollectionProperty(type=TombRaiderEntry, options={"HIDDEN", "SKIP_SAVE"})
    active: IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    shown: EnumProperty(
        name="Kind",
        items=[(kind, label, "", number) for number, (kind, (_, _, label)) in enumerate(_KINDS.items())],
        description="Kind of data to list",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    search: StringProperty(
        name="Search",
        description="Only list names that contain this text",
        options={"HIDDEN", "SKIP_SAVE", "TEXTEDIT_UPDATE"},
    )
    is_browsing: BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: Context, _event: Event) -> Outcome:
        self.level(context)
        if not self.filepath:
            self.is_browsing = True
            return browse(self, context)
        if not self._list_pieces():
            return {"CANCELLED"}
        self.shown = next(
            (kind for kind in _KINDS if any(each.kind == kind for each in self.pieces)), "model"
        )
        return context.window_manager.invoke_props_dialog(
            self, width=_WIDTH, confirm_text=translate("Append")
        )

    def _list_pieces(self) -> bool:
        """List the pieces of the file, and return whether it could be read."""
        from ...scene.transfer.append import level_of_blend
        from ...scene.transfer.engine import pieces_of, read_source, textures_in

        path = Path(bpy.path.abspath(self.filepath))
        try:
            if path.suffix.lower() == ".blend":
                level, _, _, previews, _ = level_of_blend(path)
            else:
                level, previews = read_source(path), {}
            pieces = [*pieces_of(level), *textures_in(level)]
        except (FormatError, ExportError, OSError) as error:
            text = other_tool(error, path, self.bl_idname) or explain_file(error, path.name)
            report_line(self, "ERROR", T("{file} was not read: {error}", file=path.name, error=text))
            return False
        self.pieces.clear()
        for piece in pieces:
            item = self.pieces.add()
            item.name, item.kind, item.number = piece.name, piece.kind, piece.number
        pictures.begin(level, previews)
        return True

    def cancel(self, _context: Context) -> None:
        pictures.end()

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_decorate = False
        if self.is_browsing:
            layout.label(text="Choose what to append in the next step", icon="INFO")
            return
        if len(self.pieces):
            layout.row().prop(self, "shown", expand=True)
            layout.prop(self, "search", text="", icon="VIEWZOOM")
            pictures.start_drawing()
            split = layout.split(factor=_LIST)
            split.column().template_list(
                TOMB_RAIDER_UL_pieces.bl_idname, "", self, "pieces", self, "active", rows=_ROWS
            )
            self._draw_picked(context, split.column())
            count = sum(each.is_chosen for each in self.pieces)
            layout.label(text=f"{translate('Chosen')}: {count}", translate=False)
            layout.use_property_split = True
        else:
            layout.use_property_split = True
            for name, _, _ in _KINDS.values():
                layout.prop(self, name)
        layout.prop(self, "taken")
        layout.prop(self, "companions")
        if self.rooms or any(each.is_chosen and each.kind == "room" for each in self.pieces):
            layout.prop(self, "place")

    def _draw_picked(self, context: Context, layout: UILayout) -> None:
        """Draw the piece that was picked or ticked last: its picture and its dependencies."""
        from ...scene.transfer.engine import Piece

        level = level_with(bpy.data.collections.get(self.collection)) or meant_level(context)
        if level is None or not 0 <= self.active < len(self.pieces):
            return
        ticked = pictures.last_ticked(self.active)
        ticks = (each for each in self.pieces if (each.kind, each.number) == ticked)
        item: Any = next(ticks, self.pieces[self.active])
        if item.kind != self.shown:
            layout.label(text="Select an entry to preview it")
            return
        icon = pictures.icon(item.kind, item.number, is_picked=True)
        if icon:
            layout.template_icon(icon_value=icon, scale=_SCALE)
        layout.label(text=item.name, translate=False)
        if item.kind == "model":
            self._draw_needs(layout, level, Piece(item.kind, item.number, item.name))

    def _draw_needs(self, layout: UILayout, level: Collection, piece: Any) -> None:
        from ...scene.transfer.engine import dependencies_of_piece, used_ids

        if pictures.game is None:
            return
        available = {(each.kind, each.number) for each in self.pieces}
        needs = dependencies_of_piece(
            piece, available, used_ids(level), pictures.game, Game[level.tomb_raider.game]
        )
        for is_needed, title in ((True, N_("Needs")), (False, N_("Often Used With It"))):
            listed = [need for need in needs if need.is_needed == is_needed]
            if listed:
                layout.label(text=title)
            for need in listed[:_NEEDS]:
                icon: Any = _KINDS[need.kind][1] if need.is_available else "ERROR"
                text = need.name if need.is_available else f"{need.name} ({translate('missing')})"
                layout.label(text=text, icon=icon, translate=False)
            if len(listed) > _NEEDS:
                layout.label(
                    text=translate(T("and {count} more", count=len(listed) - _NEEDS)), translate=False
                )

    def execute(self, context: Context) -> Outcome:
        pictures.end()
        level = self.level(context)
        if not self.filepath:
            raise ToolError(T("No file was chosen to append from"))
        if self.is_browsing:
            operators: Any = bpy.ops
            ask(
                self,
                operators.tomb_raider.append,
                filepath=self.filepath,
                collection=level.name,
                taken=self.taken,
                companions=self.companions,
                place=self.place,
            )
            return {"CANCELLED"}  # nothing has happened yet
        mode = UserMode(context)
        mode.leave()
        with ProgressBar(context, T("Appending"), 1) as bar:
            outcome = self._append(context, level, bar)
        if outcome == {"CANCELLED"}:
            mode.enter_again()
        return outcome

    def _append(self, context: Context, level: Collection, bar: ProgressBar) -> Outcome:
        from ...scene.core import first_few
        from ...scene.transfer.append import append
        from ...scene.transfer.engine import PieceSelection
        from ..view.first_view import look_at_unseen

        path = Path(bpy.path.abspath(self.filepath))
        selections = {name: self._selection(kind, name) for kind, (name, _, _) in _KINDS.items()}
        try:
            result = append(
                level,
                path,
                PieceSelection(**selections),
                on_conflict=self.taken,
                companions=self.companions,
                place=self._location(context),
                game_folder=partial(game_folder, context),
                listener=bar,
            )
        except (FormatError, ExportError, OSError) as error:
            text = other_tool(error, path, self.bl_idname) or explain_file(error, path.name)
            report_line(self, "ERROR", T("Nothing was appended: {file}: {error}", file=path.name, error=text))
            return {"CANCELLED"}
        if result.objects:
            active_layer(context).update()
            select_only(context, result.objects)
            look_at_unseen(context, [obj for obj in result.objects if obj.visible_get()])
        names = first_few([material.name for material in result.materials], _NAMED)
        text = about(level.name, _summary(result.pieces))
        report_result(
            self,
            T("{text}; give faces these materials: {shown}", text=text, shown=names) if names else text,
            result.report.warnings,
        )
        return {"FINISHED"} if any(result.pieces.values()) else {"CANCELLED"}

    def _location(self, context: Context) -> Any:
        """Return the location for rooms, None for their original place."""
        scene = context.scene
        return None if self.place == "SAME" or scene is None else scene.cursor.location.copy()

    def _selection(self, kind: str, name: str) -> str:
        """Return the pieces of a kind to append, from names and check boxes, separated by commas."""
        checked: Sequence[str] = [
            str(each.number) if each.number >= 0 else each.name
            for each in self.pieces
            if each.is_chosen and each.kind == kind
        ]
        return ",".join(filter(None, [getattr(self, name), *checked]))


def _summary(pieces: dict[str, int]) -> str:
    counted = [
        T("{kinds}: {count}", kinds=as_message(_KINDS[kind][0].replace("_", " ")), count=count)
        for kind, count in pieces.items()
        if count
    ]
    return T("appended ({counted})", counted=joined(", ", counted)) if counted else T("nothing was appended")


register, unregister = bpy.utils.register_classes_factory(
    (TombRaiderEntry, TOMB_RAIDER_UL_pieces, TOMB_RAIDER_OT_append)
)
