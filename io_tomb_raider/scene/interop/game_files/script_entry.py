"""Entries of levels for game scripts, from the scene."""

from __future__ import annotations

from pathlib import PureWindowsPath

import bpy
from bpy.types import Collection, Text

from ....catalogue import named_item
from ....formats import Game
from ....formats.edits.new_levels import ScriptEntry, entry_to_text
from ....formats.levels.floor import ActionType
from ...core.membership import members, members_of
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...subjects.animated_textures.animated_textures import scroll_speed_of
from ...subjects.script.script import placed_commands
from ...subjects.sky.layers import shown_sky


def write_script_entry(root: Collection, title: str, file: str, track: int, report: Report) -> Text:
    """Create a text with the script entry of a level.

    Args:
        report: of objects that scripts place, such as a second lens flare.

    Raises:
        ExportError: if the game has no script, or it cannot hold the place of an object.
    """
    game = Game[root.tomb_raider.game]
    objects = members(root)
    rooms = (obj.tomb_raider.room for obj in objects if obj.tomb_raider.kind == Kind.ROOM)
    entry = ScriptEntry(
        title=title,
        file=PureWindowsPath(file).name,
        track=track,
        items=_items(root, game),
        secrets=count_secrets(root),
        has_sky=any(room.shows_sky for room in rooms),
        sky=shown_sky(root),
        scroll_speed=scroll_speed_of(root),
        commands=tuple(placed_commands(root, report).items()),
    )
    content = entry_to_text(game, entry)
    text = bpy.data.texts.new(f"{title} Script Entry")
    text.from_string(content)
    return text


def count_secrets(root: Collection) -> int:
    """Return the number of distinct secrets of a level's triggers."""
    triggers = (obj.tomb_raider.trigger for obj in members_of(root, Kind.TRIGGER))
    actions = (action for trigger in triggers for action in trigger.actions)
    return len({action.number for action in actions if action.type == ActionType.SECRET})


def _items(root: Collection, game: Game) -> tuple[tuple[str, int, str], ...]:
    """Return the keys, puzzle items and pickups in a level."""
    types = {int(t.tomb_raider.entity.type) for t in members_of(root, Kind.ENTITY)}
    items = (named_item(game, number) for number in types)
    return tuple(sorted(each for each in items if each is not None))
