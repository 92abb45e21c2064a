"""Light baked by Cycles: the light of the scene's lights, without changes to the scene."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.authoring.bake.bake import bake_light
from io_tomb_raider.scene.authoring.bake.bake_scene import BakeScene
from io_tomb_raider.scene.authoring.bake.subject import BakeOptions
from io_tomb_raider.scene.core.blender import compat
from tests.sample_levels import sample_bytes

from ...scenes import changes, edit_bmesh, export_scene, import_scene, objects
from .rooms import divided_room, exported_light

HALL, CORRIDOR, WATER, FLOODED = range(4)
_CYCLES = BakeOptions("CYCLES", samples=3)
_KINDS = ("scenes", "objects", "meshes", "materials", "images", "lights", "worlds", "node_groups")


def _state() -> Any:
    """Return the state of the user's scene that a bake could change."""
    scene: Any = bpy.context.scene
    layer: Any = bpy.context.view_layer
    data: Any = bpy.data
    return (
        {kind: sorted(each.name for each in getattr(data, kind)) for kind in _KINDS},
        (scene.name, scene.render.engine, scene.cycles.samples, scene.cycles.device, scene.world),
        (scene.render.bake.target, scene.render.bake.margin),
        (layer.name, layer.objects.active, [obj.name for obj in bpy.context.selected_objects]),
        {obj.name: (obj.hide_render, obj.hide_viewport, obj.hide_get()) for obj in layer.objects},
        {mesh.name: mesh.attributes.active_color_name for mesh in bpy.data.meshes},
        {mesh.name: [slot and slot.name for slot in mesh.materials] for mesh in bpy.data.meshes},
        {obj.name: [slot.link for slot in obj.material_slots] for obj in data.objects},
    )


@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_baking_changes_only_light(blender: ModuleType, game: Game) -> None:
    states: list[Any] = []

    def edit(root: Any) -> None:
        room = objects(root, "ROOM")[CORRIDOR]
        room.select_set(True)
        bpy.context.view_layer.objects.active = room
        bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
        states.append(_state())
        bake_light(root, _CYCLES)
        states.append(_state())

    found = changes(sample_bytes(game), edit)

    assert states[0] == states[1]
    light = {"light", "color"}
    assert {path[1] for path in found if path[2] == "vertices" and path[-1] in light} >= {0, 1, 2, 3}
    assert all((path[0], path[2]) in (("rooms", "vertices"), ("rooms", "static_meshes")) for path in found)


def _lit(values: Any, brightest: int) -> Any:
    """Return light, (n,), by its brightness in the game, 0 is dark."""
    return brightest - values if brightest else np.bitwise_and(values, 0xFF)


@pytest.mark.parametrize("game", [Game.TR2, Game.TR5])
def test_walls_cast_shadows_and_corners_are_not_black(blender: ModuleType, game: Game) -> None:
    root, room, light = divided_room(game, height=1024)
    light.tomb_raider.light.intensity = 8191
    light.tomb_raider.light.color = (1, 1, 1)
    light.tomb_raider.light.falloff, light.tomb_raider.light.outer = 8192, 8192
    # The back of the wall, as in levels: a flipped face on the same corners.
    edit_bmesh(room.data, lambda bm: bm.faces.new(_again(bm)))

    bake_light(root, _CYCLES)

    ((places, raw),) = exported_light(root)
    shown = _lit(raw, 0 if game.traits.has_color_light else 8191)
    floor = places[:, 1] == places[:, 1].max()
    middle = np.median(places[:, 2])
    near, far = floor & (places[:, 2] < middle), floor & (places[:, 2] > middle)
    first = shown[near & (places[:, 2] > middle - 2048)].mean()
    behind = shown[far & (places[:, 2] < middle + 2048)].mean()
    assert first > 3 * behind
    # Corners of floor and walls are as bright as the light, and no edge of the faces is dark.
    assert shown[near].min() > 0.1 * shown[near].max()


def _again(bm: Any) -> list[Any]:
    """Return copies of the last face's corners in reverse."""
    bm.faces.ensure_lookup_table()
    return [bm.verts.new(vertex.co) for vertex in reversed(bm.faces[-1].verts)]


def test_emission_and_indirect_light_are_baked(blender: ModuleType) -> None:
    root, room, light = divided_room(Game.TR5)
    bpy.data.objects.remove(light)
    bake_light(root, _CYCLES)
    dark = exported_light(root)[0][1] & 0xFF
    assert dark.max() == 0

    mesh: Any = bpy.data.meshes.new("Lamp")
    mesh.from_pydata([(-1, -1, 0), (-1, 1, 0), (1, 1, 0), (1, -1, 0)], [], [(0, 1, 2, 3)])
    glow: Any = bpy.data.materials.new("Glow")
    nodes = compat.material_nodes(glow).nodes
    emission = nodes.new("ShaderNodeEmission")
    emission.inputs[0].default_value, emission.inputs[1].default_value = (1, 0, 0, 1), 30
    output = next(node for node in nodes if node.type == "OUTPUT_MATERIAL")
    glow.node_tree.links.new(emission.outputs[0], output.inputs[0])
    mesh.materials.append(glow)
    lamp: Any = bpy.data.objects.new("Lamp", mesh)
    corners = np.array(room.bound_box)
    lamp.location = (*(corners.mean(axis=0)[:2] + np.array(room.location)[:2]), corners[:, 2].max() - 0.2)
    bpy.context.scene.collection.objects.link(lamp)

    bake_light(root, BakeOptions("CYCLES", samples=12))

    raw = exported_light(root)[0][1]
    red, blue = raw >> 16 & 0xFF, raw & 0xFF
    assert red.max() > 100 and blue.max() == 0
    # The ceiling is above the lamp, which shines down: it has the light that the floor reflects.
    places = exported_light(root)[0][0]
    ceiling = places[:, 1] == places[:, 1].min()
    assert red[ceiling].max() > 0
    lamp.hide_render = True
    bake_light(root, _CYCLES)
    assert (exported_light(root)[0][1] & 0xFFFFFF).max() == 0


def test_alternate_rooms_are_baked_alone_and_light_joins_in_portals(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rooms = objects(root, "ROOM")
    rooms[FLOODED].tomb_raider.room.has_water = False
    for light in objects(root, "LIGHT"):
        light.hide_render = light.parent not in (rooms[HALL], rooms[FLOODED])
    # Objects in the corridor, around the lights of both, are absent when it is flooded.
    lights = [light for light in objects(root, "LIGHT") if light.parent == rooms[FLOODED]]
    places = [light.matrix_world.translation - rooms[CORRIDOR].location for light in lights]

    def enclose(bm: bmesh.types.BMesh) -> None:
        for place in places:
            bmesh.ops.create_cube(bm, size=0.25, matrix=Matrix.Translation(place))

    edit_bmesh(rooms[CORRIDOR].data, enclose)

    bake_light(root, BakeOptions("CYCLES", samples=12))

    found = exported_light(root)
    red = [light >> 10 & 31 for _, light in found]
    assert red[FLOODED].max() > 15
    assert red[CORRIDOR].max() < red[FLOODED].max()
    where = {
        tuple(place): value for place, value in zip(found[HALL][0].tolist(), found[HALL][1], strict=True)
    }
    for room in (CORRIDOR, FLOODED):
        pairs = zip(found[room][0].tolist(), found[room][1], strict=True)
        shared = [(value, where[tuple(place)]) for place, value in pairs if tuple(place) in where]
        assert len(shared) == 4
        assert all(mine == other for mine, other in shared)


def test_light_falls_through_the_surface_of_water(blender: ModuleType) -> None:
    """In TR1 the surface has opaque faces."""
    root = import_scene(sample_bytes(Game.TR1))
    rooms = objects(root, "ROOM")
    for light in objects(root, "LIGHT"):
        light.hide_render = light.parent != rooms[HALL]
    found = []
    for is_water in (True, False):
        rooms[WATER].tomb_raider.room.has_water = is_water
        bake_light(root, BakeOptions("CYCLES", samples=12, only=frozenset({rooms[WATER]})))
        places, light = exported_light(root)[WATER]
        found.append((8191 - light)[places[:, 1] > places[:, 1].min() + 1024].max())
    assert found[0] > 4 * found[1]


@pytest.mark.parametrize("error", [ExportError("Cycles", "no"), KeyboardInterrupt()])
def test_failures_and_cancels_leave_all_as_it_was(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    before, level = _state(), export_scene(root).to_bytes()

    def fail(*_args: Any) -> None:
        raise error

    monkeypatch.setattr(BakeScene, "_bake", fail)
    with pytest.raises(type(error)):
        bake_light(root, _CYCLES)

    assert _state() == before
    assert export_scene(root).to_bytes() == level


def test_baked_brightness_equals_that_of_a_render(blender: ModuleType) -> None:
    """A sun at half strength is exactly half as bright as the texture, linear, at every exposure."""
    root, room, light = divided_room(Game.TR5)
    sun: Any = bpy.data.lights.new("Sun", "SUN")
    sun.energy = np.pi / 2
    sun.use_shadow = False
    obj = bpy.data.objects.new("Sun", sun)
    bpy.context.scene.collection.objects.link(obj)
    bpy.data.objects.remove(light)
    for slot in room.data.materials:
        slot.node_tree.nodes.active.image.pixels[:] = [0.0] * len(slot.node_tree.nodes.active.image.pixels)
    found = []
    for exposure in (1.0, 0.5):
        bake_light(root, BakeOptions("CYCLES", samples=3, exposure=exposure))
        places, raw = exported_light(root)[0]
        inner = (places[:, 1] == places[:, 1].max()) & (
            np.abs(places[:, [0, 2]] - np.median(places[:, [0, 2]], axis=0)).max(axis=1) == 1024
        )
        found.append(int(np.median(raw[inner] & 0xFF)))
    assert found == [round(0.7354 * 128), round(0.5371 * 128)]


def test_static_meshes_have_the_light_on_their_faces(blender: ModuleType) -> None:
    """A sun from above on a table far above the floor, as bright as it is on a floor."""
    root = import_scene(sample_bytes(Game.TR5))
    for light in objects(root, "LIGHT"):
        bpy.data.objects.remove(light)
    sun: Any = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.use_shadow = np.pi / 2, False
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Sun", sun))
    placed = objects(root, "PLACEMENT")[0]
    placed.data.clear_geometry()
    placed.data.from_pydata([(-1, -1, 2), (1, -1, 2), (1, 1, 2), (-1, 1, 2)], [], [(0, 1, 2, 3)])
    bpy.context.view_layer.update()
    bake_light(root, BakeOptions("CYCLES", samples=3, targets=frozenset({"STATIC_MESHES"})))
    tint = int(export_scene(root).rooms[HALL].static_meshes["color"][0])
    assert {tint >> 5 * part & 31 for part in range(3)} == {round(0.7354 * 16)}
