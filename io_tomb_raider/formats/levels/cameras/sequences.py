"""Export order of flyby cameras in sequences (documentation, chapter 9.6)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

Key = tuple[int, int]  # of a camera: its sequence, and its number in it


def order_with(existing: Sequence[Key], added: Sequence[Key]) -> list[int]:
    """Return the export order of cameras in the file and new ones.

    The games use cameras in file order, and those of a sequence must be adjacent. A new camera is inserted
    after the last of its sequence whose number is not above its own, or before the first; new sequences are
    appended.

    Args:
        existing: cameras in file order.
        added: new cameras, in any order.

    Returns:
        Indices into the concatenation of ``existing`` and ``added``.
    """
    of_sequence: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row, (sequence, number) in enumerate(existing):
        of_sequence[sequence].append((number, row))
    first = {sequence: cameras[0][1] for sequence, cameras in of_sequence.items()}
    for cameras in of_sequence.values():
        cameras.sort()
    last = {
        sequence: [*accumulate((row for _, row in cameras), max)] for sequence, cameras in of_sequence.items()
    }

    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    new: list[int] = []
    for index in sorted(range(len(added)), key=added.__getitem__):
        sequence, number = added[index]
        earlier = bisect_right(of_sequence.get(sequence, ()), number, key=lambda each: each[0])
        if sequence not in first:
            target = new
        elif earlier:
            target = after[last[sequence][earlier - 1]]
        else:
            target = before[first[sequence]]
        target.append(len(existing) + index)
    ordered: Iterable[list[int]] = (
        [*before.get(row, ()), row, *after.get(row, ())] for row in range(len(existing))
    )
    return [*chain.from_iterable(ordered), *new]
