"""Properties of texts."""

import bpy
from bpy.props import EnumProperty, PointerProperty, StringProperty
from bpy.types import PropertyGroup, Text

from .kinds import CONTEXT
from .pointers import pointer_set


def _is_language(_group: PropertyGroup, other: Text) -> bool:
    return bool(other.tomb_raider.kind == "LANGUAGE")


class TombRaiderText(PropertyGroup):
    """A script of a game as a text (documentation, chapters 11 to 13)."""

    kind: EnumProperty(
        name="Kind",
        items=[
            ("NONE", "None", "Not a script of a game", 0),
            ("GAMEFLOW", "Script (TR2, TR3)", "TOMBPC.DAT: levels, their order, and all strings", 1),
            ("SCRIPT", "Script (TR4, TR5)", "SCRIPT.DAT: levels and their options", 2),
            ("LANGUAGE", "Strings (TR4, TR5)", "ENGLISH.DAT and the like: all strings of a language", 3),
        ],
        description="Game file of the text",
    )
    source: StringProperty(
        name="Source", subtype="FILE_PATH", description="File of the last import or export"
    )
    language: PointerProperty(
        name="Strings",
        translation_context=CONTEXT,
        type=bpy.types.Text,
        poll=_is_language,
        update=pointer_set,
        description="Text with the strings that this script can quote",
    )


GROUPS = (TombRaiderText,)
