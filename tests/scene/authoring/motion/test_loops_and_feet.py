"""Loops, planted feet and footsteps, by what an animation shows afterwards."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.catalogue.bone_names import BoneRole, LimbBone
from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.authoring.motion.bringing import RetargetOptions, retarget_action
from io_tomb_raider.scene.authoring.motion.feet import Footstep, Planted, footsteps, plant_feet, stays
from io_tomb_raider.scene.authoring.motion.files import read_motions
from io_tomb_raider.scene.authoring.motion.footsteps import set_footsteps
from io_tomb_raider.scene.authoring.motion.keys import TIGHT
from io_tomb_raider.scene.authoring.motion.loops import Loop, find_loop, make_loop
from io_tomb_raider.scene.authoring.motion.ticks import Ticks
from io_tomb_raider.scene.subjects.animations.keys.geometry import quaternions, smallest_turns
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...rig_tools import armature
from ...scenes import export_scene, import_scene
from .bringing import bring
from .reading import joints_of, on_way, ticks_of
from .recordings import Recording, walk

# In long runs, importers crashed Blender 4.2.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]


def tiring(time: float) -> Any:
    """A walk that slowly sinks, turns and drifts aside, so that no part of it repeats exactly."""
    turns, (x, y, z) = walk(time)
    bend, across, swing = turns["hips"]
    turns["hips"] = bend, across, swing + 30.0 * time
    turns["arm.R"] = (70.0 - 30.0 * time, 0.0, turns["arm.R"][2])
    return turns, (x + 0.3 * time, y - 0.1 * time, z)


def step(around: Any, ticks: int) -> Any:
    """Return how far joints move in each tick of a loop, (n,), from three times the loop."""
    return np.linalg.norm(np.diff(around[ticks - 1 : 2 * ticks + 1], axis=0), axis=2).max(axis=1)


@pytest.mark.parametrize("pose", [walk, tiring])
def test_a_loop_is_found_and_has_no_seam(pose: Any, tmp_path: Path) -> None:
    made, model = bring(Recording(pose=pose, seconds=2.5, rate=60.0), tmp_path)
    before = joints_of(made.action, model)
    loop = find_loop(Ticks.of(made.action, model), 18, 50)
    assert loop.ticks == 30  # its cycle takes a second
    assert loop.seam < 0.01 if pose is walk else 40 < loop.seam < 200
    make_loop(made.action, model, loop, 1)
    assert ticks_of(made.action) == 30 and made.action.frame_start == 0
    after = joints_of(made.action, model)
    # 9 units a second, 45 units of the game each: 13.5 per tick, which games add in whole units.
    assert made.action.tomb_raider.speed in (13, 14) and made.action.tomb_raider.acceleration == 0
    way = np.array([0.0, made.action.tomb_raider.speed * 30, 0.0])
    every = np.stack([on_way(made.action, after[bone]) for bone in after], axis=1)
    steps = step(np.concatenate([every - way, every, every + way]), 30)
    assert max(steps[0], steps[-1]) < 1.2 * steps[1:-1].max()
    # Nothing has moved by much, except along the way that the game adds.
    for bone, places in before.items() if pose is walk else ():
        part = places[loop.first : loop.first + 30] - places[loop.first : loop.first + 30].mean(axis=0)
        closed = after[bone] - after[bone].mean(axis=0)
        assert np.abs(part - closed)[:, 2].max() < 15, bone


@pytest.mark.parametrize(("above", "left"), [(16.0, 0.0), (-16.0, 0.0), (300.0, 300.0)])
def test_the_feet_of_a_loop_are_on_the_floor(above: float, left: float, tmp_path: Path) -> None:
    """The lowest part of a motion may be left out; what hangs or swims is not moved."""
    made, model = bring(Recording(seconds=2.0), tmp_path)
    ticks = Ticks.of(made.action, model)
    floor = lowest_ankle(ticks)
    ticks.heads[..., 2] += above * ticks.scale
    ticks.store(TIGHT)
    make_loop(made.action, model, Loop(2, 30, 0.0), 1)
    assert abs(lowest_ankle(Ticks.of(made.action, model)) - floor - left) < 2


def lowest_ankle(ticks: Ticks) -> float:
    """Return the height of the lowest ankles in units, without a few outliers."""
    return float(np.percentile(ticks.heads[:, ticks.feet, 2].min(axis=1), 5)) / ticks.scale


def test_loops_have_themselves_as_target(tmp_path: Path) -> None:
    made, model = bring(Recording(seconds=2.0), tmp_path)
    make_loop(made.action, model, Loop(2, 30, 0.0), 1)
    assert Ticks.of(made.action, model).is_loop


def test_loops_of_a_curved_walk_go_straight(tmp_path: Path) -> None:
    def circle(time: float) -> Any:
        turns, (_, y, _) = walk(time)
        bend, across, swing = turns["hips"]
        turns["hips"] = bend, across, swing + 30.0 * time
        angle = np.radians(30.0 * time)
        radius = 9.0 / np.radians(30.0)
        return turns, (radius * (1 - np.cos(angle)), y, radius * np.sin(angle))

    made, model = bring(Recording(pose=circle, seconds=2.5), tmp_path)
    make_loop(made.action, model, Loop(10, 30, 0.0), 1)
    assert made.action.tomb_raider.speed in (13, 14)  # the length of the way
    hips = joints_of(made.action, model)["Hips"]
    assert np.ptp(hips[:, 0]) < 12


def test_animations_that_are_too_short_are_refused(tmp_path: Path) -> None:
    made, model = bring(Recording(seconds=0.4), tmp_path)
    with pytest.raises(ExportError, match="shorter than the shortest loop"):
        find_loop(Ticks.of(made.action, model), 18, 50)


# --- Feet ----------------------------------------


def sliding(time: float) -> Any:
    """Steps in which feet on the ground slide a little, as in recordings; each is down half of the time."""
    phase = time % 1.0
    turns: dict[str, Any] = {}
    for side, own in (("L", phase), ("R", (phase + 0.5) % 1.0)):
        if own < 0.5:  # on the ground: the leg swings back as the body goes forward
            swing, bend = 18.0 - 72.0 * own, 4.0
        else:
            swing, bend = -18.0 + 72.0 * (own - 0.5), 4.0 + 50.0 * np.sin(np.pi * (own - 0.5) * 2)
        turns[f"thigh.{side}"] = (0.0, -swing - bend / 2, 0.0)
        turns[f"calf.{side}"] = (0.0, bend, 0.0)
    return turns, (0.0, 9.05, 9.6 * time)


def plant(tmp_path: Path, **ways: Any) -> tuple[Any, Any, Planted, dict[str, Any], dict[str, Any]]:
    made, model = bring(Recording(pose=sliding, seconds=2.0, rate=60.0), tmp_path)
    before = {bone: on_way(made.action, each) for bone, each in joints_of(made.action, model).items()}
    ticks = Ticks.of(made.action, model)
    planted = plant_feet(ticks, **ways)
    ticks.store(TIGHT)
    after = {bone: on_way(made.action, each) for bone, each in joints_of(made.action, model).items()}
    return made.action, model, planted, before, after


def test_feet_on_the_ground_do_not_move(tmp_path: Path) -> None:
    _, _, planted, before, after = plant(tmp_path, slow=8.0)
    assert min(planted.down) > 15 and planted.before > 1 > planted.after
    for foot in ("Foot.L", "Foot.R"):
        found = stays(before[foot] / 512, 1 / 512, 8.0)
        assert len(found) >= 2
        for start, end in found:
            middle = before[foot][start:end].mean(axis=0)
            assert np.ptp(before[foot][start:end], axis=0).max() > 4
            assert np.abs(after[foot][start:end] - middle).max() < 1, foot
    # Bones keep their lengths, and nothing but legs and the height of the hips changes.
    for one, other, length in (("Thigh.L", "Calf.L", 180), ("Calf.L", "Foot.L", 180)):
        assert np.linalg.norm(after[other] - after[one], axis=1) == pytest.approx(length, abs=0.01)
    assert np.abs((after["Head"] - before["Head"])[:, :2]).max() < 0.6
    steps = np.linalg.norm(np.diff(after["Foot.L"], axis=0), axis=1)
    assert steps.max() < 1.5 * np.linalg.norm(np.diff(before["Foot.L"], axis=0), axis=1).max()


def test_knees_bend_the_same_way_and_feet_keep_their_turn(tmp_path: Path) -> None:
    made, model = bring(Recording(pose=sliding, seconds=2.0), tmp_path)
    before = Ticks.of(made.action, model)
    after = Ticks.of(made.action, model)
    plant_feet(after, slow=8.0)
    names = after.skeleton.names
    for side in "LR":
        foot = names.index(f"Foot.{side}")
        assert np.abs(after.whole[:, foot] - before.whole[:, foot]).max() < 1e-9
        hip, knee, ankle = (
            after.heads[:, names.index(f"{each}.{side}")] for each in ("Thigh", "Calf", "Foot")
        )
        ahead = knee - hip - (ankle - hip) * 0.5
        assert (ahead[:, 1] > -1e-3).all()  # forward is +Y


def test_hips_are_lowered_where_a_leg_is_too_short_or_the_foot_slides(tmp_path: Path) -> None:
    def stretched(time: float) -> Any:
        turns, (x, y, z) = sliding(time)
        return turns | {f"calf.{side}": (0.0, 0.0, 0.0) for side in "LR"}, (x, y, z)

    def planted(lower: bool) -> Planted:
        made, model = bring(Recording(pose=stretched, seconds=1.0), tmp_path)
        return plant_feet(Ticks.of(made.action, model), slow=12.0, lower_hips=lower)

    lowered, left = planted(True), planted(False)
    assert lowered.lowered > 1 and lowered.worst < 0.5
    assert left.lowered == 0 and left.worst > 1


def test_a_jump_ends_contact_with_the_ground() -> None:
    places = np.zeros((20, 3))
    places[10:, 0] = 100.0
    assert stays(places, 1.0) == [(0, 10), (10, 20)]
    places[10:, 2] = 100.0  # on a box: not on the ground
    assert stays(places, 1.0) == [(0, 10)]
    assert stays(np.zeros((1, 3)), 1.0) == [(0, 1)]


def test_models_without_legs_are_refused() -> None:
    root = import_scene(sample_bytes(Game.TR1))
    wolf = next(each for each in bpy.data.actions if each.name.startswith("Wolf 000"))
    with pytest.raises(ExportError, match="its legs are unknown"):
        plant_feet(Ticks.of(wolf, armature(root, 2)))


# --- Footsteps ----------------------------------------


@each_game
def test_footsteps_sound_where_feet_come_down(game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    model = armature(root)
    other = next(each for each in bpy.data.actions if each.name == "Lara 001 Walk forward")
    event = other.tomb_raider.events.add()
    event.command, event.number = "SOUND", 0
    other.pose_markers.new(event.name).frame = 0
    run = next(each for each in bpy.data.actions if each.name == "Lara 000 Run")
    recording = Recording(pose=sliding, seconds=2.0, rate=60.0)
    with read_motions(recording.save(tmp_path / "take.bvh")) as found:
        made = retarget_action(found.armature, found.actions[0], model, RetargetOptions(frame_rate=60.0))
    loop = find_loop(Ticks.of(made.action, model), 18, 50)
    make_loop(made.action, model, loop)
    steps = set_footsteps(made.action, model)
    # Each foot comes down once in a cycle, half of it apart.
    assert sorted(each.side for each in steps) == ["L", "R"]
    assert abs(abs(steps[1].tick - steps[0].tick) - 15) <= 1
    again = set_footsteps(made.action, model)  # instead of those that there are
    assert again == steps
    shown = [marker.frame for marker in made.action.pose_markers]
    assert sorted(set(shown)) == [each.tick for each in steps]
    assert export_scene(root) and run.tomb_raider


def test_feet_on_the_ground_at_the_start_make_a_footstep_only_in_loops() -> None:
    heads = np.zeros((20, 2, 3))
    heads[5:, 0, 2], heads[:10, 1, 2] = 100.0, 100.0
    roles = {LimbBone(BoneRole.FOOT, "L"): 0, LimbBone(BoneRole.FOOT, "R"): 1}
    given: Any = SimpleNamespace(skeleton=SimpleNamespace(roles=roles), heads=heads, scale=1.0, is_loop=False)
    assert footsteps(given) == [Footstep(10, "R")]
    given.is_loop = True
    assert footsteps(given) == [Footstep(0, "L"), Footstep(10, "R")]


def test_a_foot_that_is_lifted_a_little_makes_no_step() -> None:
    heads = np.zeros((40, 1, 3))
    heads[4:16, 0, 2], heads[20:24, 0, 2], heads[28:, 0, 2] = 100.0, 13.0, 100.0
    roles = {LimbBone(BoneRole.FOOT, "L"): 0}
    given: Any = SimpleNamespace(skeleton=SimpleNamespace(roles=roles), heads=heads, scale=1.0, is_loop=False)
    assert footsteps(given) == [Footstep(16, "L")]
    given.heads = np.roll(heads, -22, axis=0)  # the small lift is at the end of the loop
    given.is_loop = True
    assert footsteps(given) == [Footstep(18, "L"), Footstep(34, "L")]


def test_models_without_footsteps_need_a_chosen_sound(tmp_path: Path) -> None:
    made, model = bring(Recording(pose=sliding, seconds=2.0), tmp_path)
    for each in bpy.data.actions:
        each.tomb_raider.events.clear()
    with pytest.raises(ExportError, match="choose the number of a sound"):
        set_footsteps(made.action, model)
    steps = set_footsteps(made.action, model, 7)
    (event,) = made.action.tomb_raider.events
    assert (event.command, event.number) == ("SOUND", 7)
    assert len([each for each in made.action.pose_markers if each.name == event.name]) == len(steps)
    assert footsteps(Ticks.of(made.action, model)) == steps


# --- Rotations ----------------------------------------


def test_quaternions_of_all_rotations() -> None:
    rng = np.random.default_rng(3)
    wanted = rng.normal(size=(500, 4))
    wanted[:4] = np.eye(4)  # no turn, and half turns about the axes
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    w, x, y, z = wanted.T
    matrices = np.empty((500, 3, 3))
    matrices[:, 0] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1)
    matrices[:, 1] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1)
    matrices[:, 2] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    assert np.abs((quaternions(matrices) * wanted).sum(axis=1)) == pytest.approx(1.0, abs=1e-12)


def test_smallest_turns_of_all_directions() -> None:
    rng = np.random.default_rng(4)
    start, end = rng.normal(size=(2, 300, 3))
    end[:10] = -start[:10] * 2.0  # opposite ones
    end[10:20] = start[10:20]
    turns = smallest_turns(start, end)
    turned = np.einsum("nij,nj->ni", turns, start / np.linalg.norm(start, axis=1, keepdims=True))
    assert turned == pytest.approx(end / np.linalg.norm(end, axis=1, keepdims=True), abs=1e-6)
    assert np.linalg.det(turns) == pytest.approx(1.0)
    angles = np.arccos(np.clip((np.trace(turns, axis1=1, axis2=2) - 1) / 2, -1, 1))
    cosines = (start * end).sum(axis=1) / np.linalg.norm(start, axis=1) / np.linalg.norm(end, axis=1)
    assert angles == pytest.approx(np.arccos(np.clip(cosines, -1, 1)), abs=1e-5)
