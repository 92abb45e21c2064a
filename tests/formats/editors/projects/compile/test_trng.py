"""Tests of the footer of TRNG."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Flyby,
    Moveable,
    Parameter,
    ParameterKind,
    ProjectTrigger,
    Sink,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom, RoomType
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import Trigger
from io_tomb_raider.formats.levels.floor.grammar import Rules
from io_tomb_raider.formats.levels.level.footer import footer_of

from .compile_samples import compiled, lara, plain_room, project_of, texture_all, written

TRNG = 16
PLUGIN = 7


def chunk(level: Level, number: int) -> bytes:
    """Return the content of a chunk of the footer."""
    footer = footer_of(level)
    assert footer is not None
    content = footer.get(number)
    assert content is not None
    return content


def table(level: Level, number: int) -> np.ndarray:
    """Return a chunk as 16-bit numbers."""
    return np.frombuffer(chunk(level, number), "<i2")


def rooms_of(numbers: list[int]) -> list[ProjectRoom]:
    """Return rooms next to each other."""
    return [plain_room(number, x=6 * place) for place, number in enumerate(numbers)]


def made(folder: Path, rooms: list[ProjectRoom]) -> tuple[Project, Compiled]:
    """Compile rooms for TRNG."""
    texture_all(rooms)
    project = project_of(rooms, Game.TR4, folder, TRNG)
    return project, compiled(project, folder, keep=True)


def number(value: int) -> Parameter:
    return Parameter(ParameterKind.NUMBER, value)


def test_chunks_are_in_the_order_of_the_editor(tmp_path: Path) -> None:
    rooms = rooms_of([0, 3])
    rooms[1].kind, rooms[1].kind_strength = RoomType.RAIN, 2
    rooms[0].objects.append(lara())
    _, result = made(tmp_path, rooms)
    level = written(result.level)
    footer = footer_of(level)
    assert footer is not None and footer.rest == bytes(4)
    assert [each.id for each in footer.chunks] == [
        0x8009, 0x8021, 0x8002, 0x8005, 0x8047, 0x8017, 0x8048, 0x800D, 0x8037, 0x8025, 0x8024,
    ]  # fmt: skip
    assert chunk(level, 0x8009) == b"\2\0" + bytes(8) + b"\2" + bytes(7)
    assert chunk(level, 0x800D) == b"\3\0\0\0" and chunk(level, 0x8017) == bytes(2)
    assert chunk(level, 0x8047) == bytes(2) and chunk(level, 0x8048) == bytes(2)
    # Numbers of the project's rooms; others do not exist.
    rooms_table = table(level, 0x8037)
    assert len(rooms_table) == 1024 and rooms_table[:5].tolist() == [0, -1, -1, 1, -1]
    for version in (0x8024, 0x8025):
        assert table(level, version).tolist() == [1, 3, 0, 6, 0]
    assert {each.check for each in check_level(level)} == {"unreachable room"}


def test_the_version_is_that_of_the_library(tmp_path: Path) -> None:
    rooms = rooms_of([0])
    project, _ = made(tmp_path, rooms)
    fixed = np.array([0xFEEF04BD, 0x10000, 0, 0, 1 << 16 | 3, 1 << 16 | 2], "<u4").tobytes()
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "Tomb_NextGeneration.dll").write_bytes(b"MZ" + bytes(100) + fixed + bytes(30))
    project.settings.game_directory = "$(LevelDirectory)\\Game"
    level = compiled(project, tmp_path).level
    assert table(level, 0x8024).tolist() == [1, 3, 1, 2, 0]
    (tmp_path / "game" / "Tomb_NextGeneration.dll").write_bytes(b"short" + fixed[:8])
    assert table(compiled(project, tmp_path).level, 0x8024).tolist() == [1, 3, 0, 6, 0]


def test_scripts_find_objects_by_their_ids(tmp_path: Path) -> None:
    rooms = rooms_of([0, 3])
    rooms[0].objects += [
        lara(0),
        Moveable(1, (1536, 0, 1536), slot=2, script_id=4),
        Moveable(2, (1536, 0, 1536), slot=400, script_id=5),  # an AI object
        Camera(3, (1536, 512, 1536), script_id=6),
        Flyby(4, (1536, 512, 1536), sequence=9, script_id=8),
    ]
    rooms[1].objects += [
        Sink(5, (1536, 0, 1536), script_id=7),
        Static(6, (1536, 0, 1536), slot=1),
        Static(7, (1536, 0, 1536), slot=1, script_id=2),
        Moveable(8, (1536, 0, 1536), slot=2, script_id=4),  # taken
    ]
    _, result = made(tmp_path, rooms)
    objects, statics = table(result.level, 0x8005), table(result.level, 0x8021).reshape(-1, 2)
    assert len(objects) == len(statics) == 6000
    assert objects[:10].tolist() == [-1, -1, -1, -1, 1, -1, 0, 1, 9, -1]
    # The number of the room in the project, and that of the static mesh in the room.
    assert statics[:4].tolist() == [[0, -1], [0, -1], [3, 1], [0, -1]]


def test_triggered_static_meshes_get_an_id(tmp_path: Path) -> None:
    (room,) = rooms_of([0])
    room.objects += [
        lara(0),
        Static(1, (1536, 0, 1536), slot=1, script_id=0),
        Static(2, (1536, 0, 1536), slot=1),
        Static(3, (1536, 0, 1536), slot=1),
        ProjectTrigger(4, (2, 1, 2, 1), target_type=13, target=Parameter(ParameterKind.OBJECT, 3)),
        ProjectTrigger(5, (1, 2, 1, 2), target_type=13, target=Parameter(ParameterKind.OBJECT, 2)),
    ]
    _, result = made(tmp_path, [room])
    statics = table(result.level, 0x8021).reshape(-1, 2)
    assert statics[:4].tolist() == [[0, 0], [0, 1], [0, 2], [0, -1]]
    triggers = functions(result.level)
    assert [triggers[place].actions[0].parameter for place in ((1, 2), (2, 1))] == [1, 2]


def functions(level: Level) -> dict[tuple[int, int], Trigger]:
    """Return the triggers of the first room, by sector (x, z)."""
    room = level.rooms[0]
    found = {}
    for place, each in enumerate(room.sectors["floor_data"].tolist()):
        for function in decode(level.floor_data, each, Rules(True)) if each else []:
            if isinstance(function, Trigger):
                found[divmod(place, room.z_sectors)] = function
    return found


def test_plugins_of_triggers(tmp_path: Path) -> None:
    (room,) = rooms_of([0])
    room.shape.floor.heights[2, 2, 0] = 512  # words before those of the trigger
    room.objects += [
        lara(0),
        Moveable(1, (1536, 0, 1536), slot=2),
        ProjectTrigger(2, (2, 2, 2, 2), target_type=0, target=Parameter(ParameterKind.OBJECT, 1)),
        ProjectTrigger(3, (2, 2, 2, 2), target_type=9, target=number(50), plugin=number(PLUGIN)),
        ProjectTrigger(4, (2, 2, 2, 2), target_type=11, target=number(5), plugin=number(PLUGIN + 1)),
        ProjectTrigger(5, (3, 3, 3, 3), type=12, target_type=13, target=number(9), plugin=number(PLUGIN + 2)),
    ]
    project, result = made(tmp_path, [room])
    level = result.level
    content = chunk(level, 0x8048)
    size = int.from_bytes(content[:2], "little")
    assert size == len(content) - 2 and size % 2 == 0
    plugins = np.frombuffer(content, np.uint8)[2:]
    words = level.floor_data[: len(plugins)]
    actions = {int(words[place]) & 0x7FFF: int(plugins[place]) for place in np.flatnonzero(plugins)}
    assert actions == {9 << 10 | 50: PLUGIN, 11 << 10 | 5: PLUGIN + 1, 0x0C04: PLUGIN + 2}
    assert any("names no plugin 7" in each for each in result.log.warnings)
    # The names are those of the script, of plugins that exist.
    (tmp_path / "game" / "Scripts").mkdir(parents=True)
    (tmp_path / "game" / "plugins" / "deep").mkdir(parents=True)
    script = "[Options]\nPlugin= 7, Plugin_One ; first\nplugin=8,Plugin_Two,IGNORE\nPlugin=9, Plugin_Lost\n"
    (tmp_path / "game" / "Scripts" / "SCRIPT.TXT").write_text(script)
    for name in ("Plugin_One.trg", "deep/plugin_two.TRG"):
        (tmp_path / "game" / "plugins" / name).write_bytes(b"")
    project.settings.game_directory = "$(LevelDirectory)\\game"
    result = compiled(project, tmp_path, keep=True)
    names = chunk(result.level, 0x8047)
    assert names[:2] == b"\2\0" and len(names) == 2 + 2 * 88
    first, second = names[2:90], names[90:]
    assert (
        first[:4] == b"\7\0\0\0" and first[4:84].rstrip(b"\0") == b"Plugin_One" and first[84:] == b"\1\0\0\0"
    )
    assert second[4:84].rstrip(b"\0") == b"Plugin_Two"
    lost = [each for each in result.log.warnings if "names no plugin" in each]
    assert len(lost) == 1 and "9" in lost[0]


@pytest.mark.parametrize("rearranged", [False, True])
def test_rooms_of_rearranged_levels_have_the_numbers_of_the_level(
    rearranged: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rooms = rooms_of([2, 5])
    if rearranged:
        monkeypatch.setattr(
            "io_tomb_raider.formats.editors.projects.compile.compile.in_order",
            lambda rooms, rearrange: rooms[::-1],
        )
    rooms[1].objects += [lara(0), Static(1, (1536, 0, 1536), slot=1, script_id=0)]
    _, result = made(tmp_path, rooms)
    numbers = table(result.level, 0x8037)
    found = {place: int(numbers[place]) for place in np.flatnonzero(numbers >= 0).tolist()}
    assert found == ({0: 0, 1: 1} if rearranged else {2: 0, 5: 1})
    assert table(result.level, 0x8021)[:2].tolist() == ([0, 0] if rearranged else [5, 0])
