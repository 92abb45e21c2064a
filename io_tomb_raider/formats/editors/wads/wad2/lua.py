"""Properties in Lua of a WAD2's objects, for the scripts of TombEngine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....base.bytes.chunks import Chunk, find, inside, lebs, read_chunks, replaced
from ....base.schema.chunks import TEXT, Together, ValueList, with_parts
from .chunks import CONTEXT, value_in
from .objects import STATIC_FIELDS
from .wad2 import Wad2

Properties = tuple[tuple[str, str], ...]  # names and values
_NAME = "W2LuaProps"
_KIND = ValueList("W2LuaProp", Together(("W2LuaPrN", TEXT, ""), ("W2LuaPrV", TEXT, "")))
_LISTS = {"model": "W2Moveables", "static": "W2Statics"}
_FIELDS = {
    "W2Moveable": 1,
    **STATIC_FIELDS,
}  # the numbers before the parts of an object; its slot is the first


def lua_properties(wad2: Wad2) -> dict[tuple[str, int], Properties]:
    """Return the properties of the objects that have some, by "model" or "static", and slot.

    Raises FormatError if they are damaged.
    """
    result: dict[tuple[str, int], Properties] = {}
    for kind, name in _LISTS.items():
        for _, slot, parts in _objects(wad2.listed(name)):
            properties = tuple(value_in(parts, _NAME, _KIND, ()))
            if properties:
                result.setdefault((kind, slot), properties)
    return result


def put_lua_properties(wad2: Wad2, properties: Mapping[tuple[str, int], Properties]) -> None:
    """Write the properties of some objects. Others, and what else is in their chunks, stay.

    Raises FormatError if the old ones are damaged.
    """
    for kind, name in _LISTS.items():
        chunks = wad2.listed(name)
        for index, slot, parts in list(_objects(chunks)):
            if (kind, slot) in properties:
                chunks[index] = _with(chunks[index], parts, properties[kind, slot])
        wad2.put(name, chunks)


def _objects(chunks: list[Chunk]) -> Iterator[tuple[int, int, list[Chunk]]]:
    """Yield index, slot and parts of objects."""
    for index, chunk in enumerate(chunks):
        if chunk.name in _FIELDS:
            cursor = inside(chunk)
            slot, *_ = lebs(cursor, _FIELDS[chunk.name])
            yield index, slot, read_chunks(cursor)


def _with(chunk: Chunk, parts: list[Chunk], properties: Properties) -> Chunk:
    cursor = inside(chunk)
    lebs(cursor, _FIELDS[chunk.name])
    start = chunk.body[: cursor.offset]
    read_chunks(cursor)
    old = find(parts, _NAME)
    new = (
        _KIND.new_chunk(_NAME, properties, CONTEXT)
        if old is None
        else old.with_body(_KIND.merge(properties, old, CONTEXT))
    )
    return with_parts(chunk, start, replaced(parts, new), chunk.body[cursor.offset :])
