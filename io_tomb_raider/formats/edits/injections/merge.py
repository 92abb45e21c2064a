"""Injections joined to one, and the numbers of new entities that are baked."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import NamedTuple

from ...base.errors import ExportError
from ...base.messages import T
from ...base.schema.fields import Record
from ...levels.injections.convert import OtherForm, converted
from ...levels.injections.fields import TRXI, Counts
from ...levels.injections.kinds import BlockId
from ...levels.injections.trxj import Injection
from .edits import NEW_DATA, new_items

# Newer engines read the sizes of rooms as this version has them, whatever the version of the file.
_WITH_SIZES = 11


class Merged(NamedTuple):
    """The edits of a level after others were added."""

    injection: Injection
    lost: list[str]  #: what its form cannot hold of the added edits, as messages.


def merged(first: Injection | None, second: Injection, items: int) -> Merged:
    """Return one injection with the records of two, in this order.

    Args:
        first: those of a level, applied first; None for none. Its form stays: TRXJ, which levels have, unless
            it came with TRXI.
        second: applied afterwards. Its tests are dropped.
        items: the number of entities of the level.

    Raises:
        ExportError: if both have new models, textures or animations, which count from their own first
            element, if one of them refers to MAIN.SFX, or if the game cannot hold new models.
        FormatError: if new models of TRXI are damaged.
    """
    is_empty = first is None or not (first.chunks or first.tests)
    new, lost = _in_form_of(None if is_empty else first, second)
    new.tests = []
    if is_empty or first is None:
        new.upgrade(_WITH_SIZES if new.records(BlockId.ROOM_SIZES) else 0)
        return Merged(new, lost)
    result = copy.deepcopy(first)
    has_data = [any(block.type in _DATA for block in each.blocks) for each in (result, new)]
    if all(has_data):
        problem = T("the level and the injection both have new models or textures. Apply one of them first")
        raise ExportError("TRXJ", problem)
    has_sizes = result.records(BlockId.ROOM_SIZES) or new.records(BlockId.ROOM_SIZES)
    version = max(result.version, new.version, _WITH_SIZES if has_sizes else 0)
    result.upgrade(version)
    new.upgrade(version)
    added = len(new_items(result))
    if added:
        new, _ = new.renumbered(
            {Counts.ITEM: lambda number, _: number + added if number >= items else number}
        )
    for chunk in new.chunks:
        if chunk.content is not None:
            result.chunks.append(chunk)
        for block in chunk.blocks:
            result.append(chunk.type, block)
    return Merged(result, lost)


_DATA = NEW_DATA | {BlockId.SYMBOLS}


def _in_form_of(first: Injection | None, second: Injection) -> OtherForm:
    """Return a copy of an injection in the form of another one."""
    is_trxi = first is not None and first.is_trxi
    if is_trxi == second.is_trxi:
        return OtherForm(copy.deepcopy(second), [])
    return converted(second, TRXI if is_trxi else _WITH_SIZES)


def after_new_items(injection: Injection, baked: Sequence[bool], items: int) -> Injection:
    """Return an injection after some of its new entities became those of the level.

    Args:
        injection: without these edits.
        baked: whether each new entity, in order, was baked.
        items: the number of entities of the level before.
    """
    order = [number for number, is_baked in enumerate(baked) if is_baked]
    order += [number for number, is_baked in enumerate(baked) if not is_baked]

    def number(item: int, _outer: Record) -> int:
        index = item - items
        return items + order.index(index) if 0 <= index < len(order) else item

    return injection.renumbered({Counts.ITEM: number})[0]
