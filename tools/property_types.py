"""A mypy plugin for the typed properties of Blender's data-blocks.

While the extension is registered, Blender's data-blocks have an attribute ``tomb_raider``. Blender requires
that the fields of its groups are declared as annotations that are calls. Stubs support neither; with this
plugin mypy does, so that a misspelled field is an error like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from mypy.checker import TypeChecker
from mypy.nodes import MDEF, MypyFile, SymbolTableNode, TypeInfo, Var
from mypy.plugin import AttributeContext, ClassDefContext, Plugin
from mypy.typeops import make_simplified_union
from mypy.types import AnyType, Instance, NoneType, Type, TypeOfAny, UnionType, get_proper_type

# Missing in the stubs: attributes of all subtypes of a type, and the extension's additions to Blender.
_LACKING = {
    "bpy.types.Attribute": ("data",),
    "bpy.types.Light": ("energy", "spot_blend", "spot_size"),
    "bpy.types.NodeSocket": ("default_value",),
    "bpy.types.bpy_prop_array": ("__getitem__", "__iter__", "__len__"),
    "bpy.types.WindowManager": (
        "tomb_raider_boxes",
        "tomb_raider_gaps",
        "tomb_raider_numbers",
        "tomb_raider_sound",
        "tomb_raider_trigger_lines",
    ),
    "bpy_extras.io_utils.ImportHelper": ("filepath",),
    "mathutils.Matrix": ("__iter__",),
    "mathutils.Vector": ("__iter__",),
}
# Optional in the stubs, but always present in practice.
_THERE = {f"bpy.types.{name}.layout" for name in ("Header", "Menu", "Operator", "Panel")}
_PACKAGE = "io_tomb_raider.scene.properties"
_FOLDER = Path(__file__).parent.parent.joinpath(*_PACKAGE.split("."))
_ATTRIBUTE = "tomb_raider"
# The type of a field by its declaration; Any for all others.
_VALUES = {
    "IntProperty": "int",
    "FloatProperty": "float",
    "BoolProperty": "bool",
    "StringProperty": "str",
    "EnumProperty": "str",
    "bit": "bool",
    "choice": "str",
    "blend_mode": "str",
}


@cache
def _modules() -> dict[str, ast.Module]:
    """Return the modules that declare property groups, by name."""
    paths = {path: "" if path.stem == "__init__" else f".{path.stem}" for path in _FOLDER.glob("*.py")}
    return {_PACKAGE + suffix: ast.parse(path.read_text("utf-8")) for path, suffix in paths.items()}


@cache
def _groups() -> dict[str, str]:
    """Return the full names of all property groups by their short ones."""
    return {
        node.name: f"{module}.{node.name}"
        for module, content in _modules().items()
        for node in content.body
        if isinstance(node, ast.ClassDef)
    }


@cache
def _homes() -> dict[str, str]:
    """Return the short names of groups by the full names of their Blender types."""
    for node in _modules()[_PACKAGE].body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            pairs = zip(node.value.keys, node.value.values, strict=True)
            return {ast.unparse(key): ast.unparse(group) for key, group in pairs if key is not None}
    raise LookupError(f"{_PACKAGE} no longer says which datablocks have properties")


@cache
def _fields() -> dict[str, tuple[str, str]]:
    """Return the declaring call and the argument type of each field, by the field's full name."""
    found = {}
    for module, content in _modules().items():
        for group in (each for each in content.body if isinstance(each, ast.ClassDef)):
            for node in group.body:
                if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Call):
                    call = node.annotation
                    given = {each.arg: ast.unparse(each.value) for each in call.keywords}
                    kind = "set" if "ENUM_FLAG" in given.get("options", "") else given.get("type", "")
                    name = f"{module}.{group.name}.{ast.unparse(node.target)}"
                    found[name] = ast.unparse(call.func), kind
    return found


class PropertyTypes(Plugin):
    """Gives mypy the types of ``tomb_raider`` attributes, and of the fields of all groups."""

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        mine = file.fullname.partition(".")[0] in ("io_tomb_raider", "tests", "benchmarks")
        wanted = mine and not file.fullname.startswith(("io_tomb_raider.formats", "io_tomb_raider.catalogue"))
        return [(10, _PACKAGE, -1)] if wanted and file.fullname != _PACKAGE else []

    def get_customize_class_mro_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        names = [*_LACKING.get(fullname, ()), *([_ATTRIBUTE] if fullname in _homes() else [])]
        return (lambda context: _add(context, names)) if names else None

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        owner, _, name = fullname.rpartition(".")
        if name == _ATTRIBUTE and owner in _homes():
            group = _homes()[owner]
            return lambda context: _instance(context, group) or context.default_attr_type
        if fullname in _THERE:
            return lambda context: _not_none(context.default_attr_type)
        if fullname in _fields():
            return lambda context: _field(context, *_fields()[fullname]) or context.default_attr_type
        return None


def _add(context: ClassDefContext, names: Iterable[str]) -> None:
    """Add attributes to a type. Their types are determined on access, or unknown."""
    info = context.cls.info
    for name in names:
        variable = Var(name, AnyType(TypeOfAny.special_form))
        variable.info = info
        variable._fullname = f"{info.fullname}.{name}"
        info.names[name] = SymbolTableNode(MDEF, variable)


def _not_none(kind: Type) -> Type:
    proper = get_proper_type(kind)
    if not isinstance(proper, UnionType):
        return kind
    return make_simplified_union(
        [each for each in proper.items if not isinstance(get_proper_type(each), NoneType)]
    )


def _instance(context: AttributeContext, group: str, *arguments: Type) -> Instance | None:
    module, _, name = _groups().get(group, group).rpartition(".")
    assert isinstance(context.api, TypeChecker)
    content = context.api.modules.get(module)
    node = content.names[name].node if content is not None and name in content.names else None
    return Instance(node, list(arguments)) if isinstance(node, TypeInfo) else None


def _field(context: AttributeContext, declared_by: str, kind: str) -> Type | None:
    if kind in _groups():
        group = _instance(context, kind)
        if declared_by == "PointerProperty":
            return group
        if declared_by == "CollectionProperty" and group is not None:
            return _instance(context, "bpy.types.bpy_prop_collection_idprop", group)
        return None
    if kind == "set":
        text = _instance(context, "builtins.str")
        return None if text is None else _instance(context, "builtins.set", text)
    return _instance(context, f"builtins.{_VALUES[declared_by]}") if declared_by in _VALUES else None


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin: mypy calls this function."""
    return PropertyTypes
