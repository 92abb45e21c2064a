"""Elements in chunks that have plain fields, then a list of chunks, in forms of today and old ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..bytes.chunks import Chunk, inside, read_chunks
from ..bytes.cursor import Cursor
from .chunks import ListKind, Record, attributes, with_parts
from .codes import Code
from .fields import Attributes, Value


class RecordList(ListKind):
    """A list of records without plain fields."""

    def __init__(self, name: str, record: Record) -> None:
        super().__init__(name)
        self._record = record

    def decode(self, chunk: Chunk, context: Any) -> Any:
        return self._record.read(chunk, context)

    def chunk(self, element: Any, context: Any) -> Chunk:
        values, source = attributes(element), element.source
        if source is None:
            return context.writer.parent(self.names[0], self._record.new_chunks(values, context))
        cursor = inside(source)
        parts = read_chunks(cursor)
        merged = self._record.merged(values, parts, context)
        return source if merged == parts else with_parts(source, b"", merged, source.body[cursor.offset :])


@dataclass(frozen=True)
class Form:
    """A form of an element: plain fields, then for some a list of chunks."""

    chunk: str  #: the name of its chunk.
    make: type  #: its class.
    #: its plain fields: attributes and codes, see :class:`.fields.Value`.
    fields: tuple[tuple[str, Code], ...]
    children: Record | None = None  #: its list of chunks, if it has one.
    after: Callable[[dict[str, Any]], None] | None = None  #: completes values that were read.

    @cached_property
    def _values(self) -> tuple[Value, ...]:
        return tuple(Value(*each) for each in self.fields)

    def read(self, chunk: Chunk, context: Any) -> Any:
        """Return the element of a chunk. Raises FormatError if it is damaged."""
        values, cursor = self._read(chunk)
        if self.children is not None:
            values |= self.children.values(read_chunks(cursor), context)
        if self.after is not None:
            self.after(values)
        return self.make(**values, source=chunk)

    def _read(self, chunk: Chunk) -> tuple[dict[str, Any], Cursor]:
        cursor = inside(chunk)
        values: dict[str, Any] = {}
        for value in self._values:
            value.read(cursor, values)
        return values, cursor

    def _start(self, element: Any) -> bytes:
        number = getattr(element, "number", None)
        noun = getattr(element, "noun", type(element).__name__)
        subject = self.chunk if number is None else f"{noun} {number}"
        return b"".join(value.content(Attributes(element), subject) for value in self._values)

    def new_chunk(self, element: Any, context: Any) -> Chunk:
        """Return a new chunk of an element. Raises ExportError if a value does not fit."""
        start = self._start(element)
        if self.children is None:
            return context.writer.leaf(self.chunk, start)
        return context.writer.parent(
            self.chunk, self.children.new_chunks(attributes(element), context), start
        )

    def begins(self, element: Any, chunk: Chunk) -> bool:
        """Return whether a chunk begins with the plain fields of the element that was read from it."""
        return chunk.body.startswith(self._start(element))

    def changed(self, element: Any, chunk: Chunk, context: Any) -> Chunk:
        """Return a chunk of this form with the values of an element."""
        _, cursor = self._read(chunk)
        start = self._start(element)
        if self.children is None:
            return chunk.with_body(start + chunk.body[cursor.offset :])
        parts = self.children.merged(attributes(element), read_chunks(cursor), context)
        return with_parts(chunk, start, parts, chunk.body[cursor.offset :])


class FormList(ListKind):
    """A list of elements that have forms of today, and old ones, which are read only."""

    def __init__(self, *forms: Form, today: Sequence[Form] = ()) -> None:
        """Declare a list. The forms `today` are written, one for each class; by default the first one."""
        super().__init__(*(form.chunk for form in forms))
        self._forms = {form.chunk: form for form in forms}
        self._today = {form.make: form for form in today or forms[:1]}

    def today(self, element: Any, context: Any) -> Form:
        """Return the form in which an element is written."""
        return self._today[type(element)]

    def form_of(self, chunk: Chunk, context: Any) -> Form | None:
        """Return the form in which a chunk is read, None for other chunks."""
        return self._forms.get(chunk.name)

    def decode(self, chunk: Chunk, context: Any) -> Any:
        return self._forms[chunk.name].read(chunk, context)

    def chunk(self, element: Any, context: Any) -> Chunk:
        form, source = self.today(element, context), element.source
        if source is None:
            return form.new_chunk(element, context)
        silent = context.silent()
        original = self.element(source, silent)
        if type(original) is not type(element):
            return form.new_chunk(element, context)
        if original == element or form.new_chunk(original, context) == form.new_chunk(element, context):
            return source
        if self.form_of(source, silent) is form:
            return form.changed(element, source, context)
        return form.new_chunk(element, context)
