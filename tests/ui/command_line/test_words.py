"""Tests of error messages in plain language."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from io_tomb_raider.ui.base.text.words import explain


@pytest.mark.parametrize(
    ("number", "writable", "said"),
    [
        (errno.EACCES, False, "the folder {folder} is write-protected"),
        (errno.EROFS, True, "the folder {folder} is write-protected"),
        (errno.EACCES, True, "there is no permission to use {path}"),
        (errno.ENOSPC, True, "the disk of {folder} is full"),
        (errno.ENOENT, True, "No such file or directory: {path}"),
    ],
)
def test_files_that_cannot_be_used_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, writable: bool, said: str
) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: writable)
    path = str(tmp_path / "level.phd")
    error = OSError(number, os.strerror(number), path)
    assert explain(error) == said.format(folder=tmp_path, path=path)
