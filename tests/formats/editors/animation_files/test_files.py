"""Single animations as files: what they hold, what is written, and what is refused."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError
from io_tomb_raider.formats.editors.animation_files.anim import read_anim, write_anim
from io_tomb_raider.formats.editors.animation_files.animation import (
    AnimationFile,
    Blending,
    FileCommand,
    FileDispatch,
    FileStateChange,
    same_numbers,
)
from io_tomb_raider.formats.editors.animation_files.files import (
    is_animation_file,
    number_in_name,
    numbered_name,
    read_animation,
    write_animation,
)
from io_tomb_raider.formats.editors.animation_files.game import (
    FileSpeeds,
    command_of,
    file_command,
    keys_of,
    length_of,
    merge_commands,
    merge_keys,
    new_file,
    speeds_of,
    velocities_of,
)
from io_tomb_raider.formats.editors.animation_files.trw import read_trw, write_trw
from io_tomb_raider.formats.levels.animations.animations import AnimationCommand
from tests.animation_samples import (
    anim_change,
    anim_command,
    anim_dispatch,
    anim_file,
    anim_key,
    anim_text,
    trw_file,
)
from tests.real_levels import real_motions

pytestmark = pytest.mark.once

FULL = anim_text(
    [anim_key((1.5, 20, -3), [(10, 350, 0), (0.3515625, 0, 1e-05)]), anim_key((2, 21, -3), [(0, 0, 0)] * 2)],
    speeds=(47, 40.5, 0, -3),
    following=(103, 4),
    last=1,
    changes=[anim_change(62, anim_dispatch(0, 2, 26, 0), anim_dispatch(5, 6, 27, 1)), anim_change(3)],
    commands=[
        anim_command("SetPosition", 1, -2, 3),
        anim_command("PlaySound", 12, 52, 2),
        anim_command("DisableInterpolation", 4),
    ],
)
# An empty list of dispatches, as .NET writes it.
FULL = FULL.replace("            <Dispatches>\n\n            </Dispatches>", "            <Dispatches />")


def test_an_animation_has_the_units_and_angles_of_games() -> None:
    found = read_anim(FULL.encode())
    assert (found.name, found.state, found.frame_rate, found.last_frame) == ("WALK", 1, 2, 1)
    assert (found.next_animation, found.next_frame, found.is_relative) == (103, 4, False)
    assert found.velocities.tolist() == [47, 40.5, 0, -3]
    assert found.offsets.tolist() == [[1.5, -20, -3], [2, -21, -3]]
    assert found.boxes[0].tolist() == [[-100, -200, -100], [100, 0, 100]]
    turn = 65536 / 360
    assert np.allclose(found.angles[0], [[-10 * turn, 350 * turn, 0], [-64, 0, -1e-05 * turn]])
    assert found.state_changes == (
        FileStateChange(62, (FileDispatch(0, 2, 26, 0), FileDispatch(5, 6, 27, 1))),
        FileStateChange(3),
    )
    assert found.commands == (FileCommand(1, 1, -2, 3), FileCommand(5, 12, 52, 2), FileCommand(7, 4, 0, 0))


def test_an_unedited_animation_is_written_byte_for_byte() -> None:
    for text in (FULL, FULL.replace("\n", "\r\n"), FULL + "\n", FULL.replace("WALK", "W&amp;A &lt;L&gt;")):
        assert write_anim(read_anim(text.encode())) == text.encode()
    empty = anim_text([], name="x").replace("<Name>x</Name>", "<Name />")
    assert write_anim(read_anim(empty.encode())) == empty.encode()


def test_encodings_and_byte_order_marks_are_read_and_kept() -> None:
    text = FULL.replace("WALK", "Größe Ω").replace("\n", "\r\n")
    plain = read_anim(text.encode())
    assert plain.name == "Größe Ω"
    for encoding, mark in (
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
    ):
        data = mark + text.encode(encoding)
        found = read_anim(data)
        assert same_numbers(found, plain)
        assert write_anim(found) == data
    latin = FULL.replace("utf-16", "iso-8859-1").replace("WALK", "Größe").encode("latin-1")
    assert read_anim(latin).name == "Größe" and write_anim(read_anim(latin)) == latin


def test_names_of_any_characters_come_back_and_impossible_ones_are_replaced() -> None:
    animation = read_anim(FULL.encode())
    for name in ("A & B < C > D", "\"quoted\" 'single'", "日本", " spaced ", "]]>", ""):
        assert read_anim(write_anim(replace(animation, name=name))).name == name
    assert read_anim(write_anim(replace(animation, name="a\0b\x0cc"))).name == "a_b_c"


def test_blending_of_newer_files_round_trips() -> None:
    curve = (0.0, 0.0, 1.0, 1.0, 0.25, 0.25, 0.75, 0.75)
    animation = replace(
        read_anim(FULL.encode()),
        blending=Blending(5, curve),
        state_changes=(FileStateChange(1, (FileDispatch(0, 1, 2, 3, 4, Blending(7, curve)),)),),
    )
    data = write_anim(animation)
    assert b"<NextFrameLow>3</NextFrameLow>" in data and b"<NextFrameHigh>4</NextFrameHigh>" in data
    assert data.index(b"EndLateralVelocity") < data.index(b"BlendFrameCount") < data.index(b"KeyFrames")
    assert same_numbers(read_anim(data), animation)
    unknown = FULL.replace("    <KeyFrames>", "    <Later><X>1</X></Later>\n    <KeyFrames>", 1)
    assert same_numbers(read_anim(unknown.encode()), read_anim(FULL.encode()))


@pytest.mark.parametrize(
    ("old", "new", "section", "expected"),
    [
        ("<FrameRate>2<", "<FrameRate>256<", "FrameRate", "0 to 255"),
        ("<FrameRate>2<", "<FrameRate>2.0<", "FrameRate", "whole number"),
        ("<StateId>1<", "<StateId>-1<", "StateId", "0 to 65535"),
        ("<X>1.5<", "<X>1,5<", "X", "decimal point"),
        ("<X>1.5<", "<X>NaN<", "X", "decimal point"),
        ("<X>1.5<", "<X>INF<", "X", "decimal point"),
        ("<X>1.5<", "<X>1e39<", "X", "decimal point"),
        ("<X>1.5<", "<X>1_5<", "X", "decimal point"),
        ("<X>1.5<", "<X>٣<", "X", "decimal point"),
        ("<X>1.5</X>", "", "Offset", "element X"),
        ("<X>1.5</X>", "<X />", "X", "decimal point"),
        ("<X>1.5</X>", "<X>1</X><X>2</X>", "X", "one X"),
        (">PlaySound<", ">PlaySong<", "Type", "PlaySound"),
        ("<Parameter2>52<", "<Parameter2>40000<", "Parameter2", "32767"),
        ("WadAnimation", "WadMoveable", "WadMoveable", "WadAnimation"),
        ("    <EndFrame>1</EndFrame>\n", "", "WadAnimation", "EndFrame"),
        ("</KeyFrames>", "</KeyFrame>", "WadAnimation/KeyFrames", "XML"),
        ("<KeyFrames>", "<KeyFrames>&boom;", "WadAnimation/KeyFrames", "XML"),
    ],
)
def test_errors_name_the_element_and_the_line(old: str, new: str, section: str, expected: str) -> None:
    text = FULL.replace(old, new)
    assert text != FULL
    with pytest.raises(FormatError) as caught:
        read_anim(text.encode())
    error = caught.value
    assert error.section == section and expected in error.expected and error.found
    assert error.line is not None and error.offset is not None and f"line {error.line}" in str(error)
    if new and section == old.strip("<>0123456789.,").rstrip("<"):
        assert old.split("<")[1].split(">")[0] in text.splitlines()[error.line - 1]


def test_lines_and_bytes_of_errors_are_those_of_the_file() -> None:
    text = FULL.replace("<X>1.5<", "<X>1,5<").replace("WALK", "Größe")
    line = next(number for number, row in enumerate(text.splitlines(), 1) if "1,5" in row)
    for encoding in ("utf-8", "utf-16"):
        data = text.encode(encoding)
        with pytest.raises(FormatError) as caught:
            read_anim(data)
        error = caught.value
        assert error.line == line and error.offset is not None and error.found == "1,5"
        name = "utf-16-le" if encoding == "utf-16" else encoding
        assert data[error.offset :].startswith("<X>1,5".encode(name))


def test_keys_with_another_count_of_angles_are_refused() -> None:
    text = anim_text([anim_key((0, 0, 0), [(0, 0, 0)] * 2), anim_key((0, 0, 0), [(0, 0, 0)] * 3)])
    with pytest.raises(FormatError, match="expected 2 angles as in the first key, found 3") as caught:
        read_anim(text.encode())
    assert (caught.value.section, caught.value.element) == ("Angles", 1)
    box, offset, turn = (0,) * 6, (0,) * 3, (0,) * 3
    keys = [(box, offset, (turn,) * 2), (box, offset, (turn,) * 3)]
    with pytest.raises(FormatError, match="expected 2 angles as in the first key, found 3") as caught:
        read_trw(trw_file(keys))
    assert (caught.value.section, caught.value.element) == ("keys", 1)


def test_xml_bombs_are_refused() -> None:
    head = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    head += "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    with pytest.raises(FormatError, match="DOCTYPE"):
        read_anim(f"{head}]><WadAnimation><Name>&j;</Name></WadAnimation>".encode())
    with pytest.raises(FormatError, match="DOCTYPE"):
        read_anim(b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><WadAnimation />')
    deep = "<WadAnimation>" + "<KeyFrames>" * 100_000
    with pytest.raises(FormatError, match="inside each other"):
        read_anim(deep.encode())
    with pytest.raises(FormatError, match="at most 1000000 elements"):
        read_anim(b"<WadAnimation>" + b"<a/>" * 1_000_001)
    with pytest.raises(FormatError, match="characters"):
        read_anim(f"<WadAnimation><Name>{'x' * 5000}</Name></WadAnimation>".encode())
    with pytest.raises(FormatError, match="at most"):
        read_anim(bytes(1 << 26) + b"x")


def test_a_binary_animation_has_the_same_units() -> None:
    found = read_trw(trw_file())
    assert (found.state, found.frame_rate, found.last_frame, found.is_relative) == (7, 2, 2, True)
    assert (found.next_animation, found.next_frame) == (-2, 1)
    assert found.velocities.tolist() == [3, 2.5, 0.5, 0.5]
    assert found.boxes[1].tolist() == [[-10, -21, -30], [10, 0, 30]]
    assert found.offsets.tolist() == [[0, -100, 4], [1, -99, 5]]
    assert found.angles[0].tolist() == [[16384, 0, 65472], [0, 0, 32768]]
    assert found.state_changes == (FileStateChange(5, (FileDispatch(0, 4, -1, 2),)),)
    assert found.commands == (FileCommand(5, 3, 17, 2),)
    assert write_trw(found) == trw_file()


def test_damaged_state_changes_are_left_out_as_in_other_programs() -> None:
    for data in (trw_file()[:-5], trw_file() + b"more"):
        found = read_trw(data)
        assert found.state_changes == () and found.keys == 2
        assert "state changes are damaged" in found.problems[0]
    assert not read_trw(trw_file()).problems


def test_invalid_binary_animations_are_refused() -> None:
    with pytest.raises(FormatError, match="expected version 190, kind 5, found version 170"):
        read_trw(trw_file(version=170))
    with pytest.raises(FormatError, match="at least one key"):
        read_trw(trw_file([]))
    with pytest.raises(FormatError) as caught:
        read_trw(trw_file()[:-60])
    assert caught.value.section == "keys" and caught.value.sizes is not None
    data = bytearray(trw_file())
    at = data.index(struct.pack("<III", 28, 3, 2)) + 8
    data[at : at + 4] = b"\xff\xff\xff\x7f"
    with pytest.raises(FormatError):
        read_trw(bytes(data))
    with pytest.raises(FormatError):
        read_animation(b"", ".txt")


# --- Round trips ----------------------------------------

_float = st.floats(-1e6, 1e6, width=32).map(lambda value: value + 0.0)
_u16, _i16 = st.integers(0, 0xFFFF), st.integers(-0x8000, 0x7FFF)


def _changes(following: Any) -> Any:
    """Return a strategy for state changes whose next animations come from another one."""
    rows = st.tuples(_u16, _u16, following, _u16).map(lambda row: FileDispatch(*row))
    return st.lists(st.builds(FileStateChange, _u16, st.lists(rows, max_size=3).map(tuple)), max_size=3)


_text = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=30
)


def _arrays(draw: Callable[..., Any], keys: int, bones: int, value: Any) -> tuple[Any, Any, Any]:
    sizes = (6 * keys, 3 * keys, 3 * keys * bones)
    rows = [np.array(draw(st.lists(value, min_size=size, max_size=size)), np.float64) for size in sizes]
    return rows[0].reshape(keys, 2, 3), rows[1].reshape(keys, 3), rows[2].reshape(keys, bones, 3)


@st.composite
def _anims(draw: Callable[..., Any]) -> AnimationFile:
    keys, bones = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    boxes, offsets, degrees = _arrays(draw, keys, bones, _float)
    return AnimationFile(
        name=draw(_text),
        state=draw(_u16),
        frame_rate=draw(st.integers(0, 255)),
        last_frame=draw(_u16),
        next_animation=draw(_u16),
        next_frame=draw(_u16),
        velocities=np.array(draw(st.lists(_float, min_size=4, max_size=4))),
        boxes=boxes,
        offsets=offsets,
        angles=(degrees * (65536 / 360)).reshape(keys, bones if keys else 0, 3),
        state_changes=tuple(draw(_changes(_u16))),
        commands=draw(
            st.lists(st.builds(FileCommand, st.integers(1, 7), _i16, _i16, _i16), max_size=3).map(tuple)
        ),
    )


@given(_anims())
def test_every_text_animation_comes_back(animation: AnimationFile) -> None:
    data = write_anim(animation)
    found = read_anim(data)
    assert same_numbers(found, animation)
    assert write_anim(found) == data


def test_numbers_with_nine_digits_round_trip() -> None:
    """Older versions of .NET write 7 digits, or 9 where these are too few; 8 are enough for some."""
    shortest = anim_text([anim_key(("16777.215", 0.5, 7), [(0, 90, 0)])]).encode()
    older = shortest.replace(b"16777.215", b"16777.2148")
    for text in (shortest, older):
        assert write_anim(read_anim(text)) == text
    assert same_numbers(read_anim(shortest), read_anim(older))


@st.composite
def _trws(draw: Callable[..., Any]) -> AnimationFile:
    keys, bones, rate = draw(st.integers(1, 3)), draw(st.integers(0, 3)), draw(st.integers(0, 255))
    boxes, offsets, angles = _arrays(draw, keys, bones, _i16)
    fixed = st.integers(-(2**31), 2**31 - 1).map(lambda value: value / 65536)
    speeds = FileSpeeds(*(draw(fixed) for _ in range(4)))
    if not rate or keys == 1:
        speeds = speeds._replace(acceleration=0.0, lateral_acceleration=0.0)
    ticks = rate * (keys - 1)
    start, growth, lateral, lateral_growth = speeds
    return AnimationFile(
        name="",
        state=draw(_u16),
        frame_rate=rate,
        last_frame=draw(_u16),
        next_animation=draw(_i16),
        next_frame=draw(_u16),
        velocities=np.array([start, start + growth * ticks, lateral, lateral + lateral_growth * ticks]),
        boxes=boxes,
        offsets=offsets,
        angles=angles * 64,
        state_changes=tuple(draw(_changes(_i16))),
        commands=draw(st.lists(st.builds(FileCommand, _u16, _i16, _i16, _i16), max_size=3).map(tuple)),
        is_relative=True,
    )


@given(_trws())
def test_every_binary_animation_comes_back(animation: AnimationFile) -> None:
    data = write_trw(animation)
    found = read_trw(data)
    assert not found.problems and same_numbers(found, animation)
    assert write_trw(found) == data


def test_numbers_that_do_not_fit_are_refused() -> None:
    animation = read_anim(FULL.encode())
    changes: list[dict[str, Any]] = [{"state": 70000}, {"next_frame": -1}, {"frame_rate": 300}]
    for change in changes:
        with pytest.raises(ExportError):
            write_anim(replace(animation, **change))
    with pytest.raises(ExportError):
        write_anim(replace(animation, offsets=np.full((2, 3), 1e39)))
    with pytest.raises(ExportError, match="relative"):
        write_anim(read_trw(trw_file()))
    binary = read_trw(trw_file())
    with pytest.raises(ExportError, match="offset"):
        write_trw(replace(binary, offsets=np.full((2, 3), 40000.0)))
    with pytest.raises(ExportError, match="relative"):
        write_trw(animation)


# --- As in levels ----------------------------------------


def test_keys_of_levels_are_whole_sorted_and_end_with_the_keys() -> None:
    animation = read_anim(anim_file(bones=2, keys=3, last=30, speeds=(10, 14, 0, -2)))
    keys = keys_of(animation)
    assert keys.boxes[0].tolist() == [-100, 100, -200, 0, -100, 100]
    assert keys.offsets.tolist() == [[-8, -400, 0], [-8, -402, 10], [-8, -404, 21]]
    assert keys.angles[1].tolist() == [[64896, 64, 192], [64256, 64, 192]]
    assert length_of(animation) == 4 and length_of(replace(animation, last_frame=3)) == 3
    assert speeds_of(animation) == (10, 1, 0, -0.5)
    assert velocities_of(FileSpeeds(10, 1, 0, -0.5), 3, 2).tolist() == [10, 14, 0, -2]


def test_conditions_of_older_files_are_in_the_number() -> None:
    newer, older = FileCommand(5, 12, 52, 2), FileCommand(5, 12, 52 - 0x8000, 0)
    assert command_of(newer) == command_of(older) == AnimationCommand(5, (12, 52 - 0x8000))
    assert command_of(FileCommand(6, 3, 32, 1)) == AnimationCommand(6, (3, 0x4020))
    assert command_of(FileCommand(7, 3, 0, 0)) is None
    for each in (newer, FileCommand(1, 5, -6, 7), FileCommand(2, -100, 50), FileCommand(3)):
        command = command_of(each)
        assert command is not None and file_command(command) == each


@pytest.mark.parametrize("bits", [10, 12])
def test_unedited_values_keep_their_fractions(bits: int) -> None:
    origin = read_anim(anim_file(bones=2, keys=3, last=30))
    keys = keys_of(origin)
    made = new_file(keys, name="WALK", state=1, rate=2, last_frame=4, following=(0, 0))
    assert same_numbers(merge_keys(made, origin, bits), origin)
    offsets, angles = made.offsets.copy(), made.angles.copy()
    offsets[1, 0] += 5
    angles[2, 1, 0] += 640
    edited = merge_keys(replace(made, offsets=offsets, angles=angles), origin, bits)
    assert np.argwhere(edited.offsets != origin.offsets).tolist() == [[1, 0]]
    assert np.unique(np.argwhere(edited.angles != origin.angles)[:, :2], axis=0).tolist() == [[2, 1]]
    shorter = merge_keys(replace(made, last_frame=3), origin, bits)
    assert shorter.last_frame == 3
    data = write_anim(made)
    assert b"-" not in data.split(b"<Angles>")[1].split(b"</Angles>")[0]  # 0 to 360 degrees
    assert np.array_equal(keys_of(read_anim(data)).angles, keys.angles)


def test_commands_that_levels_lack_keep_their_place() -> None:
    origin = read_anim(FULL.encode()).commands
    old = [command_of(each) for each in origin]
    known = [each for each in old if each is not None]
    assert merge_commands(known, old, origin) == origin
    kill = AnimationCommand(4)
    assert merge_commands([kill, *known[1:]], old, origin) == (FileCommand(4), *origin[1:])
    assert merge_commands([*known, kill], old, origin) == (*origin[:2], FileCommand(4), origin[2])


# --- Names ----------------------------------------


def test_names_of_files() -> None:
    assert numbered_name(123, "A/B: <C>") == "0123_A_B_ _C_.anim"
    assert numbered_name(7, "") == "0007_Animation.anim"
    assert number_in_name("/x/0123_NAME.anim") == 123 and number_in_name("0000_Animation 0.anim") == 0
    assert number_in_name("walk_2.anim") is None and number_in_name("2.anim") is None
    assert is_animation_file("a.ANIM") and is_animation_file("b.Trw") and not is_animation_file("c.xml")


# --- Files of others ----------------------------------------

_REAL = real_motions()
_FILES = [path for path in _REAL if is_animation_file(path)]


def _expected() -> list[dict[str, str]]:
    tables = [path for path in _REAL if path.name == "expected.tsv"]
    rows = [line.split("\t") for path in tables for line in path.read_text().splitlines()]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def _steps(animation: AnimationFile, key: int) -> list[list[int]]:
    """Return the angles of a key in 1/4096 turns."""
    found: list[list[int]] = (np.rint(animation.angles[key] / 16).astype(int) % 4096).tolist()
    return found


@pytest.mark.parametrize("row", [pytest.param(row, id=row["file"]) for row in _expected()])
def test_real_files_are_read_as_by_another_reader(row: dict[str, str]) -> None:
    path = next(each for each in _FILES if each.name == row["file"])
    found = read_animation(path.read_bytes(), path.suffix)
    assert json.loads(row["bones"]) == [found.bones]
    assert (found.name, found.keys, found.frame_rate) == (row["name"], int(row["count"]), int(row["rate"]))
    assert (found.last_frame, found.state) == (int(row["end"]), int(row["state"]))
    assert json.loads(row["next"]) == [found.next_animation, found.next_frame]
    assert np.allclose(json.loads(row["speeds"]), found.velocities, atol=1e-5)
    assert sum(len(each.dispatches) for each in found.state_changes) == int(row["changes"])
    assert len(found.commands) == int(row["commands"])
    for key, name in ((0, "first"), (-1, "last")):
        assert json.loads(row[f"{name}_offset"]) == found.offsets[key].tolist()
        assert json.loads(row[f"{name}_root"]) == _steps(found, key)[0]
        assert json.loads(row[f"{name}_last_bone"]) == _steps(found, key)[-1]
    assert row["digest"] == _digest(found, is_whole=path.suffix == ".trw")


def _digest(animation: AnimationFile, *, is_whole: bool) -> str:
    """Return the digest of all offsets and angles, as the table has it."""
    offsets = (animation.offsets.astype(int) if is_whole else animation.offsets).tolist()
    keys = [[offset, _steps(animation, key)] for key, offset in enumerate(offsets)]
    return hashlib.sha256(json.dumps(keys).encode()).hexdigest()[:16]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in _FILES])
def test_real_files_are_written_byte_for_byte(path: Path) -> None:
    animation = read_animation(path.read_bytes(), path.suffix)
    assert write_animation(animation, path.suffix) == path.read_bytes()
    for cut in range(1, path.stat().st_size, max(path.stat().st_size // 50, 1)):
        try:
            read_animation(path.read_bytes()[:cut], path.suffix)
        except FormatError as error:
            assert error.expected and error.found
        else:
            assert path.suffix == ".trw"
