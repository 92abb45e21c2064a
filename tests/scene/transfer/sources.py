"""One level of each game with values that only this game has, as a file, a .blend and an asset library.

Each level has one piece of every kind, which the tests transfer to a level of another game. The pieces can be
identified there: their shapes, positions and settings are unique.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection

from io_tomb_raider.catalogue.equivalents import equivalent
from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.textures.face_words import mesh_texture_mask, texture_index
from io_tomb_raider.formats.levels.textures.object_textures import BUMP
from io_tomb_raider.scene.assets.assets import KINDS, assets_of
from io_tomb_raider.scene.assets.marks import mark
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import STATIC_IDS, model_id
from tests.sample_levels.textures import TILE, tile_place
from tests.sample_levels.world import build_main_sfx
from tests.scene.exporting import export_level

from ..scenes import objects

SUFFIXES = {game: game.traits.suffix for game in Game}

# --- The pieces. Ids are those of exact equivalents in the catalogue.

_BOULDER, _EXPLOSION = 38, 104  # in TR1: a model and a sound that all games have under other numbers
_SHAKE, _FOOTPRINT = 1, 32  # effects: of all games, and from TR3 on
# First ids of sprites that only rooms show; the offset from them is the same in all games.
STATIC_SPRITES = {Game.TR1: 191, Game.TR2: 265, Game.TR3: 376, Game.TR4: 465, Game.TR5: 460}
_SPRITE = 3
STATIC = 13
ANGLE = -0x6000  # of the enemy in the hall
TIMER, MASK = 9, 0x0B
LAND, WATER, LEFT = 1, 2, 1
LAMP_DENT, BODY_DENT = 0.125, 0.25  # Blender units
_MOVED = 40  # sectors: beyond the rooms of the targets
# Volume and chance of the sound
_LOUDNESS = {False: (0x3000, 20000), True: (96, 156)}
BUMP_LEVEL = 2


def number_of(kind: str, game: Game) -> int:
    """Return the number of the model or the sound in a game."""
    first = {"model": _BOULDER, "sound": _EXPLOSION}[kind]
    known = equivalent(kind, first, Game.TR1, game)
    assert known is not None
    assert known.is_exact
    return known.number


def sprite_id(game: Game) -> int:
    """Return the id of the sprite sequence in a game."""
    return STATIC_SPRITES[game] + _SPRITE


class Names(NamedTuple):
    """The data-blocks of the pieces in the .blend of a source."""

    level: str
    model: str
    room: str
    objects: dict[str, str]


class Source(NamedTuple):
    """A level with the pieces.

    Attributes:
        path: the level file; next to it is its MAIN.SFX.
        blend: the imported level.
        library: the same with all assets marked.
        names: the names of the pieces' data-blocks in both.
    """

    path: Path
    blend: Path
    library: Path
    names: Names


def folder_of(game: Game) -> Path:
    """Return the folder for the files of a game, with a MAIN.SFX if the game has one."""
    path = Path(os.environ["BLENDER_USER_RESOURCES"]) / f"transfer {os.getpid()} {game.name}"
    if not path.exists():
        path.mkdir()
        if game in (Game.TR2, Game.TR3):
            (path / "MAIN.SFX").write_bytes(build_main_sfx(game))
    return path


def open_blend(path: Path) -> Collection:
    """Open a saved level as an unnamed file and return its root collection."""
    original.forget()
    bpy.ops.wm.read_homefile(filepath=str(path), load_ui=False)
    return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")


def _save(path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=False)
    return path


@cache
def target(game: Game) -> Path:
    """Return the .blend of the sample level of a game, the target of transfers."""
    start_empty()
    path = folder_of(game) / f"target{SUFFIXES[game]}"
    path.write_bytes(sample_bytes(game))
    import_level(path)
    return _save(path.with_suffix(".blend"))


@cache
def source(game: Game) -> Source:
    """Return the files of the level of a game with the pieces."""
    path = folder_of(game) / f"source{SUFFIXES[game]}"
    start_empty()
    path.write_bytes(_with_bump(game))
    root = import_level(path).root
    _edit(root, game)
    level, report = export_level(root)
    assert report.warnings == []
    path.write_bytes(level.to_bytes())
    start_empty()
    root = import_level(path).root
    blend = _save(folder_of(game) / "source.blend")
    found = _names(root, game)
    mark(root, assets_of(root, KINDS))
    return Source(path, blend, _save(folder_of(game) / "library.blend"), found)


def _with_bump(game: Game) -> bytes:
    """Return the sample level, with a height map on a face of the lamp if the game has height maps."""
    if not game.traits.has_bump:
        return sample_bytes(game)
    level = read_level(sample_bytes(game), name=SUFFIXES[game])
    entry = int(level.static_meshes["mesh"][level.static_meshes["id"] == STATIC_IDS["lamp"]][0])
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    mesh = block.meshes[block.pointers[entry]]
    number = int(texture_index(mesh.quads["texture"][0], mesh_texture_mask(game)))
    page, x, y = tile_place("bumps")
    records = level.object_textures.copy()
    records["page"][number] = records["page"][number] & 0x8000 | page
    records["flags"][number] = BUMP.put(int(records["flags"][number]), BUMP_LEVEL)
    records["uv"][number] = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * (TILE - 1) * 256 + (x * 256, y * 256)
    level.object_textures = records
    return bytes(level.to_bytes())


# --- Edits


def _edit(root: Collection, game: Game) -> None:
    _edit_library(root, game)
    _edit_world(root, game)
    for obj in root.all_objects:
        if obj.parent is None and obj.tomb_raider.kind not in ("MODEL", "STATIC_MESH", "SPRITE_TEXTURE"):
            obj.location.x += _MOVED * 1024 * root.tomb_raider.scale
    bpy.context.view_layer.update()


def enemy_of(root: Collection, game: Game) -> Any:
    """Return the armature of the sample level's enemy."""
    return next(
        each for each in objects(root, "MODEL") if each.tomb_raider.model.id == model_id(game, "enemy")
    )


def lamp_of(root: Collection) -> Any:
    """Return the lamp of the library of static meshes."""
    found = objects(root, "STATIC_MESH")
    return next(each for each in found if each.tomb_raider.static_mesh.id == STATIC_IDS["lamp"])


def flames_of(root: Collection, game: Game) -> list[Any]:
    """Return both pictures of the flame."""
    found = objects(root, "SPRITE_TEXTURE")
    return [each for each in found if each.tomb_raider.sprite.sequence == model_id(game, "flame0")]


def bell_of(root: Collection) -> Any:
    """Return the details of the bell."""
    return next(each for each in root.tomb_raider.sounds.details if each.ids[0].number == 8)


def _edit_library(root: Collection, game: Game) -> None:
    traits = game.traits
    model = enemy_of(root, game)
    model.tomb_raider.model.id = number_of("model", game)
    model.children[0].data.vertices[0].co.z += BODY_DENT
    action = model.tomb_raider.model.animations[0].action
    (sound,) = action.tomb_raider.events
    sound.number = number_of("sound", game)
    sound.flags = LAND if traits.has_sound_conditions else 0
    frame = action.pose_markers[0].frame
    for number, flags in ((_SHAKE, WATER), (_FOOTPRINT, LEFT)):
        if number == _FOOTPRINT and not traits.has_foot_conditions:
            continue
        event = action.tomb_raider.events.add()
        event.command, event.number = "EFFECT", number
        event.flags = flags if traits.has_foot_conditions else 0
        marker = action.pose_markers.new(event.name)
        marker.frame = frame
    lamp = lamp_of(root)
    lamp.data.vertices[0].co.z += LAMP_DENT
    settings = lamp.tomb_raider.static_mesh
    # Files of TR4 and TR5 may have no flags; 1 is a static mesh without collision.
    settings.id, settings.flags = STATIC, 3 if traits.has_static_mesh_flags else 0
    for each in objects(root, "PLACEMENT"):
        if each.tomb_raider.placement.static_mesh == lamp:
            each.tomb_raider.placement.id = STATIC
    for each in flames_of(root, game):
        each.tomb_raider.sprite.sequence = sprite_id(game)
    bell = bell_of(root)
    bell.ids[0].number = number_of("sound", game)
    bell.volume, bell.chance = _LOUDNESS[traits.has_sound_range]
    # A mode of all games: restart, with random pitch.
    bell.flags = (1 if game is Game.TR1 else 2) | 0x2000
    if traits.has_sound_range:
        bell.range, bell.pitch = 6, 11


def _edit_world(root: Collection, game: Game) -> None:
    traits = game.traits
    enemy = model_id(game, "enemy")
    shown = [each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == enemy]
    for each in shown:
        each.tomb_raider.entity.type = number_of("model", game)
    settings = shown[0].tomb_raider.entity
    # A tint of BGR555 (from TR3 on), or a shade of the same brightness.
    settings.intensity = 17618 if traits.has_color_light else 0x1000
    settings.intensity2 = settings.intensity
    settings.ocb = 5 if traits.has_ai_objects else 0
    settings.flags = 0x0A00 | 0x100 | (0x80 if traits.clears_bodies else 0)
    placement = next(
        each
        for each in objects(root, "PLACEMENT")
        if each.tomb_raider.placement.static_mesh == lamp_of_id(root)
    )
    placement.tomb_raider.placement.intensity = placement.tomb_raider.placement.intensity2 = 0x0C00
    placement.tomb_raider.placement.color = (8 / 31, 16 / 31, 24 / 31)
    hall = objects(root, "ROOM")[0].tomb_raider.room
    hall.flags = 0x01 | 0x40 | (0x28 if game is not Game.TR1 else 0) | (0x80 if game >= Game.TR3 else 0)
    hall.ambient = hall.ambient2 = 0x1400
    hall.color = (0.25, 0.5, 0.75, 1.0)
    hall.light_mode = 2 if game is Game.TR2 else 0
    if traits.has_reverb:
        hall.reverb, hall.water_scheme = 3, 5
    trigger = pad_of(root)
    trigger.timer, trigger.mask, trigger.one_shot = TIMER, MASK, True
    if traits.has_negative_timers:
        trigger.timer = -TIMER
    effect = trigger.actions.add()
    effect.type, effect.number = 9, _SHAKE
    source = objects(root, "SOUND_SOURCE")[0]
    source.tomb_raider.sound_source.sound = number_of("sound", game)
    bell = next(
        each for each in root.tomb_raider.sounds.details if each.ids[0].number == number_of("sound", game)
    )
    source.data.sound = bell.samples[0].sound


def lamp_of_id(root: Collection) -> Any:
    """Return the static mesh of the pieces."""
    found = objects(root, "STATIC_MESH")
    return next(each for each in found if each.tomb_raider.static_mesh.id == STATIC)


def pad_of(root: Collection) -> Any:
    """Return the settings of the trigger that shows the hall's camera and wakes the enemy."""
    return _pad(root).tomb_raider.trigger


def _pad(root: Collection) -> Any:
    found = [each for each in objects(root, "TRIGGER") if len(each.tomb_raider.trigger.actions) >= 3]
    return next(each for each in found if each.tomb_raider.trigger.type == 1)


def _names(root: Collection, game: Game) -> Names:
    model = next(
        each for each in objects(root, "MODEL") if each.tomb_raider.model.id == number_of("model", game)
    )
    hall = objects(root, "ROOM")[0]
    pad = _pad(root)
    collision = next(each for each in hall.children if each.tomb_raider.kind == "COLLISION")
    entities = [
        each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == number_of("model", game)
    ]
    flames = [
        each
        for each in objects(root, "SPRITE_TEXTURE")
        if each.tomb_raider.sprite.sequence == sprite_id(game)
    ]
    target = pad.tomb_raider.trigger.actions[1].target
    found = {
        "STATIC_MESHES": [lamp_of_id(root)],
        "SPRITES": flames,
        "COLLISION": [collision],
        "ENTITIES": [entities[0], target],
        "TRIGGERS": [pad],
        "CAMERAS": [objects(root, "CAMERA")[0]],
        "SOUNDS": [objects(root, "SOUND_SOURCE")[0]],
    }
    by_home = {each.name: home for home, members in found.items() for each in members}
    own = (each for each in model.users_collection if each.tomb_raider.kind == "MODEL")
    room = (each for each in hall.users_collection if each.tomb_raider.kind == "ROOM")
    return Names(root.name, next(own).name, next(room).name, by_home)
