"""Matching the words of a replaced list of floor data to those of the old list.

For data that is stored per word, such as the plugins of a TRNG footer.
"""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from .floor_data import FloorData, list_roles, word_roles
from .grammar import END, WordRole


def followed(data: FloorData, number: int | None, words: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the index of the old word that each new word matches, -1 for new ones.

    Args:
        data: the parsed floor data.
        number: the index of the old list, None if there was none.
        words: the new list.
    """
    origins = np.full(len(words), -1)
    if number is None:
        return origins
    start = int(data.starts[number])
    old_roles, roles = list_roles(data, number).tolist(), word_roles(words, data.rules).tolist()
    old_words = data.words[start : data.ends[number]].tolist()
    # Ignore the end mark, which moves when a function follows.
    old = [(role, word & ~END) for role, word in zip(old_roles, old_words, strict=True)]
    new = [(role, word & ~END) for role, word in zip(roles, words, strict=True)]
    for what, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for place, new_place in zip(range(i, i_end), range(j, j_end), strict=False):
            if what != "equal" and not _is_same_but_for_values(old[place], new[new_place]):
                break
            origins[new_place] = start + place
    return origins


def _is_same_but_for_values(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two words, each with its role, are of the same kind, whatever their number."""
    if one[0] in (WordRole.ACTION, WordRole.UNCERTAIN_ACTION):
        return one[0] == other[0] and one[1] >> 10 == other[1] >> 10
    return one[0] == other[0] and (one[0] != WordRole.FUNCTION or one[1] & 0x1F == other[1] & 0x1F)
