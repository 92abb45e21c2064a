"""Tests of the contents of panels, for each kind of object and each game."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.catalogue import names
from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.properties.engine_properties import VALUES
from io_tomb_raider.ui import level_panels as level
from io_tomb_raider.ui import pending
from io_tomb_raider.ui.base.layout.panels import LevelSidebar
from io_tomb_raider.ui.base.text.i18n import languages, texts_of
from io_tomb_raider.ui.collision import panels as collision
from io_tomb_raider.ui.entities import panels as entities
from io_tomb_raider.ui.lights import panels as lights
from io_tomb_raider.ui.meshes import panels as mesh
from io_tomb_raider.ui.models import panels as models
from io_tomb_raider.ui.panels import _CLASSES
from io_tomb_raider.ui.rooms import panels as rooms
from io_tomb_raider.ui.sounds import panels as sounds
from io_tomb_raider.ui.sprites import panels as sprites
from io_tomb_raider.ui.static_meshes import panels as static_meshes
from io_tomb_raider.ui.texture_tiles import panels as brush
from io_tomb_raider.ui.textures import image_panels as image
from io_tomb_raider.ui.textures import material_panels as material
from io_tomb_raider.ui.triggers import panels as triggers
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import collection_of, objects

from .recorder import draw, shown
from .user_actions import add_cube, import_sample

ROOM_FIELDS = {
    Game.TR1: {"has_water", "flags", "ambient", "alternate_room"},
    Game.TR2: {
        *("has_water", "shows_sky", "has_wind", "flags"),
        *("ambient", "ambient2", "light_effect", "alternate_room"),
    },
    Game.TR3: {
        *("has_water", "has_quicksand", "shows_sky", "has_wind", "is_inside"),
        *("has_caustics", "has_reflections", "flags"),
        *("water_scheme", "reverberation", "ambient", "light_effect", "alternate_room"),
    },
    Game.TR4: {
        *("has_water", "shows_sky", "has_wind", "is_inside", "has_caustics", "has_reflections"),
        *("blocks_lens_flare", "has_snow", "has_rain", "is_cold", "flags"),
        *("water_scheme", "reverberation", "color", "alternate_room", "alternate_group"),
    },
}
ROOM_FIELDS[Game.TR5] = ROOM_FIELDS[Game.TR4] - {"has_snow", "has_rain", "is_cold"} | {"reflects_ceiling"}

LIGHT_FIELDS = {
    Game.TR1: {"intensity", "falloff"},
    Game.TR2: {"intensity", "intensity2", "falloff", "falloff2"},
    Game.TR3: {"light_type", "color", "intensity", "falloff", "direction"},
    Game.TR4: {"light_type", "color", "intensity", "inner", "outer"},
}

ENTITY_FIELDS = {
    Game.TR1: {"has_light", "clears_body"},
    Game.TR2: {"has_light", "intensity2", "clears_body"},
    Game.TR3: {"has_tint", "intensity2", "clears_body"},
    Game.TR4: {"has_tint", "ocb"},
    Game.TR5: {"has_tint", "ocb"},
}


@each_game
def test_panels_of_rooms_have_the_fields_of_the_game(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    room = objects(import_sample(tmp_path, game), "ROOM")[2]
    layout = shown(rooms.OBJECT_PT_tomb_raider_room, object=room)
    more = shown(rooms.OBJECT_PT_tomb_raider_room_details, object=room)
    common = {"mesh_and_sectors", "bottom_margin", "top_margin", *(["y"] if game is Game.TR5 else [])}
    assert {*layout.fields, *more.fields} == ROOM_FIELDS[game] | common
    assert not {*layout.fields} & {*more.fields} and "has_water" in layout.fields
    record = read_level(sample_bytes(game)).rooms[2]
    assert f"In the file from y {record.y_top} to {record.y_bottom}" in more.labels
    assert "Number 2 in the file" in layout.labels


@each_game
def test_panels_of_lights_have_the_fields_of_the_game(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    light = objects(import_sample(tmp_path, game), "LIGHT")[0]
    panel = shown(lights.OBJECT_PT_tomb_raider_light, object=light)
    names = set(panel.fields)
    assert set(panel.texts) & {"Light Bulb", "Sun", "Spot Light", "Shadow", "Fog Bulb"}
    if game in LIGHT_FIELDS:
        assert names == LIGHT_FIELDS[game]
    else:
        assert {"light_type", "color", "inner", "outer"} <= names
        assert "intensity" not in names


@each_game
def test_types_of_lights_and_light_modes_have_names(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    light, room = (objects(root, kind)[0].tomb_raider for kind in ("LIGHT", "ROOM"))
    types = {Game.TR3: ("POINT", "SUN")}.get(game, ("SUN", "POINT", "SPOT", "SHADOW", "FOG"))
    for number, name in enumerate(types if game >= Game.TR3 else ()):
        light.light.light_type = name
        assert (light.light.type, light.light.light_type) == (number, name)
    light.light.type = 77
    layout = shown(lights.OBJECT_PT_tomb_raider_light, object=light.id_data)
    assert ("type" in layout.names) == (game >= Game.TR3)  # a number without a name
    light.light.light_type = "OTHER"
    assert light.light.type == 77
    for number, name in enumerate(("NORMAL", "FLICKER", "PULSE", "SUNSET")):
        room.room.light_effect = name
        assert (room.room.light_mode, room.room.light_effect) == (number, name)
    texts = shown(rooms.OBJECT_PT_tomb_raider_room, object=room.id_data).texts
    assert ("Sunset" in texts) == (game in (Game.TR2, Game.TR3))
    room.room.light_mode = 9
    names = shown(rooms.OBJECT_PT_tomb_raider_room, object=room.id_data).names
    assert ("light_mode" in names) == (game in (Game.TR2, Game.TR3))


@each_game
def test_kinds_are_chosen_by_name_and_typed_by_number(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    entity = objects(root, "ENTITY")[0].tomb_raider.entity
    entity.type_name = "lara"
    assert (entity.type, entity.type_name) == (0, "Lara")
    entity.type_name = "4321"
    assert (entity.type, entity.type_name) == (4321, "Entity 4321")
    entity.type_name = "no such name"
    assert entity.type == 4321
    static = objects(root, "STATIC_MESH")[0].tomb_raider.static_mesh
    static.id_name = "Static mesh 7"
    assert static.id == 7
    sprite = objects(root, "SPRITE_TEXTURE")[0].tomb_raider.sprite
    assert sprite.sequence_name == names(game).sprite(sprite.sequence)
    sprite.sequence_name = "-1"
    assert sprite.sequence == -1
    for mark in objects(root, "AI_OBJECT"):
        mark.tomb_raider.ai_object.type_name = "AI guard"
        assert mark.tomb_raider.ai_object.type == {Game.TR4: 398, Game.TR5: 378}[game]
        assert "type_name" in shown(entities.OBJECT_PT_tomb_raider_ai_object, object=mark).names


def test_the_ocb_has_the_meanings_of_its_kind(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    entity = next(obj for obj in objects(root, "ENTITY") if obj.instance_collection is None)
    settings = entity.tomb_raider.entity
    settings.type = 35  # a skeleton
    layout = shown(entities.OBJECT_PT_tomb_raider_entity, object=entity)
    assert {"ocb_name", "ocb"} <= set(layout.names)
    settings.ocb_name = "lies until activated"
    assert (settings.ocb, settings.ocb_name) == (3, "Lies until activated")
    settings.ocb_name = "-55"
    assert (settings.ocb, settings.ocb_name) == (-55, "OCB -55")
    settings.type = 4321
    assert "ocb_name" not in shown(entities.OBJECT_PT_tomb_raider_entity, object=entity).names
    mark = objects(root, "AI_OBJECT")[0]
    mark.tomb_raider.ai_object.type_name = "Lara start position"
    texts = shown(entities.OBJECT_PT_tomb_raider_ai_object, object=mark).texts
    assert "OCB (Timer of End Level)" in texts


def note_in(layout: Any) -> str:
    """Return all labels of a panel in one, since notes are wrapped."""
    return " ".join(layout.labels)


def test_panels_describe_numbers_in_the_users_language(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    entity = next(obj for obj in objects(root, "ENTITY") if obj.instance_collection is None)
    entity.tomb_raider.entity.type = 164
    note = names(Game.TR4).note("entity", 164)
    assert note in note_in(shown(entities.OBJECT_PT_tomb_raider_entity, object=entity))
    mark = objects(root, "AI_OBJECT")[0]
    mark.tomb_raider.ai_object.type_name = "AI modify"
    note = names(Game.TR4).note("entity", 401)
    assert note in note_in(shown(entities.OBJECT_PT_tomb_raider_ai_object, object=mark))
    trigger = objects(root, "TRIGGER")[0]
    settings = trigger.tomb_raider.trigger
    settings.active_action = 0
    action = settings.actions[0]
    action.type, action.number = 9, 28
    note = names(Game.TR4).note("flipeffect", 28)
    assert note in note_in(shown(triggers.OBJECT_PT_tomb_raider_trigger, object=trigger))
    action.type, action.extra = 1, 0
    assert "move" not in shown(triggers.OBJECT_PT_tomb_raider_trigger, object=trigger).names
    for language in languages():
        assert texts_of(language)[note] != ""


def test_the_demo_of_a_level_is_in_its_settings(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR2)
    layout = shown(level.COLLECTION_PT_tomb_raider_settings, collection=root)
    assert {"has_demo", "demo_room", "demo_place", "demo_angle"} <= set(layout.names)


def test_models_name_those_that_replace_them_from_afar(blender: ModuleType, tmp_path: Path) -> None:
    models_of = objects(import_sample(tmp_path, Game.TR4), "MODEL")
    near, far = models_of[-2:]
    near.tomb_raider.model.id_name, far.tomb_raider.model.id_name = "Skeleton", "Skeleton (MIP)"
    labels = shown(models.OBJECT_PT_tomb_raider_model, object=near).labels
    assert f"From afar, the game shows {far.name}" in labels
    labels = shown(models.OBJECT_PT_tomb_raider_model, object=far).labels
    assert f"Shown from afar instead of {near.name}" in labels


def test_fog_bulbs_of_tr5_have_a_density(blender: ModuleType, tmp_path: Path) -> None:
    light = objects(import_sample(tmp_path, Game.TR5), "LIGHT")[0]
    light.tomb_raider.light.type = 4
    assert "density" in shown(lights.OBJECT_PT_tomb_raider_light, object=light).names


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5], ids=lambda game: game.name)
def test_panels_of_lights_have_the_fields_of_their_type(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    obj = objects(import_sample(tmp_path, game), "LIGHT")[0]
    found = {}
    for number, kind in enumerate(("SUN", "POINT", "SPOT", "SHADOW", "FOG")):
        obj.tomb_raider.light.type = number
        found[kind] = {*shown(lights.OBJECT_PT_tomb_raider_light, object=obj).fields} - {"color", "intensity"}
    if game is Game.TR4:
        assert "direction" in found["SUN"] and "outer" not in found["SUN"]
        assert found["FOG"] == {"light_type", "outer"}
    else:
        assert found["FOG"] == {"light_type", "outer", "density"}
    for kind in ("POINT", "SHADOW"):
        assert {"inner", "outer"} <= found[kind]
        assert not found[kind] & {"length", "cutoff", "range", "inner_angle", "outer_angle", "direction"}
    assert not found["SPOT"] & {"inner_angle", "outer_angle"}  # which the cones set


def test_fog_bulbs_of_tr4_have_their_density_in_red(blender: ModuleType, tmp_path: Path) -> None:
    light = objects(import_sample(tmp_path, Game.TR4), "LIGHT")[0]
    light.tomb_raider.light.type = 4
    panel = shown(lights.OBJECT_PT_tomb_raider_light, object=light)
    assert "color" in panel.names and "density" not in panel.names


@each_game
def test_panels_of_entities_have_the_fields_of_the_game(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    for entity in objects(import_sample(tmp_path, game), "ENTITY"):
        layout = shown(entities.OBJECT_PT_tomb_raider_entity, object=entity)
        kind = "type" if entity.instance_collection is None else "instance_collection"
        common = {kind, "room", "activation", "is_invisible", "flags"}
        assert set(layout.fields) == common | ENTITY_FIELDS[game]
        entity.tomb_raider.entity.intensity = 31
        layout = shown(entities.OBJECT_PT_tomb_raider_entity, object=entity)
        assert ("tint" in layout.names) == (game >= Game.TR3)
        assert ("intensity_measure" in layout.names) == (game < Game.TR3)


@pytest.mark.parametrize("engine", ["TRX", "ORIGINAL"])
@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_panels_have_additional_fields_for_trx(
    blender: ModuleType, tmp_path: Path, game: Game, engine: str
) -> None:
    root: Any = import_sample(tmp_path, game)
    root.tomb_raider.engine = engine
    for_trx = engine == "TRX"
    entity, model, room = (objects(root, kind)[0] for kind in ("ENTITY", "MODEL", "ROOM"))
    panel = entities.OBJECT_PT_tomb_raider_properties
    with bpy.context.temp_override(object=entity):
        assert panel.poll(bpy.context) is for_trx
        entity.tomb_raider.properties.add()
        assert panel.poll(bpy.context)  # so that it can be deleted
    for kind, field in VALUES.items() if for_trx else ():
        entity.tomb_raider.properties[0].type = kind
        assert field in shown(panel, object=entity).names
    (item,) = entity.tomb_raider.properties
    item.type = "INTEGER"
    item.known_name = "anchor_room"
    assert not for_trx or "room" in shown(panel, object=entity).names
    assert not for_trx or not shown(panel, object=model).rows
    assert ("alternate_group" in shown(rooms.OBJECT_PT_tomb_raider_room, object=room).names) is for_trx
    detail = root.tomb_raider.sounds.details[0]
    drawn = shown(sounds.COLLECTION_PT_tomb_raider_sounds, collection=root)
    assert ("stored_for_trx" in drawn.names) is for_trx
    detail.stored_for_trx = True
    names = shown(sounds.COLLECTION_PT_tomb_raider_sounds, collection=root).names
    assert {"stored_for_trx", "range_units_measure", "pitch"} <= set(names)


@each_game
def test_placed_static_meshes_show_their_tint_or_shade(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    obj = objects(import_sample(tmp_path, game), "PLACEMENT")[0]
    tint = {Game.TR1: {"intensity"}, Game.TR2: {"intensity", "intensity2"}}.get(game, {"color"})
    layout = shown(static_meshes.OBJECT_PT_tomb_raider_placement, object=obj)
    assert set(layout.fields) == {"static_mesh"} | tint
    obj.tomb_raider.placement.static_mesh = None
    assert "id" in shown(static_meshes.OBJECT_PT_tomb_raider_placement, object=obj).names


@each_game
def test_the_library_shows_ids_with_their_names(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    lara = next(obj for obj in objects(root, "MODEL") if obj.tomb_raider.model.id == 0)
    layout = shown(models.OBJECT_PT_tomb_raider_model, object=lara)
    assert layout.fields == ["id", "fit_boxes"] and lara.tomb_raider.model.id_name == "Lara"
    static = objects(root, "STATIC_MESH")[0]
    layout = shown(static_meshes.OBJECT_PT_tomb_raider_static_mesh, object=static)
    switches = ["has_collision", *(["is_drawn"] if game <= Game.TR3 else [])]
    boxes = ["visibility_box_measure", "collision_box_measure"]
    assert layout.names == ["id_name", "id", *switches, "flags", *boxes]
    for sprite in objects(root, "SPRITE"):
        assert shown(sprites.OBJECT_PT_tomb_raider_sprite, object=sprite).names == ["texture"]


def test_meshes_show_their_collision_sphere(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR3)
    have_normals = set()
    for obj in objects(root, "MODEL_MESH"):
        layout = shown(mesh.DATA_PT_tomb_raider_mesh, object=obj, mesh=obj.data)
        assert layout.names == ["center_measure", "radius_measure", "radius", "flags"]
        buttons = [name for name, _ in layout.operators]
        assert buttons[0] == "tomb_raider.recalculate_sphere"
        # Meshes may have vertex light instead of normals.
        has_normals = "tr_normal" in obj.data.attributes
        assert ("tomb_raider.recalculate_normals" in buttons) == has_normals
        have_normals.add(has_normals)
    assert have_normals == {True, False}
    room = objects(root, "ROOM")[0]
    assert draw(mesh.DATA_PT_tomb_raider_mesh, object=room, mesh=room.data) is None


@each_game
def test_materials_show_how_the_game_draws_them(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    room = objects(import_sample(tmp_path, game), "ROOM")[0]
    page = next(slot.material for slot in room.material_slots if slot.material.tomb_raider.kind == "PAGE")
    layout = shown(material.MATERIAL_PT_tomb_raider, object=room, material=page)
    expected = ["blending"]
    expected += ["double_sided"] if game >= Game.TR3 else []
    expected += ["bump"] if game >= Game.TR4 else []
    assert layout.names == expected
    assert layout.labels == [f"Texture Page {page.tomb_raider.page}"]
    page.tomb_raider.attribute = 9
    assert shown(material.MATERIAL_PT_tomb_raider, object=room, material=page).names[1] == "attribute"


def test_users_own_materials_in_a_level_choose_their_blending(blender: ModuleType, tmp_path: Path) -> None:
    room = objects(import_sample(tmp_path, Game.TR4), "ROOM")[0]
    own = bpy.data.materials.new("Mine")
    layout = shown(material.MATERIAL_PT_tomb_raider, object=room, material=own)
    assert layout.names == ["large", "blending", "double_sided"]
    assert draw(material.MATERIAL_PT_tomb_raider, object=add_cube(), material=own) is None
    assert draw(material.MATERIAL_PT_tomb_raider, object=room, material=None) is None


def test_panels_of_palettes_and_pages_name_their_level(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    for entry in root.tomb_raider.images:
        layout = shown(image.IMAGE_PT_tomb_raider, edit_image=entry.image)
        name = "Palette" if entry.kind == "PALETTE" else f"Texture Page {entry.page}"
        assert (layout.labels[0], layout.labels[-1]) == (name, f"Of {root.name}")
    assert draw(image.IMAGE_PT_tomb_raider, edit_image=bpy.data.images.new("Mine", 4, 4)) is None
    assert draw(image.IMAGE_PT_tomb_raider) is None


@each_game
def test_the_level_shows_its_settings_and_tools(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    layout = shown(level.COLLECTION_PT_tomb_raider_level, collection=root)
    target = [] if game is Game.TR5 else ["engine"]
    assert layout.names == ["game", *target, "scale", "source"]
    assert ("engine" in shown(level.VIEW3D_PT_tomb_raider_level).names) == bool(target)
    assert {settings.collection for _, settings in layout.operators} == {root.name}
    layout = shown(level.COLLECTION_PT_tomb_raider_library, collection=root)
    libraries = {"MODELS", "STATIC_MESHES", "SPRITES", "PORTALS", "COLLISION", "PATHFINDING"}
    assert libraries < {settings.kind for _, settings in layout.operators}
    model = collection_of(root, "MODEL")
    assert shown(models.COLLECTION_PT_tomb_raider_model, collection=model).names == ["model"]


def test_the_panel_of_an_object_outside_of_levels_has_a_hint(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    entity = objects(root, "ENTITY")[0]
    for home in entity.users_collection:
        home.objects.unlink(entity)
    bpy.context.scene.collection.objects.link(entity)
    layout = shown(entities.OBJECT_PT_tomb_raider_entity, object=entity)
    assert layout.names == []
    assert layout.labels == ["Not exported: it is in no level"]


def test_objects_of_the_users_own_have_no_panels(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, Game.TR1)
    cube = add_cube()
    own = bpy.data.collections.new("Own")
    panels = {each for each in _CLASSES if issubclass(each, bpy.types.Panel)}
    # The sidebar's panels are about the scene's level.
    of_scene = {panel for panel in panels if issubclass(panel, LevelSidebar)}
    others = {collision.VIEW3D_PT_tomb_raider_collision_object, brush.IMAGE_PT_tomb_raider_tile}
    for panel in panels - of_scene - others:
        assert draw(panel, object=cube, mesh=cube.data, collection=own) is None
        assert draw(panel) is None


# --- Switches for single bits ---------------------------------------------------------------------


def test_switches_change_their_bits_alone(blender: ModuleType) -> None:
    obj = bpy.data.objects.new("Thing", None)
    room, entity = obj.tomb_raider.room, obj.tomb_raider.entity
    room.flags = 0x0440
    room.has_water = room.shows_sky = True
    assert room.flags == 0x0449
    room.has_water = False
    assert room.flags == 0x0448 and room.shows_sky and not room.has_wind
    entity.flags = 0x4001
    entity.activation = [True, False, False, False, True]
    assert entity.flags == 0x4001 | 0x200 | 0x2000
    entity.is_invisible = entity.clears_body = True
    assert entity.flags == 0x4001 | 0x200 | 0x2000 | 0x180
    entity.activation = [False] * 5
    assert entity.flags == 0x4181


def test_blending_is_the_games_number_by_name(blender: ModuleType) -> None:
    settings = bpy.data.materials.new("Mine").tomb_raider
    assert settings.blending == "AUTOMATIC"
    modes = "OPAQUE ALPHA ADDITIVE INVERTED NO_DEPTH_TEST SUBTRACTIVE WIREFRAME FADING"
    for number, name in enumerate(modes.split()):
        settings.blending = name
        assert (settings.attribute, settings.blending) == (number, name)
    settings.blending = "AUTOMATIC"
    assert not settings.is_property_set("attribute")
    settings.attribute = 8
    assert settings.blending == "OTHER"
    settings.blending = "OTHER"
    assert settings.attribute == 8
    settings.kind = "PAGE"
    settings.property_unset("attribute")
    assert settings.blending == "OPAQUE"


def test_the_panel_of_a_copy_names_it_new(blender: ModuleType, tmp_path: Path) -> None:
    entity = objects(import_sample(tmp_path, Game.TR1), "ENTITY")[1]
    copy: Any = entity.copy()
    entity.users_collection[0].objects.link(copy)
    bpy.context.view_layer.update()
    pending.work()
    told = [shown(entities.OBJECT_PT_tomb_raider_entity, object=each).labels[0] for each in (entity, copy)]
    assert told == ["Number 1 in the file", "New, not in the imported file"]
