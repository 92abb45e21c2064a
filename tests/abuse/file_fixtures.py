"""Files of every kind that the extension opens, and random options for operators."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import bpy

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import VARIANTS
from tests.formats.levels.cutscenes.samples import Sample, cutseq_file
from tests.formats.levels.game_files.gameflow_samples import gameflow_file
from tests.formats.levels.game_files.tr4_script_samples import language_file, script_file
from tests.formats.levels.sounds.samples import TRACKS, cd_audio
from tests.sample_levels import sample_bytes
from tests.sample_levels.world import build_main_sfx
from tests.ui.everything import operator_function
from tests.wad2_samples import sample_wad2
from tests.wad_samples import sample_swd, sample_wad

_SUFFIXES = {Game.TR1: "phd", Game.TR2: "tr2", Game.TR3: "TR2", Game.TR4: "tr4", Game.TR5: "trc"}
_LEFT = ("rna_type", "check_existing", "filter_glob")
_PATHS = ("filepath", "source", "target", "kit_level")  # options that are paths and not choices
_FOLDERS = ("directory", "folder")
_DATA = ("objects", "collections", "images", "texts", "sounds", "materials", "actions")


@cache
def _contents() -> dict[str, bytes]:
    return {
        **{f"{game.name}.{suffix}": sample_bytes(game) for game, suffix in _SUFFIXES.items()},
        "MAIN.SFX": build_main_sfx(Game.TR3),
        "CDAUDIO.WAD": cd_audio(),
        "sound.wav": TRACKS[2],
        "TOMBPC.DAT": gameflow_file(VARIANTS[0]),
        "SCRIPT.DAT": script_file(),
        "ENGLISH.DAT": language_file(),
        "CUTSEQ.BIN": cutseq_file({1: Sample(1).data}, 44),
        "objects.wad2": sample_wad2(),
        "objects.wad": sample_wad().to_bytes(),
        "objects.swd": sample_swd().to_bytes(),
        "nothing.tr4": b"",
    }


def file_names() -> list[str]:
    """Return the names of the files."""
    return list(_contents())


def write_files(folder: Path, number: int) -> Path:
    """Write the files into a folder, restoring those that exports have overwritten, and return one."""
    for name, content in _contents().items():
        path = folder / name
        if not path.exists() or path.stat().st_size != len(content) or path.read_bytes() != content:
            path.write_bytes(content)
    names = file_names()
    return folder / names[number % len(names)]


def options(operator: str, folder: Path, number: int) -> dict[str, Any]:
    """Return random options for an operator: a file, and for every second number other options, too."""
    random = Random(number)
    return dict(_options(operator, folder, random, is_plain=number % 2 == 0))


def _options(operator: str, folder: Path, random: Random, *, is_plain: bool) -> Iterator[tuple[str, object]]:
    for each in operator_function(operator).get_rna_type().properties:
        name, kind = each.identifier, each.type
        if name in _LEFT or each.is_readonly or getattr(each, "is_array", False):
            continue
        if name in _PATHS and kind == "STRING":
            yield name, str(write_files(folder, random.randrange(1000)))
        elif name in _FOLDERS:
            yield name, str(folder)
        elif is_plain:
            continue
        elif kind == "BOOLEAN":
            yield name, random.random() < 0.5
        elif kind == "ENUM" and len(each.enum_items_static) and not each.is_enum_flag:
            yield name, random.choice(list(each.enum_items_static)).identifier
        elif kind == "INT":
            yield name, random.choice((-1, 0, 1, 3, 255, 1 << 20))
        elif kind == "STRING":
            yield name, random.choice(_names())


def _names() -> list[str]:
    lists = [getattr(bpy.data, each) for each in _DATA]
    return ["", "no such thing", *(each[0].name for each in lists if len(each)), *bpy.data.collections.keys()]
