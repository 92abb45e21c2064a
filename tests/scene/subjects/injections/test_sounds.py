"""Sounds for TRX with their waves: shown as the level's other sounds, edited, added and removed."""

from __future__ import annotations

import struct
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.sounds.waves import decode_wave, encode_wave, read_wave
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.core.membership import levels
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.subjects.sounds.sources import sound_of
from io_tomb_raider.scene.subjects.sounds.waves import bytes_of, make_sound, put_bytes
from io_tomb_raider.scene.transfer.adoption.copy_sounds import copy_sounds
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from tests.formats.levels.injections.samples import trxj
from tests.real_levels import LEVEL_SUFFIXES, real_injections
from tests.sample_levels import sample_bytes

from ...scenes import exported, import_anew, import_scene
from ..sounds.own_sounds import is_own, own_wave
from .blocks import GAMES, block_of, sample

each_game = pytest.mark.parametrize("game", GAMES)


def wave(pitch: int, rate: int = 22050) -> bytes:
    tone = (8000 * np.sin(np.arange(400) * pitch / 50)).astype(np.int16)
    return encode_wave(tone[:, None], rate)


def sound(number: int, *waves: bytes, volume: int = 0x4000, reach: int = 5000, pitch: int = -7) -> bytes:
    flags = 0x4000 | len(waves) << 2 | 2
    head = struct.pack("<3hHib", number, volume, 100, flags, reach, pitch)
    return head + b"".join(struct.pack("<i", len(each)) + each for each in waves)


def block(*sounds: bytes) -> tuple[int, int, bytes]:
    return BlockId.SOUNDS, len(sounds), b"".join(sounds)


def records(level: Level) -> list[dict[str, Any]]:
    return block_of(level).records(BlockId.SOUNDS) if len(level.footer) else []


def for_trx(root: Collection) -> list[Any]:
    return [item for item in root.tomb_raider.sounds.details if item.for_trx]


@each_game
def test_sounds_show_with_their_waves(blender: ModuleType, game: Game) -> None:
    data = sample(game, block(sound(3, wave(1), wave(2)), sound(400, wave(1))))
    root = import_scene(data)
    first, second = for_trx(root)
    assert ([each.number for each in first.ids], [each.number for each in second.ids]) == ([3], [400])
    assert [bytes_of(slot.sound) for slot in first.samples] == [wave(1), wave(2)]
    assert second.samples[0].sound == first.samples[0].sound
    assert (first.volume, first.chance, first.range_units, first.pitch) == (0x4000, 100, 5000, -7)
    assert (first.loop, first.random_volume) == ("LOOP" if game is Game.TR1 else "RESTART", True)
    assert round(first.volume_measure) == 50
    assert exported(root)[0].to_bytes() == data


@each_game
def test_edited_sounds_are_written(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample(game, block(sound(3, wave(1), wave(2)), sound(7, wave(3)))))
    first, _ = for_trx(root)
    first.volume, first.pitch, first.range_units = 0x7FFF, 12, 1234
    first.samples.remove(0)
    level, warnings = exported(root)
    one, other = records(level)
    assert (one["volume"], one["pitch"], one["range"], one["waves"]) == (0x7FFF, 12, 1234, [wave(2)])
    assert one["flags"] == 0x4000 | 1 << 2 | 2
    assert (other["sound"], other["volume"], other["waves"]) == (7, 0x4000, [wave(3)])
    before = read_level(sample_bytes(game))
    assert level.sound_map.tobytes() == before.sound_map.tobytes() and not warnings
    assert level.sound_details.tobytes() == before.sound_details.tobytes()


@each_game
def test_removed_sounds_are_removed(blender: ModuleType, game: Game) -> None:
    data = sample(game, block(sound(3, wave(1)), sound(7, wave(3))))
    root = import_scene(data)
    details: Any = root.tomb_raider.sounds.details
    details.remove(len(details) - 2)
    assert [each["sound"] for each in records(exported(root)[0])] == [7]
    details.remove(len(details) - 1)
    level, _ = exported(root)
    assert level.to_bytes() == sample_bytes(game)


@each_game
def test_an_added_sound_is_written_for_trx(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    item = root.tomb_raider.sounds.details.add()
    item.stored_for_trx = True
    item.volume = 0x7FFF
    item.ids.add().number = 700
    item.samples.add().sound = make_sound("Mine", own_wave())
    item.samples.add().sound = make_sound("Plain", wave(4, 44100))
    level, warnings = exported(root)
    (record,) = records(level)
    assert (record["sound"], record["volume"], record["range"]) == (700, 0x7FFF, 8192)
    mine, plain = record["waves"]
    assert is_own(mine) and read_wave(mine).channels == 1
    assert plain == wave(4, 44100)
    assert block_of(level).version == 6 and not warnings
    again = import_anew(level.to_bytes())
    assert exported(again)[0].to_bytes() == level.to_bytes()


@each_game
def test_a_replaced_wave(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample(game, block(sound(3, wave(1)), sound(7, wave(1)), sound(8, wave(2)))))
    first, *_ = for_trx(root)
    put_bytes(first.samples[0].sound, wave(9))
    assert [each["waves"] for each in records(exported(root)[0])] == [[wave(9)], [wave(9)], [wave(2)]]


@each_game
def test_the_switch_changes_the_scale(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    item = root.tomb_raider.sounds.details.add()
    full = 0xFF if game is Game.TR3 else 0x7FFF
    item.volume, item.chance, item.range = full, 0, 4
    before = item.volume_measure
    item.stored_for_trx = True
    assert (item.volume, item.chance, item.volume_measure) == (0x7FFF, 0, before)
    assert item.range_units == 4096
    item.stored_for_trx = False
    assert (item.volume, item.chance) == (full, 0)
    assert item.range == 4


@each_game
def test_two_sounds_with_one_number_are_refused(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample(game, block(sound(3, wave(1)), sound(7, wave(3)))))
    for_trx(root)[1].ids[0].number = 3
    with pytest.raises(ExportError, match="number 3"):
        exported(root)


def test_sixteen_samples_are_too_many(blender: ModuleType) -> None:
    root = import_scene(sample(Game.TR1, block(sound(3, wave(1)))))
    (item,) = for_trx(root)
    for _ in range(15):
        item.samples.add().sound = item.samples[0].sound
    with pytest.raises(ExportError, match="15"):
        exported(root)


def test_a_sound_of_the_game_that_trx_replaces_is_reported(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1))
    first, second = np.flatnonzero(level.sound_map >= 0)[:2].tolist()
    root = import_scene(sample(Game.TR1, block(sound(first, wave(1)), sound(second, wave(2)))))
    details: Any = root.tomb_raider.sounds.details
    entry = next(each for each in details if second in [one.number for one in each.ids])
    entry.volume //= 2
    level, warnings = exported(root)
    assert [each["sound"] for each in records(level)] == [first, second]
    assert len(warnings) == 1 and "TRX plays the sound for TRX" in warnings[0]
    found: Any = sound_of(root, second)
    assert found.for_trx


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_numbers_in_main_sfx_are_kept(blender: ModuleType, game: Game) -> None:
    record = struct.pack("<3hHI", 3, 100, 0, 4, 205)
    data = sample_bytes(game) + trxj(3, [(BlockId.SOUNDS, 1, record)])
    root: Any = import_scene(data)
    assert not for_trx(root) and exported(root)[0].to_bytes() == data
    root.tomb_raider.sounds.details.add().for_trx = True
    level, warnings = exported(root)
    assert level.to_bytes() == data
    assert any("old version" in each for each in warnings)


def test_a_missing_wave_stays_missing(blender: ModuleType) -> None:
    data = sample(Game.TR1, block(sound(3, b"", wave(1))))
    root = import_scene(data)
    assert exported(root)[0].to_bytes() == data
    for_trx(root)[0].volume = 5
    assert records(exported(root)[0])[0]["waves"] == [b"", wave(1)]


def test_a_level_with_sounds_for_trx_alone_has_sounds(blender: ModuleType) -> None:
    level = read_level(sample(Game.TR1, block(sound(3, wave(1)))))
    level.sound_map = np.full_like(level.sound_map, -1)
    level.sound_details = level.sound_details[:0]

    def kinds(target: Target) -> set[str]:
        return {each.check for each in check_level(Decoded(level, target))}

    assert "no sounds" not in kinds(Target.TRX) and "no sounds" in kinds(Target.ORIGINAL)


@pytest.mark.parametrize("target", [Game.TR1, Game.TR4])
def test_sounds_become_those_of_another_game(blender: ModuleType, target: Game) -> None:
    level = read_level(sample_bytes(Game.TR1))
    replaced = int(np.flatnonzero(level.sound_map >= 0)[0])
    source = Game.TR3 if target is Game.TR1 else Game.TR1
    root = import_scene(sample(source, block(sound(replaced, wave(1), volume=0x7FFF, reach=3072))))
    convert_level(root, target)
    level, _ = exported(root)
    waves = [decode_wave(read_wave(each)) for each in sample_waves(level) if each]
    # The length of the sample in one of both rates, and silence up to the shortest that games play.
    loud = [np.flatnonzero(np.abs(each.astype(int)).max(axis=1) > 100) for each in waves]
    assert any(count - 20 < each.max(initial=0) < count + 30 for each in loud for count in (400, 200))
    assert not for_trx(root)
    item: Any = sound_of(root, replaced)
    assert item.volume_measure == 100
    assert target is Game.TR1 or item.range == 3


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3])
def test_sounds_of_another_level_need_no_main_sfx(blender: ModuleType, game: Game) -> None:
    source = import_scene(sample(Game.TR1, block(sound(30, wave(1), volume=0x4000, reach=2048))))
    root: Any = import_anew(sample_bytes(game))
    source = next(each for each in levels() if each != root) if source not in levels() else source
    root.tomb_raider.engine = "TRX"
    numbers = copy_sounds(root, source, [30], Report())
    (record,) = records(exported(root)[0])
    assert record["sound"] == numbers[30] and record["waves"] == [wave(1)]
    assert abs(record["volume"] - 0x4000) < 0x81


_LEVELS = [each for each in real_injections() if each.suffix.lower() in LEVEL_SUFFIXES]


@pytest.mark.parametrize("path", _LEVELS, ids=[each.name for each in _LEVELS])
def test_real_sounds_are_edited(blender: ModuleType, path: Any) -> None:
    root = import_anew(path.read_bytes())
    items = for_trx(root)
    if not items:
        pytest.skip("it has no sounds for TRX")
    before = records(read_level(path.read_bytes()))
    items[0].volume = 1
    found = records(exported(root)[0])
    assert found == [before[0] | {"volume": 1}, *before[1:]]
    assert all(len(decode_wave(read_wave(each))) for each in found[0]["waves"])
