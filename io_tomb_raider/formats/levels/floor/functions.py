"""The functions of floor data, with triggers and their actions, as plain values.

Documentation, chapter 4. :mod:`.floor_data` reads and writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ...base.bytes.bits import Bits
from ...base.games import Game
from ...base.targets import Target, is_for_trx, limits_of


class FunctionType(IntEnum):
    """The function of a word, its bits 0-4 (chapter 4.4). The twelve triangulations are 7 to 18."""

    PORTAL = 0x01
    FLOOR_SLANT = 0x02
    CEILING_SLANT = 0x03
    TRIGGER = 0x04
    DEATH = 0x05
    CLIMB = 0x06
    TRIANGULATION_FIRST = 0x07
    TRIANGULATION_LAST = 0x12
    MONKEY_SWING = 0x13
    DEFERRED = 0x14  # TR3: the mine cart turns left
    BEETLE = 0x15  # TR3: the mine cart turns right


class TriggerType(IntEnum):
    """The type of a trigger: how it is activated (chapter 4.5)."""

    TRIGGER = 0x00
    PAD = 0x01
    SWITCH = 0x02
    KEY = 0x03
    PICKUP = 0x04
    HEAVY = 0x05
    ANTIPAD = 0x06
    COMBAT = 0x07
    DUMMY = 0x08
    ANTITRIGGER = 0x09
    HEAVY_SWITCH = 0x0A
    HEAVY_ANTITRIGGER = 0x0B
    MONKEY = 0x0C  # TRNG: a condition
    SKELETON = 0x0D
    TIGHTROPE = 0x0E
    CRAWL = 0x0F
    CLIMB = 0x10


class ActionType(IntEnum):
    """The type of a trigger's action (chapter 4.6)."""

    OBJECT = 0x00
    CAMERA = 0x01
    SINK = 0x02  # underwater current
    FLIP_MAP = 0x03
    FLIP_ON = 0x04
    FLIP_OFF = 0x05
    LOOK_AT = 0x06
    END_LEVEL = 0x07
    SOUNDTRACK = 0x08
    FLIPEFFECT = 0x09
    SECRET = 0x0A
    CLEAR_BODIES = 0x0B  # TRNG: an action on an entity
    FLYBY = 0x0C
    CUTSCENE = 0x0D


# Bit fields of words that functions, triggers and actions keep unchanged.
CLIMB_SIDES = Bits(0, 4)
TRIGGER_TIMER = Bits(0, 8)
TRIGGER_REST = Bits(5, 3)


@dataclass(frozen=True, slots=True)
class Portal:
    """A portal through a wall to another room; ``room`` is the index of that room."""

    room: int
    rest: int = 0  # the unused bits 5-14 of the function's word


@dataclass(frozen=True, slots=True)
class Slant:
    """A slanted floor or ceiling: its slopes along x and z, -128..127 in steps of 256 units."""

    ceiling: bool
    x: int
    z: int
    rest: int = 0


@dataclass(frozen=True, slots=True)
class Triangulation:
    """A floor or ceiling that is split into two triangles (TR3 and later)."""

    function: int  #: 7 to 18; see the properties for its meaning.
    height_x: int  #: the shift of the triangle on the +x side, -16..15 in steps of 256 units, y down.
    height_other: int  #: the shift of the other triangle.
    #: four heights, 0..15 in steps of 256 units, in the order of the word's nibbles. Floors: (+x, -z), (-x,
    #: -z), (-x, +z), (+x, +z). Ceilings: (+x, +z), (-x, +z), (-x, -z), (+x, -z), as depths: the larger, the
    #: lower.
    corners: tuple[int, int, int, int]

    @property
    def ceiling(self) -> bool:
        return self.function in _CEILINGS

    @property
    def rising(self) -> bool:
        """Whether the dividing line runs from (-x, -z) to (+x, +z), not from (-x, +z) to (+x, -z)."""
        return self.function in _RISING


_CEILINGS = frozenset({0x09, 0x0A, 0x0F, 0x10, 0x11, 0x12})
_RISING = frozenset({0x08, 0x0A, 0x0D, 0x0E, 0x11, 0x12})


@dataclass(frozen=True, slots=True)
class Climb:
    """Walls that Lara can climb: the sum of 1 (+z), 2 (+x), 4 (-z) and 8 (-x)."""

    directions: int
    rest: int = 0


@dataclass(frozen=True, slots=True)
class Death:
    """Lara dies here."""

    rest: int = 0


@dataclass(frozen=True, slots=True)
class MonkeySwing:
    """Lara can swing along the ceiling (TR3 and later)."""

    rest: int = 0


@dataclass(frozen=True, slots=True)
class Deferred:
    """TR4, TR5: the trigger waits for a Trigger Triggerer. TR3: the mine cart turns left."""

    rest: int = 0


@dataclass(frozen=True, slots=True)
class Beetle:
    """TR4: a stop of the mechanical beetle. TR3: the mine cart turns right."""

    rest: int = 0


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a trigger."""

    type: int  #: an :class:`ActionType`, or another number of 0..31.
    parameter: int  #: 0..1023: the index of an entity or camera, or another number.
    #: the extra word of cameras and flybys without its end bit, or None. :data:`EXTRA_TIMER` are
    #: seconds, ``EXTRA_ONCE``, ``EXTRA_MOVE`` the time (TR1, TR2) or speed of the camera's move.
    extra: int | None = None
    stray_end: bool = False  #: the action's word has the end mark although its extra word follows.


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger: its type, its setup, and its actions."""

    type: int  #: a :class:`TriggerType`, or another number of 0..127.
    timer: int = 0  #: 0..255; TR4 and TR5 read it as signed.
    one_shot: bool = False  #: whether activated targets stay active.
    mask: int = 31  #: five bits, 0..31.
    reference: int | None = None  #: for switches, keys and pickups: the entity that activates the trigger.
    actions: tuple[Action, ...] = ()  #: the actions in order. May be empty only with a reference.
    rest: int = 0  #: bits 5-7 of the function's word.
    setup_rest: int = 0  #: bits 14-15 of the setup word, as a number of 0..3.
    reference_rest: int = 0  #: bits 10-14 of the reference's word, as a number of 0..31.


Function = Portal | Slant | Triangulation | Climb | Death | MonkeySwing | Deferred | Beetle | Trigger


def last_trigger_type(game: Game, target: Target, *, trng: bool = False) -> int:
    """Return the highest type of triggers that an engine knows; TRNG has conditions in levels of TR4."""
    last = limits_of(target, game).trigger_type or game.traits.last_trigger_type
    return max(last, int(TriggerType.MONKEY)) if trng else last


def actions_of(game: Game, target: Target) -> list[ActionType]:
    """Return the actions of triggers that an engine knows, in order."""
    result = [kind for kind in ActionType if kind <= game.traits.last_action]
    if is_for_trx(target, game) and ActionType.FLYBY not in result:
        result.append(ActionType.FLYBY)
    return result
