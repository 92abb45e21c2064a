"""The zip of the extension is packed again with the same files."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import build
from tools.pack import pack


def test_a_packed_zip_has_the_same_files_in_fewer_bytes(tmp_path: Path) -> None:
    path = build.build_zip(tmp_path)
    before, size = _files(path), path.stat().st_size
    pack(path)
    assert _files(path) == before
    with ZipFile(path) as archive:
        assert archive.testzip() is None
    assert path.stat().st_size < 0.99 * size


def test_packing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "small.zip"
    with ZipFile(path, "w") as archive:
        for name, text in (("Lara.txt", "Lara" * 500), ("Sous-répertoire/é.txt", "é" * 70), ("empty", "")):
            archive.writestr(name, text)
    pack(path)
    once = path.read_bytes()
    pack(path)
    assert path.read_bytes() == once
    assert [name for name, *_ in _files(path)] == ["Lara.txt", "Sous-répertoire/é.txt", "empty"]


def _files(path: Path) -> list[tuple[object, ...]]:
    with ZipFile(path) as archive:
        return [
            (each.filename, archive.read(each), each.date_time, each.external_attr, each.create_system)
            for each in archive.infolist()
        ]
