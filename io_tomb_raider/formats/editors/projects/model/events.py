"""Event sets of TombEngine, in chunks."""

from __future__ import annotations

from typing import Any

from ....base.bytes.chunks import END, Chunk, inside, read_chunks
from ....base.schema.chunks import NUMBER, TEXT, TRUTH, VECTOR2_LEAF, VECTOR_LEAF, ListKind, Part, Record
from .records import WRITER, ProjectContext
from .settings import Argument, Event, EventNode, EventSet

_SET = "TeEventSet"
_EVENT, _NEXT, _ELSE = "TeEvent", "TeEventNodeNext", "TeEventNodeElse"
# The events of files until November 2023, by type.
_OLD_EVENTS = ("TeEventSetOnEnter", "TeEventSetOnInside", "TeEventSetOnLeave")
_NESTED = (_NEXT, _ELSE)
_DEEPEST = 40  # else branches; deeper ones stay as they are
_ARGUMENT, _OLD_ARGUMENT = "TeNodeArg2", "TeNodeArg"

_GLOBAL_RECORD = Record(
    EventSet,
    (
        Part("TeEventSetIndex", "number", NUMBER),
        Part("TeEventSetName", "name", TEXT),
        Part("TeEventSetLUEI", "last_event", NUMBER),
    ),
    {"number": 0, "name": ""},
)
_VOLUME_RECORD = Record(
    EventSet,
    (*_GLOBAL_RECORD.parts, Part("TeEventSetActivators", "activators", NUMBER)),
    _GLOBAL_RECORD.required,
)
_EVENT_RECORD = Record(
    Event,
    (
        Part("TeEventType", "type", NUMBER),
        Part("TeEventMode", "mode", NUMBER),
        Part("TeEventFunction", "function", TEXT),
        Part("TeEventArgument", "argument", TEXT),
        Part("TeEventCallCounter", "call_counter", NUMBER),
        Part("TeEventEnabled", "enabled", TRUTH),
        Part("TeEventNodePos", "position", VECTOR2_LEAF),
    ),
)
_NODE_RECORD = Record(
    EventNode,
    (
        Part("TeNodeType", "type", NUMBER),
        Part("TeNodeName", "name", TEXT),
        Part("TeNodeSize", "size", NUMBER),
        Part("TeNodeScrPos", "position", VECTOR2_LEAF),
        Part("TeNodeColor", "color", VECTOR_LEAF),
        Part("TeNodeLocked", "locked", TRUTH),
        Part("TeNodeFunc", "function", TEXT),
    ),
)
_ARGUMENT_RECORD = Record(
    Argument, (Part("TeNodeArgName", "name", TEXT), Part("TeNodeArgValue", "value", TEXT))
)


class EventSets(ListKind):
    """The sets of global events or of volumes. A set that changed is written as a whole."""

    def __init__(self, *, of_volumes: bool) -> None:
        super().__init__(_SET)
        self._record = _VOLUME_RECORD if of_volumes else _GLOBAL_RECORD

    def decode(self, chunk: Chunk, context: ProjectContext) -> EventSet:
        parts = read_chunks(inside(chunk))
        events = [_event(part, context) for part in parts if part.name in (_EVENT, *_OLD_EVENTS)]
        return EventSet(**self._record.values(parts, context), events=events, source=chunk)

    def chunk(self, element: EventSet, context: ProjectContext) -> Chunk:
        new = self._new_chunk(element, context)
        source = element.source
        before = self.element(source, ProjectContext()) if source is not None else None
        # Chunks are compared, since a number that is none does not equal itself.
        return source if source is not None and before and self._new_chunk(before, context) == new else new

    def _new_chunk(self, element: EventSet, context: ProjectContext) -> Chunk:
        parts = self._record.new_chunks(vars(element), context)
        return WRITER.parent(_SET, [*parts, *(_event_chunk(event, context) for event in element.events)])


def _event(chunk: Chunk, context: ProjectContext) -> Event:
    parts = read_chunks(inside(chunk), _NESTED)
    event = Event(**_EVENT_RECORD.values(parts, context))
    if chunk.name in _OLD_EVENTS:
        event.type = _OLD_EVENTS.index(chunk.name)
    event.chains = [_chain(part, 0, context) for part in parts if part.name == _NEXT]
    return event


def _event_chunk(event: Event, context: ProjectContext) -> Chunk:
    parts = _EVENT_RECORD.new_chunks(vars(event), context)
    chains = (_chain_chunk(_NEXT, nodes, context) for nodes in event.chains if nodes)
    return WRITER.parent(_EVENT, [*parts, *chains])


def _chain(chunk: Chunk, depth: int, context: ProjectContext) -> list[EventNode]:
    """Return the nodes of a chunk and of all that follow in it."""
    nodes = []
    following: Chunk | None = chunk
    while following is not None:
        parts = read_chunks(inside(following), _NESTED)
        node = EventNode(**_NODE_RECORD.values(parts, context))
        node.arguments = [
            _argument(part, context) for part in parts if part.name in (_ARGUMENT, _OLD_ARGUMENT)
        ]
        other = next((part for part in parts if part.name == _ELSE), None)
        if other is not None and depth < _DEEPEST:
            node.otherwise = _chain(other, depth + 1, context)
        nodes.append(node)
        following = next((part for part in parts if part.name == _NEXT), None)
    return nodes


def _chain_chunk(name: str, nodes: list[EventNode], context: ProjectContext) -> Chunk:
    """Return the chunk of a node, with all that follow in it.

    It is joined once: a chain has thousands of nodes, each in the one before.
    """
    fronts: list[bytes] = []  # from the last node to the first: its head, and what is before the next node
    backs: list[bytes] = []
    size = 0
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        parts = _NODE_RECORD.new_chunks(vars(node), context)
        arguments = (_ARGUMENT_RECORD.new_chunks(vars(each), context) for each in node.arguments)
        parts += [WRITER.parent(_ARGUMENT, each) for each in arguments]
        front = b"".join(part.to_bytes() for part in parts)
        back = _chain_chunk(_ELSE, node.otherwise, context).to_bytes() if node.otherwise else b""
        size += len(front) + len(back) + len(END)
        head = WRITER.parent_head(_NEXT if index else name, size)
        size += len(head)
        fronts += [front, head]
        backs.append(back + END)
    head = fronts.pop()
    return Chunk(name, b"".join([*reversed(fronts), *backs]), head)


def _argument(chunk: Chunk, context: ProjectContext) -> Argument:
    if chunk.name == _OLD_ARGUMENT:
        return Argument("", TEXT.read(chunk, context))
    values: dict[str, Any] = _ARGUMENT_RECORD.values(read_chunks(inside(chunk)), context)
    return Argument(**values)
