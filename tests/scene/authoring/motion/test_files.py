"""Files with motions: Blender's importers, in a scene of its own that leaves nothing behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.authoring.motion import files
from io_tomb_raider.scene.authoring.motion.bringing import RetargetOptions, retarget_action
from io_tomb_raider.scene.authoring.motion.files import read_motions
from io_tomb_raider.scene.authoring.motion.loops import find_loop
from io_tomb_raider.scene.authoring.motion.ticks import Ticks
from tests.real_levels import real_motions
from tests.sample_levels import sample_bytes

from ...rig_tools import armature
from ...scenes import export_scene, import_scene
from .reading import degrees_between, joints_of, limb_directions, on_way
from .recordings import Recording

# In long runs, importers crashed Blender 4.2.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]
_KINDS = (
    "actions",
    "armatures",
    "cameras",
    "collections",
    "images",
    "lights",
    "materials",
    "meshes",
    "objects",
)


def blocks() -> dict[str, set[str]]:
    return {kind: set(getattr(bpy.data, kind).keys()) for kind in (*_KINDS, "scenes")}


def exported_by_blender(recording: Recording, folder: Path, suffix: str) -> Path:
    """Return a file that Blender's own exporter has made of a recording, in a scene of 24 frames a second."""
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 24, 1.0
    path = recording.save(folder / "source.bvh")
    bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=True, update_scene_duration=True)
    made = folder / f"take{suffix}"
    if suffix == ".fbx":
        bpy.ops.export_scene.fbx(filepath=str(made), add_leaf_bones=True)
    else:
        kind = "GLB" if suffix == ".glb" else "GLTF_SEPARATE"
        bpy.ops.export_scene.gltf(filepath=str(made), export_frame_range=False, export_format=kind)
    return made


@pytest.mark.once  # after glTF exports, Blender 4.2 as a module sometimes crashes in a long run
@pytest.mark.parametrize("suffix", [".fbx", ".glb", ".gltf"])
def test_motions_come_from_the_files_of_other_programs(suffix: str, tmp_path: Path) -> None:
    recording = Recording(rate=60.0, arms=20.0, scale=0.1)
    path = exported_by_blender(recording, tmp_path, suffix)
    bpy.ops.wm.read_homefile(use_empty=True)
    root = import_scene(sample_bytes(Game.TR1))
    model, scene = armature(root), bpy.context.scene
    before, rate = blocks(), (scene.render.fps, scene.render.fps_base, scene.frame_end)
    with read_motions(path) as found:
        made = retarget_action(
            found.armature,
            found.actions[0],
            model,
            RetargetOptions(rate=1, frame_rate=found.rate),
            name="Other",
        )
    after = blocks()
    assert after.pop("actions") - before.pop("actions") == {"Other"} and after == before
    assert bpy.context.scene == scene
    assert (scene.render.fps, scene.render.fps_base, scene.frame_end) == rate
    assert made.ticks in (46, 47) and made.speed == pytest.approx(13.5, abs=1)
    directions = limb_directions(joints_of(made.action, model))
    for name, found_here in directions.items():
        limb, side = name.split(".")
        wanted = np.array([recording.direction(tick / 30, limb, side) for tick in range(made.ticks)])
        assert degrees_between(found_here, wanted)[:45].max() < 0.2, name  # of 32 bits, and baked
    assert export_scene(root)


def test_a_skeleton_can_be_kept(tmp_path: Path) -> None:
    import_scene(sample_bytes(Game.TR1))
    scene = bpy.context.scene
    with read_motions(Recording().save(tmp_path / "take.bvh")) as found:
        found.kept_in, found.up = scene, np.array((0.0, -1.0, 0.0))
        name = found.armature.name
    kept = scene.objects[name]
    assert kept.animation_data.action is not None
    assert tuple(kept.matrix_world @ Vector((0.0, -1.0, 0.0))) == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)
    assert len(bpy.data.scenes) == 1


def test_levels_are_the_same_after_a_skeleton_was_kept(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    scene = bpy.context.scene  # within, it is the temporary one
    with read_motions(Recording().save(tmp_path / "take.bvh")) as found:
        found.kept_in = scene
    assert export_scene(root).to_bytes() == sample_bytes(Game.TR2)


DAMAGED = {
    "empty.bvh": b"",
    "text.bvh": b"HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n",
    "other.fbx": b"Kaydara FBX Binary  \x00\x1a\x00\xe8\x1c\x00\x00",
    "other.glb": b"glTF\x02\x00\x00\x00\x10\x00\x00\x00",
    "other.gltf": b"{",
    "picture.png": b"",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_are_reported_and_leave_nothing(name: str, tmp_path: Path) -> None:
    import_scene(sample_bytes(Game.TR1))
    (tmp_path / name).write_bytes(DAMAGED[name])
    before, scene = blocks(), bpy.context.scene
    with pytest.raises(ExportError), read_motions(tmp_path / name):
        pass
    assert blocks() == before and bpy.context.scene == scene


def test_files_cut_anywhere_are_reported_or_read(tmp_path: Path) -> None:
    text = Recording(seconds=0.1).text()
    before = blocks()
    for end in range(0, len(text), len(text) // 23):
        path = tmp_path / "cut.bvh"
        path.write_text(text[:end])
        try:
            with read_motions(path) as found:
                assert found.actions
        except ExportError as error:
            assert "cut.bvh" in str(error)
        assert blocks() == before


def test_a_missing_file_and_a_file_without_motion_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="there is no such file"), read_motions(tmp_path / "no.bvh"):
        pass
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_cube_add()
    path = tmp_path / "cube.fbx"
    bpy.ops.export_scene.fbx(filepath=str(path))
    with pytest.raises(ExportError, match="it has no skeleton"), read_motions(path):
        pass
    assert bpy.context.scene == scene


def test_an_addon_that_is_off_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = files._BVH._replace(name="missing")
    monkeypatch.setitem(files._IMPORTERS, ".bvh", (missing,))
    path = Recording().save(tmp_path / "take.bvh")
    words = r"enable the add-on BioVision .* in Edit > Preferences"
    with pytest.raises(ExportError, match=words), read_motions(path):
        pass
    assert len(bpy.data.scenes) == 1


# --- Real files ----------------------------------------

REAL = {path.stem: path for path in real_motions(".bvh")}


def bring_real(name: str, **options: Any) -> tuple[Any, Any]:
    if name not in REAL:
        pytest.skip("there is no such file")
    model = armature(import_scene(sample_bytes(Game.TR1)))
    with read_motions(REAL[name]) as found:
        options = {"rate": 1, "frame_rate": found.rate, **options}
        made = retarget_action(found.armature, found.actions[0], model, RetargetOptions(**options))
    return made, model


def test_a_recorded_walk_is_a_walk() -> None:
    made, model = bring_real("walk_cmu_names")
    leg = 360 / 8.3  # of the sample's Lara
    assert made.ticks == 46 and made.size * 512 == pytest.approx(leg, rel=1e-3)
    hips = on_way(made.action, joints_of(made.action, model)["Hips"])
    assert (hips[-1] - hips[0])[1] / 45 == pytest.approx(19.29 * leg / 45.4, abs=0.1)
    loop = find_loop(Ticks.of(made.action, model), 18, 50)
    assert loop.ticks == 33 and loop.seam < 0.1


def test_a_recorded_wave_does_not_move_the_feet() -> None:
    made, model = bring_real("wave_mixamo_names")
    joints = joints_of(made.action, model)
    assert made.ticks == 61 and made.speed == 0
    assert max(np.ptp(joints[foot], axis=0).max() for foot in ("Foot.L", "Foot.R")) < 0.01
    left = limb_directions(joints)["Upper Arm.L"]
    assert left[:, 2].max() < -0.8 and joints["Hand.R"][:, 2].max() > joints["Upper Arm.R"][:, 2].max()


def test_a_recorded_side_step_goes_to_the_left_and_turns() -> None:
    made, model = bring_real("side_step_rokoko_names")
    joints = joints_of(made.action, model)
    hips = on_way(made.action, joints["Hips"])
    scale = (360 / 0.83) / 455.24
    assert made.ticks == 31
    assert (hips[-1] - hips[0])[:2] == pytest.approx((-273 * scale, 45 * scale), abs=1.5)
    across = joints["Thigh.L"][-1] - joints["Thigh.R"][-1]
    assert across[1] < -90 and abs(across[0]) < 5  # its left is behind: it faces left
    arm = limb_directions(joints)["Upper Arm.L"][:, 2]
    assert arm == pytest.approx(-np.sin(np.pi / 4), abs=0.02)
    assert "its key frames move it sideways by" in made.report.warnings[0]
