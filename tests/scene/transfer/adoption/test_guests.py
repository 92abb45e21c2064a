"""Drags between two levels of a scene: the target gets all dependencies, and both levels can be exported."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.transfer.adoption import import_referenced_data
from io_tomb_raider.scene.transfer.adoption.adoption import adopt
from io_tomb_raider.ui.base.reports import popup_later
from tests.compare import differences
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ...scenes import collection_of, export_scene, exported, import_anew, move_to, objects
from ..append.judging import other_looks, other_poses, other_sounds, own_sounds, seen_pages
from .dragging import GAMES, drag

# The collections of each kind of objects.
HOMES = {
    "AI_OBJECT": "ENTITIES",
    "CAMERA": "CAMERAS",
    "ENTITY": "ENTITIES",
    "FLYBY": "CAMERAS",
    "LIGHT": "ROOM",
    "PLACEMENT": "ROOM",
    "PORTAL": "PORTALS",
    "SINK": "CAMERAS",
    "SOUND_SOURCE": "SOUNDS",
    "SPRITE": "ROOM",
    "SPRITE_TEXTURE": "SPRITES",
    "STATIC_MESH": "STATIC_MESHES",
    "TRIGGER": "TRIGGERS",
}


def drag_model(root: Collection, other: Collection, number: int) -> Any:
    """Drag a model from one library to another; return its armature."""
    obj = next(each for each in objects(other, "MODEL") if each.tomb_raider.model.id == number)
    collection = next(each for each in obj.users_collection if each.tomb_raider.kind == "MODEL")
    collection_of(root, "MODELS").children.link(collection)
    collection_of(other, "MODELS").children.unlink(collection)
    return obj


def forget_sounds(root: Collection) -> None:
    """Remove all sounds of a level except for the bell."""
    details = root.tomb_raider.sounds.details
    for place in reversed(range(len(details))):
        if details[place].ids[0].number != 8:
            details.remove(place)


@GAMES
def test_a_dragged_model_moves_looks_and_sounds_as_there(
    blender: ModuleType, source: Game, game: Game
) -> None:
    root, other = import_anew(sample_bytes(game)), import_anew(sample_bytes(source))
    forget_sounds(root)
    enemy = model_id(source, "enemy")
    mine = model_id(game, "enemy")
    own = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == mine)
    own.tomb_raider.model.id = 200
    obj = drag_model(root, other, enemy)
    bpy.context.view_layer.update()
    report = Report()
    adopt(root, report)
    there, new = read_level(sample_bytes(source)), export_scene(root)
    number = int(obj.tomb_raider.model.id)
    waves = sample_waves(there), sample_waves(new)
    assert other_poses(there, enemy, new, number) == []
    assert other_looks(there, enemy, new, number) == []
    assert len(own_sounds(new)) == 2
    assert other_sounds(there, enemy, {8}, new, number, waves) == []
    # The other level has entities that show it, so it keeps one.
    level, told = exported(other)
    assert told == []
    assert {path[0] for path in differences(there, level)} <= {"meshes", "models", "static_meshes"}
    assert other_poses(there, enemy, level, enemy) == [] and other_looks(there, enemy, level, enemy) == []


@GAMES
def test_dragged_meshes_keep_blending_and_animated_textures(
    blender: ModuleType, source: Game, game: Game
) -> None:
    root, other = import_anew(sample_bytes(game)), import_anew(sample_bytes(source))
    group = other.tomb_raider.animated.groups[0]
    obj: Any = objects(other, "STATIC_MESH")[0]
    mesh = obj.data
    material: Any = bpy.data.materials[mesh.materials[0].name].copy()
    material.tomb_raider.animation, material.tomb_raider.attribute = group.uid, 2
    mesh.materials[0] = material
    drag(obj, collection_of(root, "STATIC_MESHES"))
    report = Report()
    adopt(root, report)
    (shown,) = [each for each in obj.data.materials if each.tomb_raider.animation]
    brought = root.tomb_raider.animated.groups[-1]
    assert len(root.tomb_raider.animated.groups) == 2 and shown.tomb_raider.animation == brought.uid
    assert [each.image for each in brought.frames] == [each.image for each in group.frames]
    adds = game.traits.has_additive_blending
    assert shown.tomb_raider.attribute == (2 if adds else 1)
    assert any("does not support this blending" in text for text in report.warnings) != adds
    assert material.tomb_raider.animation == group.uid and material.tomb_raider.attribute == 2
    new = export_scene(root)
    assert 2 in new.object_textures["attribute"] or not adds
    assert len(seen_pages(new, new)) == len(decode_pages(pages_of(new)))


@GAMES
@pytest.mark.parametrize("far", [False, True], ids=["inside", "far from all rooms"])
def test_every_dragged_object_is_exported_or_reported(
    blender: ModuleType, source: Game, game: Game, far: bool
) -> None:
    """Drag a copy of one object of each kind; the source level does not change."""
    root, other = import_anew(sample_bytes(game)), import_anew(sample_bytes(source))
    for kind, where in HOMES.items():
        found = objects(other, kind)
        if not found:
            continue
        copy = found[-1].copy()
        collection_of(root, where).objects.link(copy)
        if far:
            move_to(copy, (900.0, 900.0, 0.0))
    bpy.context.view_layer.update()
    new, told = exported(root)
    assert new.game is game
    if far:
        texts = ["it is in no room, so it is left out: move"]
        texts += ["it is too far from all rooms"] if not game.traits.has_room_layers else []
        assert all(any(text in line for line in told) for text in texts)
    if source.traits.has_flybys and not game.traits.has_flybys:
        assert objects(root, "FLYBY") == objects(root, "AI_OBJECT") == []
    level, told = exported(other)
    assert differences(read_level(sample_bytes(source)), level) == []
    assert told == []


def test_messages_of_automatic_changes_are_printed(blender: ModuleType, capsys: Any) -> None:
    popup_later("Added from another level", ["Wolf: it has no sound"])
    assert "Added from another level\nWolf: it has no sound" in capsys.readouterr().out


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4], ids=lambda game: game.name)
def test_other_levels_are_searched_only_for_missing_data(
    blender: ModuleType, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = [import_anew(sample_bytes(game)), import_anew(sample_bytes(game))]
    assert objects(roots[1], "SPRITE")
    assert objects(roots[1], "PLACEMENT")
    searched: list[object] = []
    show = import_referenced_data._show_picture

    def noted(root: Collection, obj: Any, report: Report, *, is_foreign: bool) -> bool:
        searched.append(obj)
        return show(root, obj, report, is_foreign=is_foreign)

    monkeypatch.setattr(import_referenced_data, "_show_picture", noted)
    for root in roots:
        assert not adopt(root).is_changed
    assert searched == []
    sprite = objects(roots[1], "SPRITE")[0]
    sprite.data = objects(roots[0], "SPRITE_TEXTURE")[0].data
    adopt(roots[1])
    assert searched == [sprite]
    assert sprite.data in [each.data for each in objects(roots[1], "SPRITE_TEXTURE")]
