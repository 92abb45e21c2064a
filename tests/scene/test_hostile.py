"""Untrusted .blend files: limits of memory for stored data."""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.scene.core.membership import levels
from io_tomb_raider.scene.core.original import load
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.subjects.cutscenes.build import original_cutscene
from io_tomb_raider.scene.subjects.meshes.arrays import PARKED
from io_tomb_raider.scene.upgrades.versions import upgrade, upgrade_all
from io_tomb_raider.ui.base.levels import chosen_level
from tests.abuse.watched import Console
from tests.level_rules import broken_indices
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from .rig_tools import curves
from .scenes import UNIT, copy_of, import_scene, objects

_CLAIMED = 512 << 20  # bytes that a bomb holds
_BOUND = 128 << 20


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """Return a small zlib stream of very many zeros."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    return b"".join([*(packer.compress(block) for _ in range(_CLAIMED >> 20)), packer.flush()])


@pytest.mark.parametrize("key", ["tr_original", "tr_cutscene"])
def test_zlib_bombs_are_refused_without_using_memory(blender: ModuleType, bomb: bytes, key: str) -> None:
    root: Collection = import_scene(sample_bytes(Game.TR1))
    root[key] = bomb
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="zlib stream"):
            load(root) if key == "tr_original" else original_cutscene(root)
        assert tracemalloc.get_traced_memory()[1] < _BOUND
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("damage", [b"x", b"\x78\x01damaged", b"\x78\x9c"], ids=["level", "stream", "cut"])
def test_a_damaged_original_is_an_error(blender: ModuleType, damage: bytes) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    root["tr_original"] = damage
    with pytest.raises(FormatError):
        load(root)


def _first(found: Iterable[Any]) -> Any:
    return min(found, key=lambda each: str(each.name))


def _of(root: Collection, kind: str) -> Any:
    return _first(objects(root, kind)).tomb_raider


def _store(group: Any, name: str, value: object) -> object:
    """Store a value outside the range of its property, as files may have it, and return it."""
    group[name] = value
    return value


def _with_a_key_far_off(_root: Collection) -> None:
    curve = curves(_first(bpy.data.actions))[0]
    curve.keyframe_points[len(curve.keyframe_points) - 1].co.x = 3e38
    curve.update()


def _with_events_of_no_kind(_root: Collection) -> None:
    _first(each for each in bpy.data.actions if len(each.tomb_raider.events)).tomb_raider.events[0][
        "command"
    ] = 99


# Values outside the declared range, and the expected error.
_SET: dict[str, tuple[Callable[[Collection], object], str]] = {
    "no ticks per key": (
        lambda root: _store(_first(bpy.data.actions).tomb_raider, "frame_rate", 0),
        "its Frame Rate is 0, and can be 1 to 255: set it again",
    ),
    "keys far off": (_with_a_key_far_off, "it is too long for the game"),
    "no such command": (_with_events_of_no_kind, "its Command is not one of the choices"),
    "blending": (
        lambda root: [_store(each.tomb_raider, "attribute", -2) for each in bpy.data.materials],
        "its Blending is -2, and can be 0 to 65535",
    ),
    "bits of a trigger": (
        lambda root: _store(_of(root, "TRIGGER").trigger, "setup_rest", 1 << 14),
        "the rest of a trigger's setup is out of range",
    ),
    "color": (
        lambda root: _store(_of(root, "PLACEMENT").placement, "color", [0.5, 3e38, 0.5]),
        r"its Color is 3e\+38, and can be 0 to 1",
    ),
    "sprite texture": (
        lambda root: _store(_of(root, "SPRITE").sprite, "texture", 32767),
        "its sprite texture is not one of the level's: 32767",
    ),
    "number of a sound": (
        lambda root: _store(root.tomb_raider.sounds.details[0].ids[0], "number", -1),
        "its number does not exist in the game: -1",
    ),
    "scale": (
        lambda root: _store(root.tomb_raider, "scale", float("inf")),
        "its Scale is not a number, but without end",
    ),
    "no scale": (
        lambda root: _store(root.tomb_raider, "scale", 0.0),
        "its Scale is 0, and can be 1e-06 to 1000",
    ),
    "game": (
        lambda root: _store(root.tomb_raider, "game", 77),
        "its Game is not one of the choices",
    ),
    "packed level": (
        lambda root: (root.pop("tr_original", None), _store(root, "tr_original", 5)),
        "Level, packed: expected the bytes of a file, found int",
    ),
}


@pytest.mark.parametrize("case", _SET)
def test_invalid_stored_values_are_refused_with_a_message(blender: ModuleType, case: str) -> None:
    spoil, words = _SET[case]
    root = import_scene(sample_bytes(Game.TR4))
    spoil(root)
    with pytest.raises((ExportError, FormatError), match=words):
        export_level(root, rebuild=True)


@pytest.mark.parametrize("value", [-(1 << 31), -1, 0, 1 << 24])
def test_unknown_subjects_are_ignored(blender: ModuleType, value: int) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    _store(root.tomb_raider, "imported", value | root.tomb_raider["imported"])
    assert export_level(root)[0].to_bytes() == data


@pytest.mark.parametrize("page", [-(1 << 31), -2, 1 << 24])
def test_pages_that_no_level_has_are_not_written(blender: ModuleType, page: int) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    _store(root.tomb_raider.images[0], "page", page)
    assert (export_level(root, rebuild=True)[0].textiles8 == read_level(data).textiles8).all()


def test_sounds_of_an_unknown_game_have_names(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    _store(root.tomb_raider, "game", -1)
    assert root.tomb_raider.sounds.details[0].ids[0].sound


@pytest.mark.parametrize("version", [-(1 << 31), (1 << 31) - 1])
def test_unknown_versions_are_refused(blender: ModuleType, version: int) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    _store(root.tomb_raider, "data_version", version)
    upgrade_all()
    assert root.tomb_raider.data_version == version
    with pytest.raises(ExportError, match="made this level"):
        upgrade(root)


def test_a_level_of_no_scale_counts_as_none(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    assert levels() == [root]
    for name, value in (("scale", float("nan")), ("game", -1)):
        before = _store(root.tomb_raider, name, value)
        assert before != root.tomb_raider.bl_rna.properties[name].default
        assert levels() == []
        with pytest.raises(ExportError, match=r"(set|choose) it again"):
            chosen_level(bpy.context)
        root.tomb_raider.property_unset(name)
    assert chosen_level(bpy.context) == root


@pytest.mark.parametrize("kind", ["MODEL_MESH", "STATIC_MESH", "ROOM"])
def test_meshes_of_adopted_objects_exist_after_an_export_and_undo(blender: ModuleType, kind: str) -> None:
    """An object with a foreign origin is adopted before the export, and undo must know its mesh."""
    root = import_scene(sample_bytes(Game.TR3))
    bpy.ops.ed.undo_push(message="Opened")
    obj = next(each for each in objects(root, kind) if each.data.users > 1 or kind == "ROOM")
    name, shown = obj.name, obj.data.name
    _store(obj.tomb_raider, "origin", 5)
    for number in range(2):
        _first(objects(root, "ENTITY")).location.x += number  # another object
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message="Changed")
    export_level(bpy.data.collections[root.name])
    bpy.ops.ed.undo()
    assert {each.data for each in bpy.data.objects if each.type == "MESH"} <= set(bpy.data.meshes)
    assert bpy.data.objects[name].data.name == shown


def test_objects_of_an_impossible_kind_are_left_out(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    for kind in ("TRIGGER", "CAMERA", "SOUND_SOURCE", "LIGHT"):
        _of(root, kind).kind = "MODEL"
    written = export_level(root)[0]
    assert written.models.tobytes() == read_level(data).models.tobytes()


def test_a_sprite_that_is_called_a_static_mesh_is_refused(blender: ModuleType) -> None:
    """Its index among the sprites is not valid for static meshes."""
    root = import_scene(sample_bytes(Game.TR4))
    sprites = objects(root, "SPRITE")
    sprites[-1].tomb_raider.kind = "PLACEMENT"
    sprites[-1].tomb_raider.index = 900
    with pytest.raises(ExportError, match="the level has no static mesh 0"):
        export_level(root)


@pytest.mark.parametrize("kept", ["text", [1, 2, 3], [77] * 9, b"\0"])
def test_invalid_kept_faces_are_left_out_with_a_warning(blender: ModuleType, kept: object) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    mesh = _first(each for each in bpy.data.meshes if each.get(PARKED) is not None)
    del mesh[PARKED]
    mesh[PARKED] = kept
    written, report = export_level(root)
    text = "faces that only the game can draw are damaged, and are left out"
    assert [each for each in report.warnings if text in each]
    assert not broken_indices(written)


@pytest.mark.parametrize("kind", ["ROOM", "PORTAL", "SPRITE", "COLLISION", "LIGHT", "ENTITY"])
@pytest.mark.parametrize("value", [3e38, float("inf"), float("nan")])
def test_objects_at_invalid_coordinates_are_left_out_or_reported(
    blender: ModuleType, kind: str, value: float
) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = _first(objects(root, kind))
    obj.location.x = value
    console = Console()
    try:
        bpy.context.view_layer.update()
        written, report = export_level(root)
    except ExportError as error:
        assert error.subject
    else:
        assert report.warnings or written.to_bytes() != data
        assert len(broken_indices(written)) == len(broken_indices(read_level(data)))
    finally:
        console.close()
    console.check()


@pytest.mark.parametrize("kind", ["ENTITY", "LIGHT", "FLYBY", "SPRITE", "PLACEMENT", "SOUND_SOURCE"])
def test_thousands_of_one_kind_are_lit_and_written(blender: ModuleType, kind: str) -> None:
    """With quadratic algorithms, this would take minutes."""
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = _first(objects(root, kind))
    for _ in range(2000):
        copy_of(obj)
    bpy.context.view_layer.update()
    assert _count(export_level(root)[0], kind) == _count(read_level(data), kind) + 2000


def test_thousands_of_portals_are_each_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    portal = _first(objects(root, "PORTAL"))
    for number in range(1500):
        copy_of(portal).location.x += UNIT * number
    bpy.context.view_layer.update()
    names = {each.name for each in objects(root, "PORTAL")}
    assert sum(note.subject in names for note in check_scene(root)) > 1400


def _count(level: Level, kind: str) -> int:
    in_rooms = {"LIGHT": "lights", "SPRITE": "sprites", "PLACEMENT": "static_meshes"}
    if kind in in_rooms:
        return sum(len(getattr(room, in_rooms[kind])) for room in level.rooms)
    sections = {"ENTITY": "entities", "FLYBY": "flyby_cameras", "SOUND_SOURCE": "sound_sources"}
    return len(getattr(level, sections[kind]))
