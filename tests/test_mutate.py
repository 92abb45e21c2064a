"""Tests of the mutation tester: its slips, its choice of tests, and its report."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutate import runner, subjects
from tools.mutate.__main__ import main
from tools.mutate.slips import choose, find_slips

pytestmark = pytest.mark.once
ROOT = Path(__file__).resolve().parents[1]


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- Slips --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "source", "results"),
    [
        ("neighbors", 'T = [("x", A), ("z", B), *C]', ['T = [("z", B), ("x", A), *C]']),
        ("neighbors", "T = (S(1), S(2),\n S(3))", ["T = (S(2), S(1),\n S(3))", "T = (S(1), S(3),\n S(2))"]),
        ("arguments", "f(a, b, 1)", ["f(b, a, 1)"]),
        ("arguments", "f(a.b, c.d)", ["f(c.d, a.b)"]),
        ("arguments", "f(a, a)", []),
        ("sign", "y = -(x)", ["y = (x)"]),
        ("not", "y = not x", ["y =  x"]),
        ("plus and minus", "y = a + (b - 'é')", ["y = a - (b - 'é')"]),
        ("plus and minus", "y += x", ["y -= x"]),
        ("plus and minus", "y = 'text' + x", []),
        ("comparison", "y = a < b <= c", ["y = a <= b <= c", "y = a < b < c"]),
        ("comparison", "y = a is not b", ["y = a is b"]),
        ("comparison", "y = a in b", ["y = a not in b"]),
        ("and and or", "y = a and b", ["y = a or b"]),
        ("shift", "y = a << b", ["y = a >> b"]),
        ("number", "y = 0xFF", ["y = 0x100"]),
        ("number", "y: int = f(2)", ["y: int = f(3)"]),
        ("scale", "y = x / 512", ["y = x / 256"]),
        ("scale", "y = x * 0.5", ["y = x * 0.25"]),
        ("scale", "y = x / 500", []),
        ("true and false", "f(a, closed=True)", ["f(a, closed=False)"]),
        ("true and false", "zip(a, b, strict=True)", []),
        ("rounding", "y = np.rint(x)", ["y = np.floor(x)"]),
        ("rounding", "y = round(x)", ["y = int(x)"]),
        ("rounding", "y = round(x, n)", []),
        ("left out", "a.b = c", ["pass"]),
        ("left out", "a[b] = c", ["pass"]),
        ("left out", "if a:\n    f(b)", ["if a:\n    pass"]),
        ("left out", "a = c", []),
        ("number", "raise E(f'{x + 1} of {2}')", []),
        ("number", "def f(x: T[1]) -> T[2]: '''3'''", []),
    ],
)
def test_slips_of_each_kind(kind: str, source: str, results: list[str]) -> None:
    content = source.encode()
    made = [slip.apply(content).decode() for slip in find_slips(content) if slip.kind == kind]
    assert made == results


def test_a_slip_shows_the_line_that_differs() -> None:
    source = b"def f(x):\n    if x:\n        return x + 1\n"
    shown = {slip.kind: (slip.line, *slip.lines(source)) for slip in find_slips(source)}
    assert shown["plus and minus"] == (3, "return x + 1", "return x - 1")
    assert shown["number"] == (3, "return x + 1", "return x + 2")


def test_a_seeded_choice_is_reproducible_valid_and_of_all_kinds() -> None:
    sources = {
        Path("a.py"): b"T = " + b"1, " * 50 + b"not x, -y\n",
        Path("b.py"): b"f(x) if x == 3 else -4\n",
    }
    some = choose(sources, 6, seed=5)
    assert some == choose(sources, 6, seed=5) != choose(sources, 6, seed=6)
    assert {"number", "sign", "not", "comparison"} <= {slip.kind for _, slip in some}
    whole = choose(sources, None, seed=1)
    assert len(whole) == 56
    for path, slip in whole:
        compile(slip.apply(sources[path]), str(path), "exec")


# --- Tests that concern a module ------------------------------------------------------------


def test_tests_are_those_of_the_same_name_else_those_that_import_the_module(tmp_path: Path) -> None:
    package, tests = tmp_path / "toy", tmp_path / "tests"
    modules = [
        "formats/rooms/faces.py",
        "formats/pak.py",
        "formats/words.py",
        "formats/alone.py",
        "scene/space.py",
        "scene/adding/new.py",
        "scene/subjects/rooms/plan.py",
        "scene/subjects/rooms/transfer.py",
        "scene/subjects/portals/links.py",
        "scene/transfer/engine/ids.py",
        "scene/pieces/pieces.py",
        "scene/pieces/grids.py",
    ]
    for name in modules:
        _write(package / name, "")
    for name in [
        "formats/rooms/test_faces.py",
        "formats/test_pak.py",
        "golden/test_all.py",
        "test_each_game.py",
    ]:
        _write(tests / name, "")
    _write(tests / "formats/test_texts.py", "from toy.formats.words import words\n")
    _write(tests / "scene/test_all.py", "")
    _write(tests / "scene/transfer/test_roads.py", "")
    for name in ["ui/adding/test_menus.py", "scene/subjects/rooms/test_plan.py", "ui/rooms/test_panel.py"]:
        _write(tests / name, "")
    _write(tests / "scene/subjects/levels/test_grids.py", "")
    _write(tests / "ui/textures/test_pieces.py", "from toy.scene.pieces.pieces import piece\n")
    found = {
        name: [
            path.relative_to(tests).as_posix() for path in subjects.tests_of(package / name, package, tests)
        ]
        for name in modules
    }
    assert found == {
        "formats/rooms/faces.py": ["formats/rooms", "golden"],
        "formats/pak.py": ["formats/test_pak.py", "golden"],
        "formats/words.py": ["formats/test_texts.py", "golden"],
        "formats/alone.py": ["formats", "golden"],
        "scene/space.py": ["scene", "test_each_game.py"],
        "scene/adding/new.py": ["ui/adding", "test_each_game.py"],
        "scene/subjects/rooms/plan.py": ["scene/subjects/rooms", "ui/rooms", "test_each_game.py"],
        "scene/subjects/portals/links.py": ["scene/subjects/rooms", "test_each_game.py"],
        "scene/subjects/rooms/transfer.py": [
            *("scene/subjects/rooms", "ui/rooms", "scene/transfer", "test_each_game.py")
        ],
        "scene/transfer/engine/ids.py": ["scene/transfer", "test_each_game.py"],
        "scene/pieces/pieces.py": ["ui/textures/test_pieces.py", "test_each_game.py"],
        "scene/pieces/grids.py": ["scene/subjects/levels/test_grids.py", "test_each_game.py"],
    }


def test_tests_in_other_places_are_there() -> None:
    for name, places in subjects.TESTED_IN.items():
        module = ROOT / "io_tomb_raider" / name
        assert module.is_dir() or module.with_suffix(".py").is_file(), name
        assert all((ROOT / "tests" / place).exists() for place in places), name


def test_modules_are_named_with_and_without_their_suffix_or_by_their_folder(tmp_path: Path) -> None:
    one, two = (_write(tmp_path / f"formats/rooms/{name}.py", "") for name in ("faces", "lights"))
    assert subjects.modules_of(tmp_path, ["formats/rooms/lights", "formats/rooms/lights.py"]) == [two]
    assert subjects.modules_of(tmp_path, ["formats"]) == [one, two]
    with pytest.raises(FileNotFoundError, match="formats/doors"):
        subjects.modules_of(tmp_path, ["formats/doors"])


# --- A whole run ------------------------------------------------------------------------------

_MODULE = """
def scaled(value):
    return value / 512

def until(end):
    number = 0
    while number < end:
        number += 1
    return number

def unseen(value):
    return value < 3
"""
_TESTS = """
from toy.formats.scales.scale import scaled, until, unseen

def test_scaled():
    assert scaled(1024) == 2

def test_until():
    assert until(0) == 0 and until(3) == 3

def test_unseen():
    assert unseen(1)
"""
# The tests of the example need no plugins, and start in half the time.
_NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
_CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--one-case", action="store_true")
    parser.addoption("--hypothesis-profile")

def pytest_collection_modifyitems(config, items):
    if config.getoption("--one-case"):
        items[:] = [item for item in items if not item.nodeid.endswith("late]")]
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with compiled pytest; compiling takes longer than the tests of the example."""
    folder = tmp_path_factory.mktemp("compiled")
    tests = _write(tmp_path_factory.mktemp("tests") / "test_nothing.py", "def test_nothing(): assert not 0")
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder), **_NO_PLUGINS}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-m", "pytest", tests], env=environ, check=True, capture_output=True)
    return folder


@pytest.fixture
def toy(tmp_path: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout of a package with one module, whose tests do not cover the comparison in `unseen`."""
    monkeypatch.setattr(runner, "_SECONDS", 2)
    monkeypatch.setattr(runner, "compiled_in", lambda copy: compiled)
    for name, value in _NO_PLUGINS.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "checkout"
    for name in ["toy", "toy/formats", "toy/formats/scales"]:
        _write(root / name / "__init__.py", "")
    _write(root / "toy/formats/scales/scale.py", _MODULE)
    _write(root / "tests/formats/scales/test_scale.py", _TESTS)
    _write(root / "conftest.py", _CONFTEST)
    return root


def test_slips_that_tests_notice_are_killed_and_the_others_survive(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["formats/scales", "--jobs", "2"], toy, "toy") == 1
    printed = capsys.readouterr().out
    module = "toy/formats/scales/scale.py"
    scaled = "tests/formats/scales/test_scale.py::test_scaled"
    assert (
        f"killed    {module}:3 (scale)\n          by {scaled}\n"
        "        - return value / 512\n        + return value / 256\n"
    ) in printed
    assert (
        f"survived  {module}:12 (comparison)\n        - return value < 3\n        + return value <= 3\n"
    ) in printed
    # The time limit detects an endless loop.
    assert f"killed    {module}:8 (left out)\n          by the time limit\n" in printed
    survived = [line for line in printed.splitlines() if line.startswith("survived")]
    assert survived == [f"survived  {module}:12 (comparison)", f"survived  {module}:12 (number)"]
    words = printed.splitlines()[-1].split()
    assert (words[0], int(words[1]) - int(words[2]), *words[3:]) == ("all", 2, "2", "0")
    assert (toy / module).read_text(encoding="utf-8") == _MODULE
    assert not list(toy.rglob("__pycache__"))


def test_survivors_that_the_documentation_explains_do_not_count(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "toy/formats/scales/scale.py"
    lines = [f"- `{name}`: `return value < 3` → `return value {after}`: why" for after in ("<= 3", "< 4")]
    _write(toy / "docs" / "testing.md", "\n".join(lines))
    _write(toy / name, _MODULE[_MODULE.index("def unseen") :])
    _write(toy / "tests/formats/scales/test_scale.py", _TESTS[_TESTS.index("def test_unseen") :])
    tests = toy / "tests/formats/scales/test_scale.py"
    tests.write_text(f"from toy.formats.scales.scale import unseen\n{tests.read_text(encoding='utf-8')}")
    assert main(["formats"], toy, "toy") == 0
    printed = capsys.readouterr().out
    assert f"explained {name}:2 (number)" in printed
    assert printed.splitlines()[-1].split() == ["all", "2", "0", "0", "2"]


def test_tests_that_fail_without_any_slip_are_named(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(toy / "tests/formats/scales/test_more.py", "def test_more():\n    assert False\n")
    assert main(["formats", "--limit", "1"], toy, "toy") == 2
    assert "test_more.py::test_more" in capsys.readouterr().err


def test_a_later_case_that_fails_without_any_slip_kills_none(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    late = "import pytest\n\n@pytest.mark.parametrize('case', ['late'])\ndef test_more(case): assert False\n"
    _write(toy / "tests/formats/scales/test_scale.py", late)
    _write(toy / "tests/formats/scales/test_more.py", "def test_more():\n    pass\n")
    assert main(["formats", "--limit", "1"], toy, "toy") == 2
    assert "test_scale.py::test_more[late]" in capsys.readouterr().err


def test_tests_that_take_long_without_any_slip_kill_none_by_the_clock(
    toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_SECONDS", 1)
    name = "toy/formats/scales/scale.py"
    _write(toy / name, _MODULE[_MODULE.index("def unseen") :])
    slow = f"from toy.formats.scales.scale import unseen\n{_TESTS[_TESTS.index('def test_unseen') :]}"
    slow += "    import time\n    while time.process_time() < 1.5: pass\n"
    _write(toy / "tests/formats/scales/test_scale.py", slow)
    assert main(["formats"], toy, "toy") == 1
    assert "time limit" not in capsys.readouterr().out
    monkeypatch.setattr(runner, "_SECONDS_ALL", 1)
    assert main(["formats", "--limit", "1"], toy, "toy") == 2
    assert "more than 1 s, too: tests/formats/scales" in capsys.readouterr().err


def test_a_module_that_is_not_there_is_an_error(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats/doors"], toy, "toy") == 2
    assert "formats/doors" in capsys.readouterr().err


def test_explained_survivors_are_slips_of_the_code() -> None:
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    explained = re.findall(r"^- `(io_tomb_raider/\S+)`: `(.+?)` → `(.+?)`: ", page, re.MULTILINE)
    assert explained
    for module, before, after in explained:
        source = (ROOT / module).read_bytes()
        assert (before, after) in {slip.lines(source) for slip in find_slips(source)}, (module, before)
