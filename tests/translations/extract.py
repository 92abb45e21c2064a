"""Extraction of all user-visible texts.

Names and tooltips come from registered classes and tables, messages from the sources: first arguments of
``T``, ``plural`` and ``N_``, and texts that layouts show.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import bpy

from io_tomb_raider import catalogue
from io_tomb_raider.catalogue.names import NOTED
from io_tomb_raider.formats import Game
from io_tomb_raider.formats.edits.references.references import REFERENCES
from io_tomb_raider.formats.levels.injections.records import BLOCKS, FLOOR_EDIT_NAMES, block_type
from io_tomb_raider.formats.levels.level.level import SectionName, section_noun
from io_tomb_raider.scene.authoring.mesh_and_sectors.fixes import FIXES
from io_tomb_raider.scene.core.reporting.results import _WORDS, in_words
from io_tomb_raider.scene.core.subjects import OPTIONS
from io_tomb_raider.scene.subjects.triggers.numbers import TimerMeaning
from io_tomb_raider.scene.subjects.triggers.values import NUMBER_LABELS
from io_tomb_raider.scene.transfer.engine.contents import KINDS
from io_tomb_raider.scene.transfer.engine.plan import kind_title
from io_tomb_raider.ui.base.text.words import _CALLED

from .po_files import placeholders

PACKAGE = Path(__file__).resolve().parents[2] / "io_tomb_raider"
# The command line is in English, like Blender's own; so are nodes.
SILENT = (
    "ui/command_line/",
    "scene/subjects/textures/animation_nodes.py",
    "scene/core/blender/node_builder.py",
    "scene/subjects/textures/light_nodes.py",
    "scene/subjects/textures/shader.py",
)

# The positions of templates among the arguments of functions.
MARKS = {"T": (0,), "plural": (0, 1), "N_": (0,), "translate": (0,)}
# Keyword arguments of layouts and dialogs that Blender translates itself.
_SHOWN = {"text", "heading", "title"}
_BASES = ("Operator", "Panel", "Menu", "PropertyGroup", "FileHandler", "AddonPreferences")


def all_texts() -> set[str]:
    """Return every text, as an English template. The extension must be registered."""
    return {text for text in (*of_classes(), *of_tables(), *of_sources()) if _has_words(text)}


def _has_words(text: str) -> bool:
    if re.fullmatch(r"[A-Z][A-Z_0-9]{3,}", text):  # an identifier
        return False
    return bool(re.search(r"[A-Za-z]{2}", re.sub(r"\{.*?\}", "", text)))


# --- Registered classes ----------------------------------------


def of_classes() -> Iterator[str]:
    """Yield labels, tooltips, and names, tooltips and items of properties."""
    for base in _BASES:
        for kind in set(_ours(getattr(bpy.types, base))):
            if not getattr(kind, "is_registered", base == "FileHandler"):
                continue
            yield getattr(kind, "bl_label", "")
            known = _operator_of(kind) if base == "Operator" else kind.bl_rna
            if base == "Operator":
                yield known.description
            own = {name for each in kind.__mro__ if _is_ours(each) for name in _declared(each)}
            for name in own & set(known.properties.keys()):
                yield from _of_property(known.properties[name])
    for owner in (bpy.types.WindowManager, bpy.types.Scene):
        for field in owner.bl_rna.properties:
            if field.identifier.startswith("tomb_raider"):
                yield from _of_property(field)


def _operator_of(kind: Any) -> Any:
    group, name = kind.bl_idname.split("_OT_") if "_OT_" in kind.bl_idname else kind.bl_idname.split(".")
    return getattr(getattr(bpy.ops, group.lower()), name).get_rna_type()


def _of_property(field: Any) -> Iterator[str]:
    is_group = field.type in ("POINTER", "COLLECTION") and _is_group(field.fixed_type)
    if field.is_hidden or (is_group and not field.description):
        return
    yield field.name
    if field.identifier != "name":  # its tooltip is Blender's own
        yield field.description
    if field.type == "ENUM":
        for item in field.enum_items_static:
            yield item.name
            yield item.description


def _is_group(kind: Any) -> bool:
    return issubclass(type(kind), bpy.types.PropertyGroup) and kind.identifier.startswith("TombRaider")


def _ours(base: type[Any]) -> Iterator[type[Any]]:
    for kind in base.__subclasses__():
        if _is_ours(kind):
            yield kind
        yield from _ours(kind)


def _is_ours(kind: type[Any]) -> bool:
    return kind.__module__.startswith("io_tomb_raider.")


def _declared(kind: type[Any]) -> set[str]:
    return {name for name in vars(kind).get("__annotations__", ()) if not name.startswith("bl_")}


def of_tables() -> Iterator[str]:
    """Yield labels from tables."""
    for option in OPTIONS:
        yield from (option.group, option.short)
    yield from (*NUMBER_LABELS.values(), *_CALLED.values(), *(each.value for each in TimerMeaning))
    yield from (fix.label for fix in FIXES.values())
    for game in Game:
        for kind in NOTED:
            yield from catalogue.names(game).notes(kind).values()
    for words in _WORDS.values():
        yield from words
    for name in get_args(SectionName):
        if name.endswith("s"):
            yield from (section_noun(name, 1), section_noun(name, 2))
    for name in ("fog_bulbs", "lights", "portals", "sprites", "static_meshes"):  # of rooms
        yield section_noun(name, 2)
    yield from (*map(kind_title, KINDS), *KINDS.values())
    blocks = *(block.name for block in BLOCKS.values()), block_type(-1).name
    yield from (*FLOOR_EDIT_NAMES.values(), *blocks, "tests")
    targets = {each.target for references in REFERENCES.values() for each in references}
    for name in (*REFERENCES, *sorted(targets)):
        yield from (section_noun(name.rpartition(".")[2], number) for number in (1, 2))


# --- Sources ----------------------------------------


def sources() -> Iterator[tuple[str, ast.Module]]:
    """Yield the name and syntax tree of each module with texts for users."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(SILENT) and "presets" not in name:
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def of_sources() -> Iterator[str]:
    """Yield the messages of all modules, labels of layouts, and items of dynamic enumerations."""
    for name, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from _of_call(node)
            elif isinstance(node, ast.ClassDef):
                yield from _of_class(node)
            elif isinstance(node, ast.Tuple) and name.startswith(("scene/", "ui/")) and _is_item(node):
                yield from (text for each in node.elts[1:3] for text in literals(each))


def _of_call(call: ast.Call) -> Iterator[str]:
    name = called(call)
    for place in MARKS.get(name, ()):
        if place < len(call.args):
            yield from literals(call.args[place])
    for keyword in call.keywords:
        if keyword.arg in _SHOWN and name not in MARKS:
            yield from literals(keyword.value)
    if name in ("count", "record") and call.args:
        for section in literals(call.args[0]):
            for number in (1, 2):
                yield in_words(section, number).values["noun"]


def _of_class(node: ast.ClassDef) -> Iterator[str]:
    """Yield the label of a class, such as one of nodes."""
    for each in node.body:
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "bl_label":
            yield from literals(each.value)


def called(call: ast.Call) -> str:
    """Return the name of a called function or method."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def literals(node: ast.expr) -> Iterator[str]:
    """Yield the possible texts of an expression, as far as they are literals."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))
    elif isinstance(node, ast.BoolOp):
        yield from (text for each in node.values for text in literals(each))


def _is_item(node: ast.Tuple) -> bool:
    texts = [getattr(each, "value", None) for each in node.elts[:3]]
    return len(texts) == 3 and all(isinstance(each, str) for each in texts) and str(texts[0]).isupper()


# --- Mistakes ----------------------------------------

# Functions that show texts to users, with the positions of the messages among their arguments.
_MESSAGES = {
    "report_line": (2,),
    "report_result": (1,),
    "set_poll_message": (1,),
    "warn": (0, 1),
    "warn_all": (1,),
    "lose": (0, 2),
    "ExportError": (0, 1),
    "TextError": (1,),
    "ProgressBar": (1,),
    "progress": (0,),
    "Progress": (0,),
    "keep": (1,),
    "Note": (2,),
    "Finding": (3,),
    "translate": (0,),
    "popup_later": (0,),
}


def mistakes(tree: ast.Module) -> Iterator[str]:
    """Yield a line for each message of a module that cannot be translated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for text in (*_template_mistakes(node), *_text_mistakes(node)):
                yield f"line {node.lineno}: {text}"


def _template_mistakes(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", "")
    if name not in ("T", "plural", "N_"):
        return
    given = {each.arg for each in call.keywords}
    if None in given or any(isinstance(each, ast.Starred) for each in call.args):
        yield "the arguments of a message must be written out"
        return
    for place in MARKS[name]:
        template = call.args[place] if place < len(call.args) else None
        if not isinstance(template, ast.Constant) or not isinstance(template.value, str):
            yield f"the template of {name}() is no literal"
        elif name == "T":
            wanted = _names_or_none(template.value)
            if (given or wanted) and wanted != given:
                yield f"{template.value!r} has the arguments {sorted(map(str, given))}"
        elif name == "plural":
            wanted = names(template.value)
            if not wanted <= given | {"count"}:
                yield f"{template.value!r} has the arguments {sorted(map(str, given))}"


def _names_or_none(template: str) -> set[str]:
    """Return the names of a template's arguments; braces that do not match are letters."""
    try:
        return names(template)
    except ValueError:
        return set()


def names(template: str) -> set[str]:
    """Return the names of a template's arguments, without formats."""
    return {re.split("[!:]", text)[0] for text in placeholders(template)}


def _text_mistakes(call: ast.Call) -> Iterator[str]:
    for place in _MESSAGES.get(called(call), ()):
        if place < len(call.args):
            yield from _plain_texts(call.args[place], in_translate=called(call) == "translate")


def _plain_texts(node: ast.expr, *, in_translate: bool) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield f"{ast.unparse(node)} must be a message: T(...)"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if " " in node.value.strip() and not in_translate:
            yield f"{node.value!r} must be a message: T(...)"
    elif isinstance(node, ast.IfExp):
        for each in (node.body, node.orelse):
            yield from _plain_texts(each, in_translate=in_translate)
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        for each in (node.left, node.right) if isinstance(node, ast.BinOp) else node.values:
            yield from _plain_texts(each, in_translate=in_translate)
