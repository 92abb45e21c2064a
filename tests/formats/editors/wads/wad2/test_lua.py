"""Tests of properties in Lua of the objects of WAD2s."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.editors.wads.object_files import WAD2, open_objects
from io_tomb_raider.formats.editors.wads.wad2.lua import lua_properties, put_lua_properties
from io_tomb_raider.formats.editors.wads.wad2.wad2 import Wad2, read_wad2

from .....wad2_samples import differences, leaf, node, sample_wad2

pytestmark = pytest.mark.once

LARA, ARCH = ("model", 0), ("static", 50)


def chunk(*pairs: tuple[str, str]) -> bytes:
    """Return properties, packed by hand."""
    parts = (
        node("W2LuaProp", leaf("W2LuaPrN", name.encode()), leaf("W2LuaPrV", value.encode()))
        for name, value in pairs
    )
    return node("W2LuaProps", *parts)


def with_properties(**properties: Any) -> bytes:
    """Return the sample with properties of Lara and the arch."""
    wad2 = read_wad2(sample_wad2())
    put_lua_properties(wad2, {{"lara": LARA, "arch": ARCH}[name]: each for name, each in properties.items()})
    return wad2.to_bytes()


def test_properties_are_written_as_chunks_and_change_nothing_else() -> None:
    hp, name = ("hp", "5"), ("name", '"Größe"')
    data = with_properties(lara=(hp, name), arch=(("x", ""),))
    assert differences(sample_wad2(), data) == [
        "W2Moveables[0].W2Moveable[0].W2LuaProps 0 -> 1",
        "W2Statics[0].W2Static2[0].W2LuaProps 0 -> 1",
    ]
    assert chunk(hp, name) in data and chunk(("x", "")) in data
    assert lua_properties(read_wad2(data)) == {LARA: (hp, name), ARCH: (("x", ""),)}
    assert read_wad2(data).to_bytes() == data


pairs = st.lists(st.tuples(st.text(max_size=20), st.text(max_size=100)), max_size=5).map(tuple)


@given(pairs, pairs)
def test_all_properties_survive_as_changes(first: Any, second: Any) -> None:
    wad2 = read_wad2(with_properties(lara=first))
    put_lua_properties(wad2, {LARA: second, ("model", 999): first})
    again = read_wad2(wad2.to_bytes())
    assert lua_properties(again) == ({LARA: second} if second else {})
    put_lua_properties(again, {LARA: second})
    assert again.to_bytes() == wad2.to_bytes()


def test_unknown_chunks_between_properties_stay() -> None:
    data = with_properties(lara=(("a", "1"),))
    strange = leaf("W2LuaNew", b"raw")
    old = chunk(("a", "1"))
    new = node("W2LuaProps", strange, old[len(b"\x0aW2LuaProps") + 4 : -1])
    wad2 = _with(data, old, new)
    put_lua_properties(wad2, {LARA: (("a", "2"), ("b", "3"))})
    assert strange in wad2.to_bytes() and lua_properties(wad2)[LARA] == (("a", "2"), ("b", "3"))


def _with(data: bytes, old: bytes, new: bytes) -> Wad2:
    """Return a file with another chunk of Lara's properties."""
    wad2 = read_wad2(data)
    first, *others = wad2.listed("W2Moveables")
    wad2.put("W2Moveables", [first.with_body(first.body.replace(old, new)), *others])
    return wad2


def test_edited_objects_keep_their_properties() -> None:
    data = with_properties(lara=(("a", "1"),), arch=(("b", "2"),))
    objects = open_objects({WAD2: data})
    level = open_objects({WAD2: data}).level
    level.models["id"][0] = 5
    level.static_meshes["flags"] = 1
    written = objects.edited(level, lambda kind, number: f"{kind} {number}")[WAD2]
    assert lua_properties(read_wad2(written)) == {("model", 5): (("a", "1"),), ARCH: (("b", "2"),)}


def test_damaged_properties_are_errors() -> None:
    data = with_properties(lara=(("a", "1"),))
    damaged = _with(data, leaf("W2LuaPrN", b"a"), b"\x08W2LuaPrN\x7fa")
    for use in (lua_properties, lambda wad2: put_lua_properties(wad2, {LARA: ()})):
        with pytest.raises(FormatError, match="W2LuaProp"):
            use(damaged)
