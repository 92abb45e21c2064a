"""Operators of the preferences."""

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Operator

from ...formats import Game
from ...formats.base import T
from ...scene.properties import GAMES
from ..base.conditions import ConditionalTool, condition
from ..base.reports import Outcome, ToolError, report_line
from .preferences import CLASSES, game_folder, preferences_of


class TOMB_RAIDER_OT_find_games(ConditionalTool, Operator):
    """Search the usual folders of Steam, GOG and the games' discs, and store the folders found"""

    bl_idname = "tomb_raider.find_games"
    bl_label = "Find Games"
    bl_options = {"INTERNAL"}
    requires = condition(
        lambda context: preferences_of(context) is not None, T("Enable the extension in the preferences")
    )

    def execute(self, context: Context) -> Outcome:
        from .places import installed_games

        preferences = preferences_of(context)
        installed_games.cache_clear()  # games may have been installed since
        folders = installed_games()
        for game, folder in folders.items():
            getattr(preferences, game.name.lower()).folder = str(folder)
        if not folders:
            report_line(self, "WARNING", T("No game was found: choose their folders"))
            return {"CANCELLED"}
        report_line(self, "INFO", T("Found: {games}", games=", ".join(sorted(game.name for game in folders))))
        return {"FINISHED"}


_TRX, _OPEN_LARA, _OPEN_TOMB, _ORIGINAL = "TRX", "OPEN_LARA", "OPEN_TOMB", "ORIGINAL"
_PRESETS = (
    (_TRX, "TRX", "TR1X, TR2X and their successors", 0),
    (_OPEN_LARA, "OpenLara", "The level is the only argument", 1),
    (_OPEN_TOMB, "OpenTomb", "A script loads the level", 2),
    (
        _ORIGINAL,
        "Original Game",
        "The level replaces the game's level of that name, which is put back when the game ends",
        3,
    ),
)
_COMMANDS = {
    _TRX: "TRX -l {level}",
    _OPEN_LARA: "OpenLara {level}",
    _OPEN_TOMB: "OpenTomb -autoexec {script}",
}
_PROGRAMS = {
    Game.TR1: "tombati.exe",
    Game.TR2: "tomb2.exe",
    Game.TR3: "tomb3.exe",
    Game.TR4: "tomb4.exe",
    Game.TR5: "PCTomb5.exe",
}


class TOMB_RAIDER_OT_engine_preset(ConditionalTool, Operator):
    """Enter the command of an engine, to be completed by the folder where its program is"""

    bl_idname = "tomb_raider.engine_preset"
    bl_label = "Engine Preset"
    bl_options = {"INTERNAL"}

    game: EnumProperty(name="Game", items=GAMES, description="Game that the engine plays")
    preset: EnumProperty(name="Preset", items=_PRESETS, description="Engine")

    requires = condition(lambda context: TOMB_RAIDER_OT_find_games.poll(context))

    def execute(self, context: Context) -> Outcome:
        game = Game[self.game]
        if self.preset == _TRX and not game.traits.is_in_trx:
            raise ToolError(T("TRX plays levels of TR1 to TR4"))
        if self.preset == _ORIGINAL:
            folder = game_folder(context, game)
            program = _PROGRAMS[game] if folder is None else str(folder / _PROGRAMS[game])
            command = f'"{program}" {{installed}}'
        else:
            command = _COMMANDS[self.preset]
        getattr(preferences_of(context), self.game.lower()).command = command
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (*CLASSES, TOMB_RAIDER_OT_find_games, TOMB_RAIDER_OT_engine_preset)
)
