"""Sounds, samples and sound sources: listed, edited, added, deleted, replaced."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.sounds.details import run_of
from io_tomb_raider.formats.levels.sounds.files import read_main_sfx
from io_tomb_raider.formats.levels.sounds.samples import SampleStorage, sample_storage, sample_waves
from io_tomb_raider.formats.levels.sounds.waves import ADPCM, decode_wave, encode_wave, read_wave
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.sounds.transfer import remap_values
from io_tomb_raider.scene.subjects.sounds.waves import bytes_of, make_sound, make_sounds, put_bytes
from tests.compare import differences
from tests.games import each_game
from tests.level_rules import is_loaded_by_its_game
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, named_sample, sample_bytes
from tests.sample_levels.world import MAIN_SFX_NUMBERS, build_main_sfx, build_waves
from tests.scene.exporting import export_level

from ...scenes import changes, copy_of, export_scene, objects
from .own_sounds import is_own, own_wave

# What sounds do not need to be there.
SOUNDS_ONLY: dict[str, Any] = {
    "rooms": False,
    "models": False,
    "static_meshes": False,
    "entities": False,
    "sprites": False,
}


def import_sounds(data: bytes) -> Collection:
    """Import a level with little but its sounds."""
    return import_level(data, ImportOptions(**SOUNDS_ONLY), name="Level").root


def sounds_of(root: Collection) -> Any:
    return root.tomb_raider.sounds


def own_sound(name: str = "Mine", rate: int = 44100, channels: int = 2) -> Any:
    """A sound of the user's, in a form that no game has."""
    return make_sound(name, own_wave(rate, channels))


def import_with_main_sfx(folder: Path, game: Game, name: str = "level.tr2") -> Collection:
    """Import a level with MAIN.SFX one folder up."""
    (folder / "data").mkdir(exist_ok=True)
    (folder / "MAIN.SFX").write_bytes(build_main_sfx(game))
    (folder / "data" / name).write_bytes(sample_bytes(game))
    return import_level(folder / "data" / name).root


# --- Display ----------------------------------------


@each_game
def test_sounds_are_listed_with_their_numbers_and_samples(blender: ModuleType, game: Game) -> None:
    root = import_sounds(sample_bytes(game))
    details = sounds_of(root).details
    assert [[each.number for each in item.ids] for item in details] == [[0], [1, 5], [8]]
    assert [[slot.sample for slot in item.samples] for item in details] == [[0], [1, 2], [3]]
    assert details[0].ids[0].sound == ("Lara footsteps" if game is Game.TR1 else "Lara feet")
    first, last = ("RESTART", "WAIT") if game is Game.TR1 else ("WAIT", "ONCE")
    assert [item.loop for item in details] == [first, "LOOP", last]
    assert [item.random_pitch for item in details] == [False, True, False]
    if game >= Game.TR3:
        assert [(item.volume, item.range, item.chance, item.pitch) for item in details] == [
            (128, 8, 0, 0),
            (192, 10, 0, -8),
            (64, 6, 70, 5),
        ]
    else:
        assert [(item.volume, item.chance) for item in details] == [(0x4000, 0), (0x6000, 0), (0x2000, 9000)]


@pytest.mark.parametrize("name", ["tr1", "tr1-demo", "tr2-demo", "tr4", "tr4-trng", "tr4-early", "tr5"])
def test_samples_are_packed_sounds_that_play(blender: ModuleType, name: str) -> None:
    root = import_sounds(named_sample(name))
    settings = sounds_of(root)
    waves = build_waves(read_level(named_sample(name)).game)
    assert [bytes_of(each.sound) for each in settings.samples] == waves
    assert all(each.sound.packed_file is not None for each in settings.samples)
    for item in settings.details:
        assert [slot.sound for slot in item.samples] == [
            settings.samples[slot.sample].sound for slot in item.samples
        ]
    assert settings.details[1].samples[1].sound.name == "Lara climb 2 2"
    assert settings.samples[4].sound.name == "Sample 4"
    assert len(bpy.data.sounds) == 5
    assert not os.path.exists(bpy.path.abspath(settings.samples[0].sound.filepath))


def test_packed_sounds_note_their_rate(blender: ModuleType) -> None:
    made = make_sounds(
        [("a", encode_wave(np.zeros((50, 2), np.int16), 11025)), ("b", b""), ("c", b"no wave")]
    )
    assert made[1] is None
    assert made[0] is not None and made[2] is not None
    assert bytes_of(made[2]) == b"no wave"
    assert len(bpy.data.sounds) == 2
    if made[0].samplerate:  # Blender 4.2's module has no audio
        assert (made[0].samplerate, made[0].channels) == (11025, "STEREO")
    put_bytes(made[0], encode_wave(np.zeros((9, 1), np.int16), 8000))
    assert len(decode_wave(read_wave(bytes_of(made[0])))) == 9
    made[0].name = "x" * 63
    assert make_sound("y/\\:*?" * 40, b"RIFF").filepath.startswith("//y_")


def test_samples_of_main_sfx_are_found(blender: ModuleType, tmp_path: Path) -> None:
    for game in (Game.TR2, Game.TR3):
        root = import_with_main_sfx(tmp_path, game)
        settings = sounds_of(root)
        pairs = zip(settings.samples, build_waves(game), strict=True)
        assert all(bytes_of(each.sound).startswith(wave) for each, wave in pairs)
        assert [each.sound.tomb_raider.number for each in settings.samples] == list(MAIN_SFX_NUMBERS)
        assert (Path(settings.main_sfx), settings.main_sfx_count) == (tmp_path / "MAIN.SFX", 9)
        level, report = export_level(root)
        assert level.to_bytes() == sample_bytes(game)
        assert not report.warnings


def test_main_sfx_can_be_chosen_missing_or_damaged(blender: ModuleType, tmp_path: Path) -> None:
    chosen, data = tmp_path / "other.sfx", sample_bytes(Game.TR3)
    chosen.write_bytes(build_main_sfx(Game.TR3))
    root = import_level(data, ImportOptions(main_sfx=str(chosen))).root
    assert all(each.sound is not None for each in sounds_of(root).samples)
    (tmp_path / "level.tr2").write_bytes(data)
    alone = import_level(tmp_path / "level.tr2").report
    assert not alone.warnings  # the level is intact
    assert alone.notes == [f"MAIN.SFX: {alone.notes[0].partition(': ')[2]}"]
    assert "choose it in the level's panel" in alone.notes[0]
    silent = import_level(data)
    assert not silent.report.warnings and not silent.report.notes
    assert all(each.sound is None for each in sounds_of(silent.root).samples)
    assert export_level(silent.root)[0].to_bytes() == data
    for content in (b"nothing of the kind", b"", None):
        if content is None:
            chosen.unlink()
        else:
            chosen.write_bytes(content)
        made = import_level(data, ImportOptions(main_sfx=str(chosen)))
        assert any(text.startswith("MAIN.SFX: it cannot be read") for text in made.report.warnings)
        assert export_level(made.root)[0].to_bytes() == data
    short = read_main_sfx(build_main_sfx(Game.TR3))
    chosen.write_bytes(b"".join(short.pieces[:4]))
    root = import_level(data, ImportOptions(main_sfx=str(chosen))).root
    assert [each.sound is not None for each in sounds_of(root).samples] == [True, True, True, False, False]
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_sound_sources_are_speakers(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_sounds(data)
    objs = objects(root, "SOUND_SOURCE")
    assert len(objs) == len(level.sound_sources) == 2
    for obj, record in zip(objs, level.sound_sources, strict=True):
        x, y, z = (int(record[axis]) for axis in "xyz")
        assert tuple(obj.location) == (x / 512, z / 512, -y / 512)
        assert obj.type == "SPEAKER"
        assert obj.tomb_raider.sound_source.name_of_sound == "Lara climb 2"
        assert obj.data.sound == sounds_of(root).details[1].samples[0].sound
        assert obj.data.muted == (obj.data.sound is None)
        assert obj.data.volume == pytest.approx(0.75, abs=0.01)
        assert obj.data.distance_max == pytest.approx((10 if game >= Game.TR3 else 8) * 2)
    first, second = (obj.tomb_raider.sound_source for obj in objs)
    assert (first.when_flipped, first.when_unflipped) == (True, True)
    assert (second.when_flipped, second.when_unflipped) == (True, False)


# --- Edits ----------------------------------------


def _volume(root: Collection) -> None:
    sounds_of(root).details[1].volume = 100


def _flags(root: Collection) -> None:
    item = sounds_of(root).details[2]
    item.loop, item.no_pan, item.random_volume = "LOOP", True, True


def _id(root: Collection) -> None:
    sounds_of(root).details[2].ids[0].number = 9


def _more_ids(root: Collection) -> None:
    sounds_of(root).details[0].ids.add().sound = "sound 30"


def _no_id(root: Collection) -> None:
    sounds_of(root).details[1].ids.remove(1)


def _order(root: Collection) -> None:
    sounds_of(root).details[1].samples.move(0, 1)


def _move_source(root: Collection) -> None:
    objects(root, "SOUND_SOURCE")[1].location.z += 1.0


def _flip_source(root: Collection) -> None:
    objects(root, "SOUND_SOURCE")[0].tomb_raider.sound_source.when_flipped = False


def _rename_source(root: Collection) -> None:
    objects(root, "SOUND_SOURCE")[0].tomb_raider.sound_source.sound = 8


def _copy_source(root: Collection) -> None:
    copy_of(objects(root, "SOUND_SOURCE")[0]).location.x += 2.0


def _delete_source(root: Collection) -> None:
    bpy.data.objects.remove(objects(root, "SOUND_SOURCE")[1])


EDITS: list[tuple[Callable[[Collection], None], list[Any]]] = [
    (_volume, [("sound_details", 1, "volume")]),
    (_flags, [("sound_details", 2, "flags")]),
    (_id, [("sound_map", 8, "value"), ("sound_map", 9, "value")]),
    (_more_ids, [("sound_map", 30, "value")]),
    (_no_id, [("sound_map", 5, "value")]),
    (_move_source, [("sound_sources", 1, "y")]),
    (_flip_source, [("sound_sources", 0, "flags")]),
    (_rename_source, [("sound_sources", 0, "sound")]),
    (_copy_source, [("sound_sources", "count", 2, 3)]),
    (_delete_source, [("sound_sources", "count", 2, 1)]),
]


@each_game
@pytest.mark.parametrize(("edit", "expected"), EDITS, ids=lambda value: getattr(value, "__name__", ""))
def test_an_edit_changes_only_its_fields(
    blender: ModuleType, game: Game, edit: Callable[[Collection], None], expected: list[Any]
) -> None:
    assert changes(sample_bytes(game), edit) == expected


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_range_and_pitch_are_written(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        sounds_of(root).details[0].range, sounds_of(root).details[1].pitch = 20, -100

    assert changes(sample_bytes(game), edit) == [("sound_details", 0, "range"), ("sound_details", 1, "pitch")]


EMBEDDED = ["tr1", "tr1-demo", "tr2-demo", "tr4", "tr4-trng", "tr4-early-plain", "tr5"]
each_embedded = pytest.mark.parametrize("name", EMBEDDED)


def played_waves(level: Level, number: int) -> list[bytes]:
    """The waves that a game plays for a sound."""
    record, waves = level.sound_details[level.sound_map[number]], sample_waves(level)
    return [waves[place] for place in run_of(record)]


def exported_with_samples(root: Collection) -> Level:
    level = export_scene(root)
    assert sample_storage(level) is not SampleStorage.NONE
    return level


@each_embedded
def test_samples_are_played_in_another_order(blender: ModuleType, name: str) -> None:
    root = import_sounds(named_sample(name))
    _order(root)
    level, waves = exported_with_samples(root), build_waves(read_level(named_sample(name)).game)
    assert played_waves(level, 1) == played_waves(level, 5) == [waves[2], waves[1]]
    assert sample_waves(level) == [waves[0], waves[2], waves[1], waves[3], waves[4]]


@each_embedded
def test_a_replaced_sample_sounds_the_same_in_the_game(blender: ModuleType, name: str) -> None:
    root, old = import_sounds(named_sample(name)), read_level(named_sample(name))
    put_bytes(sounds_of(root).samples[1].sound, bytes_of(own_sound()))
    level, waves = exported_with_samples(root), build_waves(old.game)
    found = sample_waves(level)
    assert is_own(found[1])
    assert [found[number] for number in (0, 2, 3, 4)] == [waves[number] for number in (0, 2, 3, 4)]
    form, before = read_wave(found[1]), read_wave(waves[1])
    assert form.format_chunk == before.format_chunk
    assert (form.tag == ADPCM) == (old.game is Game.TR5)
    fields = {path[0] for path in differences(old, level)}
    assert fields <= {"samples", "sample_data", "sample_indices"}


@each_embedded
def test_samples_are_added_taken_over_and_removed(blender: ModuleType, name: str) -> None:
    root = import_sounds(named_sample(name))
    details = sounds_of(root).details
    details[0].samples.add().sound = own_sound()
    details[2].samples[0].sound = details[1].samples[1].sound
    level, waves = exported_with_samples(root), build_waves(read_level(named_sample(name)).game)
    assert played_waves(level, 0)[0] == waves[0] and is_own(played_waves(level, 0)[1])
    assert played_waves(level, 1) == waves[1:3]
    assert played_waves(level, 8) == [waves[2]]
    assert len(sample_waves(level)) == 5  # one more, and the bell is gone
    details[0].samples.clear()
    level = exported_with_samples(root)
    assert played_waves(level, 0) == []
    assert played_waves(level, 1) == waves[1:3]
    assert sample_waves(level) == [waves[1], waves[2], waves[4]]


@each_embedded
def test_sounds_are_added_and_deleted(blender: ModuleType, name: str) -> None:
    root = import_sounds(named_sample(name))
    settings = sounds_of(root)
    made = settings.details.add()
    made.volume, made.ids.add().number = 50, 77
    made.samples.add().sound = own_sound()
    settings.details.remove(1)
    level, waves = exported_with_samples(root), build_waves(read_level(named_sample(name)).game)
    assert level.sound_map[[0, 1, 5, 8, 77]].tolist() == [0, -1, -1, 1, 2]
    assert played_waves(level, 0) == [waves[0]] and played_waves(level, 8) == [waves[3]]
    assert is_own(played_waves(level, 77)[0])
    assert level.sound_details["volume"][2] == 50
    assert [wave for wave in sample_waves(level)][:3] == [waves[0], waves[3], waves[4]]


@each_game
def test_a_level_without_sounds_gets_a_silent_sound(blender: ModuleType, game: Game) -> None:
    root = import_sounds(sample_bytes(game))
    sounds_of(root).details.clear()
    level = export_scene(root)
    assert (level.sound_map == -1).all() and is_loaded_by_its_game(level)
    assert len(level.sound_details) == (1 if game.traits.needs_sounds else 0)

    level.sound_details = level.sound_details[:0]
    found = check_level(level)
    assert [each.text for each in found if "refuses to load" in each.text] == [
        each.text for each in found if each.check == "no sounds" and game.traits.needs_sounds
    ]
    data = level.to_bytes()
    assert export_scene(import_sounds(data)).to_bytes() == data


@each_embedded
def test_a_number_can_be_moved_to_a_new_sound(blender: ModuleType, name: str) -> None:
    root = import_sounds(named_sample(name))
    settings = sounds_of(root)
    settings.details[1].ids.remove(1)
    made = settings.details.add()
    made.ids.add().number, made.volume = 5, 9
    made.samples.add().sound = settings.samples[2].sound
    level, waves = exported_with_samples(root), build_waves(read_level(named_sample(name)).game)
    assert played_waves(level, 5) == [waves[2]]
    assert sample_waves(level) == waves
    assert (level.sound_map[1], level.sound_map[5]) == (1, 3)


@each_embedded
def test_deleted_sound_data_blocks_change_nothing(blender: ModuleType, name: str) -> None:
    root = import_sounds(named_sample(name))
    bpy.data.sounds.remove(sounds_of(root).samples[1].sound)
    assert export_level(root)[0].to_bytes() == named_sample(name)


# --- MAIN.SFX ----------------------------------------


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_new_samples_get_numbers_behind_those_of_main_sfx(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_with_main_sfx(tmp_path, game)
    details = sounds_of(root).details
    details[1].samples.add().sound = own_sound()
    level, report = export_level(root)
    assert level.sample_indices.tolist() == [0, 5, 7, 9, 10, 11]
    assert [list(run_of(record)) for record in level.sound_details] == [[0], [3, 4, 5], [1]]
    assert report.warnings == ["MAIN.SFX: 3 of its sounds are new or changed: export it, too"]


def test_fewer_samples_need_no_new_numbers(blender: ModuleType) -> None:
    root = import_sounds(sample_bytes(Game.TR3))
    sounds_of(root).details[1].samples.remove(0)
    level, report = export_level(root)
    assert level.sample_indices.tolist() == [0, 3, 5, 7]
    assert [list(run_of(record)) for record in level.sound_details] == [[0], [1], [2]]
    assert not report.warnings


def test_new_samples_need_main_sfx(blender: ModuleType) -> None:
    root = import_sounds(sample_bytes(Game.TR2))
    sounds_of(root).details[0].samples.add().sound = own_sound()
    with pytest.raises(ExportError, match=r"MAIN\.SFX: choose the file in the level's settings first"):
        export_level(root)
    sounds_of(root).main_sfx_count = 9
    with pytest.raises(ExportError, match="Sample 0: it is not loaded"):
        export_level(root)


def test_a_replaced_sample_of_main_sfx_leaves_the_level_alone(blender: ModuleType, tmp_path: Path) -> None:
    root = import_with_main_sfx(tmp_path, Game.TR3)
    put_bytes(sounds_of(root).samples[3].sound, bytes_of(own_sound()))
    level, report = export_level(root)
    assert level.to_bytes() == sample_bytes(Game.TR3)
    assert report.warnings == ["MAIN.SFX: 1 of its sounds are new or changed: export it, too"]


# --- Errors ----------------------------------------


@each_game
def test_values_that_do_not_fit_are_an_error(blender: ModuleType, game: Game) -> None:
    root = import_sounds(sample_bytes(game))
    details = sounds_of(root).details
    size = len(read_level(sample_bytes(game)).sound_map)
    details[0].ids[0].number = size
    with pytest.raises(
        ExportError, match=f"its number does not exist in the game: {size} \\(the limit is {size - 1}\\)"
    ):
        export_level(root)
    details[0].ids[0].number = 8
    with pytest.raises(ExportError, match="also has the number 8"):
        export_level(root)
    details[0].ids[0].number = 0
    details[0].samples.add()
    with pytest.raises(ExportError, match="one of its samples has no sound"):
        export_level(root)
    details[0].samples.remove(1)
    if game >= Game.TR3:
        details[0].volume = 256
        with pytest.raises(ExportError, match=r"its volume does not fit the file: 256 \(the limit is 255\)"):
            export_level(root)
        details[0].volume = 128
    for _ in range(63):
        details[0].samples.add().sample = 0
    with pytest.raises(ExportError, match=r"too many samples: 64 \(the limit is 63\)"):
        sounds_of(root).main_sfx_count = 9
        for slot in sounds_of(root).samples:
            slot.sound = slot.sound or own_sound()
        export_level(root)


@pytest.mark.parametrize("name", ["tr1", "tr3", "tr4"])
def test_samples_with_deleted_sounds_are_reported(blender: ModuleType, name: str, tmp_path: Path) -> None:
    data = named_sample(name)
    chosen = tmp_path / "MAIN.SFX"
    chosen.write_bytes(build_main_sfx(Game.TR3))
    root = import_level(data, ImportOptions(**SOUNDS_ONLY, main_sfx=str(chosen)), name="Level").root
    assert not export_level(root)[1].warnings
    bpy.data.sounds.remove(sounds_of(root).samples[2].sound)
    level, report = export_level(root)
    assert level.to_bytes() == data
    lost = [str(number) for number, each in enumerate(sounds_of(root).samples) if each.sound is None]
    assert "2" in lost
    text = f"Samples {', '.join(lost)}: the sounds were deleted, but the file keeps"
    assert [each.startswith(text) for each in report.warnings] == [True]


@pytest.mark.parametrize("name", ["tr1", "tr4", "tr5"])
def test_sounds_that_are_none_are_an_error(blender: ModuleType, name: str, tmp_path: Path) -> None:
    root = import_sounds(named_sample(name))
    details = sounds_of(root).details
    details[0].samples.add().sound = make_sound("Nonsense", b"RIFF but nothing else")
    with pytest.raises(ExportError, match="Nonsense: this is not a readable sound"):
        export_level(root)
    details[0].samples[1].sound = make_sound("Silence", encode_wave(np.zeros((0, 1), np.int16), 22050))
    with pytest.raises(ExportError, match="Silence: has no samples"):
        export_level(root)
    lost = own_sound("Lost")
    lost.unpack(method="REMOVE")
    lost.filepath = str(tmp_path / "gone.wav")
    details[0].samples[1].sound = lost
    with pytest.raises(ExportError, match="Lost: it is not packed, and its file cannot be read"):
        export_level(root)


def test_samples_that_are_too_long_for_the_engine(blender: ModuleType) -> None:
    long = make_sound("Long", encode_wave(np.zeros((140000, 1), np.int16), 22050))
    root = import_sounds(named_sample("tr5"))
    sounds_of(root).details[0].samples[0].sound = long
    with pytest.raises(
        ExportError, match=r"Long: the sample is too long for the game: 280000 \(the limit is 262144\)"
    ):
        export_level(root)
    root = import_sounds(named_sample("tr4"))  # of a level editor: other engines have more room
    sounds_of(root).details[0].samples[0].sound = long
    _, report = export_level(root)
    assert report.warnings == ["Long: it is longer than six seconds, the maximum of the original engine"]


def test_more_samples_than_the_engine_has_room_for(blender: ModuleType) -> None:
    root = import_sounds(named_sample("tr1"))
    for number in range(5):
        item = sounds_of(root).details.add()
        for at in range(60):
            wave = encode_wave(np.full((4, 1), 100 * (60 * number + at), np.int16), 11025, 16)
            item.samples.add().sound = make_sound("Tick", wave)
    _, report = export_level(root)
    assert any("and the original game supports 256" in text for text in report.warnings)


def test_odd_values_of_the_file_survive(blender: ModuleType) -> None:
    level = read_level(named_sample("tr3"))
    level.sound_map, level.sound_details = level.sound_map.copy(), level.sound_details.copy()
    level.sound_map[[20, 21, 22]] = (3, 500, -7)
    level.sound_details["sample"][2] = 400
    level.sound_details["flags"][2] |= 63 << 2
    data = level.to_bytes()
    assert changes(data, lambda root: None) == []
    assert changes(data, _volume) == [("sound_details", 1, "volume")]
    root = import_sounds(data)
    root.tomb_raider.sounds.details.add().ids.add().number = 40
    made, report = export_level(root)
    assert made.sound_map[[20, 21, 22, 40]].tolist() == [-1, 500, -7, 3]
    assert any("the file has no sound with its number" in text for text in report.warnings)
    assert differences(read_level(data), export_scene(import_sounds(data), rebuild=True), rebuilt=True) == []


def test_levels_with_samples_elsewhere_take_no_new_ones(blender: ModuleType) -> None:
    level = read_level(named_sample("tr4-trng"))
    level.samples = np.frombuffer(np.arange(1, 11, dtype="<u4").tobytes(), np.uint8)
    data = level.to_bytes()
    root = import_sounds(data)
    assert len(sounds_of(root).samples) == 5 and not len(bpy.data.sounds)
    assert export_level(root)[0].to_bytes() == data
    sounds_of(root).details.remove(0)
    assert export_level(root)[0].sample_count == 4
    sounds_of(root).details[0].samples.add().sound = own_sound()
    with pytest.raises(ExportError, match="in a separate file"):
        export_level(root)


# --- Sound sources ----------------------------------------


@each_game
def test_speakers_of_the_users_are_new_sound_sources(blender: ModuleType, game: Game, tmp_path: Path) -> None:
    root = import_with_main_sfx(tmp_path, game)
    home = next(child for child in root.children if child.tomb_raider.kind == "SOUNDS")
    data = bpy.data.speakers.new("Bell")
    data.sound = sounds_of(root).details[2].samples[0].sound
    obj = bpy.data.objects.new("Bell", data)
    obj.location = (1, 2, -3)
    home.objects.link(obj)
    unknown = bpy.data.objects.new("Zzz", bpy.data.speakers.new("Zzz"))
    home.objects.link(unknown)
    if data.sound is None:  # TR1, TR4 and TR5 have their own samples
        pytest.fail("the bell has a sample")
    level, report = export_level(root)
    assert level.sound_sources[2].tolist() == (512, 1536, 1024, 8, 0xC0)
    assert len(level.sound_sources) == 3
    assert report.warnings == ["Zzz: it is left out: choose a sound of the level for it"]


@pytest.mark.parametrize(
    ("name", "value", "label"),
    [
        ("volume", 0.3, "Volume"),
        ("pitch", 2.0, "Pitch"),
        ("distance_max", 3.0, "Maximum Distance"),
        ("attenuation", 2.0, "Attenuation"),
        ("cone_angle_outer", 90.0, "Outer Cone Angle"),
    ],
)
def test_settings_of_speakers_that_are_not_exported_are_reported(
    blender: ModuleType, name: str, value: float, label: str
) -> None:
    data = named_sample("tr4")
    root = import_sounds(data)
    assert not export_level(root)[1].warnings
    obj = objects(root, "SOUND_SOURCE")[0]
    setattr(obj.data, name, value)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert [text for text in report.warnings if obj.name in text and label in text]


def test_a_speaker_that_plays_another_sound_is_reported(blender: ModuleType) -> None:
    root = import_sounds(named_sample("tr4"))
    obj = objects(root, "SOUND_SOURCE")[0]
    obj.data.sound = sounds_of(root).details[2].samples[0].sound
    assert any("choose its Sound" in text for text in export_level(root)[1].warnings)
    obj.tomb_raider.sound_source.sound = sounds_of(root).details[2].ids[0].number
    assert not export_level(root)[1].warnings


def test_sources_of_unknown_sounds_and_far_ones(blender: ModuleType) -> None:
    level = read_level(named_sample("tr1"))
    level.sound_sources = level.sound_sources.copy()
    level.sound_sources["sound"], level.sound_sources["flags"] = 60000, 0xFFFF
    data = level.to_bytes()
    root = import_sounds(data)
    obj = objects(root, "SOUND_SOURCE")[0]
    assert obj.data.sound is None and obj.data.muted
    assert obj.tomb_raider.sound_source.name_of_sound == "Sound 60000"
    assert export_level(root)[0].to_bytes() == data
    obj.location.x = 1e9
    with pytest.raises(ExportError, match="it is too far from the world origin: move it closer"):
        export_level(root)


def test_volumes_and_chances_come_back_from_games_with_finer_ones() -> None:
    for value in range(256):
        values = {"volume": value, "chance": value, "flags": 1, "range": 8, "pitch": 0}
        finer = remap_values(values, Game.TR4, Game.TR1)
        assert finer["volume"] == pytest.approx(value / 255 * 0x7FFF, abs=0.5)
        assert remap_values(finer, Game.TR1, Game.TR4) == values


def test_sounds_are_chosen_by_name(blender: ModuleType) -> None:
    root = import_sounds(named_sample("tr4"))
    source = objects(root, "SOUND_SOURCE")[0].tomb_raider.sound_source
    source.name_of_sound = "footsteps MARBLE"
    assert source.sound == 293
    source.name_of_sound = "Sound 12345"
    assert source.sound == 12345
    source.name_of_sound = "no such thing"
    assert source.sound == 12345
    sounds_of(root).details[0].ids[0].sound = "Footsteps marble"
    assert sounds_of(root).details[0].ids[0].number == 293


# --- Whole levels ----------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_sounds_that_were_not_imported_are_kept(blender: ModuleType, name: str) -> None:
    root = import_level(named_sample(name), ImportOptions(sounds=False)).root
    assert not len(bpy.data.sounds) and not objects(root, "SOUND_SOURCE")
    assert export_level(root)[0].to_bytes() == named_sample(name)


@each_real_level
def test_samples_of_real_levels_are_exact(blender: ModuleType, level_path: Path) -> None:
    level = read_level(level_path)
    root = import_level(level_path, ImportOptions(**SOUNDS_ONLY)).root
    for wave, item in zip(sample_waves(level), sounds_of(root).samples, strict=True):
        assert (b"" if item.sound is None else bytes_of(item.sound)) == wave
    if len(level.sound_details):
        sounds_of(root).details[0].samples[0].sample = -1
        sounds_of(root).details[0].samples[0].sound = own_sound()
        if sample_storage(level) is SampleStorage.MAIN_SFX:
            return
        made = export_scene(root)
        assert is_own(sample_waves(made)[int(made.sound_details["sample"][0])])
        assert [path for path in differences(level, made) if path[0] in ("sound_map", "sound_details")] == []
