"""Upgrade to version 3: actions have their animations' state changes and commands without a frame.

Documentation: chapters 6.2.4 to 6.2.6.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import bpy
from bpy.types import Action, Collection

from ...formats import FormatError, Level, read_level
from ..core.blender import compat
from .stored import kind_of, objects_of, stored, storing

_MODEL = 2
_ZLIB = b"\x78"
_MOST = 1 << 28  # the size limit of a level: .blend files may come from anywhere

# Numbers of the commands, and the number of words after each.
_POSITION, _JUMP, _SOUND, _EFFECT = 1, 2, 5, 6
_OPERANDS = {_POSITION: 3, _JUMP: 2, _SOUND: 2, _EFFECT: 2}
_LAST_KNOWN, _OTHER = 4, 7  # the last known number, and the item for others, of commands without a frame


def upgrade(root: Collection) -> None:
    """Add the lists of its animation to every action of the level's models that has none."""
    level = _original(root)
    if level is None:
        return
    models = {obj for obj in objects_of(root) if kind_of(obj) == _MODEL}
    actions = [action for action in bpy.data.actions if stored(action).get("model") in models]
    # Copies have the number of their original; targets are the first by name.
    actions.sort(key=lambda action: (_number(action), len(action.name), action.name))
    targets: dict[int, Action] = {}
    for action in actions:
        targets.setdefault(_number(action), action)
    words = level.animation_commands.tolist()
    for action in actions:
        number, has = _number(action), stored(action)
        if not 0 <= number < len(level.animations) or has.get("commands") or has.get("dispatches"):
            continue
        commands = _commands(level.animations[number], words)
        dispatches = _dispatches(level, number, targets)
        if commands:
            storing(action)["commands"] = commands
        if dispatches:
            storing(action)["dispatches"] = dispatches
            compat.ensure_pointers_are_cleared(action)


def _number(action: Action) -> int:
    return stored(action).get("index", -1)


def _original(root: Collection) -> Level | None:
    """Return the imported level, or None if it is damaged, which exports report."""
    packed = root.get("tr_original")
    if not packed or not isinstance(packed, bytes):
        return None
    try:
        data = zlib.decompressobj().decompress(packed, _MOST) if packed.startswith(_ZLIB) else packed
        return read_level(data, name=stored(root).get("source", ""))
    except (FormatError, zlib.error):
        return None


def _commands(record: Any, words: list[int]) -> list[dict[str, Any]]:
    """Return the commands of an animation that have no frame. Commands beyond the last word are skipped."""
    place = int(record["first_command"])
    rows: list[dict[str, Any]] = []
    for _ in range(int(record["commands"])):
        if place >= len(words):
            break
        kind = words[place]
        operands = words[place + 1 : place + 1 + _OPERANDS.get(kind, 0)]
        if len(operands) < _OPERANDS.get(kind, 0):
            break
        place += 1 + len(operands)
        if kind == _POSITION:
            x, y, z = operands
            rows.append({"command": kind, "position": [x, z, -y]})
        elif kind == _JUMP:
            rows.append({"command": kind, "vertical": -operands[0], "horizontal": operands[1]})
        elif 0 <= kind <= _LAST_KNOWN:
            rows.append({"command": kind})
        elif kind not in (_SOUND, _EFFECT):
            rows.append({"command": _OTHER, "number": kind})
    return rows


def _dispatches(level: Level, number: int, targets: Mapping[int, Action]) -> list[dict[str, Any]]:
    """Return the dispatches of an animation, with frames relative to the starts of animations."""
    record, starts = level.animations[number], level.animations["first_frame"]
    start, first = int(record["first_frame"]), int(record["first_state_change"])
    rows: list[dict[str, Any]] = []
    seen: set[int] = set()
    for change in level.state_changes[first : first + int(record["state_changes"])]:
        state, first = int(change["state"]), int(change["first_dispatch"])
        found: list[dict[str, Any]] = []
        for each in level.animation_dispatches[first : first + int(change["dispatches"])]:
            low, high, target, frame = each.tolist()
            target &= 0xFFFF
            if target < len(starts):
                frame -= int(starts[target])
            row: dict[str, Any] = {"low": low - start, "high": high - start, "frame": frame}
            row |= {"action": targets[target]} if target in targets else {"target": target}
            found.append(row)
        for row in found or [{"is_empty": True}]:
            rows.append({"state": state, **row})
        if state in seen:
            rows[-max(len(found), 1)]["is_separate"] = True
        seen.add(state)
    return rows
