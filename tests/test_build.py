"""Tests of build.py: the zip, the choice of a Blender, the environments and the commands."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import build
from io_tomb_raider.formats import Game

from .conftest import crashed_tests
from .sample_levels import sample_bytes, sample_level

# No test in this file needs Blender.
pytestmark = pytest.mark.once

PYPROJECT = tomllib.loads((build.ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that replaces the checkout, with the real pins and no environments."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(build.ROOT / name, root)
    monkeypatch.setattr(build, "ROOT", root)
    return root


def _write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _finish(name: str) -> None:
    """Make the folder of an environment look complete."""
    _write(build.program_of(name))
    shutil.copy(build.ROOT / "uv.lock", build.folder_of(name) / "complete.lock")


# --- The zip ------------------------------------------------------------------------------


def test_the_zip_contains_the_extension_at_its_top_and_nothing_else(tmp_path: Path) -> None:
    with zipfile.ZipFile(build.build_zip(tmp_path)) as archive:
        names = archive.namelist()
        contents = {name: archive.read(name) for name in names}
    package = {
        path.relative_to(build.PACKAGE).as_posix(): path.read_bytes() for path in build.PACKAGE.rglob("*.py")
    }
    assert {"blender_manifest.toml", "LICENSE", "__init__.py", "formats/__init__.py"} <= set(names)
    assert package.items() <= contents.items()
    assert contents["blender_manifest.toml"] == build.MANIFEST.read_bytes()
    assert [name for name in names if "test" in name or "benchmark" in name] == []
    assert len(names) == len(set(names))


def test_the_zip_contains_the_manual(tmp_path: Path) -> None:
    _write(tmp_path / "manual" / "index.html", "<h1>Rooms</h1>")
    with zipfile.ZipFile(build.build_zip(tmp_path, manual=tmp_path / "manual")) as archive:
        assert archive.read("manual/index.html") == b"<h1>Rooms</h1>"


def test_the_zip_omits_caches_and_hidden_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "io_tomb_raider"
    kept = ["__init__.py", "scene/rooms.py", "ui/presets/all.py", "formats/names.tsv"]
    dropped = ["__pycache__/__init__.cpython-311.pyc", "scene/old.pyc", ".DS_Store", "ui/.idea/workspace.xml"]
    for name in kept + dropped:
        _write(package / name)
    monkeypatch.setattr(build, "PACKAGE", package)
    with zipfile.ZipFile(build.build_zip(tmp_path / "dist")) as archive:
        assert archive.namelist() == sorted([*kept, "LICENSE", "blender_manifest.toml"])


def test_equal_sources_make_equal_zips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build.build_zip(tmp_path / "first")
    copy = tmp_path / "copy"
    shutil.copytree(build.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*"):
        os.utime(path, (10**9, 10**9))
    monkeypatch.setattr(build, "PACKAGE", copy)
    second = build.build_zip(tmp_path / "second")
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()


def test_the_hooks_before_commits_are_the_linters_of_the_lock_file() -> None:
    hooks = (build.ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    lock = tomllib.loads((build.ROOT / "uv.lock").read_text(encoding="utf-8"))
    (version,) = (each["version"] for each in lock["package"] if each["name"] == "ruff")
    assert f"rev: v{version}\n" in hooks


def test_zip_and_library_have_the_version_of_the_manifest(tmp_path: Path) -> None:
    manifest = tomllib.loads(build.MANIFEST.read_text(encoding="utf-8"))
    build.build_zip(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"io_tomb_raider-{manifest['version']}.zip"]
    assert PYPROJECT["project"]["version"] == manifest["version"]
    assert build.version_in(build.PACKAGE / "formats/__init__.py") == manifest["version"]
    assert [each for each in build.release_problems() if " has " in each] == []
    oldest = build.BLENDERS[-1].rpartition(".")[0]
    assert manifest["blender_version_min"] == f"{oldest}.0"


def test_a_zip_for_developers_differs_in_id_and_name_alone(tmp_path: Path) -> None:
    stable, own = build.build_zip(tmp_path), build.build_zip(tmp_path, development=True)
    assert own.name == stable.name.replace("io_tomb_raider-", "io_tomb_raider_dev-")
    contents = []
    for path in (stable, own):
        with zipfile.ZipFile(path) as archive:
            contents.append({name: archive.read(name) for name in archive.namelist()})
    manifests = [tomllib.loads(each.pop("blender_manifest.toml").decode()) for each in contents]
    assert contents[0] == contents[1]
    assert manifests[1] == {
        **manifests[0],
        "id": "io_tomb_raider_dev",
        "name": "Tomb Raider Levels (development)",
    }


# --- Environments -------------------------------------------------------------------------


@pytest.mark.parametrize("blender", build.BLENDERS)
def test_every_blender_has_a_group_with_its_python_that_conflicts_with_the_others(blender: str) -> None:
    group = f"blender-{blender}"
    assert f"bpy=={blender}" in PYPROJECT["dependency-groups"][group]
    python = "3.13" if blender == build.BLENDERS[0] else "3.11"
    assert PYPROJECT["tool"]["uv"]["dependency-groups"][group]["requires-python"] == f"=={python}.*"
    (conflicting,) = PYPROJECT["tool"]["uv"]["conflicts"]
    assert {"group": group} in conflicting
    lock = tomllib.loads((build.ROOT / "uv.lock").read_text(encoding="utf-8"))
    assert blender in [each["version"] for each in lock["package"] if each["name"] == "bpy"]


def test_an_environment_is_ready_only_with_the_current_lock_file_and_its_python(checkout: Path) -> None:
    assert not build.is_ready("5.2.3")
    _finish("5.2.3")
    assert build.is_ready("5.2.3")
    _write(checkout / "uv.lock", "another version")
    assert not build.is_ready("5.2.3")
    _finish("5.2.3")
    build.program_of("5.2.3").unlink()
    assert not build.is_ready("5.2.3")


def _answer(code: int, error: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], code, "", error)


def test_an_interrupted_set_up_starts_again(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [130, 0]

    def sync(name: str, *options: str, **more: Any) -> subprocess.CompletedProcess[str]:
        assert not build.folder_of(name).exists() and not options
        _write(build.program_of(name))
        return _answer(codes.pop(0))

    monkeypatch.setattr(build, "sync", sync)
    with pytest.raises(build.SetupError, match=r"\.venv-4\.2\.23 could not be set up.*64-bit CPython"):
        build.ensure("4.2.23")
    assert not build.is_ready("4.2.23")
    assert build.ensure("4.2.23") == "4.2.23" and build.is_ready("4.2.23")


@pytest.fixture
def possible(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """Return the Blenders that uv can install, without and with downloads of Pythons."""
    blenders: dict[str, set[str]] = {"here": set(), "downloaded": set()}

    def sync(name: str, *options: str, **more: Any) -> subprocess.CompletedProcess[str]:
        assert "--dry-run" in options
        found = blenders["here" if "--no-python-downloads" in options else "downloaded"]
        return _answer(0) if name in found else _answer(2, f"Using Python\nerror: no wheel of {name}\n")

    monkeypatch.setattr(build, "sync", sync)
    return blenders


def test_the_newest_blender_for_the_pythons_of_the_machine_is_chosen(possible: dict[str, set[str]]) -> None:
    possible["downloaded"] = set(build.BLENDERS)
    assert build.newest_blender() == "5.2.3"
    possible["here"] = {"5.0.1", "4.5.15", "4.2.23"}
    assert build.newest_blender() == "5.0.1"
    possible["here"] = {"4.2.23", "5.2.3"}
    assert build.newest_blender() == "5.2.3"
    _finish("5.0.1")
    possible["here"] = {"4.2.23"}
    assert build.newest_blender() == "5.0.1"


def test_without_any_possible_blender_the_message_has_the_remedy_and_the_reasons(
    possible: dict[str, set[str]],
) -> None:
    with pytest.raises(build.SetupError) as problem:
        build.newest_blender()
    message = str(problem.value)
    assert "64-bit CPython 3.13" in message and "python.org" in message
    assert "Blender 5.2.3: no wheel of 5.2.3\nBlender 5.0.1: no wheel of 5.0.1\n" in message


@pytest.mark.parametrize(
    ("blender", "platform", "exists"),
    [
        ("5.2.3", "x86_64-manylinux_2_28", True),
        ("4.2.23", "aarch64-manylinux_2_28", False),
        ("5.2.3", "x86_64-pc-windows-msvc", True),
        ("4.2.23", "aarch64-pc-windows-msvc", False),
        ("5.2.3", "aarch64-apple-darwin", True),
        ("4.5.15", "x86_64-apple-darwin", True),
        ("5.0.1", "x86_64-apple-darwin", False),
    ],
)
def test_uv_explains_that_a_machine_has_no_package_of_blender(
    blender: str, platform: str, exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build.find_uv()
    monkeypatch.setattr(build, "folder_of", _elsewhere(tmp_path))
    options = ("--dry-run", "--offline", "--no-python-downloads", "--python-platform", platform)
    answer = build.sync(blender, *options, capture_output=True)
    printed = " ".join(answer.stderr.split())  # uv wraps lines
    if "No interpreter found" in printed:
        pytest.skip("needs the Python of this Blender")
    missing = "doesn't have a source distribution or wheel for the current platform"
    assert (answer.returncode == 0, missing in printed) == (exists, not exists), printed


def _elsewhere(folder: Path) -> Any:
    """Return a replacement for `build.folder_of` that finds Blenders in another folder."""
    real = build.folder_of
    return lambda name: folder / name if name in build.BLENDERS else real(name)


# --- The library --------------------------------------------------------------------------

_USE_LIBRARY = """
import sys
sys.modules["bpy"] = None  # an import of Blender fails
import io_tomb_raider
from io_tomb_raider.catalogue.names import names
from io_tomb_raider.formats import Game, read_level, write_level
assert io_tomb_raider.__file__.startswith(sys.argv[1]), io_tomb_raider.__file__
level = read_level(sys.argv[2])
write_level(level, sys.argv[3])
print(level.game.name, len(level.rooms), names(Game.TR1).model(0))
"""


def test_the_wheel_gives_the_library_without_blender(tmp_path: Path) -> None:
    uv, options = build.find_uv(), ("--offline", "--quiet", "--python", sys.executable)
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    subprocess.run([uv, "build", "--wheel", *options, "-o", wheels, build.ROOT], check=True)
    (wheel,) = wheels.glob("*.whl")
    subprocess.run([uv, "pip", "install", "--no-deps", *options, "--target", site, wheel], check=True)
    parts = {
        path.relative_to(site / "io_tomb_raider").parts[0] for path in site.rglob("io_tomb_raider/**/*.*")
    }
    # The types of the properties are for scripts in Blender.
    assert parts == {"__init__.py", "py.typed", "property_types.pyi", "formats", "catalogue"}
    (metadata,) = site.glob("*.dist-info/METADATA")
    assert "Requires-Dist: numpy" in metadata.read_text(encoding="utf-8")
    level, copy = tmp_path / "level.phd", tmp_path / "copy.phd"
    level.write_bytes(sample_bytes(Game.TR1))
    command = [sys.executable, "-P", "-c", _USE_LIBRARY, str(site), str(level), str(copy)]
    environ = {**os.environ, "PYTHONPATH": str(site)}
    answer = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == ["TR1", str(len(sample_level(Game.TR1).rooms)), "Lara"]
    assert copy.read_bytes() == level.read_bytes()


def test_programs_import_from_the_checkout_also_where_the_caller_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The walk through a window runs without its folder on the path, and builds the zip by such programs."""
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    command = [sys.executable, "-c", "import docs"]
    assert subprocess.run(command, cwd=build.ROOT, env=build.clean_environ(), check=False).returncode == 0


# --- Commands -----------------------------------------------------------------------------


@pytest.fixture
def runs(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Return the environment and arguments of each run.

    With the argument `crashing`, Blender 4.2.23 crashes; with `one-test-crashing`, in one test.
    """
    seen: list[tuple[str, ...]] = []

    def run(name: str, *arguments: str, more: dict[str, str] | None = None, **_: object) -> int:
        seen.append((name, *arguments))
        if "one-test-crashing" in arguments and more is not None:
            Path(more["TOMB_RAIDER_CRASHED"]).write_text("tests/a.py::test[x, y]", encoding="utf-8")
            return 1
        return 128 + 11 if "crashing" in arguments and name == "4.2.23" else 0

    monkeypatch.setattr(build, "run", run)
    for name in (*build.BLENDERS, "tools", "site"):
        _finish(name)
    return seen


PYTEST = ("-m", "pytest", *build.ALL_CORES)


def test_the_tests_run_in_the_newest_blender_and_pytest_receives_other_arguments(
    runs: list[tuple[str, ...]],
) -> None:
    assert build.main(["test", "-k", "rooms", "tests/scene", "-x"]) == 0
    assert runs == [("5.2.3", *PYTEST, "-k", "rooms", "tests/scene", "-x")]


def test_only_the_newest_of_several_blenders_runs_all_tests(
    runs: list[tuple[str, ...]],
) -> None:
    older = (*PYTEST, *build.ONLY_WHAT_DIFFERS)
    both = ["test", "--blender", "4.2.23", "--blender", "5.2.3"]
    assert build.main([*both, "-q", "--full"]) == 0
    assert runs == [("4.2.23", *older, "-q"), ("5.2.3", *PYTEST, "-q")]
    runs.clear()
    assert build.main([*both, "-x"]) == 0
    turn = ("--chosen", "--turn", build.number_of_commits(), "-x")
    assert runs == [("4.2.23", *older, "--one-case", *turn), ("5.2.3", *PYTEST, "--one-game", *turn)]
    runs.clear()
    assert build.main(["test", "--all-blenders"]) == 0
    assert [run[0] for run in runs] == ["4.2.23", "4.5.15", "5.0.1", "5.2.3"]
    assert ["not fuzz and not once" in run for run in runs] == [True, True, True, False]


def test_a_test_in_which_blender_4_2_crashed_runs_once_more_on_its_own(runs: list[tuple[str, ...]]) -> None:
    both = ["--blender", "4.2.23", "--blender", "5.2.3"]
    assert build.main(["test", *both, "--full", "one-test-crashing"]) == 1  # newer ones must not crash
    assert [each[0] for each in runs] == ["4.2.23", "4.2.23", "5.2.3"]
    assert runs[1] == ("4.2.23", "-m", "pytest", "tests/a.py::test[x, y]")
    runs.clear()
    assert build.main(["test", "--blender", "4.2.23", "--full", "one-test-crashing"]) == 0


def test_only_crashes_without_other_failures_are_repeated() -> None:
    crash = SimpleNamespace(nodeid="a", longrepr="worker 'gw0' crashed while running 'a'")
    failure = SimpleNamespace(nodeid="b", longrepr="assert False")
    assert crashed_tests({"failed": [crash], "passed": [failure]}) == ["a"]
    assert crashed_tests({"failed": [crash], "error": [failure]}) == crashed_tests({}) == []


def test_one_old_blender_alone_runs_everything(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["test", "--full", "--blender", "4.2.23"]) == 0
    assert runs == [("4.2.23", *PYTEST)]


@pytest.mark.parametrize("named", [["tests/ui"], ["-k", "rooms"], ["-mfuzz"], ["-q", "tests/ui"]])
def test_all_cases_of_named_tests_run(runs: list[tuple[str, ...]], named: list[str]) -> None:
    assert build.main(["test", *named]) == 0
    assert runs == [("5.2.3", *PYTEST, *named)]


def test_the_quick_tests_accept_arguments_of_pytest(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["test", "--quick", "-x"]) == 0
    assert runs == [("5.2.3", *PYTEST, *build.QUICK, "-x")]
    assert [word for word in build.QUICK if word.startswith("tests") and not Path(word).exists()] == []


def test_a_crash_of_one_blender_is_reported_and_the_others_still_run(
    runs: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert build.main(["test", "--all-blenders", "crashing"]) == 128 + 11
    assert [run[0] for run in runs] == ["4.2.23", "4.5.15", "5.0.1", "5.2.3"]
    printed = capsys.readouterr().out
    shown = [line for line in printed.splitlines() if line in {f"Blender {each}" for each in build.BLENDERS}]
    assert shown == ["Blender 4.2.23", "Blender 4.5.15", "Blender 5.0.1", "Blender 5.2.3"]
    assert "Blender 4.2.23: crashed (SIGSEGV)" in printed
    assert "Blender 5.2.3: passed" in printed


def test_the_mutation_tester_runs_without_blender_and_its_tests_in_the_chosen_one(
    runs: list[tuple[str, ...]],
) -> None:
    assert build.main(["mutate", "formats/animation", "--limit", "5", "--blender", "5.0.1"]) == 0
    words = ("--blender-python", str(build.program_of("5.0.1")), "formats/animation", "--limit", "5")
    assert runs == [("tools", "-m", "tools.mutate", *words)]


@pytest.fixture
def releasable(runs: list[tuple[str, ...]], checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout whose versions agree and whose files are all committed. Programs in it do not run."""
    files = {
        "blender_manifest.toml": 'id = "io_tomb_raider"\nversion = "1.2.3"\nname = "Tomb Raider Levels"\n',
        "CHANGELOG.md": "## [Unreleased]\n\n## [1.2.3] - 2030-01-02\n\n### Added\n\n- A door.\n",
        "LICENSE": "GPL",
        "io_tomb_raider/__init__.py": "def register(): ...",
        "io_tomb_raider/formats/__init__.py": '__version__ = "1.2.3"\n',
        ".gitignore": ".venv-*\n/dist/\n",
    }
    for name, text in files.items():
        _write(checkout / name, text)
    version = f'version = "{PYPROJECT["project"]["version"]}"'
    for name in ("pyproject.toml", "uv.lock"):
        text = (checkout / name).read_text(encoding="utf-8")
        _write(checkout / name, text.replace(version, 'version = "1.2.3"'))
    for name in (*build.BLENDERS, "tools"):
        _finish(name)
    for name in build.BLENDERS:
        _write(build.folder_of(name) / "bpy" / name / "scripts/addons_core/bl_pkg/cli/blender_ext.py")
    monkeypatch.setattr(build, "MANIFEST", checkout / "blender_manifest.toml")
    monkeypatch.setattr(build, "PACKAGE", checkout / "io_tomb_raider")
    monkeypatch.setattr(build, "build_with_manual", lambda: build.build_zip(checkout / "dist"))
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "All"]):
        subprocess.run(["git", "-C", checkout, *words], check=True)
    return checkout


def test_a_release_is_checked_tested_in_all_blenders_and_has_a_digest(
    releasable: Path, runs: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert build.main(["release"]) == 0
    path = releasable / "dist" / "io_tomb_raider-1.2.3.zip"
    assert runs[0][0] == "5.2.3" and "validate" in runs[0] and runs[0][-1] == str(path)
    assert [each[0] for each in runs if "pytest" in each] == list(build.BLENDERS[::-1])
    assert ("tools", "-m", "mypy") in runs
    assert (build.BLENDERS[0], "-m", "tests.translations", "--check") in runs
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"{path}: {path.stat().st_size} bytes, SHA-256 {digest}"


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("pyproject.toml", 'version = "1.2.3"', 'version = "1.2.2"', "pyproject.toml has 1.2.2, "),
        ("uv.lock", 'version = "1.2.3"', 'version = "1.2.2"', "uv.lock has 1.2.2, "),
        ("io_tomb_raider/formats/__init__.py", "1.2.3", "1.2.2", "formats/__init__.py has 1.2.2, "),
        ("CHANGELOG.md", "[1.2.3]", "[1.2.2]", "CHANGELOG.md has 1.2.2, blender_manifest.toml 1.2.3."),
        ("CHANGELOG.md", " - 2030-01-02", "", "CHANGELOG.md has no released version, "),
        ("CHANGELOG.md", "## [1", "- A window.\n\n## [1", "CHANGELOG.md: [Unreleased] is not an empty"),
        ("LICENSE", "GPL", "MIT", "not committed:\nM LICENSE"),
    ],
)
def test_a_release_is_refused_before_anything_runs(
    name: str,
    old: str,
    new: str,
    problem: str,
    releasable: Path,
    runs: list[tuple[str, ...]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (releasable / name).read_text(encoding="utf-8")
    assert old in text
    _write(releasable / name, text.replace(old, new))
    assert build.main(["release"]) == 1
    assert problem in capsys.readouterr().out
    assert runs == [] and not (releasable / "dist").exists()


def test_a_release_without_a_repository_is_refused(releasable: Path) -> None:
    shutil.rmtree(releasable / ".git")
    with pytest.raises(build.SetupError, match="git"):
        build.main(["release"])


def test_a_zip_that_differs_between_two_builds_is_no_release(
    releasable: Path, runs: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def differently() -> Path:
        with (build.PACKAGE / "time.txt").open("a") as file:
            file.write("later ")
        return build.build_zip(releasable / "dist")

    monkeypatch.setattr(build, "build_with_manual", differently)
    assert build.main(["release"]) == 1 and runs == []


def test_the_site_has_an_environment_of_its_own(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["site"]) == 0
    reference, site = runs
    assert reference[:3] == ("5.2.3", "-m", "docs.reference")
    assert site == ("site", "-m", "mkdocs", "build", "--site-dir", str(build.DIST / "site"))


def test_modules_of_the_checkout_run_in_the_folder_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "chosen_blender", lambda blender: "own")
    monkeypatch.setattr(build, "program_of", lambda name: Path(sys.executable))
    monkeypatch.setattr(build, "folder_of", lambda name: tmp_path / name)
    monkeypatch.chdir(tmp_path)
    _write(tmp_path / "benchmarks" / "__main__.py", "print('not the module of the checkout')")
    assert build.main(["bench", "--quick", "no such.phd"]) != 0
    printed = capfd.readouterr()
    assert "not the module" not in printed.out
    assert str(build.ROOT / "benchmarks") in printed.err and "no such.phd" in printed.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["test", "--blender", "2.79"],
        ["demo", "--all-blenders"],
        ["demo", "--quick"],
        ["bench", "--full"],
        ["bench", "--blender", "5.0.1", "--blender", "5.2.3"],
        ["check", "--fix"],
        ["build", "somewhere"],
        ["test", "--development"],
        ["release", "--development"],
        ["release", "--blender", "5.2.3"],
        ["release", "--quick"],
    ],
)
def test_a_senseless_command_line_is_refused(runs: list[tuple[str, ...]], arguments: list[str]) -> None:
    with pytest.raises(build.SetupError):
        build.main(arguments)
    assert runs == []


def test_a_machine_without_venv_gets_a_message_and_exit_code_2(checkout: Path) -> None:
    shutil.copy(Path(build.__file__), checkout / "build.py")
    _write(checkout / "venv.py", "import sys; sys.exit('No module named ensurepip: install python3-venv')")
    environ = {**os.environ, "PATH": str(checkout), "HOME": str(checkout), "PYENV_ROOT": str(checkout)}
    command = [sys.executable, "build.py", "test"]
    answer = subprocess.run(command, cwd=checkout, env=environ, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "install python3-venv" in answer.stderr and "uv could not be installed" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not list(checkout.glob(".venv-*"))


def test_the_readme_names_only_commands_that_exist() -> None:
    readme = (build.ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"python build\.py ([a-z][a-z-]+)", readme))
    assert {"demo", "test", "check"} <= named <= set(build.COMMANDS)
