"""Detection of the kind of a script file, whatever its name."""

from __future__ import annotations

import pytest

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.levels.game_files.files import ScriptKind, script_kind

from .gameflow_samples import gameflow_file
from .tr4_script_samples import language_file, script_file

NAMES = ("TOMBPC.DAT", "Script.dat", "ENGLISH.DAT", "any.dat", "")
FILES = {
    ScriptKind.GAMEFLOW: gameflow_file(),
    ScriptKind.SCRIPT: script_file(),
    ScriptKind.LANGUAGE: language_file(),
}


@pytest.mark.parametrize("kind", FILES)
def test_the_content_decides_which_script_a_file_is(kind: ScriptKind) -> None:
    assert [script_kind(FILES[kind], name) for name in NAMES] == [kind] * len(NAMES)


def test_errors_of_invalid_scripts_depend_on_the_file_name() -> None:
    sections = []
    for name in NAMES:
        with pytest.raises(FormatError) as caught:
            script_kind(b"no script", name)
        sections.append(caught.value.section)
    assert sections == ["version", sections[1], "header", "header", "header"]
    assert len(set(sections)) == 3
