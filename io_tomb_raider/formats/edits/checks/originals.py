"""Data for TRX only, by element, of levels whose target is the original game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from ...base.messages import T, Text, plural
from ...base.schema.fields import Record
from ...base.targets import Target
from ...levels.collision.sectors import NO_ROOM
from ...levels.injections.kinds import BlockId, FloorEdit
from ...levels.injections.trxj import Injection
from ...levels.views.decoded import Decoded
from ...levels.views.findings import THE_LEVEL, Element, Finding, Severity
from ..injections.edits import edits_of, shown_records
from ..rules.limits import CHECK, target_of

_Say = Callable[[int], str]  # the text for a number of occurrences


def _climb(count: int) -> str:
    return plural(
        "a sector has a climbable wall or a monkey swing for TRX only",
        "{count} sectors have climbable walls or monkey swings for TRX only",
        count,
    )


def _split(count: int) -> str:
    return plural(
        "a sector is split into triangles for TRX only: the original game has a plane there",
        "{count} sectors are split into triangles for TRX only: the original game has planes there",
        count,
    )


def _cart(count: int) -> str:
    return plural(
        "a sector turns or stops mine carts for TRX only",
        "{count} sectors turn or stop mine carts for TRX only",
        count,
    )


def _opening(count: int) -> str:
    return plural(
        "a sector opens to a room above number 254: it is closed in the original game",
        "{count} sectors open to rooms above number 254: they are closed in the original game",
        count,
    )


def _properties(count: int) -> str:
    return T("its damage, cold water or reverberation exist for TRX only")


def _name(count: int) -> str:
    return T("its script name is for TRX only")


def _page(count: int) -> str:
    return plural(
        "a texture page has a picture for TRX only: the original game shows its own",
        "texture pages have {count} pictures for TRX only: the original game shows its own",
        count,
    )


def _sound(count: int) -> str:
    return plural("a sound is for TRX only", "{count} sounds are for TRX only", count)


def _flyby(count: int) -> str:
    return plural("a flyby camera is for TRX only", "{count} flyby cameras are for TRX only", count)


def _own_properties(count: int) -> str:
    return T("its properties are for TRX only")


def _edit(count: int) -> str:
    return plural(
        "an edit is for TRX only. Apply it in the panel Edits of TRX, or delete it",
        "{count} edits are for TRX only. Apply them in the panel Edits of TRX, or delete them",
        count,
    )


def is_original(text: str) -> bool:
    """Return whether a message is one of these findings, whatever its count."""
    return isinstance(text, Text) and text.template in _templates()


@cache
def _templates() -> frozenset[str]:
    sayings = (*_KINDS.values(), _name, _page, _sound, _flyby, _own_properties, _edit)
    texts = (say(count) for say in sayings for count in (1, 2))
    return frozenset(text.template for text in texts if isinstance(text, Text))


def check_originals(checked: Decoded) -> Iterator[Finding]:
    """Find data for TRX in the block of a level for the original game, grouped by element and kind."""
    injection = checked.injection
    if injection is None or target_of(checked) is Target.TRX:
        return
    counts: dict[tuple[Element, _Say], int] = {}
    for element, kind in _found(injection):
        counts[element, kind] = counts.get((element, kind), 0) + 1
    for (element, kind), count in counts.items():
        yield Finding(f"{CHECK}{kind.__name__}", Severity.WARNING, element, kind(count), count=count)


def _found(injection: Injection) -> Iterator[tuple[Element, _Say]]:
    for record in injection.records(BlockId.FLOOR):
        for edit in record["edits"]:
            kind = _KINDS.get(edit["type"])
            if kind is not None and _is_beyond(edit):
                yield Element("room", record["room"]), kind
    for type_, record in shown_records(injection):
        yield _target(type_, record), _SHOWN[type_]
    for edit in edits_of(injection):
        yield edit.target if edit.target.kind in _NAMED else THE_LEVEL, _edit


_NAMED = ("room", "entity", "model")
_SHOWN: Mapping[int, _Say] = {
    BlockId.ITEM_NAMES: _name,
    BlockId.PAGE_EDITS: _page,
    BlockId.SOUNDS: _sound,
    BlockId.FLYBYS: _flyby,
    BlockId.PROPERTIES: _own_properties,
}


def _target(type_: int, record: Record) -> Element:
    if "item" in record:
        return Element("entity", record["item"])
    if type_ == BlockId.FLYBYS:
        return Element("room", record["room"])
    return Element("model", record["object"]["id"]) if type_ == BlockId.PROPERTIES else THE_LEVEL


_KINDS: Mapping[int, _Say] = {
    FloorEdit.CLIMB: _climb,
    FloorEdit.SPLIT: _split,
    FloorEdit.MINE_CART: _cart,
    FloorEdit.SECTOR: _opening,
    FloorEdit.PORTALS: _opening,
    FloorEdit.ROOM_PROPERTIES: _properties,
}
_TESTS: Mapping[int, Callable[[Record], bool]] = {
    FloorEdit.CLIMB: lambda edit: bool(edit["climb"]),
    FloorEdit.MINE_CART: lambda edit: bool(edit["mine_cart"]),
    FloorEdit.SECTOR: lambda edit: max(edit["room_below"], edit["room_above"]) >= NO_ROOM,
    FloorEdit.PORTALS: lambda edit: max(edit["room_below"], edit["room_above"]) >= NO_ROOM,
}


def _is_beyond(edit: Record) -> bool:
    """Return whether an edit is more than a value that the level itself stores."""
    test = _TESTS.get(edit["type"])
    return test is None or test(edit)
