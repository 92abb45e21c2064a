"""Tests of sound catalogs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Game
from io_tomb_raider.formats.checks.check import check_level
from io_tomb_raider.formats.projects.compile.catalogs import read_catalog
from io_tomb_raider.formats.projects.objects import SoundSource
from io_tomb_raider.formats.projects.project import Project
from io_tomb_raider.formats.sounds.samples import sample_waves
from io_tomb_raider.formats.sounds.waves import decode_wave, encode_wave, read_wave

from .compile_samples import catalog, compiled, lara, plain_room, project_of, sound, texture_all, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "samples").mkdir()
    tone = (np.sin(np.arange(2205) / 5) * 8000).astype(np.int16)[:, None]
    (tmp_path / "samples" / "One.wav").write_bytes(encode_wave(tone, 22050, 16))
    (tmp_path / "samples" / "two.wav").write_bytes(encode_wave(tone[:441], 44100, 16))
    first = catalog(
        sound(
            2, "one.wav", "two.wav", Volume=50, RangeInSectors=6, Chance=100, PitchFactor=-100,
            LoopBehaviour="Looped", RandomizePitch="true", DisablePanning="false",
        ),
        sound(700, "one.wav"),
        sound(5, "lost.wav"),
    )  # fmt: skip
    (tmp_path / "a.xml").write_text(first)
    (tmp_path / "b.xml").write_text(catalog(sound(2, "two.wav"), sound(3, "two.wav", Chance=50)))
    return tmp_path


def project(folder: Path, game: Game, version: int | None = None) -> Project:
    room = plain_room(0)
    texture_all([room])
    room.objects += [lara(), SoundSource(1, (1536, 0, 1536), sound=3), SoundSource(2, sound=999)]
    made = project_of([room], game, folder, version)
    made.settings.catalogs = ["a.xml", "b.xml", "lost.xml"]
    made.settings.sample_directories = ["nowhere", "$(LevelDirectory)\\Samples"]
    made.settings.selected_sounds = [2, 3, 5]
    return made


def test_selected_sounds_are_embedded(folder: Path) -> None:
    made = compiled(project(folder, Game.TR4), folder)
    level = written(made.level)
    numbers = np.flatnonzero(level.sound_map >= 0).tolist()
    assert numbers == [2, 3] and len(level.sound_details) == 2
    first, second = level.sound_details[level.sound_map[[2, 3]]]
    assert (int(first["volume"]), int(first["range"]), int(first["chance"])) == (128, 6, 0)
    assert int(first["pitch"]) == -127 and int(first["flags"]) == 3 | 2 << 2 | 0x2000
    assert int(second["chance"]) == 128 and int(second["sample"]) == 2
    waves = [read_wave(each) for each in sample_waves(level)]
    assert [wave.tag for wave in waves] == [2, 2, 2] and {wave.rate for wave in waves} == {22050}
    assert len(level.sound_sources) == 1
    warnings = [str(each) for each in made.log.warnings]
    assert any("one sample was not found" in each for each in warnings)
    assert any("one selected sound" in each for each in warnings)
    assert [each.path for each in made.missing] == ["lost.xml"]
    assert {each.check for each in check_level(level)} == {"missing sounds"}  # of the animations


def test_trng_has_more_sounds_and_plain_waves(folder: Path) -> None:
    made = project(folder, Game.TR4, 16)
    made.settings.selected_sounds.append(700)
    level = written(compiled(made, folder).level)
    assert len(level.sound_map) == 2048 and np.flatnonzero(level.sound_map >= 0).tolist() == [2, 3, 700]
    wave = read_wave(sample_waves(level)[0])
    assert wave.tag == 1 and len(decode_wave(wave)) == 2205
    assert {each.check for each in check_level(level)} == {"missing sounds"}


def test_old_games(folder: Path) -> None:
    old = compiled(project(folder, Game.TR1), folder).level
    details = old.sound_details[old.sound_map[2]]
    assert int(details["volume"]) == round(0x7FFF / 2) and int(details["flags"]) == 2 | 2 << 2 | 0x2000
    made = compiled(project(folder, Game.TR2), folder)
    assert any("MAIN.SFX" in each for each in made.log.warnings) and len(made.level.sound_details)


@pytest.mark.parametrize(
    "text", ["", "<WadSounds>", "<Other/>", catalog("<WadSoundInfo><Id>x</Id></WadSoundInfo>")]
)
def test_damaged_catalogs_are_errors(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(text)
    with pytest.raises(FormatError):
        read_catalog(path)


def test_damaged_catalogs_are_reported(folder: Path) -> None:
    (folder / "a.xml").write_text("<WadSounds>")
    made = compiled(project(folder, Game.TR4), folder)
    assert any(each.startswith("a.xml: ") for each in made.log.warnings)
    assert np.flatnonzero(made.level.sound_map >= 0).tolist() == [2, 3]
