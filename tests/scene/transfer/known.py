"""Pieces that are not yet the same on every road: remove a row once its road is right.

Each row has the kind, the roads, the pairs of games ("4>1" is TR4 to TR1), and what is wrong.
"""

from __future__ import annotations

from typing import NamedTuple


class Known(NamedTuple):
    """A known difference.

    Attributes:
        kind: of the pieces.
        roads: on which they differ.
        pairs: of games.
        reason: what is wrong.
    """

    kind: str
    roads: str
    pairs: str
    reason: str


KNOWN = (
    Known(
        "room sprite",
        "asset",
        "1>2 1>3 1>4 2>1 2>3 2>4 3>1 3>2 3>4 4>1 4>2 4>3",
        "the sprite shows a sequence of another id, or none",
    ),
)


def reason_of(kind: str, road: str, pair: str) -> str | None:
    """Return why a piece is known to differ on a road, or None."""
    found = (each for each in KNOWN if each.kind == kind)
    return next((e.reason for e in found if road in e.roads.split() and pair in e.pairs.split()), None)
