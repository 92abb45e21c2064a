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
    Known("placement", "append", "1>4 2>4 3>4 5>4", "the static mesh is added twice, as its id was not kept"),
    Known(
        "room sprite",
        "append",
        "1>2 1>3 1>4 2>1 2>3 2>4 3>1 3>2 3>4 4>1 4>2 4>3",
        "an appended sprite sequence differs from that of the other roads",
    ),
    Known(
        "room sprite",
        "asset drag link local paste",
        "1>2 1>3 1>4 2>1 2>3 2>4 3>1 3>2 3>4 4>1 4>2 4>3",
        "the sprite shows a sequence of another id, or none",
    ),
    Known(
        "sound",
        "kit",
        "2>1 2>4 2>5 3>1 3>4 3>5",
        "samples of TR2 and TR3 are not looked for in the MAIN.SFX next to the kit, so the sounds are lost",
    ),
    Known(
        "sprite",
        "append",
        "1>2 1>3 1>4 2>1 2>3 2>4 3>1 3>2 3>4 4>1 4>2 4>3",
        "an appended sprite sequence differs from that of the other roads",
    ),
    Known(
        "sprite",
        "asset drag link local paste",
        "1>2 1>3 1>4 1>5 2>1 2>3 2>4 2>5 3>1 3>2 3>4 3>5 4>1 4>2 4>3 4>5 5>1 5>2 5>3 5>4",
        "ids of sprites that only rooms show keep their number or get a free one, and pictures are lost",
    ),
    Known(
        "sprite",
        "append",
        "1>5 2>5 3>5 4>5 5>1 5>2 5>3 5>4",
        "ids of sprites that only rooms show keep their number, so they mean something else",
    ),
    Known("sprite", "replace", "4>1 4>2 4>3 5>1 5>2 5>3", "the id is not mapped, so nothing is replaced"),
    Known(
        "static mesh",
        "append replace",
        "1>4 2>4 3>4 5>4",
        "an id that the target has no name for becomes 0",
    ),
)


def reason_of(kind: str, road: str, pair: str) -> str | None:
    """Return why a piece is known to differ on a road, or None."""
    found = (each for each in KNOWN if each.kind == kind)
    return next((e.reason for e in found if road in e.roads.split() and pair in e.pairs.split()), None)
