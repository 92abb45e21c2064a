"""Rules of models, sprite sequences and static meshes."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Bools, Ints
from ...base.games import LARA
from ...base.messages import N_
from ...levels.animations.animations import NO_ANIMATION
from ...levels.models.mesh_trees import NODE_WORDS, POP, PUSH
from ...levels.views.decoded import Decoded
from . import needs
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
    TR2,
    TR3,
    TR4,
    TR5,
    TR_RANDO,
    TRX,
    Harm,
    Places,
    Rule,
    once_if,
    where,
)
from .view import model_rows

_MOST_MESHES = 32
_MOST_PUSHED = 8
_FILLERS = (0xFFEF, 0xFEFF)


def _ids(checked: Decoded) -> Ints:
    return checked.level.models["id"].astype(np.int64)


def _repeated(checked: Decoded) -> Places:
    level = checked.level
    for ids in (level.models["id"], level.sprite_sequences["id"], level.static_meshes["id"]):
        if len(np.unique(ids)) < len(ids):
            return once_if(True)
    return once_if((np.diff(_ids(checked)) < 0).any())


def _lara(checked: Decoded) -> np.void | None:
    rows = model_rows(checked, LARA)
    return checked.level.models[rows[0]] if len(rows) else None


def _is_played(checked: Decoded) -> bool:
    """Return whether Lara is in the level: levels of cutscenes and files of models only do without."""
    return bool((checked.level.entities["type"] == LARA).any()) and _lara(checked) is not None


def _lara_first(checked: Decoded) -> Places:
    lara = _lara(checked)
    if lara is None or not _is_played(checked):
        return NO_PLACES
    first = checked.level.models[0]["id"] == LARA
    zeros = all(int(lara[name]) == 0 for name in ("first_mesh", "mesh_tree", "animation"))
    return once_if(not (first and zeros and int(lara["meshes"]) == needs.LARAS_MESHES))


def _laras_animations(checked: Decoded) -> Places:
    if not _is_played(checked):
        return NO_PLACES
    _, counts = checked.model_animations
    count = int(counts[model_rows(checked, LARA)[0]])
    return once_if(count < needs.LARAS_ANIMATIONS[checked.level.game])


def _shared(checked: Decoded) -> Places:
    models = checked.level.models
    drawn = np.flatnonzero((models["animation"] != NO_ANIMATION) & (models["meshes"] > 0))
    _, first = np.unique(models["animation"][drawn], return_index=True)
    return _ids(checked)[np.delete(drawn, first)]


def _still_offset(checked: Decoded) -> Places:
    level = checked.level
    models = level.models
    is_still = (models["animation"] == NO_ANIMATION) & (models["meshes"] > 0) & _is_drawn(checked)
    has_pose = np.isin(models["frame_offset"], level.animations["frame_offset"])
    return _ids(checked)[is_still & ~has_pose]


def _is_drawn(checked: Decoded) -> Bools:
    """Return the models that a game draws as they are: those of entities, and those of items in the menu."""
    game = checked.level.game
    drawn = {*checked.level.entities["type"].tolist(), *needs.pickups(game)} - {needs.CAMERA_TARGETS[game]}
    if game in needs.SHOWN_ANIMATED:
        drawn.difference_update(_menu_models(checked).tolist())  # which need an animation of their own
    return np.isin(_ids(checked), list(drawn))


def _first_offset(checked: Decoded) -> Places:
    level = checked.level
    first, counts = checked.model_animations
    has_frames = (counts > 0) & (level.models["meshes"] > 0)
    offsets = level.animations["frame_offset"][np.maximum(first, 0)] if len(level.animations) else first
    return _ids(checked)[has_frames & (offsets != level.models["frame_offset"])]


def _few_meshes(checked: Decoded) -> Places:
    return _few(checked, 0, checked.level.models["meshes"].astype(np.int64))


def _few_animations(checked: Decoded) -> Places:
    return _few(checked, 1, checked.model_animations[1])


def _few(checked: Decoded, column: int, counts: Ints) -> Places:
    table = needs.MODELS[checked.level.game]
    ids = _ids(checked)
    least = np.array([table.get(slot, (0, 0))[column] for slot in ids.tolist()], np.int64)
    return ids[counts < least]


def _many_meshes(checked: Decoded) -> Places:
    return _ids(checked)[checked.level.models["meshes"] > _MOST_MESHES]


def _trees(checked: Decoded) -> Places:
    level, result = checked.level, []
    words = level.mesh_trees
    for slot, meshes, start in zip(
        _ids(checked).tolist(),
        level.models["meshes"].tolist(),
        level.models["mesh_tree"].tolist(),
        strict=True,
    ):
        flags = words[start : start + NODE_WORDS * max(meshes - 1, 0) : NODE_WORDS].astype(np.int64)
        pops, pushes = (flags & POP != 0).astype(np.int64), (flags & PUSH != 0).astype(np.int64)
        depth = np.cumsum(pushes - pops)
        if (depth - pushes).min(initial=0) < 0 or depth.max(initial=0) > _MOST_PUSHED:
            result.append(slot)
    return np.array(result, np.int64)


def _tree_offsets(checked: Decoded) -> Places:
    return _ids(checked)[checked.level.models["mesh_tree"] % NODE_WORDS != 0]


def _turned_sky(checked: Decoded) -> Places:
    keys, result = checked.keys, []
    first, counts = checked.model_animations
    for slot in needs.SKIES[checked.level.game]:
        for row in model_rows(checked, slot).tolist():
            if counts[row] and keys.key_counts[first[row]]:
                angles = keys.keys(int(first[row])).angles
                if angles.shape[1] and angles[0, 0].any():
                    result.append(slot)
    return np.array(result, np.int64)


def _filler(checked: Decoded) -> Places:
    return _ids(checked)[~np.isin(checked.level.models["filler"], _FILLERS)]


def _empty_with_animation(checked: Decoded) -> Places:
    models = checked.level.models
    first, _ = checked.model_animations
    animation = models["animation"].astype(np.int64)
    shared = np.isin(animation, animation[models["meshes"] > 0])
    wrong = (models["meshes"] == 0) & (animation != NO_ANIMATION) & ((first < 0) | shared)
    return _ids(checked)[wrong]


def _rising(checked: Decoded) -> Places:
    animations = checked.level.models["animation"].astype(np.int64)
    return once_if((np.diff(animations[animations != NO_ANIMATION]) < 0).any())


def _companions(checked: Decoded) -> Places:
    ids = set(_ids(checked).tolist())
    rows = needs.COMPANIONS.get(checked.level.game, ())
    return np.array([slot for slot, any_of in rows if slot in ids and not ids.intersection(any_of)], np.int64)


def _laras_states(checked: Decoded) -> Places:
    if not _is_played(checked):
        return NO_PLACES
    count = int(checked.model_animations[1][model_rows(checked, LARA)[0]])
    states = checked.level.animations["state"][: min(count, len(needs.LARAS_STATES))].astype(np.int64)
    expected = np.array(needs.LARAS_STATES[: len(states)], np.int64)
    wrong = states != expected
    wrong[needs.HANG_START : needs.HANG_START + 1] = False
    return where(wrong)


def _skin(checked: Decoded) -> Places:
    if not _is_played(checked):
        return NO_PLACES
    game = checked.level.game
    slots = [needs.PISTOLS] if game is not max(game.__class__) else []
    slots += [needs.SKIN[game]] if game in needs.SKIN else []
    meshes = dict(zip(_ids(checked).tolist(), checked.level.models["meshes"].tolist(), strict=True))
    return np.array([slot for slot in slots if meshes.get(slot, 0) < needs.LARAS_MESHES], np.int64)


def _boxes(checked: Decoded) -> Places:
    keys = checked.keys
    first, counts = checked.model_animations
    has_keys = (counts > 0) & (checked.level.models["meshes"] > 0)
    has_keys[has_keys] = keys.key_counts[first[has_keys]] > 0
    boxes = keys.boxes[keys.first_keys[first[has_keys]]].reshape(-1, 3, 2)
    return _ids(checked)[has_keys][(boxes[:, :, 0] > boxes[:, :, 1]).any(axis=1)]


def _unknown_states(checked: Decoded) -> Places:
    level = checked.level
    if not _is_played(checked):
        return NO_PLACES
    states, animations = needs.STATES[level.game], level.animations
    count = int(checked.model_animations[1][model_rows(checked, LARA)[0]])
    is_reached = np.zeros(count, np.bool_)
    is_reached[: needs.LARAS_ANIMATIONS[level.game]] = True
    rows = np.flatnonzero(is_reached)
    while len(rows):
        target_lists = [animations["next_animation"][rows].astype(np.int64)]
        for row in rows.tolist():
            start = int(animations["first_state_change"][row])
            for change in level.state_changes[start : start + int(animations["state_changes"][row])]:
                if change["state"] < states:
                    first = int(change["first_dispatch"])
                    dispatches = level.animation_dispatches[first : first + int(change["dispatches"])]
                    target_lists.append(dispatches["next_animation"].astype(np.int64))
        targets = np.unique(np.concatenate(target_lists))
        targets = targets[(targets >= 0) & (targets < count)]
        rows = targets[~is_reached[targets]]
        is_reached[rows] = True
    return where(is_reached & (animations["state"][:count] >= states))


def _menu_models(checked: Decoded) -> Ints:
    """Return the models in the menu of the items that are placed."""
    items = needs.pickups(checked.level.game)
    placed = set(checked.level.entities["type"].tolist())
    return np.array([model for model, item in items.items() if item in placed], np.int64)


def _no_menu_model(checked: Decoded) -> Places:
    models = _menu_models(checked)
    return models[~np.isin(models, _ids(checked))]


def _still_menu_models(checked: Decoded) -> Places:
    still_models = _ids(checked)[checked.model_animations[1] == 0]
    return np.intersect1d(_menu_models(checked), still_models)


def _door_states(checked: Decoded) -> Places:
    (first, counts), result = checked.model_animations, []
    for slot in needs.DOORS[checked.level.game]:
        for row in model_rows(checked, slot).tolist():
            states = checked.level.animations["state"][first[row] : first[row] + counts[row]].tolist()
            if len(states) > 1 and (states[0] != 0 or 1 not in states):
                result.append(slot)
    return np.array(result, np.int64)


RULES = (
    Rule(
        "unique ids",
        Harm.CRASH,
        ALL,
        (CROFTENGINE, TR_RANDO, ORIGINAL),
        N_(
            "CroftEngine and TR-Rando end: ids of models, sprite sequences or static meshes occur twice, "
            "or models are not in the order of their ids"
        ),
        _repeated,
    ),
    Rule(
        "Lara first",
        Harm.WRONG,
        ALL,
        EVERYONE,
        N_(
            "each of Lara's moves is another model's: she has to be the first model, with the first meshes "
            "and animations, and 15 meshes"
        ),
        _lara_first,
    ),
    Rule(
        "Lara's animations",
        Harm.CRASH,
        ALL,
        (ORIGINAL, TRX, OPENLARA),
        N_(
            "Lara's moves end in a crash: she lacks animations that the game sets by number. "
            "Use a kit of this game"
        ),
        _laras_animations,
    ),
    Rule(
        "shared animations",
        Harm.CRASH,
        TR1 | TR2,
        (TRX,),
        N_("TRX ends when it is drawn: it shares its animations with another model"),
        _shared,
        "model",
    ),
    Rule(
        "pose of still models",
        Harm.CRASH,
        TR1 | TR2,
        (TRX,),
        N_("TRX ends when it is drawn: it has no animation and no key frame. Add an animation"),
        _still_offset,
        "model",
    ),
    Rule(
        "first pose",
        Harm.WRONG,
        ALL,
        (ORIGINAL, OPENTOMB),
        N_("it has another model's pose until it moves: its key frames do not begin at its first animation"),
        _first_offset,
        "model",
    ),
    Rule(
        "meshes of a model",
        Harm.CRASH,
        ALL,
        (ORIGINAL, TRX),
        N_("its code turns meshes that it does not have, which damages the next model"),
        _few_meshes,
        "model",
    ),
    Rule(
        "animations of a model",
        Harm.WRONG,
        ALL,
        (ORIGINAL, TRX),
        N_("it plays another model's animations: its code names animations that it does not have"),
        _few_animations,
        "model",
    ),
    Rule(
        "number of bones",
        Harm.MISSING,
        ALL,
        ENGINES,
        N_("meshes after the 32nd are not drawn. Join meshes"),
        _many_meshes,
        "model",
    ),
    Rule(
        "depth of bones",
        Harm.CRASH,
        ALL,
        ENGINES,
        N_("engines run out of their stack of bones: more than 8 are nested"),
        _trees,
        "model",
    ),
    Rule(
        "sky direction",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the sky is turned on its side: its first key frame is rotated, which the original game ignores"),
        _turned_sky,
        "model",
    ),
    Rule(
        "last word of models",
        Harm.COSMETIC,
        TR5,
        (OPENTOMB,),
        N_("OpenTomb warns of its last word"),
        _filler,
        "model",
    ),
    Rule(
        "animation of empty models",
        Harm.CRASH,
        ALL,
        (OPENTOMB, TRX),
        N_("OpenTomb hangs: it has no meshes, but an animation of another model"),
        _empty_with_animation,
        "model",
    ),
    Rule(
        "animation order",
        Harm.CRASH,
        ALL,
        (OPENTOMB,),
        N_("OpenTomb reads wrong numbers of animations: models do not have the order of their animations"),
        _rising,
    ),
    Rule(
        "bone offsets",
        Harm.WRONG,
        ALL,
        (TRX, TR_RANDO),
        N_("TRX moves its bones: its mesh tree does not begin at a node"),
        _tree_offsets,
        "model",
    ),
    Rule(
        "companions",
        Harm.CRASH,
        TR2 | TR3 | TR4,
        (ORIGINAL, TRX),
        N_("the game ends or shows wrong meshes: the level lacks a model that it needs. Append it"),
        _companions,
        "model",
    ),
    Rule(
        "Lara's states",
        Harm.WRONG,
        ALL,
        (ORIGINAL, TRX, OPENLARA),
        N_(
            "Lara does other moves, or waits forever: {count} of her animations have other states than the "
            "game sets by number"
        ),
        _laras_states,
        holds_in_trng=False,
    ),
    Rule(
        "Lara's meshes",
        Harm.WRONG,
        ALL,
        (ORIGINAL, TRX),
        N_(
            "Lara's hands, thighs or body are missing: the level needs it with 15 meshes. Use a kit of this "
            "game"
        ),
        _skin,
        "model",
    ),
    Rule(
        "box of the first pose",
        Harm.WRONG,
        ALL,
        ENGINES,
        N_("it is not drawn, and collides wrongly: the box of its first key frame is inverted"),
        _boxes,
        "model",
    ),
    Rule(
        "last state",
        Harm.CRASH,
        ALL,
        (ORIGINAL, TRX),
        N_("the game crashes in {count} of Lara's animations: it does not know their state"),
        _unknown_states,
    ),
    Rule(
        "menu model",
        Harm.MISSING,
        TR1 | TR2,
        (ORIGINAL, TRX),
        N_("the menu does not show it, although items of this kind are placed. Append it"),
        _no_menu_model,
        "model",
    ),
    Rule(
        "animation of menu models",
        Harm.CRASH,
        needs.SHOWN_ANIMATED,
        (TRX,),
        N_("TRX crashes when Lara picks up the item: it has no animation. Add one"),
        _still_menu_models,
        "model",
    ),
    Rule(
        "states of doors",
        Harm.WRONG,
        ALL,
        EVERYONE,
        N_("the door stays open or shut: its first animation has state 0, and another one has state 1"),
        _door_states,
        "model",
    ),
    Rule(
        "meshes of models",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: its meshes are outside of the pointers",
        None,
        "model",
    ),
)
