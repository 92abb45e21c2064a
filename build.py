#!/usr/bin/env python3
"""Entry point for developers: builds the extension's zip and runs the demo, tests, benchmark and checks.

    python build.py                   build the extension's zip in dist/ and check it with Blender's validator
    python build.py demo [LEVEL]      import, edit, export and render a level (without LEVEL: the example)
    python build.py test [ARG ...]    run the tests; without ARG a choice of them with one game each, another
                                      one after the next commit; other arguments are passed to pytest
    python build.py mutate [ARG ...]  change the code in small ways and check that tests fail (--help: more)
    python build.py bench [ARG ...]   run the benchmark
    python build.py check             lint, check the format, the types, the spelling and the style of texts
    python build.py validate          the same as no command
    python build.py release           check everything, build the zip of a release and print its SHA-256
    python build.py site              build the documentation's site in dist/site
    python build.py new-levels OUT    build a new level of each game from plain meshes (--help: more)
    python build.py window OUT        use the extension in an installed Blender with a window (--help: more)

    --development                     build: a zip with another id, which can be installed next to a release
    --quick                           test: what fails first, in a minute; bench: no files of many levels
    --all-blenders                    test: each supported Blender in turn
    --full                            test: all tests with all games and levels
    --blender VERSION                 choose the Blender (test: may be repeated; window: its path)

Only Python 3.8 or later and its module venv are required. This file installs uv, which finds (or downloads)
other Pythons and installs Blender as the package bpy, into folders `.venv-<name>` next to this file.
`pyproject.toml` lists the packages of each environment; `uv.lock` pins them.
Exit codes: 0 success, 1 failure, 2 wrong set-up or command line.
"""

from __future__ import annotations

import argparse
import bz2
import filecmp
import hashlib
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Mapping, Sequence

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "io_tomb_raider"
MANIFEST = ROOT / "blender_manifest.toml"
DIST = ROOT / "dist"
BLENDERS = ("5.2.3", "5.0.1", "4.5.15", "4.2.23")  # newest first; each has a group in pyproject.toml
PYTHONS = """Blender's packages need a 64-bit CPython 3.13 (Blender 5.2) or 3.11 (Blender 4.2 to 5.0).
Install one (https://www.python.org/downloads/), add it to the PATH and run this command again."""
# Arguments of pytest for older Blenders next to a newer one, for quick tests, and for all cores. A process of
# the tests uses half a gigabyte of memory.
ONLY_WHAT_DIFFERS = ("-m", "not fuzz and not once", "--hypothesis-profile", "few")
QUICK_TESTS = ("tests/formats", "tests/golden", "tests/catalogue", "tests/test_each_game.py")
QUICK = ("-m", "not fuzz", "--hypothesis-profile", "few", *QUICK_TESTS)
ALL_CORES = ("-n", "auto", "--maxprocesses", "8", "--dist", "worksteal")
IN_TESTS = ("demo", "new-levels", "window")  # modules of that name in tests/
COMMANDS = ("build", "validate", "release", "test", "mutate", "bench", "check", "site", *IN_TESTS)
# The id and the name of a zip for developers, which can be installed next to a release.
DEVELOPMENT = (
    ('id = "io_tomb_raider"', 'id = "io_tomb_raider_dev"'),
    ('name = "Tomb Raider Levels"', 'name = "Tomb Raider Levels (development)"'),
)


class SetupError(Exception):
    """A wrong set-up or command line. The message names the remedy."""


def folder_of(name: str) -> Path:
    """Return the folder of an environment: of a Blender version, `tools`, `site` or uv."""
    return ROOT / f".venv-{name}"


def program_of(name: str, program: str = "python") -> Path:
    """Return the path of a program in an environment."""
    return folder_of(name) / (f"Scripts/{program}.exe" if os.name == "nt" else f"bin/{program}")


def clean_environ() -> dict[str, str]:
    """Return the environment variables without those that change what Python imports and caches."""
    unwanted = {"PYTHONHOME", "PYTHONPATH", "PYTHONSAFEPATH", "PYTHONSTARTUP", "PYTHONDONTWRITEBYTECODE"}
    unwanted |= {"VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
    environ = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**environ, "PYTHONNOUSERSITE": "1"}


def find_uv() -> str:
    """Return the path of uv, in the version that builds the wheel; install it first. Raises SetupError."""
    (version,) = re.findall(r'"uv_build==([\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    name = f"uv-{version}"
    if not program_of(name, "uv").exists():
        print(f"Installing uv into {folder_of(name).name} (once) ...", flush=True)
        make = [sys.executable, "-m", "venv", "--clear", str(folder_of(name))]
        pip = [str(program_of(name)), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        for command in (make, [*pip, "--only-binary", ":all:", f"uv=={version}"]):
            if subprocess.run(command, env=clean_environ(), check=False).returncode != 0:
                raise SetupError("uv could not be installed, see above (it needs Python's venv).")
    return str(program_of(name, "uv"))


def sync(name: str, *options: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Install the locked packages of an environment with uv, and return the finished process."""
    group = f"blender-{name}" if name in BLENDERS else name
    # uv does not search the versions of pyenv, and pyenv's shims fail for versions that are not active.
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    own = Path(sys.base_prefix, "" if os.name == "nt" else "bin")
    path = os.pathsep.join([str(own), *map(str, pyenv.glob("versions/*/bin")), os.environ.get("PATH", "")])
    environ = {"UV_HTTP_TIMEOUT": "300", **clean_environ()}
    environ.update(PATH=path, UV_PROJECT_ENVIRONMENT=str(folder_of(name)))
    command = [find_uv(), "sync", "--frozen", "--only-group", group, *options]
    return subprocess.run(command, cwd=str(ROOT), env=environ, check=False, text=True, **more)


def is_ready(name: str) -> bool:
    """Return whether an environment is complete, matches the lock file and has its Python."""
    complete = folder_of(name) / "complete.lock"  # copied last
    return complete.is_file() and filecmp.cmp(ROOT / "uv.lock", complete, False) and program_of(name).exists()


def ensure(name: str) -> str:
    """Create an environment if it is not ready, and return its name. Raises SetupError."""
    if not is_ready(name):
        print(f"Setting up {folder_of(name).name} (once; a Blender is about 400 MB) ...", flush=True)
        shutil.rmtree(str(folder_of(name)), ignore_errors=True)
        if sync(name).returncode != 0:
            raise SetupError(f"{folder_of(name).name} could not be set up, see above. {PYTHONS}")
        shutil.copy(str(ROOT / "uv.lock"), str(folder_of(name) / "complete.lock"))
    return name


def newest_blender() -> str:
    """Return the newest Blender for the Pythons here, else for one that uv downloads. Raises SetupError."""
    for options in (["--no-python-downloads"], []):
        reasons = []
        for name in BLENDERS:
            if is_ready(name):
                return name
            answer = sync(name, "--dry-run", *options, capture_output=True)
            if answer.returncode == 0:
                return name
            reasons.append(f"Blender {name}: {answer.stderr.partition('error: ')[2].strip()}")
    raise SetupError("\n".join([f"No Blender can be installed here. {PYTHONS}", "", *reasons]))


def chosen_blender(blender: str | None) -> str:
    """Return a Blender, ready to run: the requested one, else the newest possible. Raises SetupError."""
    if blender is not None and blender not in BLENDERS:
        raise SetupError(f"Blender {blender} is not supported; choose from {', '.join(BLENDERS)}.")
    return ensure(blender or newest_blender())


def run(name: str, *arguments: str, cwd: Path = ROOT, more: dict[str, str] | None = None) -> int:
    """Run an environment's Python with additional environment variables, and return its exit code."""
    environ = {**clean_environ(), **(more or {})}
    # Blender must neither read the user's preferences and extensions nor write to them.
    environ["BLENDER_USER_RESOURCES"] = str(folder_of(name) / "blender-user")
    # All processes of the tests share compiled modules, outside of the sources.
    environ["PYTHONPYCACHEPREFIX"] = str(folder_of(name) / "pycache")
    command = [str(program_of(name)), *arguments]
    code = subprocess.run(command, cwd=str(cwd), env=environ, check=False).returncode
    return 128 - code if code < 0 else code  # as a shell does for a process that a signal has ended


def version_in(path: Path) -> str:
    """Return the version that a TOML file or a Python module declares."""
    found = re.findall(r'^(?:__)?version(?:__)? = "([^"]+)"$', path.read_text(encoding="utf-8"), re.MULTILINE)
    return str(found[0])


def manifest_text(development: bool) -> str:
    """Return the manifest of a release, or of a zip for developers."""
    text = MANIFEST.read_bytes().decode("utf-8")
    for stable, other in DEVELOPMENT if development else ():
        assert text.count(stable) == 1, stable
        text = text.replace(stable, other)
    return text


# Types are for programs with the library, which is installed from the sources.
_NOT_FOR_BLENDER = (".pyc", ".pyi", ".typed")


def build_zip(folder: Path = DIST, manual: Path | None = None, development: bool = False) -> Path:
    """Build the extension's zip with the pages in the folder `manual`. Equal sources give equal bytes.

    A zip for developers has an id and a name of its own.
    """
    manifest = manifest_text(development)
    files = {"LICENSE": (ROOT / "LICENSE").read_bytes(), MANIFEST.name: manifest.encode("utf-8")}
    for place, prefix in ((PACKAGE, ""), *([(manual, "manual/")] if manual else [])):
        for path in place.rglob("*"):
            inner = path.relative_to(place)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in inner.parts)
            if path.is_file() and not hidden and path.suffix not in _NOT_FOR_BLENDER:
                files[prefix + inner.as_posix()] = path.read_bytes()
    translations = {name: files.pop(name) for name in sorted(files) if name.endswith(".po")}
    if translations:
        name, content = packed_translations(translations)
        files[name] = content
    tables = {name: files.pop(name) for name in sorted(files) if re.fullmatch(r"catalogue/\w+\.txt", name)}
    if tables:
        files["catalogue/tables.json.xz"] = packed_tables(tables)
    (identifier,) = re.findall(r'^id = "([^"]+)"$', manifest, re.MULTILINE)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{identifier}-{version_in(MANIFEST)}.zip"
    unfinished = target.with_suffix(".unfinished")
    with zipfile.ZipFile(str(unfinished), "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # with the earliest time that a zip can hold
            entry.create_system = 3  # Unix on every system; the default differs on Windows
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)
    os.replace(str(unfinished), str(target))
    return target


def packed_translations(files: Mapping[str, bytes]) -> tuple[str, bytes]:
    """Return the name and the bytes of one file with the translations of all languages, a third smaller.

    Its name has the languages. It is JSON: a list of texts (``msgid`` as the files have it), and one of their
    translations (``msgstr``) for each language. Each is packed on its own, with bzip2, which packs such texts
    better than LZMA; readers of bzip2 join the parts.
    """
    entries = {}
    for name, content in files.items():
        blocks = content.decode("utf-8").strip().split("\n\n")[1:]  # the first is the head
        entries[Path(name).stem] = dict(block.split("\nmsgstr ", 1) for block in blocks)
    texts = list(dict.fromkeys(text for texts in entries.values() for text in texts))
    columns = [texts, *([each.get(text, '""') for text in texts] for each in entries.values())]
    parts = [json.dumps(column, ensure_ascii=False, separators=(",", ":")) for column in columns]
    packed = b"".join(
        bz2.compress(part.encode("utf-8")) for part in ("[" + ",\0".join(parts) + "]").split("\0")
    )
    return Path(next(iter(files))).with_name(f"{'.'.join(entries)}.json.bz2").as_posix(), packed


def packed_tables(files: Mapping[str, bytes]) -> bytes:
    """Return one file with all tables of the catalogue: JSON of their texts by name, packed with LZMA."""
    texts = {Path(name).stem: content.decode("ascii") for name, content in files.items()}
    return lzma.compress(json.dumps(texts).encode("ascii"), preset=9 | lzma.PRESET_EXTREME)


def make_reference(folder: Path, blender: str | None = None) -> Path:
    """Write the manual's reference of operators and settings, and return its path. Raises SetupError."""
    path = folder / "reference.json"
    if run(chosen_blender(blender), "-m", "docs.reference", str(path)) != 0:
        raise SetupError("The reference of the manual could not be written, see above.")
    return path


def build_with_manual(blender: str | None = None, development: bool = False) -> Path:
    """Build the manual and the zip with it, and return the zip's path. Raises SetupError."""
    with tempfile.TemporaryDirectory() as folder:
        manual = Path(folder) / "manual"
        reference = make_reference(Path(folder), blender)
        if run(ensure("tools"), "-m", "docs.manual", str(manual), str(reference)) != 0:
            raise SetupError("The manual could not be built, see above.")
        path = build_zip(manual=manual, development=development)
    if run(ensure("tools"), "-m", "tools.pack", str(path)) != 0:
        raise SetupError("The zip could not be packed, see above.")
    return path


def validate(path: Path, blender: str | None) -> int:
    """Check a zip with Blender's own tool for extensions. Return the exit code."""
    name = chosen_blender(blender)
    (tool,) = folder_of(name).glob("**/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    tags = tool.parents[3] / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    return run(name, str(tool), "validate", "--valid-tags", str(tags), str(path))


def build_and_validate(blender: str | None, development: bool) -> int:
    """Build the zip and check it with Blender's own tool for extensions. Return the exit code."""
    path = build_with_manual(blender, development)
    print(f"Built {path}", flush=True)
    return validate(path, blender)


def git(*arguments: str) -> str:
    """Return what git prints in the checkout. Raises SetupError without git or repository."""
    try:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as problem:
        raise SetupError("A release needs git and a checkout of the repository.") from problem


def release_problems() -> list[str]:
    """Return why the checkout is no release: different versions, unreleased changes or edited files."""
    version = version_in(MANIFEST)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, *released = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
    newest = re.match(r"\[(.+)\] - \d{4}-\d\d-\d\d$", released[0]) if released else None
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    versions = {
        "pyproject.toml": version_in(ROOT / "pyproject.toml"),
        "formats/__init__.py": version_in(PACKAGE / "formats/__init__.py"),
        "uv.lock": "".join(re.findall(r'name = "io-tomb-raider"\nversion = "([^"]+)"', lock)),
        "CHANGELOG.md": newest[1] if newest else "no released version",
    }
    problems = [f"{n} has {v}, {MANIFEST.name} {version}." for n, v in versions.items() if v != version]
    unreleased = changelog.partition("## [Unreleased]")[2].partition("\n## ")[0].strip()
    if first != "[Unreleased]" or unreleased:
        problems.append("CHANGELOG.md: [Unreleased] is not an empty first section. Move its entries.")
    edited = git("status", "--porcelain")
    return [*problems, *([f"Files are not committed:\n{edited}"] if edited else [])]


def release() -> int:
    """Check everything, build the zip of a release and print its digest. Return the exit code."""
    problems = release_problems()
    if problems:
        print("\n".join(problems), flush=True)
        return 1
    content = build_with_manual().read_bytes()
    path = build_with_manual()
    if path.read_bytes() != content:
        print("Two builds of the zip differ.", flush=True)
        return 1
    code = validate(path, None) or run_checks()
    code = code or run(chosen_blender(None), "-m", "tests.translations", "--check")
    code = code or run_tests(BLENDERS[::-1], (), False, True)
    if code == 0:
        print(f"{path}: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}", flush=True)
    return code


def build_site() -> int:
    """Build the documentation's site. Return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        more = {"TOMB_RAIDER_REFERENCE": str(make_reference(Path(folder)))}
        return run(ensure("site"), "-m", "mkdocs", "build", "--site-dir", str(DIST / "site"), more=more)


def run_tests(blenders: Sequence[str], arguments: Sequence[str], quick: bool, full: bool) -> int:
    """Run the tests in these Blenders, or the newest possible one. Return the first code that is not 0.

    The newest of several Blenders runs all tests, the others only those that can differ. If arguments name
    tests, all their cases run.
    """
    in_turns = not full and all(word.startswith("-") and word[:2] not in ("-k", "-m") for word in arguments)
    names = [*map(chosen_blender, blenders)] or [chosen_blender(None)]
    newest = min(names, key=BLENDERS.index)
    codes = {}
    for name in names:
        print(f"\nBlender {name}", flush=True)
        chosen: tuple[str, ...] = QUICK if quick else () if name == newest else ONLY_WHAT_DIFFERS
        if in_turns and not quick:
            chosen += ("--one-game" if name == newest else "--one-case",)
            chosen += ("--chosen", "--turn", number_of_commits())
        more = {"TOMB_RAIDER_LEVELS": os.devnull} if quick else {}
        with tempfile.TemporaryDirectory() as folder:
            crashed = Path(folder) / "crashed.txt"
            more["TOMB_RAIDER_CRASHED"] = str(crashed)
            codes[name] = run(name, "-m", "pytest", *ALL_CORES, *chosen, *arguments, more=more)
            tests = crashed.read_text("utf-8").splitlines() if crashed.exists() else []
        if tests and name == BLENDERS[-1]:
            # Blender 4.2 sometimes crashes in a process of many tests when its window gets another scene.
            print(f"\nBlender {name} crashed in {', '.join(tests)}: once more, on its own", flush=True)
            codes[name] = run(name, "-m", "pytest", *tests, more=more)
    for name, code in codes.items():
        signaled = 128 < code < 192
        meaning = f"crashed ({signal.Signals(code - 128).name})" if signaled else f"failed (exit code {code})"
        print(f"Blender {name}: {meaning if code else 'passed'}", flush=True)
    return next(filter(None, codes.values()), 0)


def number_of_commits() -> str:
    """Return the number of commits in the checkout, or 0 without git or history."""
    answer = subprocess.getoutput(f'git -C "{ROOT}" rev-list --count HEAD')
    return answer if answer.isdigit() else "0"


def run_checks() -> int:
    """Lint, check format, texts and types, even after one of them fails. Return the exit code."""
    failed = []
    for step in ("ruff check", "ruff format --check", "tools.prose", "mypy"):
        print(f"$ {step}", flush=True)
        if run(ensure("tools"), "-m", *step.split()) != 0:
            failed.append(step)
    print(f"Failed: {', '.join(failed)}" if failed else "All checks passed.", flush=True)
    return 1 if failed else 0


def main(arguments: Sequence[str]) -> int:
    """Run one command and return the exit code. Raises SetupError."""
    if list(arguments[:1]) in (["-h"], ["--help"], ["help"]):
        print(__doc__)
        return 0
    parser = argparse.ArgumentParser(prog="build.py", allow_abbrev=False, add_help=False, usage=__doc__)
    parser.add_argument("command", nargs="?", default="build", choices=COMMANDS)
    parser.add_argument("--blender", action="append", default=[])
    for option in ("--all-blenders", "--quick", "--full", "--development"):
        parser.add_argument(option, action="store_true")
    options, passed_on = parser.parse_known_args(list(arguments))
    command, blender = options.command, next(iter(options.blender), None)
    if options.development and command not in ("build", "validate"):
        raise SetupError("Only the zip of `build` can be one for developers.")
    if command == "test":
        blenders = BLENDERS[::-1] if options.all_blenders else options.blender
        return run_tests(blenders, passed_on, options.quick, options.full)
    if command == "bench" and options.quick:
        options.quick, passed_on = False, [*passed_on, "--quick"]
    if options.quick or options.full or options.all_blenders or len(options.blender) > 1:
        raise SetupError("Only tests and benchmark have a quick choice; only tests run in several Blenders.")
    if command in ("bench", *IN_TESTS):
        name = ensure("tools") if command == "window" else chosen_blender(blender)
        if command == "window" and blender:
            passed_on = ["--blender", blender, *passed_on]
        # The modules are in the checkout, but paths in the arguments are relative to the caller's folder.
        more = {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
        module = "benchmarks" if command == "bench" else f"tests.{command.replace('-', '_')}"
        return run(name, "-m", module, *passed_on, cwd=Path.cwd(), more=more)
    if command == "mutate":
        python = str(program_of(chosen_blender(blender)))
        return run(ensure("tools"), "-m", "tools.mutate", "--blender-python", python, *passed_on)
    if passed_on:
        raise SetupError(f"`{command}` takes no argument {passed_on[0]}.")
    if command == "check":
        return run_checks()
    if command == "release":
        if blender:
            raise SetupError("`release` tests in all Blenders.")
        return release()
    return build_site() if command == "site" else build_and_validate(blender, options.development)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
