"""What a level has for TRX only, by element, for levels whose target is the original game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..base.messages import N_, plural
from ..collision.sectors import NO_ROOM
from ..injections.edits import edits_of, level_blocks
from ..injections.records import FLOOR, FLYBYS, ITEM_NAMES, PAGES, SOUNDS, FloorEdit
from ..injections.schema import Record
from ..injections.trxj import Injection
from ..level.decoded import Decoded
from ..targets import Target
from .findings import THE_LEVEL, Element, Finding, Severity
from .limits import CHECK, target_of

_Plural = tuple[str, str]

_CLIMB: _Plural = (
    N_("a sector has a climbable wall or a monkey swing for TRX only"),
    N_("{count} sectors have climbable walls or monkey swings for TRX only"),
)
_SPLIT: _Plural = (
    N_("a sector is split into triangles for TRX only: the original game has a plane there"),
    N_("{count} sectors are split into triangles for TRX only: the original game has planes there"),
)
_CART: _Plural = (
    N_("a sector turns or stops mine carts for TRX only"),
    N_("{count} sectors turn or stop mine carts for TRX only"),
)
_OPENING: _Plural = (
    N_("a sector opens to a room above number 254: it is closed in the original game"),
    N_("{count} sectors open to rooms above number 254: they are closed in the original game"),
)
_PROPERTIES: _Plural = (
    N_("its damage, cold water or reverberation exist for TRX only"),
    N_("its damage, cold water or reverberation exist for TRX only"),
)
_NAME: _Plural = (N_("its script name is for TRX only"), N_("its script names are for TRX only"))
_PAGE: _Plural = (
    N_("a texture page has a picture for TRX only: the original game shows its own"),
    N_("texture pages have {count} pictures for TRX only: the original game shows its own"),
)
_SOUND: _Plural = (N_("a sound is for TRX only"), N_("{count} sounds are for TRX only"))
_FLYBY: _Plural = (N_("a flyby camera is for TRX only"), N_("{count} flyby cameras are for TRX only"))
_EDIT: _Plural = (
    N_("an edit is for TRX only. Apply it in the panel Edits of TRX, or delete it"),
    N_("{count} edits are for TRX only. Apply them in the panel Edits of TRX, or delete them"),
)
# The English templates, by which the interface finds their fixes.
TEMPLATES = frozenset(
    text
    for pair in (_CLIMB, _SPLIT, _CART, _OPENING, _PROPERTIES, _NAME, _PAGE, _SOUND, _FLYBY, _EDIT)
    for text in pair
)


def check_originals(checked: Decoded) -> Iterator[Finding]:
    """Find what a level for the original game has in its block for TRX, grouped by element and kind."""
    injection = checked.injection
    if injection is None or target_of(checked) is Target.TRX:
        return
    counts: dict[tuple[Element, _Plural], int] = {}
    for element, kind in _found(injection):
        counts[element, kind] = counts.get((element, kind), 0) + 1
    for (element, kind), count in counts.items():
        yield Finding(f"{CHECK}{kind[0]}", Severity.WARNING, element, plural(*kind, count), count=count)


def _found(injection: Injection) -> Iterator[tuple[Element, _Plural]]:
    for record in injection.records(FLOOR):
        for edit in record["edits"]:
            kind = _KINDS.get(edit["type"])
            if kind is not None and _is_beyond(edit):
                yield Element("room", record["room"]), kind
    for record in injection.records(ITEM_NAMES):
        yield Element("entity", record["item"]), _NAME
    for type_, kind in ((PAGES, _PAGE), (SOUNDS, _SOUND)):
        for _ in injection.records(type_) if type_ in level_blocks(injection) else ():
            yield THE_LEVEL, kind
    for record in injection.records(FLYBYS):
        yield Element("room", record["room"]), _FLYBY
    for edit in edits_of(injection):
        is_named = edit.target.kind in ("room", "entity")
        yield edit.target if is_named else THE_LEVEL, _EDIT


_KINDS: Mapping[int, _Plural] = {
    FloorEdit.CLIMB: _CLIMB,
    FloorEdit.SPLIT: _SPLIT,
    FloorEdit.MINE_CART: _CART,
    FloorEdit.SECTOR: _OPENING,
    FloorEdit.PORTALS: _OPENING,
    FloorEdit.ROOM_PROPERTIES: _PROPERTIES,
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
