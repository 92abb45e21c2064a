"""Taking back what was made on the way: helpers that nothing uses, and all that a failed import has made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.types import ID

_KINDS = (
    "actions",
    "armatures",
    "cameras",
    "collections",
    "images",
    "lights",
    "materials",
    "meshes",
    "node_groups",
    "objects",
    "sounds",
    "speakers",
    "texts",
)


def discard(home: Any, made: Iterable[ID]) -> None:
    """Remove datablocks of one kind that nothing in the file uses.

    Blender would look through all that the file holds for whoever uses them, which takes seconds where that
    is much.

    Args:
        home: the list in ``bpy.data`` that they stand in.
        made: what was made for a moment. A scene may have objects.
    """
    for each in made:
        each.user_clear()
        home.remove(each, do_unlink=False)


def _all() -> list[ID]:
    return [obj for kind in _KINDS for obj in getattr(bpy.data, kind)]


def _next_number() -> int:
    """Return a number that datablocks made from now on are above: Blender counts them in each session."""
    text = bpy.data.texts.new("Next")
    number: int = text.session_uid
    discard(bpy.data.texts, [text])
    return number


@contextmanager
def undone_on_failure() -> Iterator[None]:
    """Remove every datablock that was made within, where an error leaves it."""
    before = _next_number()
    try:
        yield
    except BaseException:
        bpy.data.batch_remove([obj for obj in _all() if obj.session_uid > before])
        raise
