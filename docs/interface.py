"""Makes the reference of the Python interface, and type stubs of its properties. It needs Blender:

    python -m docs.interface

writes the stubs, `io_tomb_raider/property_types.pyi`.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

STUBS = Path(__file__).resolve().parent.parent / "io_tomb_raider" / "property_types.pyi"
# Settings of tools and caches of displays are no part of the interface.
_INTERNAL = frozenset({"TombRaiderScene", "TombRaiderWindowManager", "TombRaiderLit", "TombRaiderAlong"})
_TYPES = {"BOOLEAN": "bool", "INT": "int", "FLOAT": "float", "STRING": "str", "ENUM": "str"}
_OTHERS = frozenset({*_TYPES.values(), "set", "None", "Sequence"})
_HEAD = '''"""Types of the properties ``tomb_raider`` of Blender's data-blocks, for type checkers only.

Written by ``python -m docs.interface``. There is no such module at runtime:

    if TYPE_CHECKING:
        from io_tomb_raider.property_types import TombRaiderObject
    settings: TombRaiderObject = getattr(obj, "tomb_raider")
"""
'''


def text() -> str:
    """Return the lists of operators and properties for the page of the Python interface, in Markdown."""
    from io_tomb_raider.ui import manual

    public = [each for each in manual.operators() if "INTERNAL" not in getattr(each, "bl_options", ())]
    operators = [_operator(each) for each in sorted(public, key=lambda each: str(each.bl_idname))]
    parts = [
        "## Operators",
        "\n".join(["| operator and properties | what it does |", "|---|---|", *operators]),
    ]
    parts.append("## Properties")
    for group, places in _groups().items():
        rows = [
            f"| `{each.identifier}` | {_words(_type(each))} | {_about(each)} |"
            for each in _fields(group)
            if _is_listed(each)
        ]
        rows += [f"| `{name}` | `{kind}` | {about} |" for name, kind, about in _computed(group)]
        if rows:
            where = ", ".join(f"`{place}`" for place in places)
            head = f"### {group.__name__} {{: #{group.__name__.lower()} }}"
            lines = [f"{head}\n\n{where}\n", "| property | type | what it is |", "|---|---|---|", *rows]
            parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def stubs() -> str:
    """Return the text of the stubs."""
    groups: dict[Any, list[str]] = _groups()
    used: set[str] = set()
    classes = []
    for group in sorted(groups, key=lambda each: str(each.__name__)):
        lines = [f"class {group.__name__}(PropertyGroup):"]
        for each in _fields(group):
            kind = _type(each)
            used |= {name for name in re.findall("[A-Za-z_]+", kind) if name not in _OTHERS}
            lines.append(f"    {each.identifier}: {kind}")
        for name, kind, _ in _computed(group):
            lines += ["    @property", f"    def {name}(self) -> {kind}: ..."]
        classes.append("\n".join(lines if len(lines) > 1 else [*lines, "    ..."]))
    used = {name for name in used if not name.startswith("TombRaider")}
    names = "\n".join(f"    {name}," for name in sorted({*used, "PropertyGroup"}))
    imports = f"from collections.abc import Sequence\n\nfrom bpy.types import (\n{names}\n)\n"
    return "\n\n".join([_HEAD + "\n" + imports.rstrip(), *classes]) + "\n"


def _groups() -> dict[Any, list[str]]:
    """Return the groups of properties of the interface with their places, those of data-blocks first."""
    from io_tomb_raider.scene.properties import _HOMES

    found: dict[Any, list[str]] = {}
    waiting = [(group, f"{home.__name__}.tomb_raider") for home, group in _HOMES.items()]
    while waiting:
        group, place = waiting.pop(0)
        if group.__name__ in _INTERNAL:
            continue
        is_new = group not in found
        found.setdefault(group, []).append(place)
        if is_new or place.count(".") < 3:
            for each in _fields(group):
                inner = _group_of(each)
                if inner is not None:
                    items = "[]" if each.type == "COLLECTION" else ""
                    waiting.append((inner, f"{place}.{each.identifier}{items}"))
            for name, kind, _ in _computed(group):
                inner = _group_named(kind.removeprefix("list[").removesuffix("]"))
                if inner is not None:
                    waiting.append((inner, f"{place}.{name}[]"))
    return found


def _group_of(field: Any) -> Any:
    return _group_named(field.fixed_type.identifier) if field.type in ("POINTER", "COLLECTION") else None


def _group_named(name: str) -> Any:
    from io_tomb_raider.ui import manual

    return next((each for each in manual.groups() if each.__name__ == name), None)


def _computed(group: Any) -> list[tuple[str, str, str]]:
    """Return name, type and description of the properties of a group that Python computes."""
    found = []
    for name, each in vars(group).items():
        if isinstance(each, property) and each.fget is not None:
            kind = inspect.formatannotation(inspect.signature(each.fget).return_annotation)
            found.append((name, re.sub(r"[a-z_.]+\.(?=[A-Z])", "", kind), str(each.__doc__).rstrip(".")))
    return found


def _fields(group: Any) -> list[Any]:
    """Return the fields of a group, without those of its base and those of internal groups."""
    found = {each.identifier: each for each in group.bl_rna.properties}  # a group may declare a name again
    return [
        each
        for each in found.values()
        if each.identifier != "rna_type"
        and (each.identifier != "name" or "name" in group.__annotations__)
        and not (each.type in ("POINTER", "COLLECTION") and each.fixed_type.identifier in _INTERNAL)
    ]


def _is_listed(field: Any) -> bool:
    import bpy

    inherited = bpy.types.PropertyGroup.bl_rna.properties["name"].description
    return field.description not in ("", inherited) and _group_of(field) is None


def _type(field: Any) -> str:
    if field.type == "COLLECTION":
        return f"bpy_prop_collection_idprop[{field.fixed_type.identifier}]"
    if field.type == "POINTER":
        name = field.fixed_type.identifier
        return name if name.startswith("TombRaider") else f"{name} | None"
    kind = _TYPES[field.type]
    if field.type == "ENUM":
        return "set[str]" if field.is_enum_flag else kind
    return f"Sequence[{kind}]" if getattr(field, "is_array", False) else kind


def _words(kind: str) -> str:
    """Return a type for a table, in which a vertical bar separates columns."""
    return " or ".join(f"`{each}`" for each in kind.split(" | "))


def _about(field: Any) -> str:
    from .reference import plain

    text = plain(field.description).rstrip(".")
    choices = [each.identifier for each in field.enum_items] if field.type == "ENUM" else []
    return f"{text}: {', '.join(f'`{each}`' for each in choices)}" if choices else text


def _operator(operator: Any) -> str:
    import bpy

    from io_tomb_raider.ui import manual

    from .reference import plain

    group, name = operator.bl_idname.split(".")
    known = getattr(getattr(bpy.ops, group), name).get_rna_type().properties
    given = [f"{each.identifier}={_default(each)}" for each in known if _is_public(each)]
    page = f"{manual.page_of(operator)}.md"
    about = plain(" ".join((operator.__doc__ or "").split()))
    call = f"`bpy.ops.{operator.bl_idname}({', '.join(given)})`"
    return f"| {call} | [{plain(operator.bl_label)}]({page}#{manual.anchor(operator)}): {about} |"


def _is_public(field: Any) -> bool:
    return not field.is_hidden or field.identifier in ("filepath", "directory", "files")


def _default(field: Any) -> str:
    if field.type in ("COLLECTION", "POINTER"):
        return "..."
    if field.type == "ENUM" and field.is_enum_flag:
        return "{...}" if field.default_flag else "set()"
    if field.type == "ENUM" and not field.enum_items:  # the items depend on the scene
        return "..."
    if getattr(field, "is_array", False):
        return str(tuple(_short(each) for each in field.default_array)).replace("'", "")
    return _short(field.default)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def main() -> None:
    """Register the extension, and write the stubs."""
    import io_tomb_raider

    io_tomb_raider.register()
    try:
        STUBS.write_text(stubs(), encoding="utf-8", newline="\n")
    finally:
        io_tomb_raider.unregister()


if __name__ == "__main__":
    main()
