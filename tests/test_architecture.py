"""The promises about who may know whom, checked on the source of every module of the extension."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import build

MODULES = sorted(build.PACKAGE.rglob("*.py"))
BLENDER = frozenset(
    {
        "bpy",
        "bpy_extras",
        "bmesh",
        "mathutils",
        "gpu",
        "gpu_extras",
        "blf",
        "idprop",
        "addon_utils",
        "aud",
    }
)

# The floors of the house, and what each of them may know.
BELOW: dict[str, set[str]] = {
    "formats": set(),
    "catalogue": {"formats"},
    "scene": {"formats", "catalogue"},
    "ui": {"formats", "catalogue", "scene"},
    "__init__": {"formats", "catalogue", "scene", "ui"},
}
WITHOUT_BLENDER = frozenset({"formats", "catalogue"})

each_module = pytest.mark.parametrize(
    "path", MODULES, ids=[path.relative_to(build.PACKAGE).as_posix() for path in MODULES]
)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield a module's imports as (level, dotted name): 0 is absolute, 1 its own package, 2 the one above."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, f"{node.module or ''}.{alias.name}".strip(".")) for alias in node.names)


def floor(path: Path) -> str:
    """Return which floor of the house a module is on: the name of its folder, or its own at the top."""
    return path.relative_to(build.PACKAGE).with_suffix("").parts[0]


def floors_used(path: Path) -> set[str]:
    """Return the other floors of the house that a module imports from."""
    depth = len(path.relative_to(build.PACKAGE).parts)
    return {name.split(".")[0] for level, name in imports(path) if level == depth} - {floor(path)}


@each_module
def test_the_own_package_is_never_imported_by_name(path: Path) -> None:
    """Blender installs the package as bl_ext.<repository>.io_tomb_raider."""
    assert [
        name for level, name in imports(path) if level == 0 and name.split(".")[0] == "io_tomb_raider"
    ] == []


@each_module
def test_nothing_is_imported_but_the_standard_library_numpy_and_above_formats_blender(path: Path) -> None:
    allowed = sys.stdlib_module_names | {"numpy"}
    if floor(path) not in WITHOUT_BLENDER:
        allowed = allowed | BLENDER
    assert {name.split(".")[0] for level, name in imports(path) if level == 0} <= allowed


@each_module
def test_lower_floors_do_not_know_upper_floors(path: Path) -> None:
    assert floors_used(path) <= BELOW[floor(path)]


@each_module
def test_no_network_no_processes_and_no_running_of_data(path: Path) -> None:
    forbidden = {
        "socket",
        "ssl",
        "urllib",
        "http",
        "ftplib",
        "subprocess",
        "pickle",
        "marshal",
        "shelve",
        "ctypes",
    }
    assert {name.split(".")[0] for level, name in imports(path) if level == 0} & forbidden == set()
    tree = ast.parse(path.read_bytes())
    calls = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls & {"eval", "exec", "compile", "__import__"} == set()


@each_module
def test_nobody_asks_collections_for_all_their_objects(path: Path) -> None:
    """Blender's answer can be out of date after undo: objects that it brought back are missing."""
    asked = [each for each in ast.walk(ast.parse(path.read_bytes())) if isinstance(each, ast.Attribute)]
    assert [each.lineno for each in asked if each.attr == "all_objects"] == []


def test_formats_is_a_library_for_a_plain_python() -> None:
    """A name that maps to None in sys.modules cannot be imported, as if Blender were not there."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({sorted(BLENDER)!r})); "
    use = "from io_tomb_raider.formats import read_level, write_level; print(callable(read_level))"
    command = [sys.executable, "-c", blocked + use]
    answer = subprocess.run(command, cwd=build.ROOT, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout.strip()) == (0, "True"), answer.stderr
