"""Tests of the check of spelling and style: rules, what counts as prose, and the list of unfinished texts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.prose import __main__ as prose
from tools.prose.style import hits, read_rules

pytestmark = pytest.mark.once
RULES = read_rules(prose.HERE / "rules.txt")


def words_in(text: str) -> list[str]:
    return [hit.words for hit in hits(text, RULES)]


@pytest.mark.parametrize(
    "text",
    [
        "Each thing of the level has a name",
        "The export tells you",
        "Reports say so",
        "Its room is told",
        "The level carries its file",
        "What comes along is copied",
        "Doors bring their sounds",
        "Lets users paint",
        "The room lies above",
        "A portal that leads nowhere",
        "It moves by itself",
        "Another game's level",
        "It is drawn behind the import",
        "The room beside it",
        "It is no more a room",
        "The mesh is made anew",
        "Nobody asked",
        "Find out what it is",
        "What is there stays",
        "The game has no word for it",
    ],
)
def test_poor_words_are_found(text: str) -> None:
    assert len(words_in(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Something, anything and everything",
        "No more than 32 rooms, with no more *Vertices* than set",
        "Let go of the mouse button",
        "The room behind the door is besides this empty",
        "The script says that the level is last",
        "Lara stands, and a switch is standing on the floor",
        "The outlet of a storyteller",
    ],
)
def test_words_in_other_senses_are_not_found(text: str) -> None:
    assert words_in(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Use `things` here",
        "```\nthings = 1\n```",
        "Example:\n\n    tell(things)\n",
        "[page](things.md)",
        "<!-- tell -->",
        "{things} of the level",
    ],
)
def test_code_links_and_placeholders_are_no_prose(text: str) -> None:
    assert words_in(text) == []


def test_indented_lists_are_prose_and_line_breaks_are_spaces() -> None:
    text = "- Rooms\n    - Each thing of it.\n\nA room is no\nmore a room.\n"
    assert [(hit.line, hit.words) for hit in sorted(hits(text, RULES))] == [(2, "thing"), (4, "no more")]


def test_a_line_that_is_no_rule_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("# comment\n\nthings? -> object\n", encoding="utf-8")
    assert [rule.advice for rule in read_rules(path)] == ["object"]
    path.write_text("thing\n", encoding="utf-8")
    with pytest.raises(ValueError, match="'thing' is no rule"):
        read_rules(path)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout with texts; its spelling is always right."""
    texts = {
        "README.md": "A level.\n",
        "CONTRIBUTING.md": "A level.\n",
        "CHANGELOG.md": "A level.\n",
        "docs/rooms.md": "A room.\n\nThe things of it.\n",
        "docs/tutorials/door.md": "A door.\n",
        "rules.txt": "things? -> object\n",
        "unfinished.txt": "",
        "io_tomb_raider/ui/translations/de.po": 'msgid "Each\\nlevel"\nmsgstr "Jedes thing"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    monkeypatch.setattr(prose.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0))
    return tmp_path


def check(checkout: Path, *arguments: str) -> int:
    return prose.main(arguments, checkout, checkout)


def test_a_broken_rule_is_an_error_with_its_place(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(checkout) == 1
    assert capsys.readouterr().out == 'docs/rooms.md:3: "things": object\n'
    (checkout / "docs" / "rooms.md").write_text("A room.\n", encoding="utf-8")
    assert check(checkout) == 0


def test_texts_of_the_interface_are_checked_in_english_only(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = checkout / "io_tomb_raider" / "ui" / "translations" / "de.po"
    path.write_text('msgid "Paint things"\nmsgstr "Malen"\n', encoding="utf-8")
    assert check(checkout, "--all") == 1
    assert "interface texts: 'Paint things': \"things\": object\n" in capsys.readouterr().out


def test_names_of_tests_are_checked_with_their_lines(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "docs" / "rooms.md").write_text("A room.\n", encoding="utf-8")
    module = checkout / "tests" / "ui" / "test_rooms.py"
    module.parent.mkdir(parents=True)
    module.write_text("things = 1\n\n\ndef test_all_things_move() -> None:\n    pass\n", encoding="utf-8")
    assert check(checkout) == 1
    assert capsys.readouterr().out == 'tests/ui/test_rooms.py:4: "things": object\n'


def test_unfinished_texts_are_counted_and_the_list_only_becomes_shorter(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = checkout / "unfinished.txt"
    listed.write_text("docs/rooms.md\ndocs/tutorials/door.md\ndocs/gone.md\n", encoding="utf-8")
    assert check(checkout) == 0
    assert capsys.readouterr().out == "1 places in 1 texts of unfinished.txt are still to be rewritten.\n"
    assert check(checkout, "--update") == 0
    assert listed.read_text(encoding="utf-8") == "docs/rooms.md\n"
    (checkout / "README.md").write_text("Some things.\n", encoding="utf-8")
    assert check(checkout, "--update") == 1
    assert listed.read_text(encoding="utf-8") == "docs/rooms.md\n"


def test_a_misspelled_word_is_an_error(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "docs" / "rooms.md").write_text("A room.\n", encoding="utf-8")
    commands: list[list[str]] = []
    written: list[str] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        written.extend(path.name for path in Path(command[-1]).iterdir())
        return subprocess.CompletedProcess(command, 65)

    monkeypatch.setattr(prose.subprocess, "run", run)
    assert check(checkout) == 1
    (command,) = commands
    assert command[1:3] == ["-m", "codespell_lib"]
    assert {"README.md", "docs/tutorials/door.md"} < {*command}
    assert written == ["interface texts.txt"]
