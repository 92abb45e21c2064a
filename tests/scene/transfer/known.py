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
        "action",
        "append",
        "1>2 1>3 2>1 4>1 4>2 5>1 5>2",
        (
            "sounds and effects are matched by name, not by equivalents: an explosion gets "
            "another number, a floor shake is lost; land, water and foot bits stay in games without them"
        ),
    ),
    Known(
        "action",
        "replace exchange drag paste link local asset",
        "1>2 1>3 1>4 1>5 2>1 3>1 3>2 4>1 4>2 5>1 5>2",
        "as on append; a sound that the target has by its number is not matched either",
    ),
    Known(
        "sound",
        "append",
        "1>2 1>3 2>1 3>1",
        "an explosion is matched by name, so it gets a free number that the engine never asks for",
    ),
    Known(
        "sound",
        "replace drag asset",
        "1>2 1>3 1>4 1>5 2>1 3>1 4>1 5>1",
        "as on append, and two copies arrive, or the target's own stays",
    ),
    Known(
        "sound",
        "paste link local",
        "1>2 1>3 1>4 1>5 2>1 2>3 2>4 2>5 3>1 3>2 3>4 3>5 4>1 4>2 4>3 4>5 5>1 5>2 5>3 5>4",
        "as on append, and a sound of a speaker alone is added with default settings instead of its own",
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
        "1>5 2>5 3>5 4>5 5>1 5>2 5>3 5>4",
        "ids of sprites that only rooms show keep their number, so they mean something else",
    ),
    Known(
        "sprite",
        "replace",
        "4>1 4>2 4>3 5>1 5>2 5>3",
        "the id is not mapped, so nothing is replaced",
    ),
    Known(
        "sprite",
        "drag paste link local asset",
        "1>2 1>3 1>4 1>5 2>1 2>3 2>4 2>5 3>1 3>2 3>4 3>5 4>1 4>2 4>3 4>5 5>1 5>2 5>3 5>4",
        "ids of sprites that only rooms show keep their number or get a free one, and pictures are lost",
    ),
    Known(
        "room",
        "drag paste link local",
        "1>2 1>3 1>4 1>5 2>1 2>3 2>4 2>5 3>1 3>2 3>4 3>5 4>1 4>2 4>3 5>1 5>2 5>3",
        "flags, ambient light, light mode and reverb stay those of the other game",
    ),
    Known(
        "light",
        "drag paste link local",
        "1>2 1>3 1>4 1>5 2>1 2>3 2>4 2>5 3>1 3>2 3>4 3>5 4>1 4>2 4>3 4>5 5>1 5>2 5>3 5>4",
        "values are guessed from the lamp: intensity and ranges change, fog and shadow lose their strength",
    ),
    Known(
        "placement",
        "append",
        "1>4 2>4 3>4 5>4",
        "the static mesh is added twice, as its id was not kept",
    ),
    Known(
        "placement",
        "drag paste link local",
        "1>2 1>3 1>4 1>5 2>3 2>4 2>5 3>1 3>2 3>5 4>1 4>2 4>5 5>1 5>2 5>3 5>4",
        "light and tint stay those of the other game: black between shades and tints",
    ),
    Known(
        "room sprite",
        "drag paste link local asset",
        "1>2 1>3 1>4 2>1 2>3 2>4 3>1 3>2 3>4 4>1 4>2 4>3",
        "the sprite shows a sequence of another id, or none",
    ),
    Known(
        "entity",
        "drag paste link local",
        "1>2 1>3 1>4 1>5 2>3 2>4 2>5 3>1 3>2 3>4 3>5 4>1 4>2 4>3 5>1 5>2 5>3",
        "intensity and flags stay those of the other game, and so does the type, unless names are equal",
    ),
    Known(
        "sound source",
        "drag paste link local",
        "1>2 1>3 1>4 1>5 2>1 3>1 4>1 5>1",
        "its sound is matched by name and keeps its number, or gets a free one",
    ),
    Known(
        "trigger",
        "drag paste link local",
        "1>2 1>3 1>4 1>5 2>1 3>1 4>1 4>2 4>3 5>1 5>2 5>3",
        "timers stay signed, and effects of other names are lost",
    ),
    Known(
        "model",
        "append",
        "1>3 2>3 4>1 4>2 4>3 5>1 5>2 5>3",
        "ids are matched by name, so exact equivalents of another name get a free id",
    ),
    Known(
        "model",
        "drag paste link local asset",
        "1>3 1>4 1>5 2>3 2>4 2>5 3>1 3>2 3>4 3>5 4>1 4>2 4>3 5>1 5>2 5>3",
        "ids are matched by name, so exact equivalents of another name get a free id",
    ),
    Known(
        "sectors",
        "drag paste link local",
        "1>3 1>4 1>5 2>1 2>3 2>4 2>5 3>1 3>2 4>1 4>2 5>1 5>2",
        (
            "collision is not converted: exports are refused for climbable walls and materials, or have no "
            "material"
        ),
    ),
    Known(
        "static mesh",
        "append replace",
        "1>4 2>4 3>4 4>1 4>2 4>3 5>1 5>2 5>3 5>4",
        (
            "an id of the catalogue's classes that the target has no name for becomes 0; flags without bit 1 "
            "stay so in TR1 to TR3, which draw nothing then"
        ),
    ),
    Known(
        "static mesh",
        "drag paste link local asset",
        "4>1 4>2 4>3 5>1 5>2 5>3",
        "flags without bit 1 stay so in TR1 to TR3, which draw nothing then",
    ),
    Known(
        "room mesh",
        "drag paste link local",
        "2>3 2>4 3>1 3>2 3>5 4>1 4>2 4>5 5>1 5>2",
        "vertex attributes, colors and alpha stay those of the other game",
    ),
)


def reason_of(kind: str, road: str, pair: str) -> str | None:
    """Return why a piece is known to differ on a road, or None."""
    found = (each for each in KNOWN if each.kind == kind)
    return next((e.reason for e in found if road in e.roads.split() and pair in e.pairs.split()), None)
