"""Extraction of all user-visible texts:

those of registered classes and properties, and messages in the sources.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import bpy

from io_tomb_raider.formats.checks.references import REFERENCES, TARGETS
from io_tomb_raider.formats.level.level import SectionName, section_noun
from io_tomb_raider.scene.authoring.mesh_and_sectors.fixes import FIXES
from io_tomb_raider.scene.core.results import _WORDS, in_words
from io_tomb_raider.scene.core.subjects import OPTIONS
from io_tomb_raider.scene.subjects.triggers.numbers import TimerMeaning
from io_tomb_raider.scene.subjects.triggers.values import NUMBER_LABELS
from io_tomb_raider.ui.base.words import _CALLED

PACKAGE = Path(__file__).resolve().parents[2] / "io_tomb_raider"
# The command line and the texts that only it shows are in English, like Blender's own; so are nodes.
SILENT = (
    "ui/command_line/",
    "ui/translations/",
    "formats/level/differences.py",
    "formats/scripts/tr4_commands.py",
    "scene/subjects/textures/animation_nodes.py",
    "scene/core/node_builder.py",
    "scene/subjects/textures/light_nodes.py",
    "scene/subjects/models/welds.py",
    "scene/subjects/textures/shader.py",
)

# Functions that show texts to users, with the positions of the texts among their arguments.
_MESSAGE_ARGUMENTS = {
    "report_line": (2,),
    "report_result": (1,),
    "translate": (0,),
    "N_": (0,),
    "set_poll_message": (1,),
    "warn": (1,),
    "warn_all": (1,),
    "ExportError": (1,),
    "TextError": (1,),
    "ProgressBar": (1,),
    "progress": (0,),
    "Progress": (0,),
    "keep": (1,),
    "Note": (2,),
    "Finding": (2, 3, 4),
    "label": (),
}
# Modules in which all texts are parts of messages.
_ERRORS = ("formats/errors.py", "ui/base/words.py")
_MESSAGE_KEYWORDS = {"text", "heading", "problem", "title"}
_BASES = ("Operator", "Panel", "Menu", "PropertyGroup", "FileHandler", "AddonPreferences")


def all_texts() -> set[str]:
    """Return every text, as an English template. The extension must be registered."""
    return {text for text in (*of_classes(), *of_tables(), *of_sources()) if _has_words(text)}


def _has_words(text: str) -> bool:
    if re.fullmatch(r"[A-Z][A-Z_0-9]{3,}", text):  # an identifier
        return False
    return bool(re.search(r"[A-Za-z]{2}", re.sub(r"\{\d+\}", "", text)))


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
    for words in _WORDS.values():
        yield from words
    for name in get_args(SectionName):
        if name.endswith("s"):
            yield from (section_noun(name, 1), section_noun(name, 2))
    for name in (*REFERENCES, *TARGETS):
        yield from (section_noun(name.rpartition(".")[2], number) for number in (1, 2))


# --- Sources ----------------------------------------


def of_sources() -> Iterator[str]:
    """Yield the messages of all modules."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(SILENT) and "presets" not in name:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            yield from _of_tree(tree, parts=_makes_parts(name), whole=name in _ERRORS)


def _makes_parts(name: str) -> bool:
    """Return whether functions of a module that return texts return parts of messages."""
    return name.startswith(("scene/", "ui/", "formats/checks/", "formats/floor/edit"))


def _of_tree(tree: ast.Module, *, parts: bool, whole: bool) -> Iterator[str]:
    if parts:
        yield from _sentences(tree)
    if whole:
        found = (text.strip() for text in _literals(tree) if " " in text.strip())
        yield from (text[1:-1] if text[0] + text[-1] == "()" else text for text in found)
    for node in ast.walk(tree):
        is_count = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("count", "record")
        for section in _templates(node.args[0], {}) if is_count and node.args else ():
            for number in (1, 2):
                yield in_words(section, number).removeprefix(f"{number} ").partition(" of ")[0]
    declared = (each for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign))
    marks = (node for each in declared for node in ast.walk(each))
    for node in marks:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "N_":
            yield from _templates(node.args[0], {})
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            known = _assigned(function)
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    for text in _message_arguments(node):
                        yield from _templates(text, known)
                if parts and isinstance(node, ast.Return | ast.Yield) and _returns_text(function):
                    yield from (each for each in _templates(node.value, known) if " " in each.strip())


def _sentences(tree: ast.Module) -> Iterator[str]:
    """Yield sentences anywhere in a module, and items of dynamic enumerations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and _is_item(node):
            for each in node.elts[1:3]:
                yield from _templates(each, {})
    yield from (text for text in _literals(tree) if text.strip().count(" ") >= 3)


def _literals(tree: ast.Module) -> Iterator[str]:
    """Yield all texts of a module except docstrings."""
    silent = set(map(id, _documentation(tree)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in silent:
            if isinstance(node, ast.JoinedStr):
                silent |= {id(each) for each in ast.walk(node)}
            yield from list(_templates(node, {}))[:1]


def _is_item(node: ast.Tuple) -> bool:
    texts = [getattr(each, "value", None) for each in node.elts[:3]]
    return len(texts) == 3 and all(isinstance(each, str) for each in texts) and str(texts[0]).isupper()


def _documentation(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _message_arguments(call: ast.Call) -> Iterator[ast.expr]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    yield from (call.args[place] for place in _MESSAGE_ARGUMENTS.get(name, ()) if place < len(call.args))
    yield from (each.value for each in call.keywords if each.arg in _MESSAGE_KEYWORDS)


def _returns_text(function: ast.FunctionDef) -> bool:
    returned = ast.unparse(function.returns) if function.returns is not None else ""
    return returned in ("str", "str | None", "list[str]", "Iterator[str]", "tuple[str, str]")


def _assigned(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """Return the possible values of each variable of a function."""
    known: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                _note(known, target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            _note(known, node.target, node.value)
        elif isinstance(node, ast.For):
            _note_loop(known, node.target, node.iter)
    return known


def _note(known: dict[str, list[ast.expr]], target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name):
        known.setdefault(target.id, []).append(value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            _note(known, one, its)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.IfExp):
        _note(known, target, value.body)
        _note(known, target, value.orelse)


def _note_loop(known: dict[str, list[ast.expr]], target: ast.expr, over: ast.expr) -> None:
    if isinstance(over, ast.Tuple | ast.List):
        for each in over.elts:
            _note(known, target, each)


def _templates(node: ast.AST | None, known: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Yield the possible texts of an expression, and those inserted into them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield _numbered(node.value)
    elif isinstance(node, ast.JoinedStr):
        pieces = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
        yield _numbered("".join(map(str, pieces)))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _templates(part.value, known)
    elif isinstance(node, ast.Name):
        for value in known.pop(node.id, ()):
            yield from _templates(value, known)
    elif isinstance(node, ast.IfExp):
        for each in (node.body, node.orelse):
            yield from _templates(each, known)
    elif isinstance(node, ast.BoolOp | ast.Tuple | ast.List):
        for each in node.values if isinstance(node, ast.BoolOp) else node.elts:
            yield from _templates(each, known)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for each in (node.left, node.right):
            yield from _templates(each, known)
    elif isinstance(node, ast.Starred | ast.Subscript | ast.ListComp | ast.GeneratorExp):
        inner = node.elt if isinstance(node, ast.ListComp | ast.GeneratorExp) else node.value
        if isinstance(inner, ast.Dict):
            for value in inner.values:
                yield from _templates(value, known)
        else:
            yield from _templates(inner, known)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method = node.func.attr
        inside = [node.func.value] if method in ("format", "join", "append", "get") else []
        for each in (*inside, *(node.args if method in ("append", "get") else ())):
            yield from _templates(each, known)


def _numbered(text: str) -> str:
    """Number the placeholders of a template."""
    first, *others = text.split("{}")
    return first + "".join(f"{{{place}}}{part}" for place, part in enumerate(others))
