"""Taking back what a failed import has made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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


def _all() -> list[ID]:
    return [thing for kind in _KINDS for thing in getattr(bpy.data, kind)]


@contextmanager
def undone_on_failure() -> Iterator[None]:
    """Remove every datablock that was made within, where an error leaves it."""
    before = {thing.as_pointer() for thing in _all()}
    try:
        yield
    except BaseException:
        bpy.data.batch_remove([thing for thing in _all() if thing.as_pointer() not in before])
        raise
