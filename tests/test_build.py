"""build.py: the zip it makes, the Python it picks, the environments it keeps, and what it tells."""

import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import build

# Nothing here asks Blender.
pytestmark = pytest.mark.once

Machine = Callable[[dict[str, str | None]], None]
EXE = ".exe" if os.name == "nt" else ""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that stands for the checkout, with the real pins."""
    root = tmp_path / "checkout"
    shutil.copytree(build.REQUIREMENTS, root / "tests" / "requirements")
    monkeypatch.setattr(build, "ROOT", root)
    monkeypatch.setattr(build, "REQUIREMENTS", root / "tests" / "requirements")
    return root


def _write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# ---------------------------------------------------------------- the zip


def test_the_zip_holds_the_extension_at_its_top_and_nothing_else(tmp_path: Path) -> None:
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


def test_the_zip_carries_the_manual(tmp_path: Path) -> None:
    _write(tmp_path / "manual" / "rooms.html", "<h1>Rooms</h1>")
    _write(tmp_path / "manual" / "pictures" / "rooms.png", "picture")
    with zipfile.ZipFile(build.build_zip(tmp_path, manual=tmp_path / "manual")) as archive:
        assert archive.read("manual/rooms.html") == b"<h1>Rooms</h1>"
        assert archive.read("manual/pictures/rooms.png") == b"picture"


def test_the_site_is_made_by_its_own_environment(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["site"]) == 0
    reference, site = runs
    assert reference[:3] == ("5.2.3", "-m", "docs.reference")
    assert site == ("site", "-m", "mkdocs", "build", "--site-dir", str(build.DIST / "site"))


def test_the_zip_leaves_caches_and_hidden_files_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_zip_is_named_after_the_manifest(tmp_path: Path) -> None:
    manifest = build.MANIFEST.read_text(encoding="utf-8")
    version = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    assert version is not None
    assert build.build_zip(tmp_path).name == f"io_tomb_raider-{version[1]}.zip"
    assert [path.name for path in tmp_path.iterdir()] == [f"io_tomb_raider-{version[1]}.zip"]


def test_the_manifest_admits_the_oldest_supported_blender() -> None:
    oldest = list(build.BLENDERS)[-1]
    series = ".".join(oldest.split(".")[:2])
    assert f'blender_version_min = "{series}.0"' in build.MANIFEST.read_text(encoding="utf-8")


# ---------------------------------------------------------------- Pythons


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A function that sets which Pythons there are: path below the machine -> why it is unfit, or None."""

    def set_up(pythons: dict[str, str | None]) -> None:
        for name in pythons:
            _write(tmp_path / name)
        reasons = {tmp_path / name: reason for name, reason in pythons.items()}
        monkeypatch.setattr(build, "why_unfit", lambda python, version: reasons[python])

    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "shims"), str(tmp_path / "bin")]))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(build, "find_uv", lambda: None)
    return set_up


def test_a_broken_shim_does_not_hide_the_python_behind_it(machine: Machine, tmp_path: Path) -> None:
    machine({f"shims/python3.13{EXE}": "does not run", "pyenv/versions/3.13.0/bin/python3.13": None})
    assert build.find_python(["3.13"]) == tmp_path / "pyenv/versions/3.13.0/bin/python3.13"


def test_pyenvs_newest_patch_release_comes_first(machine: Machine, tmp_path: Path) -> None:
    versions = ["3.11.9", "3.13.10", "3.13.2", "3.1.3"]
    machine(
        {f"pyenv/versions/{version}/bin/python{version.rpartition('.')[0]}": None for version in versions}
    )
    assert [path.parts[-3] for path in build.candidate_pythons("3.13")] == ["3.13.10", "3.13.2"]


def test_the_path_comes_before_pyenv_and_a_plain_name_last(machine: Machine, tmp_path: Path) -> None:
    machine(
        {
            f"bin/python3{EXE}": None,
            "pyenv/versions/3.11.7/bin/python3.11": None,
            f"bin/python3.11{EXE}": None,
        }
    )
    found = [path.relative_to(tmp_path).as_posix() for path in build.candidate_pythons("3.11")]
    assert found == [f"bin/python3.11{EXE}", "pyenv/versions/3.11.7/bin/python3.11", f"bin/python3{EXE}"]


def test_the_newest_blender_of_the_newest_python_is_taken(machine: Machine, checkout: Path) -> None:
    machine({f"bin/python3.11{EXE}": None, f"bin/python3.13{EXE}": None})
    assert build.newest_environment().name == "5.2.3"


def test_an_older_python_gets_the_newest_blender_that_it_can_have(machine: Machine, checkout: Path) -> None:
    machine({f"bin/python3.11{EXE}": None, f"bin/python3.13{EXE}": "lacks venv and ensurepip"})
    assert build.newest_environment().name == "5.0.1"


def test_with_uv_no_python_has_to_be_there(
    machine: Machine, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine({})
    monkeypatch.setattr(build, "find_uv", lambda: "uv")
    assert build.newest_environment().name == "5.2.3"


def test_a_ready_environment_needs_no_python_to_be_looked_for(machine: Machine, checkout: Path) -> None:
    machine({})
    _finish(build.blender_environment("5.2.3"))
    assert build.newest_environment().name == "5.2.3"


def test_without_any_python_the_message_says_what_to_install_and_why(
    machine: Machine, checkout: Path
) -> None:
    machine({f"bin/python3{EXE}": "is Python 3.9", f"bin/python3.13{EXE}": "is a 32-bit build"})
    with pytest.raises(build.SetupError) as problem:
        build.newest_environment()
    message = str(problem.value)
    assert "No usable Python 3.13 or 3.11" in message
    assert "Install uv" in message and "python.org" in message
    assert str(Path(f"bin/python3{EXE}")) + " is Python 3.9" in message
    assert str(Path(f"bin/python3.13{EXE}")) + " is a 32-bit build" in message


def test_this_very_python_is_judged_by_what_it_is() -> None:
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert build.why_unfit(Path(sys.executable), own) is None
    assert build.why_unfit(Path(sys.executable), "3.6") == f"is Python {own}"
    assert build.why_unfit(Path("no such python"), own) == "does not run"


@pytest.mark.parametrize(
    ("blender", "system", "machine", "exists"),
    [
        ("5.2.3", "Linux", "x86_64", True),
        ("4.2.23", "Linux", "aarch64", False),
        ("5.2.3", "Windows", "AMD64", True),
        ("4.2.23", "Windows", "ARM64", False),
        ("4.5.15", "Windows", "ARM64", True),
        ("5.2.3", "Darwin", "arm64", True),
        ("4.5.15", "Darwin", "x86_64", True),
        ("5.0.1", "Darwin", "x86_64", False),
    ],
)
def test_machines_without_a_package_of_blender_are_known(
    blender: str, system: str, machine: str, exists: bool
) -> None:
    assert (build.missing_wheel(blender, system, machine) is None) == exists


# ---------------------------------------------------------------- environments


def _finish(environment: build.Environment) -> None:
    """Make the folder look like an environment whose set-up came to its end."""
    _write(environment.python)
    _write(environment.folder / build.MARKER, environment.fingerprint())


@pytest.mark.parametrize("blender", build.BLENDERS)
def test_every_package_of_every_blender_is_pinned(blender: str) -> None:
    environment = build.blender_environment(blender)
    lines = [
        line
        for path in environment.requirements
        for line in path.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert f"bpy=={blender}" in lines
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[0-9.]+(; .+)?", line)] == []


def test_an_environment_is_ready_only_with_todays_pins_and_its_python(checkout: Path) -> None:
    environment = build.blender_environment("5.2.3")
    assert not environment.is_ready()
    _finish(environment)
    assert environment.is_ready()
    pins = checkout / "tests" / "requirements" / "bpy-5.2.3.txt"
    pins.write_text(pins.read_text(encoding="utf-8") + "another==1.0\n", encoding="utf-8")
    assert not environment.is_ready()
    _finish(environment)
    environment.python.unlink()
    assert not environment.is_ready()


@pytest.mark.parametrize("uv", [None, "uv"])
def test_an_interrupted_set_up_is_done_again_from_the_start(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, uv: str | None
) -> None:
    environment = build.blender_environment("4.2.23")
    interrupted = True

    def step(what: str, command: list[str]) -> None:
        if "venv" in command:
            assert not environment.folder.exists()
            _write(environment.python)
        elif interrupted and "install" in command:
            raise KeyboardInterrupt

    monkeypatch.setattr(build, "find_uv", lambda: uv)
    monkeypatch.setattr(build, "find_python", lambda versions, unfit=None: Path("python3.11"))
    monkeypatch.setattr(build, "missing_wheel", lambda *machine: None)
    monkeypatch.setattr(build, "_must", step)
    with pytest.raises(KeyboardInterrupt):
        build.ensure(environment)
    assert environment.folder.exists() and not environment.is_ready()
    interrupted = False
    assert build.ensure(environment).is_ready()


@pytest.mark.parametrize("uv", [None, "no such uv"])
def test_a_failed_step_names_itself_and_gives_no_environment(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, uv: str | None
) -> None:
    environment = build.blender_environment("4.2.23")
    monkeypatch.setattr(build, "find_uv", lambda: uv)
    monkeypatch.setattr(build, "find_python", lambda versions, unfit=None: Path("no such python"))
    monkeypatch.setattr(build, "missing_wheel", lambda *machine: None)
    with pytest.raises(build.SetupError, match="making the virtual environment"):
        build.ensure(environment)
    assert not environment.is_ready()


@pytest.mark.parametrize("uv", [None, "/opt/uv"])
def test_uv_and_pip_install_the_pins_and_choose_nothing_by_themselves(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, uv: str | None
) -> None:
    environment = build.blender_environment("5.2.3")
    commands: dict[str, list[str]] = {}

    def step(what: str, command: list[str]) -> None:
        commands[what.partition(" (")[0]] = command
        _write(environment.python)

    monkeypatch.setattr(build, "find_uv", lambda: uv)
    python = None if uv else Path("/bin/python3.13")
    monkeypatch.setattr(build, "find_python", lambda versions, unfit=None: python)
    monkeypatch.setattr(build, "missing_wheel", lambda *machine: None)
    monkeypatch.setattr(build, "_must", step)
    assert build.ensure(environment).is_ready()
    first = [uv, "venv"] if uv else [str(python), "-m", "venv"]
    assert commands["making the virtual environment"][: len(first)] == first
    install = commands["installing packages"]
    assert str(environment.python) in install and "--no-deps" in install
    assert install[install.index("--only-binary") + 1] == ":all:"
    assert [Path(word).name for word in install if word.endswith(".txt")] == ["common.txt", "bpy-5.2.3.txt"]
    if uv:
        assert commands["making the virtual environment"][-2:] == ["3.13", str(environment.folder)]


# ---------------------------------------------------------------- commands


@pytest.fixture
def runs(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What was run: the environment's name and the arguments. `crashing` in an argument kills 4.2.23."""
    seen: list[tuple[str, ...]] = []

    def run(environment: build.Environment, *arguments: str, **_: object) -> int:
        seen.append((environment.name, *arguments))
        return -11 if "crashing" in arguments and environment.name == "4.2.23" else 0

    monkeypatch.setattr(build, "run", run)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    others = {"tools": build.tools_environment, "site": build.site_environment}
    for name in [*build.BLENDERS, *others]:
        _finish(others[name]() if name in others else build.blender_environment(name))
    return seen


def test_the_tests_run_in_the_newest_blender_and_pytest_gets_the_rest(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["test", "-k", "rooms", "tests/scene", "-x"]) == 0
    assert runs == [("5.2.3", "-m", "pytest", "-k", "rooms", "tests/scene", "-x")]


def test_the_tests_run_in_every_blender_that_was_asked_for_and_what_is_the_same_in_all_in_the_newest(
    runs: list[tuple[str, ...]],
) -> None:
    assert build.main(["test", "--blender", "4.2.23", "-q", "--blender", "5.2.3"]) == 0
    assert [run[0] for run in runs] == ["4.2.23", "5.2.3"]
    assert "not fuzz and not once" in runs[0] and runs[0][-1] == "-q"
    assert "--one-case" not in runs[0]
    assert runs[1] == ("5.2.3", "-m", "pytest", "-q")
    runs.clear()
    assert build.main(["test", "--blender", "4.2.23", "--blender", "5.2.3", "--in-turns"]) == 0
    turn = f"--turn {build.number_of_commits()}"
    assert "--one-case" in runs[0] and " ".join(runs[0]).endswith(turn)
    assert " ".join(runs[1]) == f"5.2.3 -m pytest --one-game {turn}"
    runs.clear()
    assert build.main(["test", "--all-blenders"]) == 0
    assert [run[0] for run in runs] == ["4.2.23", "4.5.15", "5.0.1", "5.2.3"]
    assert ["not fuzz and not once" in run for run in runs] == [True, True, True, False]


def test_one_old_blender_alone_runs_everything(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["test", "--blender", "4.2.23"]) == 0
    assert runs == [("4.2.23", "-m", "pytest")]


def test_the_quick_tests_are_a_choice_with_arguments_for_pytest_too(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["test", "--quick", "-x"]) == 0
    assert runs == [("5.2.3", "-m", "pytest", *build.QUICK, "-x")]
    assert [word for word in build.QUICK if word.startswith("tests") and not Path(word).exists()] == []


@pytest.mark.parametrize(
    ("cores", "arguments", "workers"),
    [
        (1, [], None),
        (2, [], "2"),
        (64, ["-x", "-k", "rooms"], "8"),
        (4, ["-n", "3"], None),
        (4, ["-n0"], None),
        (4, ["--pdb"], None),
    ],
)
def test_the_tests_are_spread_over_the_cores_unless_pytest_is_told_otherwise(
    runs: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    cores: int,
    arguments: list[str],
    workers: str | None,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert build.main(["test", *arguments]) == 0
    (run,) = runs
    spread = ("-n", workers, "--dist", "worksteal") if workers else ()
    assert run == ("5.2.3", "-m", "pytest", *spread, *arguments)


def test_a_blender_that_crashed_is_reported_and_the_others_still_run(
    runs: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert build.main(["test", "--all-blenders", "crashing"]) == 128 + 11
    assert [run[0] for run in runs] == ["4.2.23", "4.5.15", "5.0.1", "5.2.3"]
    printed = capsys.readouterr().out
    shown = [line for line in printed.splitlines() if line in {f"Blender {each}" for each in build.BLENDERS}]
    assert shown == ["Blender 4.2.23", "Blender 4.5.15", "Blender 5.0.1", "Blender 5.2.3"]
    assert "Blender 4.2.23: crashed (SIGSEGV)" in printed
    assert "Blender 5.2.3: passed" in printed


def test_slips_are_made_outside_of_blender_and_tested_in_the_chosen_one(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["mutate", "formats/animation", "--limit", "5", "--blender", "5.0.1"]) == 0
    blender = str(build.blender_environment("5.0.1").python)
    words = ("--blender-python", blender, "formats/animation", "--limit", "5")
    assert runs == [("tools", "-m", "tests.mutate", *words)]


def test_the_demos_level_is_found_from_the_callers_folder(
    runs: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = _write(tmp_path / "levels" / "CAVES.PHD")
    monkeypatch.chdir(level.parent)
    assert build.main(["demo", "CAVES.PHD", "--blender", "5.0.1"]) == 0
    assert runs == [("5.0.1", "-m", "tests.demo", str(level))]


def test_the_quick_benchmark_is_one_too(runs: list[tuple[str, ...]]) -> None:
    assert build.main(["bench", "--quick", "--runs", "3"]) == 0
    assert runs == [("5.2.3", "-m", "benchmarks", "--runs", "3", "--quick")]


@pytest.mark.parametrize(
    "arguments",
    [
        ["test", "--blender", "2.79"],
        ["demo", "--all-blenders"],
        ["demo", "--quick"],
        ["bench", "--blender", "5.0.1", "--blender", "5.2.3"],
        ["check", "--fix"],
        ["build", "somewhere"],
    ],
)
def test_a_senseless_command_line_is_refused(runs: list[tuple[str, ...]], arguments: list[str]) -> None:
    with pytest.raises(build.SetupError):
        build.main(arguments)
    assert runs == []


def test_a_machine_without_python_for_blender_gets_a_message_and_exit_code_2(checkout: Path) -> None:
    shutil.copy(Path(build.__file__), checkout / "build.py")
    hidden = "import runpy, sys; sys.executable = ''; sys.argv = ['build.py', 'test']; "
    code = hidden + "runpy.run_path('build.py', run_name='__main__')"
    nowhere = str(checkout / "nowhere")
    environ = {**os.environ, "PATH": nowhere, "HOME": nowhere, "USERPROFILE": nowhere, "PYENV_ROOT": nowhere}
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, cwd=checkout, env=environ, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "No usable Python 3.13 or 3.11" in answer.stderr or "Blender has no packages" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not list(checkout.glob(".venv-*"))
