"""Injections joined to one, and the numbers of new entities that are baked."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from ...base.errors import ExportError
from ...base.messages import T
from ...base.schema.fields import Record
from ...levels.injections.fields import Counts
from ...levels.injections.trxj import Injection
from .edits import NEW_DATA, new_items


def merged(first: Injection | None, second: Injection, items: int) -> Injection:
    """Return one injection with the records of two, in this order.

    Args:
        first: applied first; None for none.
        second: applied afterwards. Its tests are dropped.
        items: the number of entities of the level.

    Raises:
        ExportError: if both have new models, textures or animations, which count from their own first
            element, or if one of them refers to MAIN.SFX.
    """
    new = copy.deepcopy(second)
    new.tests = []
    if first is None or not (first.chunks or first.tests):
        return new
    result = copy.deepcopy(first)
    has_data = [any(block.type in NEW_DATA for block in each.blocks) for each in (result, new)]
    if all(has_data):
        problem = T("the level and the injection both have new models or textures. Apply one of them first")
        raise ExportError("TRXJ", problem)
    version = max(result.version, new.version)
    result.upgrade(version)
    new.upgrade(version)
    added = len(new_items(result))
    if added:
        new, _ = new.renumbered(
            {Counts.ITEM: lambda number, _: number + added if number >= items else number}
        )
    for block in new.blocks:
        if block.content is None:
            result.replace(block.type, [*result.records(block.type), *block.records])
        else:
            result.add_bytes(block.type, len(block), block.content)
    return result


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
