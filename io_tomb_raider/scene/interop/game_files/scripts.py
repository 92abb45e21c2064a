"""Scripts and strings of the games as text data-blocks, which compile into the games' files."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Text

from ....formats import ExportError
from ....formats.errors import TextError
from ....formats.scripts.files import ScriptKind, ScriptText, compile_script, script_to_readable
from ....formats.scripts.language import Language, text_to_language
from ...core.report import printable

# --- Import ----------------------------------------


def import_script(path: Path) -> list[Text]:
    """Create a text of a script, and after it one of its strings if they have their own file.

    Raises:
        FormatError: if it is no script, or damaged. Nothing is created then.
        OSError: if it cannot be read.
    """
    found = script_to_readable(path)
    strings = None if found.language is None else script_to_readable(found.language)
    made = [_text(path, found)]
    if strings is not None and found.language is not None:
        language = _imported(found.language) or _text(found.language, strings)
        made[0].tomb_raider.language = language
        made.append(language)
    return made


def _text(path: Path, content: ScriptText) -> Text:
    text = bpy.data.texts.new(printable(path.name))
    text.from_string(content.text)
    text.use_fake_user = True
    text.tomb_raider.kind = content.kind.value
    text.tomb_raider.source = str(path)
    return text


def _imported(path: Path) -> Text | None:
    """Return the text that was imported from a file of strings before, or None."""
    return next(
        (
            text
            for text in bpy.data.texts
            if text.tomb_raider.kind == "LANGUAGE" and text.tomb_raider.source == str(path)
        ),
        None,
    )


# --- Export ----------------------------------------


def export_script(text: Text) -> bytes:
    """Compile a text into the game's file.

    Raises:
        TextError: with the line that cannot be compiled.
        ExportError: if the text is no script, its strings cannot be compiled, or something does not fit.
    """
    settings = text.tomb_raider
    if settings.kind == "NONE":
        raise ExportError(text.name, "it is not known which kind of script it is: choose one in the sidebar")
    return compile_script(ScriptKind(settings.kind), text.as_string(), _language(text))


def _language(text: Text) -> Language | None:
    strings = text.tomb_raider.language
    if strings is None or text.tomb_raider.kind != "SCRIPT":
        return None
    try:
        return text_to_language(strings.as_string())
    except TextError as error:
        raise ExportError(strings.name, str(error)) from None
