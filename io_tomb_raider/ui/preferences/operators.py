"""Operators of the preferences."""

from __future__ import annotations

import bpy
from bpy.types import Context, Operator

from ...formats.base.messages import T
from ..base.reports import Outcome, report_line, set_poll_message
from .preferences import CLASSES, preferences_of


class TOMB_RAIDER_OT_find_games(Operator):
    """Search the usual folders of Steam, GOG and the games' discs, and store the folders found"""

    bl_idname = "tomb_raider.find_games"
    bl_label = "Find Games"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if preferences_of(context) is None:
            set_poll_message(cls, T("Enable the extension in the preferences"))
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        from .places import installed_games

        preferences = preferences_of(context)
        installed_games.cache_clear()  # games may have been installed since
        found = installed_games()
        for game, folder in found.items():
            getattr(preferences, game.name.lower()).folder = str(folder)
        if not found:
            report_line(self, "WARNING", T("No game was found: choose their folders"))
            return {"CANCELLED"}
        report_line(self, "INFO", T("Found: {games}", games=", ".join(sorted(game.name for game in found))))
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((*CLASSES, TOMB_RAIDER_OT_find_games))
