"""Spelling and style of documentation, interface and names of tests, as a part of `python build.py check`.

    python -m tools.prose [--all | --update]

`codespell` checks the spelling (settings in pyproject.toml, known words in spelling.txt). The words that our
texts do not use are in rules.txt. The texts are the pages in docs/, README.md, CONTRIBUTING.md, CHANGELOG.md,
the texts of the interface in English, and the names of test functions, whose underscores are spaces.

unfinished.txt lists the texts that still break rules of style. Their places are only counted, and the list
only becomes shorter: `--update` removes those that keep all rules. `--all` shows the places in these, too.
The exit code is 1 if another text breaks a rule, or if a word is misspelled.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from io_tomb_raider.ui.translations.dictionary import read_texts

from .style import Hit, hits, read_rules

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
INTERFACE = "interface texts"
_TEXTS = Path("io_tomb_raider", "ui", "translations", "de.po")  # each language has all English texts
_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
_TEST = re.compile(r"def test_(\w+)")


def texts_in(root: Path) -> dict[str, str]:
    """Return the texts by the paths of their files; those of the interface are one text."""
    paths = [*sorted((root / "docs").rglob("*.md")), *(root / name for name in _PAGES)]
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    # One line a text, so that words of two texts are never taken for one phrase.
    lines = [text.strip().replace("\n", " ") + " ." for text in read_texts(root / _TEXTS)]
    modules = sorted((root / "tests").rglob("test_*.py"))
    names = {
        path.relative_to(root).as_posix(): names_of_tests(path.read_text(encoding="utf-8"))
        for path in modules
    }
    return {**texts, INTERFACE: "\n".join(lines), **names}


def names_of_tests(source: str) -> str:
    """Return the names of a module's test functions in words, each in the line of its function."""
    found = map(_TEST.match, source.splitlines())
    return "\n".join(each[1].replace("_", " ") + " ." if each else "" for each in found)


def misspelled(texts: dict[str, str], root: Path) -> int:
    """Print misspelled words, and return codespell's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        files = [name for name in texts if name.endswith(".md")]
        for name in texts.keys() - {*files}:
            path = Path(folder, f"{name}.txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[name], encoding="utf-8")
        files.append(folder)
        return subprocess.run(
            [sys.executable, "-m", "codespell_lib", *files], cwd=root, check=False
        ).returncode


def line_of(name: str, text: str, hit: Hit) -> str:
    """Return the report of a hit: its place, its words and the advice."""
    place = f"{name}:{hit.line}"
    if name == INTERFACE:
        place = f"{name}: {text.splitlines()[hit.line - 1].removesuffix(' .')!r}"
    return f'{place}: "{hit.words}": {hit.advice}'


def main(arguments: Sequence[str], root: Path = ROOT, here: Path = HERE) -> int:
    """Check the texts of a checkout, print the places that break rules, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.prose")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--all", action="store_true", help="show the places in unfinished texts, too")
    choice.add_argument("--update", action="store_true", help="remove finished texts from unfinished.txt")
    options = parser.parse_args(list(arguments))
    unfinished_list = here / "unfinished.txt"
    unfinished = unfinished_list.read_text(encoding="utf-8").splitlines()
    rules, texts = read_rules(here / "rules.txt"), texts_in(root)
    found = {name: sorted(hits(text, rules)) for name, text in texts.items()}
    if options.update:
        unfinished = [name for name in unfinished if found.get(name)]
        unfinished_list.write_text("".join(f"{name}\n" for name in unfinished), encoding="utf-8")
    shown = [name for name in texts if options.all or name not in unfinished]
    for name in shown:
        for hit in found[name]:
            print(line_of(name, texts[name], hit))
    waiting = [len(found[name]) for name in unfinished if found.get(name)]
    if waiting:
        print(f"{sum(waiting)} places in {len(waiting)} texts of unfinished.txt are still to be rewritten.")
    broken = any(found[name] for name in texts if name not in unfinished)
    return 1 if misspelled(texts, root) or broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
