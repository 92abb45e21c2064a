"""Tests of the Python interface: its page, its type stubs, and the types that other projects see."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

import build
from docs import interface, readers_page
from docs.reference import reference
from io_tomb_raider import formats
from io_tomb_raider.formats.edits.rules.rules import CHAPTERS
from io_tomb_raider.scene.properties import _HOMES

PAGE = (interface.STUBS.parents[1] / "docs/python.md").read_text(encoding="utf-8")

CLIENT = """
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from io_tomb_raider.formats import ExportError, FormatError, Game, Level, Room, read_level, write_level

if TYPE_CHECKING:
    from io_tomb_raider.property_types import TombRaiderCollection, TombRaiderObject


def darker(path: Path) -> int:
    try:
        level: Level = read_level(path)
    except FormatError as error:
        print(error.section)
        return 0
    room: Room = level.rooms[0]
    reveal_type(level.game)
    reveal_type(room.x)
    write_level(level, path)
    return len(level.rooms)


def raise_entity(obj: bpy.types.Object, root: bpy.types.Collection) -> None:
    settings: "TombRaiderObject" = getattr(obj, "tomb_raider")
    level: "TombRaiderCollection" = getattr(root, "tomb_raider")
    reveal_type(settings.kind)
    reveal_type(settings.entity.room)
    reveal_type(settings.trigger.actions[0])
    reveal_type(level.imported)
    print(read_level(3))
    print(settings.unknown)
"""
SEEN = {
    "io_tomb_raider.formats.base.games.Game",
    "int",
    "str",
    "bpy.types.Object | None",
    "io_tomb_raider.property_types.TombRaiderTriggerAction",
    "set[str]",
}


@pytest.fixture(scope="module")
def pages(extension: ModuleType) -> dict[str, str]:
    return reference()


def test_the_stubs_are_those_of_todays_properties(extension: ModuleType) -> None:
    assert interface.STUBS.read_text(encoding="utf-8") == interface.stubs(), "run: python -m docs.interface"


def test_the_page_lists_every_public_operator_with_its_properties(pages: dict[str, str]) -> None:
    from io_tomb_raider.ui import manual

    text = pages["python.md"]
    calls = dict(re.findall(r"`bpy\.ops\.([a-z_.]+)\((.*?)\)` \|", text))
    public = {
        each.bl_idname: each
        for each in manual.operators()
        if "INTERNAL" not in getattr(each, "bl_options", ())
    }
    assert set(calls) == set(public)
    assert calls["export_scene.tomb_raider"].startswith("filepath='', collection='', rebuild=False, ")
    assert "bake_constraints='IN_USE'" in calls["export_scene.tomb_raider"]


def test_the_page_lists_the_properties_of_every_data_block(pages: dict[str, str]) -> None:
    text = pages["python.md"]
    for home, group in _HOMES.items():
        if home not in (bpy.types.Scene, bpy.types.WindowManager):  # of tools and of the session
            assert f"| `{home.__name__}` | `{group.__name__}` |" in PAGE
            assert f"`{home.__name__}.tomb_raider`" in text
    assert "| `room` | `Object` or `None` |" in text
    assert "`Object.tomb_raider.trigger.actions[]`" in text
    assert "Unique name used in the code" not in text


def test_scripts_of_the_page_run(blender: ModuleType, tmp_path: Path) -> None:
    from io_tomb_raider.formats import Game
    from tests.sample_levels import sample_bytes

    script = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    (tmp_path / "LEVEL1.PHD").write_bytes(sample_bytes(Game.TR1))
    script = script.replace("/levels/", f"{tmp_path.as_posix()}/")
    command: Any = compile(script, "page", "exec")
    exec(command, {})
    assert (tmp_path / "LEVEL1_NEW.PHD").read_bytes() != sample_bytes(Game.TR1)


def test_public_names_of_the_library_exist() -> None:
    assert all(hasattr(formats, name) for name in formats.__all__)


@pytest.mark.once
def test_type_checkers_find_the_types_of_the_library(tmp_path: Path) -> None:
    mypy = build.program_of("tools")
    if not mypy.exists():
        pytest.skip("needs the environment of `python build.py check`")
    uv, options = build.find_uv(), ("--offline", "--quiet", "--python", sys.executable)
    subprocess.run([uv, "build", "--wheel", *options, "-o", tmp_path / "wheels", build.ROOT], check=True)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    site = _installed(wheel, tmp_path)
    client = tmp_path / "client.py"
    client.write_text(CLIENT, encoding="utf-8")
    strict = ["--strict", "--python-executable", str(site), "--cache-dir", str(tmp_path / "cache")]
    command = [str(mypy), "-m", "mypy", *strict, "--config-file=", str(client)]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = answer.stdout
    assert set(re.findall(r'Revealed type is "(.*?)"', found)) == SEEN, found + answer.stderr
    assert 'Argument 1 to "read_level" has incompatible type "int"' in found
    assert '"TombRaiderObject" has no attribute "unknown"' in found
    assert "Found 2 errors in 1 file" in found


def _installed(wheel: Path, folder: Path) -> Path:
    """Unpack the library as another project has it, next to the tools' stubs; return the Python."""
    venv.create(folder / "venv", symlinks=True)
    (python,) = [*folder.glob("venv/bin/python"), *folder.glob("venv/Scripts/python.exe")]
    (site,) = [*folder.glob("venv/lib/python*/site-packages"), *folder.glob("venv/Lib/site-packages")]
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    tools = subprocess.check_output(
        [str(build.program_of("tools")), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        text=True,
    )
    (site / "tools.pth").write_text(tools, encoding="utf-8")
    assert sys.version_info >= (3, 11)
    return python


def test_the_page_of_rules_lists_all_rules() -> None:
    text = readers_page.PAGE.read_text(encoding="utf-8")
    assert text == readers_page.page(), "run: python -m docs.readers_page"
    assert all(f"| {rule.name}" in text for chapter in CHAPTERS.values() for rule in chapter)
