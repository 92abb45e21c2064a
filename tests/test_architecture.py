"""Layers of the architecture, checked in the source of every module of the extension."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import build

# The sources are the same in every Blender.
pytestmark = pytest.mark.once

MODULES = sorted(build.PACKAGE.rglob("*.py"))
BLENDER = frozenset(
    {
        "bpy",
        "bpy_extras",
        "bl_operators",
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

# The top folders, and those that each may import from.
BELOW: dict[str, set[str]] = {
    "formats": set(),
    "catalogue": {"formats"},
    "scene": {"formats", "catalogue"},
    "ui": {"formats", "catalogue", "scene"},
    "__init__": {"formats", "catalogue", "scene", "ui"},
    "__main__": {"scene", "ui"},
}
WITHOUT_BLENDER = frozenset({"formats", "catalogue"})


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module's syntax tree."""
    return tuple(ast.walk(ast.parse(path.read_bytes())))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the imports of a module as (level, dotted name):

    0 is absolute, 1 its own package, 2 its parent.
    """
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, f"{node.module or ''}.{alias.name}".strip(".")) for alias in node.names)


def foreign(path: Path) -> set[str]:
    """Return the top-level names of imports from outside the package."""
    return {name.split(".")[0] for level, name in imports(path) if level == 0}


def floor(path: Path) -> str:
    """Return the top folder of a module, or its own name at the top."""
    return path.relative_to(build.PACKAGE).with_suffix("").parts[0]


def floors_used(path: Path) -> set[str]:
    """Return the other top folders that a module imports from."""
    depth = len(path.relative_to(build.PACKAGE).parts)
    return {name.split(".")[0] for level, name in imports(path) if level == depth} - {floor(path)}


def module_at(place: Path) -> Path | None:
    """Return the file of a module or package by its dotted path, or None."""
    return next((each for each in (place.with_suffix(".py"), place / "__init__.py") if each.exists()), None)


def modules_used(path: Path) -> set[Path]:
    """Return the modules of the package that a module imports anywhere, including imports for types.

    An import from another folder loads that folder's ``__init__`` first. The folders that contain the
    importing module are already loaded, and count only if they are imported from.
    """
    used: set[Path] = set()
    for level, name in imports(path):
        if level:
            here = path.parents[level - 1]
            target = here.joinpath(*name.split("."))
            # The last part of a name is a module or an attribute.
            found = module_at(target) or module_at(target.parent)
            assert found is not None, (path, name)
            folders = [each for each in found.parents if here in each.parents and each not in path.parents]
            used |= {found, *(each / "__init__.py" for each in folders)}
    return used - {path}


def offenders(found_in: Callable[[Path], Collection[object]]) -> list[str]:
    """Return a line for each module in which something forbidden is found."""
    assert len(MODULES) > 100
    found = {path.relative_to(build.PACKAGE).as_posix(): found_in(path) for path in MODULES}
    return [f"{name}: {', '.join(sorted(map(str, each)))}" for name, each in found.items() if each]


def test_the_own_package_is_never_imported_by_name() -> None:
    """Blender installs the package as bl_ext.<repository>.io_tomb_raider."""
    assert offenders(lambda path: foreign(path) & {"io_tomb_raider"}) == []


def test_nothing_is_imported_but_the_standard_library_numpy_and_above_formats_blender() -> None:
    plain = sys.stdlib_module_names | {"numpy"}
    assert (
        offenders(lambda path: foreign(path) - (plain if floor(path) in WITHOUT_BLENDER else plain | BLENDER))
        == []
    )


def test_lower_layers_do_not_import_upper_ones() -> None:
    assert offenders(lambda path: floors_used(path) - BELOW[floor(path)]) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {path: modules_used(path) for path in MODULES}
    assert sum(map(len, graph.values())) > 1000
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(path.relative_to(build.PACKAGE).as_posix() for path in error.args[1]))


# The folders of the scene in order. A module may import from its own folder and from those before it, which
# includes imports for types and within functions.
SCENE_FOLDERS = (
    "core",
    "mesh",
    "upgrades",
    *(
        f"subjects/{name}"
        for name in (
            "textures",
            "meshes",
            "animated_textures",
            "object_textures",
            "models",
            "skins",
            "rooms",
            "floor",
            "portals",
            "sprites",
            "static_meshes",
            "lights",
            "collision",
            "bisect",
            "level",
            "entities",
            "triggers",
            "pathfinding",
            "animations",
            "sounds",
            "cameras",
            "cutscenes",
            "sky",
            "script",
            "injections",
        )
    ),
    "properties",
    "pipeline",
    "authoring",
    "assets",
    "transfer/engine",
    "transfer/adoption",
    "transfer/append",
    "transfer/fitting",
    "transfer/convert",
    "interop",
    "new_levels",
)


def scene_folder(path: Path) -> str | None:
    """Return the entry of SCENE_FOLDERS that contains a module; None for packages of other folders."""
    place = path.relative_to(build.PACKAGE / "scene").as_posix()
    return next((each for each in SCENE_FOLDERS if place.startswith(f"{each}/")), None)


def test_folders_of_the_scene_import_downwards_only() -> None:
    modules = [path for path in MODULES if floor(path) == "scene"]
    ranks = {path: SCENE_FOLDERS.index(found) for path in modules if (found := scene_folder(path))}
    others = sorted(path.relative_to(build.PACKAGE).as_posix() for path in modules if path not in ranks)
    assert others == ["scene/__init__.py", "scene/subjects/__init__.py", "scene/transfer/__init__.py"]
    assert set(ranks.values()) == set(range(len(SCENE_FOLDERS)))

    def above(path: Path) -> set[str]:
        used = modules_used(path) if path in ranks else set()
        found = [each for each in used if each in ranks and ranks[each] > ranks[path]]
        return {each.relative_to(build.PACKAGE).as_posix() for each in found}

    assert offenders(above) == []


# The folders of formats in order.
FORMATS_FOLDERS = ("base", "levels", "edits", "editors")


def test_folders_of_formats_import_downwards_only() -> None:
    modules = [path for path in MODULES if floor(path) == "formats" and path.parent.name != "formats"]
    ranks = {
        path: FORMATS_FOLDERS.index(path.relative_to(build.PACKAGE / "formats").parts[0]) for path in modules
    }
    assert set(ranks.values()) == set(range(len(FORMATS_FOLDERS)))

    def above(path: Path) -> set[str]:
        used = modules_used(path) if path in ranks else set()
        found = [each for each in used if each in ranks and ranks[each] > ranks[path]]
        return {each.relative_to(build.PACKAGE).as_posix() for each in found}

    assert offenders(above) == []


@pytest.mark.parametrize("name", ["formats", "scene", "ui"])
def test_folders_do_not_import_each_other_in_a_circle(name: str) -> None:
    """Every folder counts, however deep."""
    graph: dict[Path, set[Path]] = {}
    for path in MODULES:
        if floor(path) == name and path.name != "__init__.py":
            used = {each.parent for each in modules_used(path) if each.name != "__init__.py"}
            inside = {each for each in used if floor(each / "any") == name}
            graph.setdefault(path.parent, set()).update(inside - {path.parent})
    assert sum(map(len, graph.values())) > 100
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = [folder.relative_to(build.PACKAGE).as_posix() for folder in error.args[1]]
        pytest.fail(" <- ".join(circle))


_LONGEST_FUNCTION, _LONGEST_MODULE = 60, 500  # lines
_MOST_MODULES = 16  # in a folder, without its interface


def test_folders_hold_few_modules() -> None:
    counts = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert [str(folder) for folder, count in counts.items() if count > _MOST_MODULES] == []


def long_functions(source: str) -> set[str]:
    """Return the functions of a module that are too long, from ``def`` to the last line."""
    found = (
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return {each.name for each in found if (each.end_lineno or 0) - each.lineno >= _LONGEST_FUNCTION}


def test_functions_and_modules_are_short() -> None:
    assert offenders(lambda path: long_functions(path.read_text("utf-8"))) == []
    sizes = {path: len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert offenders(lambda path: {sizes[path]} - set(range(_LONGEST_MODULE + 1))) == []


@pytest.mark.parametrize(("lines", "is_long"), [(_LONGEST_FUNCTION, False), (_LONGEST_FUNCTION + 1, True)])
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_long_functions_are_found(kind: str, lines: int, is_long: bool) -> None:
    source = "\n".join(["class A:", f"    {kind} f(self):", *["        pass"] * (lines - 1)])
    assert bool(long_functions(source)) == is_long


def doors_used(path: Path) -> dict[str, set[str]]:
    """Return what a module imports from other top folders: the names by package or module, as paths."""
    depth = len(path.relative_to(build.PACKAGE).parts)
    used: dict[str, set[str]] = {}
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.level == depth and node.module:
            used.setdefault(node.module.replace(".", "/"), set()).update(each.name for each in node.names)
    return used


@cache
def listed(folder: Path) -> frozenset[str]:
    """Return the names that a package lists under ``if TYPE_CHECKING:``."""
    found: set[str] = set()
    for node in nodes(folder / "__init__.py"):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found.update(name.name for each in node.body for name in getattr(each, "names", ()))
    return frozenset(found)


@cache
def interface(folder: Path) -> frozenset[str]:
    """Return the names that other top folders may import from a package: its own, and its modules."""
    own = {getattr(node, "name", "") for node in nodes(folder / "__init__.py")}
    imported = {name.rpartition(".")[2] for level, name in imports(folder / "__init__.py") if level}
    return listed(folder) | own | imported | {each.stem for each in folder.iterdir()}


def past_doors(path: Path) -> set[str]:
    """Return imports from other top folders that are not in the interface of a package."""
    if len(path.relative_to(build.PACKAGE).parts) == 1:
        return set()
    return {
        f"{place}: {name}"
        for place, wanted in doors_used(path).items()
        for name in wanted
        if not (build.PACKAGE / place).is_dir() or name not in interface(build.PACKAGE / place)
    }


def test_other_top_folders_use_the_interfaces_of_packages() -> None:
    assert offenders(past_doors) == []


@pytest.mark.parametrize(("above", "below", "most"), [("ui", "scene", 60), ("scene", "formats", 40)])
def test_doors_between_top_folders_are_few(above: str, below: str, most: int) -> None:
    doors = {
        place
        for path in MODULES
        if floor(path) == above
        for place in doors_used(path)
        if place.split("/")[0] == below
    }
    assert 10 < len(doors) <= most, sorted(doors)


def test_all_names_of_interfaces_are_used() -> None:
    used: dict[str, set[str]] = {}
    for path in MODULES:
        for place, wanted in doors_used(path).items():
            used.setdefault(place, set()).update(wanted)
    for page in sorted((build.ROOT / "docs").glob("*.md")):
        for place, names in re.findall(r"from io_tomb_raider\.([\w.]+) import (.*)", page.read_text("utf-8")):
            used.setdefault(place.replace(".", "/"), set()).update(names.split(", "))
    packages = [path.parent for path in MODULES if path.name == "__init__.py"]
    places = {folder: folder.relative_to(build.PACKAGE).as_posix() for folder in packages}
    idle = {place: listed(folder) - used.get(place, set()) for folder, place in places.items()}
    assert sum(len(listed(folder)) for folder in places) > 500
    # The library's own interface is for its users.
    assert {place: sorted(names) for place, names in idle.items() if names and place != "formats"} == {}


_REFERENCE = re.compile(r":(mod|func|class|attr|data|meth):`~?(\.+)([\w.]+)`")


def dead_references(path: Path) -> set[str]:
    """Return the references of a module's docstrings that lead nowhere."""
    text = path.read_text("utf-8")
    return {
        found[0] for found in _REFERENCE.finditer(text) if not leads_somewhere(path, text, *found.groups())
    }


def leads_somewhere(path: Path, text: str, role: str, dots: str, name: str) -> bool:
    """Return whether a reference names a module, or a word of one."""
    place, rest = path.parents[len(dots) - 1], name.split(".")
    while rest and (place / rest[0]).is_dir():
        place = place / rest.pop(0)
    if rest and (place / f"{rest[0]}.py").is_file():
        place = place / f"{rest.pop(0)}.py"
    if role == "mod" or not rest:
        return role == "mod" and not rest
    if place == path.parent:
        return re.search(rf"\b{rest[0]}\b", text.replace(f".{rest[0]}", "")) is not None
    source = place if place.suffix else place / "__init__.py"
    return source.is_file() and re.search(rf"\b{rest[0]}\b", source.read_text("utf-8")) is not None


def test_references_in_docstrings_lead_somewhere() -> None:
    assert offenders(dead_references) == []


@pytest.mark.parametrize(
    ("reference", "is_alive"),
    [
        (":mod:`.rooms.faces`", True),
        (":mod:`.rooms.walls`", False),
        (":func:`~.rooms.faces.paint`", True),
        (":func:`~.rooms.faces.dig`", False),
        (":func:`.here`", True),
        (":func:`.there`", False),
    ],
)
def test_dead_references_are_found(tmp_path: Path, reference: str, is_alive: bool) -> None:
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms/faces.py").write_text("def paint():\n    pass\n")
    module = tmp_path / "module.py"
    module.write_text(f'"""See {reference}."""\n\ndef here():\n    pass\n')
    assert (dead_references(module) == set()) == is_alive


def is_number(node: ast.expr) -> bool:
    """Return whether an expression is a constant number in the source, literal or by name."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return bool(name.isupper())


def is_field(node: ast.expr) -> bool:
    """Return whether an expression is a field of a record, that is, an index with a literal string."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    )


def takes_apart(node: ast.AST) -> bool:
    """Return whether a node decodes or encodes words or bytes of a file.

    That is: shifts, except of constants (``1 << 20``); ``&``, ``|`` and ``^`` between a constant or a field
    of a record, and another operand; and Python's conversions of bytes to numbers. NumPy masks (``wall &
    (height > 0)``), sets and types are excluded.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("frombuffer", "from_bytes", "packbits", "unpackbits")
    if not isinstance(node, ast.BinOp | ast.AugAssign):
        return False
    pair = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    if isinstance(node.op, ast.LShift | ast.RShift):
        return not all(map(is_number, pair))
    if not isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return False
    if any(
        isinstance(each, ast.Set) or (isinstance(each, ast.Constant) and each.value is None) for each in pair
    ):
        return False
    return any(map(is_field, pair)) or is_number(pair[0]) != is_number(pair[1])


def compares_games(node: ast.AST) -> bool:
    """Return whether games are compared by their order."""
    if not isinstance(node, ast.Compare):
        return False
    if not any(isinstance(each, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for each in node.ops):
        return False
    return any(_is_game(each) for each in (node.left, *node.comparators))


def _is_game(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript | ast.Call):
        return _is_game(node.value if isinstance(node, ast.Subscript) else node.func)
    if isinstance(node, ast.Attribute):
        return node.attr == "game" or (isinstance(node.value, ast.Name) and node.value.id == "Game")
    name = getattr(node, "id", "").lower()
    return bool(name == "game" or name.endswith("_game") or name.startswith("game_of"))


def lines(path: Path, sought: Callable[[ast.AST], bool]) -> set[int]:
    """Return the lines of a module with matching nodes."""
    return {each.lineno for each in nodes(path) if isinstance(each, ast.expr | ast.stmt) and sought(each)}


def test_only_formats_parse_words_and_bytes_of_files() -> None:
    """Upgrade steps between versions are frozen, and work on the numbers that users' files store."""

    def found(path: Path) -> set[object]:
        if floor(path) != "scene" or "upgrades" in path.parts:
            return set()
        return lines(path, takes_apart) | (foreign(path) & {"struct"})

    assert offenders(found) == []


@pytest.mark.parametrize(
    "source",
    [
        "record['flags'] & mask",
        "word >> shift",
        "words & 0xFF",
        "words &= ~MASK",
        "flags & Flag.CUT",
        "index << 4 | material",
        "np.frombuffer(content, np.uint8)",
        "int.from_bytes(data[:2], 'little')",
    ],
)
def test_code_that_parses_words_is_found(source: str) -> None:
    assert any(map(takes_apart, ast.walk(ast.parse(source))))


@pytest.mark.parametrize(
    "source",
    [
        "wall & (height > 0) | ~solid",
        "imported |= {'ROOMS'}",
        "kinds = ENTITY_KINDS | CAMERA_KINDS",
        "far = 1 << 20",
        "def of(thing: ID | None) -> int | None: ...",
        "changed & set(names) | found",
        "BITS.put(word, 3)",
    ],
)
def test_masks_and_sets_are_not_found_as_parsing_of_words(source: str) -> None:
    assert not any(map(takes_apart, ast.walk(ast.parse(source))))


def test_games_are_not_compared_by_order() -> None:
    """Traits say what a game has. A sixth game would inherit the results of comparisons."""

    def found(path: Path) -> set[int]:
        return lines(path, compares_games)

    assert offenders(found) == []


@pytest.mark.parametrize(
    "source",
    [
        "game >= Game.TR4",
        "Game.TR2 <= level.game",
        "game < since",
        "Game[root.game] > first",
        "game_of(it) < last",
    ],
)
def test_comparisons_of_games_are_found(source: str) -> None:
    assert any(map(compares_games, ast.walk(ast.parse(source))))


def names_a_game(node: ast.AST) -> bool:
    """Return whether something is compared with a game that the source names."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    parts = [each for side in sides for each in (side.elts if isinstance(side, _COLLECTIONS) else (side,))]
    return any(
        isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id == "Game"
        and not each.attr.startswith("_")
        for each in parts
    )


_COLLECTIONS = (ast.Tuple, ast.List, ast.Set)


def test_games_are_not_compared_by_name() -> None:
    """Decisions are traits of :mod:`formats.games`, or rows of a table by game."""

    def found(path: Path) -> set[int]:
        return lines(path, names_a_game)

    assert offenders(found) == []


@pytest.mark.parametrize(
    "source", ["game is Game.TR4", "Game.TR1 == level.game", "game in (Game.TR1, Game.TR2)"]
)
def test_questions_for_a_game_are_found(source: str) -> None:
    assert any(map(names_a_game, ast.walk(ast.parse(source))))


@pytest.mark.parametrize(
    "source", ["name in Game.__members__", "game in _PLAIN", "_STEPS = {Game.TR1: 1}", "game is target"]
)
def test_tables_by_game_are_no_comparisons(source: str) -> None:
    assert not any(map(names_a_game, ast.walk(ast.parse(source))))


_NOT_IN_MODULES = {"What", "Which", "Where", "How", "Why"}
_NOT_IN_FUNCTIONS = {"Tell", "Say", "Let"}
# The operator that scripts call, and a property of saved files with its uses.
_KEPT_NAMES = {"add_thing", "TOMB_RAIDER_OT_add_thing"}
_STORES_THING = {"scene/properties/level.py", "scene/assets/payload.py"}


def poor_english(source: str) -> set[str]:
    """Return the first words of docstrings and the names that the style guide does not allow."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            is_module = isinstance(node, ast.Module)
            first = re.findall(r"\w+", ast.get_docstring(node) or "")[:1]
            found |= set(first) & (_NOT_IN_MODULES if is_module else _NOT_IN_FUNCTIONS)
        names = (getattr(node, field, None) for field in ("id", "arg", "attr", "name", "asname"))
        for name in (each for each in names if isinstance(each, str)):
            if {"thing", "things"} & {word.lower() for word in re.findall("[A-Z]?[a-z]+", name)}:
                found.add(name)
    return found - _KEPT_NAMES


def test_docstrings_and_names_are_plain_english() -> None:
    root = build.PACKAGE.parent
    folders = (build.PACKAGE, *(root / name for name in ("tests", "tools", "benchmarks")))
    paths = [root / "build.py", *(path for folder in folders for path in folder.rglob("*.py"))]
    assert len(paths) > len(MODULES) + 100
    found = {path: poor_english(path.read_text("utf-8")) for path in paths}
    for name in _STORES_THING:
        found[build.PACKAGE / name].remove("thing")
    assert {str(path.relative_to(root)): each for path, each in found.items() if each} == {}


@pytest.mark.parametrize(
    "source",
    [
        '"""What a file has."""',
        'def f():\n    """Tell whether it is."""',
        'async def f():\n    """Let it be."""',
        "def f(thing): pass",
        "some_things = 1",
        "class LevelThings: pass",
        "obj.thing2 = 1",
        "import a as thing",
    ],
)
def test_poor_english_is_found(source: str) -> None:
    assert poor_english(source)


def test_public_classes_have_different_names() -> None:
    """So a name in a report, a search or a review means one class."""
    modules: dict[str, set[str]] = {}
    for path in MODULES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, set()).add(path.relative_to(build.PACKAGE).as_posix())
    assert {name: places for name, places in modules.items() if len(places) > 1} == {}


def test_no_network_no_processes_and_no_running_of_data() -> None:
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
    # An engine is started only on the user's request, with the user's command. The command line starts itself
    # to process several files at once.
    allowed = ["ui/command_line/processes.py: subprocess", "ui/play/engine.py: subprocess"]
    assert offenders(lambda path: foreign(path) & forbidden) == allowed

    def calls(path: Path) -> set[str]:
        called = (node.func for node in nodes(path) if isinstance(node, ast.Call))
        return {each.id for each in called if isinstance(each, ast.Name)}

    assert offenders(lambda path: calls(path) & {"eval", "exec", "compile", "__import__"}) == []


def reads_files(node: ast.AST) -> bool:
    """Return whether a node is a call that reads a file, or opens one other than for writing."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name != "open":
        readers = ("read_bytes", "read_text", "fromfile", "memmap", "FileIO")
        return isinstance(node.func, ast.Attribute) and name in readers
    given = [*node.args, *(each.value for each in node.keywords)]
    return not any(isinstance(each, ast.Constant) and each.value in ("w", "wb", "x", "xb") for each in given)


def test_one_function_reads_files_and_limits_their_size() -> None:
    """Files of the package itself may be read in other ways."""
    allowed = {"formats/base/bytes/files.py", "ui/translations/dictionary.py", "catalogue/tables.py"}
    found = offenders(lambda path: lines(path, reads_files))
    assert {each.partition(":")[0] for each in found} - allowed == set()


@pytest.mark.parametrize(
    "source",
    ["Path(path).read_bytes()", "open(path)", "open(path, 'rb')", "path.open('rb')", "os.open(path, flags)",
     "path.open(mode='r', encoding='ascii')", "np.fromfile(path, np.uint8)"],
)  # fmt: skip
def test_calls_that_read_files_are_found(source: str) -> None:
    assert any(map(reads_files, ast.walk(ast.parse(source))))


@pytest.mark.parametrize("source", ["path.open('wb')", "open(path, 'wb', buffering=0)", "read_file(path)"])
def test_calls_that_write_files_are_not_found(source: str) -> None:
    assert not any(map(reads_files, ast.walk(ast.parse(source))))


def test_all_objects_of_collections_is_not_used() -> None:
    """Blender's list can be outdated after undo: restored objects are missing."""

    def lines(path: Path) -> list[int]:
        asked = [each for each in nodes(path) if isinstance(each, ast.Attribute)]
        return [each.lineno for each in asked if each.attr == "all_objects"]

    assert offenders(lines) == []


def test_formats_is_a_library_for_a_plain_python() -> None:
    """A module that is None in sys.modules cannot be imported, as without Blender."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({sorted(BLENDER)!r})); "
    use = "from io_tomb_raider.formats import read_level, write_level; print(callable(read_level))"
    command = [sys.executable, "-c", blocked + use]
    answer = subprocess.run(command, cwd=build.ROOT, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout.strip()) == (0, "True"), answer.stderr


def test_tests_do_not_import_other_test_modules() -> None:
    tests = build.ROOT / "tests"
    modules = sorted(tests.rglob("*.py"))
    assert len(modules) > 100
    shared = [(path, name) for path in modules for _, name in imports(path) if ".test_" in f".{name}"]
    found = {path.relative_to(tests).as_posix(): name for path, name in shared if "." in name}
    assert found == {}


def test_only_one_module_reads_blenders_version() -> None:
    def asks(path: Path) -> list[str]:
        names = {node.attr for node in nodes(path) if isinstance(node, ast.Attribute)}
        return sorted(names & {"version", "version_string", "version_file"}) if "app" in names else []

    found = offenders(asks)
    assert [each.partition(":")[0] for each in found] == ["scene/core/blender/compat.py"]
