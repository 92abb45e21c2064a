"""Removal of temporary data-blocks, and of everything a failed import has created."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.types import ID, Scene

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


def discard(collection: Any, blocks: Iterable[ID]) -> None:
    """Remove unused data-blocks of one type.

    Without ``do_unlink`` Blender does not search the whole file for users, which can take seconds.

    Args:
        collection: their list in ``bpy.data``.
        blocks: temporary data-blocks. A scene may still have objects.
    """
    for block in blocks:
        block.user_clear()
        collection.remove(block, do_unlink=False)


def _next_number() -> int:
    """Return a number below the ``session_uid`` of every data-block created from now on."""
    text = bpy.data.texts.new("Next")
    number: int = text.session_uid
    discard(bpy.data.texts, [text])
    return number


@contextmanager
def temporary_scene() -> Iterator[Scene]:
    """Provide a scene; it and every data-block created within the context are removed at the end."""
    last_uid = _next_number()
    try:
        yield bpy.data.scenes.new("Temporary")
    finally:
        collections: Iterator[Any] = (
            getattr(bpy.data, each.identifier)
            for each in bpy.data.bl_rna.properties
            if each.type == "COLLECTION"
        )
        bpy.data.batch_remove(
            [each for collection in collections for each in collection if each.session_uid > last_uid]
        )


@contextmanager
def undone_on_failure() -> Iterator[None]:
    """Remove every data-block created within the context, if it is left by an exception."""
    last_uid = _next_number()
    try:
        yield
    except BaseException:
        blocks = (block for kind in _KINDS for block in getattr(bpy.data, kind))
        bpy.data.batch_remove([block for block in blocks if block.session_uid > last_uid])
        raise
