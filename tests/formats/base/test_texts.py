"""Text files in the encodings and with the line ends of other programs."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.texts import joined_lines, plain_text
from io_tomb_raider.formats.editors.projects.compile.plan.paths import ProjectPaths
from io_tomb_raider.formats.editors.projects.compile.plan.resources import ModelArrays, decode_obj
from io_tomb_raider.formats.editors.projects.compile.rooms.metasequoia import decode_mqo
from io_tomb_raider.formats.editors.projects.compile.sounds.catalogs import read_catalog, read_text_catalog
from io_tomb_raider.formats.edits.patches.patch import make_patch, read_patch
from io_tomb_raider.formats.levels.game_files.beside import file_in
from io_tomb_raider.formats.levels.game_files.trx.trx_catalog import parse_catalog
from tests.sample_levels import sample_bytes

from ..editors.projects.compile.compile_samples import MQO, OBJ, TEXT_CATALOG, catalog, sound

_ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "UTF-8 with a mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "UTF-16 LE": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "UTF-16 BE": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "lines of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "lines of old Macs": lambda text: text.replace("\n", "\r").encode(),
}
each_encoding = pytest.mark.parametrize("encoding", _ENCODINGS)


def _model(model: ModelArrays) -> Any:
    return model.positions.tolist(), model.triangles.tolist(), model.uv.tolist(), model.material.tolist()


def _patch() -> str:
    base = sample_bytes(Game.TR1)
    return make_patch(base, base).to_bytes().decode()


READERS: dict[str, tuple[Callable[[], str], Callable[[bytes], Any]]] = {
    "OBJ": (lambda: OBJ, lambda data: _model(decode_obj(data))),
    "MQO": (lambda: MQO, lambda data: _model(decode_mqo(data))),
    "patch": (_patch, lambda data: read_patch(data).document),
    "sound catalog": (lambda: catalog(sound(2, "a.wav", Volume=50)), read_catalog),
    "text catalog": (lambda: TEXT_CATALOG, read_text_catalog),
    "catalog of TRX": (
        lambda: "1, O_LARA_MAGNUM,\n3, O_WOLF\n",
        lambda data: parse_catalog(plain_text(data)),
    ),
}


@each_encoding
@pytest.mark.parametrize("name", READERS)
def test_every_text_file_is_read_in_every_encoding(name: str, encoding: str) -> None:
    make, read = READERS[name]
    text = make()
    assert read(_ENCODINGS[encoding](text)) == read(text.encode())


def test_encodings_of_texts_are_detected() -> None:
    assert plain_text("Größe".encode("cp1252")) == plain_text("Größe".encode()) == "Größe"
    assert plain_text("Größe".encode("utf-16-le")) == plain_text("Größe".encode("utf-16-be")) == "Größe"
    assert plain_text(b"\xc3\xb6", "cp1252") == "Ã¶"
    assert plain_text(b"") == ""


def test_backslashes_continue_lines() -> None:
    assert joined_lines("f 1 \\\n2\\ \r\n3\nv \\ 4") == ["f 1  2 3", "v \\ 4"]


@each_encoding
@pytest.mark.parametrize(
    "image",
    [
        "map_Kd pal.png",
        "map_Kd\tpal.png",
        "map_Kd -s 1 1 1 pal.png",
        "map_Kd -clamp on -o 0.5 0 -mm 0 1 pal.png",
        "MAP_KD -blendu off -imfchan r -bm 1.0 PAL.PNG",
        'map_Kd "pal.png"',
        "map_Kd -s 1 1 \\\n1 C:\\textures\\pal.png",
    ],
)
def test_images_of_materials_in_all_forms(image: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "pal.png").write_bytes(b"")
    (tmp_path / "model.mtl").write_bytes(_ENCODINGS[encoding](f"# a comment\nnewmtl wall\n{image}\nd 0.5\n"))
    made = decode_obj(_ENCODINGS[encoding](OBJ.replace("2/2 3/3", "2/2 \\\n 3/3", 1)), tmp_path)
    assert len(made.triangles) == 3 and np.isfinite(made.uv).all()
    assert made.images == [tmp_path / "pal.png"] and made.additive == [True]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_are_found_in_every_form_of_unicode(form: Literal["NFC", "NFD"], tmp_path: Path) -> None:
    other: Literal["NFC", "NFD"] = "NFD" if form == "NFC" else "NFC"
    folder = tmp_path / unicodedata.normalize(form, "GRÖSSE")
    folder.mkdir()
    place = folder / unicodedata.normalize(form, "stöne.png")
    place.write_bytes(b"")
    paths = ProjectPaths(tmp_path / "a.prj2")
    assert paths.find(unicodedata.normalize(other, "grösse/STÖNE.png")) == place
    assert file_in(folder, unicodedata.normalize(other, "Stöne.png")) == place
