"""Skins made of the meshes of bones and split again: the same faces, the same silhouettes, no holes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from hypothesis import given, settings
from hypothesis import strategies as st
from mathutils import Vector

from io_tomb_raider.catalogue.outfits import JOINTS, SKINS
from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.arrays.typing import Bools
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.interop.exchange.skin_parts import split_skin
from io_tomb_raider.scene.interop.exchange.skins import make_skin
from io_tomb_raider.scene.mesh.vertex_weights import write_weights
from io_tomb_raider.scene.subjects.animations.showing import own_animations
from io_tomb_raider.scene.subjects.models.bones import own_bones
from io_tomb_raider.scene.subjects.skins.skins import PART, new_skin, skins_of
from io_tomb_raider.scene.transfer.append.replace import models_of, parts_of
from tests import pictures
from tests.compare import differences
from tests.games import each_game
from tests.real_levels import REAL_LEVELS
from tests.sample_levels import sample_bytes

from ...rig_tools import armature
from ...scenes import export_scene, import_anew, import_scene, objects
from ...transfer.lara_levels import level_with_outfit

_POSES, _SIZE, _HEIGHT = 10, 320, 1.9  # pixels and meters of a picture
_DIRECTIONS = ((0.3, 1.0, 0.15), (1.0, 0.2, 0.15))

each_lara = pytest.mark.parametrize(
    "source",
    [
        pytest.param(level_with_outfit(Game.TR4).to_bytes(), id="made"),
        *(
            pytest.param(path.read_bytes(), id=path.name, marks=pytest.mark.once)
            for path in REAL_LEVELS
            if path.suffix in (".tr4", ".trc")
        ),
    ],
)


def lara_of(source: bytes) -> tuple[Collection, Any, Any]:
    """Import a level; return it, the model that the game draws for Lara, and her figure."""
    root = import_anew(source)
    models = models_of(root)
    rig = models.get(SKINS[Game[root.tomb_raider.game]])
    figures = [
        each
        for each in root.children_recursive
        if any(child.tomb_raider.model == rig for child in each.children) and "in game" in each.name
    ]
    if rig is None or not figures:
        pytest.skip("it has no Lara")
    return root, rig, figures[0]


def poses_of(root: Collection) -> list[tuple[Any, int]]:
    """Return actions of Lara with a frame of each, spread over all that she has."""
    actions = own_animations(models_of(root)[0])
    chosen = [actions[round(place)] for place in np.linspace(0, len(actions) - 1, _POSES)]
    spans = [each.frame_range for each in chosen]
    return [
        (each, round(first + (last - first) * (number + 1) / (_POSES + 1)))
        for number, (each, (first, last)) in enumerate(zip(chosen, spans, strict=True))
    ]


def silhouettes(figure: Any, rig: Any, poses: list[tuple[Any, int]], folder: Path) -> Iterator[Bools]:
    """Yield the pixels that a figure covers in each pose, (views, size, size)."""
    scene = bpy.data.scenes.new("Picture")
    shown = pictures.add_instance(scene.collection, figure)
    pictures.set_up(scene, (_SIZE, _SIZE))
    scene.render.film_transparent = True
    hips = own_bones(rig)[0].name
    for action, frame in poses:
        compat.assign_action(rig, action)
        scene.frame_set(frame)
        graph = scene.view_layers[0].depsgraph
        posed = rig.evaluated_get(graph)
        middle = posed.matrix_world @ posed.pose.bones[hips].head - Vector(figure.instance_offset)
        seen = []
        for way in _DIRECTIONS:
            view = pictures.looking(middle + Vector(way).normalized() * 20, middle, height=_HEIGHT)
            picture = pictures.load(pictures.render(scene, view, folder / "pose.png"))
            seen.append(picture[..., 3] > 127)
        yield np.array(seen)
    bpy.data.objects.remove(shown)
    bpy.data.scenes.remove(scene)


def apart(one: Bools, other: Bools) -> int:
    """Return the pixels of silhouettes without one of the other within a pixel."""
    steps = [(0, down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    wide = [np.any([np.roll(each, step, (0, 1, 2)) for step in steps], axis=0) for each in (one, other)]
    return int((one & ~wide[1]).sum() + (other & ~wide[0]).sum())


def looks_of(rig: Any) -> dict[str, Counter[Any]]:
    """Return the materials and UVs of the faces of each part of a model."""
    found: dict[str, Counter[Any]] = {}
    for bone, part in parts_of(rig).items():
        mesh, uvs = part.data, part.data.uv_layers.active
        found[bone] = Counter(
            (
                mesh.materials[face.material_index].name,
                tuple(round(each, 5) for loop in face.loop_indices for each in uvs.data[loop].uv),
            )
            for face in mesh.polygons
        )
    return found


@each_lara
def test_lara_there_and_back(blender: ModuleType, tmp_path: Path, source: bytes) -> None:
    root, rig, figure = lara_of(source)
    joints = models_of(root)[JOINTS[Game[root.tomb_raider.game]]]
    before, poses = export_scene(root), poses_of(root)
    looks = [looks_of(each) for each in (rig, joints)]
    shown = list(silhouettes(figure, rig, poses, tmp_path))
    skin = make_skin(root, rig)
    as_skin = list(silhouettes(figure, rig, poses, tmp_path))
    split_skin(root, skin)
    assert [looks_of(each) for each in (rig, joints)] == looks
    again = list(silhouettes(figure, rig, poses, tmp_path))
    assert [apart(*pair) for pair in zip(shown, again, strict=True)] == [0] * _POSES
    assert all(each.any() for each in shown)
    # Bends are rounder, but limbs are where they were.
    assert all((one ^ two).sum() < 0.06 * one.sum() for one, two in zip(shown, as_skin, strict=True))
    changed = {str(path[0]) for path in differences(before, export_scene(root))}
    assert changed <= {"meshes", "mesh_data", "mesh_pointers", "models"}, changed


@each_lara
def test_a_skin_of_a_file_becomes_limbs_and_joints(
    blender: ModuleType, tmp_path: Path, source: bytes
) -> None:
    """Without a note of the former parts, as skins of files are, faces go by their weights."""
    root, rig, figure = lara_of(source)
    poses = poses_of(root)
    shown = list(silhouettes(figure, rig, poses, tmp_path))
    skin = make_skin(root, rig)
    skin.data.attributes.remove(skin.data.attributes[PART])
    split_skin(root, skin)
    again = silhouettes(figure, rig, poses, tmp_path)
    assert max(apart(*pair) / pair[0].sum() for pair in zip(shown, again, strict=True)) < 0.01


def tube(rig: Any, shares: np.ndarray) -> Any:
    """Return a skin that is a closed tube along the left leg.

    Args:
        shares: (rings, corners), the weight of the calf on each vertex; the rest is the thigh's.
    """
    bones = own_bones(rig)
    top, knee = (np.array(bones[number].head_local) for number in (1, 2))
    rings, corners = shares.shape
    turns = np.arange(corners) * 2 * np.pi / corners
    circle = 0.1 * np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    along = np.linspace(0, 2, rings)[:, None, None] * (knee - top)
    ends = [top, top + 2 * (knee - top)]
    points = [*(top + along + circle).reshape(-1, 3), *ends]
    faces: list[tuple[int, ...]] = []
    for ring in range(rings - 1):
        for corner in range(corners):
            here, after = ring * corners + corner, ring * corners + (corner + 1) % corners
            faces.append((after, here, here + corners, after + corners))
    last = (rings - 1) * corners
    for corner in range(corners):
        after = (corner + 1) % corners
        faces += [(corner, after, last + corners), (last + after, last + corner, last + corners + 1)]
    mesh = bpy.data.meshes.new("Tube")
    mesh.from_pydata([each.tolist() for each in points], [], faces)
    mesh.uv_layers.new(name="UVMap")
    mesh.materials.append(bpy.data.materials.new("Tube"))
    skin = new_skin(rig, mesh)
    weights = np.zeros((len(points), len(bones)))
    weights[:, 2] = [*shares.ravel(), 0, 1]
    weights[:, 1] = 1 - weights[:, 2]
    write_weights(skin, [bone.name for bone in bones], weights)
    return skin


def open_edges(mesh: Any) -> int:
    """Return the number of edges that have not one face on each side."""
    sides = Counter(
        (face.vertices[number - 1], vertex)
        for face in mesh.polygons
        for number, vertex in enumerate(face.vertices)
    )
    return sum(count != 1 or sides[edge[::-1]] != 1 for edge, count in sides.items())


def test_limbs_have_no_holes(blender: ModuleType) -> None:
    """In a game without joints, any cut is closed on both sides."""
    root = import_scene(sample_bytes(Game.TR2))
    rig = armature(root)

    @settings(max_examples=60)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        rings, corners = data.draw(st.integers(3, 7)), data.draw(st.integers(3, 8))
        rows = st.lists(st.floats(0, 1), min_size=corners, max_size=corners)
        shares = np.array([data.draw(rows) for _ in range(rings)])
        shares = np.clip(shares / 2 + np.linspace(-0.5, 1, rings)[:, None], 0, 1)  # the calf is below
        split_skin(root, tube(rig, shares))
        thigh, calf = (parts_of(rig)[own_bones(rig)[number].name] for number in (1, 2))
        assert len(thigh.data.polygons) and len(calf.data.polygons)
        assert [open_edges(part.data) for part in (thigh, calf)] == [0, 0]
        assert not skins_of(rig)

    check()


@each_game
def test_a_bent_knee_has_no_gap(blender: ModuleType, game: Game) -> None:
    """Caps fill what opens between two limbs, and stay inside of these at rest."""
    root = import_scene(sample_bytes(game))
    rig = armature(root)
    shares = np.repeat(np.clip(np.linspace(-1, 2, 9), 0, 1)[:, None], 8, axis=1)
    split_skin(root, tube(rig, shares))
    bones = own_bones(rig)
    thigh, calf = (parts_of(rig)[bones[number].name].data for number in (1, 2))
    knee = np.array(bones[2].head_local)
    tips = []
    for mesh, number in ((thigh, 1), (calf, 2)):
        points = np.array([vertex.co for vertex in mesh.vertices]) + np.array(bones[number].head_local)
        assert np.hypot(*(points - knee)[:, :2].T).max() < 0.1001, "within the tube"
        inner = points[np.hypot(*(points - knee)[:, :2].T) < 0.01]
        tips.append(inner[np.abs(inner[:, 2] - knee[2]).argmin(), 2] - knee[2])
    assert tips[0] < 0 < tips[1], "each ends within the other one, so that a bend shows no gap"


def test_a_repainted_face_goes_to_its_new_bone(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig = armature(root)
    before = looks_of(rig)
    skin = make_skin(root, rig, smoothing=0)
    thigh, calf = (own_bones(rig)[number].name for number in (1, 2))
    moved = [
        face
        for face, part in zip(skin.data.polygons, skin.data.attributes[PART].data, strict=True)
        if part.value == 2
    ]
    for vertex in {each for face in moved for each in face.vertices}:
        skin.vertex_groups[thigh].remove([vertex])
        skin.vertex_groups[calf].add([vertex], 1.0, "REPLACE")
    split_skin(root, skin)
    after = looks_of(rig)
    assert not after[thigh] and sum(after[calf].values()) == sum((before[thigh] + before[calf]).values())
    assert not any(PART in part.data.attributes for part in parts_of(rig).values())
    assert objects(root, "SKIN") == []
