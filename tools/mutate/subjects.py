"""The tests of a module: those in the folder or file of the same name, else those that import it.

Tests of the user interface also cover the scene.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

# By top-level folder, the tests that run for any of its modules after those of the subject.
_ALSO = {"formats": ["golden", "formats/levels/level"], "scene": ["test_each_game.py"]}
# The other folders whose tests of a subject cover a top-level folder, too.
_ELSEWHERE = {"scene": ["ui"]}
# Folders and modules whose tests are, all or some, in folders and files of other names.
TESTED_IN = {
    "scene/assets/pictures": ["scene/assets"],
    "scene/authoring/texture_tiles": ["ui/texture_tiles"],
    "scene/core/context": ["scene/test_subjects.py"],
    "scene/core/level_visibility": ["ui/level", "ui/collision"],
    "scene/core/blender/node_builder": ["scene/subjects/textures"],
    "scene/core/original": ["scene/interop/wads", "ui/level"],
    "scene/core/reporting/progress": ["scene/subjects/level"],
    "scene/pipeline": ["scene/transfer/adoption", "scene/subjects/level", "scene/interop/wads"],
    "scene/properties": ["ui/test_registration.py"],
    "scene/subjects/collision": ["scene/authoring/collision_from_mesh"],
    "scene/subjects/floor": ["scene/subjects/triggers", "scene/subjects/collision"],
    "scene/subjects/meshes": ["scene/subjects/rooms"],
    "scene/subjects/models": ["scene/subjects/meshes", "scene/transfer/convert"],
    "scene/subjects/object_textures": [
        *("scene/subjects/textures", "scene/subjects/meshes", "scene/subjects/animated_textures")
    ],
    "scene/subjects/portals": ["scene/subjects/rooms", "scene/authoring/portals"],
    "scene/subjects/sprites": ["scene/test_rounding.py"],
    "scene/subjects/textures": ["scene/subjects/lights"],
    "ui/animations": ["ui/models"],
    "ui/collision": ["scene/subjects/collision"],
    "scene/subjects/rooms": ["scene/subjects/static_meshes", "scene/subjects/entities"],
}
# Objects move to other levels by one engine, which calls the module of this name of each subject.
_TRANSFER = "transfer"
WITHOUT_BLENDER = frozenset({"formats", "catalogue"})


def modules_of(package: Path, names: list[str]) -> list[Path]:
    """Return modules by their paths below the package, with or without ".py"; for a folder, all in it.

    Raises FileNotFoundError if there is no such module or folder.
    """
    found: list[Path] = []
    for name in names:
        place = package / name
        if place.is_dir():
            found += sorted(place.rglob("*.py"))
        elif place.is_file() or place.with_suffix(".py").is_file():
            found.append(place if place.is_file() else place.with_suffix(".py"))
        else:
            raise FileNotFoundError(f"There is no module {name} in {package.name}.")
    return list(dict.fromkeys(found))


def floor_of(module: Path, package: Path) -> str:
    """Return the top-level folder of a module."""
    return module.relative_to(package).with_suffix("").parts[0]


def tests_of(module: Path, package: Path, tests: Path) -> list[Path]:
    """Return the folders and files with the tests of a module, the most specific first."""
    floor, *inner = module.relative_to(package).with_suffix("").parts
    folders = inner[:-1] or inner or ["__init__"]
    subject = folders[-1]
    named = [tests.joinpath(floor, *folders), tests.joinpath(floor, *folders[:-1], f"test_{subject}.py")]
    for other in _ELSEWHERE.get(floor, []):
        named += [tests / other / subject, tests / other / f"test_{subject}.py"]
    places = [tests / name for name in (floor, *_ELSEWHERE.get(floor, []))]
    named += [path for place in places for path in sorted(place.rglob(f"test_{inner[-1]}.py"))]
    for known in dict.fromkeys(("/".join([floor, *folders]), "/".join([floor, *inner]))):
        named += [tests / place for place in TESTED_IN.get(known, [])]
    if _TRANSFER in inner:
        named.append(tests / floor / _TRANSFER)
    found: list[Path] = []
    for path in named:
        if path.exists() and not any(path.is_relative_to(other) for other in found):
            found.append(path)
    if not found:
        dotted = ".".join([package.name, floor, *inner])
        among = [path for place in places for path in sorted(place.rglob("test_*.py"))]
        found = [path for path in among if dotted in _imported(path)]
    if not found:
        found = [tests / floor]
    also = [tests / name for name in _ALSO.get(floor, [])]
    return found + [path for path in also if path.exists()]


@cache
def _imported(path: Path) -> frozenset[str]:
    """Return the dotted names that a test imports, of modules and of their members."""
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)
