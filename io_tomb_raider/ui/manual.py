"""F1 and *Online Manual* on operators and settings: the page of the manual that the extension carries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Operator, PropertyGroup

FOLDER = Path(__file__).resolve().parent.parent / "manual"

# Pages by the folders of the subjects, where they have other names.
_PAGES = {
    "actions": "animations",
    "adding": "sidebar",
    "animated_textures": "textures",
    "base": "index",
    "checks": "check",
    "cutscenes": "cutscenes",
    "files": "side-files",
    "images": "textures",
    "kinds": "index",
    "level": "index",
    "models": "meshes",
    "portals": "rooms",
    "properties": "index",
    "sprites": "textures",
    "static_meshes": "meshes",
    "texts": "side-files",
    "views": "textures",
}


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return where the manual is, and which of its pages is about what, as Blender wants it."""
    return f"{FOLDER.as_uri()}/", tuple(pages())


def pages() -> Iterator[tuple[str, str]]:
    """Yield a pattern of names of Blender's documentation, in lower case, and a page for each subject."""
    for operator in _ours(Operator):
        name = getattr(operator, "bl_idname", "")
        if name:
            yield f"bpy.ops.{name}*".lower(), page_of(operator)
    for group in _ours(PropertyGroup):
        yield f"bpy.types.{group.__name__}*".lower(), page_of(group)


def page_of(kind: type[Any]) -> str:
    """Return the page about an operator or a group of settings: that of the folder or module it is in."""
    floor, *inner = kind.__module__.removeprefix(f"{_PACKAGE}.").split(".")
    subject = inner[-1] if inner and inner[0] == "properties" else (inner or [floor])[0]
    return f"{_PAGES.get(subject, subject)}.html"


_PACKAGE = __package__.rpartition(".")[0]


def _ours(base: type[Any]) -> Iterator[type[Any]]:
    for kind in base.__subclasses__():
        if kind.__module__.startswith(f"{_PACKAGE}."):
            yield kind
        yield from _ours(kind)


def register() -> None:
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    bpy.utils.unregister_manual_map(manual_map)
