"""Tests of scripts and strings of the games as texts in Blender."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats.levels.floor.functions import ActionType
from io_tomb_raider.formats.levels.game_files.files import ScriptKind, script_kind
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import VARIANTS, read_gameflow
from io_tomb_raider.formats.levels.game_files.strings.language import read_language
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script
from tests.scene.scenes import objects

from ...formats.levels.game_files.gameflow_samples import gameflow_file
from ...formats.levels.game_files.tr4_script_samples import language_file, script_file
from ...real_levels import real_files
from ..user_actions import import_sample, levels

_REAL = real_files(".dat")


def imported(path: Path) -> Any:
    before = set(bpy.data.texts)
    assert bpy.ops.tomb_raider.import_script(filepath=str(path)) == {"FINISHED"}
    return next(text for text in bpy.data.texts if text not in before and text.name.startswith(path.name))


def exported_script(text: Any, path: Path) -> bytes:
    assert bpy.ops.tomb_raider.export_script(filepath=str(path), text=text.name) == {"FINISHED"}
    return path.read_bytes()


def script_files(folder: Path) -> list[Path]:
    """Write a script of every kind; that of TR4 has its strings in the same folder."""
    contents = {
        "TOMBPC.DAT": gameflow_file(VARIANTS[0]),
        "TOMBPSX.DAT": gameflow_file(next(each for each in VARIANTS if each.psx)),
        "SCRIPT.DAT": script_file(),
        "ENGLISH.DAT": language_file(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


@pytest.mark.parametrize("number", range(4), ids=["gameflow", "psx", "script", "language"])
def test_an_unedited_script_compiles_to_the_same_bytes(
    blender: ModuleType, tmp_path: Path, number: int
) -> None:
    path = script_files(tmp_path)[number]
    text = imported(path)
    assert "\n[" in text.as_string()
    assert text.tomb_raider.kind == script_kind(path.read_bytes()).value
    assert exported_script(text, tmp_path / "new.dat") == path.read_bytes()


@pytest.mark.skipif(not _REAL, reason="there are no real scripts here")
def test_real_scripts_compile_to_the_same_bytes(blender: ModuleType, tmp_path: Path) -> None:
    for path in _REAL:
        assert exported_script(imported(path), tmp_path / path.name) == path.read_bytes()


def test_strings_of_the_language_file_are_imported_and_can_be_chosen(
    blender: ModuleType, tmp_path: Path
) -> None:
    path = script_files(tmp_path)[2]
    text = imported(path)
    strings = text.tomb_raider.language
    assert strings.name == "ENGLISH.DAT"
    assert "Legend= #2 ; Iris" in text.as_string()
    before = read_script(path.read_bytes())
    strings_of_file = read_language((tmp_path / "ENGLISH.DAT").read_bytes()).table
    named = "\n".join(
        "Legend= Angkor Wat" if line.startswith("Legend=") else line for line in text.as_string().splitlines()
    )
    text.from_string(named)
    after = read_script(exported_script(text, tmp_path / "new.dat"))
    changed = [
        (old.opcode, strings_of_file.text(new.operands[0]))
        for one, two in zip(before.commands, after.commands, strict=True)
        for old, new in zip(one or (), two or (), strict=True)
        if old != new
    ]
    assert changed == [(0x8C, b"Angkor Wat")]


def test_an_edit_is_in_the_file(blender: ModuleType, tmp_path: Path) -> None:
    path = script_files(tmp_path)[0]
    text = imported(path)
    text.from_string(text.as_string().replace("Name= The Wall", "Name= The Great Wall"))
    names = read_gameflow(exported_script(text, tmp_path / "new.dat")).level_names.texts
    assert b"The Great Wall" in names
    assert b"The Wall" not in names


def test_edits_of_a_level_are_written_into_its_script(blender: ModuleType, tmp_path: Path) -> None:
    script = script_files(tmp_path)[2]
    import_sample(tmp_path, "tr4").tomb_raider.source = "ANGKOR1.TR4"
    text = imported(script)
    (root,) = levels()
    (flare,) = objects(root, "LENS_FLARE")
    assert exported_script(text, tmp_path / "same.dat") == script.read_bytes()
    flare.tomb_raider.script.color = (1, 0, 0)
    bpy.ops.ed.undo_push(message="edited")
    content = exported_script(text, tmp_path / "new.dat")
    assert "LensFlare= 100, -7, 50, 255, 0, 0\n" in text.as_string()
    assert bpy.ops.tomb_raider.check_script(text=text.name) == {"FINISHED"}
    # Undo takes the note of what was written back with the text.
    bpy.ops.ed.undo()
    (text,) = (each for each in bpy.data.texts if each.name.startswith("SCRIPT"))
    assert exported_script(text, tmp_path / "again.dat") == content


def test_errors_name_the_line_and_go_there(blender: ModuleType, tmp_path: Path) -> None:
    path = script_files(tmp_path)[0]
    text = imported(path)
    lines = text.as_string().splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("Level="))
    lines[place] = "Level= nowhere.tr2"
    text.from_string("\n".join(lines))
    target = tmp_path / "new.dat"
    target.write_bytes(b"as it was")
    with pytest.raises(RuntimeError, match=f"line {place + 1}: "):
        bpy.ops.tomb_raider.check_script(text=text.name)
    assert text.current_line_index == place
    text.cursor_set(0)
    with pytest.raises(RuntimeError, match=f"line {place + 1}: "):
        bpy.ops.tomb_raider.export_script(filepath=str(target), text=text.name)
    assert text.current_line_index == place
    assert target.read_bytes() == b"as it was"


def test_a_text_can_be_checked(blender: ModuleType, tmp_path: Path) -> None:
    text = imported(script_files(tmp_path)[3])
    assert bpy.ops.tomb_raider.check_script(text=text.name) == {"FINISHED"}


def test_files_and_texts_that_are_no_script_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    before = len(bpy.data.texts)
    for content in (b"", b"\x03\0\0\0", b"no script at all" * 99):
        path = tmp_path / "TOMBPC.DAT"
        path.write_bytes(content)
        with pytest.raises(RuntimeError, match=r"TOMBPC\.DAT was not imported: "):
            bpy.ops.tomb_raider.import_script(filepath=str(path))
    assert len(bpy.data.texts) == before
    text = bpy.data.texts.new("notes")
    with pytest.raises(RuntimeError, match="its kind of script"):
        bpy.ops.tomb_raider.export_script(filepath=str(tmp_path / "new.dat"), text=text.name)


def test_several_files_come_at_once(blender: ModuleType, tmp_path: Path) -> None:
    paths = script_files(tmp_path)
    before = set(bpy.data.texts)
    files = [{"name": paths[0].name}, {"name": paths[3].name}]
    assert bpy.ops.tomb_raider.import_script(directory=str(tmp_path), files=files) == {"FINISHED"}
    kinds = {text.tomb_raider.kind for text in bpy.data.texts if text not in before}
    assert kinds == {"GAMEFLOW", "LANGUAGE"}


def test_kinds_of_scripts_are_recognized_by_content(tmp_path: Path) -> None:
    kinds = [script_kind(path.read_bytes(), "any.dat") for path in script_files(tmp_path)]
    assert kinds == [ScriptKind.GAMEFLOW, ScriptKind.GAMEFLOW, ScriptKind.SCRIPT, ScriptKind.LANGUAGE]


def secret_actions(trigger: Any) -> list[Any]:
    return [each for each in trigger.tomb_raider.trigger.actions if each.type == ActionType.SECRET]


def test_a_level_has_an_entry_for_its_script(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    trigger: Any = objects(root, "TRIGGER")[0]
    for number in (3, 3, 5):
        action = trigger.tomb_raider.trigger.actions.add()
        action.type, action.number = ActionType.SECRET, number
    assert bpy.ops.tomb_raider.script_entry(title="Home", track=110) == {"FINISHED"}
    text = bpy.data.texts["Home Script Entry"]
    assert text.current_line_index == 0  # the editor shows the start of the text
    lines = text.as_string().splitlines()
    secrets = {int(line.removeprefix("; Secrets: ")) for line in lines if line.startswith("; Secrets: ")}
    own = {each.number for t in objects(root, "TRIGGER") for each in secret_actions(t)}
    assert secrets == {len(own)} and own >= {3, 5}
    assert "Name= Home" in lines and "Level= DATA\\angkor1, 110" in lines


def test_a_level_of_tr1_has_no_script_to_be_in(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr1")
    with pytest.raises(RuntimeError, match="TR1 has no script"):
        bpy.ops.tomb_raider.script_entry()
    assert not bpy.data.texts
