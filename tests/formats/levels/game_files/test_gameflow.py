"""The script of TR2 and TR3: file to text and back, every build of the game, and damaged files."""

from __future__ import annotations

from pathlib import Path
from struct import pack_into

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError, Game
from io_tomb_raider.formats.base.errors import TextError
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import (
    PC,
    VARIANTS,
    GameflowVariant,
    read_gameflow,
)
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow_sequences import (
    GameflowCommand,
    decode_sequences,
    encode_sequences,
)
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow_text import (
    gameflow_to_text,
    text_to_gameflow,
)
from io_tomb_raider.formats.levels.game_files.strings.string_tables import StringTable

from ....real_levels import real_files
from .gameflow_samples import gameflow_file

REAL = [path for path in real_files(".dat") if "tombp" in path.name.lower()]
each_real_file = pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
# Every known build: PSX, number of strings of the platform, strings of secrets and specials.
BUILDS = [
    *((False, 41, False), (False, 41, True), (False, 79, True), (False, 80, True)),
    *((True, 79, False), (True, 79, True), (True, 80, False), (True, 80, True)),
]
each_variant = pytest.mark.parametrize("variant", [GameflowVariant(*build) for build in BUILDS], ids=str)


def retold(data: bytes) -> bytes:
    """Return a file converted to text and back."""
    return text_to_gameflow(gameflow_to_text(read_gameflow(data))).to_bytes()


@each_real_file
def test_real_scripts_come_back_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    assert read_gameflow(data).to_bytes() == data
    assert retold(data) == data


@each_real_file
def test_real_scripts_have_the_texts_of_the_game(path: Path) -> None:
    gameflow = read_gameflow(path.read_bytes())
    assert gameflow.game is Game.TR3
    assert gameflow.level_names.texts[1] == b"Jungle"
    assert gameflow.keys[3].texts[1] == b"Indra Key"
    text = gameflow_to_text(gameflow)
    assert "\n[Raw]" not in text
    assert "Name= Jungle\nPath= data\\jungle.TR2\nKey4= Indra Key\n" in text
    assert "Cine= cuts\\cut6.TR2\n" in text


@each_variant
def test_every_variant_is_recognized_and_written_unchanged(variant: GameflowVariant) -> None:
    data = gameflow_file(variant)
    gameflow = read_gameflow(data)
    assert gameflow.variant == variant
    assert gameflow.keys[3].texts[1] == b"Item %d" % (9 + 6 * variant.extras)
    assert gameflow.to_bytes() == data
    assert retold(data) == data


@pytest.mark.parametrize("flags", [0, 0x100, 0xFFFF])
@pytest.mark.parametrize("rest", [b"", b"stale bytes"])
def test_ciphers_and_trailing_bytes_round_trip(flags: int, rest: bytes) -> None:
    data = gameflow_file(flags=flags, rest=rest)
    gameflow = read_gameflow(data)
    assert gameflow.level_names.texts == [b"The Wall", b" Venice "]
    assert gameflow.rest.tobytes() == rest
    assert gameflow.to_bytes() == data
    assert retold(data) == data


def test_the_text_reads_as_people_expect() -> None:
    text = gameflow_to_text(read_gameflow(gameflow_file()))
    for expected in (
        "Game= TR2\nPlatform= PC\n",
        "Description= Made up<3B> script\n",
        "Language= GERMAN\nFirstOption= TITLE\nTitleReplace= NONE\nOnDeathInDemo= TITLE\n"
        "OnDeath= SEQUENCE 1\nOnDemoInterrupt= DEMO 2\nOnDemoEnd= $12345\nDemoTime= 9000 ; 300 seconds\n",
        "[FrontEnd]\nFMV= #0 ; fmv\\logo.rpl\nEnd\n",
        "Name= The Wall\nPath= data\\wall.tr2\nPuzzle2= P1\n",
        "LoadPic= pix\\wall.pcx\nTrack= 33\nStartInv= Shotgun\nBonus= SmallMedipack\n"
        "Level= data\\wall.tr2\nCine= data\\cut1.tr2\nComplete\nEnd\n",
        "Name= <20>Venice<20>\n",
        "WaterColour= 1, 2\nLevel= data\\boat.tr2\nWords= $0063, $0007, $0007\n",
        "3: Game <8F>3 <3C>0A> \\n\n",
    ):
        assert expected in text


def test_a_text_written_by_hand_makes_a_script() -> None:
    strings = "".join(f"P{number}\n" for number in range(41))
    gameflow = text_to_gameflow(
        "[Script]\nGame= tr3\nDescription= Mine\n[Options]\nCipher= ENABLED\nCipherKey= $A6\n"
        "[FMVs]\nfmv\\logo.rpl\n[FrontEnd]\nFMV= FMV\\Logo.rpl\nEnd\n"
        "[Level]\nName= Home ; sweet home\nPath= data\\house.tr2\nKey2= Old Key\n"
        "bonus= key2\nLevel= #0\nEnd\n[GameStrings]\nINVENTORY\n[PCStrings]\n" + strings
    )
    data = gameflow.to_bytes()
    again = read_gameflow(data)
    assert again.level_names.texts == [b"Home"]
    assert again.keys[1].texts == [b"Old Key"]
    assert again.keys[0].texts == [b"K1"]
    assert again.sequence_data.view("<u2").tolist() == [3, 0, 9, 18, 1026, 4, 0, 9]
    assert again.sequence_offsets.tolist() == [0, 6]
    assert b"Home" not in data


def test_tables_that_their_strings_do_not_give_are_kept_as_bytes() -> None:
    gameflow = read_gameflow(gameflow_file())
    gameflow.level_names = StringTable((4, 4), b"The Wall\0and more")
    gameflow.keys = (StringTable((0, 0), b"K1\0"), *gameflow.keys[1:])
    gameflow.sequence_offsets = np.array([6, 0, 2], np.uint16)
    data = gameflow.to_bytes()
    assert read_gameflow(data).level_names.texts == [b"Wall", b"Wall"]
    text = gameflow_to_text(read_gameflow(data))
    assert "[Raw]\nSequenceOffsets= 06 00 00 00 02 00\n" in text
    assert text_to_gameflow(text).to_bytes() == data


BASE = gameflow_to_text(read_gameflow(gameflow_file()))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Track= 33", "Track= 70000", "70000 is not between 0 and 65535"),
        ("Track= 33", "Track= many", "'many' is not a number"),
        ("Track= 33", "Track= 1, 2", "1 values are needed here, not 2"),
        ("Track= 33", "Trakc= 33", "'Trakc' is not known here"),
        ("FMV= #0", "FMV= fmv\\logo.rpl", "'fmv\\\\logo.rpl' is there 2 times"),
        ("Cine= data\\cut1.tr2", "Cine= data\\cut9.tr2", "is not in the list that Cine takes from"),
        ("StartInv= Shotgun", "StartInv= Desert", "is not in the list that StartInv takes from"),
        ("Language= GERMAN", "Language= ELVISH", "'ELVISH' is not a number"),
        ("Platform= PC", "Platform= ZX", "the platform is PC or PSX"),
        ("Cipher= ENABLED", "Cipher= maybe", "ENABLED or DISABLED is needed here"),
        ("Cipher= ENABLED", "Cipher= ENABLED\nCipher= ENABLED", "Cipher is here twice"),
        ("Name= The Wall", "Name= The Wäll", "the game has no character 'ä'"),
        ("Name= The Wall\n", "", "a level needs Name="),
        ("40: Platform\n", "", "the game wants 41 strings here, not 40"),
        ("40: Platform\n", "41: Platform\n", "string 40 is next, not 41"),
        ("40: Platform\n", "40: <00>\n", "cannot hold the byte 00"),
        ("[Demos]", "[Demo]", "[Demo] is not a section of a script"),
        ("[Demos]", "[FMVs]", "[FMVs] is here twice"),
        ("Unknown3= 00", "Unknown3= 0", "not bytes of two hexadecimal digits"),
        ("Unknown3= 00", "Unknown3= 00 00", "Unknown3 has 6 bytes, not 7"),
    ],
)
def test_errors_name_the_line(old: str, new: str, problem: str) -> None:
    before, _, after = BASE.partition(old)
    assert old in BASE
    with pytest.raises(TextError) as caught:
        text_to_gameflow(before + new + after)
    assert problem in caught.value.problem
    line = (before + new + after).split("\n")[caught.value.line - 1]
    last = new.strip("\n").split("\n")[-1]
    assert line.startswith(last or ("[Level]", "[PCStrings]"))


def test_too_much_for_the_file_is_an_error() -> None:
    with pytest.raises(TextError, match="more than 65535"):
        text_to_gameflow(BASE.replace("0: data\\title.tr2", f"0: {'x' * 65535}"))
    with pytest.raises(TextError, match="at most 256 bytes"):
        text_to_gameflow(BASE.replace("Made up", "x" * 300))
    with pytest.raises(TextError, match="too many bytes of commands"):
        text_to_gameflow(BASE.replace("Complete\n", "Complete\n" * 40000))
    with pytest.raises(TextError, match="line 1: a section"):
        text_to_gameflow("Name= Home\n")
    gameflow = read_gameflow(gameflow_file())
    gameflow.level_names = StringTable.of([b"One", b"Two", b"Three"])
    with pytest.raises(ExportError, match="level_paths") as caught:
        gameflow.to_bytes()
    assert (caught.value.count, caught.value.limit) == (2, 3)


words = st.integers(0, 40) | st.integers(0, 0xFFFF)


@given(st.lists(st.lists(words, max_size=12), min_size=1, max_size=5))
def test_any_words_come_back_from_commands(sequences: list[list[int]]) -> None:
    offsets = np.cumsum([0, *map(len, sequences[:-1])]).astype(np.uint16) * 2
    data = np.array([word for each in sequences for word in each], "<u2").view(np.uint8)
    commands = decode_sequences(offsets, data)
    assert commands is not None
    back, again = encode_sequences(commands)
    assert back.tolist() == offsets.tolist()
    assert again.tolist() == data.tolist()


@pytest.mark.parametrize(("offsets", "length"), [([], 4), ([2], 4), ([0, 3], 4), ([0, 6, 4], 8), ([0], 3)])
def test_invalid_sequences_are_not_decoded(offsets: list[int], length: int) -> None:
    assert decode_sequences(np.array(offsets, np.uint16), np.zeros(length, np.uint8)) is None


def test_a_cut_command_keeps_the_operands_that_it_has() -> None:
    assert decode_sequences(np.array([0], np.uint16), np.array([28, 0, 1, 0], np.uint8)) == [
        [GameflowCommand(28, (1,))]
    ]


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=6), st.sampled_from(VARIANTS))
def test_changed_bytes_end_in_an_error_or_come_back(
    changes: list[tuple[int, int]], variant: GameflowVariant
) -> None:
    data = bytearray(gameflow_file(variant))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        gameflow = read_gameflow(bytes(data))
    except FormatError as error:
        assert error.offset is not None
        return
    assert gameflow.to_bytes() == data
    assert text_to_gameflow(gameflow_to_text(gameflow)).to_bytes() == data


@pytest.mark.fuzz
def test_every_cut_is_an_error() -> None:
    data = gameflow_file()
    for size in range(len(data)):
        with pytest.raises(FormatError) as caught:
            read_gameflow(data[:size])
        assert caught.value.offset is not None and caught.value.offset <= size


@pytest.mark.parametrize("value", [0, 1, 0xFFFF])
def test_hostile_counts_are_an_error_or_come_back(value: int) -> None:
    sound = gameflow_file()
    for place in (260, *range(262 + 64, 262 + 76, 2), 390, len(sound) - 2):
        data = bytearray(sound)
        pack_into("<H", data, place, value)
        try:
            gameflow = read_gameflow(bytes(data), PC)
        except FormatError:
            continue
        assert gameflow.to_bytes() == data
