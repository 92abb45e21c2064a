"""Roles of entity types, by name and number: doors, switches, enemies and others.

Roles determine the grouping in lists, and the position and rotation of new entities. Unknown types and those
without any of these roles are :attr:`Role.OTHER`.
"""

from __future__ import annotations

import re
from enum import Enum

from ..formats.base import Game
from .names import names
from .pickups import is_pickup


class Role(Enum):
    """The role of an entity type."""

    OTHER = "other"
    DOOR = "door"  # closes the way to the next sector
    TRAPDOOR = "trapdoor"  # closes the way up or down
    SWITCH = "switch"
    KEYHOLE = "keyhole"  # or puzzle hole: a key or a puzzle item is used on it
    PICKUP = "pickup"
    ENEMY = "enemy"
    TRAP = "trap"


_NONE = re.compile(
    r"\(menu\)|\bMIP\)|\(filled\)|\(unused\)|sequence door|hydro propeller|^lara ", re.IGNORECASE
)
_BY_NAME = (
    (Role.TRAPDOOR, r"trapdoor|^drawbridge"),
    (Role.TRAP, r"slamming|^(dart|disc|homing dart|fast dart) emitter|^darts$|falling (block|ceiling)"),
    (Role.TRAP, r"crumbling floor|loose boards|swinging|blade|^spikes|spiky|^(teeth|joby) spikes|spike ball"),
    (Role.TRAP, r"boulder|^rolling (spindle|storage|ball|barrel)|sword of damocles|thor's hammer, handle"),
    (Role.TRAP, r"lightning ball|power saw|propeller|icicle|stalactite|aquatic mine|flame emitter|^mine$"),
    (Role.TRAP, r"lava particle emitter|flowing lava|killer tripwire|electri(c fence|fied|city wires)"),
    (Role.TRAP, r"laser sweeper|spiked frame|fire-breathing|^plough|burning floor|slicer|sentry gun"),
    (Role.TRAP, r"squishy block|^ram$|rome hammer|gas (fire|emitter)|burning roots|gun turret|auto guns"),
    (Role.TRAP, r"^(steam|floor|moving) laser$|^laser$|^tripwire|^cog$|^chain$|^breakable floor"),
    (Role.DOOR, r"\bdoors?\b"),
    (Role.KEYHOLE, r"^(keyhole|puzzle hole) \d+$|^detonator box"),
    (Role.SWITCH, r"\bswitch\b|^push button|^wheel knob|^valve wheel|^pulley"),
)
_RULES = tuple((role, re.compile(pattern, re.IGNORECASE)) for role, pattern in _BY_NAME)
_ON_WALLS = re.compile(
    r"^(wall switch|small wall switch|push button|wheel knob|valve wheel|electrical switch|keyhole"
    r"|puzzle hole|switch \d+$|underwater switch)",
    re.IGNORECASE,
)
_UNDER_WATER = re.compile(r"^underwater switch", re.IGNORECASE)
_OF_SECTORS = re.compile(r"(pushable|moving|raising) block|^bridge|platform", re.IGNORECASE)
_FROM_WALLS = re.compile(r"^(dart|disc|homing dart|fast dart) emitter", re.IGNORECASE)
_MOVES_FREELY = re.compile(
    r"\b(bat|bats|crow|eagle|vulture|harpy|shark|barracuda|eel|whale|diver|frogman|hammerhead|submarine|hydra"
    r"|gunship|dragon|imp)\b|piranhas|wasp|winged|crocodile|in water|swarm|locust|wraith|ghost|spider|beetle"
    r"|scorpion|laser|hanging|witch|seth|skateboard|doppelganger|^guide$",
    re.IGNORECASE,
)
# They appear from others, wait in walls, or act on their own.
_UNTRIGGERED = re.compile(
    r"spawn point|in closet|generator|emitter|piranhas|swarm|statue|dragon, back|^horse$|jean-yves|^guide$"
    r"|von croy|the chef|lightning guide|ghost|little (bat|rat|beetle)|spider|skateboard",
    re.IGNORECASE,
)
_CARRIERS = re.compile(
    r"(pushable|moving|raising|falling|squishy) block|^bridge|platform|trapdoor|drawbridge|crumbling floor"
    r"|loose boards|falling ceiling|breakable floor|\blift\b|elevator|expanding|rope|boat|snowmobile|jeep",
    re.IGNORECASE,
)


def _numbers(*spans: int | tuple[int, int]) -> frozenset[int]:
    """Return numbers that are given one by one, or as the first and the last of a range."""
    rows = (range(each[0], each[1] + 1) if isinstance(each, tuple) else [each] for each in spans)
    return frozenset(number for row in rows for number in row)


# The names of enemies have no pattern. In TR4 and TR5 they are followed by low-detail models.
_ENEMIES: dict[Game, frozenset[int]] = {
    Game.TR1: _numbers((6, 24), 27, 28, (30, 34)),
    Game.TR2: _numbers((15, 23), (25, 34), (36, 50), (52, 54), 214, 256),
    Game.TR3: _numbers(
        *((20, 23), (25, 29), 31, 32, (34, 42), (44, 51), 53, 56, 57, 58, (60, 63), 65, 69, 70, 71, 73),
        *(123, 124, 287, 288, 338, 347),
    ),
    Game.TR4: _numbers((34, 96), (99, 100), 102, 104, 106, 107, 484, 486, 489, 498, 499),
    Game.TR5: _numbers((31, 68), *range(71, 97)),
}

_HAMMER = {Game.TR4: 138}  # an item in TR5


def role_of(game: Game, number: int) -> Role:
    """Return the role of an entity type."""
    name = names(game).entity(number)
    if _NONE.search(name):
        return Role.OTHER
    if number in _ENEMIES[game]:
        return Role.ENEMY
    if is_pickup(game, number):
        return Role.PICKUP
    if _HAMMER.get(game) == number:
        return Role.TRAP
    return next((role for role, pattern in _RULES if pattern.search(name)), Role.OTHER)


def is_on_wall(game: Game, number: int) -> bool:
    """Return whether entities of a type, switches and keyholes, are on the wall that they face.

    Others are free-standing, or have special positions: in TR4 and TR5 the first underwater switch is on the
    ceiling.
    """
    name = names(game).entity(number)
    hangs = game.traits.has_32bit_pages and name == "Underwater switch 1"
    is_used = role_of(game, number) in (Role.SWITCH, Role.KEYHOLE)
    return is_used and not hangs and _ON_WALLS.search(name) is not None


def is_under_water(game: Game, number: int) -> bool:
    """Return whether entities of a type are used by swimmers."""
    return _UNDER_WATER.search(names(game).entity(number)) is not None


def is_off_wall(game: Game, number: int) -> bool:
    """Return whether entities of a type have a wall at their back: enemies, and emitters on walls."""
    return role_of(game, number) is Role.ENEMY or _FROM_WALLS.search(names(game).entity(number)) is not None


def is_of_sector(game: Game, number: int) -> bool:
    """Return whether entities of a type are at the center of a sector, as most that are not items."""
    if role_of(game, number) in (Role.OTHER, Role.PICKUP):
        return _OF_SECTORS.search(names(game).entity(number)) is not None
    return True


def is_on_floor(game: Game, number: int) -> bool:
    """Return whether entities of a type belong on the floor: walking enemies, switches, keyholes, items.

    Flying, swimming and climbing enemies do not, nor do switches under water.
    """
    role = role_of(game, number)
    if role is Role.ENEMY:
        return _MOVES_FREELY.search(names(game).entity(number)) is None
    return role is Role.PICKUP or (is_on_wall(game, number) and not is_under_water(game, number))


def has_fixed_place(game: Game, number: int) -> bool:
    """Return whether entities of a type stay where they are until they are used or activated.

    Enemies that appear from others wait anywhere. In TR4 and TR5 items are taken from shelves, spikes and
    enemies, or fall. Crystals float in the air.
    """
    if role_of(game, number) is Role.PICKUP:
        return not game.traits.has_32bit_pages and "crystal" not in names(game).entity(number).lower()
    return not acts_untriggered(game, number)


def acts_untriggered(game: Game, number: int) -> bool:
    """Return whether enemies of a type appear or act without a trigger, such as those from nests."""
    return _UNTRIGGERED.search(names(game).entity(number)) is not None


def carries(game: Game, number: int) -> bool:
    """Return whether others can be on an entity of a type: blocks, bridges, trapdoors and vehicles."""
    return _CARRIERS.search(names(game).entity(number)) is not None
