"""Tests of the catalogue's tables in the zip."""

import shutil
from pathlib import Path

import pytest

import build
from io_tomb_raider.catalogue import tables


def test_an_installed_extension_reads_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sorted(Path(tables.__file__).parent.glob("*.txt"))
    shutil.unpack_archive(build.build_zip(tmp_path), tmp_path / "installed")
    monkeypatch.setattr(tables, "_FOLDER", tmp_path / "installed" / "catalogue")
    tables._packed.cache_clear()
    assert len(files) > 7 and not list(tables._FOLDER.glob("*.txt"))
    for path in files:
        assert tables.table_lines(path.stem) == path.read_text().splitlines()
    tables._packed.cache_clear()
