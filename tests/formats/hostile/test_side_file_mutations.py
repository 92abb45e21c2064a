"""Damaged side files: each ends in a valid result or a FormatError, quickly and with little memory."""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, FormatError, Game, read_level
from io_tomb_raider.formats.editors.animation_files.anim import read_anim, write_anim
from io_tomb_raider.formats.editors.animation_files.trw import read_trw, write_trw
from io_tomb_raider.formats.editors.projects.compile.plan.resources import decode_obj
from io_tomb_raider.formats.editors.projects.compile.sounds.catalogs import (
    read_catalog,
    read_compiled_catalog,
    read_text_catalog,
)
from io_tomb_raider.formats.editors.projects.model.objects import Positioned
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion
from io_tomb_raider.formats.editors.projects.prj.prj_convert import read_prj
from io_tomb_raider.formats.editors.wads.wad.level import convert_wad
from io_tomb_raider.formats.editors.wads.wad.swd import read_swd
from io_tomb_raider.formats.editors.wads.wad.wad import read_wad
from io_tomb_raider.formats.editors.wads.wad2.edit import edit_wad2
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.formats.edits.injections.apply import apply_injection
from io_tomb_raider.formats.edits.injections.edits import edits_of
from io_tomb_raider.formats.levels.cutscenes.cutseq import read_cutseq
from io_tomb_raider.formats.levels.cutscenes.pak import Pak, decode_picture, read_pak
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import VARIANTS, read_gameflow
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow_text import gameflow_to_text
from io_tomb_raider.formats.levels.game_files.strings.language import language_to_text, read_language
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script_text import script_to_text
from io_tomb_raider.formats.levels.injections.convert import converted
from io_tomb_raider.formats.levels.injections.fields import TRXI
from io_tomb_raider.formats.levels.injections.files import read_injection
from io_tomb_raider.formats.levels.injections.trxj import Injection
from io_tomb_raider.formats.levels.sounds.files import read_cd_audio, read_cd_audio_names, read_main_sfx
from io_tomb_raider.formats.levels.sounds.waves import decode_wave

from ...animation_samples import anim_file, trw_file
from ...prj_samples import sample_prj
from ...sample_levels import sample_bytes
from ...sample_projects import old_project, sample_project
from ...wad2_samples import sample_wad2
from ...wad_samples import sample_swd, sample_wad
from ..editors.projects.compile.compile_samples import OBJ, TEXT_CATALOG, catalog, compiled_catalog, sound
from ..levels.cutscenes.samples import Sample, cutseq_file
from ..levels.game_files.gameflow_samples import gameflow_file
from ..levels.game_files.tr4_script_samples import extra_strings, language_file, script_file, trng_footer
from ..levels.injections.samples import mod, sector, sector_edit, t1mj, trxj
from ..levels.sounds.samples import cd_audio, main_sfx

pytestmark = pytest.mark.fuzz

_CASES = 400
_SECONDS = 5.0  # for one file: far more than necessary


def _cutscenes(data: bytes) -> None:
    cutseq = read_cutseq(data)
    for number in cutseq.numbers:
        cutseq.cutscene(number)
    cutseq.to_bytes()


def _sounds(data: bytes) -> None:
    sounds = read_main_sfx(data)
    for number in range(len(sounds)):
        decode_wave(sounds.wave(number))


def _tracks(data: bytes) -> None:
    audio = read_cd_audio(data)
    for number in audio.tracks:
        audio.wave(number)


def _wad2(data: bytes) -> None:
    library = wad2_to_level(read_wad2(data))
    assert edit_wad2(library, read_level(library.level.to_bytes())).to_bytes()


def _project(data: bytes) -> None:
    """Check that an untouched project keeps its bytes, and that all of it can be changed and written."""
    project = read_project(data)
    assert project.to_bytes() == data
    for room in project.rooms:
        room.shape.flags[...] = 5
        room.shape.floor.heights[...] += 256
        for obj in room.objects:
            if isinstance(obj, Positioned):
                obj.position = (1.0, 2.0, 3.0)
    project.to_bytes()


def _convert(data: bytes) -> None:
    """Convert an injection to the other form, and apply it."""
    level = read_level(sample_bytes(Game.TR2))
    injection = read_injection(data, Game.TR2)
    assert isinstance(injection, Injection)
    injection.to_bytes()
    edits_of(injection)
    apply_injection(injection, level).left.to_bytes()
    try:
        converted(converted(injection, 11, Game.TR2).injection, TRXI).injection.to_bytes()
    except ExportError as error:
        assert error.subject


def _compressed(payload: bytes) -> bytes:
    """Return a size and compressed data."""
    data = zlib.compress(payload, 1)
    return struct.pack("<i", len(data)) + data


def _injection() -> bytes:
    return trxj(9, [(17, 2, sector(1, 2, 3, sector_edit(300)) + sector(2, 1, 1, (1, b"")))], level=0)


READERS: dict[str, tuple[Callable[[], bytes], Callable[[bytes], Any]]] = {
    **{
        f"TOMBPC {number}": (
            partial(gameflow_file, each),
            lambda data: gameflow_to_text(read_gameflow(data)),
        )
        for number, each in enumerate(VARIANTS)
    },
    "TRXJ": (_injection, lambda data: read_injection(data).to_bytes()),
    "TRXI": (mod, _convert),
    "content of TRXI": (
        lambda: zlib.decompress(mod()[20:]),
        lambda payload: _convert(mod()[:12] + struct.pack("<i", len(payload)) + _compressed(payload)),
    ),
    "T1MJ": (lambda: t1mj(9, floor_edits=[sector(1, 2, 3)]), lambda data: read_injection(data).to_bytes()),
    "SCRIPT TR4": (script_file, lambda data: script_to_text(read_script(data, Game.TR4))),
    "SCRIPT TR5": (lambda: script_file(tr5=True), lambda data: script_to_text(read_script(data, Game.TR5))),
    "ENGLISH": (language_file, lambda data: language_to_text(read_language(data))),
    "ENGLISH of TRNG": (
        lambda: language_file(footer=trng_footer((0x800A, extra_strings([(3, b"Extra")])))),
        lambda data: language_to_text(read_language(data)),
    ),
    "CUTSEQ.BIN": (lambda: cutseq_file({1: Sample(1).data, 4: Sample(2).data}, 44), _cutscenes),
    "CUTSEQ.PAK": (lambda: Pak.of(cutseq_file({2: Sample(2).data}, 30)).to_bytes(), _cutscenes),
    "PAK": (
        lambda: Pak.of(bytes(512 * 256 * 3)).to_bytes(),
        lambda data: decode_picture(read_pak(data).content),
    ),
    "MAIN.SFX": (main_sfx, _sounds),
    "CDAUDIO.WAD": (cd_audio, _tracks),
    "CDAudio.db": (
        lambda: b"".join((b"track %d" % n).ljust(32, b"\0") for n in range(130)),
        read_cd_audio_names,
    ),
    "WAD": (lambda: sample_wad().to_bytes(), lambda data: convert_wad(read_wad(data)).level.to_bytes()),
    "WAD2": (sample_wad2, _wad2),
    "PRJ2": (lambda: sample_project().to_bytes(), _project),
    "PRJ2 of TombEngine": (lambda: sample_project(GameVersion.TOMB_ENGINE).to_bytes(), _project),
    "PRJ2 of 2018": (old_project, _project),
    "PRJ": (lambda: sample_prj().to_bytes(), read_prj),
    "PRJ of TRNG": (lambda: sample_prj(ng=True).to_bytes(), read_prj),
    "sound catalog": (
        lambda: catalog(sound(2, "a.wav", Volume=50), sound(3, "b.wav", LoopBehaviour="Looped")).encode(),
        read_catalog,
    ),
    "sound catalog of the level editor": (
        lambda: compiled_catalog()[0],
        lambda data: read_compiled_catalog(data, compiled_catalog()[1]),
    ),
    "text catalog": (lambda: TEXT_CATALOG.encode(), read_text_catalog),
    "OBJ": (lambda: OBJ.encode(), decode_obj),
    "anim": (anim_file, lambda data: write_anim(read_anim(data))),
    "trw": (trw_file, lambda data: write_trw(read_trw(data))),
    "SWD": (lambda: sample_swd().to_bytes(), read_swd),
}


def damaged(data: bytes, count: int) -> Iterator[bytes]:
    """Yield copies of a file: truncated, with a byte changed, or with a number set to 0, 1 or the maximum."""
    random = np.random.default_rng(len(data))
    for _ in range(count):
        place = int(random.integers(len(data)))
        kind = int(random.integers(6))
        if kind == 0:
            yield data[:place]
        elif kind == 1:
            yield data[:place] + bytes([int(random.integers(256))]) + data[place + 1 :]
        else:
            # Most counts are near the start.
            place = place if kind == 2 else min(place, int(random.integers(200)))
            size = int(random.choice([2, 4]))
            value = (0, 1, (1 << 8 * size) - 1, 1 << (8 * size - 1))[int(random.integers(4))]
            yield data[:place] + value.to_bytes(size, "little") + data[place + size :]


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_end_in_an_error_or_a_result(name: str) -> None:
    make, read = READERS[name]
    data = make()
    read(data)
    for number, each in enumerate(damaged(data, _CASES if name != "WAD" else _CASES // 4)):
        start = monotonic()
        measured = number % 20 == 0
        if measured:
            tracemalloc.start()
        try:
            read(each)
        except FormatError as error:
            assert error.expected and error.found
        finally:
            if measured:
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                assert peak < 80e6 + 64 * len(each)
        assert monotonic() - start < _SECONDS
