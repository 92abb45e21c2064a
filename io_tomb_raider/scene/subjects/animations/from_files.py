"""The file that an action was imported from.

Actions hold less than files: whole units, commands of the games. So the file is stored with the action, and
values that are still those of the file are exported exactly, boxes and spelling of angles included.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any, NamedTuple

from bpy.types import Action

from ....formats import FormatError, Game
from ....formats.base import inflate_whole
from ....formats.editors.animation_files import AnimationFile, keys_of, length_of, read_animation
from ....formats.levels.animations import Keys

_FILE = "tr_animation_file"


class AnimationSource(NamedTuple):
    """The file of an action."""

    animation: AnimationFile  #: its content.
    game: Game  #: the game whose numbers its sounds and effects have.
    keys_only: bool = False  #: whether its state, transitions and commands were not imported.
    lost_next: bool = False  #: whether its next animation was not in the model.


class FileKeys(NamedTuple):
    """The key frames of a file as levels have them: keys, ticks per key, and the last frame."""

    keys: Keys
    rate: int
    length: int


def store_source(action: Any, data: bytes, suffix: str, source: AnimationSource) -> None:
    """Store a file with an action."""
    forget_source(action)
    action[_FILE] = {
        "content": zlib.compress(data),
        "suffix": suffix,
        "game": source.game.name,
        "keys_only": source.keys_only,
        "lost_next": source.lost_next,
    }


def forget_source(action: Any) -> None:
    """Remove the stored file of an action."""
    if has_source(action):
        del action[_FILE]


def has_source(action: Any) -> bool:
    """Return whether an action has a stored file."""
    return action.get(_FILE) is not None


def source_of(action: Any) -> AnimationSource | None:
    """Return the file that an action was imported from; None for others, or if it is damaged."""
    stored = action.get(_FILE)
    if not hasattr(stored, "get"):
        return None
    content, suffix, game = (stored.get(name) for name in ("content", "suffix", "game"))
    if not isinstance(content, bytes) or not isinstance(suffix, str) or game not in Game.__members__:
        return None
    animation = _read(content, suffix)
    if animation is None:
        return None
    marks = (bool(stored.get(name)) for name in ("keys_only", "lost_next"))
    return AnimationSource(animation, Game[game], *marks)


def file_keys(action: Action, bones: int) -> FileKeys | None:
    """Return the key frames of the file of an action, or None without a file for this number of bones."""
    source = source_of(action)
    if source is None or source.animation.bones != bones or not source.animation.keys:
        return None
    animation = source.animation
    return FileKeys(keys_of(animation), max(animation.frame_rate, 1), length_of(animation))


@lru_cache(maxsize=512)
def _read(content: bytes, suffix: str) -> AnimationFile | None:
    """Return the content of a stored file. It is shared, so it must not be changed."""
    try:
        return read_animation(inflate_whole(content, "the stored animation"), suffix)
    except FormatError:
        return None
