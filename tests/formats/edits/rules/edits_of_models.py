"""Damage to meshes, models and animations."""

from __future__ import annotations

import numpy as np

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.edits.rules import needs

from .edits import DOOR, NO_ANIMATION, add_model, breaks, put, put_words, row_of

_NEW = (Game.TR4, Game.TR5)


def _first_frame(level: Level, slot: int) -> int:
    """Return where the first key frame of a model begins, in words."""
    return int(level.models["frame_offset"][row_of(level, slot)]) // 2


# --- Meshes --------------------------------------------------------------------------------------------

breaks("mesh order", *Game, also="sky triangles")(
    lambda level: setattr(level, "mesh_pointers", np.concatenate([level.mesh_pointers, [0]])[::-1].copy())
)


def _add_skin(level: Level) -> None:
    add_model(level, needs.SKIN[level.game], needs.LARAS_MESHES)


@breaks("first mesh", Game.TR3, *_NEW, keep=_add_skin)
def _skin_with_first_mesh(level: Level) -> None:
    put(level, "models", row_of(level, needs.SKIN[level.game]), first_mesh=0)


@breaks("first mesh", Game.TR3, *_NEW, keep=_add_skin, also="mesh order", places=2)
def _skin_with_first_mesh_twice(level: Level) -> None:
    put_words(level, "mesh_pointers", 1, 0)
    put(level, "models", row_of(level, needs.SKIN[level.game]), first_mesh=0)


@breaks("first mesh of statics", *Game)
def _static_with_first_mesh(level: Level) -> None:
    put(level, "static_meshes", 0, mesh=0)


@breaks("mesh alignment", *Game)
def _half_a_step(level: Level) -> None:
    """Put two bytes before the last mesh."""
    last = int(level.mesh_pointers.max())
    level.mesh_data = np.insert(level.mesh_data, last, (0, 0))
    level.mesh_pointers = np.where(level.mesh_pointers == last, last + 2, level.mesh_pointers)


# --- Models --------------------------------------------------------------------------------------------

breaks("number of bones", *Game)(lambda level: put(level, "models", 5, meshes=33))
breaks("Lara first", *Game)(lambda level: put(level, "models", 0, first_mesh=1))
breaks("unique ids", *Game)(lambda level: put(level, "static_meshes", 1, id=10))
breaks("animation order", *Game, also="first pose, room in frames, rotations of frames, shared animations")(
    lambda level: put(level, "models", 2, animation=0)
)
breaks("bone offsets", *Game)(lambda level: put(level, "models", 2, mesh_tree=1))
breaks("first pose", *Game)(lambda level: put(level, "models", 2, frame_offset=0))
breaks("menu model", Game.TR1)(lambda level: put(level, "models", row_of(level, 108), id=110))
breaks("menu model", Game.TR2)(lambda level: put(level, "models", row_of(level, 171), id=170))
breaks("last word of models", Game.TR5)(lambda level: put(level, "models", 0, filler=0))

# Models that need animations, instead of the enemy with three and of the switch with two.
_ENEMY = {Game.TR1: 7, Game.TR2: 15, Game.TR3: 22, Game.TR4: 91, Game.TR5: 85}
_SWITCH = {Game.TR3: 128, Game.TR5: 266}
_NEEDY = {Game.TR3: 23, Game.TR5: 87}
_AIRLOCK, _TURN_SWITCH, _SENTRY_GUN, _BLADE = 274, 277, 64, 111  # which need 2, 7, 2 and 3 animations


@breaks("animations of a model", *_NEEDY)
def _needy_enemy(level: Level) -> None:
    put(level, "models", row_of(level, _ENEMY[level.game]), id=_NEEDY[level.game])


def _rename_switch(level: Level, slot: int) -> None:
    put(level, "models", 3, id=slot)


breaks("animations of a model", Game.TR3, keep=lambda level: _rename_switch(level, _SENTRY_GUN))(
    lambda level: _rename_switch(level, _BLADE)
)
breaks("animations of a model", Game.TR5, keep=lambda level: _rename_switch(level, _AIRLOCK))(
    lambda level: _rename_switch(level, _TURN_SWITCH)
)
breaks("animations of a model", Game.TR1, keep=lambda level: put(level, "models", 2, id=8))(
    lambda level: put(level, "models", 2, id=15)
)
breaks("animations of a model", Game.TR2, keep=lambda level: put(level, "models", 2, id=37))(
    lambda level: put(level, "models", 2, id=80)
)


@breaks("sky direction", *_NEW)
def _turned_sky(level: Level) -> None:
    at = _first_frame(level, needs.SKIES[level.game][0]) + 9  # after box and position
    put_words(level, "frames", at, 0xC000 | 0x100)


def _have_states(level: Level) -> None:
    """Give Lara's animations the states of the games."""
    count = int(level.models["animation"][1])
    put(level, "animations", slice(0, count), state=needs.LARAS_STATES[:count])


breaks("Lara's states", *Game, keep=_have_states)(lambda level: put(level, "animations", 3, state=5))


def _have_all_states(level: Level) -> None:
    """Give Lara all animations whose states games share, but another one to that which they do not."""
    count = int(level.models["animation"][1])
    more = len(needs.LARAS_STATES) - count
    copies = np.repeat(level.animations[count - 1 : count], more)
    copies["last_frame"] = copies["first_frame"]
    level.animations = np.concatenate([level.animations[:count], copies, level.animations[count:]])
    first = level.models["animation"]
    others = (first > 0) & (first != NO_ANIMATION)
    put(level, "models", others, animation=first[others] + more)
    put(level, "animations", slice(0, count + more), state=needs.LARAS_STATES)
    put(level, "animations", needs.HANG_START, state=0)


breaks("Lara's states", *Game, keep=_have_all_states)(
    lambda level: put(level, "animations", len(needs.LARAS_STATES) - 1, state=0)
)


def _have_skin(level: Level) -> None:
    """Add the models that have Lara's meshes, from the second model with 15 meshes."""
    if level.game in needs.SKIN:
        _add_skin(level)
    if level.game is Game.TR4:
        add_model(level, needs.PISTOLS, needs.LARAS_MESHES)


_OWN_PISTOLS = (Game.TR1, Game.TR2, Game.TR3, Game.TR4)
breaks("Lara's meshes", *_OWN_PISTOLS, keep=_have_skin, also="rotations of frames")(
    lambda level: put(level, "models", row_of(level, needs.PISTOLS), meshes=14)
)
breaks("Lara's meshes", Game.TR3, *_NEW, keep=_have_skin)(
    lambda level: put(level, "models", row_of(level, needs.SKIN[level.game]), meshes=14)
)


@breaks("box of the first pose", *Game)
def _inverted(level: Level) -> None:
    at = _first_frame(level, DOOR[level.game])
    low, high = level.frames[at : at + 2].tolist()
    put_words(level, "frames", at, high, low)


_MEDIKIT = 108


def _lend_animation(level: Level) -> None:
    """Give the medikit in the menu the last animation of the model before it."""
    last = len(level.animations) - 1
    offset = level.animations["frame_offset"][last]
    put(level, "models", row_of(level, _MEDIKIT), animation=last, frame_offset=offset)


breaks("animation of menu models", Game.TR1, keep=_lend_animation)(
    lambda level: put(level, "models", row_of(level, _MEDIKIT), animation=NO_ANIMATION)
)


@breaks("states of doors", *Game)
def _open_door(level: Level) -> None:
    put(level, "animations", int(level.models["animation"][row_of(level, DOOR[level.game])]), state=1)


# --- Animations ----------------------------------------------------------------------------------------

breaks("frame rate", *Game, also="enough frames")(lambda level: put(level, "animations", 3, frame_rate=0))
breaks("frame size", Game.TR2, also="animation without frames")(
    lambda level: put(level, "animations", 3, frame_size=0)
)
breaks("range of frames", *Game)(lambda level: put(level, "animations", 3, first_frame=9, last_frame=8))
breaks("frame offsets", *Game, also="animation without frames, room in frames")(
    lambda level: put(level, "animations", 3, frame_offset=0)
)
breaks("first frame", *Game)(lambda level: put(level, "animations", 0, first_frame=1))


@breaks("dispatches", *Game)
def _into_an_earlier_model(level: Level) -> None:
    door = int(level.models["animation"][row_of(level, DOOR[level.game])])
    change = level.state_changes[int(level.animations["first_state_change"][door])]
    put(level, "animation_dispatches", int(change["first_dispatch"]), next_animation=door - 1)


@breaks("animation commands", *Game)
def _unknown_command(level: Level) -> None:
    put_words(level, "animation_commands", int(level.animations["first_command"][0]), 7)


@breaks("animation commands", *Game)
def _commands_at_the_end(level: Level) -> None:
    """Begin the commands of an animation with the last word of all, which is a command of three words."""
    last = len(level.animation_commands)
    level.animation_commands = np.append(level.animation_commands, np.array([5, 0], np.int16))
    put(level, "animations", 3, commands=1, first_command=last)


@breaks("enough frames", *Game)
def _longer(level: Level) -> None:
    rate = int(level.animations["frame_rate"][3])
    put(level, "animations", 3, last_frame=int(level.animations["last_frame"][3]) + rate)
