"""Items that enemies drop, which the game flow of TRX defines by the numbers of entities and slots.

Each entity stores its items as a text of ids, and the number by which the game flow names the entity.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from bpy.types import Object

from ....formats.base import T, Target
from ....formats.levels.game_files import ItemId
from ...core.context import ExportContext
from ...core.order import Numbers
from ...core.reporting.report import first_few, storable

_NAMED = 3  # maximum of objects named in a warning


def drops_of(obj: Object) -> tuple[ItemId, ...]:
    """Return the ids of the items that an entity drops: numbers of slots, or names of the engine."""
    return parse_drops(obj.tomb_raider.entity.drops)


def parse_drops(text: str) -> tuple[ItemId, ...]:
    """Return the ids in a text: JSON without the brackets, or names without quotes."""
    try:
        items = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        items = [int(each) if each.isdecimal() else each for each in map(str.strip, text.split(","))]
    return tuple(each for each in items if type(each) is int or (isinstance(each, str) and each))


def show_drops(items: Iterable[ItemId]) -> str:
    """Return the text of ids."""
    return storable(json.dumps(list(items), ensure_ascii=False)[1:-1])


def put_drops(obj: Object, items: Iterable[ItemId], number: int) -> None:
    """Set the items of an entity, and its number in the game flow, -1 for none."""
    settings, text = obj.tomb_raider.entity, show_drops(items)
    if settings.drops != text:
        settings.drops = text
    if settings.drop_number != number:
        settings.drop_number = number


def drop_owners(objects: Iterable[tuple[Object, int]]) -> dict[Object, int]:
    """Return the entities that the game flow names, with their numbers there.

    A copy has the number of its original, which precedes it among the objects, in the order of their export.
    """
    by_number: dict[int, Object] = {}
    for obj, _ in objects:
        number = obj.tomb_raider.entity.drop_number
        if number >= 0:
            by_number.setdefault(number, obj)
    return {obj: number for number, obj in by_number.items()}


def warn_of_drops(context: ExportContext, objects: list[tuple[Object, int]], numbers: Numbers) -> None:
    """Warn if the game flow names other entities than those that drop items, until it is written, too."""
    if context.target is not Target.TRX or not context.root.tomb_raider.gameflow.path:
        return
    owners = drop_owners(objects)
    moved = [obj.name for obj, number in owners.items() if numbers.of[obj] != number]
    left = {str(number) for number in owners.values()}
    gone = [each for each in context.root.tomb_raider.gameflow.dropping.split() if each not in left]
    if moved:
        context.report.warn(
            T("Item Drops"),
            T(
                "numbers of entities changed ({objects}): write the game flow, too",
                objects=first_few(moved, _NAMED),
            ),
        )
    if gone:
        context.report.warn(
            T("Item Drops"),
            T(
                "entities that drop items were deleted (numbers {numbers}): write the game flow, too",
                numbers=first_few(gone, _NAMED),
            ),
        )
