"""Append of pieces to a level of the same game and of another one, read as a game would."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.equivalents import equivalent, listed_numbers
from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.formats.base.games import SamplePlace
from io_tomb_raider.formats.levels.sounds.details import run_of
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.sounds.waves import decode_wave, read_wave
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.transfer.append.appending import Appended, append
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from io_tomb_raider.scene.transfer.engine.contents import Piece
from io_tomb_raider.scene.transfer.engine.ids import library_number
from io_tomb_raider.scene.transfer.engine.plan import FREE_ID, REPLACE, SKIP, Numbering, UsedIds
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ...scenes import export_scene, import_scene, objects
from .appending import append_from
from .judging import other_looks, other_poses

# Sections that differ after a model with animations is added.
ADDED = {"animations", "meshes", "models", "textiles8", "textiles16", "textiles32", "animated_textures"}
PAIRS = [
    *((game, game) for game in Game),
    (Game.TR1, Game.TR4),
    (Game.TR5, Game.TR1),
    (Game.TR3, Game.TR2),
    (Game.TR2, Game.TR5),
]


def new_model(got: Appended) -> int:
    """Return the id of the only appended model."""
    (obj,) = got.objects
    return int(obj.tomb_raider.model.id)


def same_model(there: Level, one: int, here: Level, other: int) -> None:
    """Assert that a model looks and moves like another one."""
    assert other_poses(there, one, here, other) == []
    assert other_looks(there, one, here, other) == []


@pytest.mark.parametrize(("source", "game"), PAIRS)
def test_an_enemy_moves_and_looks_as_in_its_file(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    enemy = model_id(source, "enemy")
    got = append_from(root, tmp_path, source, models=str(enemy), on_conflict="FREE_ID")
    written = export_scene(root)
    same_model(read_level(sample_bytes(source)), enemy, written, new_model(got))
    found = differences(read_level(data), written)
    assert {path[0] for path in found} <= ADDED
    # Objects of the level have not moved, and only textures of the enemy were packed.
    old = read_level(data)
    assert len(written.models) == len(old.models) + 1
    assert len(written.animations) == len(old.animations) + 3
    assert [path for path in found if path[0] == "meshes"] == [
        ("meshes", "count", *(len(set(level.mesh_pointers.tolist())) for level in (old, written)))
    ]
    texels = sum(path[2] for path in found if path[0] == "textiles16" and path[1] != "count")
    assert texels < 3 * 64 * 64
    # Nothing of the file is left in the scene.
    assert [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"] == [root]


@pytest.mark.parametrize(
    ("source", "game"), [(Game.TR1, Game.TR1), (Game.TR2, Game.TR4), (Game.TR5, Game.TR3)]
)
def test_lara_takes_the_place_of_lara(blender: ModuleType, tmp_path: Path, source: Game, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    shown = [each.instance_collection for each in objects(root, "ENTITY")]
    got = append_from(root, tmp_path, source, models="lara", on_conflict="REPLACE")
    assert got.pieces["model"] == 1
    assert [each.instance_collection for each in objects(root, "ENTITY")] == shown
    written, old = export_scene(root), read_level(data)
    same_model(read_level(sample_bytes(source)), 0, written, 0)
    assert len(written.models) == len(old.models)
    assert len(written.animations) == len(old.animations)
    # Her meshes are deleted, so the numbers of others change.
    found = {path[0] for path in differences(old, written)}
    assert found <= ADDED | {"static_meshes", "object_textiles"}


@each_game
def test_static_meshes_sprites_and_sounds(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    """Append all pieces of a TR1 level to a level without them, or with free ids."""
    there = read_level(sample_bytes(Game.TR1))
    data = sample_bytes(game)
    root = import_scene(data)
    got = append_from(
        root, tmp_path, Game.TR1, static_meshes="10", sprites="*", sounds="8", on_conflict="FREE_ID"
    )
    # The sounds of TR2 and TR3 stand in MAIN.SFX, which is not there.
    in_file = game.traits.samples is not SamplePlace.IN_MAIN_SFX
    assert got.pieces == {"model": 0, "static": 1, "sprite": 3, "sound": in_file, "room": 0, "texture": 0}
    assert in_file or "choose the level's MAIN.SFX" in got.report.warnings[-1]
    old, written = read_level(data), export_scene(root)
    (static,) = written.static_meshes[len(old.static_meshes) :]
    (like,) = there.static_meshes[there.static_meshes["id"] == 10]
    for name in ("visibility_box", "collision_box", "flags"):
        assert np.array_equal(static[name], like[name])
    lengths = sorted((-there.sprite_sequences["negative_length"]).tolist())
    new = written.sprite_sequences[~np.isin(written.sprite_sequences["id"], old.sprite_sequences["id"])]
    assert sorted((-new["negative_length"]).tolist()) == lengths
    assert len(written.sprite_textures) == len(old.sprite_textures) + sum(lengths)
    if not in_file:
        return
    (number,) = np.flatnonzero((written.sound_map >= 0) & (old.sound_map < 0))
    details = written.sound_details[written.sound_map[number]]
    (place,) = run_of(details)
    before, after = (read_wave(each) for each in (sample_waves(there)[3], sample_waves(written)[place]))
    heard, plays = (decode_wave(each)[:, 0] / 32768 for each in (before, after))
    # TR5 packs samples, which changes them a little.
    times = np.linspace(0, 1, 400)
    found = [np.interp(times, np.linspace(0, 1, len(each)), each) for each in (heard, plays)]
    assert np.abs(found[0] - found[1]).mean() < 0.02


def test_pieces_with_ids_in_use_are_left_out_with_a_warning(blender: ModuleType, tmp_path: Path) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    got = append_from(root, tmp_path, Game.TR4, models="*", static_meshes="*", sprites="*", sounds="*")
    assert not any(got.pieces.values())
    assert any(text.startswith("Lara: it is left out: the level has model 0") for text in got.report.warnings)
    assert export_scene(root).to_bytes() == data


def test_the_last_number_of_a_game_is_as_free_as_others() -> None:
    last = max(names(Game.TR4).known("model"))
    used = UsedIds(set(range(last)), set(), set(), set())
    numbering = Numbering(Game.TR4, Game.TR4, used, FREE_ID, 0, Report())
    plan = numbering.plan(Piece("model", 1, "Another"), is_asked=True)
    assert plan is not None and plan.number == last


@pytest.mark.parametrize(("policy", "is_imported"), [(FREE_ID, True), (SKIP, False), (REPLACE, False)])
def test_a_model_never_takes_the_number_of_a_sprite(policy: str, is_imported: bool) -> None:
    used = UsedIds(model=set(), static=set(), sprite={7}, sound=set())
    numbering = Numbering(Game.TR4, Game.TR4, used, policy, 0, Report())
    plan = numbering.plan(Piece("model", 7, "Enemy"), is_asked=True)
    assert (plan is not None) == is_imported
    assert plan is None or plan.number != 7


@pytest.mark.parametrize("game", list(Game)[1:])
def test_new_sounds_leave_numbers_that_lara_needs(game: Game) -> None:
    """Engines play some sounds that have a name in other games only: TR3's catalogue has no body slam."""
    numbering = Numbering(Game.TR1, game, UsedIds(set(), set(), set(), set()), FREE_ID, 256, Report())
    unknown = [each for each in range(256) if library_number("sound", each, Game.TR1, game).number is None]
    given = [numbering.plan(Piece("sound", each, ""), is_asked=False) for each in unknown[:8]]
    numbers = {each.number for each in given if each is not None}
    assert len(numbers) == 8 and not numbers & listed_numbers("sound", game)
    slam = equivalent("sound", 27, Game.TR1, game)
    assert slam is None or slam.number not in numbers


def test_an_unchanged_number_gives_no_warning() -> None:
    report = Report()
    numbering = Numbering(Game.TR4, Game.TR4, UsedIds(set(), set(), set(), set()), FREE_ID, 0, report)
    plan = numbering.plan(Piece("model", 7, "Enemy"), is_asked=True)
    assert plan is not None and (plan.number, report.warnings) == (7, [])


def test_invalid_selections_are_an_error_and_change_nothing(blender: ModuleType, tmp_path: Path) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "collections", "meshes", "images")}
    with pytest.raises(
        ExportError, match=r"Unicorn: the file has none with this name. Its models are Lara \(0\)"
    ):
        append_from(root, tmp_path, Game.TR2, models="lara, Unicorn")
    with pytest.raises(ExportError, match="nothing was chosen"):
        append_from(root, tmp_path, Game.TR2)
    broken = tmp_path / "broken.tr4"
    broken.write_bytes(sample_bytes(Game.TR4)[:3000])
    with pytest.raises(FormatError):
        append(root, broken, PieceSelection(models="*"))
    assert {kind: len(getattr(bpy.data, kind)) for kind in before} == before
    assert export_scene(root).to_bytes() == data
