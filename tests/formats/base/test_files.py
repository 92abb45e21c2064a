"""The size limit of file reads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from io_tomb_raider.formats import FormatError, Game, read_level
from io_tomb_raider.formats.base.bytes.files import file_content, read_file
from io_tomb_raider.formats.editors.wads.object_files import read_files
from io_tomb_raider.formats.levels.game_files.files import script_to_readable
from io_tomb_raider.formats.levels.game_files.level_names import read_level_names

_READERS: dict[str, Callable[[Path], Any]] = {
    "level.phd": read_level,
    "objects.wad": read_files,
    "SCRIPT.DAT": script_to_readable,
    "TOMBPC.DAT": lambda path: read_level_names(path.with_name("a.tr2"), Game.TR2, path),
    "any.bin": file_content,
}


@pytest.fixture
def huge(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that creates a sparse file, one byte larger than the limit."""

    def make(name: str) -> Path:
        path = tmp_path / name
        path.touch()
        os.truncate(path, (1 << 30) + 1)
        return path

    return make


@pytest.mark.parametrize("name", _READERS)
def test_files_beyond_the_limit_are_refused_unread(name: str, huge: Callable[[str], Path]) -> None:
    with pytest.raises(FormatError, match="at most 1073741824 bytes") as caught:
        _READERS[name](huge(name))
    assert caught.value.section == "file"


def test_the_start_of_a_file_of_any_size_can_be_read(huge: Callable[[str], Path]) -> None:
    assert read_file(huge("any.bin"), 5) == bytes(5)
    assert read_file(huge("any.bin"), 0) == b""


def test_whole_files_and_given_bytes_are_returned(tmp_path: Path) -> None:
    (tmp_path / "any.bin").write_bytes(b"content")
    assert read_file(tmp_path / "any.bin") == file_content(str(tmp_path / "any.bin")) == b"content"
    assert read_file(tmp_path / "any.bin", 100) == b"content"
    assert file_content(b"given") == b"given"
