"""Tests of sound catalogs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Game
from io_tomb_raider.formats.editors.projects.compile.sounds.catalogs import (
    read_catalog,
    read_compiled_catalog,
    read_text_catalog,
)
from io_tomb_raider.formats.editors.projects.model.objects import SoundSource
from io_tomb_raider.formats.editors.projects.model.project import Project
from io_tomb_raider.formats.editors.projects.model.settings import OLD_SAMPLE_FOLDERS
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.injections.block import read_block
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.sounds.waves import decode_wave, encode_wave, read_wave

from .compile_samples import (
    TEXT_CATALOG,
    catalog,
    compiled,
    compiled_catalog,
    lara,
    plain_room,
    project_of,
    sound,
    texture_all,
    written,
)


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
    others = sound(2, "two.wav"), sound(3, "two.wav", Chance=50), sound(6, "lost.wav", "one.wav")
    (tmp_path / "b.xml").write_text(catalog(*others))
    return tmp_path


def project(folder: Path, game: Game, version: int | None = None) -> Project:
    room = plain_room(0)
    texture_all([room])
    places = SoundSource(1, (1536, 0, 1536), sound=3), SoundSource(2, sound=999), SoundSource(3, sound=5)
    room.objects += [lara(), *places]
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
    assert int(second["chance"]) == 127 and int(second["sample"]) == 2  # cut, not rounded
    waves = [read_wave(each) for each in sample_waves(level)]
    assert [(wave.tag, wave.bits, wave.channels, wave.rate) for wave in waves] == [(1, 16, 1, 22050)] * 3
    assert level.sample_indices.tolist() == [0, 1, 2]
    # The source of sound 5 stays: the catalog has the sound.
    assert level.sound_sources["sound"].tolist() == [3, 5]
    warnings = [str(each) for each in made.log.warnings]
    assert any("one sample was not found" in each for each in warnings)
    assert any("one selected sound" in each for each in warnings)
    assert [each.path for each in made.missing] == ["lost.xml"]
    # The first is about sounds of the animations.
    assert {each.check for each in check_level(level)} == {"missing sounds", "reader: sound sources"}


def test_missing_samples_are_silent(folder: Path) -> None:
    made = project(folder, Game.TR4)
    made.settings.selected_sounds = [6]
    level = written(compiled(made, folder).level)
    assert int(level.sound_details["flags"][0]) >> 2 & 63 == 2
    silent, played = map(read_wave, sample_waves(level))
    assert not decode_wave(silent).any() and decode_wave(played).any()
    # The places of samples count those of all sounds: 2 of sound 2, and one each of 3 and 5.
    assert level.sample_indices.tolist() == [4, 5]


def test_samples_are_found_in_folders_below(folder: Path) -> None:
    made = project(folder, Game.TR4)
    (folder / "samples" / "deep" / "deeper").mkdir(parents=True)
    (folder / "samples" / "two.wav").rename(folder / "samples" / "deep" / "deeper" / "TWO.WAV")
    level = compiled(made, folder).level
    assert np.flatnonzero(level.sound_map >= 0).tolist() == [2, 3] and level.sample_count == 3


def test_samples_of_old_projects_are_in_usual_folders(folder: Path) -> None:
    made = project(folder, Game.TR4)
    made.settings.sample_directories = list(OLD_SAMPLE_FOLDERS)
    (folder / "samples").rename(folder / "elsewhere")
    assert np.flatnonzero(compiled(made, folder).level.sound_map >= 0).tolist() != [2, 3]
    (folder / "sound").mkdir()
    (folder / "elsewhere").rename(folder / "sound" / "SAMPLES")
    assert np.flatnonzero(compiled(made, folder).level.sound_map >= 0).tolist() == [2, 3]


def test_the_rate_is_that_of_the_project(folder: Path) -> None:
    made = project(folder, Game.TR4)
    made.settings.custom_sample_rate_enabled, made.settings.custom_sample_rate = True, 44100
    waves = sample_waves(compiled(made, folder).level)
    assert {read_wave(each).rate for each in waves} == {44100}


def test_trng_has_more_sounds(folder: Path) -> None:
    made = project(folder, Game.TR4, 16)
    made.settings.selected_sounds.append(700)
    level = written(compiled(made, folder).level)
    assert len(level.sound_map) == 2048 and np.flatnonzero(level.sound_map >= 0).tolist() == [2, 3, 700]
    wave = read_wave(sample_waves(level)[0])
    assert wave.tag == 1 and len(decode_wave(wave)) == 2205
    assert {each.check for each in check_level(level)} == {"missing sounds", "reader: sound sources"}
    made = project(folder, Game.TR4)
    made.settings.selected_sounds.append(700)
    assert any("above 369" in each for each in compiled(made, folder).log.warnings)


def test_trng_has_all_its_numbers_without_a_catalog(folder: Path) -> None:
    made = project(folder, Game.TR4, 16)
    made.settings.catalogs, made.settings.selected_sounds = [], []
    level = written(compiled(made, folder).level)
    assert len(level.sound_map) == 2048 and level.sound_map_counted


def test_old_games(folder: Path) -> None:
    old = compiled(project(folder, Game.TR1), folder).level
    details = old.sound_details[old.sound_map[2]]
    assert int(details["volume"]) == round(0x7FFF / 2) and int(details["flags"]) == 2 | 2 << 2 | 0x2000
    assert int(old.sound_details["flags"][old.sound_map[3]]) & 3 == 1  # played again by each trigger
    wave = read_wave(sample_waves(written(old))[0])
    assert (wave.bits, wave.rate) == (8, 22050)


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_sounds_of_a_separate_file(game: Game, folder: Path) -> None:
    first = catalog(
        sound(0, "x.wav", "y.wav", Indexed="true"),
        sound(1, "y.wav", Indexed="false"),
        sound(2, "a.wav", "b.wav", Indexed="true", Volume=50),
        sound(3, "c.wav", Indexed="true"),
        sound(4, "d.wav", Indexed="true"),
    )
    (folder / "a.xml").write_text(first)
    made = project(folder, game)
    made.settings.catalogs, made.settings.selected_sounds = ["a.xml"], [1, 2, 4]
    result = compiled(made, folder)
    level = written(result.level)
    assert np.flatnonzero(level.sound_map >= 0).tolist() == [2, 4]
    # Sound 0 has two samples before, sound 3 one between; sound 1 is not in the file.
    assert level.sample_indices.tolist() == [2, 3, 5]
    assert any("not marked as a sound of MAIN.SFX" in each for each in result.log.warnings)
    made.settings.catalogs = ["a.xml", "b.xml"]
    assert any("one sound catalog" in each for each in compiled(made, folder).log.warnings)


@pytest.mark.parametrize("version", [11, 12])
def test_sounds_of_trx_are_in_the_block(version: int, folder: Path) -> None:
    game = {11: Game.TR1, 12: Game.TR2}[version]
    level = written(compiled(project(folder, game, version), folder).level)
    assert (level.sound_map == -1).all() and not len(level.sound_details)
    block = read_block(level)
    assert block is not None
    records = block.records(BlockId.SOUNDS)
    assert [each["sound"] for each in records] == [2, 3]
    assert (records[0]["volume"], records[1]["chance"]) == (16384, 16383)
    assert [each["range"] for each in records] == [10240, 10240]
    waves = [read_wave(wave) for each in records for wave in each["waves"]]
    assert len(waves) == 3 and {wave.bits for wave in waves} == {8 if version == 11 else 16}


def test_vehicles_of_trng_have_their_own_numbers(folder: Path) -> None:
    (folder / "a.xml").write_text(catalog(sound(307, "one.wav"), sound(308, "two.wav")))
    made = project(folder, Game.TR4, 16)
    made.settings.selected_sounds = [307, 308]
    level = compiled(made, folder).level
    assert np.flatnonzero(level.sound_map >= 0).tolist() == [307, 308]
    level.models = level.models.copy()
    level.models["id"][-1] = 467
    (folder / made.settings.wads[0]).write_bytes(level.to_bytes())
    level = compiled(made, folder).level
    assert np.flatnonzero(level.sound_map >= 0).tolist() == [307, 308, 1423, 1425]
    assert len(sample_waves(level)) == 4


def test_projects_without_a_selection_have_the_sounds_that_play(folder: Path) -> None:
    made = project(folder, Game.TR4)
    made.settings.selected_sounds = []
    (folder / "b.xml").write_text(
        catalog(sound(3, "two.wav"), sound(4, "two.wav"), sound(8, "one.wav", Global="true"))
    )
    assert np.flatnonzero(compiled(made, folder).level.sound_map >= 0).tolist() == [3, 8]


def test_text_catalogs() -> None:
    found = {each.number: each for each in read_text_catalog(TEXT_CATALOG.encode())}
    assert sorted(found) == [0, 4, 5, 6]
    first = found[0]
    assert first.samples == ("one.wav", "two.wav", "one.wav")
    assert (first.volume, first.pitch, first.radius, first.chance) == (80, 10, 4, 50)
    assert first.flags == 0x7000 and first.is_global and first.is_indexed
    assert [found[number].loop for number in (4, 5, 6)] == [3, 1, 2]
    assert found[5].samples == ("two.wav",) and found[5].volume == 100 and found[5].radius == 10
    assert found[6].samples == ("Church.wav", "CHAIN.wav") and found[6].is_indexed and not found[6].is_global


@pytest.mark.parametrize("sounds", [370, 2048])
def test_sounds_of_the_level_editor(sounds: int, folder: Path) -> None:
    first, second = read_compiled_catalog(*compiled_catalog(sounds))
    assert (first.number, first.samples, first.loop) == (2, ("one.wav", "two.wav"), 3)
    assert (first.volume, first.chance, second.volume, second.chance) == (100, 100, 50, 20)
    assert (second.pitch, second.loop, second.flags, second.samples) == (-50, 1, 0x4000, ("one.wav",))
    content, names = compiled_catalog(sounds)
    (folder / "old.sfx").write_bytes(content)
    (folder / "OLD.SAM").write_bytes(names)
    made = project(folder, Game.TR4)
    made.settings.catalogs, made.settings.selected_sounds = ["old.sfx"], []
    level = compiled(made, folder).level
    assert np.flatnonzero(level.sound_map >= 0).tolist() == [2, 3] and level.sample_count == 3


@pytest.mark.parametrize("data", [b"", b"RIFF" + bytes(2000), bytes(741), compiled_catalog()[0][:-1]])
def test_damaged_sounds_of_the_level_editor_are_errors(data: bytes) -> None:
    with pytest.raises(FormatError):
        read_compiled_catalog(data, b"")


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
