"""Scripts and strings of the games as text data-blocks, which compile into the games' files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import bpy
from bpy.types import Collection, Text

from ....formats import ExportError
from ....formats.base import T, TextError, read_file
from ....formats.levels.game_files import (
    Commands,
    Language,
    Script,
    ScriptKind,
    ScriptText,
    compile_script,
    has_level,
    read_script,
    script_level_names,
    script_to_readable,
    text_to_language,
    with_commands,
)
from ...core.membership import is_local, levels
from ...core.reporting.report import Report, printable
from ...subjects.script.script import changed_commands, note_commands, noted_commands, show_commands

# --- Import ----------------------------------------


def import_script(path: Path) -> list[Text]:
    """Create a text of a script, and after it one of its strings if they have their own file.

    Raises:
        FormatError: if it is no script, or damaged. Nothing is created then.
        OSError: if it cannot be read.
    """
    content = script_to_readable(path)
    if content.kind is ScriptKind.SCRIPT:
        _show_in_levels(read_script(read_file(path)))
    strings = None if content.language is None else script_to_readable(content.language)
    result = [_text(path, content)]
    if strings is not None and content.language is not None:
        language = _imported(content.language) or _text(content.language, strings)
        result[0].tomb_raider.language = language
        result.append(language)
    return result


def _show_in_levels(script: Script) -> None:
    """Make what a script places in those levels of the file that know no script yet."""
    for root in levels():
        if root.tomb_raider.script or root.tomb_raider.game != script.game.name or not is_local(root):
            continue
        entry = script_level_names(script, None, _file_of(root))
        if entry is not None and entry.commands is not None:
            show_commands(root, entry.commands)


def _file_of(root: Collection) -> str:
    """Return the name of a level's file."""
    return str(root.tomb_raider.source or root.name)


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


class CompiledScript(NamedTuple):
    """A compiled text."""

    content: bytes  #: the game's file.
    text: str  #: the text with the changes of the scene's levels.
    written: list[str]  #: the changed commands of levels, each as a line for users.
    commands: dict[Collection, Commands]  #: the commands of each changed level.
    report: Report  #: warnings.


def export_script(text: Text) -> CompiledScript:
    """Compile a text into the game's file, with what levels of the scene have changed of their script.

    The text itself is changed by :func:`write_back`.

    Raises:
        TextError: with the line that cannot be compiled.
        ExportError: if the text is no script, its strings cannot be compiled, or something does not fit.
    """
    settings = text.tomb_raider
    if settings.kind == "NONE":
        raise ExportError(text.name, T("its kind of script is unknown: choose one in the sidebar"))
    kind, content = ScriptKind(settings.kind), text.as_string()
    written: list[str] = []
    commands: dict[Collection, Commands] = {}
    report = Report()
    for root in levels() if kind is ScriptKind.SCRIPT else ():
        changed = changed_commands(root, report) if has_level(content, _file_of(root)) else {}
        if changed:
            content = with_commands(content, _file_of(root), changed)
            written.append(f"{root.name}: {', '.join(changed)}")
            commands[root] = {**(noted_commands(root) or {})}
            for name, operands in changed.items():
                commands[root].pop(name, None)
                if operands is not None:
                    commands[root][name] = operands
    return CompiledScript(compile_script(kind, content, _language(text)), content, written, commands, report)


def write_back(text: Text, compiled: CompiledScript) -> None:
    """Put the changes of levels into the text, once it is exported."""
    if compiled.text != text.as_string():
        text.from_string(compiled.text)
    for root, commands in compiled.commands.items():
        if is_local(root):
            note_commands(root, commands)


def _language(text: Text) -> Language | None:
    strings = text.tomb_raider.language
    if strings is None or text.tomb_raider.kind != "SCRIPT":
        return None
    try:
        return text_to_language(strings.as_string())
    except TextError as error:
        raise ExportError(strings.name, str(error)) from None
