"""Records in chunks: chunks whose children are attributes of an object.

A record is declared once, as its parts; the declaration reads it, writes it, and merges changes into the
chunks that were read: what did not change stays as it was, unknown chunks stay at their place, and changed
parts in an old form become today's form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from functools import cached_property
from struct import Struct
from typing import Any, ClassVar

import numpy as np

from ..arrays.typing import Pixels
from ..bytes.chunks import END, Chunk, ChunkWriter, find, inside, read_chunks
from ..errors import FormatError
from .codes import BOOL, LEB, VECTOR, VECTOR2, Code, write_value


class Context:
    """The state of reading or writing a file, of a class for each kind of files. Damaged parts are errors."""

    writer: ClassVar[ChunkWriter]  #: writes the file's chunks.

    def silent(self) -> Context:
        """Return a context for comparing with what was read: without results and reports."""
        return self

    def report(self, error: FormatError) -> None:
        """Skip a damaged part, or raise its error."""
        raise error


# --- Contents of chunks ------------------------------------------------------------------------


class ContentKind:
    """A kind of content."""

    is_parent = False  #: it has children.
    is_list = False  #: they are elements, which are compared one by one.

    def read(self, chunk: Chunk, context: Any) -> Any:
        """Return the value of a chunk. Raises FormatError if it is damaged."""
        raise NotImplementedError

    def write(self, value: Any, name: str, context: Any) -> bytes:
        """Return the content for a value. Raises ExportError if it does not fit."""
        raise NotImplementedError

    def merge(self, value: Any, chunk: Chunk, context: Any) -> bytes:
        """Return the content for a value, that of the chunk if it has this value.

        Raises FormatError if the chunk is damaged.
        """
        new = self.write(value, chunk.name, context)
        old = self.write(self.read(chunk, context), chunk.name, context)
        return chunk.body if new == old else new

    def new_chunk(self, name: str, value: Any, context: Any) -> Chunk:
        """Return a new chunk."""
        body = self.write(value, name, context)
        return context.writer.with_children(name, body) if self.is_parent else context.writer.leaf(name, body)


class Plain(ContentKind):
    """One plain field."""

    def __init__(self, code: Code) -> None:
        self._code = code

    def read(self, chunk: Chunk, context: Any) -> Any:
        return self._code.read(inside(chunk))

    def write(self, value: Any, name: str, context: Any) -> bytes:
        return write_value(self._code, value, name, name)


class _Number(Plain):
    """A whole number; 0 without content."""

    def __init__(self) -> None:
        super().__init__(LEB)

    def read(self, chunk: Chunk, context: Any) -> Any:
        return super().read(chunk, context) if chunk.body else 0


class _Text(ContentKind):
    def read(self, chunk: Chunk, context: Any) -> str:
        return chunk.body.decode("utf-8", "replace")

    def write(self, value: str, name: str, context: Any) -> bytes:
        return value.encode("utf-8", "replace")


class _Float(ContentKind):
    """A float of 8 bytes, in old files of 4; its value is that of one of 4."""

    def read(self, chunk: Chunk, context: Any) -> float:
        (value,) = inside(chunk).fields(_DOUBLE if len(chunk.body) >= _DOUBLE.size else _FLOAT)
        return float(value)

    def write(self, value: float, name: str, context: Any) -> bytes:
        return _DOUBLE.pack(value)


class _Grid(ContentKind):
    """A value for each tile of an image: the width, the height, and the values (h, w) uint8."""

    def read(self, chunk: Chunk, context: Any) -> Pixels:
        cursor = inside(chunk)
        width, height = cursor.fields(_SIZES)
        if width < 0 or height < 0:
            raise cursor.error("the size of a grid", f"{width} x {height}")
        start = cursor.take(width * height)
        return np.frombuffer(chunk.body, np.uint8, width * height, start).reshape(height, width).copy()

    def write(self, value: Pixels, name: str, context: Any) -> bytes:
        height, width = value.shape
        return _SIZES.pack(width, height) + np.ascontiguousarray(value, np.uint8).tobytes()


class Together(ContentKind):
    """Several values as a tuple, each in a chunk of its own."""

    is_parent = True

    def __init__(self, *parts: tuple[str, ContentKind, Any]) -> None:
        self.parts = parts  #: the name of each, its kind, and its value without a chunk.

    def read(self, chunk: Chunk, context: Any) -> tuple[Any, ...]:
        return self.values(read_chunks(inside(chunk)), context)

    def write(self, value: Any, name: str, context: Any) -> bytes:
        return b"".join([*(part.to_bytes() for part in self.new_chunks(value, context)), END])

    def values(self, chunks: Iterable[Chunk], context: Any) -> tuple[Any, ...]:
        """Return the values among chunks. Raises FormatError if one is damaged."""
        by_name = {chunk.name: chunk for chunk in chunks}
        return tuple(
            kind.read(by_name[name], context) if name in by_name else default
            for name, kind, default in self.parts
        )

    def new_chunks(self, value: Iterable[Any], context: Any) -> list[Chunk]:
        """Return new chunks. Raises ExportError if a value does not fit."""
        pairs = zip(self.parts, value, strict=True)
        return [kind.new_chunk(name, element, context) for (name, kind, _), element in pairs]


_DOUBLE, _FLOAT, _SIZES = Struct("<d"), Struct("<f"), Struct("<2i")
NUMBER, TEXT, FLOAT, GRID = _Number(), _Text(), _Float(), _Grid()
TRUTH, VECTOR_LEAF, VECTOR2_LEAF = Plain(BOOL), Plain(VECTOR), Plain(VECTOR2)


# --- Lists -------------------------------------------------------------------------------------


class ListKind(ContentKind):
    """A list of elements, each in a chunk.

    Elements are matched with their chunks by their attribute `source`.
    """

    is_parent = True
    is_list = True

    def __init__(self, *names: str, before: Sequence[Chunk] = ()) -> None:
        self.names = names  #: the names of the elements' chunks.
        self._before = tuple(before)  # other chunks that new lists begin with

    def element(self, chunk: Chunk, context: Any) -> Any:
        """Return the element of a chunk, None for other chunks and damaged ones."""
        if chunk.name not in self.names:
            return None
        try:
            return self.decode(chunk, context)
        except FormatError as error:
            context.report(error)
            return None

    def decode(self, chunk: Chunk, context: Any) -> Any:
        """Return the element of a chunk, or None. Raises FormatError if it is damaged."""
        raise NotImplementedError

    def chunk(self, element: Any, context: Any) -> Chunk:
        """Return the chunk of an element."""
        raise NotImplementedError

    def read(self, chunk: Chunk, context: Any) -> list[Any]:
        elements = (self.element(part, context) for part in read_chunks(inside(chunk)))
        return [element for element in elements if element is not None]

    def write(self, value: Sequence[Any], name: str, context: Any) -> bytes:
        parts = [*self._before, *(self.chunk(element, context) for element in value)]
        return b"".join([*(part.to_bytes() for part in parts), END])

    def merge(self, value: Any, chunk: Chunk, context: Any) -> bytes:
        cursor = inside(chunk)
        parts = read_chunks(cursor)
        rest = chunk.body[cursor.offset :]
        pairs, element_ids = self._pairs(parts, value, context)
        out = woven(parts, pairs, element_ids)
        if [*map(id, out)] == [*map(id, parts)]:
            return chunk.body
        return b"".join([*(part.to_bytes() for part in out), END, rest])

    def _pairs(
        self, parts: Sequence[Chunk], value: Sequence[Any], context: Any
    ) -> tuple[list[tuple[Chunk | None, Chunk]], set[int]]:
        """Return the old and new chunks of elements, and the ids of all old chunks of elements."""
        unused: dict[Chunk, list[Chunk]] = {}
        for part in parts:
            unused.setdefault(part, []).append(part)
        pairs = []
        for element in value:
            equal = unused.get(element.source, [])
            pairs.append((equal.pop(0) if equal else None, self.chunk(element, context)))
        element_ids = {id(old) for old, _ in pairs if old is not None}
        silent = context.silent()
        for part in (part for equal in unused.values() for part in equal):
            if self.element(part, silent) is not None:
                element_ids.add(id(part))
        return pairs, element_ids


def woven(
    parts: Sequence[Chunk], pairs: Iterable[tuple[Chunk | None, Chunk]], element_ids: set[int]
) -> list[Chunk]:
    """Return a list's new chunks, with its unknown ones at their places.

    Args:
        parts: the chunks of the old list.
        pairs: for each element its chunk in the old list, or None, and the new one.
        element_ids: the ids of the old chunks that are elements.
    """
    indices = {id(part): index for index, part in enumerate(parts)}
    out: list[Chunk] = []
    position = 0
    for old, new in pairs:
        index = -1 if old is None else indices[id(old)]
        if index >= position:
            out += [part for part in parts[position:index] if id(part) not in element_ids]
            position = index + 1
        out.append(old if old is not None and old == new else new)
    return [*out, *(part for part in parts[position:] if id(part) not in element_ids)]


class ValueList(ListKind):
    """A list of single values: leaves, or chunks with one leaf each."""

    def __init__(self, name: str, kind: ContentKind, inner: str = "", before: Sequence[Chunk] = ()) -> None:
        super().__init__(name, before=before)
        self._kind = kind
        self._inner = inner  # the leaf in each of the elements' chunks, "" if they are leaves themselves

    def decode(self, chunk: Chunk, context: Any) -> Any:
        if not self._inner:
            return self._kind.read(chunk, context)
        part = find(read_chunks(inside(chunk)), self._inner)
        return None if part is None else self._kind.read(part, context)

    def chunk(self, element: Any, context: Any) -> Chunk:
        name = self.names[0]
        if not self._inner:
            return self._kind.new_chunk(name, element, context)
        return context.writer.parent(name, [self._kind.new_chunk(self._inner, element, context)])

    def _pairs(
        self, parts: Sequence[Chunk], value: Sequence[Any], context: Any
    ) -> tuple[list[tuple[Chunk | None, Chunk]], set[int]]:
        silent = context.silent()
        unused: dict[Chunk, list[Chunk]] = {}
        element_ids = set()
        for part in parts:
            element = self.element(part, silent)
            if element is not None:
                unused.setdefault(self.chunk(element, silent), []).append(part)
                element_ids.add(id(part))
        pairs: list[tuple[Chunk | None, Chunk]] = []
        for element in value:
            new = self.chunk(element, context)
            equal = unused.get(new)
            old = equal.pop(0) if equal else None
            pairs.append((old, old or new))
        return pairs, element_ids


# --- Records -----------------------------------------------------------------------------------


class When(Enum):
    """The occasion on which a part is written."""

    ALWAYS = 0
    IF_SET = 1  # if its value is not the default
    NEVER = 2  # an old form


def _set(values: dict[str, Any], names: tuple[str, ...], value: Any) -> None:
    values.update(zip(names, value, strict=True) if len(names) > 1 else [(names[0], value)])


@dataclass(frozen=True)
class Part:
    """A chunk that holds attributes of a record."""

    chunk: str  #: its name.
    attribute: str  #: the name of the attribute, or several names, whose values are a tuple.
    kind: ContentKind  #: its content.
    when: When = When.ALWAYS  #: the occasion on which it is written.
    #: for old forms: sets the attributes among the values of a record.
    apply: Callable[[dict[str, Any], Any], None] | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(self.attribute.split())

    def value(self, values: Mapping[str, Any]) -> Any:
        """Return its value among those of a record."""
        result = tuple(values[name] for name in self.names)
        return result if len(result) > 1 else result[0]


@dataclass(frozen=True)
class Record:
    """A record: an object whose attributes are in chunks."""

    make: type  #: its class.
    parts: tuple[Part, ...]  #: in the order of the file.
    required: Mapping[str, Any] = field(default_factory=dict)  #: values of attributes without a default.
    after: Callable[[dict[str, Any]], None] | None = None  #: completes values that were read.

    @cached_property
    def _by_chunk(self) -> dict[str, Part]:
        return {part.chunk: part for part in self.parts}

    @cached_property
    def _written(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.when is not When.NEVER)

    def defaults(self) -> dict[str, Any]:
        """Return the values of a record without chunks."""
        values = dict(self.required)
        used = {name for part in self.parts for name in part.names} - values.keys()
        for attribute in fields(self.make):
            if attribute.name in used:
                values[attribute.name] = (
                    attribute.default_factory()
                    if attribute.default_factory is not MISSING
                    else attribute.default
                )
        return values

    def values(self, chunks: Iterable[Chunk], context: Any, *, without_lists: bool = False) -> dict[str, Any]:
        """Return the values of a record's chunks. Damaged chunks become problems.

        Args:
            context: gets the problems.
            without_lists: keep the defaults of lists in today's form.
        """
        values = self.defaults()
        for chunk in chunks:
            part = self._by_chunk.get(chunk.name)
            if part is None or (without_lists and part.kind.is_list and part.when is not When.NEVER):
                continue
            try:
                value = part.kind.read(chunk, context)
            except FormatError as error:
                context.report(error)
                continue
            if part.apply is not None:
                part.apply(values, value)
            else:
                _set(values, part.names, value)
        if self.after is not None:
            self.after(values)
        return values

    def read(self, chunk: Chunk, context: Any) -> Any:
        """Return the object of a chunk without plain fields."""
        return self.make(**self.values(read_chunks(inside(chunk)), context), source=chunk)

    def new_chunks(self, values: Mapping[str, Any], context: Any) -> list[Chunk]:
        """Return chunks for values."""
        unset = self.defaults()
        return [
            part.kind.new_chunk(part.chunk, part.value(values), context)
            for part in self._written
            if part.when is When.ALWAYS or self._differ(part, values, unset, context)
        ]

    def _differ(self, part: Part, values: Mapping[str, Any], others: Mapping[str, Any], context: Any) -> bool:
        first, second = part.value(values), part.value(others)
        if first is second:
            return False
        if first is None or second is None:
            return True
        return part.kind.write(first, part.chunk, context) != part.kind.write(second, part.chunk, context)

    def merged(self, values: Mapping[str, Any], chunks: Sequence[Chunk], context: Any) -> list[Chunk]:
        """Return a record's chunks after its values may have changed."""
        before = self.values(chunks, context.silent(), without_lists=True)
        last = {chunk.name: index for index, chunk in enumerate(chunks)}
        absent = [part for part in self._written if part.chunk not in last]
        changed = {part.chunk for part in absent if self._differ(part, values, before, context)}
        dropped: set[str] = set()
        old = [part for part in self.parts if part.when is When.NEVER and part.chunk in last]
        while True:
            names = {name for part in absent if part.chunk in changed for name in part.names}
            more = [part for part in old if part.chunk not in dropped and names & {*part.names}]
            if not more:
                break
            dropped |= {part.chunk for part in more}
            affected = {name for part in more for name in part.names}
            changed |= {part.chunk for part in absent if affected & {*part.names}}
        out: list[Chunk] = []
        pending = [part for part in absent if part.chunk in changed]
        order = {part.chunk: index for index, part in enumerate(self.parts)}
        for index, chunk in enumerate(chunks):
            part = self._by_chunk.get(chunk.name)
            if part is not None:
                while pending and order[pending[0].chunk] < order[chunk.name]:
                    out += self._new_chunk(pending.pop(0), values, context)
            if chunk.name in dropped:
                continue
            if part is None or part.when is When.NEVER or index != last[chunk.name]:
                out.append(chunk)
            else:
                out += self._merged_part(part, values, before, chunk, context)
        for part in pending:
            out += self._new_chunk(part, values, context)
        return out

    def _merged_part(
        self, part: Part, values: Mapping[str, Any], before: Mapping[str, Any], chunk: Chunk, context: Any
    ) -> list[Chunk]:
        value = part.value(values)
        if value is None and part.when is When.IF_SET:
            return [chunk] if part.value(before) is None else []
        if part.kind.is_list:
            try:
                return [chunk.with_body(part.kind.merge(value, chunk, context))]
            except FormatError:
                pass  # a damaged list was read as an empty one
        if not self._differ(part, values, before, context):
            return [chunk]
        return [chunk.with_body(part.kind.write(value, chunk.name, context))]

    def _new_chunk(self, part: Part, values: Mapping[str, Any], context: Any) -> list[Chunk]:
        value = part.value(values)
        if value is None and part.when is When.IF_SET:
            return []
        return [part.kind.new_chunk(part.chunk, value, context)]


def attributes(element: Any) -> dict[str, Any]:
    """Return the attributes of an object."""
    return dict(vars(element))


def with_parts(chunk: Chunk, start: bytes, parts: Iterable[Chunk], rest: bytes = b"") -> Chunk:
    """Return a chunk with other plain fields and children, and the bytes after its list."""
    return chunk.with_body(b"".join([start, *(part.to_bytes() for part in parts), END, rest]))
