"""Tests that the zip, the manifest and the listing follow the rules of Blender's extensions platform.

`test_architecture.py` checks imports; `test_packaging.py` installs the zip and runs Blender's validator.
"""

import ast
import re
import struct
import tomllib
import zipfile
from pathlib import Path

import pytest

import build

# The sources are the same in every Blender.
pytestmark = pytest.mark.once

MANIFEST = tomllib.loads(build.MANIFEST.read_text(encoding="utf-8"))
MODULES = sorted(build.PACKAGE.rglob("*.py"))
LISTING = (build.ROOT / "docs" / "listing.md").read_text(encoding="utf-8")
PICTURES = build.ROOT / "docs" / "pictures" / "listing"
SUFFIXES = {".py", ".po", ".txt", ".toml", ".html", ".css", ".xz", ".bz2", ""}
MOST_BYTES = 10_000_000
# Beginnings of programs and libraries on Windows, Linux and macOS, and of archives.
BINARIES = (b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"PK\x03\x04", b"#!")
# Modules that load or install code, or reach the network.
FORBIDDEN = {
    "ctypes",
    "ensurepip",
    "pip",
    "site",
    "runpy",
    "socket",
    "urllib",
    "http",
    "webbrowser",
    "zipimport",
}
WRITERS = {
    "write_bytes",
    "write_text",
    "mkdir",
    "touch",
    "unlink",
    "rename",
    "replace",
    "rmtree",
    "symlink_to",
}


def imported(source: str) -> set[str]:
    """Return the top-level names of absolute imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(str(node.module).partition(".")[0])
    return names


def attributes(source: str) -> set[str]:
    """Return the attributes of names that a source uses, such as ``sys.path``."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute))
    return {f"{node.value.id}.{node.attr}" for node in found if isinstance(node.value, ast.Name)}


def writes_next_to_itself(source: str) -> bool:
    """Return whether a module knows its own place and writes files."""
    nodes = [*ast.walk(ast.parse(source))]
    # Two arguments: a part of a text is replaced, no file.
    texts = re.compile(r"(?!os\b)(?s:.*)\.replace")
    calls = [
        node.func
        for node in nodes
        if isinstance(node, ast.Call)
        and not (len(node.args) == 2 and texts.fullmatch(ast.unparse(node.func)))
    ]
    called = {each.attr for each in calls if isinstance(each, ast.Attribute)}
    called |= {each.id for each in calls if isinstance(each, ast.Name)}
    own_place = any(isinstance(node, ast.Name) and node.id == "__file__" for node in nodes)
    return own_place and bool(called & (WRITERS | {"open", "remove", "makedirs"}))


def modules_where(found: object) -> list[str]:
    assert len(MODULES) > 100 and callable(found)
    return [path.name for path in MODULES if found(path.read_text(encoding="utf-8"))]


def test_no_module_loads_code_or_reaches_the_network() -> None:
    assert modules_where(lambda source: imported(source) & FORBIDDEN) == []
    assert "network" not in MANIFEST["permissions"]


def test_the_search_path_of_python_is_not_changed() -> None:
    assert (
        modules_where(lambda source: attributes(source) & {"sys.path", "sys.meta_path", "sys.path_hooks"})
        == []
    )


def test_no_module_writes_next_to_the_package() -> None:
    """An installed extension is compared before and after its use, too: see `test_packaging.py`."""
    assert modules_where(writes_next_to_itself) == []


def test_the_clipboard_needs_a_permission() -> None:
    used = modules_where(lambda source: re.search(r"\.clipboard\b", source))
    assert bool(used) == ("clipboard" in MANIFEST["permissions"]), used


def test_the_manifest_replaces_bl_info() -> None:
    assert modules_where(lambda source: re.search(r"^bl_info\b", source, re.MULTILINE)) == []


def test_broken_rules_are_found() -> None:
    assert imported("import urllib.request\nfrom http import client") == {"urllib", "http"}
    assert "sys.path" in attributes("import sys\nsys.path.append('lib')")
    assert writes_next_to_itself("Path(__file__).with_suffix('.log').write_text('')")
    assert writes_next_to_itself("open(Path(__file__).parent / 'settings.json', 'w')")
    assert writes_next_to_itself("os.replace(__file__, path)")
    assert not writes_next_to_itself("Path(path).write_text('')")
    assert not writes_next_to_itself("str(__file__).replace('a', 'b')")


def test_the_zip_has_no_programs_libraries_or_wheels(tmp_path: Path) -> None:
    path = build.build_zip(tmp_path)
    assert path.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(path) as archive:
        assert {Path(name).suffix for name in archive.namelist()} <= SUFFIXES
        assert [n for n in archive.namelist() if archive.read(n).startswith(BINARIES)] == []
    assert "wheels" not in MANIFEST and "platforms" not in MANIFEST


def test_the_manifest_has_short_texts_without_a_period() -> None:
    for text in (MANIFEST["tagline"], *MANIFEST["permissions"].values()):
        assert 0 < len(text) <= 64 and text[0].isupper() and text[-1].isalnum(), text
    assert "blender" not in MANIFEST["name"].lower()


def test_the_listing_agrees_with_the_manifest() -> None:
    permissions = LISTING.partition("\nPermissions:\n")[2].partition("\n\nThis project")[0].split("\n- ")[1:]
    names = {
        name.lower(): reason for name, _, reason in (each.strip().partition(": ") for each in permissions)
    }
    assert names == MANIFEST["permissions"]
    assert "not affiliated with" in LISTING and "trademark" in LISTING
    assert ("website" in MANIFEST) == ("the project has no public address yet" not in LISTING)


@pytest.mark.parametrize(("name", "size"), [("icon.png", (256, 256)), ("featured.png", (1920, 1080))])
def test_pictures_of_the_listing_have_the_size_that_the_platform_asks_for(
    name: str, size: tuple[int, int]
) -> None:
    content = (PICTURES / name).read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == size
    assert len(content) < 1_000_000
    assert f"docs/pictures/listing/{name}`, {size[0]} by {size[1]} pixels" in LISTING
