"""Rules of floor data and triggers."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Ints
from ...base.messages import N_
from ...levels.floor.functions import ActionType, FunctionType
from ...levels.views.decoded import Decoded
from .rule import (
    ALL,
    CROFTENGINE,
    ENGINES,
    EVERYONE,
    NO_PLACES,
    OPENLARA,
    OPENTOMB,
    ORIGINAL,
    TR1,
    TR3,
    TR4,
    TR5,
    TRX,
    Harm,
    Places,
    Rule,
    once_if,
)
from .view import actions_of, functions_of, list_rooms

# The place of each function in a list; later ones may have any order.
_RANKS = np.full(32, 3, np.int64)
_RANKS[FunctionType.PORTAL] = 2
_RANKS[FunctionType.FLOOR_SLANT] = 0
_RANKS[FunctionType.CEILING_SLANT] = 1
_RANKS[[0x07, 0x08, 0x0B, 0x0C, 0x0D, 0x0E]] = 0  # split floors
_RANKS[[0x09, 0x0A, 0x0F, 0x10, 0x11, 0x12]] = 1  # split ceilings
_LAST_FUNCTION = {1: 0x05, 2: 0x06, 3: 0x15, 4: 0x15, 5: 0x15}
_MOST_ACTIONS = 32
_TRACKS = {1: 64, 2: 64, 3: 128, 4: 128, 5: 136}
_FLIP_EFFECTS = {1: 17, 2: 32, 3: 60, 4: 47, 5: 59}
_CAMERAS = 128
_SECRETS = 16


def _used(checked: Decoded, lists: Ints) -> Places:
    """Return the rooms of lists that sectors use."""
    rooms = list_rooms(checked, lists)
    return rooms[rooms >= 0]


def _order(checked: Decoded) -> Places:
    heads = functions_of(checked)
    ranks = _RANKS[heads.kinds]
    falls = (ranks[1:] < ranks[:-1]) & (heads.lists[1:] == heads.lists[:-1])
    return _used(checked, heads.lists[1:][falls])


def _unknown_functions(checked: Decoded) -> Places:
    heads = functions_of(checked)
    wrong = (heads.kinds == 0) | (heads.kinds > _LAST_FUNCTION[checked.level.game])
    data = checked.floor_lists.data
    unreadable = np.flatnonzero(data.ends == data.starts)
    return _used(checked, np.concatenate([heads.lists[wrong], unreadable]))


def _several_triggers(checked: Decoded) -> Places:
    heads = functions_of(checked)
    triggers = heads.lists[heads.kinds == FunctionType.TRIGGER]
    return _used(checked, triggers[1:][triggers[1:] == triggers[:-1]])


def _many_actions(checked: Decoded) -> Places:
    heads = functions_of(checked)
    is_long = (heads.kinds == FunctionType.TRIGGER) & (heads.actions > _MOST_ACTIONS)
    return _used(checked, heads.lists[is_long])


def _beyond(checked: Decoded, limit: int, *kinds: ActionType) -> Places:
    actions = actions_of(checked)
    wrong = np.isin(actions.kind, [int(kind) for kind in kinds]) & (actions.parameter >= limit)
    return _used(checked, actions.lists[wrong])


def _tracks(checked: Decoded) -> Places:
    return _beyond(checked, _TRACKS[checked.level.game], ActionType.SOUNDTRACK)


def _cameras(checked: Decoded) -> Places:
    return _beyond(checked, _CAMERAS, ActionType.CAMERA)


def _flip_effects(checked: Decoded) -> Places:
    return _beyond(checked, _FLIP_EFFECTS[checked.level.game], ActionType.FLIPEFFECT)


def _secrets(checked: Decoded) -> Places:
    actions = actions_of(checked)
    is_secret = (actions.kind == ActionType.SECRET) & (list_rooms(checked, actions.lists) >= 0)
    numbers = np.unique(actions.parameter[is_secret])
    if not len(numbers):
        return NO_PLACES
    return once_if(numbers[-1] >= _SECRETS or len(numbers) <= numbers[-1])


RULES = (
    Rule(
        "function order",
        Harm.CRASH,
        ALL,
        (*ENGINES, CROFTENGINE),
        N_(
            "engines do not find wall portals or slopes of {count} of its sectors: their functions have "
            "another order"
        ),
        _order,
        "room",
    ),
    Rule(
        "functions",
        Harm.CRASH,
        ALL,
        ENGINES,
        N_("the original game ends: {count} of its sectors have functions that the game does not know"),
        _unknown_functions,
        "room",
    ),
    Rule(
        "one trigger",
        Harm.WRONG,
        ALL,
        (ORIGINAL, OPENTOMB),
        N_(
            "the original game uses the first of several triggers of {count} of its sectors, OpenTomb the "
            "last. Keep one for each sector"
        ),
        _several_triggers,
        "room",
    ),
    Rule(
        "actions of a trigger",
        Harm.CRASH,
        ALL,
        (OPENLARA,),
        N_("OpenLara ends: {count} of its triggers have more than 32 actions"),
        _many_actions,
        "room",
    ),
    Rule(
        "tracks",
        Harm.WRONG,
        ALL,
        (ORIGINAL, TRX),
        N_("the original game overwrites other values: {count} of its actions play tracks that do not exist"),
        _tracks,
        "room",
        holds_in_trng=False,
    ),
    Rule(
        "flip maps",
        Harm.WRONG,
        ALL,
        (ORIGINAL, TRX),
        (
            "the original game overwrites other values: {count} of its actions name flip maps that do not "
            "exist"
        ),
        None,
        "room",
    ),
    Rule(
        "cameras of triggers",
        Harm.COSMETIC,
        ALL,
        (OPENTOMB,),
        N_("OpenTomb shows another camera: {count} of its actions name cameras above 127"),
        _cameras,
        "room",
    ),
    Rule(
        "flyby sequence",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL,),
        "the camera flies along another sequence: {count} of its actions name one without cameras",
        None,
        "room",
    ),
    Rule(
        "flip effects",
        Harm.CRASH,
        ALL,
        (ORIGINAL, TRX),
        N_("the original game ends: {count} of its actions name flip effects that do not exist"),
        _flip_effects,
        "room",
        holds_in_trng=False,
    ),
    Rule(
        "trigger types",
        Harm.WRONG,
        ALL,
        EVERYONE,
        "{count} of its triggers never work: the game does not know their type",
        None,
        "room",
    ),
    Rule(
        "secrets",
        Harm.WRONG,
        TR1 | TR3 | TR4 | TR5,
        (ORIGINAL, TRX),
        N_("the secrets cannot be completed: their numbers are 0 to 15, without a gap"),
        _secrets,
    ),
    Rule(
        "trigger on a wall",
        Harm.WRONG,
        ALL,
        EVERYONE,
        "{count} of its triggers never work: they are on walls",
        None,
        "room",
    ),
    Rule(
        "objects of triggers",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: its triggers name entities that do not exist",
        None,
        "room",
    ),
    Rule(
        "targets of cameras",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: its triggers name cameras or sinks that do not exist",
        None,
        "room",
    ),
)
