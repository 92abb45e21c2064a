"""Makes the reference of all tools, panels and settings from their classes. It needs Blender:

    python -m docs.reference FILE.json

The file has a text in Markdown for each page of the manual, which the manual and the site add at its end.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import interface

_PLACES = {
    "VIEW_3D": "sidebar of the 3D view",
    "DOPESHEET_EDITOR": "sidebar of the dope sheet",
    "IMAGE_EDITOR": "sidebar of the image editor",
    "NODE_EDITOR": "sidebar of the node editor",
    "PROPERTIES": "properties editor",
    "TEXT_EDITOR": "sidebar of the text editor",
}
_NO_OPTIONS = frozenset({"rna_type", "filepath", "filter_glob", "directory", "files", "collection"})


def reference() -> dict[str, str]:
    """Return for each page its part of the reference. The extension has to be registered."""
    from io_tomb_raider.ui import manual

    found: dict[str, dict[str, list[str]]] = {}

    def part(kind: Any, name: str) -> list[str]:
        page = f"{manual.page_of(kind)}.md"
        return found.setdefault(page, {"panels": [], "tools": [], "settings": []})[name]

    for label, kinds in _panels().items():
        for page in dict.fromkeys(manual.page_of(kind) for kind in kinds):
            same = [kind for kind in kinds if manual.page_of(kind) == page]
            part(same[0], "panels").append(f"| {label} | {_join(map(_place, same))} |")
    for operator in sorted(manual.operators(), key=lambda each: str(each.bl_label)):
        part(operator, "tools").append(_tool(operator, manual.anchor(operator)))
    for group in manual.groups():
        rows = [_row(each, manual.anchor(group, each.identifier)) for each in manual.settings(group)]
        if rows:
            part(group, "settings").append(_table(_title(group), "setting", rows))
    pages = {page: _text(parts) for page, parts in sorted(found.items())}
    return {**pages, "python.md": interface.text()}


def _text(parts: dict[str, list[str]]) -> str:
    lines = ["## Reference"]
    if parts["panels"]:
        lines.append("\n".join(["| panel | where |", "|---|---|", *sorted(parts["panels"])]))
    return "\n\n".join([*lines, *parts["tools"], *sorted(parts["settings"])]) + "\n"


# --- Panels ----------------------------------------


def _panels() -> dict[str, list[Any]]:
    from bpy.types import Panel

    from io_tomb_raider.ui.panels import _CLASSES

    found: dict[str, list[Any]] = {}
    for kind in _CLASSES:
        if issubclass(kind, Panel):
            found.setdefault(kind.bl_label.removeprefix("Tomb Raider ") or kind.bl_label, []).append(kind)
    return found


def _place(panel: Any) -> str:
    place = _PLACES[panel.bl_space_type]
    if panel.bl_space_type == "PROPERTIES":
        return f"{place}, tab {panel.bl_context.title()}"
    modes = {"objectmode": ", in object mode", "mesh_edit": ", in edit mode"}
    return f"{place}, tab {panel.bl_category}{modes.get(getattr(panel, 'bl_context', ''), '')}"


def _join(places: Any) -> str:
    return "; ".join(dict.fromkeys(places))


# --- Tools and settings ----------------------------------------


def _tool(operator: Any, anchor: str) -> str:
    import bpy

    group, name = operator.bl_idname.split(".")
    known = getattr(getattr(bpy.ops, group), name).get_rna_type().properties
    options = [each for each in known if each.identifier not in _NO_OPTIONS]
    rows = [_row(each, "") for each in options if each.description and not each.is_hidden]
    about = " ".join((operator.__doc__ or "").split())
    text = f"### {operator.bl_label} {{: #{anchor} }}\n\n{plain(about)}."
    return f"{text}\n\n{_table('', 'option', rows)}" if rows else text


def _table(title: str, first: str, rows: list[str]) -> str:
    lines = [f"| {first} | what it is |", "|---|---|", *rows]
    return "\n".join([f"### {title}\n", *lines] if title else lines)


def _row(setting: Any, anchor: str) -> str:
    text = plain(setting.description).rstrip(".")
    choices = [each.name for each in setting.enum_items] if setting.type == "ENUM" else []
    if choices:
        text += f": {', '.join(map(plain, choices))}"
    mark = f'<a id="{anchor}"></a>' if anchor else ""
    return f"| {mark}{plain(setting.name)} | {text} |"


def _title(group: Any) -> str:
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", group.__name__.removeprefix("TombRaider"))
    return f"Settings: {' '.join(words)}"


def plain(text: str) -> str:
    """Return a text that Markdown takes as it is."""
    return re.sub(r"([\\`*_<>|\[\]])", r"\\\1", text)


def with_reference(text: str, page: str, found: Mapping[str, str]) -> str:
    """Return a page's text with its part of the reference behind it, where it has one."""
    return f"{text.rstrip()}\n\n{found[page]}" if page in found else text


def main(path: str) -> None:
    """Register the extension, and write the reference."""
    import io_tomb_raider

    io_tomb_raider.register()
    try:
        Path(path).write_text(json.dumps(reference()), encoding="utf-8")
    finally:
        io_tomb_raider.unregister()


if __name__ == "__main__":
    main(sys.argv[1])
