"""Tests of the tutorials: their code runs, and the exported levels contain what they promise."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.catalogue.outfits import SKINS
from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.formats.editors.animation_files.anim import read_anim
from io_tomb_raider.formats.editors.animation_files.animation import same_numbers
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.skins import is_hidden, vertex_pairs
from io_tomb_raider.formats.editors.wads.wad2.wad2 import TOMB_ENGINE, read_wad2
from io_tomb_raider.formats.levels.animations.animations import PLAY_SOUND, model_animations
from io_tomb_raider.formats.levels.cutscenes.cutseq import read_cutseq
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import ActionType, Portal, Slant, Trigger, TriggerType
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.sounds.waves import read_wave
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.new_levels.example import example_of
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.subjects.animations.commands import commands_of
from io_tomb_raider.ui.base.text.words import SUFFIXES
from tests.animation_samples import anim_change, anim_dispatch, anim_file
from tests.compare import differences
from tests.formats.levels.cutscenes.samples import Sample, cutseq_file
from tests.games import each_game
from tests.new_levels.judging import broken_rules, is_flat
from tests.project_files import write_castle
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id
from tests.sample_levels.other import BEAR, other_level
from tests.sample_levels.world import wave
from tests.scene.authoring.motion.recordings import Recording
from tests.scene.rig_tools import model_keys, turned
from tests.scene.subjects.cutscenes.sample_cutscenes import in_game
from tests.scene.transfer.append.judging import other_looks, other_poses
from tests.scene.transfer.append.reading import model_meshes, poses
from tests.scene.transfer.convert.judge import differing_parts
from tests.scene.transfer.lara_levels import level_with_outfit
from tests.trxi_reader import read
from tests.ui.user_actions import write_image
from tests.wad2_samples import differences as chunk_differences
from tests.wad2_samples import sample_wad2, tree
from tests.window.levels import write_tiles
from tests.window.levels_of_games import TILE_COLORS, TILES
from tests.window.reading import rooms_of_file

from . import screen, tutorials

RED = (1.0, 0.0, 0.0, 1.0)


@pytest.fixture
def folder(blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up a folder with the files that the tutorials need, and make it the current one."""
    monkeypatch.chdir(tmp_path)
    for name, game in (("LEVEL1.PHD", Game.TR1), ("WALL.TR2", Game.TR2), ("angkor1.tr4", Game.TR4)):
        (tmp_path / name).write_bytes(sample_bytes(game))
    (tmp_path / "LEVEL2.PHD").write_bytes(other_level())
    for name in ("top.png", "bricks.png"):
        write_image(tmp_path / name, (16, 16), RED)
    return tmp_path


def levels(old: str, new: str) -> tuple[Level, Level]:
    return read_level(old), read_level(new)


def sections(old: Level, new: Level) -> set[str]:
    """Return the names of the differing sections."""
    return {str(path[0]) for path in differences(old, new)}


def page_of(level: Level, number: int) -> Any:
    """Return a texture page as games show it, (256, 256, 4)."""
    return decode_pages(pages_of(level))[number].astype(int)


def triggers(level: Level, room: int, x: int, z: int) -> list[Trigger]:
    """Return the triggers of a sector; x and z are in the game's axes, in sectors of the room."""
    sectors, depth = level.rooms[room].sectors, level.rooms[room].z_sectors
    start = int(sectors["floor_data"][x * depth + z])
    return [each for each in decode(level.floor_data, start) if isinstance(each, Trigger)]


def test_tutorials_are_all_tested() -> None:
    pages = {path.stem.replace("-", "_") for path in tutorials.FOLDER.glob("*.md")} - {"index"}
    tests = {name.removeprefix("test_the_page_") for name in globals() if "_the_page_" in name}
    assert pages == {name.removesuffix("_on_real_levels") for name in tests}


@pytest.mark.once
def test_moving_pictures_move_and_are_small() -> None:
    folder = tutorials.FOLDER.parent / "pictures" / "tutorials"
    pattern = re.compile(r"^!\[[^\]\n]{20,}\]\(\.\./pictures/tutorials/(.+\.webp)\)$", re.MULTILINE)
    found = {
        page.stem: pattern.findall(page.read_text(encoding="utf-8")) for page in tutorials.FOLDER.glob("*.md")
    }
    shown = {page: names for page, names in found.items() if names}
    assert shown == {
        "animate-lara": ["animate-lara-run.webp", "animate-lara-push.webp"],
        "motion-capture": ["motion-capture.webp"],
        "anim-file": ["anim-file.webp"],
        "turn-the-chest": ["turn-the-chest.webp"],
        "two-actors": ["two-actors.webp"],
    }
    assert {path.name for path in folder.glob("*.webp")} == {
        each for names in shown.values() for each in names
    }
    for path in folder.glob("*.webp"):
        data = path.read_bytes()
        assert len(data) < 300_000 and data[:4] + data[8:16] == b"RIFFWEBPVP8X", path.name
        chunks, place = list[tuple[bytes, bytes]](), 12
        while place < len(data):
            size = int.from_bytes(data[place + 4 : place + 8], "little")
            chunks.append((data[place : place + 4], data[place + 8 : place + 8 + size]))
            place += 8 + size + size % 2
        (repeats,) = [content[4:] for kind, content in chunks if kind == b"ANIM"]
        frames = {content[16:] for kind, content in chunks if kind == b"ANMF"}
        assert repeats == b"\0\0" and len(frames) >= 20, path.name  # zero is without end


def test_labels_that_the_interface_lacks_are_found(blender: ModuleType, folder: Path) -> None:
    bpy.ops.import_scene.tomb_raider(filepath="LEVEL1.PHD")
    seen = screen.seen_now()
    good = [
        "Edit Model",
        "Add > Tomb Raider > Entity",
        "File > Import > Tomb Raider > Level",
        "Shift+A",
        "Lara 0",
    ]
    bad = ["Edit the Model", "Add > Tomb Raider > Villain", "File > Tomb Raider > Level", "Raise", "Lara 1"]
    assert screen.unknown_words([*good, *bad], seen) == bad
    assert list(screen.marked("**Not** this, *but\n  this*, and *A > B*.")) == ["but this", "A > B"]


def test_the_page_lara_outfit(folder: Path) -> None:
    tutorials.run("lara-outfit")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    assert sections(old, new) == {"textiles8", "meshes"}
    # Two meshes are larger, and a texture has the palette's closest red.
    changed = {path[1] for path in differences(old, new) if path[0] == "meshes"}
    before, after = (
        decode_meshes(each.game, each.mesh_data, each.mesh_pointers).meshes for each in (old, new)
    )
    assert len(changed) == 2
    for number in changed:
        sizes = [np.ptp(np.asarray(each[number].vertices), axis=0).astype(float) for each in (before, after)]
        assert np.allclose(sizes[1] / sizes[0], 1.2, atol=0.05)
    other = (page_of(old, 1) != page_of(new, 1)).any(axis=-1)
    assert other.sum() > 2000 and (page_of(new, 1)[other][:, 0] > page_of(new, 1)[other][:, 1] + 100).all()


@pytest.mark.once  # see tests/scene/exchange
def test_the_page_exchange(folder: Path) -> None:
    tutorials.run("exchange")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    *before, head = model_meshes(old, 0)
    *after, larger = model_meshes(new, 0)
    for one, other in zip(before, after, strict=True):
        assert {tuple(each) for each in one.vertices} == {tuple(each) for each in other.vertices}
    sizes = [np.ptp(np.asarray(each.vertices), axis=0).astype(float) for each in (head, larger)]
    assert np.allclose(sizes[1] / sizes[0], 1.25, atol=0.05)
    shares = (0.0, 0.5, 1.0)
    for animation in range(12):
        assert np.abs(poses(old, 0, animation, shares) - poses(new, 0, animation, shares)).max() < 1.5


def test_the_page_append_outfit(folder: Path) -> None:
    tutorials.run("append-outfit")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    other = read_level("LEVEL2.PHD")
    assert other_looks(other, 0, new, 0) == [] and other_looks(old, 0, new, 0) != []
    before, after = (poses(each, 0, 1, (0.0, 1.0)) for each in (old, new))
    assert np.array_equal(before, after)
    assert sections(old, new) <= {"textiles8", "meshes", "models", "static_meshes"}


def test_the_page_append_enemy(folder: Path) -> None:
    tutorials.run("append-enemy")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    other = read_level("LEVEL2.PHD")
    assert len(new.models) == len(old.models) + 1 and int(new.entities["type"][-1]) == BEAR
    assert other_poses(other, BEAR, new, BEAR) == [] and other_looks(other, BEAR, new, BEAR) == []
    (trigger,) = triggers(new, 0, 6, 2)
    assert [(each.type, each.parameter) for each in trigger.actions] == [
        (ActionType.OBJECT, len(new.entities) - 1)
    ]


def test_the_page_append_room(folder: Path) -> None:
    tutorials.run("append-room")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    made = len(old.rooms)
    assert len(new.rooms) == made + 2  # the new room flips
    assert made in new.rooms[1].portals["room"].tolist() and 1 in new.rooms[made].portals["room"].tolist()
    assert len(new.rooms[made].lights) == len(old.rooms[1].lights)
    assert len(new.rooms[made].static_meshes) == len(old.rooms[1].static_meshes)
    assert broken_rules(new) == broken_rules(old)


def test_the_page_edit_room(folder: Path) -> None:
    tutorials.run("edit-room")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    paths = [path for path in differences(old, new) if path[0] == "rooms"]
    assert {path[2] for path in paths} == {"sectors", "vertices"}
    floors = [each.rooms[0].sectors["floor"].astype(int) for each in (old, new)]
    assert sorted((floors[1] - floors[0])[floors[1] != floors[0]].tolist()) == [-1] * 4
    assert new.entities["y"][5] - old.entities["y"][5] == -256
    heights = [each.rooms[0].vertices["y"].astype(int) for each in (old, new)]
    assert set((heights[1] - heights[0]).tolist()) == {0, -256}


def test_the_page_walkable_room(folder: Path) -> None:
    tutorials.run("walkable-room")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    before, after = old.rooms[0], new.rooms[0]
    # The niche is before the first row of sectors, so the room begins one sector earlier.
    assert (after.x, after.z) == (before.x, before.z - 1024)
    assert (after.x_sectors, after.z_sectors) == (before.x_sectors, before.z_sectors + 1)
    grids = [
        np.array([room.sectors[name] for name in ("floor", "ceiling")]).reshape(2, room.x_sectors, -1)
        for room in (before, after)
    ]
    grids[0] = np.pad(grids[0], ((0, 0), (0, 0), (1, 0)), constant_values=-127)
    changed = np.argwhere((grids[0] != grids[1]).any(axis=0)).tolist()
    assert changed == [[3, 1], [5, 5]]
    assert grids[1][:, 3, 1].tolist() == [0, -4]
    assert int(grids[1][0, 5, 5]) == int(grids[0][0, 5, 5]) - 1
    assert broken_rules(new) == broken_rules(old)


def test_the_page_texture_a_room(folder: Path) -> None:
    write_tiles(folder / TILES)
    names = tutorials.run("texture-a-room")
    colors = list(TILE_COLORS.values())
    (room,) = rooms_of_file("HOME.TR4")
    shown = np.array([quad["colors"] for quad in room["quads"]])
    brightest = shown[np.arange(len(shown)), shown.sum(axis=2).argmax(axis=1)]
    away = np.abs(brightest[:, None] - np.array(colors)).max(axis=2)
    tile = away.argmin(axis=1)
    assert (away[np.arange(len(tile)), tile] <= 8).all()  # 16-bit pages have 32 shades
    # In the order of the tiles. The back of the door is a wall.
    assert np.bincount(tile, minlength=8).tolist() == [36 - 1 - 6 + 1, 36, 96, 4, 1, 6, 2, 1]
    frames = [quad for quad, number in zip(room["quads"], tile, strict=True) if number == names["FRAME"]]
    # The brightest quarter of the tile, its top left, is at the top and the back, on the mirrored one, too.
    tops = [max(zip(map(sum, quad["colors"]), quad["corners"], strict=True))[1] for quad in frames]
    assert sorted((y, x, z) for x, y, z in tops) == [(100, 94, 2), (102, 94, 2)]
    x, y = ((place - corner) // 2 for place, corner in zip((103, 99), room["place"], strict=True))
    assert room["floors"][int(x)][int(y)] == [1.0] * 4
    x, y = ((place - corner) // 2 for place, corner in zip((95, 101), room["place"], strict=True))
    assert not room["walls"][int(x)][int(y)]


def test_the_page_wad2_animation(folder: Path) -> None:
    for name in ("objects.wad2", "mine.wad2"):
        (folder / name).write_bytes(sample_wad2())
    tutorials.run("wad2-animation")
    place = "W2Moveables[0].W2Moveable[0]."
    key = f"{place}W2Ani3[1].W2Kf[1]"
    new = chunk_differences(sample_wad2(), (folder / "objects_new.wad2").read_bytes())
    assert {each.split(".W2KfBB")[0] for each in new} == {key, f"{key}.W2KfA[1]"}
    moveables = tree((folder / "mine.wad2").read_bytes())[5][2]
    animations = [[part for part in each[2] if part[0].startswith("W2Ani") and part[2]] for each in moveables]
    assert [len(each) for each in animations] == [4, 0, 3]
    # The new file has the rotated key.
    edited = tree((folder / "objects_new.wad2").read_bytes())[5][2][0]
    turned = [part for part in edited[2] if part[0] == "W2Ani3"][1]
    keys = [[part for part in each[2] if part[0] == "W2Kf"] for each in (turned, animations[0][-1])]
    assert keys[0] == keys[1]
    assert animations[2] == [part for part in edited[2] if part[0].startswith("W2Ani") and part[2]]


def test_the_page_anim_file(folder: Path) -> None:
    file = anim_file(
        bones=15,
        keys=4,
        name="WAVE",
        following=(11, 0),
        changes=[anim_change(2, anim_dispatch(0, 3, 200, 0), anim_dispatch(0, 3, 3, 1))],
    )
    (folder / "0007_WAVE.anim").write_bytes(file)
    names = tutorials.run("anim-file")
    assert names["action"].name == "Lara 012 WAVE"
    old, new = (read_anim((folder / name).read_bytes()) for name in ("0007_WAVE.anim", "WAVE_new.anim"))
    turned = np.argwhere((old.angles != new.angles).any(axis=2)).tolist()
    assert turned == [[1, 14]]
    boxes = np.flatnonzero((old.boxes != new.boxes).any(axis=(1, 2))).tolist()
    assert boxes == [1]
    assert same_numbers(replace(new, angles=old.angles, boxes=old.boxes), old)
    before, after = levels("angkor1.tr4", "angkor1_new.tr4")
    assert len(after.animations) == len(before.animations) + 1
    record = after.animations[12]
    assert (record["next_animation"], record["frame_rate"], record["state_changes"]) == (11, 2, 1)


def test_the_page_texture(folder: Path) -> None:
    tutorials.run("texture")
    old, new = levels("WALL.TR2", "WALL_NEW.TR2")
    assert sections(old, new) == {"textiles8", "textiles16"}
    other = (page_of(old, 0) != page_of(new, 0)).any(axis=-1)
    assert other.sum() >= 64 * 60  # the replaced texture, and the painted corner
    assert (page_of(new, 0)[-8:, :8, 0] > 200).all() and other[-8:, :8].any()


def test_the_page_animation(folder: Path) -> None:
    names = tutorials.run("animation")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    assert len(new.animations) == len(old.animations) + 1
    # It follows Lara's other animations, returns to the one it was made from, and is reached from there.
    place = 12
    assert new.animations["next_animation"][place] == 11
    changes, dispatches = new.state_changes, new.animation_dispatches
    idle = new.animations[11]
    own = changes[int(idle["first_state_change"]) :][: int(idle["state_changes"])]
    firsts = [(int(change["first_dispatch"]), int(change["dispatches"])) for change in own]
    found = [int(dispatches["next_animation"][first + row]) for first, rows in firsts for row in range(rows)]
    assert place in found and 2 in own["state"].tolist()
    assert names["wave"].name == "Lara waves"
    assert (old.animations["frame_offset"][:12] == new.animations["frame_offset"][:12]).all()


def test_the_page_animate_lara(folder: Path) -> None:
    tutorials.run("animate-lara")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    assert len(new.animations) == len(old.animations) + 1
    # Only the run is another one; of the push, the hands are where they were put while the body moves.
    joints = [[model_joints(level, number) for number in range(12)] for level in (old, new)]
    moved = [number for number in range(12) if not np.array_equal(joints[0][number], joints[1][number])]
    assert moved == [0]
    run = joints[1][0] - joints[0][0]
    assert np.allclose(run[0, 3], (0, -0.1 * 512, 0), atol=2)  # her left foot, up
    assert np.abs(run[1:]).max() == 0
    push = model_joints(new, 12)
    hands = push[:, [10, 13]]
    assert np.abs(hands - hands[0]).max() < 3
    leans_forward_and_back(new, 12)


def test_the_page_turn_the_chest(folder: Path) -> None:
    Path("RUIN.PHD").write_bytes(example_of(Game.TR1))
    tutorials.run("turn-the-chest")
    old, new = levels("RUIN.PHD", "RUIN_NEW.PHD")
    joints = [[model_joints(level, number) for number in range(12)] for level in (old, new)]
    changed = [number for number in range(12) if not np.array_equal(joints[0][number], joints[1][number])]
    assert changed == [1]
    before, after = (each[1] for each in joints)
    rate = int(new.animations["frame_rate"][1])
    key = 8 // rate

    def across(pose: np.ndarray, left: int, right: int) -> float:
        """Return the direction from one joint to another about the vertical, in degrees."""
        x, _, z = pose[right] - pose[left]
        return float(np.degrees(np.arctan2(z, x)))

    for joint in ((11, 8), (13, 10)):  # upper arms, hands
        assert abs(abs(across(after[key], *joint) - across(before[key], *joint)) - 30) < 6
    # The head keeps its direction: nothing hangs on it, so its angles show that.
    keys = [model_keys(level, number=1) for level in (old, new)]
    turns = [turned(each.angles[key][0]) @ turned(each.angles[key][7]) for each in keys]
    looks = [turn @ turned(each.angles[key][14]) for turn, each in zip(turns, keys, strict=True)]
    assert np.degrees(np.arccos(np.clip((np.trace(turns[0].T @ turns[1]) - 1) / 2, -1, 1))) > 25
    assert np.degrees(np.arccos(np.clip((np.trace(looks[0].T @ looks[1]) - 1) / 2, -1, 1))) < 1
    # A foot that stands goes back as fast as the game moves her on.
    speed = int(new.animations["speed"][1]) / 65536
    way = np.array((0, 0, speed * rate))
    slides = [
        np.linalg.norm(np.diff(each[:, [3, 6]], axis=0) + way, axis=2) / rate for each in (before, after)
    ]
    slid, stands = ((each < 1).sum(axis=0) for each in slides)
    assert (stands >= 3).all() and (stands > slid).all(), (slid, stands)


def leans_forward_and_back(level: Level, number: int) -> None:
    """Check that Lara's hips go forward for 20 ticks, and back for another 20."""
    rate = int(level.animations["frame_rate"][number])
    hips = model_joints(level, number)[: 40 // rate + 1, 0, 2]
    steps = np.diff(hips)
    assert len(hips) == 40 // rate + 1 and np.ptp(hips) > 0.09 * 512
    assert (steps[: 20 // rate] > 0).all() and (steps[20 // rate :] < 0).all()


@each_real_level
def test_the_page_animate_lara_on_real_levels(folder: Path, level_path: Path) -> None:
    old = read_level(level_path)
    if not len(old.models) or old.models["id"][0] != LARA or LARA not in old.entities["type"]:
        pytest.skip("it has no Lara")
    first, count = (int(each[0]) for each in model_animations(old.models, old.animations))
    if count < 12:
        pytest.skip("it has not Lara's animations")
    names = {"LEVEL1.PHD": f"REAL{level_path.suffix}", "LEVEL1_NEW.PHD": f"REAL_NEW{level_path.suffix}"}
    Path(names["LEVEL1.PHD"]).write_bytes(level_path.read_bytes())
    tutorials.run("animate-lara", names)
    new = read_level(names["LEVEL1_NEW.PHD"])
    assert len(new.animations) == len(old.animations) + 1
    push = first + count
    last = int(new.animations["last_frame"][push]) - int(new.animations["first_frame"][push])
    assert last >= 40 and new.animations["state"][push] == old.animations["state"][first + 11]
    leans_forward_and_back(new, push)
    hands = model_joints(new, push)[:, [10, 13]]
    assert np.abs(hands - hands[0]).max() < 4


def model_joints(level: Level, number: int) -> np.ndarray:
    """Return the joints of Lara in an animation, (keys, 15, 3), as a game places them."""
    keys = model_keys(level, number=number)
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[0]
    found = np.zeros((len(keys), len(tree), 3))
    for key in range(len(keys)):
        turns = [turned(angles) for angles in keys.angles[key]]
        found[key, 0] = keys.offsets[key]
        for mesh, parent in enumerate(tree.parents.tolist()):
            if parent >= 0:
                found[key, mesh] = found[key, parent] + turns[parent] @ tree.offsets[mesh]
                turns[mesh] = turns[parent] @ turns[mesh]
    return found


def test_the_page_enemy(folder: Path) -> None:
    tutorials.run("enemy")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    assert sections(old, new) == {"entities", "rooms"}
    wolf, other = new.entities[-1], new.entities[1]
    assert wolf["type"] == other["type"] and wolf["room"] == 0 and wolf["flags"] == 0
    assert [int(wolf[axis]) for axis in ("x", "y", "z")] == [55 * 512, 0, 53 * 512]
    # The trigger covers two sectors, and wakes the wolf once.
    for x in (6, 7):
        (trigger,) = triggers(new, 0, x, 2)
        assert (trigger.type, trigger.one_shot, trigger.mask) == (TriggerType.TRIGGER, True, 31)
        assert [(each.type, each.parameter) for each in trigger.actions] == [(ActionType.OBJECT, 8)]


def test_the_page_door(folder: Path) -> None:
    tutorials.run("door")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    assert sections(old, new) == {"entities", "rooms"}
    door, switch = len(old.entities), len(old.entities) + 1
    assert [int(new.entities["type"][each]) for each in (door, switch)] == [57, 55]
    assert not triggers(old, 0, 2, 7)
    (trigger,) = triggers(new, 0, 2, 7)
    assert (trigger.type, trigger.reference, trigger.timer) == (TriggerType.SWITCH, switch, 5)
    assert [(each.type, each.parameter) for each in trigger.actions] == [(ActionType.OBJECT, door)]


def test_the_page_connect_room(folder: Path) -> None:
    tutorials.run("connect-room")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    corridor, made = 1, len(old.rooms)
    assert len(new.rooms) == made + 1
    # The rooms have portals to each other, and Lara can pass in both directions.
    assert made in new.rooms[corridor].portals["room"].tolist()
    assert new.rooms[made].portals["room"].tolist()[0] == corridor
    reached = {
        function.room
        for start in new.rooms[corridor].sectors["floor_data"].tolist()
        for function in decode(new.floor_data, start)
        if isinstance(function, Portal)
    }
    assert made in reached
    assert len(new.rooms[made].lights) == 1
    # No face is in the opening, two sectors wide and 1280 units high.
    for room in (new.rooms[corridor], new.rooms[made]):
        places = np.stack([room.vertices[axis].astype(float) for axis in "xyz"], axis=1)
        middles = places[decode_faces(new.game, room)[0].corners].mean(axis=1)
        middles += np.array([room.x, 0, room.z])
        at_door = (
            (middles[:, 0] == 70 * 512) & (abs(middles[:, 2] - 50 * 512) < 1024) & (middles[:, 1] > -1280)
        )
        assert not at_door.any()


@pytest.mark.once  # in long runs, importers crashed Blender 4.2
def test_the_page_motion_capture(folder: Path) -> None:
    Recording(seconds=2.5, rate=60.0, arms=45.0).save(folder / "walk.bvh")
    names = tutorials.run("motion-capture")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    assert len(new.animations) == len(old.animations) + 1
    walk, number = names["walk"], 12
    assert new.animations["speed"][number] >> 16 in (13, 14)
    assert new.animations["state"][number] == old.animations["state"][1]
    assert new.animations["next_animation"][number] == number  # a loop
    first, last = (int(new.animations[each][number]) for each in ("first_frame", "last_frame"))
    assert last - first == 29  # of a second
    sounds = [each for each in commands_of(new, number) if each.type == PLAY_SOUND]
    assert len(sounds) == 2 and walk.name == "walk"
    others = new.animations["next_animation"][:number] == number
    assert others.any() == (old.animations["next_animation"][:number] == 1).any()


@each_game
def test_the_page_new_level(blender: ModuleType, folder: Path, game: Game) -> None:
    (folder / "LEVEL1.PHD").write_bytes(sample_bytes(game))
    kinds = {"57": "door", "55": "switch", "7": "enemy", "93": "medikit_sprite"}
    instead = {f'"{number}"': f'"{model_id(game, name)}"' for number, name in kinds.items()}
    file = f"HOME{SUFFIXES[game][0]}"
    names = tutorials.run("new-level", instead | {'"HOME.PHD"': f'"{file}"'})
    assert [note.text for note in check_scene(names["level"]) if note.severity != "INFO"] == []
    level = read_level(file)
    assert level.game is game and broken_rules(level) == []
    home, hall, pool, closet = level.rooms
    assert [sorted(room.portals["room"].tolist()) for room in level.rooms] == [[1, 3], [0, 2], [1], [0]]
    assert [room.flags & 1 for room in level.rooms] == [0, 0, 1, 0]
    # The pool is under nine sectors of the hall, and the hall's last row rises by one step.
    assert (hall.sectors["room_below"] == 2).sum() == (pool.sectors["room_above"] == 1).sum() == 9
    slants = [
        each
        for start in hall.sectors["floor_data"].tolist()
        for each in decode(level.floor_data, start)
        if isinstance(each, Slant)
    ]
    assert [(each.ceiling, abs(each.x), each.z) for each in slants] == [(False, 1, 0)] * 5
    types = level.entities["type"].tolist()
    place = {name: types.index(model_id(game, name)) for name in kinds.values()}
    rooms = {name: int(level.entities["room"][number]) for name, number in place.items()}
    assert rooms == {"door": 3, "switch": 0, "enemy": 1, "medikit_sprite": 3} and len(types) == 5
    (switch,) = triggers(level, 0, 5, 6)
    assert (switch.type, switch.reference) == (TriggerType.SWITCH, place["switch"])
    assert [(each.type, each.parameter) for each in switch.actions] == [(ActionType.OBJECT, place["door"])]
    (secret,) = triggers(level, 3, 1, 3)
    assert secret.one_shot and [each.type for each in secret.actions] == [ActionType.SECRET]
    (alarm,) = triggers(level, 1, 1, 4)
    assert [(each.type, each.parameter) for each in alarm.actions] == [(ActionType.OBJECT, place["enemy"])]
    # Every quad shows a texture of 64 by 64 exactly once.
    for room in (hall, pool):
        words = set((room.quads["texture"] & 0x3FFF).tolist())
        spans = np.ptp(level.object_textures["uv"][sorted(words)].astype(int) >> 8, axis=1)
        assert set(spans.ravel().tolist()) <= {63, 64}
    # Light was baked into every room.
    assert all(len(room.lights) == 1 and not is_flat(room) for room in (home, hall, pool, closet))


def test_the_page_convert(folder: Path) -> None:
    names = tutorials.run("convert")
    old, new = levels("LEVEL1.PHD", "LEVEL1.TR4")
    assert new.game is Game.TR4
    assert differing_parts(old, new, 1) == []
    assert "scenery, Animating 1: Wolf 1, Wolf 2" in names["text"].as_string()
    wolves = np.flatnonzero(old.entities["type"] == model_id(Game.TR1, "enemy"))
    assert new.entities["type"][wolves].tolist() == [model_id(Game.TR4, "enemy")] * len(wolves)
    hers = read_level("angkor1.tr4")
    assert np.abs(poses(hers, 0, 1, (0.0, 1.0)) - poses(new, 0, 1, (0.0, 1.0))).max() < 1


def test_the_page_library(folder: Path) -> None:
    tutorials.run("library")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    there = read_level("WALL.TR2")
    enemy = model_id(Game.TR2, "enemy")
    assert len(new.models) == len(old.models) + 1
    (number,) = set(new.models["id"].tolist()) - set(old.models["id"].tolist())
    assert new.entities["type"][-2:].tolist() == [number] * 2
    assert np.abs(poses(there, enemy, 1, (0.0, 1.0)) - poses(new, number, 1, (0.0, 1.0))).max() < 1
    assert (folder / "library" / "blender_assets.cats.txt").read_text().count("Tomb Raider II/") >= 4


def test_the_page_cutscene(folder: Path) -> None:
    (folder / "CUTSEQ.PAK").write_bytes(cutseq_file({1: Sample(1).data}, 30))
    before = read_cutseq((folder / "CUTSEQ.PAK").read_bytes())
    tutorials.run("cutscene")
    after = read_cutseq((folder / "CUTSEQ.PAK").read_bytes())
    assert after.numbers == [1, 2] and after.bytes_of(1) == before.bytes_of(1)
    made = after.cutscene(2)
    assert (
        made.num_frames == 90 and made.audio_track == -1 and [actor.slot for actor in made.actors] == [0, 91]
    )
    assert (
        made.camera[0, 1] - made.camera[-1, 1] == 512
    )  # the y axis points down in the file, which stores every second unit
    assert (made.camera[0] - made.camera[45] != 0).any()
    assert (made.actors[0].rotations[0] != made.actors[0].rotations[-1]).any()
    _, new = levels("angkor1.tr4", "angkor1_new.tr4")
    (trigger,) = triggers(new, 0, 6, 2)
    assert [(each.type, each.parameter) for each in trigger.actions] == [(ActionType.CUTSCENE, 2)]


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="Blender as a module was built without sound")
def test_the_page_two_actors(folder: Path) -> None:
    (folder / "bat.wav").write_bytes(wave(np.sin(np.arange(4410) / 10), 22050, 16))
    names = tutorials.run("two-actors")
    cutseq = read_cutseq((folder / "CUTSEQ.PAK").read_bytes())
    assert cutseq.numbers == [1] and cutseq.pak is not None
    made = cutseq.cutscene(1)
    assert made.num_frames == 96 and [actor.rotations.shape[1] for actor in made.actors] == [15, 5]
    # Three shots: the camera stays within each of them.
    jumps = np.flatnonzero((np.diff(made.camera.astype(int), axis=0) != 0).any(axis=1))
    assert jumps.tolist() == [31, 63]
    # Her head turns to the bat, which flies over her.
    level = read_level(example_of(Game.TR4))
    turns = []
    for frame in (0, 40, 90):
        places, turned_meshes = in_game(level, made, 0, frame)
        way = in_game(level, made, 1, frame)[0][0] - places[14]
        ahead = turned_meshes[14] @ np.array([0.0, 0.0, 1.0])
        turns.append(np.degrees(np.arccos(ahead @ way / np.linalg.norm(way))))
    assert max(turns) < 8, turns
    walked = made.actors[0].root[90].astype(int) - made.actors[0].root[0]
    assert walked[2] * 3 > 2000 and made.actors[0].root.dtype == np.int16
    (strip,) = compat.strips_of(names["scene"])
    assert round(compat.strip_start(strip)) == 1 and names["scene"].sync_mode == "AUDIO_SYNC"


def test_the_page_sounds(folder: Path) -> None:
    (folder / "step.wav").write_bytes(wave(np.sin(np.arange(4410) / 10), 22050, 16))
    tutorials.run("sounds")
    old, new = levels("LEVEL1.PHD", "LEVEL1_NEW.PHD")
    assert sections(old, new) == {"sample_indices", "sample_data", "sound_sources", "sound_details"}
    assert new.sound_details["volume"][0] == 0x6000
    (source,) = new.sound_sources[len(old.sound_sources) :]
    assert (int(source["sound"]), int(source["flags"])) == (1, 0xC0)
    # A fifth of a second, in the format of the level's other samples, which are unchanged.
    samples, others = sample_waves(new), sample_waves(old)
    step = read_wave(samples[0])
    assert (step.rate, step.bits, step.channels) == (11025, 8, 1)
    assert len(step.data) - 44 == pytest.approx(2205, abs=2) and samples[1:] == others[1:]


def test_the_page_share_a_mod(folder: Path) -> None:
    tutorials.run("share-a-mod")
    models = [read(Path(name).read_bytes()).blocks[40] for name in ("mymod.bin", "dress.bin")]
    assert [each["name"] for each in models[0]] == ["mymod:wolf"]
    assert models[1][0]["name"] == "lara_skin_swap_32"


@pytest.mark.once  # Blender's exporter of glTF
def test_the_page_outfit(folder: Path) -> None:
    source = level_with_outfit(Game.TR4)
    (folder / "angkor1.tr4").write_bytes(source.to_bytes())
    names = tutorials.run("outfit")
    assert names["level"].tomb_raider.level.edited is None
    for name in ("outfit.wad2", "outfit2.wad2"):
        library = wad2_to_level(read_wad2(name))
        (model,) = library.moveables
        assert (library.wad2.version, model.id) == (TOMB_ENGINE, 12) and model.skin is not None
        assert len(model.skin.polygons) and all(map(is_hidden, model.meshes))
        assert {*vertex_pairs(model.skin)["bone"].ravel().tolist()} == set(range(15))
    old, new = levels("angkor1.tr4", "angkor1_new.tr4")
    before, after = (model_meshes(each, SKINS[Game.TR4]) for each in (old, new))
    assert len(before) == len(after) and all(len(mesh.vertices) > 2 for mesh in after)
    assert not any(each.tomb_raider.kind == "SKIN" for each in names["level"].all_objects)


def test_the_page_open_project(folder: Path) -> None:
    write_castle(folder)
    names = tutorials.run("open-project")
    assert names["target"] == "TR4"
    old, new = read_project("castle/castle.prj2"), read_project("castle/castle_new.prj2")
    # The dog is a sector farther, and the platform a click higher; all else is the same.
    before, after = ({each.number: each for _, each in project.objects()} for project in (old, new))
    changed = [number for number in before if before[number] != after.get(number)]
    assert changed == [101] and before.keys() == after.keys()
    steps = np.subtract(after[101].position, before[101].position)
    assert sorted(np.abs(steps).tolist()) == [0, 0, 1024]
    heights = [project.rooms[0].shape.floor.heights for project in (old, new)]
    assert (heights[1] - heights[0])[4:6, 2:4].tolist() == [[[256] * 4] * 2] * 2
    assert (heights[1] != heights[0]).sum() == 16
    faces = [project.rooms[1].shape.faces for project in (old, new)]
    assert np.array_equal(faces[0], faces[1])
    assert {each.name for each in Path("castle").iterdir() if "edited" in each.name} == set()
    (trigger,) = triggers(read_level("castle/castle_new.tr4"), 0, 3, 1)
    assert [each.type for each in trigger.actions] == [ActionType.OBJECT]


def test_the_page_level_to_project(folder: Path) -> None:
    (folder / "ruins").mkdir()
    names = tutorials.run("level-to-project")
    project = read_project("ruins/ruins.prj2")
    files = {path.name for path in Path("ruins").iterdir()}
    assert {"ruins_textures.png", "ruins_objects.tr4", "ruins_rooms.mtl"} <= files
    assert project.rooms[0].name == "Entrance"
    assert any("% of" in each for each in names["notes"])
    old, new = levels("angkor1.tr4", "ruins/ruins.tr4")
    assert len(new.rooms) == len(old.rooms)
    for one, other in zip(old.rooms, new.rooms, strict=True):
        assert sorted(one.portals["room"].tolist()) == sorted(other.portals["room"].tolist())
    for name in ("type", "x", "z"):
        assert sorted(old.entities[name].tolist()) == sorted(new.entities[name].tolist())


def test_the_page_build_on_linux(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_castle(folder)
    names = tutorials.run("build-on-linux")
    assert (names["first"], names["second"], names["checked"]) == (0, 0, 0)
    printed = capfd.readouterr()
    assert (printed.out + printed.err).count("stone.png") == 1  # only the first run lacks it
    level = read_level("castle.tr4")
    assert [len(room.quads) > 20 for room in level.rooms] == [True, True]
    assert names["can_play"]
