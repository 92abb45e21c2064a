#!/usr/bin/env python3
"""The one entry for developers: builds the extension's zip, runs the demo, tests, benchmark and checks.

    python build.py                   build the extension's zip in dist/
    python build.py demo [LEVEL]      import, edit, export and render a level (without LEVEL: made-up ones)
    python build.py test [ARG ...]    run the tests; arguments that are not listed here go to pytest
    python build.py mutate [ARG ...]  make slips in the code and see whether the tests notice (--help: more)
    python build.py bench [ARG ...]   run the benchmark
    python build.py check             lint, check the format and the types
    python build.py validate          check the zip with Blender's own validator
    python build.py site              make the documentation's site in dist/site
    python build.py new-levels OUT    build a new level of each game from plain meshes (--help: more)
    python build.py window OUT        use the extension in an installed Blender with a window (--help: more)

    --quick                           test: in under a minute, what breaks first; bench: no many levels
    --all-blenders                    test: one supported Blender after another
    --in-turns                        test: one case of every second test in older Blenders, in the newest
                                      each with one of the games; others with the next commit
    --blender VERSION                 choose the Blender (test: may be repeated; window: its path)

Only Python has to be there before. Blender comes as the package bpy, into virtual environments
`.venv-<version>` beside this file, which are made on first use; `tests/requirements` pins every version in
them. Where uv is installed, it makes them and gets the Pythons. This file itself runs on any Python from
3.8 on, with the standard library alone.

Exit codes: 0 done, 1 something failed, 2 the set-up or the command line is at fault.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "io_tomb_raider"
MANIFEST = ROOT / "blender_manifest.toml"
REQUIREMENTS = ROOT / "tests" / "requirements"
DIST = ROOT / "dist"

# The supported Blenders, newest first, and the one Python that each one's bpy wheel is built for.
BLENDERS = {"5.2.3": "3.13", "5.0.1": "3.11", "4.5.15": "3.11", "4.2.23": "3.11"}
TOOLS_PYTHONS = ("3.13", "3.11")

# Written last into a finished environment; it holds the fingerprint of what was installed.
MARKER = "complete.txt"

# The earliest time that a zip can hold, given to every entry so that equal sources make equal bytes.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)

# Prints why a Python cannot hold a wheel for the version that it is given, or nothing.
PROBE = """
import importlib.util, struct, sys, sysconfig
found = "%d.%d" % sys.version_info[:2]
if found != sys.argv[1]:
    print("is Python " + found)
elif sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    print("is not the standard CPython")
elif struct.calcsize("P") != 8:
    print("is a 32-bit build")
elif not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
    print("lacks venv and ensurepip (on Debian and Ubuntu: apt install python%s-venv)" % found)
"""

# For pytest: the tests for each of several Blenders but one, and the quick ones.
FEW_EXAMPLES = ("--hypothesis-profile", "few")
ONLY_WHAT_DIFFERS = ("-m", "not fuzz and not once", *FEW_EXAMPLES)
_QUICK_TESTS = ("tests/formats", "tests/golden", "tests/catalogue", "tests/test_each_game.py")
QUICK = ("-m", "not fuzz", *FEW_EXAMPLES, *_QUICK_TESTS)
# A process of the tests takes half a gigabyte.
MOST_WORKERS = 8


class SetupError(Exception):
    """The machine lacks something, or a command line makes no sense. The message says what to do."""


# ---------------------------------------------------------------- Pythons


def find_uv() -> str | None:
    """Return the path of uv, or None where it is not installed."""
    return shutil.which("uv")


def candidate_pythons(version: str) -> Iterator[Path]:
    """Yield every file that may be a Python of that version ("3.13"), likeliest first."""
    suffix = ".exe" if os.name == "nt" else ""
    if sys.executable and version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        yield Path(sys.executable)
    folders = [Path(entry) for entry in os.get_exec_path() if entry]
    # pyenv's shims on the PATH run only the chosen ones of its Pythons.
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    held = [folder / "bin" for folder in pyenv.glob(f"versions/{version}.*")]
    held.sort(key=lambda folder: [int(part) for part in re.findall(r"\d+", folder.parent.name)], reverse=True)
    named = [folder / f"python{version}{suffix}" for folder in [*folders, *held]]
    plain = [folder / (name + suffix) for name in ("python3", "python") for folder in folders]
    yield from (path for path in named + plain if path.is_file())


def why_unfit(python: Path, version: str) -> str | None:
    """Return None where this Python can hold a wheel for `version`, else the reason why it cannot."""
    command = [str(python), "-I", "-c", PROBE, version]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return "does not run"
    return answer.stdout.strip() or None


def find_python(versions: Sequence[str], unfit: list[str] | None = None) -> Path | None:
    """Return the first Python of these versions that works, or None. The faults of others go to `unfit`."""
    for version in versions:
        for python in candidate_pythons(version):
            reason = why_unfit(python, version)
            if reason is None:
                return python
            if unfit is not None and f"{python} {reason}" not in unfit:
                unfit.append(f"{python} {reason}")
    return None


def no_python_message(versions: Sequence[str], unfit: Sequence[str]) -> str:
    """Say what to install where no Python fits (`versions` newest first), and what was looked at."""
    lines = [
        f"No usable Python {' or '.join(versions)} was found. Blender's packages exist for these only",
        "(64-bit CPython, with its module venv). Install uv, which gets Pythons by itself:",
        "    https://docs.astral.sh/uv/",
        f"or Python {versions[0]}, put it on the PATH, and run this command again:",
        "    https://www.python.org/downloads/",
    ]
    if unfit:
        lines += ["Looked at:", *(f"    {line}" for line in unfit)]
    return "\n".join(lines)


# ---------------------------------------------------------------- environments


class Environment(NamedTuple):
    """One virtual environment in the checkout: for one Blender, or for the tools."""

    name: str
    pythons: tuple[str, ...]
    requirements: tuple[Path, ...]
    smoke_test: str

    @property
    def folder(self) -> Path:
        """Where it is."""
        return ROOT / f".venv-{self.name}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def fingerprint(self) -> str:
        """Return what changes whenever a pinned version changes."""
        digest = hashlib.sha256()
        for path in self.requirements:
            digest.update(path.read_text(encoding="utf-8").encode())
        return digest.hexdigest()

    def is_ready(self) -> bool:
        """Tell whether it was installed to the end, with today's pins, and its Python is still there."""
        try:
            installed = (self.folder / MARKER).read_text(encoding="utf-8")
        except OSError:
            return False
        return installed == self.fingerprint() and self.python.exists()


def blender_environment(version: str) -> Environment:
    """Return the environment of one Blender. Raises SetupError for a Blender that is not supported."""
    if version not in BLENDERS:
        raise SetupError(f"Blender {version} is not supported; choose from {', '.join(BLENDERS)}.")
    return Environment(
        name=version,
        pythons=(BLENDERS[version],),
        requirements=(REQUIREMENTS / "common.txt", REQUIREMENTS / f"bpy-{version}.txt"),
        smoke_test="import bpy; bpy.context.scene.name",
    )


def tools_environment() -> Environment:
    """Return the environment of the linter and the type checker, which holds no Blender."""
    return Environment(
        name="tools",
        pythons=TOOLS_PYTHONS,
        requirements=(REQUIREMENTS / "common.txt", REQUIREMENTS / "tools.txt"),
        smoke_test="import mypy, numpy, ruff",
    )


def site_environment() -> Environment:
    """Return the environment of what makes the documentation's site."""
    return Environment(
        name="site",
        pythons=TOOLS_PYTHONS,
        requirements=(REQUIREMENTS / "common.txt", REQUIREMENTS / "site.txt"),
        smoke_test="import material, mkdocs, mkdocstrings",
    )


def missing_wheel(blender: str, system: str, machine: str) -> str | None:
    """Return why that Blender has no package for this kind of machine, or None where it has one.

    `system` and `machine` are what the module platform calls them.
    """
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(machine.lower(), machine.lower())
    series = tuple(int(part) for part in blender.split(".")[:2])
    if system == "Linux" and machine != "x86_64":
        return "Blender's packages for Linux exist for x86-64 processors only"
    if system == "Darwin" and machine == "x86_64" and series >= (5, 0):
        return f"Blender {blender} has no package for Macs with Intel processors"
    if system == "Windows" and machine == "arm64" and series < (4, 5):
        return f"Blender {blender} has no package for Windows on ARM"
    return None


def newest_environment() -> Environment:
    """Return the newest Blender that the Pythons of this machine allow. Raises SetupError where none does."""
    unfit: list[str] = []
    possible = []
    for blender, python_version in BLENDERS.items():
        if missing_wheel(blender, platform.system(), platform.machine()) is not None:
            continue
        environment = blender_environment(blender)
        if environment.is_ready() or find_uv() or find_python([python_version], unfit) is not None:
            return environment
        if python_version not in possible:
            possible.append(python_version)
    if not possible:
        raise SetupError(f"Blender has no packages for {platform.system()} on {platform.machine()}.")
    raise SetupError(no_python_message(possible, unfit))


def ensure(environment: Environment) -> Environment:
    """Make the environment unless it is ready. Raises SetupError where that fails."""
    if environment.is_ready():
        return environment
    if environment.name in BLENDERS:
        reason = missing_wheel(environment.name, platform.system(), platform.machine())
        if reason is not None:
            raise SetupError(f"{reason}.")
    steps = _steps(environment)
    print(f"Setting up {environment.folder.name} (once) ...", flush=True)
    if environment.folder.exists():
        shutil.rmtree(environment.folder)
    for what, command in steps:
        _must(what, command)
    (environment.folder / MARKER).write_text(environment.fingerprint(), encoding="utf-8")
    return environment


def _steps(environment: Environment) -> list[tuple[str, list[str]]]:
    """Return what makes the environment: what each step is for, and its command.

    Raises SetupError where there is neither uv nor a Python that can do it.
    """
    folder, own = str(environment.folder), str(environment.python)
    uv = find_uv()
    unfit: list[str] = []
    python = find_python(environment.pythons, unfit)
    if uv:
        # Without one it looks where we do not, and gets one in the end.
        wanted = str(python or environment.pythons[0])
        make = [uv, "venv", "--no-project", "--python", wanted, folder]
        install, check = [uv, "pip", "install", "--python", own], [uv, "pip", "check", "--python", own]
    elif python:
        make = [str(python), "-m", "venv", folder]
        pip = [own, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
        install, check = [*pip, "install"], [*pip, "check"]
    else:
        raise SetupError(no_python_message(environment.pythons, unfit))
    # The requirements name everything, so neither need nor must choose anything by itself.
    install += ["--no-deps", "--only-binary", ":all:"]
    for path in environment.requirements:
        install += ["-r", str(path)]
    return [
        ("making the virtual environment", make),
        ("installing packages (this needs the network, and about 400 MB for a Blender)", install),
        ("checking that the pinned versions go together", check),
        ("loading what was installed", [own, "-c", environment.smoke_test]),
    ]


def _must(what: str, command: Sequence[str]) -> None:
    """Run one step of a set-up. Raises SetupError where it fails; its own output has been shown by then."""
    try:
        code = subprocess.run(command, env=clean_environ(), check=False).returncode
    except OSError as error:
        raise SetupError(f"The set-up failed at {what}: {error}") from None
    if code != 0:
        raise SetupError(f"The set-up failed at {what}; the reason stands above.")


def clean_environ() -> dict[str, str]:
    """Return this process's environment variables without those that would let foreign packages in."""
    foreign = ("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    environ = {name: value for name, value in os.environ.items() if name not in foreign}
    environ["PYTHONNOUSERSITE"] = "1"
    return environ


def run(
    environment: Environment,
    *arguments: str,
    without_real_files: bool = False,
    more: dict[str, str] | None = None,
) -> int:
    """Run the environment's Python at the top of the checkout, and return its exit code.

    Args:
        environment: whose Python.
        arguments: of Python.
        without_real_files: let tests find no levels but those that they make themselves.
        more: environment variables that it gets besides.
    """
    environ = {**clean_environ(), **(more or {})}
    # Blender must neither see the user's preferences and extensions nor leave anything among them.
    environ["BLENDER_USER_RESOURCES"] = str(environment.folder / "blender-user")
    # Compiled once for all the processes that tests start, but not among the sources.
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environ["PYTHONPYCACHEPREFIX"] = str(environment.folder / "pycache")
    if without_real_files:
        environ["TOMB_RAIDER_LEVELS"] = environ["TOMB_RAIDER_FILES"] = os.devnull
    command = [str(environment.python), *arguments]
    return subprocess.run(command, cwd=str(ROOT), env=environ, check=False).returncode


# ---------------------------------------------------------------- the zip


def extension_version() -> str:
    """Return the version that the manifest declares."""
    found = re.search(r'^version = "([^"]+)"$', MANIFEST.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SetupError(f"{MANIFEST.name} declares no version.")
    return found.group(1)


def extension_files() -> dict[str, Path]:
    """Return the extension's files: path in the zip -> path here. Blender wants `__init__.py` at the top."""
    files = {"LICENSE": ROOT / "LICENSE", MANIFEST.name: MANIFEST}
    for path in PACKAGE.rglob("*"):
        inner = path.relative_to(PACKAGE)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in inner.parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            files[inner.as_posix()] = path
    return files


def build_zip(folder: Path = DIST, manual: Path | None = None) -> Path:
    """Build the extension's zip in `folder` and return its path. Equal sources make equal bytes.

    Args:
        folder: where the zip goes.
        manual: a folder with the pages of the manual, which it then holds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"io_tomb_raider-{extension_version()}.zip"
    unfinished = target.with_suffix(".unfinished")
    with zipfile.ZipFile(str(unfinished), "w") as archive:
        for name, path in sorted({**extension_files(), **_manual_files(manual)}.items()):
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.create_system = 3  # Unix, on every system: else Windows would make other bytes
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    os.replace(str(unfinished), str(target))
    return target


def _manual_files(manual: Path | None) -> dict[str, Path]:
    """Return the manual's files: path in the zip -> path here."""
    if manual is None:
        return {}
    files = (path for path in manual.rglob("*") if path.is_file())
    return {f"manual/{path.relative_to(manual).as_posix()}": path for path in files}


def build_with_manual() -> Path:
    """Make the manual and build the zip with it. Raises SetupError where the manual cannot be made."""
    with tempfile.TemporaryDirectory() as folder:
        manual = Path(folder) / "manual"
        reference = make_reference(Path(folder))
        if run(ensure(tools_environment()), "-m", "docs.manual", str(manual), str(reference)) != 0:
            raise SetupError("The manual could not be made; the reason stands above.")
        return build_zip(manual=manual)


def make_reference(folder: Path) -> Path:
    """Let Blender say what tools and settings there are. Raises SetupError where it cannot.

    All Blenders give the same, so one that is at hand is taken.
    """
    path = folder / "reference.json"
    ready = (blender_environment(blender) for blender in BLENDERS)
    environment = next((each for each in ready if each.is_ready()), None) or chosen_environment(None)
    if run(environment, "-m", "docs.reference", str(path)) != 0:
        raise SetupError("The reference of the manual could not be made; the reason stands above.")
    return path


def validate_zip(environment: Environment, path: Path) -> int:
    """Check the zip by Blender's own tool for extensions. Returns its exit code."""
    found = sorted(environment.folder.glob("**/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not found:
        raise SetupError(f"The package bpy in {environment.folder.name} holds no blender_ext.py.")
    return run(environment, str(found[0]), "validate", str(path))


# ---------------------------------------------------------------- commands


def chosen_environment(blender: str | None) -> Environment:
    """Return, ready to run, the Blender that was asked for, or else the newest that is possible."""
    return ensure(newest_environment() if blender is None else blender_environment(blender))


def command_build() -> int:
    """Build the zip, and check it where a Blender is at hand already."""
    path = build_with_manual()
    print(f"Built {path}", flush=True)
    environments = [blender_environment(blender) for blender in BLENDERS]
    ready = next((environment for environment in environments if environment.is_ready()), None)
    return 0 if ready is None else validate_zip(ready, path)


def command_validate(blender: str | None) -> int:
    """Check the zip by a Blender's own validator."""
    return validate_zip(chosen_environment(blender), build_with_manual())


def command_site() -> int:
    """Make the documentation's site."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("-m", "mkdocs", "build", "--site-dir", str(DIST / "site"))
        more = {"TOMB_RAIDER_REFERENCE": str(make_reference(Path(folder)))}
        return run(ensure(site_environment()), *words, more=more)


def command_module(module: str, blender: str | None, arguments: Sequence[str]) -> int:
    """Run a module of the checkout in Blender."""
    # The module runs at the top of the checkout, so paths relative to the caller's folder are made absolute.
    absolute = [os.path.abspath(each) if os.path.exists(each) else each for each in arguments]
    return shell_code(run(chosen_environment(blender), "-m", module, *absolute))


def command_test(
    blenders: Sequence[str], arguments: Sequence[str], *, quick: bool = False, in_turns: bool = False
) -> int:
    """Run the tests in these Blenders, or the newest possible. Returns the first code that is not 0.

    What is the same in all Blenders is tested in the newest of them only.
    """
    environments = [blender_environment(blender) for blender in blenders] or [newest_environment()]
    for environment in environments:
        ensure(environment)
    newest = min(environments, key=lambda environment: list(BLENDERS).index(environment.name))
    codes = {}
    for environment in environments:
        print(f"\nBlender {environment.name}", flush=True)
        chosen: tuple[str, ...] = QUICK if quick else () if environment is newest else ONLY_WHAT_DIFFERS
        if in_turns and not quick:
            few = "--one-game" if environment is newest else "--one-case"
            chosen += (few, "--turn", str(number_of_commits()))
        words = ("-m", "pytest", *_workers(arguments), *chosen, *arguments)
        codes[environment.name] = run(environment, *words, without_real_files=quick)
    if len(codes) > 1 or min(codes.values()) < 0:
        print()
        for blender, code in codes.items():
            print(f"Blender {blender}: {in_words(code)}", flush=True)
    return next((shell_code(code) for code in codes.values() if code != 0), 0)


def number_of_commits() -> int:
    """Return how many commits the checkout has, or 0 where git or its history is not there."""
    command = ["git", "-C", str(ROOT), "rev-list", "--count", "HEAD"]
    try:
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0


def _workers(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return how pytest spreads the tests over the cores, unless its arguments say or forbid it."""
    if any(re.match(r"-n|--numprocesses|--pdb|--trace|--collect-only|--co$", each) for each in arguments):
        return ()
    workers = min(os.cpu_count() or 1, MOST_WORKERS)
    return ("-n", str(workers), "--dist", "worksteal") if workers > 1 else ()


def command_mutate(blender: str | None, arguments: Sequence[str]) -> int:
    """Run the mutation tester. It needs no Blender itself, but some of the tests that it runs do."""
    python = chosen_environment(blender).python
    return run(ensure(tools_environment()), "-m", "tests.mutate", "--blender-python", str(python), *arguments)


def command_window(blender: str | None, arguments: Sequence[str]) -> int:
    """Walk through an installed Blender. Whatever Python runs this is enough: Blender brings the rest."""
    chosen = () if blender is None else ("--blender", blender)
    command = [sys.executable, "-m", "tests.window", *chosen, *arguments]
    environ = {**clean_environ(), "PYTHONPATH": str(ROOT)}
    return shell_code(subprocess.run(command, env=environ, check=False).returncode)


def command_check() -> int:
    """Lint, check the format and the types: all of them, whatever the first one says."""
    tools = ensure(tools_environment())
    failed = []
    for step in ("ruff check", "ruff format --check", "mypy"):
        print(f"$ {step}", flush=True)
        if run(tools, "-m", *step.split()) != 0:
            failed.append(step)
    print(f"Failed: {', '.join(failed)}" if failed else "All checks passed.", flush=True)
    return 1 if failed else 0


def in_words(code: int) -> str:
    """Say what an exit code means."""
    if code < 0:
        return f"crashed ({signal.Signals(-code).name})"
    return f"failed (exit code {code})" if code else "passed"


def shell_code(code: int) -> int:
    """Return an exit code as a shell would: 128 + n for a process that died of signal n."""
    return 128 - code if code < 0 else code


def parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Take the command line apart: our own options, and what is passed on."""
    parser = argparse.ArgumentParser(prog="build.py", allow_abbrev=False, add_help=False, usage=__doc__)
    commands = ["build", "demo", "test", "mutate", "bench", "check", "validate", "site"]
    commands += ["new-levels", "window"]
    parser.add_argument("command", nargs="?", default="build", choices=commands)
    parser.add_argument("--blender", action="append", default=[])
    parser.add_argument("--all-blenders", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--in-turns", action="store_true")
    return parser.parse_known_args(list(arguments))


def main(arguments: Sequence[str]) -> int:
    """Run one command and return the exit code. Raises SetupError."""
    if list(arguments[:1]) in (["-h"], ["--help"], ["help"]):
        print(__doc__)
        return 0
    options, passed_on = parse(arguments)
    command = options.command
    if command == "test":
        blenders = list(BLENDERS)[::-1] if options.all_blenders else options.blender
        return command_test(blenders, passed_on, quick=options.quick, in_turns=options.in_turns)
    if command == "bench" and options.quick:
        options.quick, passed_on = False, [*passed_on, "--quick"]
    if options.quick or options.in_turns or options.all_blenders or len(options.blender) > 1:
        raise SetupError("Only tests and benchmark have a quick choice; only tests run in several Blenders.")
    blender = options.blender[0] if options.blender else None
    if command == "demo":
        return command_module("tests.demo", blender, passed_on)
    if command == "bench":
        return command_module("benchmarks", blender, passed_on)
    if command == "new-levels":
        # What is written does not exist yet, so the module has to know where paths begin.
        return command_module("tests.new_levels", blender, ["--here", os.getcwd(), *passed_on])
    if command == "window":
        return command_window(blender, passed_on)
    if command == "mutate":
        return command_mutate(blender, passed_on)
    if passed_on:
        raise SetupError(f"`{command}` takes no argument {passed_on[0]}.")
    if command == "check":
        return command_check()
    if command == "site":
        return command_site()
    return command_build() if command == "build" else command_validate(blender)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
