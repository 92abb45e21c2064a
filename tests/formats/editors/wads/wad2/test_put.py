"""Insertion of a moveable or an animation of one object file into another."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.editors.wads.object_files import (
    blank_files,
    open_objects,
    put_animation,
    put_model,
)
from io_tomb_raider.formats.editors.wads.wad.order import in_model_order
from io_tomb_raider.formats.editors.wads.wad.wad import read_wad
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.put import AnimationPlace
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.formats.levels.animations.animations import model_animations
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.textiles import decode_pages32

from .....wad2_samples import differences, sample_wad2, tree
from .....wad_samples import sample_wad

MOVEABLE = "W2Moveables[0].W2Moveable"


def _name(kind: str, number: int) -> str:
    return f"{kind} {number}"


def _wad() -> dict[str, bytes]:
    return {".wad": sample_wad(garbage=False).to_bytes()}


def _texels(level: Level, mesh: int) -> list[list[int]]:
    """Return the pixels at the center of a mesh's faces, quads first."""
    shown = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers).meshes[mesh]
    decoded, pages = decode_object_textures(level.object_textures, Game.TR4), decode_pages32(level.textiles32)
    result = []
    for faces, corners in ((shown.quads, 4), (shown.triangles, 3)):
        for word in (faces["texture"] & 0x7FFF).tolist():
            u, v = decoded.uv[word][:corners].astype(float).mean(axis=0) * 256
            result.append(pages[decoded.page[word], int(256 - v), int(u)].tolist())
    return result


# --- WAD2 --------------------------------------------------------------------------------------


def test_a_moveable_replaces_another_completely() -> None:
    target, source = sample_wad2(), sample_wad2()
    data = put_model({".wad2": target}, source, 0, 70, _name)[".wad2"]
    assert differences(target, data)[0].startswith(f"{MOVEABLE}[1]")
    assert all(each.startswith(f"{MOVEABLE}[1]") for each in differences(target, data))
    moveables = tree(data)[5][2]
    assert moveables[1][2] == moveables[0][2], "meshes, skin, bones, curves, properties: all of it"


def test_a_moveable_is_copied_with_its_textures_only() -> None:
    data = put_model(blank_files(".wad2"), sample_wad2(), 0, 12, _name)[".wad2"]
    library = wad2_to_level(read_wad2(data))
    assert [each.id for each in library.moveables] == [12]
    assert library.textures == 2, "of three, two are used"
    before = wad2_to_level(read_wad2(sample_wad2()))
    assert _texels(library.level, 0) == _texels(before.level, 0)


def test_a_replaced_animation_keeps_its_transitions() -> None:
    target = sample_wad2()
    files, number = put_animation(
        {".wad2": target}, sample_wad2(), AnimationPlace(0, 2), AnimationPlace(0, 0), _name
    )
    assert number == 0
    old, new = (wad2_to_level(read_wad2(each)).moveables[0].animations for each in (target, files[".wad2"]))
    assert new[0].name == "RUN"
    assert new[0].head == old[0].head._replace(state=3, last_frame=1, frame_rate=1)
    assert new[0].changes == old[0].changes
    assert np.array_equal(new[0].angles, old[2].angles) and np.array_equal(new[0].offsets, old[2].offsets)
    assert [each.chunk for each in new[1:]] == [each.chunk for each in old[1:]]
    curves = next(part for part in tree(files[".wad2"])[5][2][0][2] if part[0] == "W2Ani3")[2][:4]
    assert [part[0] for part in curves] == ["W2CurveStart", "W2CurveEnd", "W2CurveHStart", "W2CurveHEnd"]


def test_an_animation_of_a_new_number_is_added() -> None:
    target = sample_wad2()
    files, number = put_animation(
        {".wad2": target}, target, AnimationPlace(0, 1), AnimationPlace(0, 9), _name
    )
    data = files[".wad2"]
    assert number == 3
    assert differences(target, data) == [f"{MOVEABLE}[0].W2Ani3 2 -> 3"]
    added = wad2_to_level(read_wad2(data)).moveables[0].animations[3]
    assert (added.name, added.head, added.changes) == ("STOP", (2, 4, 2, 3, 0), ())
    assert len(added.commands) == 5, "also that of Tomb Engine"


@pytest.mark.parametrize("files", [{".wad2": sample_wad2()}, _wad()])
def test_missing_models_and_other_skeletons_are_refused(files: dict[str, bytes]) -> None:
    with pytest.raises(ExportError, match="no model of this number"):
        put_model(files, sample_wad2(), 300, 1, _name)
    with pytest.raises(ExportError, match="no model of this number"):
        put_animation(files, sample_wad2(), AnimationPlace(0, 0), AnimationPlace(333, 0), _name)
    with pytest.raises(ExportError, match=r"has 2 bones, and the model in the file has \d+"):
        put_animation(
            files, sample_wad2(), AnimationPlace(0, 0), AnimationPlace(_other_bones(files), 0), _name
        )


def _other_bones(files: dict[str, bytes]) -> int:
    models = open_objects(files).level.models
    return int(models["id"][np.flatnonzero(models["meshes"] != 2)[0]])


# --- WAD ---------------------------------------------------------------------------------------


def _poses(level: Level, model: int) -> list[list[list[list[int]]]]:
    keys = decode_frames(Game.TR4, level.frames, level.animations, level.models)
    first, count = model_animations(level.models, level.animations)
    row = int(np.flatnonzero(level.models["id"] == model)[0])
    return [keys.keys(index).angles.tolist() for index in range(first[row], first[row] + count[row])]


@pytest.mark.parametrize("to", [0, 70, 5000])
def test_a_model_goes_into_a_wad(to: int) -> None:
    """Replacing the first one, or between and after the others."""
    files = _wad()
    written = put_model(files, sample_wad2(), 0, to, _name)
    before, after = open_objects(files).level, open_objects(written).level
    source = wad2_to_level(read_wad2(sample_wad2())).level
    ids = sorted({*before.models["id"].tolist(), to})
    assert after.models["id"].tolist() == ids
    for model in ids:
        donor, number = (source, 0) if model == to else (before, model)
        assert _poses(after, model) == _poses(donor, number), model
    row = ids.index(to)
    shown = decode_meshes(Game.TR4, after.mesh_data, after.mesh_pointers).pointers
    mesh = int(shown[int(after.models["first_mesh"][row])])
    wanted, found = np.array(_texels(source, 0)), np.array(_texels(after, mesh))
    assert np.abs(wanted - found).max() <= 1, "a rectangle of whole pixels may begin half a pixel earlier"
    starts = after.models["animation"][after.models["animation"] != 0xFFFF]
    assert (np.diff(starts.astype(int)) > 0).all(), "readers count animations up to the next model's"
    assert (np.diff(after.animations["frame_offset"].astype(int)) >= 0).all()
    assert after.static_meshes["id"].tolist() == before.static_meshes["id"].tolist()


def test_an_animation_goes_into_a_wad() -> None:
    files = _wad()
    objects = open_objects(files)
    models = objects.level.models
    wad2 = open_objects(blank_files(".wad2")).edited(objects.level, _name)[".wad2"]
    slot = int(models["id"][0])
    before = _poses(objects.level, slot)
    written, _ = put_animation(files, wad2, AnimationPlace(slot, 0), AnimationPlace(slot, 1), _name)
    assert _poses(open_objects(written).level, slot) == [before[0], before[0], *before[2:]]
    written, number = put_animation(files, wad2, AnimationPlace(slot, 0), AnimationPlace(slot, 99), _name)
    assert number == len(before)
    assert _poses(open_objects(written).level, slot) == [*before, before[0]]
    old, new = (read_wad(each[".wad"]) for each in (files, written))
    assert new.mesh_data.tobytes() == old.mesh_data.tobytes()


def test_models_in_order_are_left_alone_and_others_sorted() -> None:
    level = open_objects(_wad()).level
    assert in_model_order(level) is level
    mixed = level.copy()
    mixed.models = level.models[::-1].copy()
    again = in_model_order(mixed)
    assert again.models["id"].tolist() == level.models["id"].tolist()
    for model in level.models["id"].tolist():
        assert _poses(again, model) == _poses(level, model)
    swapped = level.copy()
    swapped.models = level.models.copy()
    swapped.models["id"][[0, 1]] = swapped.models["id"][[1, 0]]
    again = in_model_order(swapped)
    assert (np.diff(again.models["id"].astype(int)) > 0).all()
    for model in level.models["id"].tolist():
        assert _poses(again, model) == _poses(swapped, model)
