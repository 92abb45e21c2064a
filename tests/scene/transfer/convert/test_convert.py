"""Conversion of levels to another game, read as a game would."""

from __future__ import annotations

import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.catalogue import is_known, names
from io_tomb_raider.catalogue.equivalents import equivalent
from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.bytes.colors import gray_to_light
from io_tomb_raider.formats.edits.rules import needs
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger, TriggerType
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.sounds.details import run_of
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.sounds.waves import decode_wave, read_wave
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.blender.compat import material_nodes
from io_tomb_raider.scene.core.membership import levels
from io_tomb_raider.scene.core.reporting.progress import finish
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.transfer.append.deleting import delete_level
from io_tomb_raider.scene.transfer.convert.checked import convert_steps
from io_tomb_raider.scene.transfer.convert.convert import convert_level, text_of
from tests.level_rules import is_loaded_by_its_game
from tests.real_levels import each_real_level
from tests.sample_levels import named_sample, sample_bytes

from ...rig_tools import actions
from ...scenes import export_scene, exported, import_scene, objects, worth_telling
from ...subjects.triggers.sample_triggers import FREE, sample_with, triggers_of
from ..append.reading import model_meshes, poses
from . import judge

PAIRS = [(source, target) for source in Game for target in Game if source is not target]
# Tolerance, of 255, for colors of 5 or 6 bits, and for 255 colors.
TEXELS = 12


def converted(source: Game, *targets: Game) -> tuple[Collection, Level, list[str]]:
    """Convert the sample level of a game; return its root, the exported level, and the last warnings."""
    root = import_scene(sample_bytes(source))
    warnings: list[str] = []
    for target in targets:
        warnings = convert_level(root, target).report.warnings
    return root, export_scene(root), warnings


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_conversion_keeps_rooms_and_entities(blender: ModuleType, source: Game, target: Game) -> None:
    before = read_level(sample_bytes(source))
    _, after, warnings = converted(source, target)
    assert after.game is target
    assert judge.broken(after) == []
    assert judge.differing_parts(before, after, TEXELS) == []
    # What stands where nothing stood was a mark for characters, which TR3 has among the entities.
    stood = judge.entity_places(before)
    news = [each for each in judge.entity_places(after) if each not in stood]
    assert all(source.traits.has_ai_objects and not target.traits.has_ai_objects for _ in news)
    lost = len(stood) - (len(after.entities) - len(news))
    assert lost <= len([text for text in warnings if "left out" in text]) + _marks(before, target)


def _marks(level: Level, target: Game) -> int:
    """Return the number of entities that are marks for characters, AI objects in other games."""
    is_apart = level.game is Game.TR3 and target.traits.has_ai_objects
    return int(np.isin(level.entities["type"], range(74, 82)).sum()) if is_apart else 0


def test_converting_back_restores_the_level(blender: ModuleType) -> None:
    before = read_level(sample_bytes(Game.TR1))
    _, after, _ = converted(Game.TR1, Game.TR4, Game.TR1)
    assert judge.broken(after) == []
    assert judge.differing_parts(before, after, TEXELS) == []
    lights = [room.lights[["x", "y", "z", "intensity", "falloff"]].tolist() for room in before.rooms]
    assert lights == [room.lights[["x", "y", "z", "intensity", "falloff"]].tolist() for room in after.rooms]


def test_a_converted_level_can_be_exported_and_edited(blender: ModuleType) -> None:
    """It can be saved, exported again and edited, without references to the old file."""
    root, after, _ = converted(Game.TR2, Game.TR5)
    assert root.tomb_raider.game == "TR5"
    assert export_scene(root, rebuild=True).game is Game.TR5
    room = objects(root, "ROOM")[0]
    room.data.vertices[0].co.x += 1.0
    again = export_scene(root)
    assert judge.vertices(again.rooms[0]) != judge.vertices(after.rooms[0])
    assert judge.vertices(again.rooms[1]) == judge.vertices(after.rooms[1])


def test_lara_is_copied_from_a_kit_with_her_animations(blender: ModuleType, tmp_path: Path) -> None:
    kit = tmp_path / "kit.tr4"
    kit.write_bytes(sample_bytes(Game.TR4))
    root = import_scene(sample_bytes(Game.TR1))
    convert_level(root, Game.TR4, kit)
    after, there = export_scene(root), read_level(sample_bytes(Game.TR4))
    assert judge.broken(after) == []
    for animation in (0, 1):
        before, now = (poses(each, 0, animation, (0.0, 0.5, 1.0)) for each in (there, after))
        assert np.abs(before - now).max() < 1
    ids = after.models["id"].tolist()
    assert {0, 8, 30} <= set(ids)  # the kit has no hair, without which the game damages Lara's meshes
    with pytest.raises(ExportError, match="it is a kit for TR4"):
        convert_level(root, Game.TR2, kit)
    assert export_scene(root).to_bytes() == after.to_bytes()


def test_additional_animations_of_lara_survive_conversion_and_saving(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    for _ in range(100):  # as many as real levels have
        actions(root)[0].copy()
    data = export_scene(root).to_bytes()
    delete_level(root)
    root = import_scene(data)
    warnings = convert_level(root, Game.TR4).report.warnings
    after = export_scene(root)
    assert any("stands still instead" in text for text in warnings)
    (lara,) = [each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 0]
    own = [action for action in bpy.data.actions if action.tomb_raider.model == lara]
    assert len(own) > 112
    assert {row.action for row in lara.tomb_raider.model.animations} == set(own)
    assert not any(action.use_fake_user for action in own)
    path = str(tmp_path / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    (root,) = levels()
    assert export_scene(root).to_bytes() == after.to_bytes()


def test_lara_is_drawn_by_the_model_that_the_game_draws(blender: ModuleType) -> None:
    """TR1 and TR2 draw the model that moves, later games her skin."""
    before = read_level(sample_bytes(Game.TR2))
    _, after, _ = converted(Game.TR2, Game.TR4)
    skin = [mesh.vertices.tolist() for mesh in model_meshes(after, 8)]
    assert skin == [mesh.vertices.tolist() for mesh in model_meshes(before, 0)]
    (root,) = levels()
    (skin_model,) = (each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 8)
    part = next(each for each in skin_model.children if each.parent_bone == "Head")
    part.data = part.data.copy()
    part.data.vertices[0].co.z += 0.5
    convert_level(root, Game.TR1)
    again = export_scene(root)
    assert 8 not in again.models["id"]
    worn = [mesh.vertices.tolist() for mesh in model_meshes(again, 0)]
    assert worn[:14] == skin[:14] and worn[14][1:] == skin[14][1:]
    x, y, z = skin[14][0]
    assert worn[14][0] == [x, y - 256, z]


def test_conversion_does_not_change_pictures_of_sprites(blender: ModuleType) -> None:
    """Colors of faces become textures, which must not overwrite those of sprites."""
    before = read_level(sample_bytes(Game.TR2))
    root = import_scene(sample_bytes(Game.TR2))
    convert_level(root, Game.TR3)
    for each in objects(root, "SPRITE_TEXTURE"):
        if each.data.name.startswith("Invisible Sprite"):
            continue  # effects that TR2 does not have
        assert each.data.materials[0].tomb_raider.kind == "PAGE"
    own = bpy.data.materials.new("Own")
    material_nodes(own).nodes["Principled BSDF"].inputs[0].default_value = (1.0, 0.0, 0.0, 1.0)
    room = objects(root, "ROOM")[0].data
    room.materials.append(own)
    room.polygons[0].material_index = len(room.materials) - 1
    after = export_scene(root)
    shown, drawn = (_pictures(level) for level in (before, after))
    known = {number: equivalent("sprite", number, Game.TR2, Game.TR3) for number in shown}
    kept = {number: new.number for number, new in known.items() if new and new.number in drawn}
    assert kept and set(drawn) == {*kept.values(), *needs.EFFECT_SPRITES[Game.TR3].sequences}
    assert all(np.array_equal(shown[number], drawn[new]) for number, new in kept.items())


def _pictures(level: Level) -> dict[int, Any]:
    """Return the first picture of every sprite sequence by id."""
    pages, sprites = decode_pages(pages_of(level)), decode_sprites(level.sprite_textures, level.game)
    found: dict[int, Any] = {}
    for record in level.sprite_sequences:
        row = int(record["first"])
        left, top, width, height = sprites.rect[row].tolist()
        found[int(record["id"])] = pages[int(sprites.page[row]), top : top + height, left : left + width]
    return found


@pytest.mark.parametrize(
    ("source", "target"), [(Game.TR3, Game.TR4), (Game.TR3, Game.TR5), (Game.TR4, Game.TR3)]
)
def test_marks_for_characters_stay(blender: ModuleType, source: Game, target: Game) -> None:
    """They are entities in TR3, and AI objects in TR4 and TR5."""
    root = import_scene(sample_bytes(source))
    entity = objects(root, "ENTITY")[-1] if source is Game.TR3 else objects(root, "AI_OBJECT")[0]
    settings = entity.tomb_raider.entity if source is Game.TR3 else entity.tomb_raider.ai_object
    settings.type = _guard(source)
    convert_level(root, target)
    after = export_scene(root)
    there = after.entities if target is Game.TR3 else after.ai_objects
    assert _guard(target) in there["type"].tolist()


def _guard(game: Game) -> int:
    return next(number for number, name in names(game).known("model").items() if name == "AI guard")


@pytest.mark.parametrize(
    ("source", "target", "number"),
    [(Game.TR1, Game.TR2, 2), (Game.TR4, Game.TR5, 2), (Game.TR1, Game.TR4, 0)],
)
def test_numbers_of_flip_maps_are_converted(
    blender: ModuleType, source: Game, target: Game, number: int
) -> None:
    done = Action(ActionType.CAMERA, 0, 5), Action(ActionType.FLIP_MAP, 2)
    root = import_scene(sample_with(source, Trigger(TriggerType.PAD, actions=done)))
    convert_level(root, target)
    (trigger,) = triggers_of(export_scene(root))[FREE]
    camera, flip = trigger.actions
    assert (camera.extra, camera.stray_end) == (5, False)
    assert (flip.type, flip.parameter) == (ActionType.FLIP_MAP, number)


def test_own_faces_with_two_sides_keep_both(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    own: Any = bpy.data.materials.new("Own")
    own.tomb_raider.double_sided = True
    room = objects(root, "ROOM")[0].data
    for slot in range(len(room.materials)):
        room.materials[slot] = own
    convert_level(root, Game.TR4)
    assert (export_scene(root).rooms[0].quads["texture"] & 0x8000 != 0).all()


def test_light_without_color_is_as_bright_as_it_was(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    points = objects(root, "ROOM")[0].data.color_attributes["Color"].data
    for channel in range(3):
        points[channel].color_srgb = [float(each == channel) for each in range(3)] + [1.0]
    convert_level(root, Game.TR1)
    luma = np.rint(255 * np.array([0.299, 0.587, 0.114])).astype(np.uint8)
    assert np.array_equal(export_scene(root).rooms[0].vertices["light"][:3], gray_to_light(luma))


def test_black_light_of_tr4_is_as_opaque_as_other_light_in_tr5(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4)).copy()
    vertices = level.rooms[0].vertices.copy()
    vertices["color"][0] = 0
    level.rooms[0].vertices = vertices
    root = import_scene(level.to_bytes())
    convert_level(root, Game.TR5)
    assert set((export_scene(root).rooms[0].vertices["color"] >> 24).tolist()) == {0xFF}


def test_losses_are_listed_in_a_text(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    text: Any = text_of(root, convert_level(root, Game.TR1))
    lines = text.as_string().splitlines()
    assert any(line.startswith("Lights: this game has no sun lights") for line in lines)
    assert any(line.startswith("Flyby Cameras: 8 are left out") for line in lines)
    assert any("Dog" in line and "scenery" in line for line in lines)


def test_levels_that_cannot_be_converted_are_unchanged(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    before = export_scene(root).to_bytes()
    with pytest.raises(ExportError, match="already a level of TR3"):
        convert_level(root, Game.TR3)
    root.tomb_raider.imported = set(root.tomb_raider.imported) - {"COLLISION"}
    with pytest.raises(ExportError, match="collision were left out"):
        convert_level(root, Game.TR4)
    root.tomb_raider.imported |= {"COLLISION"}
    bpy.context.view_layer.update()
    assert export_scene(root).to_bytes() == before


@pytest.mark.parametrize("target", [Game.TR1, Game.TR5])
def test_a_file_of_texture_pages_is_no_level_to_convert(blender: ModuleType, target: Game) -> None:
    root = import_scene(named_sample("tr3-textiles"))
    assert check_scene(root) == []
    with pytest.raises(ExportError, match="it holds texture pages only"):
        finish(convert_steps(root, target))


HEARD = [(Game.TR1, Game.TR4), (Game.TR4, Game.TR1), (Game.TR5, Game.TR4)]


@pytest.mark.parametrize(("source", "target"), HEARD)
def test_conversion_keeps_waves_of_sounds(blender: ModuleType, source: Game, target: Game) -> None:
    before, (root, after, _) = read_level(sample_bytes(source)), converted(source, target)
    heard, hears = _sounds(before), _sounds(after)
    assert len(heard) == len(hears) > 2
    for number, wave in heard.items():
        known = equivalent("sound", number, source, target)
        assert known is not None
        length = min(len(wave), len(hears[known.number]))
        assert length and np.corrcoef(wave[:length], hears[known.number][:length])[0, 1] > 0.9
    # Exports write the same samples without encoding.
    assert sample_waves(export_scene(root)) == sample_waves(after)


@pytest.mark.parametrize(("number", "keeps"), [(27, True), (11, False)])
def test_an_unknown_sound_is_not_heard_as_another(blender: ModuleType, number: int, keeps: bool) -> None:
    """TR4 has neither of these sounds of TR1, and another one by the number 11."""
    assert equivalent("sound", number, Game.TR1, Game.TR4) is None
    root = import_scene(sample_bytes(Game.TR1))
    root.tomb_raider.sounds.details[0].ids[0].number = number
    convert_level(root, Game.TR4)
    after = export_scene(root)
    assert (after.sound_map >= 0).sum() == (read_level(sample_bytes(Game.TR1)).sound_map >= 0).sum()
    assert (after.sound_map[number] >= 0) == keeps


@pytest.mark.parametrize(
    ("source", "target"), [(Game.TR2, Game.TR1), (Game.TR1, Game.TR2), (Game.TR4, Game.TR3)]
)
def test_levels_without_their_sounds_get_a_silent_sound(
    blender: ModuleType, source: Game, target: Game
) -> None:
    _, level, warnings = converted(source, target)
    assert any("silent" in warning for warning in warnings)
    assert (level.sound_map == -1).all() and is_loaded_by_its_game(level)
    # The sound is kept by later exports.
    assert export_scene(import_scene(level.to_bytes())).to_bytes() == level.to_bytes()


def _sounds(level: Level) -> dict[int, Any]:
    """Return the first sample of every sound of a level at 11025 Hz, by number."""
    waves, found = sample_waves(level), {}
    for number, row in enumerate(level.sound_map.tolist()):
        if row >= 0:
            wave = read_wave(waves[run_of(level.sound_details[row])[0]])
            found[number] = decode_wave(wave)[:: wave.rate // 11025, 0].astype(float)
    return found


@each_real_level
def test_real_levels_become_levels_of_the_next_game(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    before = read_level(data)
    target = list(Game)[before.game % len(Game)]
    root = import_scene(data)
    warnings = convert_level(root, target).report.warnings
    after = export_scene(root)
    # Rooms at negative positions have boxes only in TR1, whose files can store them.
    assert set(map(str, judge.broken(after))) <= set(map(str, judge.broken(before)))
    assert judge.differing_parts(before, after, TEXELS) == []
    stood = judge.entity_places(before)
    assert all(each in stood for each in judge.entity_places(after)) or target is Game.TR3
    assert len(after.entities) == len(stood) or any("Entities: left out" in text for text in warnings)


@pytest.mark.parametrize(("source", "target"), [(Game.TR1, Game.TR4), (Game.TR5, Game.TR2)])
def test_losses_are_findings_and_old_faults_are_information(
    blender: ModuleType, source: Game, target: Game
) -> None:
    """An opening without one back stands in the original; exports of that are silent, too."""
    level = read_level(sample_bytes(source))
    room = level.rooms[2]  # the pool: its openings upward are closed
    room.sectors = room.sectors.copy()
    room.sectors["room_above"] = 255
    root = import_scene(level.to_bytes())
    assert exported(root)[1] == []
    report = finish(convert_steps(root, target)).report
    settings = root.tomb_raider
    assert settings.findings_of == f"Conversion to {target.name}"
    listed = [(each.subject, each.text) for each in settings.findings if each.severity == "WARNING"]
    assert report.messages and set(report.messages) <= set(listed)
    assert any("none back: open" in each.text and each.severity == "INFO" for each in settings.findings)
    assert exported(root)[1] == []
    assert not [note for note in worth_telling(root) if "none back: open" in note.text]
    # What changes from now on is told.
    bpy.data.objects.remove(objects(root, "PORTAL")[0])
    assert exported(root)[1] or worth_telling(root)
    entity = objects(root, "ENTITY")[1]
    entity.scale = (2, 2, 2)
    assert [text for text in exported(root)[1] if text.startswith(f"{entity.name}:")]


def test_a_converted_level_is_compressed_by_exports_only(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    convert_level(root, Game.TR4)
    level = read_level(export_scene(root).to_bytes())
    assert level.streams
    for content, stream in level.streams.values():
        assert bytes(stream) == zlib.compress(content)
    path = str(tmp_path / "a.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    original.forget()
    bpy.ops.wm.open_mainfile(filepath=path)
    (root,) = levels()
    assert export_scene(root).to_bytes() == level.to_bytes()


@pytest.mark.parametrize("target", [Game.TR2, Game.TR3, Game.TR4])
def test_water_of_tr1_is_alive_in_later_games(blender: ModuleType, target: Game) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    convert_level(root, target)
    level = export_scene(root)
    wet = [room for room in level.rooms if room.flags & 1]
    found = np.concatenate([room.vertices["attributes"] for room in wet])
    assert wet and ((found & 0x4000) > 0).any() == (target is not Game.TR2)
    everywhere = np.concatenate([room.vertices["attributes"] for room in level.rooms])
    assert ((everywhere & 0x8000) > 0).any() == (target is not Game.TR4)
    assert ((everywhere & 31) == (16 if target is Game.TR2 else 0)).all()


# --- For TRX ----------------------------------------


@pytest.mark.parametrize("source", [Game.TR1, Game.TR2, Game.TR3])
def test_levels_for_trx_stay_for_it_in_tr4_and_back(blender: ModuleType, source: Game) -> None:
    """In TR4 nothing follows the level; back in the other games, the block has the flyby cameras."""
    root = import_scene(sample_bytes(source))
    root.tomb_raider.engine = "TRX"
    finish(convert_steps(root, Game.TR4))
    assert root.tomb_raider.engine == "TRX"
    level = export_scene(root)
    assert level.game is Game.TR4 and not len(level.footer)
    unknown = [note for note in check_scene(root) if "TRX does not know its slot" in note.text]
    types = {obj.name: int(obj.tomb_raider.entity.type) for obj in objects(root, "ENTITY")}
    assert {note.subject for note in unknown} == {
        name for name, slot in types.items() if not is_known(Game.TR4, slot)
    }
    finish(convert_steps(root, source))
    assert root.tomb_raider.engine == "TRX" and export_scene(root).game is source


def test_flybys_of_tr4_for_trx_are_in_the_block_of_tr3(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    flybys = len(objects(root, "FLYBY"))
    root.tomb_raider.engine = "TRX"
    convert_level(root, Game.TR3)
    assert len(Decoded(export_scene(root)).flybys) == flybys > 0
    convert_level(root, Game.TR5)
    assert root.tomb_raider.engine == "ORIGINAL"  # TRX does not play it
