"""JSON5 texts: every form of values, and edits that keep all that they do not change."""

from __future__ import annotations

import contextlib
import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats.base.errors import TextError
from io_tomb_raider.formats.levels.game_files.trx.json5 import dumped, edited, is_same, parse

GAME = """{
    // A game of two levels
    "engine": 2, name: 'It\\'s a game',
    /* all
       levels */
    "levels": [
        // The first
        {"path": "one.tr2", "fog": +.5, "mask": 0xFF}, // keep this
        {
            "path": "two.tr2",
            "numbers": [1, 2, 3],
        }, /* and this */
    ],
}
"""


def change(text: str, value: Any) -> str:
    """Edit a text, and check that it then has the value."""
    found = edited(text, parse(text), value)
    assert is_same(parse(found).value, value), found
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", 31),
        ("-0xa", -10),
        (".5", 0.5),
        ("5.", 5.0),
        ("+1e3", 1000.0),
        ("-Infinity", -math.inf),
        (
            r"'a\x41\u00e9\
b\'\q\0'",
            "aA\u00e9b'q\0",
        ),
        ("{a: 1, $b_2: 2, 'c d': 3, \u00fc: 4,}", {"a": 1, "$b_2": 2, "c d": 3, "\u00fc": 4}),
        ("\ufeff[true, false, null,] // end", [True, False, None]),
        ("[/* , */]", []),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_every_form_is_read(text: str, value: Any) -> None:
    assert is_same(parse(text).value, value)
    assert edited(text, parse(text), value) == text


def test_equality_of_values_respects_types() -> None:
    assert is_same({"a": 1, "b": [math.nan]}, {"b": [math.nan], "a": 1.0})
    assert not is_same(1, True)
    assert not is_same("1", 1)
    assert not is_same([1, 2], [2, 1])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ("[1 2]", 1),
        ("{\n'a' 1}", 2),
        ("{\n\n'a': }", 3),
        ("'open", 1),
        ("'\\u12'", 1),
        ("[1]\n]", 2),
        ("[,]", 1),
        ("01", 1),
        ("1x", 1),
        ("[" * 5000, 1),
        ("9" * 5000, 1),
        ("/* open", 1),
    ],
)
def test_errors_name_the_line(text: str, line: int) -> None:
    with pytest.raises(TextError) as error:
        parse(text)
    assert error.value.line == line


def test_edits_keep_comments_and_forms() -> None:
    value = parse(GAME).value
    value["levels"][1]["numbers"] = [1, 3]
    value["levels"][1]["title"] = "Two"
    value["levels"].append({"path": "three.tr2", "sequence": [{"type": "loop_game"}]})
    expected = GAME.replace("[1, 2, 3],", '[1, 3],\n            "title": "Two",')
    new = """
        {
            "path": "three.tr2",
            "sequence": [
                {"type": "loop_game"},
            ],
        },"""
    assert change(GAME, value) == expected.replace("/* and this */", "/* and this */" + new)


def test_removed_elements_leave_no_rest() -> None:
    value = parse(GAME).value
    del value["levels"][0]["mask"], value["levels"][1]
    lines = GAME.splitlines(keepends=True)
    lines[7] = lines[7].replace(', "mask": 0xFF', "")
    assert change(GAME, value) == "".join(lines[:8] + lines[12:])
    assert change("[1, 2, 3]", [1]) == "[1]"
    assert change("[1, 2, 3]", [3]) == "[3]"
    assert change("[1]", []) == "[]"
    assert change("[]", [1, 2]) == "[1, 2]"
    assert change('{"a": 1, "b": 2}', {"a": 1, "c": 3}) == '{"a": 1, "c": 3}'
    assert change('{"a": 1, "b": 2}', {"c": 3}) == '{"c": 3}'
    assert change("[1, /* why */ 2]", [1]) == "[1, /* why */ ]"


def test_line_ends_and_indents_are_those_of_the_text() -> None:
    text = '{\r\n\t"a": 1\r\n}\r\n'
    assert change(text, {"a": 1, "b": "\u00e4"}) == '{\r\n\t"a": 1,\r\n\t"b": "\u00e4"\r\n}\r\n'
    assert change("{\n}", {"a": 1}) == '{\n    "a": 1,\n}'


_scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats() | st.text(max_size=5)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
_TRIVIA = ("", "", " ", "\n", "\r\n\t", "  // note, {\n", "/* ] */", "\u00a0")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Return a text with comments and spaces anywhere."""
    trivia: st.SearchStrategy[str] = st.sampled_from(_TRIVIA)

    def show(value: Any) -> str:
        if isinstance(value, dict):
            parts = [f"{show(name)}{draw(trivia)}:{draw(trivia)}{show(each)}" for name, each in value.items()]
        elif isinstance(value, list):
            parts = [show(each) for each in value]
        else:
            return dumped(value)
        inner = ",".join(f"{draw(trivia)}{each}{draw(trivia)}" for each in parts)
        has_comma: bool = draw(st.booleans())
        if parts and has_comma:
            inner += "," + draw(trivia)
        return f"{{{inner}}}" if isinstance(value, dict) else f"[{inner or draw(trivia)}]"

    return f"{draw(trivia)}{show(draw(_values))}{draw(trivia)}"


@given(_values)
def test_values_round_trip(value: Any) -> None:
    assert is_same(parse(dumped(value)).value, value)
    assert is_same(parse(dumped(value, "\t")).value, value)


@given(texts(), _values)
@settings(max_examples=300)
def test_any_edit_gives_its_value(text: str, value: Any) -> None:
    node = parse(text)
    assert edited(text, node, node.value) == text
    change(text, value)


@given(texts(), st.data())
@settings(max_examples=300)
def test_small_edits_keep_all_comments(text: str, data: st.DataObject) -> None:
    node = parse(text)
    value = node.value
    if isinstance(value, list) and value:
        value = [*value]
        value.insert(data.draw(st.integers(0, len(value))), "new")
    elif isinstance(value, dict):
        value = {**value, "a new one": 1}
    found = change(text, value)
    if not isinstance(value, str):
        assert len(re.findall(r"// note|/\* \]", found)) >= len(re.findall(r"// note|/\* \]", text))


@given(st.text(alphabet="{}[]:,'\"\\/*-+.0x1eIN \n\u2028abtrue"))
@settings(max_examples=500)
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(TextError):
        parse(text)


@given(st.integers(0, len(GAME) - 1), st.characters(max_codepoint=0x3000))
@settings(max_examples=300)
def test_damaged_texts_are_read_or_refused(place: int, character: str) -> None:
    for text in (
        GAME[:place] + character + GAME[place + 1 :],
        GAME[:place],
        GAME[:place] + GAME[place + 1 :],
    ):
        try:
            node = parse(text)
        except TextError:
            continue
        assert edited(text, node, node.value) == text
