"""Names of levels and items from the scripts of all games that have one."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import pytest

from io_tomb_raider.formats import FormatError, Game
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import read_gameflow
from io_tomb_raider.formats.levels.game_files.level_names import (
    Sky,
    SkyLayer,
    find_script,
    gameflow_level_names,
    read_level_names,
    script_level_names,
)
from io_tomb_raider.formats.levels.game_files.numbered_names import gameflow_numbers, script_numbers
from io_tomb_raider.formats.levels.game_files.strings.language import read_language
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script

from ....real_levels import real_files
from .gameflow_samples import gameflow_file
from .tr4_script_samples import ITEM, TITLE_LEVEL, every_command, language_file, script_file

LEVEL = b"\x94\x02\x00" + ITEM[2:] + b"\xb5\x01\x00" + ITEM[2:] + b"\x9f\xff\x00" + ITEM[2:]
LEVEL += b"\x8c\x03\x81\x01\x00\x00\x01\x68\x83"


def test_scripts_of_tr2_and_tr3_name_levels_and_items() -> None:
    gameflow = read_gameflow(gameflow_file())
    names = gameflow_level_names(gameflow, "BOAT.TR2")
    assert names is not None
    assert names.title == "Venice"
    assert names.puzzles == {1: "Item 0", 2: "Item 1", 3: "Item 2", 4: "Item 3"}
    assert names.pickups == {1: "Item 4", 2: "Item 5"}
    assert names.keys == {1: "Item 6", 2: "Item 7", 3: "Item 8", 4: "Item 9"}
    assert names.item("Key", 4) == "Item 9"
    assert names.item("Key", 5) is None
    wall = gameflow_level_names(gameflow, "wall")
    assert wall is not None
    assert 1 not in wall.puzzles  # the name of an unused one
    assert gameflow_level_names(gameflow, "rig.tr2") is None


def test_scripts_of_tr4_and_tr5_name_levels_and_items() -> None:
    language = read_language(language_file())
    script = read_script(script_file(levels=[b"\x82\x00\x00\x00\x68\x83", LEVEL]))
    names = script_level_names(script, language, "angkor1.tr4")
    assert names is not None
    assert (names.title, names.legend) == ("Angkor Wat", "Race for it")
    assert names.keys == {2: "Iris"}
    assert names.puzzles == {}  # string 255 does not exist
    assert names.item("KeyCombo", 2, 2) == "Angkor Wat"
    menu = script_level_names(script, language, "title.tr4")
    assert menu is not None and menu.title == "" and menu.commands == {}
    assert script_level_names(script, language, "angkor2.tr4") is None


def test_scripts_name_the_numbers_of_levels_tracks_and_cutscenes() -> None:
    found = gameflow_numbers(read_gameflow(gameflow_file()))
    assert found.levels == {0: "The Wall", 1: "Venice"}
    assert found.tracks == {33: "Soundtrack of The Wall", 47: "Secret found", 64: "Soundtrack of the title"}
    assert found.files == {"wall", "boat"}
    levels = [TITLE_LEVEL, every_command(), LEVEL, LEVEL]
    script = read_script(script_file(levels))
    found = script_numbers(script, read_language(language_file()))
    assert found.levels == {0: "Title", 1: "Race for it", 2: "Angkor Wat, 2", 3: "Angkor Wat, 3"}
    assert found.tracks == {104: "Soundtrack of Title"}
    assert found.cutscenes[7] == "Cutscene of Race for it, 7"
    assert script_numbers(script, None).levels[2] == "ANGKOR1, 2"


def test_scripts_are_found_next_to_the_level_or_one_folder_up(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "wall.TR2").touch()
    assert read_level_names(data / "wall.TR2", Game.TR2) is None
    (tmp_path / "DemoPC.dat").write_bytes(gameflow_file())
    assert find_script(data / "wall.TR2", Game.TR2) == tmp_path / "DemoPC.dat"
    assert find_script(data / "wall.TR2", Game.TR4) is None
    assert find_script(data / "wall.TR2", Game.TR1) is None
    names = read_level_names(data / "wall.TR2", Game.TR2)
    assert names is not None and names.title == "The Wall"
    (data / "tombpc.dat").write_bytes(b"damaged")
    with pytest.raises(FormatError):
        read_level_names(data / "wall.TR2", Game.TR2)
    assert read_level_names(data / "wall.TR2", Game.TR2, tmp_path / "DemoPC.dat") == names
    assert read_level_names(data / "wall.TR2", Game.TR1, tmp_path / "DemoPC.dat") is None


def test_the_first_language_that_is_there_is_taken(tmp_path: Path) -> None:
    (tmp_path / "SCRIPT.DAT").write_bytes(script_file(levels=[LEVEL]))
    level = tmp_path / "data" / "Angkor1.tr4"
    names = read_level_names(level, Game.TR4)
    assert names is not None and (names.title, names.items) == ("", {})
    (tmp_path / "french.dat").write_bytes(language_file(([b"", b"Le Temple", b"", b""], [], [])))
    names = read_level_names(level, Game.TR4)
    assert names is not None and names.title == "Le Temple"
    (tmp_path / "English.dat").write_bytes(language_file())
    names = read_level_names(level, Game.TR4)
    assert names is not None and names.title == "Angkor Wat"


def test_sky_and_commands_are_read_from_the_script() -> None:
    both = b"\x89" + bytes((1, 2, 3)) + pack("<b", -7) + b"\x8a" + bytes((128, 129, 255, 9))
    known = (SkyLayer((1, 2, 3), -7), SkyLayer((128, 129, 255), 9))
    for options, sky in (
        (0x1C, Sky(True, known)),
        (0x18, Sky(False, known)),
        (0x14, Sky(True, (None, known[1]))),
        (0x08, Sky(False, (known[0], None))),
        (0x00, Sky(False, (None, None))),
    ):
        level = both + b"\x81" + pack("<BHBB", 1, options, 1, 104) + b"\x83"
        script = read_script(script_file(levels=[TITLE_LEVEL, level]))
        names = script_level_names(script, None, "ANGKOR1.TR4")
        assert names is not None and names.sky == sky and names.commands == {}
    for tr5 in (False, True):
        names = script_level_names(read_script(script_file(tr5=tr5)), None, "ANGKOR1.TR4")
        assert names is not None and names.commands == {
            "UVRotate": (-16,),
            "LensFlare": (100, -7, 50, 9, 8, 7),
            "Mirror": (69, 0x2200),
            **({} if tr5 else {"LoadCamera": (1, -2, 3, -4, 5, -6, 255)}),
        }


@pytest.mark.parametrize("path", [each for each in real_files(".dat") if each.name == "tr3_tombpc.dat"])
def test_a_real_script_names_a_level(path: Path) -> None:
    names = read_level_names(Path("CRASH.TR2"), Game.TR3, path)
    assert names is not None
    assert names.title == "Crash Site"
    assert names.pickups == {1: "Swamp Map"}
    assert names.keys == {1: "Commander Bishop's Key", 2: "Lt. Tuckerman's Key"}
