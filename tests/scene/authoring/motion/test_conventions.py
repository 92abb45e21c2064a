"""One motion in the conventions of many programs becomes one motion of a model."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.animations.rotations import matrices_from_quaternions
from io_tomb_raider.scene.authoring.motion.bringing import RetargetOptions, retarget_action
from io_tomb_raider.scene.authoring.motion.files import read_motions
from io_tomb_raider.scene.authoring.motion.stance import Rest
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose, read_key_poses
from tests.sample_levels import sample_bytes

from ...rig_tools import armature
from ...scenes import import_scene
from .conventions import ARMS, NAMES, UPS, Convention, Respelled
from .reading import degrees_between, joints_of, limb_directions, on_way, soles_of

# In long runs, importers crashed Blender 4.2.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]
LEG = 360 / 8  # the sample's Lara by the recordings
# Degrees by which bones may be turned: without a standing rest pose, nothing tells what is straight.
EXACT = {"Hips": 2.0, "Torso": 2.0, "Head": 2.0, "Foot.L": 2.0, "Foot.R": 2.0}
BY_JOINTS = {"Hips": 5.0, "Torso": 5.0, "Head": 10.0, "Foot.L": 15.0, "Foot.R": 15.0}

conventions = st.builds(
    Convention,
    names=st.sampled_from(sorted(NAMES)),
    up=st.sampled_from(sorted(UPS)),
    rest=st.sampled_from([*ARMS, "X"]),
    missing=st.frozensets(st.sampled_from(["hand", "toe"])),
    extra=st.integers(0, 2),
    twists=st.booleans(),
    unkeyed=st.booleans(),
)
recordings = st.builds(
    Respelled,
    rate=st.sampled_from([24.0, 30.0, 60.0, 100.0, 120.0]),
    seconds=st.just(1.0),
    scale=st.sampled_from([0.01, 0.1, 1.0, 2.54, 10.0]),
    around=st.sampled_from([0.0, 90.0, 180.0, 270.0, 37.0]),
    convention=conventions,
)


def check(recording: Respelled, **options: Any) -> Any:
    """Bring a recording to Lara, and compare the result with the motion that it tells."""
    model = armature(import_scene(sample_bytes(Game.TR1)))
    with TemporaryDirectory() as folder:
        path = recording.save(Path(folder) / "take.bvh")
        with read_motions(path) as found:
            if recording.convention.unkeyed:
                remove_keys(found.armature, found.actions[0], recording)
            given_options = RetargetOptions(rate=1, frame_rate=found.rate, **options)
            made = retarget_action(found.armature, found.actions[0], model, given_options)
    joints = joints_of(made.action, model)
    for name, directions in limb_directions(joints).items():
        limb, side = name.split(".")
        wanted = [recording.direction(tick / 30, limb, side) for tick in range(made.ticks)]
        assert degrees_between(directions, np.array(wanted)).max() < 2.0, name
    hips = on_way(made.action, joints["Hips"])
    assert (hips[-1] - hips[0])[1] == pytest.approx(9.0 * LEG * recording.seconds, rel=0.04)
    assert abs((hips[-1] - hips[0])[0]) < 60.0
    soles = soles_of(made.action, model)
    assert soles.min() > -45 and abs(np.median(soles)) < 20  # these feet are tilted by up to 47 degrees
    return made, turns_of(made.action, model, made.ticks)


def remove_keys(source: Any, action: Any, recording: Respelled) -> None:
    """Pose bones that do not move, and remove their keys."""
    channels = compat.find_channels(action, source)
    assert channels is not None
    for joint in ("neck", "spine", "clavicle.L", "clavicle.R"):
        name = recording.written[joint].replace(" ", "_")  # as Blender reads BVH files
        bone = source.pose.bones[name]
        for curve in [each for each in channels.fcurves if f'"{name}"' in each.data_path]:
            if curve.data_path.endswith("rotation_euler"):
                bone.rotation_euler[curve.array_index] = curve.evaluate(1.0)
            channels.fcurves.remove(curve)


def turns_of(action: Any, model: Any, count: int) -> dict[str, Any]:
    """Return the rotations of bones away from rest, (n, 3, 3) by name."""
    rest = RestPose.of(model)
    poses = read_key_poses(action, model, rest).at(np.arange(count, dtype=float))
    turns, _ = rest.pose(poses.turns, poses.places)
    whole = matrices_from_quaternions(turns) @ matrices_from_quaternions(rest.turns).swapaxes(-1, -2)
    return {name: whole[:, number] for number, name in enumerate(rest.names)}


def wanted_turns(recording: Respelled, count: int) -> dict[str, Any]:
    plain = Respelled(rate=30.0, seconds=recording.seconds)
    _, found = check(plain)
    return {name: turns[:count] for name, turns in found.items()}


@given(recording=recordings)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_recordings_of_any_convention_give_the_same_motion(recording: Respelled) -> None:
    made, found = check(recording)
    is_standing = recording.convention.rest != "X"
    assert is_standing or any("Rest Pose" in text for text in made.report.warnings)
    wanted = wanted_turns(recording, made.ticks)
    for name, most in (EXACT if is_standing else BY_JOINTS).items():
        if name.startswith("Foot") and "toe" in recording.convention.missing and not is_standing:
            continue
        apart = found[name].swapaxes(-1, -2) @ wanted[name]
        angles = np.degrees(np.arccos(np.clip((np.trace(apart, axis1=1, axis2=2) - 1) / 2, -1.0, 1.0)))
        assert angles.max() < most, name


def test_an_axis_and_a_pose_can_be_chosen() -> None:
    recording = Respelled(convention=Convention(up="Z"))
    made, _ = check(recording, up=(0.0, -1.0, 0.0), rest=Rest.JOINTS)  # Z, as Blender reads files
    assert made.up.tolist() == [0.0, -1.0, 0.0] and made.report.warnings == []
    with pytest.raises(AssertionError):
        check(recording, up=(0.0, 0.0, 1.0))
