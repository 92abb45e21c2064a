"""Animated textures (documentation, chapter 9.4): groups of object textures that are shown in turn.

The section is one list of words: the number of groups, then for each group one less than its number of
textures, and the textures. A level editor left unused words after the last group, the tail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ExportError
from ...base.messages import T

_MOST_WORD = 0xFFFF
# The limits of the engines of TR4 and TR5 for scrolling textures.
MOST_SCROLLING_GROUPS, MOST_SCROLLING_FRAMES = 16, 8


class AnimatedTextures(NamedTuple):
    """The decoded section."""

    groups: list[list[int]]  #: for each group its object textures in playback order.
    tail: NDArray[np.uint16]  #: (n,) uint16, the words after the last group.


def decode_animated(words: NDArray[np.uint16]) -> AnimatedTextures:
    """Return the groups. If the words end too early, groups are truncated or omitted."""
    groups: list[list[int]] = []
    values = words.tolist()
    position = 1
    # One step per group, of which a level has a handful; each determines where the next begins.
    for _ in range(values[0] if values else 0):
        if position >= len(values):
            break
        end = min(position + 2 + values[position], len(values))
        groups.append(values[position + 1 : end])
        position = end
    return AnimatedTextures(groups, words[position:])


def group_labels(words: NDArray[np.uint16], textures: int) -> NDArray[np.int64]:
    """Return the first group of each object texture, counted from 1, or 0, (textures,)."""
    labels = np.zeros(textures, np.int64)
    for number, group in reversed(list(enumerate(decode_animated(words).groups, 1))):
        labels[[index for index in group if index < textures]] = number
    return labels


def animated_places(words: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return the positions of object texture indices in the words of the section."""
    positions: list[int] = []
    position = 1
    for group in decode_animated(words).groups:
        positions += range(position + 1, position + 1 + len(group))
        position += 1 + len(group)
    return np.array(positions, np.int64)


def encode_animated(
    groups: Sequence[Sequence[int]], original: NDArray[np.uint16] | None = None
) -> NDArray[np.uint16]:
    """Return the words of the section; the inverse of :func:`decode_animated`.

    Args:
        groups: as in :class:`AnimatedTextures`; none of them empty.
        original: the original section. Its tail is kept. If the lengths of groups are unchanged, only indices
            change, even if the words end too early.

    Raises:
        ExportError: if there are more groups or textures than words can count.
    """
    if original is not None:
        before = decode_animated(original)
        if [len(each) for each in before.groups] == [len(each) for each in groups]:
            result = original.copy()
            result[animated_places(original)] = [index for group in groups for index in group]
            return result
    most = max([len(groups), *(len(group) for group in groups)])
    if most > _MOST_WORD:
        raise ExportError(
            T("animated textures"), T("too many groups or frames"), count=most, limit=_MOST_WORD
        )
    words = [len(groups)]
    for group in groups:
        words += [len(group) - 1, *group]
    tail = decode_animated(original).tail if original is not None else np.zeros(0, np.uint16)
    return np.concatenate([np.array(words, np.uint16), tail]).astype("<u2")
