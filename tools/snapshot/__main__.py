"""Writes a snapshot: the SHA-256 of everything that the commands write, and of what the interface shows.

    python -m tools.snapshot OUT.txt [FILE…]

runs the commands on all generated samples, and on the files given: levels, projects, object files, single
animations and injections. Two snapshots of the same version are equal, so `diff OLD.txt NEW.txt` lists what a
change of the structure has changed. It needs Blender's module.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path

from . import interface, samples

LEVELS = frozenset({".phd", ".tr2", ".tr4", ".trc"})
_GAMES = ("TR1", "TR2", "TR3", "TR4", "TR5")
_PROJECTS = frozenset({".prj", ".prj2"})


class Snapshot:
    """Runs commands in a folder of inputs, and collects what they write.

    Attributes:
        lines: a line for each output: its digest, and its name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[str] = []
        self._count = 0

    def add(self, name: str, content: bytes) -> None:
        """Add an output."""
        text = content.replace(str(self.folder).encode(), b"FOLDER")
        self.lines.append(f"{hashlib.sha256(text).hexdigest()}  {name}")

    def run(self, *arguments: str, output: str = "") -> None:
        """Run a command of the command line; `output` names the file or folder that it writes."""
        from io_tomb_raider.ui.command_line.main import run

        print(*arguments, file=sys.stderr, flush=True)
        text = io.StringIO()
        with redirect_stdout(text):
            code = run(arguments)
        name = " ".join(arguments)
        self.add(f"{name}: exit code {code}, output", text.getvalue().encode())
        target = self.folder / output
        written = sorted(target.rglob("*")) if target.is_dir() else [target]
        for path in written if output else ():
            if path.is_file():
                self.add(f"{name}: {path.relative_to(self.folder)}", path.read_bytes())


def _levels(snapshot: Snapshot, names: Sequence[str]) -> None:
    snapshot.run("info", "--json", *names)
    snapshot.run("check", "--json", *names)
    snapshot.run("check", "--json", "--scene", "--seams", *names)
    for folder in ("repaired", *(f"to_{game.lower()}" for game in _GAMES)):
        (snapshot.folder / folder).mkdir()
    snapshot.run("repair", *names, "--to", "repaired", output="repaired")
    for game in _GAMES:
        folder = f"to_{game.lower()}"
        snapshot.run("convert", *names, "--game", game, "--to", folder, output=folder)
    for name in names:
        _edits(snapshot, name)


def _edits(snapshot: Snapshot, name: str) -> None:
    """Export a level rebuilt from the scene, and compare it with the original in every form."""
    stem = name.replace(".", "_")
    blend, rebuilt, edited = f"{stem}.blend", f"{stem}_new{Path(name).suffix}", f"{stem}_edited"
    snapshot.run("import", name, blend)
    snapshot.run("export", blend, rebuilt, "--rebuild", output=rebuilt)
    if not (snapshot.folder / rebuilt).is_file():
        return
    snapshot.run("diff", "--all", name, rebuilt)
    for option in ("patch", "injection"):
        change = f"{stem}.{option}.bin"
        snapshot.run("diff", name, rebuilt, f"--{option}", change, output=change)
        if (snapshot.folder / change).is_file():
            result = f"{edited}_{option}{Path(name).suffix}"
            snapshot.run("apply", name, change, result, output=result)


def _inputs(folder: Path, files: Sequence[Path]) -> Iterator[str]:
    """Put the samples and further files into a folder; yield their names."""
    yield from samples.write_samples(folder)
    for path in files:
        for each in sorted(path.iterdir()) if path.is_dir() else [path]:
            if each.is_file():
                (folder / each.name).write_bytes(each.read_bytes())
                yield each.name


def main(arguments: Sequence[str]) -> int:
    """Write the snapshot."""
    parser = argparse.ArgumentParser(prog="tools.snapshot", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="the list to write")
    parser.add_argument(
        "files", type=Path, nargs="*", metavar="FILE", help="further files, or folders of them"
    )
    options = parser.parse_args(arguments)
    options.out, options.files = options.out.resolve(), [each.resolve() for each in options.files]
    interface.start()
    with tempfile.TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        snapshot = Snapshot(folder)
        names = list(dict.fromkeys(_inputs(folder, options.files)))
        for each in names:
            snapshot.add(f"input {each}", (folder / each).read_bytes())
        suffixes = {each: Path(each).suffix.lower() for each in names}
        _levels(snapshot, [each for each in names if suffixes[each] in LEVELS])
        others = [each for each in names if suffixes[each] not in LEVELS]
        checked = [each for each in others if suffixes[each] not in (".png", ".sam", ".swd")]
        snapshot.run("check", "--json", *checked)
        for each in others:
            if suffixes[each] in _PROJECTS:
                for game in ("", *_GAMES):
                    target = f"{each}_{game}.level"
                    options_of_game = ("--game", game) if game else ()
                    snapshot.run("compile", each, target, "--allow-missing", *options_of_game, output=target)
        shown = folder / "interface"
        shown.mkdir()
        for title, text in interface.texts(shown):
            snapshot.add(title, text.encode())
    options.out.write_text("\n".join(sorted(snapshot.lines)) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    # Blender's module may crash when the interpreter exits.
    os._exit(code)
