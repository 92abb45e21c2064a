"""Tests of MAIN.SFX, CDAUDIO.WAD and CDAudio.db as sounds, and of the operators and panels for sounds."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.sounds.details import run_of
from io_tomb_raider.formats.levels.sounds.files import (
    read_cd_audio,
    read_cd_audio_names,
    read_main_sfx,
    write_cd_audio_names,
)
from io_tomb_raider.formats.levels.sounds.forms import SoundForm, form_of
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.sounds.waves import ADPCM, PCM, decode_wave, encode_wave, read_wave
from io_tomb_raider.scene.subjects.sounds.files import list_entries
from io_tomb_raider.scene.subjects.sounds.waves import bytes_of, digest, make_sound, put_bytes
from io_tomb_raider.ui.base.text.words import numbers_in
from io_tomb_raider.ui.sounds import operators as tools
from io_tomb_raider.ui.sounds import panels
from tests.formats.levels.sounds.samples import TRACKS, cd_audio
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.sample_levels.world import MAIN_SFX_NUMBERS, build_main_sfx
from tests.scene.exporting import export_level
from tests.scene.subjects.sounds.own_sounds import is_own, own_wave

from ..recorder import draw


def failing(problem: str) -> Any:
    """Return a context that expects an operator to report an error."""
    return pytest.raises(RuntimeError, match=problem)


def files_of(folder: Path, game: Game = Game.TR3) -> tuple[Path, Path]:
    """Write MAIN.SFX, and a level with samples in it; return their paths."""
    sfx, level = folder / "MAIN.SFX", folder / "level.tr2"
    sfx.write_bytes(build_main_sfx(game))
    level.write_bytes(sample_bytes(game))
    return sfx, level


def import_sound_file(path: Path, **options: Any) -> list[Any]:
    before = set(bpy.data.sounds)
    assert bpy.ops.import_scene.tomb_raider_sounds(filepath=str(path), **options) == {"FINISHED"}
    return sorted(set(bpy.data.sounds) - before, key=lambda sound: sound.tomb_raider.number)


def export_sound_file(path: Path, source: Path) -> bytes:
    done = bpy.ops.export_scene.tomb_raider_sounds(filepath=str(path), source=str(source))
    assert done == {"FINISHED"}
    return path.read_bytes()


def import_level(path: Path) -> Collection:
    assert bpy.ops.import_scene.tomb_raider(filepath=str(path), rooms=False, models=False) == {"FINISHED"}
    return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")


# --- MAIN.SFX ----------------------------------------


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_main_sfx_comes_back_byte_for_byte(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path, _ = files_of(tmp_path, game)
    sounds = import_sound_file(path)
    assert [sound.name for sound in sounds] == [f"Sound {number}" for number in range(9)]
    assert all(sound.packed_file is not None and sound.use_fake_user for sound in sounds)
    assert export_sound_file(tmp_path / "out.sfx", path) == build_main_sfx(game)


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_sounds_of_main_sfx_are_replaced(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path, _ = files_of(tmp_path, game)
    before = read_main_sfx(path.read_bytes())
    one, two = import_sound_file(path, numbers="2, 7-7")
    assert (one.tomb_raider.number, two.tomb_raider.number) == (2, 7)
    (tmp_path / "mine.wav").write_bytes(own_wave())
    done = bpy.ops.tomb_raider.replace_sound(sound=two.name, filepath=str(tmp_path / "mine.wav"))
    assert done == {"FINISHED"}
    after = read_main_sfx(export_sound_file(path, path))
    assert len(after) == 9
    assert form_of(after.wave(7)) == form_of(before.wave(7))
    assert is_own(after.pieces[7])
    assert bytes_of(two) == after.pieces[7]
    others = [number for number in range(9) if number != 7]
    assert [after.pieces[number] for number in others] == [before.pieces[number] for number in others]
    assert export_sound_file(path, path) == after.to_bytes()


def test_a_sound_is_added_to_main_sfx(blender: ModuleType, tmp_path: Path) -> None:
    path, _ = files_of(tmp_path)
    (tmp_path / "mine.wav").write_bytes(own_wave())
    for number in (9, 10):
        mine = str(tmp_path / "mine.wav")
        assert bpy.ops.tomb_raider.add_to_sound_file(filepath=mine, target=str(path)) == {"FINISHED"}
        assert max(sound.tomb_raider.number for sound in bpy.data.sounds) == number
    after = read_main_sfx(export_sound_file(path, path))
    assert len(after) == 11
    assert is_own(after.pieces[9]) and is_own(after.pieces[10])
    assert all(sound.use_fake_user for sound in bpy.data.sounds)  # so that files keep them
    assert form_of(after.wave(9)) == SoundForm(PCM, 22050, 16)


def test_sounds_are_called_as_the_level_calls_them(blender: ModuleType, tmp_path: Path) -> None:
    path, level = files_of(tmp_path)
    import_level(level)
    assert [entry.name for entry in list_entries(path)][:4] == [
        "Lara feet",
        "Sound 1",
        "Lara climb 2 1",
        "Lara climb 2 2",
    ]


def test_new_samples_of_a_level_come_into_main_sfx(blender: ModuleType, tmp_path: Path) -> None:
    path, level = files_of(tmp_path)
    root = import_level(level)
    settings = root.tomb_raider.sounds
    settings.active = 1
    (tmp_path / "mine.wav").write_bytes(own_wave())
    mine = str(tmp_path / "mine.wav")
    assert bpy.ops.tomb_raider.add_sample_file(collection=root.name, filepath=mine) == {"FINISHED"}
    put_bytes(settings.samples[0].sound, own_wave(22050))
    first, report = export_level(root)
    assert any(text.startswith("MAIN.SFX: 4 of its sounds") for text in report.warnings)
    target = tmp_path / "new" / "MAIN.SFX"
    target.parent.mkdir()
    after = read_main_sfx(export_sound_file(target, path))
    assert path.read_bytes() == build_main_sfx(Game.TR3)
    before = read_main_sfx(build_main_sfx(Game.TR3))
    assert len(after) == 12
    # After the file is written, the level has the same numbers, and the warning is not repeated.
    for made, warnings in ((first, None), (export_level(root)[0], export_level(root)[1].warnings)):
        numbers = made.sample_indices.tolist()
        assert numbers == [0, 5, 7, 9, 10, 11]
        pieces = [[after.pieces[numbers[place]] for place in run_of(record)] for record in made.sound_details]
        assert is_own(pieces[0][0])
        assert pieces[1][:2] == [before.pieces[number] for number in MAIN_SFX_NUMBERS[1:3]]
        assert is_own(pieces[1][2])
        assert pieces[2] == [before.pieces[5]]
        assert not warnings
    assert Path(settings.main_sfx) == target and settings.main_sfx_count == 12
    assert export_sound_file(tmp_path / "again.sfx", target) == after.to_bytes()


def test_two_levels_share_main_sfx(blender: ModuleType, tmp_path: Path) -> None:
    path, level = files_of(tmp_path)
    roots = []
    for name in ("one.tr2", "two.tr2"):
        (tmp_path / name).write_bytes(level.read_bytes())
        before = set(bpy.data.collections)
        import_level(tmp_path / name)
        found = set(bpy.data.collections) - before
        roots.append(next(each for each in found if each.tomb_raider.kind == "LEVEL"))
    for number, root in enumerate(roots):
        wave = encode_wave(np.full((100, 1), 1000 * (number + 1), np.int16), 22050)
        root.tomb_raider.sounds.details[2].samples[0].sound = make_sound("Mine", wave)
    after = read_main_sfx(export_sound_file(path, path))
    assert len(after) == 11
    for number, root in enumerate(roots):
        made, report = export_level(root)
        assert made.sample_indices.tolist() == [0, 2, 3, 7, 9 + number]
        assert decode_wave(after.wave(9 + number))[0, 0] == 1000 * (number + 1)
        assert not report.warnings
    for root, wave in zip(roots, (own_wave(), own_wave(96000)[:5000]), strict=True):
        put_bytes(root.tomb_raider.sounds.samples[1].sound, wave)
    with failing("would also replace entry 2"):
        export_sound_file(path, path)
    assert path.read_bytes() == after.to_bytes()


def test_main_sfx_is_chosen_later(blender: ModuleType, tmp_path: Path) -> None:
    path, level = files_of(tmp_path)
    away = tmp_path / "away"
    away.mkdir()
    moved = path.rename(away / "sounds.sfx")
    root = import_level(level)
    settings = root.tomb_raider.sounds
    assert not len(bpy.data.sounds)
    with failing("it cannot be read"):
        bpy.ops.tomb_raider.load_samples(collection=root.name, filepath=str(tmp_path / "no.sfx"))
    done = bpy.ops.tomb_raider.load_samples(collection=root.name, filepath=str(moved))
    assert done == {"FINISHED"}
    assert all(sample.sound is not None for sample in settings.samples)
    assert [slot.sound.name for slot in settings.details[1].samples] == ["Lara climb 2 1", "Lara climb 2 2"]
    sources = [obj for obj in root.all_objects if obj.tomb_raider.kind == "SOUND_SOURCE"]
    assert all(obj.data.sound == settings.samples[1].sound for obj in sources)
    assert export_level(root)[0].to_bytes() == sample_bytes(Game.TR3)


@pytest.mark.parametrize("number", [-32769, -1, 131, 1 << 24])
@pytest.mark.parametrize("kind", ["MAIN_SFX", "CD_AUDIO", "TRACKS"])
def test_missing_entries_are_refused(blender: ModuleType, tmp_path: Path, kind: str, number: int) -> None:
    """Numbers of sounds are stored in .blend files, so they can have any value."""
    if kind == "TRACKS":
        path = macintosh_tracks(tmp_path)
    else:
        path = tmp_path / ("MAIN.SFX" if kind == "MAIN_SFX" else "CDAUDIO.WAD")
        path.write_bytes(build_main_sfx(Game.TR3) if kind == "MAIN_SFX" else cd_audio())
    before = path.read_bytes()
    sound = import_sound_file(path)[0]
    put_bytes(sound, own_wave())
    sound.tomb_raider.number = number
    for title in ("Mine", ""):
        sound.tomb_raider.title = title
        with failing("there is no such entry|would skip numbers"):
            export_sound_file(path, path)
    if kind != "MAIN_SFX":  # there sounds have no names
        sound.tomb_raider.title = "Mine"
        sound.tomb_raider.digest = digest(number, bytes_of(sound))  # only its name has changed
        with failing("there is no such entry"):
            export_sound_file(path, path)
    assert path.read_bytes() == before


# --- CDAUDIO.WAD ----------------------------------------


def test_tracks_come_back_byte_for_byte(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "CDAUDIO.WAD"
    path.write_bytes(cd_audio(gap=b"gap"))
    sounds = import_sound_file(path)
    assert [(sound.name, sound.tomb_raider.number) for sound in sounds] == [("track 2", 2), ("track 5", 5)]
    assert [bytes_of(sound) for sound in sounds] == [TRACKS[2], TRACKS[5]]
    assert export_sound_file(tmp_path / "out.wad", path) == cd_audio(gap=b"gap")


def test_a_track_is_replaced_and_renamed(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "CDAUDIO.WAD"
    path.write_bytes(cd_audio())
    (sound,) = import_sound_file(path, numbers="5")
    put_bytes(sound, own_wave())
    sound.tomb_raider.title = "Mine"
    audio = read_cd_audio(export_sound_file(path, path))
    assert audio.tracks == {2: "track 2", 5: "Mine"}
    assert audio.bytes_of(2) == TRACKS[2]
    assert audio.wave(5).format_chunk == audio.wave(2).format_chunk
    assert is_own(audio.bytes_of(5))
    assert export_sound_file(tmp_path / "same.wad", path) == audio.to_bytes()
    sound.tomb_raider.file, sound.tomb_raider.title = str(path), "Other"
    again = read_cd_audio(export_sound_file(path, path))
    assert again.tracks == {2: "track 2", 5: "Other"}
    assert again.bytes_of(5) == audio.bytes_of(5)


def test_a_track_is_added(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "CDAUDIO.WAD"
    path.write_bytes(cd_audio())
    sound = make_sound("Mine", own_wave())
    tag = sound.tomb_raider
    tag.kind, tag.number, tag.file, tag.title = "CD_AUDIO", 9, str(path), "My track"
    audio = read_cd_audio(export_sound_file(tmp_path / "out.wad", path))
    assert audio.tracks == {2: "track 2", 5: "track 5", 9: "My track"}
    assert is_own(audio.bytes_of(9))
    more = tmp_path / "more.wav"
    more.write_bytes(own_wave())
    done = bpy.ops.tomb_raider.add_to_sound_file(filepath=str(more), target=str(tmp_path / "out.wad"))
    assert done == {"FINISHED"}
    audio = read_cd_audio(export_sound_file(tmp_path / "out.wad", tmp_path / "out.wad"))
    assert audio.tracks == {0: "more", 2: "track 2", 5: "track 5", 9: "My track"}
    assert audio.wave(0).format_chunk == audio.wave(2).format_chunk
    (added,) = (each for each in bpy.data.sounds if each.tomb_raider.title == "more")
    added.tomb_raider.title = "Track 0"  # the name of a track that has none
    audio = read_cd_audio(export_sound_file(tmp_path / "out.wad", tmp_path / "out.wad"))
    assert audio.tracks == {0: "Track 0", 2: "track 2", 5: "track 5", 9: "My track"}
    with failing("choose its sound file"):
        bpy.ops.tomb_raider.add_to_sound_file(filepath=str(more))
    tag.file, tag.number = str(path), 130
    with failing("there is no such entry"):
        export_sound_file(tmp_path / "more.wad", path)
    assert not (tmp_path / "more.wad").exists()


# --- CDAudio.db ----------------------------------------


def macintosh_tracks(folder: Path) -> Path:
    """Write a list of three tracks, two of which exist; return its path."""
    path = folder / "CDAudio.db"
    path.write_bytes(write_cd_audio_names(["BLANK", "Puzzle", "", "Cave"]))
    (folder / "puzzle").write_bytes(TRACKS[2])
    (folder / "Cave.WAV").write_bytes(TRACKS[5])
    return path


def test_tracks_of_the_macintosh_are_found_by_name(blender: ModuleType, tmp_path: Path) -> None:
    path = macintosh_tracks(tmp_path)
    assert [(entry.number, entry.name, entry.size > 0) for entry in list_entries(path)] == [
        (0, "BLANK", False),
        (1, "Puzzle", True),
        (3, "Cave", True),
    ]
    sounds = import_sound_file(path)
    assert [bytes_of(sound) for sound in sounds] == [TRACKS[2], TRACKS[5]]
    target = tmp_path / "out" / "CDAudio.db"
    target.parent.mkdir()
    assert export_sound_file(target, path) == path.read_bytes()
    assert [each.name for each in target.parent.iterdir()] == ["CDAudio.db"]


def test_tracks_of_the_macintosh_are_replaced_and_renamed(blender: ModuleType, tmp_path: Path) -> None:
    path = macintosh_tracks(tmp_path)
    one, two = import_sound_file(path)
    put_bytes(two, own_wave())
    one.tomb_raider.title = "Mystery"
    names = read_cd_audio_names(export_sound_file(path, path))
    assert names == ["BLANK", "Mystery", "", "Cave"]
    assert (tmp_path / "Mystery").read_bytes() == TRACKS[2]
    assert is_own((tmp_path / "Cave.WAV").read_bytes())
    assert form_of(read_wave((tmp_path / "Cave.WAV").read_bytes())) == form_of(read_wave(TRACKS[5]))


# --- Errors ----------------------------------------


def test_invalid_files_and_numbers_of_sounds_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    bad, path = tmp_path / "bad.wad", tmp_path / "MAIN.SFX"
    bad.write_bytes(b"nothing of the kind")
    path.write_bytes(build_main_sfx(Game.TR3))
    for source, options, problem in (
        (bad, {}, "bad.wad was not imported: the file ends too early: 19 of 34,840 bytes of the directory"),
        (tmp_path / "none.sfx", {}, "No such file"),
        (path, {"numbers": "4, x"}, "x is not a number or a range"),
        (path, {"numbers": "20"}, "there is no entry 20"),
    ):
        with failing(problem):
            bpy.ops.import_scene.tomb_raider_sounds(filepath=str(source), **options)
    assert not len(bpy.data.sounds)
    with failing("choose the file that the sounds were imported from"):
        bpy.ops.export_scene.tomb_raider_sounds(filepath=str(tmp_path / "x.sfx"))
    (sound,) = import_sound_file(path, numbers="1")
    put_bytes(sound, b"RIFF but no wave")
    with failing("this is not a readable sound: choose another file"):
        export_sound_file(tmp_path / "x.sfx", path)
    assert not (tmp_path / "x.sfx").exists()
    sound.unpack(method="REMOVE")
    sound.filepath = str(tmp_path / "gone.wav")
    assert export_sound_file(tmp_path / "x.sfx", path) == path.read_bytes()


def test_numbers_of_entries() -> None:
    assert numbers_in("") is None and numbers_in(" , ") is None
    assert numbers_in("3, 7-9,1") == {1, 3, 7, 8, 9}
    for bad in ("-1", "a", "1-99999999"):
        with pytest.raises(ExportError):
            numbers_in(bad)


def test_the_browser_lists_the_entries_of_a_file(blender: ModuleType, tmp_path: Path) -> None:
    from io_tomb_raider.ui.sounds.files import IMPORT_SCENE_OT_tomb_raider_sounds as Import

    path = tmp_path / "CDAUDIO.WAD"
    path.write_bytes(cd_audio())

    class Entries(list[Any]):
        def add(self) -> Any:
            self.append(SimpleNamespace(is_chosen=True))
            return self[-1]

    stand_in: Any = SimpleNamespace(filepath=str(path), listed="", entries=Entries(), numbers="")
    assert Import.check(stand_in, bpy.context)
    assert [(entry.number, entry.name) for entry in stand_in.entries] == [(2, "track 2"), (5, "track 5")]
    assert not Import.check(stand_in, bpy.context)
    stand_in.entries[0].is_chosen = False
    assert Import._chosen(stand_in, path) == {5}
    stand_in.filepath = str(tmp_path)
    assert not Import.check(stand_in, bpy.context)


# --- Tools and panels ----------------------------------------


def edit(root: Collection, action: str) -> None:
    assert bpy.ops.tomb_raider.edit_sounds(collection=root.name, action=action) == {"FINISHED"}


@pytest.mark.parametrize(("game", "engine"), [(Game.TR1, "TRX"), (Game.TR3, "ORIGINAL"), (Game.TR3, "TRX")])
def test_a_sound_for_trx_needs_no_main_sfx(
    blender: ModuleType, tmp_path: Path, game: Game, engine: str
) -> None:
    path = tmp_path / ("level.phd" if game is Game.TR1 else "level.tr2")
    path.write_bytes(sample_bytes(game))
    root: Any = import_level(path)
    root.tomb_raider.engine = engine
    edit(root, "ADD_SOUND")
    item = root.tomb_raider.sounds.details[-1]
    assert item.for_trx is (game is Game.TR3 and engine == "TRX")
    assert item.volume_measure == 100
    if engine == "TRX":
        item.stored_for_trx = True
        edit(root, "ADD_SOUND")
        assert root.tomb_raider.sounds.details[-1].for_trx


@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_sounds_are_edited_by_buttons(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = tmp_path / ("level.phd" if game is Game.TR1 else "level.trc")
    path.write_bytes(sample_bytes(game))
    root = import_level(path)
    settings = root.tomb_raider.sounds
    edit(root, "ADD_SOUND")
    assert settings.active == 3 and settings.details[3].ids[0].number == 2
    assert settings.details[3].volume == (0x7FFF if game is Game.TR1 else 0xFF)
    (tmp_path / "empty.wav").write_bytes(b"")
    with failing("empty.wav was not added"):
        bpy.ops.tomb_raider.add_sample_file(collection=root.name, filepath=str(tmp_path / "empty.wav"))
    (tmp_path / "mine.wav").write_bytes(own_wave())
    mine = str(tmp_path / "mine.wav")
    assert bpy.ops.tomb_raider.add_sample_file(collection=root.name, filepath=mine) == {"FINISHED"}
    edit(root, "ADD_NUMBER")
    settings.active = 1
    edit(root, "SAMPLE_DOWN")
    edit(root, "SAMPLE_DOWN")
    assert [slot.sample for slot in settings.details[1].samples] == [2, 1]
    edit(root, "REMOVE_NUMBER")
    edit(root, "ADD_SAMPLE")
    edit(root, "REMOVE_SAMPLE")
    settings.active = 2
    edit(root, "REMOVE_SOUND")
    level, _ = export_level(root)
    assert level.sound_map[[0, 1, 2, 3, 5, 8]].tolist() == [0, 1, 2, 2, -1, -1]
    form = SoundForm(PCM, 11025, 8) if game is Game.TR1 else SoundForm(ADPCM, 22050, 4, block_size=512)
    made = sample_waves(read_level(level.to_bytes(), name=path.name))
    assert form_of(read_wave(made[-1])) == form and is_own(made[-1])
    settings.active = 99
    with failing("Choose a sound first"):
        edit(root, "REMOVE_SOUND")


def test_samples_are_replaced_by_files(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "level.phd"
    path.write_bytes(sample_bytes(Game.TR1))
    sound = import_level(path).tomb_raider.sounds.samples[2].sound
    (tmp_path / "mine.wav").write_bytes(own_wave())
    (tmp_path / "bad.wav").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99))
    before = bytes_of(sound)
    with failing("this is not a readable sound: choose another file"):
        bpy.ops.tomb_raider.replace_sound(sound=sound.name, filepath=str(tmp_path / "bad.wav"))
    with failing("There is no sound x"):
        bpy.ops.tomb_raider.replace_sound(sound="x", filepath=str(tmp_path / "mine.wav"))
    assert bytes_of(sound) == before
    bpy.ops.tomb_raider.replace_sound(sound=sound.name, filepath=str(tmp_path / "mine.wav"))
    assert form_of(read_wave(bytes_of(sound))) == SoundForm(PCM, 11025, 8)
    assert is_own(bytes_of(sound))


class Device:
    """Replaces Blender's audio device, which tests do not have."""

    played: ClassVar[list[Any]] = []

    def play(self, factory: Any) -> Any:
        handle = SimpleNamespace(status=True, stop=lambda: self.played.append("stopped"))
        self.played.append(factory)
        return handle


def test_sounds_are_played_and_stopped(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (make_sound(name, own_wave()).name for name in ("One", "Two"))
    with failing("There is no such sound"):
        bpy.ops.tomb_raider.play_sound(sound="nobody")
    monkeypatch.setattr(tools, "_audio", lambda: None)
    with failing("Blender has no audio device here"):
        bpy.ops.tomb_raider.play_sound(sound=one)
    monkeypatch.setattr(tools, "_audio", lambda: SimpleNamespace(Device=Device, error=OSError))
    monkeypatch.setattr(bpy.types.Sound, "factory", property(lambda sound: sound.name))
    for name in (one, one, one, two):
        assert bpy.ops.tomb_raider.play_sound(sound=name) == {"FINISHED"}
    assert Device.played == ["One", "stopped", "One", "stopped", "Two"]
    monkeypatch.setattr(tools, "_playing", None)


@each_game
def test_panels_have_the_fields_of_the_game(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    suffix = {Game.TR1: "phd", Game.TR4: "tr4", Game.TR5: "trc"}.get(game, "tr2")
    path = tmp_path / f"level.{suffix}"
    path.write_bytes(sample_bytes(game))
    root = import_level(path)
    layout = draw(panels.COLLECTION_PT_tomb_raider_sounds, collection=root)
    assert layout is not None
    assert layout.lists == ["details", "samples"]
    assert ("range" in layout.names) == (game >= Game.TR3)
    assert ("main_sfx" in layout.names) == (game in (Game.TR2, Game.TR3))
    titles = [panels.title_of(item, game) for item in root.tomb_raider.sounds.details]
    assert titles[1].startswith("Lara climb 2 (1), ")
    source = next(obj for obj in root.all_objects if obj.tomb_raider.kind == "SOUND_SOURCE")
    shown = draw(panels.OBJECT_PT_tomb_raider_sound_source, object=source)
    assert shown is not None
    assert shown.names == ["name_of_sound", "sound", "when_unflipped", "when_flipped", "flags"]
    root.tomb_raider.sounds.details[0].volume = 0
    root.tomb_raider.sounds.details[1].volume = 0
    assert bpy.ops.tomb_raider.show_sound_sources(collection=root.name) == {"FINISHED"}
    assert source.data.volume == 0


def test_sounds_of_files_are_listed(blender: ModuleType, tmp_path: Path) -> None:
    manager = bpy.context.window_manager
    assert draw(panels.SCENE_PT_tomb_raider_sound_files, window_manager=manager) is None
    make_sound("Another", own_wave())
    path = tmp_path / "CDAUDIO.WAD"
    path.write_bytes(cd_audio())
    import_sound_file(path)
    manager.tomb_raider_sound = bpy.data.sounds.find("Another")
    layout = draw(panels.SCENE_PT_tomb_raider_sound_files, window_manager=manager)
    assert layout is not None and layout.labels == ["Choose a sound"]
    manager.tomb_raider_sound = bpy.data.sounds.find("track 5")
    layout = draw(panels.SCENE_PT_tomb_raider_sound_files, window_manager=manager)
    assert layout is not None and layout.names == ["title", "file"]
    found: Any = SimpleNamespace(filter_name="TRACK", bitflag_filter_item=4)
    shown, order = panels.TOMB_RAIDER_UL_file_sounds.filter_items(found, bpy.context, bpy.data, "sounds")
    names = [sound.name for sound in bpy.data.sounds]
    assert [name for name, show in zip(names, shown, strict=True) if show] == ["track 2", "track 5"]
    assert order[names.index("track 2")] < order[names.index("track 5")]


def test_sounds_are_searched_and_sorted_by_name(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "level.tr4"
    path.write_bytes(sample_bytes(Game.TR4))
    settings = import_level(path).tomb_raider.sounds
    found: Any = SimpleNamespace(filter_name="CLIMB", use_filter_sort_alpha=True, bitflag_filter_item=4)
    shown, order = panels.TOMB_RAIDER_UL_sounds.filter_items(found, bpy.context, settings, "details")
    assert shown == [0, 4, 0]
    titles = [panels.title_of(item, Game.TR4) for item in settings.details]
    assert [titles[order.index(rank)] for rank in range(3)] == sorted(titles, key=str.lower)
