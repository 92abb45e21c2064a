"""Types and actions of triggers in each game, and rectangles of sectors with the same trigger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ....catalogue import names
from ....formats import Game
from ....formats.base import N_, Target, signed
from ....formats.levels.collision import rectangles
from ....formats.levels.floor import (
    REFERRING_TRIGGERS,
    ActionType,
    Function,
    Trigger,
    TriggerType,
    actions_of,
    last_trigger_type,
)

if TYPE_CHECKING:
    from ....formats import Room

OTHER = 128  # the item for numbers that a game does not know
_OTHER_ITEM = ("OTHER", "Other", "Another type, by number", OTHER)

ENTITY_ACTIONS = frozenset({int(ActionType.OBJECT), int(ActionType.LOOK_AT)})
CAMERA_ACTIONS = frozenset({int(ActionType.CAMERA), int(ActionType.SINK)})
TARGET_ACTIONS = ENTITY_ACTIONS | CAMERA_ACTIONS | {int(ActionType.FLYBY)}
NUMBER_LABELS = {  # labels of the numbers of actions; others have none
    ActionType.FLIP_MAP: N_("Flip Map"),
    ActionType.FLIP_ON: N_("Flip Map"),
    ActionType.FLIP_OFF: N_("Flip Map"),
    ActionType.END_LEVEL: "Level",
    ActionType.SOUNDTRACK: "Track",
    ActionType.FLIPEFFECT: "Flipeffect",
    ActionType.SECRET: "Secret",
    ActionType.CUTSCENE: "Cutscene",
}

_TYPE_TEXTS = {
    TriggerType.TRIGGER: N_("Lara enters a sector, on the ground or not"),
    TriggerType.PAD: N_("Lara stands or lands on a sector"),
    TriggerType.SWITCH: N_(
        "Lara uses a switch, on or off. The bits of the mask are toggled on objects; other actions happen"
        " both times"
    ),
    TriggerType.KEY: N_("Lara uses a keyhole or a puzzle hole, which has to be in Set Off By"),
    TriggerType.PICKUP: N_("Lara picks up an item, which has to be in Set Off By"),
    TriggerType.HEAVY: N_("An enemy, a boulder or a pushable block enters a sector"),
    TriggerType.ANTIPAD: N_("Lara stands or lands on a sector, which deactivates objects"),
    TriggerType.COMBAT: N_("Lara enters a sector with weapons drawn"),
    TriggerType.DUMMY: N_("Nothing sets it off; Lara can stand on its objects, such as trapdoors"),
    TriggerType.ANTITRIGGER: N_("Lara enters a sector, which deactivates objects"),
    TriggerType.HEAVY_SWITCH: N_(
        "A pushable block whose activation mask is this mask enters a sector. The bits of the mask are"
        " toggled on objects"
    ),
    TriggerType.HEAVY_ANTITRIGGER: N_("An enemy, a boulder or a block enters, which deactivates objects"),
    TriggerType.MONKEY: N_("Lara swings along the ceiling. Levels of TRNG: a condition"),
    TriggerType.SKELETON: N_("Lara's skeleton shows while she is in a sector"),
    TriggerType.TIGHTROPE: N_("Lara walks on a tightrope"),
    TriggerType.CRAWL: N_("Lara crawls or crouches"),
    TriggerType.CLIMB: N_("Lara climbs on a wall"),
}
# Texts of games that have marks for characters, of those that have static meshes that shatter, and texts of
# types that deactivate objects, by what One Shot does there.
_WITH_MARKS = {
    TriggerType.HEAVY: N_(
        "An enemy, a boulder or a pushable block enters a sector. On a sector with AI ambush or AI patrol,"
        " only the enemy that reaches it"
    )
}
_WITH_SHATTERS = {
    TriggerType.HEAVY: N_(
        "An enemy, a boulder or a pushable block enters a sector, or a static mesh shatters on it. With AI"
        " ambush or AI patrol, only the enemy that reaches it"
    )
}
_LOCKED = {
    TriggerType.ANTIPAD: N_(
        "Lara stands or lands on a sector, which deactivates objects, except those that One Shot has locked"
    ),
    TriggerType.ANTITRIGGER: N_(
        "Lara enters a sector, which deactivates objects, except those that One Shot has locked"
    ),
}
_UNLOCKING = {
    TriggerType.ANTIPAD: N_(
        "Lara stands or lands on a sector, which deactivates objects, also those that One Shot has locked"
    ),
    TriggerType.ANTITRIGGER: N_(
        "Lara enters a sector, which deactivates objects, also locked ones. With One Shot, they lock when"
        " they are next activated"
    ),
}
_ACTION_TEXTS = {
    ActionType.OBJECT: N_("An entity is activated or deactivated"),
    ActionType.CAMERA: N_("The view changes to a camera"),
    ActionType.SINK: N_("A current pulls Lara to a sink"),
    ActionType.FLIP_MAP: N_(
        "The mask is added to a flip map; once full, alternate rooms replace the originals"
    ),
    ActionType.FLIP_ON: N_("Rooms change places with their alternates if the flip map is full"),
    ActionType.FLIP_OFF: N_("Rooms change back if the flip map is full"),
    ActionType.LOOK_AT: N_("Lara, or the camera that follows in the list, looks at an entity"),
    ActionType.END_LEVEL: N_("The next level starts; in TR4 the level of this number"),
    ActionType.SOUNDTRACK: N_("A track is played, once for each mask"),
    ActionType.FLIPEFFECT: N_("An effect of the game, by number"),
    ActionType.SECRET: N_("A secret is found"),
    ActionType.CLEAR_BODIES: N_("Dead enemies are removed. Levels of TRNG: an action on an entity"),
    ActionType.FLYBY: N_("A sequence of flyby cameras is shown"),
    ActionType.CUTSCENE: N_("A cutscene is played"),
}

_TRNG_TYPE_TEXTS = {TriggerType.MONKEY: N_("Other triggers of the sector act only if a condition holds")}
_TRNG_ACTION_TEXTS = {
    ActionType.FLIPEFFECT: N_("An effect of the game or of TRNG, by name or number"),
    ActionType.CLEAR_BODIES: N_("An action of TRNG on an object"),
}

Item = tuple[str, str, str, int]
_NO_SECRET_ITEM = (
    ActionType.SECRET.name,
    N_("Secret Found (Does Nothing)"),
    N_("This game counts secrets on pickup and ignores this action"),
    int(ActionType.SECRET),
)


@cache
def type_items(game: Game, target: Target = Target.ORIGINAL, *, trng: bool = False) -> list[Item]:
    """Return the trigger types of a game in an engine, or of levels for TRNG, as items of an enumeration."""
    catalogue = names(game)
    last = last_trigger_type(game, target, trng=trng)
    texts = {**_TYPE_TEXTS, **_differing_texts(game), **(_TRNG_TYPE_TEXTS if trng else {})}
    kinds = [kind for kind in TriggerType if kind <= last]
    items = [
        (kind.name, _title(catalogue.trigger(kind, trng=trng)), texts[kind], int(kind)) for kind in kinds
    ]
    return [*items, _OTHER_ITEM]


def _differing_texts(game: Game) -> dict[TriggerType, str]:
    """Return the texts of trigger types that differ between games (documentation, chapters 4.4.4 and 4.5)."""
    if not game.traits.ai_marks:  # TR1, TR2
        return _LOCKED
    return {**_WITH_MARKS, **(_WITH_SHATTERS if game.traits.has_shatters else {}), **_UNLOCKING}


@cache
def action_items(game: Game, target: Target = Target.ORIGINAL, *, trng: bool = False) -> list[Item]:
    """Return the actions of a game in an engine, or of levels for TRNG, as items of an enumeration."""
    catalogue = names(game)
    texts = {**_ACTION_TEXTS, **(_TRNG_ACTION_TEXTS if trng else {})}
    items = [
        (kind.name, _title(catalogue.action(kind, trng=trng)), texts[kind], int(kind))
        for kind in actions_of(game, target)
    ]
    if not game.traits.has_secret_action:
        items[ActionType.SECRET] = _NO_SECRET_ITEM
    return [*items, _OTHER_ITEM]


def _title(name: str) -> str:
    small = {"at", "on", "off"} - {name.split()[-1]}
    return " ".join(word if word in small else word[:1].upper() + word[1:] for word in name.split())


@cache
def trigger_name(number: int, game: Game) -> str:
    """Return the name of triggers of a type."""
    # Any engine: the name is the same in all.
    name = next((item[1] for item in type_items(game, Target.TRX) if item[3] == number), "")
    if number == TriggerType.TRIGGER or not name:
        return "Trigger"
    return name if "anti" in name.lower() else f"{name} Trigger"


def refers(number: int) -> bool:
    """Return whether triggers of a type refer to the entity that activates them."""
    return number in REFERRING_TRIGGERS


def shown_timer(timer: int, game: Game) -> int:
    """Return the value of the timer's byte, which is signed in TR4 and TR5."""
    return signed(timer, 8) if game.traits.has_negative_timers else timer


class Area(NamedTuple):
    """A rectangle of sectors of one room with the same trigger: first sector, size and trigger."""

    x: int
    z: int
    width: int
    depth: int
    trigger: Trigger


def find_areas(room: Room, functions: Iterable[tuple[int, Sequence[Function]]]) -> list[Area]:
    """Return the triggers of a room; a sector with several triggers is in several areas in their order.

    ``functions`` are those of sectors that may have triggers, in ascending order of their index.
    """
    cells: dict[tuple[int, Trigger], list[tuple[int, int]]] = {}
    # Most sectors share a list, and comparing triggers is slow.
    shared: dict[int, tuple[Sequence[Function], list[list[tuple[int, int]]]]] = {}
    for index, listed in functions:
        if id(listed) not in shared:
            triggers = [each for each in listed if isinstance(each, Trigger)]
            shared[id(listed)] = listed, [cells.setdefault(key, []) for key in enumerate(triggers)]
        for sectors in shared[id(listed)][1]:
            sectors.append(divmod(index, room.z_sectors))
    areas = [
        (order, Area(*rectangle, trigger))
        for (order, trigger), sectors in cells.items()
        for rectangle in rectangles(dict.fromkeys(sectors, True))
    ]
    return [area for _, area in sorted(areas, key=lambda entry: (entry[0], *entry[1][:2]))]
