"""The script and the languages of TR4 and TR5: file to text and back, all commands, damaged files."""

from __future__ import annotations

from pathlib import Path
from struct import pack_into

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError, Game
from io_tomb_raider.formats.base.errors import ExportError, TextError
from io_tomb_raider.formats.levels.game_files.strings.language import (
    Language,
    language_to_text,
    read_language,
    text_to_language,
)
from io_tomb_raider.formats.levels.game_files.tr4.tr4_commands import (
    OPCODES,
    ScriptCommand,
    decode_level,
    encode_level,
)
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script_text import script_to_text, text_to_script

from ....real_levels import real_files
from .tr4_script_samples import (
    ITEM,
    TITLE_LEVEL,
    every_command,
    extra_strings,
    language_file,
    script_file,
    trng_footer,
)

SCRIPTS = [path for path in real_files(".dat") if "script" in path.name.lower()]
LANGUAGES = [path for path in real_files(".dat") if "english" in path.name.lower()]


def retold(data: bytes) -> bytes:
    """Return a script converted to text and back."""
    return text_to_script(script_to_text(read_script(data))).to_bytes()


def retold_language(data: bytes) -> bytes:
    """Return a language converted to text and back."""
    return text_to_language(language_to_text(read_language(data))).to_bytes()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_real_scripts_come_back_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    assert read_script(data).to_bytes() == data
    assert retold(data) == data
    text = script_to_text(read_script(data))
    assert "[Raw]" not in text and "Hex=" not in text and "[Files]" not in text


@pytest.mark.parametrize("path", LANGUAGES, ids=lambda path: path.name)
def test_real_languages_come_back_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    language = read_language(data)
    assert language.to_bytes() == data
    assert retold_language(data) == data
    assert "[Raw]" not in language_to_text(language)
    assert language.text(len(language.table) - 1) == "THE LAST STRING ENTRY"


@pytest.mark.parametrize("tr5", [False, True])
def test_every_command_comes_back(tr5: bool) -> None:
    data = script_file(tr5=tr5)
    script = read_script(data)
    assert script.game is (Game.TR5 if tr5 else Game.TR4)
    assert script.to_bytes() == data
    commands = script.commands[1]
    assert commands is not None
    known = set(OPCODES[script.game]) - {0x82}
    assert {command.opcode for command in commands} == known
    assert retold(data) == data
    text = script_to_text(script)
    assert "Hex=" not in text
    for expected in (
        "PickupCombo= 4, 2, #300, $FFE0, $0400, $4000, $C000, $0010, $0002\n",
        "FMV= 8, 1\nCut= 7\nResidentCut= 1, 1\nResidentCut= 2, 2\n",
        "Name= #3\nLevel= DATA\\ANGKOR1, 104\nYoungLara= ENABLED\nHorizon= ENABLED\nLayer1= 1, 2, 3, -7\n",
        "UVRotate= -16\nLegend= #2\nLensFlare= 100, -7, 50, 9, 8, 7\nMirror= 69, 8704\nFog= 128, 129, 130\n",
        "AnimatingMIP= 2, 2\nResetHUB= 2\n",
        "GiveObject= 1, 2\nTakeObject= 3, 4\n" if tr5 else "LoadCamera= 1, -2, 3, -4, 5, -6, 255\n",
        "[Title]\nLevel= DATA\\TITLE, 104\nHorizon= ENABLED\n",
        "FlyCheat= DISABLED\nLoadSave= ENABLED\nTitle= ENABLED\nPlayAnyLevel= ENABLED\n",
        "[Language]\nFile= 0,ENGLISH.TXT\nFile= 1,FRENCH.TXT\n",
        "InputTimeout= 18000\nSecurity= $55\n",
    ):
        assert expected in text


def test_strings_can_be_given_by_name() -> None:
    language = read_language(language_file())
    text = (
        "[PCExtensions]\nLevel= .TR4\n[Language]\nFile= 0,ENGLISH.TXT\n[Options]\nSecurity= $55\n"
        "[Title]\nLevel= DATA\\TITLE,104\n"
        "[Level]\nName= Angkor Wat\nLegend= Race\\nfor it ; a comment\n"
        "Key= 2, Iris, 0, $0400, 0, $C000, 0, 2\nlevel= DATA\\ANGKOR1, 101\nhorizon= ENABLED\n"
    )
    script = text_to_script(text, language)
    assert script.commands[1] == [
        ScriptCommand(0x8C, (3,)),
        ScriptCommand(0x94, (2, 0, 0x400, 0, 0xC000, 0, 2)),
        ScriptCommand(0x81, (1, 4, 1, 101)),
        ScriptCommand(0x83),
    ]
    assert script.files.texts == [b"DATA\\TITLE", b"DATA\\ANGKOR1"]
    assert script.languages.tobytes() == b"ENGLISH.DAT\0"
    shown = script_to_text(script, language)
    assert "Name= #1 ; Angkor Wat\n" in shown
    assert text_to_script(shown).to_bytes() == script.to_bytes()
    with pytest.raises(TextError, match="line 10: without the language file 'Angkor Wat'"):
        text_to_script(text)
    with pytest.raises(TextError, match="line 10: the language file has no string 'Angkor Thom'"):
        text_to_script(text.replace("Angkor Wat", "Angkor Thom"), language)


def test_trng_footers_are_kept() -> None:
    footer = trng_footer((0x800B, bytes(range(70))), (0x8016, b""), (0x800C, b"ab"))
    data = script_file(footer=footer)
    assert read_script(data).language_files == ["ENGLISH.DAT", "FRENCH.DAT"]
    assert retold(data) == data


@pytest.mark.parametrize(
    "data",
    [
        script_file(paths=(b"UNUSED", b"DATA\\A", b"DATA\\A", b"DATA\\B,C", b"a;b")),
        script_file(paths=()),
        script_file(levels=[]),
        script_file(levels=[b"", b"\x83", b"\xff\x01", every_command()[:-1], TITLE_LEVEL * 2]),
        script_file(levels=[b"\x82" + bytes([0, 8, 9, 104]) + b"\x83"]),
        script_file(options=0xFFFFFFFF, languages=b"NAME.TXT\0\0.DAT\0unended"),
        script_file(languages=b"NAME.TXT\0\0.DAT\0"),
        script_file(languages=b""),
        script_file(languages=b"ENGLISH.DAT\0NG\0"),
        script_file(footer=b"more"),
    ],
)
def test_odd_scripts_come_back(data: bytes) -> None:
    assert read_script(data).to_bytes() == data
    assert retold(data) == data


def test_levels_that_overlap_are_kept_as_bytes() -> None:
    script = read_script(script_file())
    script.level_offsets = np.array([3, 1], np.uint16)
    script.file_offsets = np.array([2, 2], np.uint16)
    data = script.to_bytes()
    assert read_script(data).levels is None
    assert "[Raw]\nFileOffsets= 02 00 02 00\n" in script_to_text(read_script(data))
    assert retold(data) == data


BASE = script_to_text(read_script(script_file()))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Fog= 128, 129, 130", "Fog= 128, 129", "3 values are needed here, not 2"),
        ("Fog= 128, 129, 130", "Fog= 128, 129, 256", "256 is not between 0 and 255"),
        ("Fog= 128", "Frog= 128", "'Frog' is not known here"),
        ("Key= 12, #300", "Key= 13, #300", "there is no Key 13"),
        ("Key= 12, #300", "Key= 12, Iris", "without the language file 'Iris'"),
        ("Key= 12, #300", "Key= 12, #70000", "70000 is not between 0 and 65535"),
        ("Legend= #2", "Legend= #256", "256 is not between 0 and 255"),
        ("Horizon= ENABLED", "Horizon= 1", "ENABLED or DISABLED is needed here, not '1'"),
        ("Name= #3\n", "", "a level needs Name="),
        ("Level= DATA\\ANGKOR1, 104\n", "", "a level needs Level="),
        ("Name= #3", "Name= #3\nName= #3", "Name is here twice"),
        ("Level= DATA\\ANGKOR1, 104", "Level= A, 1\nLevel= A, 1", "Level is here twice"),
        ("Level= DATA\\ANGKOR1, 104", "Level= DATA\\ANGKOR1", "'DATA\\\\ANGKOR1' is not a number"),
        ("File= 1,FRENCH.TXT", "File= 2,FRENCH.TXT", "language 1 is next, not 2"),
        ("File= 1,FRENCH.TXT", "File= 1,NG.TXT", "cannot begin with NG"),
        ("File= 1,FRENCH.TXT", "File= 1", "a language is File= 0,ENGLISH.TXT"),
        ("Level= .PSX", "Level= .PSXX2", "at most 5 bytes"),
        ("Security= $55", "Secrecy= $55", "'Secrecy' is not known in [Options]"),
        ("[Options]", "[Option]", "[Option] is here twice, or not a section"),
        ("Security= $55", "Security= $55\nGame= TR3", "the game is TR4 or TR5"),
    ],
)
def test_errors_name_the_line(old: str, new: str, problem: str) -> None:
    before, _, after = BASE.partition(old)
    assert old in BASE
    with pytest.raises(TextError) as caught:
        text_to_script(before + new + after)
    assert problem in caught.value.problem
    line = (before + new + after).split("\n")[caught.value.line - 1]
    assert line.startswith(new.split("\n")[-1] or "[Level]")


def prescan(level: bytes) -> list[int]:
    """Return the opcodes that the game sees when it searches names of levels: it does not know items."""
    sizes = {0x80: 1, 0x81: 5, 0x82: 4, 0x83: 0, 0x84: 1, 0x85: 1, 0x86: 1, 0x87: 1, 0x88: 1, 0x89: 4,
             0x8A: 4, 0x8B: 1, 0x8C: 1, 0x8D: 9, 0x8E: 5, 0x8F: 3, 0x90: 1, 0x91: 25, 0x92: 1}  # fmt: skip
    seen, place = [], 0
    while place < len(level):
        seen.append(level[place])
        if level[place] == 0x83:
            break
        place += 1 + sizes.get(level[place], 2)
    return seen


@given(st.lists(st.integers(0, 0xFFFF), min_size=6, max_size=6), st.sampled_from([0x93, 0xA6, 0xD9]))
def test_items_that_the_game_would_misread_do_not_compile(values: list[int], code: int) -> None:
    opcode = OPCODES[Game.TR4][code]
    numbers = ", ".join(map(str, (*opcode.numbers, "#5", *values)))
    text = f"[Level]\n{opcode.name}= {numbers}\nName= #1\nLevel= A, 1\n"
    level = encode_level(
        [ScriptCommand(code, (5, *values)), ScriptCommand(0x81, (1, 0, 0, 1)), ScriptCommand(0x83)], Game.TR4
    )
    is_misread = any(0x80 <= seen <= 0x92 for seen in prescan(level)[:5])
    try:
        script = text_to_script(text)
    except TextError as error:
        assert is_misread
        assert error.line == 2
        assert "which the game would take for a command" in error.problem
        assert decode_level(level, Game.TR4) is None  # so that such a level of a file is shown as bytes
        data = script_file(levels=[level])
        assert retold(data) == data
    else:
        assert not is_misread
        assert prescan(level)[-2:] == [0x81, 0x83]
        assert script.level_data.tobytes() == level


def test_the_real_hazard_names_the_value() -> None:
    text = "[Level]\nKey= 1, #5, $0088, $0400, 0, $C000, 0, 2\nName= #1\nLevel= A, 1\n"
    with pytest.raises(TextError, match=r"line 2: the y offset has the byte \$88"):
        text_to_script(text)
    assert len(ITEM) == 14


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=6), st.booleans())
def test_changed_scripts_end_in_an_error_or_come_back(changes: list[tuple[int, int]], tr5: bool) -> None:
    data = bytearray(script_file(tr5=tr5, footer=trng_footer((0x800C, b"abcd"))))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        script = read_script(bytes(data))
    except FormatError as error:
        assert error.offset is not None
        return
    assert script.to_bytes() == data
    assert retold(bytes(data)) == data


@pytest.mark.parametrize("value", [0, 1, 0xFF])
def test_hostile_counts_of_scripts_are_an_error_or_come_back(value: int) -> None:
    for place in range(16):
        data = bytearray(script_file())
        data[place] = value
        try:
            assert read_script(bytes(data)).to_bytes() == data
        except FormatError:
            continue
        assert retold(bytes(data)) == data


@pytest.mark.fuzz
def test_every_cut_of_a_script_is_an_error_or_comes_back() -> None:
    data = script_file()
    whole = len(data) - len(b"ENGLISH.DAT\0FRENCH.DAT\0")
    for size in range(len(data)):
        if size < whole:
            with pytest.raises(FormatError) as caught:
                read_script(data[:size])
            assert caught.value.offset is not None
        else:
            assert retold(data[:size]) == data[:size]


# --- Languages ----------------------------------------

LONG = [b"A string of some length"] * 359


def test_strings_take_the_form_that_builders_know() -> None:
    data = language_file(([b"Load", b" <8F>;", b"a\\nb\n\tc"], [b"\x8f"], [b"f\x81r", b""]))
    text = language_to_text(read_language(data))
    assert text == (
        "[Strings]\n0: Load\n1: <20><3C>8F><3B>\n2: a<5C>nb\\n\\tc\n\n"
        "[PSXStrings]\n3: <8F>\n\n[PCStrings]\n4: für\n5:\n"
    )
    assert text_to_language(text).to_bytes() == data
    assert text_to_language("[Strings]\nLoad\n[PCStrings]\nAll: of it\n").to_bytes() == language_file(
        ([b"Load"], [], [b"All: of it"])
    )


@given(st.lists(st.lists(st.binary(max_size=8), max_size=4), min_size=3, max_size=3))
def test_any_strings_come_back(parts: list[list[bytes]]) -> None:
    parts = [[text.replace(b"\0", b"").replace(b"\xa5", b"") for text in part] for part in parts]
    language = Language.of(*parts)
    data = language_file(tuple(parts))
    assert language.to_bytes() == data
    text = language_to_text(language)
    assert "[Raw]" not in text
    assert text_to_language(text).to_bytes() == data
    assert read_language(data).table.texts == [text for part in parts for text in part]


def test_extra_strings_of_trng_can_be_read() -> None:
    strings = extra_strings([(0, b"Another note\n"), (7, b"even"), (7, b"")])
    data = language_file(footer=trng_footer((0x1234, b"xy"), (0x800A, strings)))
    text = language_to_text(read_language(data))
    assert text.endswith(
        "[TRNG]\nChunk= $1234\nData= 78 79\nChunk= $800A\n\n[ExtraNG]\n0: Another note\\n\n7: even\n7:\n"
    )
    assert text_to_language(text).to_bytes() == data
    alone = text_to_language("[Strings]\nLoad\n[ExtraNG]\n3: Mine\n").footer
    assert alone is not None
    assert alone.get(0x800A) == extra_strings([(3, b"Mine")])
    for payload in (b"", b"\x01\0", strings[:-2], strings + b"\0\0", b"\x01\0\0\0\x01\0\xa5\0"):
        data = language_file(footer=trng_footer((0x800A, payload), (0x800A, strings)))
        assert retold_language(data) == data


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("[Strings]\n0: Load\n0: Save\n", 3, "string 1 is next, not 0"),
        ("[Strings]\nLoad\n[PSXStrings]\n0: X\n", 4, "string 1 is next, not 0"),
        ("[Strings]\n0: Señor, MAÑANA\n", 2, "the games cannot hold 'Ñ' (byte A5) in a string"),
        ("[Strings]\n0: <A5>\n", 2, "the games cannot hold 'Ñ'"),
        ("[Strings]\n0: Łoś\n", 2, "the game has no character 'Ł'"),
        ("[Strings]\n[Words]\n", 2, "[Words] is here twice, or not a section"),
        ("[Strings]\n[strings]\n", 2, "[strings] is here twice"),
        ("[TRNG]\nData= 00\n", 2, "a chunk begins with Chunk="),
        ("[TRNG]\nChunk= 1\nData= 00\n", 1, "chunk $0001 has 1 bytes"),
        ("[TRNG]\n[TRNG]\n", 2, "[TRNG] is here twice"),
        ("[ExtraNG]\nNote\n", 2, "an extra string begins with its number"),
        ("[ExtraNG]\n1: MAÑANA\n", 2, "the games cannot hold 'Ñ'"),
        ("[Strings]\n" + "0123456789\n" * 6000, 1, "too large sizes: 66000"),
    ],
)
def test_errors_in_languages_name_the_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(TextError) as caught:
        text_to_language(text)
    assert caught.value.line == line
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("parts", "problem", "count"),
    [
        ([0x10000, 0, 0], "too large counts", 0x10000),
        ([1, 0x10000, 0], "too large counts", 0x10000),
        ([0, 0, b"x" * 0xFFFF], "too large sizes", 0x10000),
        ([b"x" * 0x7FFF, b"x" * 0x7FFF, 2], "too many bytes of strings", 0x10002),
    ],
)
def test_more_than_the_file_can_number_is_named(parts: list[int | bytes], problem: str, count: int) -> None:
    lists = [[b""] * part if isinstance(part, int) else [part] for part in parts]
    with pytest.raises(ExportError, match=problem) as caught:
        Language.of(*lists)
    assert (caught.value.count, caught.value.limit) == (count, 0xFFFF)


def test_characters_that_cannot_be_ciphered_are_refused() -> None:
    with pytest.raises(ExportError, match="A5"):
        Language.of([b"MA\xa5ANA"], [], [])


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6))
def test_changed_languages_end_in_an_error_or_come_back(changes: list[tuple[int, int]]) -> None:
    data = bytearray(language_file(footer=trng_footer((0x800A, extra_strings([(1, b"One")])))))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        language = read_language(bytes(data))
    except FormatError as error:
        assert error.offset is not None
        return
    assert language.to_bytes() == data
    assert retold_language(bytes(data)) == data


@pytest.mark.parametrize("value", [0, 1, 0xFFFF])
def test_hostile_counts_of_languages_are_an_error_or_come_back(value: int) -> None:
    for place in range(0, 14, 2):
        data = bytearray(language_file((LONG[:204], LONG[:96], LONG[:59])))
        pack_into("<H", data, place, value)
        try:
            language = read_language(bytes(data))
        except FormatError:
            continue
        assert language.to_bytes() == data
        assert retold_language(bytes(data)) == data
