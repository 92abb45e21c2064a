"""Convert to Another Game operator."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Context, Event

from ...formats import Game
from ...formats.base import N_, T
from ...scene.core import Kind
from ...scene.properties import GAMES
from ..base.modes import finish_edits, object_mode
from ..base.operators import LevelTool, SceneEditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, report_result
from ..base.stepped import SteppedTool
from ..preferences.preferences import game_folder

if TYPE_CHECKING:
    from ...scene.core import Work

_WIDTH = 320


class TOMB_RAIDER_OT_convert(SteppedTool, SceneEditingTool, LevelTool):
    """Convert the level to another game. Unsupported data is left out or approximated"""

    bl_idname = "tomb_raider.convert"
    bl_label = "Convert to Another Game"

    failure = N_("Nothing was converted: {error}")
    edited_kinds = frozenset(Kind)

    game: EnumProperty(
        name="Game", items=GAMES, description="Game to convert the level to", options={"SKIP_SAVE"}
    )

    kit: StringProperty(
        name="Kit",
        subtype="FILE_PATH",
        description="Level of that game to take Lara and menu objects from. Empty: Lara keeps her moves",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        level = self.level(context)
        if self.game == level.tomb_raider.game:
            self.game = "TR5" if self.game == "TR4" else "TR4"
        return context.window_manager.invoke_props_dialog(self, width=_WIDTH)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "game")
        layout.prop(self, "kit")

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        from ...scene.transfer.convert import convert_steps, text_of

        level = self.level(context)
        before, game = level.tomb_raider.game, Game[self.game]
        bar.title = T("Converting")
        with object_mode(context) as mode:
            finish_edits(context, mode, level)
            kit = Path(bpy.path.abspath(self.kit)) if self.kit else None
            folder = partial(game_folder, context)
            converted = yield from convert_steps(level, game, kit, game_folder=folder, listener=bar)
        text = text_of(level, converted)
        outcome = T(
            "{level}: converted from {before} to {game}", level=level.name, before=before, game=game.name
        )
        if text is not None:
            outcome = T("{outcome}; losses are listed in the text {text}", outcome=outcome, text=text.name)
        report_result(self, outcome, converted.report.warnings)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_convert,))
