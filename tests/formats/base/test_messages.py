"""Tests of messages with named arguments."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.base.errors import ExportError, TextError
from io_tomb_raider.formats.base.messages import (
    T,
    Text,
    about,
    as_message,
    joined,
    pack,
    plural,
    unpack,
    without_subject,
)

_NAMES = st.from_regex(r"\A[a-z]{1,6}\Z")
_LETTERS = st.text(st.characters(blacklist_characters="{}", blacklist_categories=["Cs"]), max_size=12)


@st.composite
def messages(draw: st.DrawFn, depth: int = 2) -> Text:
    """Messages of literal parts and arguments, some of which are messages."""
    simple = st.one_of(
        st.integers(-(10**9), 10**9), st.text(max_size=8).filter(_is_storable), st.floats(-1e6, 1e6)
    )
    inner = simple if depth == 0 else st.one_of(simple, messages(depth=depth - 1))
    values = draw(st.dictionaries(_NAMES, inner, max_size=3))
    template = draw(_LETTERS) + "".join(f"{{{name}}}{draw(_LETTERS)}" for name in values)
    return Text(template, values)


def _is_storable(text: str) -> bool:
    return text.encode("utf-8", "replace").decode() == text


def parts(message: object) -> object:
    """Return everything in a message, for comparison: messages equal their English text."""
    if isinstance(message, Text):
        return (message.template, {name: parts(value) for name, value in message.values.items()})
    return message


@given(messages())
def test_packed_messages_are_restored(message: Text) -> None:
    restored = unpack(pack(message))
    assert restored == message
    if message.values:
        assert parts(restored) == parts(message)


@given(messages())
def test_copies_of_messages_are_equal_messages(message: Text) -> None:
    for other in (pickle.loads(pickle.dumps(message)), copy.deepcopy(message), copy.copy(message)):
        assert other == message and parts(other) == parts(message)


@given(st.lists(st.one_of(messages(), _LETTERS), max_size=4))
def test_joined_messages_read_as_joined_texts(texts: list[str]) -> None:
    assert joined(", ", texts) == ", ".join(texts)


@given(st.text())
def test_other_texts_are_unpacked_unchanged(text: str) -> None:
    assert unpack(text) == text == pack(text)


@pytest.mark.parametrize(
    "stored",
    [
        '{"template":',
        '{"template": "{count} faces"}',
        '{"template": "{count} faces", "values": {}}',
        '{"template": "{count} faces", "values": {"count": []',
        '{"template": "{count:d} faces", "values": {"count": "x"}}',
        '{"template": "{count.real} faces", "values": []}',
        '{"template": {}, "values": 5}',
    ],
)
def test_damaged_messages_are_shown_unchanged(stored: str) -> None:
    """Files may come from anywhere."""
    assert unpack(stored) in (stored, "{count} faces", "{}")


@pytest.mark.parametrize("place", ["{name.__class__}", "{name[0]}", "{name:>99999999}", "{name:{width}}"])
def test_stored_templates_reach_neither_attributes_nor_great_widths(place: str) -> None:
    stored = json.dumps({"template": place, "values": {"name": "Lara", "width": 99999999}})
    assert unpack(stored) == stored


def test_stored_messages_within_each_other_have_a_limit() -> None:
    depth = 100_000
    stored = '{"template": "{a}", "values": {"a": ' * depth + "1" + "}}" * depth
    assert unpack(stored) == stored


def test_messages_are_english_text() -> None:
    message = T("{count:,} faces of {name}", count=1234, name="Lara")
    counts: dict[str, int] = {message: 1}
    assert message == "1,234 faces of Lara" and counts["1,234 faces of Lara"] == 1
    assert f"{message}." == "1,234 faces of Lara."
    assert T("without {arguments}") == "without {arguments}"
    assert plural("one face", "{count} faces", 1) == "one face"
    assert plural("one face", "{count} faces of {name}", 2, name="Lara") == "2 faces of Lara"
    assert isinstance(as_message("rooms"), Text) and as_message(message) is message


def test_numbers_of_numpy_are_stored_as_numbers() -> None:
    message = T("{count:d} of {total:.1f}", count=np.int16(3), total=np.float32(0.5))
    assert unpack(pack(message)) == message == "3 of 0.5"


def test_joined_texts_keep_their_parts() -> None:
    text = "Lara: " + T("it has no mesh") + "; " + T("{count} faces", count=2)
    assert isinstance(text, Text) and text == "Lara: it has no mesh; 2 faces"
    names = joined(", ", ["a", "b"])
    assert names == "a, b" and not isinstance(names, Text)


def test_texts_of_errors_are_messages() -> None:
    for error in (ExportError("Lara", T("it has no mesh")), TextError(3, T("it has no mesh"))):
        assert isinstance(str(error), Text)
        assert parts(str(pickle.loads(pickle.dumps(ValueError(str(error)))))) == parts(str(error))
    assert str(ExportError("a", "b", count=3)) == "a: b: 3"
    assert str(ExportError("a", "b", limit=3)) == "a: b (the limit is 3)"
    assert str(ExportError("a", "b", count=2, limit=3)) == "a: b: 2 (the limit is 3)"


def test_subjects_are_removed_from_their_own_messages_only() -> None:
    message = about("a.phd", T("the file is damaged"))
    assert without_subject(message, "a.phd") == "the file is damaged"
    assert without_subject(message, "b.phd") is message
    assert without_subject("a.phd: x", "a.phd") == "a.phd: x"


def test_arguments_are_changed_everywhere() -> None:
    message = T("{way} to {room}", way=T("from {room}", room="?"), room="?")
    assert message.mapped(lambda value: "Cave" if value == "?" else value) == "from Cave to Cave"
