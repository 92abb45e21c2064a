"""Records of a project: chunks whose children are attributes of an object.

A record is declared once, as its parts; the declaration reads it, writes it, and merges changes into the
chunks that were read: what did not change stays as it was, unknown chunks stay at their place, and changed
parts in an old form become today's form.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from functools import cached_property
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.chunks import END, Chunk, ChunkWriter, inside, leb, leb_bytes, read_chunks
from ..base.cursor import Cursor
from ..base.messages import T
from ..errors import ExportError, FormatError
from .shape import RoomShape

# The bytes of the sizes of chunks, as today's Tomb Editor writes them.
WRITER = ChunkWriter(
    leaves={
        **dict.fromkeys(("TeTextureSounds", "TeTextureBumpmaps", "TeFly", "TeMergeStaticsEntry3"), 4),
        "TeDefaultTextures": 10,
        **dict.fromkeys(("TePalette", "TeMemo2"), 3),
        **dict.fromkeys(
            ("TeFrame", "TeMov4", "TeMovTen2", "TeSta3", "TeStaTen2", "TeLig5", "TeGhost2", "TeVolume4"), 2
        ),
        **dict.fromkeys(
            ("TePorMirror", "TeCam3", "TeCamTen", "TeSpr3", "TeSin", "TeSinTen", "TeSoundRealFinal"), 1
        ),
        **dict.fromkeys(("TeSoundTen", "TeTa", "TeTi", "TeEx", "TePl"), 1),
    },
    parents={
        **dict.fromkeys(("TeSettings", "TeRooms", "TeRoom", "TeObjects", "TeWads", "TeSoundsCatalogs"), 10),
        **dict.fromkeys(("TeSelectedSounds", "TeTextures", "TeImportedGeometries"), 10),
        **dict.fromkeys(("TeAnimatedTextureSets", "TeGlobalEventSets", "TeVolumeEventSets"), 10),
        "TeMergeStatics": 3,
        "TeTri3": 2,
        "TeAlternate": 1,
    },
    grows=True,
)


@dataclass
class Context:
    """The state of reading or writing one project.

    Attributes:
        tomb_engine: whether the project is for TombEngine.
        place: the part that is read, for problems.
        problems: chunks that could not be decoded.
        size: the numbers of x and z sectors that the room has in the file.
        shapes: by the size of a room and the content of its list, its sectors.
        raw_numbers: the number of a room in the file, if another room has it.
    """

    tomb_engine: bool = False
    place: str = "TeSettings"
    problems: list[str] = field(default_factory=list)
    size: tuple[int, int] = (0, 0)
    shapes: dict[tuple[tuple[int, int], bytes], RoomShape] = field(default_factory=dict)
    raw_numbers: dict[int, int] = field(default_factory=dict)

    def report(self, error: FormatError) -> None:
        """Add a problem."""
        text = T(
            "a part of {part} is damaged and stays as it is ({error})", part=self.place, error=str(error)
        )
        self.problems.append(text)


# --- Plain fields ------------------------------------------------------------------------------


class Code:
    """A plain field of a chunk."""

    def read(self, cursor: Cursor) -> Any:
        """Read a value."""
        raise NotImplementedError

    def write(self, value: Any) -> bytes:
        """Return the bytes of a value. Raises struct.error or OverflowError if it does not fit."""
        raise NotImplementedError


class _Leb(Code):
    def read(self, cursor: Cursor) -> int:
        return leb(cursor)

    def write(self, value: int) -> bytes:
        return leb_bytes(int(value))


class _Packed(Code):
    """A number, or a tuple of several."""

    def __init__(self, layout: str) -> None:
        self._layout = Struct(f"<{layout}")

    def read(self, cursor: Cursor) -> Any:
        values = cursor.fields(self._layout)
        return values if len(values) > 1 else values[0]

    def write(self, value: Any) -> bytes:
        return self._layout.pack(*value) if isinstance(value, tuple | list) else self._layout.pack(value)


class _Bool(_Packed):
    def __init__(self) -> None:
        super().__init__("B")

    def read(self, cursor: Cursor) -> bool:
        return bool(super().read(cursor))

    def write(self, value: Any) -> bytes:
        return super().write(int(bool(value)))


class _String(Code):
    """A text after its length."""

    def read(self, cursor: Cursor) -> str:
        (size,) = cursor.fields(_I32)
        if size < 0:
            raise cursor.error("the length of a text", str(size))
        at = cursor.take(size)
        return bytes(cursor.data[at : at + size]).decode("utf-8", "replace")

    def write(self, value: str) -> bytes:
        raw = value.encode("utf-8", "replace")
        return _I32.pack(len(raw)) + raw


class _DotNetString(Code):
    """A text after its length as unsigned LEB128. Only old files have it."""

    def read(self, cursor: Cursor) -> str:
        size = shift = 0
        for _ in range(5):
            byte = cursor.data[cursor.take(1)]
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        at = cursor.take(size)
        return bytes(cursor.data[at : at + size]).decode("utf-8", "replace")


class Several(Code):
    """Several values of one code, as a tuple.

    Attributes:
        order: by place in the file, the index in the tuple.
        unit: the factor of numbers in the file.
    """

    def __init__(self, code: Code, count: int, order: Sequence[int] = (), unit: int = 1) -> None:
        self._code = code
        self._order = tuple(order) or tuple(range(count))
        self._unit = unit

    def read(self, cursor: Cursor) -> tuple[Any, ...]:
        found = {place: self._code.read(cursor) for place in self._order}
        values = (found[place] for place in sorted(found))
        return tuple(values) if self._unit == 1 else tuple(value * self._unit for value in values)

    def write(self, value: Sequence[Any]) -> bytes:
        return b"".join(self._code.write(value[place]) for place in self._order)


@dataclass(frozen=True)
class Fixed(Code):
    """A field that no attribute stands for: ignored, and written with one value."""

    code: Code
    value: Any = 0

    def read(self, cursor: Cursor) -> Any:
        return self.code.read(cursor)

    def write(self, value: Any) -> bytes:
        return self.code.write(self.value)


_I32 = Struct("<i")
LEB, STRING, DOT_NET_STRING, BOOL = _Leb(), _String(), _DotNetString(), _Bool()
U8, I16, U16, I32, U32, F32 = (_Packed(layout) for layout in "BhHiIf")
VECTOR, VECTOR2 = _Packed("3f"), _Packed("2f")
CORNERS = Several(VECTOR2, 4)


def packed(subject: str, pairs: Iterable[tuple[str, Code, Any]]) -> bytes:
    """Return plain fields: names, codes and values.

    Raises:
        ExportError: with the subject, if a value does not fit.
    """
    out = []
    for name, code, value in pairs:
        try:
            out.append(code.write(value))
        except (struct.error, OverflowError) as error:
            names = f"{name} = {value}"
            problem = T("a number does not fit the file ({names}): {error}", names=names, error=str(error))
            raise ExportError(subject, problem) from None
    return b"".join(out)


# --- Contents of chunks ------------------------------------------------------------------------


class Kind:
    """A kind of content.

    Attributes:
        is_parent: it has children.
        is_list: they are elements, which are compared one by one.
    """

    is_parent = False
    is_list = False

    def read(self, chunk: Chunk, context: Context) -> Any:
        """Return the value of a chunk. Raises FormatError if it is damaged."""
        raise NotImplementedError

    def write(self, value: Any, name: str, context: Context) -> bytes:
        """Return the content for a value. Raises ExportError if it does not fit."""
        raise NotImplementedError

    def merge(self, value: Any, chunk: Chunk, context: Context) -> bytes:
        """Return the content for a value, that of the chunk if it has this value.

        Raises:
            FormatError: if the chunk is damaged.
        """
        new = self.write(value, chunk.name, context)
        old = self.write(self.read(chunk, context), chunk.name, context)
        return chunk.body if new == old else new

    def new_chunk(self, name: str, value: Any, context: Context) -> Chunk:
        """Return a new chunk."""
        body = self.write(value, name, context)
        return WRITER.with_children(name, body) if self.is_parent else WRITER.leaf(name, body)


class Plain(Kind):
    """One plain field."""

    def __init__(self, code: Code) -> None:
        self._code = code

    def read(self, chunk: Chunk, context: Context) -> Any:
        return self._code.read(inside(chunk))

    def write(self, value: Any, name: str, context: Context) -> bytes:
        return packed(name, [(name, self._code, value)])


class _Number(Plain):
    """A whole number; 0 without content."""

    def __init__(self) -> None:
        super().__init__(LEB)

    def read(self, chunk: Chunk, context: Context) -> Any:
        return super().read(chunk, context) if chunk.body else 0


class _Text(Kind):
    def read(self, chunk: Chunk, context: Context) -> str:
        return chunk.body.decode("utf-8", "replace")

    def write(self, value: str, name: str, context: Context) -> bytes:
        return value.encode("utf-8", "replace")


class _Float(Kind):
    """A float of 8 bytes, in old files of 4; its value is that of one of 4."""

    def read(self, chunk: Chunk, context: Context) -> float:
        (value,) = inside(chunk).fields(_DOUBLE if len(chunk.body) >= _DOUBLE.size else _FLOAT)
        return float(value)

    def write(self, value: float, name: str, context: Context) -> bytes:
        return _DOUBLE.pack(value)


class _Grid(Kind):
    """A value for each tile of an image: the width, the height, and the values (h, w) uint8."""

    def read(self, chunk: Chunk, context: Context) -> NDArray[np.uint8]:
        cursor = inside(chunk)
        width, height = cursor.fields(_SIZES)
        if width < 0 or height < 0:
            raise cursor.error("the size of a grid", f"{width} x {height}")
        at = cursor.take(width * height)
        return np.frombuffer(chunk.body, np.uint8, width * height, at).reshape(height, width).copy()

    def write(self, value: NDArray[np.uint8], name: str, context: Context) -> bytes:
        height, width = value.shape
        return _SIZES.pack(width, height) + np.ascontiguousarray(value, np.uint8).tobytes()


_DOUBLE, _FLOAT, _SIZES = Struct("<d"), Struct("<f"), Struct("<2i")
NUMBER, TEXT, FLOAT, GRID = _Number(), _Text(), _Float(), _Grid()
TRUTH, VECTOR_LEAF, VECTOR2_LEAF = Plain(BOOL), Plain(VECTOR), Plain(VECTOR2)


# --- Lists -------------------------------------------------------------------------------------


class ListKind(Kind):
    """A list of elements, each in a chunk.

    Elements are matched with their chunks by their attribute `source`.

    Attributes:
        names: the names of the elements' chunks.
    """

    is_parent = True
    is_list = True

    def __init__(self, *names: str, before: Sequence[Chunk] = ()) -> None:
        """Declare a list.

        Args:
            names: the names of the elements' chunks.
            before: other chunks that new lists begin with.
        """
        self.names = names
        self._before = tuple(before)

    def element(self, chunk: Chunk, context: Context) -> Any:
        """Return the element of a chunk, None for other chunks and damaged ones."""
        raise NotImplementedError

    def chunk(self, element: Any, context: Context) -> Chunk:
        """Return the chunk of an element."""
        raise NotImplementedError

    def read(self, chunk: Chunk, context: Context) -> list[Any]:
        found = (self.element(part, context) for part in read_chunks(inside(chunk)))
        return [element for element in found if element is not None]

    def write(self, value: Sequence[Any], name: str, context: Context) -> bytes:
        parts = [*self._before, *(self.chunk(element, context) for element in value)]
        return b"".join([*(part.to_bytes() for part in parts), END])

    def merge(self, value: Any, chunk: Chunk, context: Context) -> bytes:
        cursor = inside(chunk)
        parts = read_chunks(cursor)
        rest = chunk.body[cursor.offset :]
        pairs, known = self._pairs(parts, value, context)
        out = woven(parts, pairs, known)
        if [*map(id, out)] == [*map(id, parts)]:
            return chunk.body
        return b"".join([*(part.to_bytes() for part in out), END, rest])

    def _pairs(
        self, parts: Sequence[Chunk], value: Sequence[Any], context: Context
    ) -> tuple[list[tuple[Chunk | None, Chunk]], set[int]]:
        """Return the old and new chunks of elements, and the ids of all old chunks of elements."""
        unused: dict[Chunk, list[Chunk]] = {}
        for part in parts:
            unused.setdefault(part, []).append(part)
        pairs = []
        for element in value:
            same = unused.get(element.source, [])
            pairs.append((same.pop(0) if same else None, self.chunk(element, context)))
        known = {id(old) for old, _ in pairs if old is not None}
        silent = Context(context.tomb_engine)
        for part in (part for same in unused.values() for part in same):
            if part.name in self.names and self.element(part, silent) is not None:
                known.add(id(part))
        return pairs, known


def woven(
    parts: Sequence[Chunk], pairs: Iterable[tuple[Chunk | None, Chunk]], known: set[int]
) -> list[Chunk]:
    """Return a list's new chunks, with its unknown ones at their places.

    Args:
        parts: the chunks of the old list.
        pairs: for each element its chunk in the old list, or None, and the new one.
        known: the ids of the old chunks that are elements.
    """
    places = {id(part): place for place, part in enumerate(parts)}
    out: list[Chunk] = []
    done = 0
    for old, new in pairs:
        place = -1 if old is None else places[id(old)]
        if place >= done:
            out += [part for part in parts[done:place] if id(part) not in known]
            done = place + 1
        out.append(old if old is not None and old == new else new)
    return [*out, *(part for part in parts[done:] if id(part) not in known)]


class Values(ListKind):
    """A list of single values: leaves, or chunks with one leaf each."""

    def __init__(self, name: str, kind: Kind, inner: str = "", before: Sequence[Chunk] = ()) -> None:
        """Declare a list.

        Args:
            name: the name of the elements' chunks.
            kind: the kind of values.
            inner: the leaf in each of them, "" if they are leaves themselves.
            before: as for :class:`ListKind`.
        """
        super().__init__(name, before=before)
        self._kind = kind
        self._inner = inner

    def element(self, chunk: Chunk, context: Context) -> Any:
        if chunk.name not in self.names:
            return None
        try:
            if not self._inner:
                return self._kind.read(chunk, context)
            found = [part for part in read_chunks(inside(chunk)) if part.name == self._inner]
            return self._kind.read(found[0], context) if found else None
        except FormatError as error:
            context.report(error)
            return None

    def chunk(self, element: Any, context: Context) -> Chunk:
        name = self.names[0]
        if not self._inner:
            return self._kind.new_chunk(name, element, context)
        return WRITER.parent(name, [self._kind.new_chunk(self._inner, element, context)])

    def _pairs(
        self, parts: Sequence[Chunk], value: Sequence[Any], context: Context
    ) -> tuple[list[tuple[Chunk | None, Chunk]], set[int]]:
        silent = Context(context.tomb_engine)
        unused: dict[Chunk, list[Chunk]] = {}
        known = set()
        for part in parts:
            element = self.element(part, silent)
            if element is not None:
                unused.setdefault(self.chunk(element, silent), []).append(part)
                known.add(id(part))
        pairs: list[tuple[Chunk | None, Chunk]] = []
        for element in value:
            new = self.chunk(element, context)
            same = unused.get(new)
            old = same.pop(0) if same else None
            pairs.append((old, old or new))
        return pairs, known


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
    """A chunk that holds attributes of a record.

    Attributes:
        chunk: its name.
        attribute: the name of the attribute, or several names, whose values are a tuple.
        kind: its content.
        when: the occasion on which it is written.
        apply: for old forms: sets the attributes among the values of a record.
    """

    chunk: str
    attribute: str
    kind: Kind
    when: When = When.ALWAYS
    apply: Callable[[dict[str, Any], Any], None] | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(self.attribute.split())

    def value(self, values: Mapping[str, Any]) -> Any:
        """Return its value among those of a record."""
        found = tuple(values[name] for name in self.names)
        return found if len(found) > 1 else found[0]


@dataclass(frozen=True)
class Record:
    """A record: a class, its parts in the order of the file, and values of attributes without a default."""

    make: type
    parts: tuple[Part, ...]
    required: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _by_chunk(self) -> dict[str, Part]:
        return {part.chunk: part for part in self.parts}

    @cached_property
    def _today(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.when is not When.NEVER)

    def defaults(self) -> dict[str, Any]:
        """Return the values of a record without chunks."""
        values = dict(self.required)
        used = {name for part in self.parts for name in part.names} - values.keys()
        for each in fields(self.make):
            if each.name in used:
                values[each.name] = (
                    each.default_factory() if each.default_factory is not MISSING else each.default
                )
        return values

    def values(
        self, chunks: Iterable[Chunk], context: Context, *, without_lists: bool = False
    ) -> dict[str, Any]:
        """Return the values of a record's chunks. Damaged chunks become problems.

        Args:
            chunks: the chunks.
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
        return values

    def read(self, chunk: Chunk, context: Context) -> Any:
        """Return the object of a chunk without plain fields."""
        return self.make(**self.values(read_chunks(inside(chunk)), context), source=chunk)

    def new_chunks(self, values: Mapping[str, Any], context: Context) -> list[Chunk]:
        """Return chunks for values."""
        unset = self.defaults()
        return [
            part.kind.new_chunk(part.chunk, part.value(values), context)
            for part in self._today
            if part.when is When.ALWAYS or self._differ(part, values, unset, context)
        ]

    def _differ(self, part: Part, one: Mapping[str, Any], other: Mapping[str, Any], context: Context) -> bool:
        first, second = part.value(one), part.value(other)
        if first is second:
            return False
        if first is None or second is None:
            return True
        return part.kind.write(first, part.chunk, context) != part.kind.write(second, part.chunk, context)

    def merged(self, values: Mapping[str, Any], chunks: Sequence[Chunk], context: Context) -> list[Chunk]:
        """Return a record's chunks after its values may have changed."""
        was = self.values(chunks, Context(context.tomb_engine), without_lists=True)
        last = {chunk.name: place for place, chunk in enumerate(chunks)}
        absent = [part for part in self._today if part.chunk not in last]
        changed = {part.chunk for part in absent if self._differ(part, values, was, context)}
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
        order = {part.chunk: place for place, part in enumerate(self.parts)}
        for place, chunk in enumerate(chunks):
            part = self._by_chunk.get(chunk.name)
            if part is not None:
                while pending and order[pending[0].chunk] < order[chunk.name]:
                    out += self._made(pending.pop(0), values, context)
            if chunk.name in dropped:
                continue
            if part is None or part.when is When.NEVER or place != last[chunk.name]:
                out.append(chunk)
            else:
                out += self._merged_part(part, values, was, chunk, context)
        for part in pending:
            out += self._made(part, values, context)
        return out

    def _merged_part(
        self, part: Part, values: Mapping[str, Any], was: Mapping[str, Any], chunk: Chunk, context: Context
    ) -> list[Chunk]:
        value = part.value(values)
        if value is None and part.when is When.IF_SET:
            return [chunk] if part.value(was) is None else []
        if part.kind.is_list:
            try:
                return [chunk.with_body(part.kind.merge(value, chunk, context))]
            except FormatError:
                pass  # a damaged list was read as an empty one
        if not self._differ(part, values, was, context):
            return [chunk]
        return [chunk.with_body(part.kind.write(value, chunk.name, context))]

    def _made(self, part: Part, values: Mapping[str, Any], context: Context) -> list[Chunk]:
        value = part.value(values)
        if value is None and part.when is When.IF_SET:
            return []
        return [part.kind.new_chunk(part.chunk, value, context)]


def attributes(element: Any) -> dict[str, Any]:
    """Return the attributes of an object."""
    return dict(vars(element))


class Records(ListKind):
    """A list of records without plain fields."""

    def __init__(self, name: str, record: Record) -> None:
        super().__init__(name)
        self._record = record

    def element(self, chunk: Chunk, context: Context) -> Any:
        if chunk.name not in self.names:
            return None
        try:
            return self._record.read(chunk, context)
        except FormatError as error:
            context.report(error)
            return None

    def chunk(self, element: Any, context: Context) -> Chunk:
        values, source = attributes(element), element.source
        if source is None:
            return WRITER.parent(self.names[0], self._record.new_chunks(values, context))
        cursor = inside(source)
        parts = read_chunks(cursor)
        merged = self._record.merged(values, parts, context)
        return source if merged == parts else with_parts(source, b"", merged, source.body[cursor.offset :])


def with_parts(chunk: Chunk, start: bytes, parts: Iterable[Chunk], rest: bytes = b"") -> Chunk:
    """Return a chunk with other plain fields and children, and the bytes after its list."""
    return chunk.with_body(b"".join([start, *(part.to_bytes() for part in parts), END, rest]))
