"""Rules of models."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from .raw import NONE, Places, Raw, crash

_LARAS_ANIMATIONS = {1: 160, 2: 217, 3: 312, 4: 445, 5: 474}
_LARAS_STATES = {1: 56, 2: 71, 3: 89, 4: 118, 5: 138}
_POP, _PUSH = 1, 2
_COMPANIONS = {
    2: {17: 16, 18: 16, 41: 42, 43: 44, 50: 49, 22: 23},
    3: {71: 123, 70: 122},
    4: {39: 417, 40: 417, 37: 418, 38: 418},
}
# The least number of meshes that the code of a slot names, by game: slot and number.
_LEAST_MESHES = {
    1: """
    7:4 8:15 15:15 18:13 19:23 20:4 23:12 24:4 27:8 28:8 30:2 31:2 32:2 33:4 34:3
    """,
    2: """
    15:21 16:2 17:2 18:2 19:10 21:5 22:12 25:11 28:8 29:16 30:15 31:15 34:15 39:23 41:14 43:18 45:16
    46:16 48:10 49:10 50:10 214:13
    """,
    3: """
    0:2 15:3 20:15 21:15 22:4 23:5 28:23 32:9 34:4 35:11 36:9 37:9 39:15 40:9 41:4 42:11 45:9 46:9
    50:9 51:9 53:15 56:15 57:15 60:15 61:15 62:15 63:9 64:3 65:15 69:8 70:27 71:9 73:15 287:24
    288:27
    """,
    4: """
    0:2 8:2 9:2 30:2 31:9 32:14 34:14 37:22 39:22 41:24 43:24 47:20 51:12 59:9 61:16 63:9 73:15
    77:22 79:22 81:22 91:4 93:11 95:9 102:11 104:2 112:5 162:5
    """,
    5: """
    0:2 5:11 8:2 9:2 30:2 31:15 33:15 35:15 37:15 39:9 41:21 43:21 45:9 47:12 49:15 51:15 53:15
    55:15 57:21 59:15 61:15 63:10 67:15 69:15 71:11 73:10 77:11 79:11 81:3 83:15 85:21 87:15 89:11
    91:3 97:10
    """,
}


@crash("unique ids")
def unique_ids(raw: Raw) -> Places:
    sections = (raw.level.models, raw.level.sprite_sequences, raw.level.static_meshes)
    repeats = any(len(set(section["id"].tolist())) < len(section) for section in sections)
    ids = [model["id"] for model in raw.models]
    if repeats or ids != sorted(ids):
        yield 0


@crash("Lara's animations")
def laras_animations(raw: Raw) -> Places:
    lara = raw.model(0)
    if lara is not None and raw.is_played and len(raw.animations_of(lara)) < _LARAS_ANIMATIONS[raw.game]:
        yield 0


@crash("shared animations", "12")
def shared_animations(raw: Raw) -> Places:
    seen: set[int] = set()
    for model in raw.models:
        if model["animation"] == NONE or not model["meshes"]:
            continue  # nothing to draw
        if model["animation"] in seen:
            yield model["id"]
        seen.add(model["animation"])


@crash("pose of still models", "12")
def pose_of_still_models(raw: Raw) -> Places:
    offsets = {animation["frame_offset"] for animation in raw.animations}
    for model in raw.models:
        if model["animation"] == NONE and model["meshes"] and model["frame_offset"] not in offsets:
            yield model["id"]


@crash("meshes of a model")
def meshes_of_a_model(raw: Raw) -> Places:
    rows = (row.split(":") for row in _LEAST_MESHES[raw.game].split())
    least = {int(slot): int(count) for slot, count in rows}
    yield from (model["id"] for model in raw.models if model["meshes"] < least.get(model["id"], 0))


@crash("number of bones")
def number_of_bones(raw: Raw) -> Places:
    yield from (model["id"] for model in raw.models if model["meshes"] > 32)


@crash("depth of bones")
def depth_of_bones(raw: Raw) -> Places:
    words = raw.level.mesh_trees.tolist()
    for model in raw.models:
        depth = 0
        for number in range(model["meshes"] - 1):
            at = model["mesh_tree"] + 4 * number
            flags = words[at] if at < len(words) else 0
            if flags & _POP:
                depth -= 1
                if depth < 0:
                    yield model["id"]
                    break
            if flags & _PUSH:
                depth += 1
                if depth > 8:
                    yield model["id"]
                    break


@crash("animation of empty models")
def animation_of_empty_models(raw: Raw) -> Places:
    drawn = {model["animation"] for model in raw.models if model["meshes"]}
    for model in raw.models:
        if not model["meshes"] and model["animation"] != NONE:
            owns = bool(raw.animations_of(model)) and model["animation"] not in drawn
            if not owns:
                yield model["id"]


@crash("animation order")
def animation_order(raw: Raw) -> Places:
    firsts = [model["animation"] for model in raw.models if model["animation"] != NONE]
    if any(later < former for former, later in pairwise(firsts)):
        yield 0


@crash("companions", "234")
def companions(raw: Raw) -> Places:
    ids = Counter(model["id"] for model in raw.models)
    for slot, needed in _COMPANIONS[raw.game].items():
        if ids[slot] and not ids[needed]:
            yield slot


@crash("last state")
def last_state(raw: Raw) -> Places:
    lara, states = raw.model(0), _LARAS_STATES[raw.game]
    if lara is None or not raw.is_played:
        return
    hers = len(raw.animations_of(lara))
    to_do, seen = list(range(min(_LARAS_ANIMATIONS[raw.game], hers))), set()
    while to_do:
        row = to_do.pop()
        if row in seen or not 0 <= row < hers:
            continue
        seen.add(row)
        animation = raw.animations[row]
        to_do.append(animation["next_animation"])
        first = animation["first_state_change"]
        for change in raw.level.state_changes[first : first + animation["state_changes"]]:
            if change["state"] < states:
                first = int(change["first_dispatch"])
                dispatches = raw.level.animation_dispatches[first : first + int(change["dispatches"])]
                to_do += dispatches["next_animation"].tolist()
        if animation["state"] >= states:
            yield 0
