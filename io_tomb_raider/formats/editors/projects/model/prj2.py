"""`.prj2`: the projects of Tomb Editor, in chunks.

See :mod:`.schema` for the chunks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....base.bytes.chunks import END, Chunk, ChunkStream, inside, leb_bytes, lebs, open_stream, read_chunks
from ....base.bytes.cursor import Cursor
from ....base.errors import FormatError
from ....base.messages import T
from ....base.schema.chunks import NUMBER, ListKind, attributes, with_parts
from .merged_sectors import digest_of
from .objects import PlacedObject
from .records import WRITER, ProjectContext
from .rooms import ProjectRoom
from .schema import ROOM, SETTINGS
from .sectors import NAME, ProjectSectors, read_shapes
from .settings import GameVersion, Settings
from .shape import RoomShape

MAGIC = b"PRJ2"
SETTINGS_NAME, ROOMS_NAME, ROOM_NAME = "TeSettings", "TeRooms", "TeRoom"
_NO_PROJECT = T("this is no project of Tomb Editor")


@dataclass
class Content:
    """The content of a project that was read, for writing it again."""

    stream: ChunkStream = field(default=ChunkStream(b"", 0), repr=False)  #: the file.
    chunks: list[Chunk] = field(default_factory=list, repr=False)
    rest: bytes = END  #: the end mark of their list, and all bytes after it.
    objects: set[int] = field(default_factory=set, repr=False)  #: the numbers of the objects that were read.
    #: the numbers of rooms in the file, if another room has them, by the room's number.
    raw_numbers: dict[int, int] = field(default_factory=dict)
    unknown: Counter[tuple[str, type[PlacedObject]]] = field(default_factory=Counter)  #: see ProjectContext.


def read_content(data: bytes) -> tuple[Content, Settings, list[ProjectRoom], list[str]]:
    """Read the content of a project: also its settings, rooms, and problems.

    Raises:
        FormatError: if it is not a project, or damaged.
    """
    stream = open_stream(data, MAGIC, "the packed project", {b"": _NO_PROJECT})
    cursor = Cursor(stream.data, stream.start)
    cursor.section = "chunks"
    chunks = read_chunks(cursor)
    if not any(chunk.name in (SETTINGS_NAME, ROOMS_NAME) for chunk in chunks):
        raise FormatError("chunks", "the settings or rooms of a project", "none", problem=_NO_PROJECT)
    end = stream.start + sum(len(chunk.head) + len(chunk.body) for chunk in chunks)
    content = Content(stream, chunks, bytes(stream.data[end:]))
    context = ProjectContext(raw_numbers=content.raw_numbers, unknown=content.unknown)
    settings = _last(chunks, SETTINGS_NAME)
    values = SETTINGS.values(read_chunks(inside(settings)) if settings else (), context)
    result = Settings(**values)
    context.tomb_engine = result.is_tomb_engine
    rooms = _last(chunks, ROOMS_NAME)
    listed = [part for part in read_chunks(inside(rooms)) if part.name == ROOM_NAME] if rooms else []
    project_rooms = _rooms(listed, context)
    content.objects.update(each.number for room in project_rooms for each in room.objects)
    return content, result, project_rooms, context.problems


def version_of(data: bytes) -> int:
    """Return the target of a project, see :class:`.settings.GameVersion`.

    Raises:
        FormatError: if it is not a project, or damaged.
    """
    stream = open_stream(data, MAGIC, "the packed project", {b"": _NO_PROJECT})
    settings = _last(read_chunks(Cursor(stream.data, stream.start)), SETTINGS_NAME)
    part = _last(read_chunks(inside(settings)), "TeGameVersion") if settings else None
    return Settings.game_version if part is None else int(NUMBER.read(part, ProjectContext()))


def _last(chunks: Sequence[Chunk], name: str) -> Chunk | None:
    return next((chunk for chunk in reversed(chunks) if chunk.name == name), None)


def _rooms(chunks: Sequence[Chunk], context: ProjectContext) -> list[ProjectRoom]:
    """Return the rooms of chunks."""
    records: list[dict[str, Any]] = []
    sectors: list[ProjectSectors] = []
    for index, chunk in enumerate(chunks):
        context.part = f"{ROOM_NAME}[{index}]"
        cursor = inside(chunk)
        x_sectors, z_sectors = lebs(cursor, 2)
        parts = read_chunks(cursor)
        values = ROOM.values(parts, context)
        if values["shape"] is None:
            raise FormatError(ROOM_NAME, f"a chunk {NAME}", "none", element=index)
        sectors.append(ProjectSectors(context.part, x_sectors, z_sectors, values["shape"]))
        records.append({**values, "source": chunk})
    numbers: set[int] = set()
    for values in records:
        if values["number"] in numbers:
            number = next(number for number in range(len(numbers) + 1) if number not in numbers)
            context.raw_numbers[number] = values["number"]
            values["number"] = number
        numbers.add(values["number"])
    shapes = read_shapes(sectors)
    return [
        ProjectRoom(**{**values, "shape": shape, "source_digest": digest_of(shape)})
        for values, shape in zip(records, shapes, strict=True)
    ]


# --- Writing -----------------------------------------------------------------------------------


class _Rooms(ListKind):
    """The rooms of a project; only for writing. `changed`: the ids of those with other sectors."""

    def __init__(self, changed: Collection[int]) -> None:
        super().__init__(ROOM_NAME)
        self._changed = changed

    def decode(self, chunk: Chunk, context: ProjectContext) -> Any:
        return chunk

    def chunk(self, element: ProjectRoom, context: ProjectContext) -> Chunk:
        values, source = attributes(element), element.source
        shape = element.shape
        size = shape.x_sectors, shape.z_sectors
        start = b"".join(map(leb_bytes, size))
        if source is None:
            new = ProjectContext(context.tomb_engine)
            return WRITER.parent(ROOM_NAME, ROOM.new_chunks(values, new), start)
        cursor = inside(source)
        x_sectors, z_sectors = lebs(cursor, 2)
        context.size = x_sectors, z_sectors
        if context.size == size:
            start = source.body[: cursor.offset]
        parts = read_chunks(cursor)
        sectors = _last(parts, NAME)
        if sectors is not None and id(element) not in self._changed:
            context.shapes[context.size, sectors.body] = shape
        merged = ROOM.merged(values, parts, context)
        if merged == parts and context.size == size:
            return source
        return with_parts(source, start, merged, source.body[cursor.offset :])


def write_content(content: Content, settings: Settings, rooms: Sequence[ProjectRoom]) -> bytes:
    """Return the file. Raises ExportError if a part cannot be written."""
    context = ProjectContext(
        settings.game_version == GameVersion.TOMB_ENGINE, raw_numbers=content.raw_numbers
    )
    chunks = list(content.chunks)
    index = {chunk.name: position for position, chunk in enumerate(chunks)}
    if SETTINGS_NAME in index:
        source = chunks[index[SETTINGS_NAME]]
        cursor = inside(source)
        parts = read_chunks(cursor)
        merged = SETTINGS.merged(vars(settings), parts, context)
        if merged != parts:
            chunks[index[SETTINGS_NAME]] = with_parts(source, b"", merged, source.body[cursor.offset :])
    elif not chunks or SETTINGS.merged(vars(settings), [], context):
        new = WRITER.parent(SETTINGS_NAME, SETTINGS.new_chunks(vars(settings), context))
        chunks.insert(index.get(ROOMS_NAME, len(chunks)), new)
        index = {chunk.name: position for position, chunk in enumerate(chunks)}
    changed = [room for room in rooms if room.source and room.source_digest != digest_of(room.shape)]
    kind = _Rooms({id(room) for room in changed})
    context.shapes = _old_shapes(changed)
    if ROOMS_NAME in index:
        source = chunks[index[ROOMS_NAME]]
        chunks[index[ROOMS_NAME]] = source.with_body(kind.merge(rooms, source, context))
    elif rooms or not content.chunks:
        chunks.append(kind.new_chunk(ROOMS_NAME, rooms, context))
    stream = b"".join([*(chunk.to_bytes() for chunk in chunks), content.rest])
    return content.stream.packed(MAGIC, stream)


def _old_shapes(rooms: Sequence[ProjectRoom]) -> dict[tuple[tuple[int, int], bytes], RoomShape]:
    """Return the shapes of rooms as they were read, see :class:`ProjectContext`."""
    sectors_by_content: dict[tuple[tuple[int, int], bytes], ProjectSectors] = {}
    for room in rooms:
        if room.source is not None:
            cursor = inside(room.source)
            x_sectors, z_sectors = lebs(cursor, 2)
            sectors = _last(read_chunks(cursor), NAME)
            if sectors is not None:
                sectors_by_content[(x_sectors, z_sectors), sectors.body] = ProjectSectors(
                    room.name, x_sectors, z_sectors, sectors.body
                )
    return dict(zip(sectors_by_content, read_shapes([*sectors_by_content.values()]), strict=True))
