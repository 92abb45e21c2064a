"""Retargeting: where limbs point and how far a model walks, by recordings that are computed here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.authoring.motion.bringing import Brought, RetargetOptions, retarget_action
from io_tomb_raider.scene.authoring.motion.files import read_motions
from io_tomb_raider.scene.authoring.motion.keys import LOOSE, new_action, store_poses
from io_tomb_raider.scene.authoring.motion.paths import PathKind, covered, fit_speeds
from io_tomb_raider.scene.authoring.motion.stance import Forward, Rest
from io_tomb_raider.scene.subjects.animations.keys.key_poses import KeyPoses, RestPose, read_key_poses
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.transfer.append.reading import poses

from ...rig_tools import armature
from ...scenes import export_scene, import_scene
from .bringing import bring
from .conventions import Convention, Respelled
from .reading import degrees_between, joints_of, limb_directions, on_way, soles_of
from .recordings import CMU, MIXAMO, OLD, Recording, stand, walk

# In long runs, importers crashed Blender 4.2.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]
LEG = 360 / 8  # the sample's Lara by the recordings
TOLERANCE = 0.01  # degrees


def worst_direction(made: Brought, model: Any, recording: Recording, start: float = 0.0) -> float:
    """Return how far limbs point from where they should, in degrees."""
    found = limb_directions(joints_of(made.action, model))
    worst = 0.0
    for name, directions in found.items():
        limb, side = name.split(".")
        wanted = [recording.direction(start + tick / 30, limb, side) for tick in range(made.ticks)]
        worst = max(worst, float(degrees_between(directions, np.array(wanted)).max()))
    return worst


RECORDINGS = {
    "t-pose": Recording(),
    "a-pose": Recording(arms=45.0),
    "hanging arms": Recording(arms=85.0),
    "old names": Recording(names=OLD),
    "cmu names": Recording(names=CMU),
    "60 fps": Recording(rate=60.0),
    "120 fps": Recording(rate=120.0),
    "six channels": Recording(all_channels=True, arms=30.0),
    "facing away": Recording(around=180.0),
    "facing left": Recording(around=90.0, names=CMU),
    "in meters": Recording(scale=0.1),
    "in centimeters": Recording(scale=10.0),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_limbs_point_where_the_recording_does_and_the_model_walks_as_far(name: str, tmp_path: Path) -> None:
    recording = RECORDINGS[name]
    made, model = bring(recording, tmp_path)
    assert made.report.warnings == []
    assert made.ticks == 46  # of a second and a half, however many frames it has
    assert worst_direction(made, model, recording) < TOLERANCE
    joints = joints_of(made.action, model)
    # 9 units a second are 13.5 units of the game per tick.
    assert made.speed == pytest.approx(9.0 * LEG / 30, abs=1)
    hips = on_way(made.action, joints["Hips"])
    wanted = np.array([np.multiply(walk(tick / 30)[1], (-1, 1, 1)) * LEG for tick in range(made.ticks)])
    assert np.abs((hips - hips[0])[:, :2] - (wanted - wanted[0])[:, [0, 2]]).max() < 0.1
    soles = soles_of(made.action, model)
    assert soles.min() > -45 and abs(np.median(soles)) < 20  # these feet are tilted by up to 47 degrees


def test_frame_rates_that_are_no_multiples_keep_time(tmp_path: Path) -> None:
    recording = Recording(rate=50.0)
    made, model = bring(recording, tmp_path)
    assert made.ticks == 46 and made.speed == pytest.approx(13.5, abs=1)
    assert worst_direction(made, model, recording) < 0.6  # between two frames


def test_a_first_frame_in_rest_pose_is_left_out_and_reported(tmp_path: Path) -> None:
    recording = Recording(rest_first=True, names=CMU)
    made, model = bring(recording, tmp_path)
    assert made.report.warnings == [
        "take.001: its first frame is the rest pose, and was left out"
    ] or made.report.warnings == ["take: its first frame is the rest pose, and was left out"]
    assert worst_direction(made, model, recording) < TOLERANCE
    kept, _ = bring(recording, tmp_path, skips_rest=False)
    assert kept.ticks == made.ticks + 1


def test_a_standing_figure_stays_and_its_hips_are_as_high_as_its_legs(tmp_path: Path) -> None:
    made, model = bring(Recording(pose=stand, seconds=0.5), tmp_path)
    joints = joints_of(made.action, model)
    assert made.speed == 0
    for bone in ("Foot.L", "Foot.R"):
        assert np.ptp(joints[bone], axis=0).max() < 0.01
        assert joints[bone][:, 2] == pytest.approx(50, abs=0.1)
    # The thighs hang 20 units below the hips, and the ankles 360 below that.
    assert joints["Hips"][:, 2] == pytest.approx(430, abs=0.1)


@pytest.mark.parametrize("degrees", [30.0, -20.0])
def test_soles_are_on_the_floor_however_feet_are_tilted(degrees: float, tmp_path: Path) -> None:
    """Ankles are higher then; a jump, which ends the motion, does not count."""

    def tilted(time: float) -> tuple[dict[str, tuple[float, float, float]], tuple[float, float, float]]:
        feet = {f"foot.{side}": (0.0, degrees, 0.0) for side in "LR"}
        return feet, (0.0, 9.2 + 8.0 * max(0.0, time - 0.5), 0.0)

    made, model = bring(Recording(pose=tilted, seconds=1.0), tmp_path)
    soles = soles_of(made.action, model)
    assert np.abs(soles[:15]).max() < 0.5 and soles[-1] > 100
    ankles = joints_of(made.action, model)["Foot.L"][0, 2]
    assert ankles > 55  # they are 50 above flat soles


@each_game
def test_a_retargeted_motion_is_exported(game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    model, recording = armature(root), Recording(rate=60.0, arms=45.0)
    before = export_scene(root)
    with read_motions(recording.save(tmp_path / "take.bvh")) as found:
        made = retarget_action(
            found.armature, found.actions[0], model, RetargetOptions(rate=1, frame_rate=found.rate)
        )
    level = export_scene(root)
    assert len(level.animations) == len(before.animations) + 1
    number = 12
    assert int(level.animations["speed"][number]) == int(made.speed) << 16
    shares = tuple(tick / (made.ticks - 1) for tick in range(made.ticks))
    turned = poses(level, model.tomb_raider.model.id, number, shares)
    # Lara's meshes in the file: left thigh 1, calf 2, foot 3; axes x, -z, y.
    for mesh, limb, side in ((1, "Thigh", "L"), (2, "Calf", "L"), (4, "Thigh", "R"), (8, "Upper Arm", "R")):
        way = turned[:, mesh + 1, :, 3] - turned[:, mesh, :, 3]
        way = np.stack([way[:, 0], way[:, 2], -way[:, 1]], axis=1)
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        wanted = np.array([recording.direction(tick / 30, limb, side) for tick in range(made.ticks)])
        assert degrees_between(way, wanted).max() < 1.0  # angles of the games have 10 bits


def test_rate_0_chooses_fewer_keys_with_the_same_motion(tmp_path: Path) -> None:
    exact, model = bring(Recording(), tmp_path)
    wanted = joints_of(exact.action, model)
    made, model = bring(Recording(), tmp_path, rate=0)
    rate = made.action.tomb_raider.frame_rate
    assert rate > 1
    found = joints_of(made.action, model)
    off = max(np.linalg.norm(found[bone] - wanted[bone], axis=1).max() for bone in found)
    assert off < 30  # a degree in each of four bones


def test_the_forward_direction_can_be_chosen(tmp_path: Path) -> None:
    def aside(time: float) -> Any:
        turns, (x, y, z) = walk(time)
        turns["hips"] = (0.0, 0.0, 40.0)  # faces 40 degrees to its left all the time
        return turns, (z, y, x)  # and walks to its left

    recording = Recording(pose=aside)
    made, model = bring(recording, tmp_path, path=PathKind.OFFSETS)
    hips = joints_of(made.action, model)["Hips"]
    assert (hips[-1] - hips[0])[0] < -500  # left is -x
    made, model = bring(recording, tmp_path, path=PathKind.OFFSETS, forward=Forward.PATH)
    hips = joints_of(made.action, model)["Hips"]
    assert (hips[-1] - hips[0])[1] > 500 and abs((hips[-1] - hips[0])[0]) < 1
    made, model = bring(recording, tmp_path, path=PathKind.OFFSETS, forward=Forward.START)
    joints = joints_of(made.action, model)
    across = joints["Thigh.L"][0] - joints["Thigh.R"][0]
    assert abs(across[1]) < 0.1 and across[0] < -100


def test_a_frame_of_the_clip_can_be_the_rest_pose(tmp_path: Path) -> None:
    """Skeletons of some programs lie at rest; a frame in which the figure stands is better then."""
    recording = Recording(lying=-80.0, rest_first=True)
    wrong, model = bring(recording, tmp_path, first=2, rest=Rest.REST)
    heads = joints_of(wrong.action, model)
    assert np.ptp(heads["Head"] - heads["Hips"], axis=0).max() < 200  # it is a motion
    assert abs((heads["Head"] - heads["Hips"])[0, 2]) < 200  # of somebody who lies
    for options in ({"rest": Rest.FRAME, "rest_frame": 1}, {}):  # that it lies is found, too
        made, model = bring(recording, tmp_path, first=2, **options)
        assert worst_direction(made, model, recording) < TOLERANCE
        heads = joints_of(made.action, model)
        assert (heads["Head"] - heads["Hips"])[:, 2].min() > 200


def test_paths_become_speeds_or_offsets(tmp_path: Path) -> None:
    def starts(time: float) -> Any:
        turns, (x, y, _) = walk(time)
        return turns, (x, y, 6.0 * time**2)

    made, model = bring(Recording(pose=starts), tmp_path, path=PathKind.ACCELERATION)
    settings = made.action.tomb_raider
    # 6 t² with t = f / 30 is v f + a f (f + 1) / 2.
    assert settings.acceleration == pytest.approx(2 * 6 * LEG / 900, rel=0.02)
    hips = on_way(made.action, joints_of(made.action, model)["Hips"])
    assert (hips[-1] - hips[0])[1] == pytest.approx(6 * 1.5**2 * LEG, abs=0.5)
    made, model = bring(Recording(pose=starts), tmp_path, path=PathKind.OFFSETS)
    hips = joints_of(made.action, model)["Hips"]
    assert (hips[-1] - hips[0])[1] == pytest.approx(6 * 1.5**2 * LEG, abs=0.5)
    (command,) = made.action.tomb_raider.commands
    assert command.command == "POSITION"
    assert command.position[1] == pytest.approx(6 * 1.5**2 * LEG, abs=1) and command.position[2] == 0


def test_a_climb_ends_with_a_command_that_moves_lara(tmp_path: Path) -> None:
    def climbs(time: float) -> Any:
        turns, (x, y, z) = walk(0.0)
        height = 4.0 * max(time - 0.5, 0.0)
        return turns, (x, y + height, z + 2.0 * time)

    made, _ = bring(Recording(pose=climbs), tmp_path, path=PathKind.OFFSETS)
    (command,) = made.action.tomb_raider.commands
    assert command.position[2] == pytest.approx(4 * LEG, abs=4)


def test_speeds_are_those_that_games_add_up() -> None:
    forward = np.cumsum([0.0, *(5.0 + 0.5 * frame for frame in range(1, 20))])
    found = fit_speeds(forward, PathKind.ACCELERATION)
    assert found.speed == pytest.approx(5.0, abs=1e-4) and found.acceleration == pytest.approx(0.5, abs=1e-4)
    assert fit_speeds(forward, PathKind.SPEED).speed == np.rint((forward[-1]) / 19)
    assert covered(found, 3).tolist() == [0.0, 5.0, 11.0]  # whole units: 5.5, then 6
    assert fit_speeds(forward[:1], PathKind.SPEED) == (0.0, 0.0)
    back = fit_speeds(np.linspace(0.0, -3.0, 20), PathKind.SPEED)
    assert np.signbit(back).tolist() == [False, False]
    assert fit_speeds(np.linspace(0.0, 254.6, 20), PathKind.SPEED) == (13.0, 0.0)


def test_chosen_bones_count_and_missing_ones_are_reported(tmp_path: Path) -> None:
    names = {"Hips": MIXAMO["hips"], "Thigh.L": MIXAMO["thigh.L"], "Calf.L": MIXAMO["calf.L"]}
    names |= {"Foot.L": MIXAMO["foot.L"]}
    recording = Recording()
    made, model = bring(recording, tmp_path, names=names)
    (warning,) = made.report.warnings
    assert "has no bones for these, which follow their parents: " in warning and "Thigh.R" in warning
    joints = joints_of(made.action, model)
    found = limb_directions(joints)
    wanted = np.array([recording.direction(tick / 30, "Calf", "L") for tick in range(made.ticks)])
    assert degrees_between(found["Calf.L"], wanted).max() < TOLERANCE
    # The other leg hangs from the hips as at rest.
    apart = joints["Foot.R"] - joints["Calf.R"]
    thigh = joints["Calf.R"] - joints["Thigh.R"]
    assert degrees_between(apart / 180, thigh / 180).max() < TOLERANCE


def test_skeletons_without_any_known_bone_are_refused(tmp_path: Path) -> None:
    names = {joint: f"Node{number}" for number, joint in enumerate(MIXAMO)}
    with pytest.raises(ExportError, match="none of its bones were recognized"):
        bring(Recording(names=names), tmp_path)


def test_models_that_are_shown_in_a_step_stand_on_the_floor(tmp_path: Path) -> None:
    recording = Recording(pose=stand, seconds=0.2)
    made, model = bring(recording, tmp_path)
    assert np.abs(soles_of(made.action, model)).max() < 0.5
    step = new_action("step", model)
    rest = RestPose.of(model)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(rest.names), 1))
    for foot in ("Foot.L", "Foot.R"):
        turns[0, rest.number(foot)] = np.cos(np.radians(12)), np.sin(np.radians(12)), 0.0, 0.0
    store_poses(step, model, KeyPoses(np.zeros(1), turns, np.zeros((1, 3))), 1, LOOSE, 1 / 512)
    with read_motions(recording.save(tmp_path / "again.bvh")) as found:
        options = RetargetOptions(rate=1, frame_rate=30.0, stance=(step, 0.0))
        again = retarget_action(found.armature, found.actions[0], model, options)
    assert np.abs(soles_of(again.action, model)).max() < 0.5


def test_forearms_without_hands_point_as_those_with_hands(tmp_path: Path) -> None:
    for missing in ({"hand"}, {"hand", "toe"}):
        recording = Respelled(seconds=0.5, convention=Convention(missing=frozenset(missing)))
        made, model = bring(recording, tmp_path)
        assert worst_direction(made, model, recording) < TOLERANCE
        assert "Hand.L" in made.report.warnings[0] and "Lower Arm" not in made.report.warnings[0]


def test_an_animation_in_use_keeps_its_state_and_gets_the_keys(tmp_path: Path) -> None:
    model = armature(import_scene(sample_bytes(Game.TR1)))
    action = next(each for each in bpy.data.actions if each.name == "Lara 011 Stand still")
    state, count = action.tomb_raider.state, len(bpy.data.actions)
    with read_motions(Recording(rate=60.0).save(tmp_path / "take.bvh")) as found:
        made = retarget_action(
            found.armature, found.actions[0], model, RetargetOptions(frame_rate=60.0), onto=action
        )
    assert made.action == action and len(bpy.data.actions) == count
    assert action.tomb_raider.state == state and action.frame_end == 45
    assert action.tomb_raider.speed == made.speed


def test_animations_can_be_retargeted_between_models(tmp_path: Path) -> None:
    """Lara's run on another level's Lara with other sizes."""
    root = import_scene(sample_bytes(Game.TR1))
    source = armature(root)
    run = next(each for each in bpy.data.actions if each.name == "Lara 000 Run")
    other = armature(root, 1)
    made = retarget_action(source, run, other, RetargetOptions(rate=1))
    one, two = (limb_directions(joints_of(each, arm)) for each, arm in ((run, source), (made.action, other)))
    for name, directions in one.items():
        assert degrees_between(directions, two[name]).max() < TOLERANCE
    hips = on_way(run, joints_of(run, source)["Hips"])
    again = on_way(made.action, joints_of(made.action, other)["Hips"])
    assert np.abs((hips - hips[0])[:, 1] - (again - again[0])[:, 1]).max() < 1
    assert made.action.tomb_raider.model == other


def test_lowered_arms_of_a_t_pose_have_the_rest_pose_of_the_model(tmp_path: Path) -> None:
    """Palms that face down in a T-pose face the thighs then, as at rest in the model."""

    def hang(_time: float) -> Any:
        return {"arm.L": (-90.0, 0.0, 0.0), "arm.R": (90.0, 0.0, 0.0)}, (0.0, 9.2, 0.0)

    made, model = bring(Recording(pose=hang, seconds=0.2), tmp_path)
    rest = RestPose.of(model)
    turns = read_key_poses(made.action, model, rest).turns
    for number, name in enumerate(rest.names):
        assert np.abs(turns[:, number, 0]) == pytest.approx(1.0, abs=1e-6), name  # all as at rest
