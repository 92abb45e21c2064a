"""Tests of Append, from the dialog and from scripts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.ui.append.operators import TOMB_RAIDER_OT_append, TOMB_RAIDER_UL_pieces
from io_tomb_raider.ui.view.first_view import look_at_unseen
from tests.sample_levels.models import model_id
from tests.scene.scenes import objects

from ..user_actions import (
    export_file,
    fails,
    import_file,
    import_sample,
    in_view,
    levels,
    sample_file,
    state,
)

_ENEMY = model_id(Game.TR2, "enemy")


def test_a_model_is_appended_and_can_be_undone(blender: ModuleType, tmp_path: Path) -> None:
    path, source = sample_file(tmp_path, "tr1"), sample_file(tmp_path, "tr2")
    root = import_file(path)
    count = len(objects(root, "MODEL"))
    bpy.ops.ed.undo_push(message="before")
    got = bpy.ops.tomb_raider.append("EXEC_DEFAULT", True, filepath=str(source), models=f"{_ENEMY}, Lara")
    assert got == {"FINISHED"}
    (root,) = levels()
    assert len(objects(root, "MODEL")) == count + 1  # the level already has Lara
    written = read_level(export_file(tmp_path / "out"))
    assert len(written.models) == count + 1
    bpy.ops.ed.undo()
    (root,) = levels()
    assert len(objects(root, "MODEL")) == count
    assert export_file(tmp_path / "out") == path.read_bytes()
    bpy.ops.ed.redo()
    (root,) = levels()
    assert read_level(export_file(tmp_path / "out")).to_bytes() == written.to_bytes()


def test_an_appended_model_outside_of_the_view_is_framed(blender: ModuleType, tmp_path: Path) -> None:
    source = sample_file(tmp_path, "tr2")
    import_file(sample_file(tmp_path, "tr1"))
    with in_view() as view:
        region, far = view.region_3d, (900.0, 900.0, 0.0)
        region.view_perspective, region.view_location, region.view_distance = "PERSP", far, 5.0
        rotation = region.view_rotation.copy()
        assert bpy.ops.tomb_raider.append(filepath=str(source), models=str(_ENEMY)) == {"FINISHED"}
        model: Any = bpy.context.object
        assert model.tomb_raider.kind == "MODEL" and region.view_rotation == rotation
        meshes = [each for each in model.children if each.type == "MESH"]
        corners = [each.matrix_world @ Vector(corner) for each in meshes for corner in each.bound_box]
        middle = sum(corners, Vector()) / len(corners)
        size = max((corner - middle).length for corner in corners)
        assert (region.view_location - middle).length < size < region.view_distance < 20 * size
        # A view that shows it already stays.
        region.view_distance = 8 * size
        look_at_unseen(bpy.context, [model])
        assert abs(region.view_distance - 8 * size) < 1e-4
        region.view_distance = 400 * size  # too small to be seen
        look_at_unseen(bpy.context, [model])
        assert region.view_distance < 20 * size


@pytest.mark.parametrize("place", ["SAME", "CURSOR"])
def test_a_room_goes_to_its_place_or_to_the_cursor(blender: ModuleType, tmp_path: Path, place: str) -> None:
    path = sample_file(tmp_path, "tr1")
    root = import_file(path)
    old = objects(root, "ROOM")[0]
    bpy.context.scene.cursor.location = (256.0, 512.0, 0.0)
    assert bpy.ops.tomb_raider.append(filepath=str(path), rooms="0", place=place) == {"FINISHED"}
    (new,) = (obj for obj in objects(root, "ROOM") if obj.select_get())
    assert new != old and (new.location == old.location) == (place == "SAME")


def test_a_failure_names_its_file_once(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr4")
    pages = tmp_path / "pages.tr4"
    bpy.data.libraries.write(str(tmp_path / "empty.blend"), {bpy.data.texts.new("Notes")})
    for path in (pages, tmp_path / "empty.blend", sample_file(tmp_path, "tr2", "other.tr2")):
        text = fails(bpy.ops.tomb_raider.append, filepath=str(path))
        assert text.count(path.name) == 1, text


def test_invalid_appends_are_refused_and_change_nothing(blender: ModuleType, tmp_path: Path) -> None:
    source = sample_file(tmp_path, "tr2")
    with pytest.raises(RuntimeError, match="there is no level in this file"):
        bpy.ops.tomb_raider.append(filepath=str(source), models="*")
    import_sample(tmp_path, "tr1")
    before = state()
    with pytest.raises(RuntimeError, match="No file was chosen"):
        bpy.ops.tomb_raider.append(models="*")
    with pytest.raises(RuntimeError, match=r"Nothing was appended: .*the file has none with this name"):
        bpy.ops.tomb_raider.append(filepath=str(source), models="Unicorn")
    broken = tmp_path / "broken.tr2"
    broken.write_bytes(source.read_bytes()[:5000])
    for path in (broken, tmp_path / "nowhere.tr2"):
        for is_browsing in (False, True):  # after the file browser, a dialog asks for the pieces
            with pytest.raises(RuntimeError, match=r"^Error: Nothing was appended"):
                bpy.ops.tomb_raider.append(filepath=str(path), models="*", is_browsing=is_browsing)
    assert bpy.ops.tomb_raider.append(filepath=str(source), models="Lara") == {"CANCELLED"}
    assert state() == before


def test_the_list_is_filtered_by_kind_and_search(blender: ModuleType) -> None:
    """The checked pieces are appended."""
    pieces = [
        SimpleNamespace(name="Lara", kind="model", number=0, is_chosen=False),
        SimpleNamespace(name="Doberman", kind="model", number=15, is_chosen=True),
        SimpleNamespace(name="Lara jump", kind="sound", number=3, is_chosen=True),
    ]
    shown: Any = SimpleNamespace(bitflag_filter_item=1)
    data: Any = SimpleNamespace(pieces=pieces, shown="model", search="LARA", models="Lara", sounds="")
    flags, _ = TOMB_RAIDER_UL_pieces.filter_items(shown, None, data, "pieces")
    assert flags == [1, 0, 0]
    wanted: Any = TOMB_RAIDER_OT_append._selection
    assert wanted(data, "model", "models") == "Lara,15"
    assert wanted(data, "sound", "sounds") == "3"


def test_textures_are_materials_for_faces(blender: ModuleType, tmp_path: Path) -> None:
    """The list shows the numbers of regions; pages and animated textures are selected by name."""
    path, source = sample_file(tmp_path, "tr1"), sample_file(tmp_path, "tr2")
    import_file(path)
    pieces = [
        SimpleNamespace(name="Animated Texture 0", kind="texture", number=-1000, is_chosen=True),
        SimpleNamespace(name="Page 00 64 x 64 at 0 64", kind="texture", number=3, is_chosen=True),
    ]
    data: Any = SimpleNamespace(pieces=pieces, textures="Page 01")
    wanted: Any = TOMB_RAIDER_OT_append._selection(data, "texture", "textures")
    assert wanted == "Page 01,Animated Texture 0,3"
    assert bpy.ops.tomb_raider.append(filepath=str(source), textures=wanted) == {"FINISHED"}
    assert {
        f"{source.stem} {name}" for name in ("Page 01", "Animated Texture 0", "Page 00 64 x 64 at 0 64")
    } <= {each.name for each in bpy.data.materials}
    (root,) = levels()
    assert root.tomb_raider.animated.groups[-1].name == f"{source.stem} Animated Texture 0"
    assert export_file(tmp_path / "out") == path.read_bytes()
