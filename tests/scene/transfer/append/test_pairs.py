"""An enemy, Lara's outfit, and Lara of each level in each other level: same poses, looks and sounds."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.catalogue.outfits import BODY, outfit
from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.sounds.files import read_main_sfx
from io_tomb_raider.formats.levels.sounds.samples import SampleStorage, sample_storage, sample_waves
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.sounds.for_trx import stores_for_trx
from io_tomb_raider.scene.subjects.sounds.main_sfx import MainSfxExport
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.append.from_file import OUTFIT, replace_from_file
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.real_levels import REAL_LEVELS
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id
from tests.sample_levels.world import wave

from ...scenes import export_scene, exported, import_scene
from .judging import (
    MOST_ANIMATIONS,
    SHARES,
    enemy_of,
    other_looks,
    other_poses,
    other_sounds,
    outfits,
    own_sounds,
    played_sounds,
    seen_pages,
)
from .reading import poses

_LARA = 0
_IN_MAIN_SFX = 410  # more than any level of TR2 and TR3 uses
_NEIGHBORS = 2


class Pair:
    """Two levels in a folder with a MAIN.SFX; the target is in the scene."""

    def __init__(self, source: Path, target: Path, folder: Path, silent: tuple[int, ...] = ()) -> None:
        """Import the target.

        Args:
            source: the level file with the pieces.
            target: the level file that gets them.
            folder: a folder for both, and for MAIN.SFX.
            silent: sounds to remove from the target.
        """
        self.main_sfx = folder / "MAIN.SFX"
        self.main_sfx.write_bytes(_main_sfx())
        self.source = Path(shutil.copy(source, folder / f"there{source.suffix}"))
        path = Path(shutil.copy(target, folder / f"here{target.suffix}"))
        self.there, self.old = read_level(self.source), read_level(path)
        in_main_sfx = sample_storage(self.old) is SampleStorage.MAIN_SFX
        self.root = import_level(path).root if in_main_sfx else import_scene(path.read_bytes())
        details = self.root.tomb_raider.sounds.details
        for place in reversed(range(len(details))):
            if any(each.number in silent for each in details[place].ids):
                details.remove(place)
        self.had = own_sounds(self.old) - set(silent)

    def judge(self, models: list[tuple[str, int, int]]) -> list[str]:
        """Export; return the differences of models, (label, source id, target id), from their file."""
        new = export_scene(self.root)
        pages = seen_pages(self.there, new), decode_pages(pages_of(new))
        waves = self._waves(self.there, self.main_sfx.read_bytes()), self._waves(new, self._new_main_sfx(new))
        found = []
        for name, one, other in models:
            told = other_looks(self.there, one, new, other, pages)
            if name != OUTFIT:
                told += other_poses(self.there, one, new, other)
                if stores_for_trx(self.root):  # the game has none of them
                    assert all(item.for_trx for item in self.root.tomb_raider.sounds.details)
                else:
                    told += other_sounds(self.there, one, self.had, new, other, waves)
            found += [f"{name} {one}, here {other}: {text}" for text in told]
        if any(name == OUTFIT for name, _, _ in models):
            for animation in range(MOST_ANIMATIONS):
                before, after = (poses(each, _LARA, animation, SHARES) for each in (self.old, new))
                if not np.array_equal(before, after):
                    found.append(f"Lara's own animation {animation} is another one in the other outfit")
        return found

    def _new_main_sfx(self, level: Level) -> bytes:
        in_main_sfx = sample_storage(level) is SampleStorage.MAIN_SFX
        return MainSfxExport(self.main_sfx).written.content if in_main_sfx else b""

    @staticmethod
    def _waves(level: Level, main_sfx: bytes) -> list[bytes]:
        if sample_storage(level) is not SampleStorage.MAIN_SFX:
            return sample_waves(level)
        pieces = read_main_sfx(main_sfx).pieces
        return [pieces[each] for each in level.sample_indices.tolist()]


def _main_sfx() -> bytes:
    """Return a MAIN.SFX of different sounds: each is longer, and loudest at another time."""
    found = []
    for number in range(_IN_MAIN_SFX):
        time = np.linspace(0, 1, 1600 + 16 * (number % 100))
        loud = np.exp(-(((time - (number % 20) / 20) / (0.02 + number / 4000)) ** 2))
        piece = wave(np.sin(2 * np.pi * (40 + number) * time) * loud, 11025, 8)
        found.append(piece + bytes(len(piece) % 2))
    return b"".join(found)


def has_lara(level: Level) -> bool:
    return BODY in outfit(level.game, set(level.models["id"].tolist()))


def judge_pair(source: Path, target: Path, folder: Path) -> list[str]:
    """Append an enemy and Lara's outfit of a level to another, then Lara; return the differences."""
    pair = Pair(source, target, folder)
    there, enemy = pair.there, enemy_of(pair.there)
    models = [] if enemy is None else [("enemy", enemy, bring_enemy(pair.root, pair.source, enemy))]
    if not (has_lara(there) and has_lara(pair.old)):
        return pair.judge(models)
    replace_from_file(pair.root, None, pair.source, "", OUTFIT)
    found = pair.judge([*models, *((OUTFIT, one, other) for one, other in outfits(there, pair.old))])
    append(pair.root, pair.source, PieceSelection(models=str(_LARA)), on_conflict="REPLACE")
    return found + pair.judge([("Lara", _LARA, _LARA)])


def bring_enemy(root: Collection, source: Path, enemy: int) -> int:
    """Append an enemy; return its id in the level."""
    got = append(root, source, PieceSelection(models=str(enemy)), on_conflict="FREE_ID")
    return int(got.objects[0].tomb_raider.model.id)


@pytest.mark.parametrize(("source", "game"), [(source, game) for source in Game for game in Game])
def test_each_game_in_each_game(blender: ModuleType, tmp_path: Path, source: Game, game: Game) -> None:
    """The target has no sound of the enemy or of Lara's steps."""
    paths = []
    for number, each in enumerate((source, game)):
        paths.append(tmp_path / f"{number}{'.trc' if each is Game.TR5 else '.lev'}")
        paths[-1].write_bytes(sample_bytes(each))
    folder = tmp_path / "pair"
    folder.mkdir()
    pair = Pair(paths[0], paths[1], folder, silent=(0, 1, 5))
    enemy = model_id(source, "enemy")
    models = [("enemy", enemy, bring_enemy(pair.root, pair.source, enemy))]
    replace_from_file(pair.root, None, pair.source, "", OUTFIT)
    parts = [(OUTFIT, one, other) for one, other in outfits(pair.there, pair.old)]
    assert parts
    assert pair.judge([*models, *parts]) == []
    assert set(played_sounds(pair.there, enemy)) == {1}
    assert len(own_sounds(export_scene(pair.root)) - pair.had) == 1
    append(pair.root, pair.source, PieceSelection(models=str(_LARA)), on_conflict="REPLACE")
    assert pair.judge([("Lara", _LARA, _LARA)]) == []


def _neighbors(levels: list[Path]) -> list[Any]:
    """Return each level with the next ones in a circle, as all pairs take an hour."""
    count = len(levels)
    pairs = [
        (levels[number], levels[(number + step) % count])
        for number in range(count)
        for step in range(1, 1 + min(_NEIGHBORS, count - 1))
    ]
    return [
        pytest.param(source, target, id=f"{source.stem} {target.stem}", marks=pytest.mark.once)
        for source, target in pairs
    ]


@pytest.mark.parametrize(("source", "target"), _neighbors(REAL_LEVELS))
def test_each_real_level_in_its_neighbors(
    blender: ModuleType, tmp_path: Path, source: Path, target: Path
) -> None:
    assert judge_pair(source, target, tmp_path) == []


@pytest.mark.parametrize("source", [path for path in REAL_LEVELS if path.name == "trx_outfits.tr2"])
def test_a_level_of_trx_in_a_level(blender: ModuleType, source: Path) -> None:
    """It has more object textures than the original game has room for."""
    ids = read_level(source).models["id"].tolist()
    root = import_scene(sample_bytes(Game.TR2))
    root.tomb_raider.engine = "TRX"
    append(root, source, PieceSelection(models=",".join(map(str, ids))))
    level, warnings = exported(root)
    assert set(ids) <= set(level.models["id"].tolist())
    assert len(level.object_textures) > 2048 and not [text for text in warnings if "has room for" in text]
