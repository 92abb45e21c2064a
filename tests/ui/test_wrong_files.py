"""Every kind of file in every tool that imports files: read, or the report names the tool that takes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.edits.patches.patch import make_patch
from io_tomb_raider.formats.levels.cutscenes.pak import Pak
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import VARIANTS
from io_tomb_raider.formats.levels.textures.png import encode_png
from io_tomb_raider.scene.interop.projects.status import is_project
from io_tomb_raider.ui.base.file_kinds import KINDS, kind_of_file
from io_tomb_raider.ui.base.levels import chosen_level
from io_tomb_raider.ui.command_line.main import COMMANDS, run
from io_tomb_raider.ui.menus import IMPORTS, OTHER_IMPORTS
from tests.animation_samples import anim_file, trw_file
from tests.formats.levels.cutscenes.samples import Sample, cutseq_file
from tests.formats.levels.game_files.gameflow_samples import gameflow_file
from tests.formats.levels.game_files.tr4_script_samples import language_file, script_file
from tests.formats.levels.injections.samples import sector, t1mj, trxj
from tests.formats.levels.sounds.samples import TRACKS, cd_audio, main_sfx
from tests.formats.levels.textures.old_image_samples import bmp, gif
from tests.prj_samples import sample_prj
from tests.sample_levels import sample_bytes
from tests.sample_projects import sample_project
from tests.scene.scenes import objects
from tests.ui.everything import operator_function
from tests.ui.user_actions import import_sample, is_unexpected, select
from tests.wad2_samples import sample_wad2
from tests.wad_samples import sample_swd, sample_wad


def _patch() -> bytes:
    base = sample_bytes(Game.TR1)
    return make_patch(base, base[:-1] + b"\1").to_bytes()


FILES: dict[str, Callable[[], bytes]] = {
    "level.phd": lambda: sample_bytes(Game.TR1),
    "level.tr4": lambda: sample_bytes(Game.TR4),
    "project.prj2": lambda: sample_project().to_bytes(),
    "old.prj": lambda: sample_prj().to_bytes(),
    "objects.wad2": sample_wad2,
    "objects.wad": lambda: sample_wad().to_bytes(),
    "objects.swd": lambda: sample_swd().to_bytes(),
    "objects.was": lambda: b"LARA:0\n",
    "walk.anim": anim_file,
    "lara.anim": lambda: anim_file(bones=15),
    "walk.trw": trw_file,
    "edit.bin": lambda: trxj(9, [(17, 2, sector(1, 2, 3))], level=0),
    "old_edit.bin": lambda: t1mj(9, floor_edits=[sector(1, 2, 3)]),
    "CUTSEQ.BIN": lambda: cutseq_file({1: Sample(1).data}, 44),
    "CUTSEQ.PAK": lambda: Pak.of(cutseq_file({2: Sample(2).data}, 30)).to_bytes(),
    "TITLE.PAK": lambda: Pak.of(bytes(512 * 256 * 3)).to_bytes(),
    "change.trpatch": _patch,
    "TOMBPC.DAT": lambda: gameflow_file(VARIANTS[0]),
    "SCRIPT.DAT": script_file,
    "ENGLISH.DAT": language_file,
    "MAIN.SFX": main_sfx,
    "CDAUDIO.WAD": cd_audio,
    "CDAudio.db": lambda: b"".join((b"track %d" % n).ljust(32, b"\0") for n in range(130)),
    "sound.wav": lambda: TRACKS[2],
    "sounds.xml": lambda: b"<?xml version='1.0'?><WadSounds/>",
    "gameflow.json5": lambda: b"{levels: []}",
    "picture.png": lambda: encode_png(np.zeros((4, 4, 4), np.uint8)),
    "old.gif": lambda: gif(np.zeros((4, 4), np.int64)),
    "old.bmp": lambda: bmp(8, b"\0\1"),
    "arch.obj": lambda: b"v 0 0 0\n",
    "cave.blend": lambda: b"BLENDER-v402RENDH",
}
_ONLY_MOTIONS = "tomb_raider.import_motion"  # Blender's own importers read these
_ENTRIES = (*IMPORTS, *(entry for group in OTHER_IMPORTS for entry in group))
TOOLS = [each for each in dict.fromkeys(entry[0] for entry in _ENTRIES) if each != _ONLY_MOTIONS]
_OPENS_ALL = "import_scene.tomb_raider"


def _write(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(FILES[name]())
    return path


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_of_a_kind(name: str, tmp_path: Path) -> None:
    kind = kind_of_file(_write(tmp_path, name))
    assert kind is not None
    assert kind.name.split()[0] in ("a", "an")


def test_kinds_name_tools_that_exist(blender: ModuleType) -> None:
    commands = {command.name for command in COMMANDS}
    labels: dict[str, list[str]] = {}
    for operator, label, _ in _ENTRIES:
        labels.setdefault(operator, []).append(label)
    for kind in KINDS:
        assert {*kind.commands} <= commands, kind
        assert all(operator_function(each).get_rna_type() for each in kind.operators), kind
        if kind.tool.startswith("File > Import > Tomb Raider > "):
            names = [name for each in kind.operators or labels for name in labels.get(each, ())]
            assert any(kind.tool.endswith(f" > {name}") for name in names), kind
            is_rare = {*kind.operators}.isdisjoint(operator for operator, _, _ in IMPORTS)
            assert (" > Other > " in kind.tool) == (is_rare and bool(kind.operators)), kind


def _import(tool: str, path: Path, folder: Path) -> str:
    """Return the report of an import that failed, "" if it did not."""
    options = {"filepath": str(path)}
    if tool == "tomb_raider.repair_level":
        options["target"] = str(folder / "repaired.phd")
    known = operator_function(tool).get_rna_type().properties.keys()
    try:
        operator_function(tool)(**{name: value for name, value in options.items() if name in known})
    except RuntimeError as error:
        assert not is_unexpected(error), (tool, path.name)
        return str(error)
    return ""


@pytest.mark.parametrize("tool", TOOLS)
def test_every_file_in_every_tool(blender: ModuleType, tmp_path: Path, tool: str) -> None:
    game = Game.TR1 if tool == "import_scene.tomb_raider_injection" else Game.TR4
    root = import_sample(tmp_path, game)
    lara = min(objects(root, "MODEL"), key=lambda obj: int(obj.tomb_raider.model.id))
    select(lara)
    failed = []
    for name in FILES:
        path = _write(tmp_path, name)
        kind = kind_of_file(path)
        assert kind is not None
        text = _import(tool, path, tmp_path)
        is_other = tool not in kind.operators
        if tool == _OPENS_ALL and kind.opens:
            continue  # it is opened, or the report is that of the tool for it
        if text and is_other and f"this is {kind.name}" not in text:
            failed.append((name, text))
        if text and is_other and kind.tool:
            assert kind.tool in text or failed, (name, text)
        if "0x" in text:
            failed.append((name, text))
    assert failed == []


_OPENED = {
    "project.prj2": "a Tomb Editor project",
    "old.prj": "a Tomb Editor project",
    "lara.anim": "an animation",
    "CUTSEQ.BIN": "a file of cutscenes",
    "CUTSEQ.PAK": "a file of cutscenes",
    "TITLE.PAK": "a picture of a game",
    "TOMBPC.DAT": "a script of a game",
    "MAIN.SFX": "a file of sounds",
    "CDAUDIO.WAD": "a file of sounds",
}


@pytest.mark.parametrize("name", _OPENED)
def test_other_files_chosen_as_a_level_are_opened_by_their_kind(
    blender: ModuleType, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Several kinds have one suffix (.wad, .pak, .bin): their content decides."""
    root = import_sample(tmp_path, Game.TR4)
    select(min(objects(root, "MODEL"), key=lambda obj: int(obj.tomb_raider.model.id)))
    path = _write(tmp_path, name)
    before = _content()
    assert operator_function(_OPENS_ALL)(filepath=str(path)) == {"FINISHED"}
    assert f"this is {_OPENED[name]}: opened as one" in capsys.readouterr().out
    assert _content() != before
    if _OPENED[name] == "a Tomb Editor project":
        assert is_project(chosen_level(bpy.context))


def _content() -> list[list[str]]:
    """Return the names of everything that such a file adds."""
    lists = (bpy.data.collections, bpy.data.actions, bpy.data.sounds, bpy.data.images, bpy.data.texts)
    edits = [each.name for level in bpy.data.collections for each in level.tomb_raider.edits]
    return [*([each.name for each in blocks] for blocks in lists), edits]


def test_files_that_cannot_be_opened_are_reported_with_a_reason(blender: ModuleType, tmp_path: Path) -> None:
    path = _write(tmp_path, "walk.anim")
    text = _import(_OPENS_ALL, path, tmp_path)
    assert "walk.anim" in text and "model" in text
    import_sample(tmp_path, Game.TR1)
    path = _write(tmp_path, "old_edit.bin")
    path.write_bytes(path.read_bytes()[:-1])
    assert "old_edit.bin was not imported" in _import(_OPENS_ALL, path, tmp_path)


@pytest.mark.parametrize("tool", ["tomb_raider.read_gameflow", "tomb_raider.write_gameflow"])
def test_a_patch_is_no_game_flow(blender: ModuleType, tmp_path: Path, tool: str) -> None:
    import_sample(tmp_path, Game.TR1)
    for name in ("change.trpatch", "gameflow.json5"):
        path = tmp_path / name
        path.write_bytes(_patch())
        assert "this is a patch of a level" in _import(tool, path, tmp_path)
        assert path.read_bytes() == _patch()


_WITHOUT_BLENDER = ("info", "check", "repair", "compile", "apply", "diff")


@pytest.mark.parametrize("command", [*_WITHOUT_BLENDER, "convert", "import", "render"])
def test_every_file_in_every_command(
    blender: ModuleType, tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in FILES:
        path = _write(tmp_path, name)
        kind = kind_of_file(path)
        assert kind is not None
        more = {
            "repair": [str(tmp_path / "out.phd")],
            "compile": [str(tmp_path / "out.tr4")],
            "apply": [str(_write(tmp_path, "change.trpatch")), str(tmp_path / "out.phd")],
            "diff": [str(_write(tmp_path, "level.phd"))],
            "convert": ["--game", "TR2", "--to", str(tmp_path)],
            "import": [str(tmp_path / "out.blend")],
            "render": ["--models", str(tmp_path / "models"), "--named", "no such model"],
        }
        code = run([command, str(path), *more.get(command, [])])
        said = capsys.readouterr()
        if command in kind.commands:
            continue
        assert code, name
        assert f"this is {kind.name}" in said.err, (name, said)
        assert all(each in said.err for each in kind.commands)


def test_every_file_in_the_folder_of_a_library(
    blender: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in FILES.items():
        folder, kind = tmp_path / name, kind_of_file(_write(tmp_path, name))
        assert kind is not None
        assert run(["library", str(folder), str(tmp_path / "out.blend")]) == 2
        assert "is not a folder" in capsys.readouterr().err
        if not kind.starts or "library" in kind.commands:
            continue
        folder = tmp_path / "game"
        folder.mkdir(exist_ok=True)
        (folder / "level.phd").write_bytes(content())
        if kind_of_file(folder / "level.phd") != kind:
            continue  # known by its suffix, too
        assert run(["library", str(folder), str(tmp_path / "out.blend"), "--no-previews"]) == 1
        assert f"this is {kind.name}" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["objects.wad", "objects.wad2"])
def test_object_files_are_shown_and_checked(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _write(tmp_path, name)
    assert run(["check", str(path)]) == 0
    assert f"writing gives the same {path.stat().st_size} bytes" in capsys.readouterr().out
    assert run(["info", str(path)]) == 0
    assert f"{path.stat().st_size:,}" in capsys.readouterr().out


def test_the_summary_of_a_file_with_sprites_only_has_their_number(blender: ModuleType) -> None:
    from io_tomb_raider.formats import read_level
    from io_tomb_raider.ui.base.text.words import contents

    level = read_level(sample_bytes(Game.TR1)).copy()
    level.rooms = []
    for section in ("models", "animations", "static_meshes", "entities"):
        setattr(level, section, getattr(level, section)[:0])
    assert f"{len(level.sprite_sequences)} sprite sequence" in contents(level)
