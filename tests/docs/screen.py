"""Texts on Blender's screen: buttons, fields, panels, menus and names of objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import bpy

from io_tomb_raider.ui.panels import _CLASSES
from tests.ui.recorder import draw

# Menus by the first element of their path.
_ROOTS = {
    "File": "TOPBAR_MT_file",
    "Edit": "TOPBAR_MT_edit",
    "Add": "VIEW3D_MT_add",
    "Tomb Raider": "VIEW3D_MT_tomb_raider",
    "Object": "VIEW3D_MT_object",
    "Mesh": "VIEW3D_MT_edit_mesh",
    "Pose": "VIEW3D_MT_pose",
    "Image": "IMAGE_MT_image",
    "Select": "VIEW3D_MT_select_edit_mesh",
}
_KEY = re.compile(r"(Shift|Ctrl|Alt)(\+.+)?|F\d+|[A-Z0-9]|Tab|Home|Delete|Enter|Esc|Space|Numpad .")
# Names that are not accessible from Python: editors' tabs, parts of windows, and sockets.
_BLENDERS_OWN = frozenset(
    {
        "Action Editor",
        "Install from Disk…",
        "Get Extensions",
        "Asset Browser",
        "View",
        "Item",
        "End",
        "Cube Size",
    }
)


def unknown_words(marked: list[str], seen: set[str]) -> list[str]:
    """Return the marked names of a text that are neither keys, nor menu paths, nor visible."""
    return [words for words in marked if not _is_known(words, seen)]


def _is_known(words: str, seen: set[str]) -> bool:
    if _KEY.fullmatch(words) or words in _BLENDERS_OWN:
        return True
    if " > " in words:
        return _path_exists(words.split(" > "))
    return plain(words) in seen or plain(words) in blenders_words()


def plain(text: str) -> str:
    """Return a label without trailing dots and file suffixes."""
    return re.sub(r"(…|\.\.\.| \([^)]*\))$", "", text)


def seen_now() -> set[str]:
    """Return all texts that the extension's panels show now, and the names of objects."""
    obj: Any = bpy.context.object
    level = next((each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"), None)
    own = obj.users_collection[0] if obj is not None and obj.users_collection else None
    data = obj.data if obj is not None else None
    found: set[str] = set()
    menus = {"TOPBAR_MT_file_import", "TOPBAR_MT_file_export", "VIEW3D_MT_tomb_raider_add"}
    menus |= {"TOPBAR_MT_tomb_raider_import", "TOPBAR_MT_tomb_raider_export"}
    for panel in _CLASSES:
        if not issubclass(panel, bpy.types.Panel):
            continue
        in_view = panel.bl_space_type == "VIEW_3D"
        of_collection = getattr(panel, "bl_context", "") == "collection"
        for collection in (level, own, *_cutscenes()) if of_collection else (own,):
            shown = draw(
                panel,
                space_data=_VIEW if in_view else None,
                collection=collection,
                object=obj,
                mesh=data if isinstance(data, bpy.types.Mesh) else None,
                material=getattr(obj, "active_material", None),
                edit_image=next((each for each in bpy.data.images if each.tomb_raider.kind != "NONE"), None),
            )
            if shown is not None:
                found |= {panel.bl_label, getattr(panel, "bl_category", "")}
                for kind, row in shown.rows:
                    getattr(bpy.types, kind).draw_row(None, shown, row)
                found |= set(shown.texts)
                found |= {word for name, _ in shown.operators for word in _words_of_operator(name)}
                menus |= set(shown.menus)
    for name in menus:
        found.add(getattr(bpy.types, name).bl_label)
        for label, _, operator in _entries(name):
            found |= {label, *(_words_of_operator(operator) if operator else ())}
    for kind in ("objects", "collections", "actions", "materials", "images", "workspaces", "sounds"):
        found |= {each.name for each in getattr(bpy.data, kind)}
    return {plain(word) for word in found}


_VIEW = SimpleNamespace(
    type="VIEW_3D", shading=SimpleNamespace(type="SOLID", show_backface_culling=True), local_view=None
)


def _cutscenes() -> list[Any]:
    return [each for each in bpy.data.collections if each.tomb_raider.kind == "CUTSCENE"]


@cache
def _words_of_operator(name: str) -> frozenset[str]:
    """Return the texts in the dialog of an operator of the extension."""
    if "tomb_raider" not in name:
        return frozenset()
    group, operator = name.split(".")
    kind = getattr(getattr(bpy.ops, group), operator).get_rna_type()
    words = {kind.name}
    for each in kind.properties:
        words |= {each.name, *(item.name for item in getattr(each, "enum_items", ()))}
    return frozenset(words)


@cache
def blenders_words() -> frozenset[str]:
    """Return the names of Blender's own operators, menus, panels, editors and settings of objects."""
    words = {each.name for each in bpy.types.Area.bl_rna.properties["ui_type"].enum_items}
    words |= {each.name for each in bpy.types.Area.bl_rna.properties["type"].enum_items}
    for group in dir(bpy.ops):
        for name in dir(getattr(bpy.ops, group)):
            if "tomb_raider" not in f"{group}.{name}":
                operator = getattr(getattr(bpy.ops, group), name).get_rna_type()
                words.add(operator.name)
                if group == "mesh":
                    lists = (each.enum_items for each in operator.properties if each.type == "ENUM")
                    words |= {item.name for items in lists for item in items}
    drawn = bpy.types.Panel, bpy.types.Menu, bpy.types.KeyingSetInfo
    for name in dir(bpy.types):
        kind = getattr(bpy.types, name)
        if isinstance(kind, type) and issubclass(kind, drawn) and "tomb_raider" not in name.lower():
            words.add(getattr(kind, "bl_label", ""))
    for kind in (bpy.types.Object, bpy.types.Action, bpy.types.SpaceView3D, bpy.types.Scene):
        words |= {each.name for each in kind.bl_rna.properties}
    return frozenset(plain(word) for word in words)


# --- Menus ----------------------------------------


class _MenuLayout:
    """A layout for Blender's own menus, which records their entries and accepts all other calls."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, str]] = []  # label, menu, operator

    def operator(self, name: str, text: str | None = None, **_: Any) -> Any:
        group, operator = name.split(".")
        kind = getattr(getattr(bpy.ops, group), operator).get_rna_type()
        self.entries.append((kind.name if text is None else text, "", name))
        return SimpleNamespace()

    def menu(self, name: str, text: str | None = None, **_: Any) -> None:
        label = getattr(getattr(bpy.types, name, None), "bl_label", "")
        self.entries.append((label if text is None else text, name, ""))

    def operator_menu_enum(self, name: str, property: str, text: str | None = None, **_: Any) -> None:
        group, operator = name.split(".")
        kind: Any = getattr(getattr(bpy.ops, group), operator).get_rna_type()
        self.entries.append((kind.name if text is None else text, "", name))

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self


def _entries(name: str) -> list[tuple[str, str, str]]:
    layout, menu = _MenuLayout(), getattr(bpy.types, name)
    members = {"bl_idname": name, "bl_label": menu.bl_label, "entries": getattr(menu, "entries", ())}
    menu.draw(SimpleNamespace(layout=layout, **members), bpy.context)
    return layout.entries


def _path_exists(path: list[str]) -> bool:
    """Return whether a menu path exists."""
    first, *rest = path
    return first in _ROOTS and _leads_to(_ROOTS[first], rest)


def _leads_to(menu: str, path: list[str]) -> bool:
    for label, inner, _ in _entries(menu):
        if plain(label) == plain(path[0]):
            return len(path) == 1 or (bool(inner) and _leads_to(inner, path[1:]))
    return False


def marked(text: str) -> Iterator[str]:
    """Yield the names that a text marks by single asterisks."""
    for found in re.finditer(r"(?<![*\\])\*([^*\s][^*]*)\*(?!\*)", text):
        yield " ".join(found.group(1).split())
