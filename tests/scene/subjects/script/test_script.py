"""Objects that scripts place in levels, written into the script's text where they were edited."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from struct import pack
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection, Object
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.levels.game_files.tr4.tr4_commands import OPCODES
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script
from io_tomb_raider.scene.authoring.new.cameras import add_object
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.game_files.script_entry import write_script_entry
from io_tomb_raider.scene.interop.game_files.scripts import export_script, import_script, write_back
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.script.script import COMMANDS, script_kinds
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from tests.sample_levels import sample_bytes

from ....formats.levels.game_files.tr4_script_samples import TITLE_LEVEL, language_file, script_file
from ...scenes import UNIT, export_scene, exported, import_scene, objects, room_object

each_game = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
_FLARE = (100, -7, 50, 9, 8, 7)
_MIRROR = (1, 0x2200)
_CAMERA = (10240, -1536, 20480, 12288, -512, 20480, 1)
_SPEED = (-16,)
Found = dict[str, tuple[int, ...]]


def _script(game: Game, camera: tuple[int, ...] = _CAMERA) -> bytes:
    commands = [
        b"\x8b" + pack("<b", *_SPEED),
        b"\x8d" + pack("<HhHBBB", *_FLARE),
        b"\x8e" + pack("<Bi", *_MIRROR),
        b"\x91" + pack("<6iB", *camera) if game is Game.TR4 else b"",
        b"\x81\x03" + pack("<HBB", 0x2804, 1, 104) + b"\x83",
    ]
    return script_file([TITLE_LEVEL, b"".join(commands)], tr5=game is Game.TR5)


def _write(folder: Path, game: Game, script: bytes) -> Path:
    path = folder / ("angkor1.trc" if game is Game.TR5 else "angkor1.tr4")
    path.write_bytes(sample_bytes(game))
    (folder / "SCRIPT.DAT").write_bytes(script)
    (folder / "ENGLISH.DAT").write_bytes(language_file())
    return path


def _imported(folder: Path, game: Game, script: bytes | None = None) -> tuple[Collection, Any]:
    """Import a level with the script beside it, and that script as a text."""
    path = _write(folder, game, _script(game) if script is None else script)
    root = import_level(path).root
    return root, import_script(folder / "SCRIPT.DAT")[0]


def _commands(data: bytes, level: int = 1) -> Found:
    script = read_script(data)
    found = script.commands[level]
    assert found is not None
    return {OPCODES[script.game][each.opcode].name: each.operands for each in found}


def _only(root: Collection, kind: str) -> Object:
    (found,) = objects(root, kind)
    return found


@each_game
def test_objects_of_the_script_have_the_positions_of_the_game(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root, text = _imported(tmp_path, game)
    flare, mirror = _only(root, "LENS_FLARE"), _only(root, "MIRROR")
    # The game draws the flare 4096 units above the place in the script.
    assert list(flare.location / UNIT) == pytest.approx((100 * 256, 50 * 256, 7 * 256 + 4096))
    assert [round(part * 255) for part in flare.tomb_raider.script.color] == [9, 8, 7]
    assert mirror.location.y == pytest.approx(0x2200 * UNIT)
    assert mirror.tomb_raider.script.room == room_object(root, 1)
    if game is Game.TR4:
        camera = _only(root, "LOAD_CAMERA")
        assert list(camera.location / UNIT) == pytest.approx((10240, 20480, 1536))
        view = camera.matrix_world.to_quaternion() @ Vector((0, 0, -1))
        assert list(view) == pytest.approx((2 / 5**0.5, 0, -1 / 5**0.5), abs=1e-5)
        assert camera.tomb_raider.script.room == room_object(root, 1)
    level, warnings = exported(root)
    assert level.to_bytes() == sample_bytes(game) and warnings == []
    compiled = export_script(text)
    assert compiled.content == _script(game) and compiled.text == text.as_string()


def _entry_commands(root: Collection, report: Report) -> Found:
    """Return the commands of a script entry that place objects."""
    lines = write_script_entry(root, "Home", "HOME.TR4", 5, report).as_string().splitlines()
    pairs = [(line.partition("= ")) for line in lines[: lines.index("Name= Home")]]
    return {name: tuple(map(int, value.split(","))) for name, _, value in pairs if name in COMMANDS.values()}


@each_game
def test_script_entries_contain_the_objects_of_the_script(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root, _ = _imported(tmp_path, game)
    wanted = {"LensFlare": _FLARE, "Mirror": _MIRROR}
    if game is Game.TR4:
        wanted["LoadCamera"] = _CAMERA
    assert _entry_commands(root, Report()) == wanted
    _only(root, "LENS_FLARE").location.x += 256 * UNIT
    bpy.data.objects.remove(_only(root, "MIRROR"))
    del wanted["Mirror"]
    wanted["LensFlare"] = (101, *_FLARE[1:])
    second: Any = _only(root, "LENS_FLARE").copy()
    second.name = "Lens Flare (second)"
    _only(root, "LENS_FLARE").users_collection[0].objects.link(second)
    report = Report()
    assert _entry_commands(root, report) == wanted
    assert [each.subject for each in report.messages] == [second.name]


@each_game
def test_script_entries_of_levels_without_a_script_have_new_objects(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    assert _entry_commands(root, Report()) == {}
    flare = add_object(root, "LENS_FLARE", Vector((512 * UNIT, 0, 4096 * UNIT)))
    flare.tomb_raider.script.color = (1, 0, 0)
    assert _entry_commands(root, Report()) == {"LensFlare": (2, 0, 0, 255, 0, 0)}
    flare.location.x = 1e6
    with pytest.raises(ExportError, match="too far"):
        _entry_commands(root, Report())


def test_no_view_is_none(blender: ModuleType, tmp_path: Path) -> None:
    script = _script(Game.TR4, (0, 0, 0, 0, 0, 0, 255))
    root, text = _imported(tmp_path, Game.TR4, script)
    assert objects(root, "LOAD_CAMERA") == [] and export_script(text).content == script


@pytest.mark.parametrize("scale", [1 / 1024, 1 / 100, 3.0])
@each_game
def test_untouched_scripts_stay_at_any_scale(
    blender: ModuleType, tmp_path: Path, game: Game, scale: float
) -> None:

    for data in (_script(game), script_file(tr5=game is Game.TR5)):
        path = _write(tmp_path, game, data)
        root = import_level(path, ImportOptions(scale=scale)).root
        assert len(objects(root, "LENS_FLARE")) == 1
        assert export_script(import_script(tmp_path / "SCRIPT.DAT")[0]).content == data


def _flare(root: Collection) -> None:
    flare = _only(root, "LENS_FLARE")
    flare.location.x += 512 * UNIT
    flare.tomb_raider.script.color = (1, 0, 0)


def _mirror(root: Collection) -> None:
    mirror = _only(root, "MIRROR")
    mirror.location.y -= 1024 * UNIT
    mirror.tomb_raider.script.room = room_object(root, 0)


def _camera(root: Collection) -> None:
    _only(root, "LOAD_CAMERA").location.z += 256 * UNIT


def _turn(root: Collection) -> None:
    camera = _only(root, "LOAD_CAMERA")
    camera.rotation_euler = (0, 0, 0)
    camera.tomb_raider.script.distance = 1000


def _speed(root: Collection) -> None:
    root.tomb_raider.animated.groups[0].scrolls = True
    root.tomb_raider.animated.scroll_speed = 3


def _delete(kind: str) -> Callable[[Collection], None]:
    return lambda root: bpy.data.objects.remove(_only(root, kind))


_EDITS: dict[str, tuple[Callable[[Collection], None], Found]] = {
    "flare": (_flare, {"LensFlare": (102, -7, 50, 255, 0, 0)}),
    "mirror": (_mirror, {"Mirror": (0, 0x2200 - 1024)}),
    "camera": (_camera, {"LoadCamera": (10240, -1792, 20480, 12288, -768, 20480, 1)}),
    "turned": (_turn, {"LoadCamera": (10240, -1536, 20480, 10240, -536, 20480, 1)}),
    "speed": (_speed, {"UVRotate": (3,)}),
    "no camera": (_delete("LOAD_CAMERA"), {"LoadCamera": (0, 0, 0, 0, 0, 0, 255)}),
}


@pytest.mark.parametrize("edit", list(_EDITS))
def test_edits_are_written_into_the_script(blender: ModuleType, tmp_path: Path, edit: str) -> None:
    root, text = _imported(tmp_path, Game.TR4)
    before = _commands(_script(Game.TR4))
    change, expected = _EDITS[edit]
    change(root)
    bpy.context.view_layer.update()
    compiled = export_script(text)
    assert _commands(compiled.content) == {**before, **expected}
    assert list(_commands(compiled.content))[-2:] == ["Level", "End"]
    assert text.as_string() != compiled.text
    write_back(text, compiled)
    # What is then edited in the text stays.
    text.from_string(text.as_string().replace("LensFlare= 1", "LensFlare= 2"))
    after = export_script(text)
    assert after.written == [] and after.text == text.as_string()
    assert export_scene(root).to_bytes()  # and the level is exported


@pytest.mark.parametrize(("kind", "option"), [("LENS_FLARE", 0x0800), ("MIRROR", 0x2000)])
@pytest.mark.parametrize("options", [0, 0x0040], ids=["implied", "own options"])
def test_commands_and_options_of_deleted_objects_are_removed(
    blender: ModuleType, tmp_path: Path, kind: str, option: int, options: int
) -> None:
    root, text = _imported(tmp_path, Game.TR4)
    if options:
        text.from_string(text.as_string().replace("Name= #3", "LevelOptions= $2844 ; mine\nName= #3"))
    _delete(kind)(root)
    compiled = export_script(text)
    found = _commands(compiled.content)
    assert COMMANDS[kind] not in found and found["Level"][1] == (0x2804 | options) & ~option
    assert not options or " ; mine" in compiled.text


@each_game
def test_a_script_that_comes_later_places_objects(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    (tmp_path / "script").mkdir()
    path = _write(tmp_path, game, _script(game))
    script = (tmp_path / "SCRIPT.DAT").rename(tmp_path / "script" / "SCRIPT.DAT")
    root = import_level(path).root
    other = import_scene(sample_bytes(Game.TR1))
    assert not any(objects(root, kind) for kind in COMMANDS)
    text = import_script(script)[0]
    assert {kind for kind in COMMANDS if objects(root, kind)} == set(script_kinds(game))
    assert not any(objects(other, kind) for kind in COMMANDS)
    assert root.tomb_raider.animated.scroll_speed == -16
    assert export_script(text).content == _script(game)
    import_script(script)
    assert len(objects(root, "MIRROR")) == 1


def test_commands_of_new_objects_precede_the_level_command(blender: ModuleType, tmp_path: Path) -> None:
    level = b"\x81\x03" + pack("<HBB", 4, 1, 104) + b"\x83"
    root, text = _imported(tmp_path, Game.TR4, script_file([TITLE_LEVEL, level]))
    place = room_object(root, 1).matrix_world.translation.copy()
    place.x, place.y, place.z = place.x + 2 * 1024 * UNIT, place.y + 2 * 1024 * UNIT, 512 * UNIT
    for kind in script_kinds(Game.TR4):
        add_object(root, kind, place)
        with pytest.raises(ExportError, match="already"):
            add_object(root, kind, place)
    bpy.context.view_layer.update()
    found = _commands(export_script(text).content)
    assert list(found)[-2:] == ["Level", "End"] and set(COMMANDS.values()) < set(found)
    assert found["Level"][1] == 0x2804


def test_conversion_keeps_objects_that_scripts_of_the_game_support(
    blender: ModuleType, tmp_path: Path
) -> None:
    root, _ = _imported(tmp_path, Game.TR4)
    warnings = convert_level(root, Game.TR5).report.warnings
    assert {kind for kind in COMMANDS if objects(root, kind)} == {"LENS_FLARE", "MIRROR"}
    assert any("Loading Camera" in text for text in warnings)
    convert_level(root, Game.TR3)
    assert not any(objects(root, kind) for kind in COMMANDS)
