"""Every kind of object and setting in a level is exported, or reported by name."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import ID, Collection

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.pipeline.unwritten_objects import ADVICE
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import actions, armature
from ...scenes import import_scene, objects
from .kinds import ASIDE, STRUCTS, TOLD, WRITTEN, decided

DATA = sample_bytes(Game.TR4)
QUARTER = (0.7, 0.0, 0.0, 0.7)
IDENTIFIERS = {setting.identifier for setting in ID.bl_rna.properties}


def shown_by(root: Collection) -> tuple[bool, list[str]]:
    """Export a level; return whether it differs from the imported one, and the warnings."""
    bpy.context.view_layer.update()
    level, report = export_level(root)
    return level.to_bytes() != DATA, report.warnings


pytestmark = pytest.mark.everywhere

# --- Decisions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ["ID", *STRUCTS])
def test_every_setting_is_decided_once(blender: ModuleType, row: str) -> None:
    types = [getattr(bpy.types, name) for name in STRUCTS.get(row, (row,))]
    found = {setting.identifier for each in types for setting in each.bl_rna.properties} - {"tomb_raider"}
    if row != "ID" and issubclass(types[0], ID):
        found -= IDENTIFIERS
    tables = [decided(table, row) for table in (WRITTEN, TOLD, ASIDE)]
    assert sorted(found - set().union(*tables)) == []
    assert sum(map(len, tables)) == len(set().union(*tables))


def names_of(struct: str, setting: str) -> set[str]:
    return set(getattr(bpy.types, struct).bl_rna.properties[setting].enum_items.keys())


def test_every_type_of_object_has_its_advice(blender: ModuleType) -> None:
    assert names_of("Object", "type") <= set(ADVICE)


def _curve(kind: Any) -> Callable[[], Any]:
    return lambda: bpy.data.curves.new("Mine", kind)


MAKERS: dict[str, Callable[[], Any]] = {
    "MESH": lambda: bpy.data.meshes.new("Mine"),
    "CURVE": _curve("CURVE"),
    "SURFACE": _curve("SURFACE"),
    "FONT": _curve("FONT"),
    "META": lambda: bpy.data.metaballs.new("Mine"),
    "CURVES": lambda: bpy.data.hair_curves.new("Mine"),
    "POINTCLOUD": lambda: bpy.data.pointclouds.new("Mine"),
    "VOLUME": lambda: bpy.data.volumes.new("Mine"),
    "GPENCIL": lambda: bpy.data.grease_pencils.new("Mine"),
    "GREASEPENCIL": lambda: getattr(bpy.data, "grease_pencils_v3", bpy.data.grease_pencils).new("Mine"),
    "ARMATURE": lambda: bpy.data.armatures.new("Mine"),
    "LATTICE": lambda: bpy.data.lattices.new("Mine"),
    "EMPTY": lambda: None,
    "LIGHT": lambda: bpy.data.lights.new("Mine", "AREA"),
    "LIGHT_PROBE": lambda: bpy.data.lightprobes.new("Mine", "SPHERE"),
    "CAMERA": lambda: bpy.data.cameras.new("Mine"),
    "SPEAKER": lambda: bpy.data.speakers.new("Mine"),
}


def test_objects_of_every_unsupported_type_are_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    wanted = names_of("Object", "type")
    assert wanted <= set(MAKERS)
    for kind in sorted(wanted):
        if kind == "POINTCLOUD" and not hasattr(bpy.data.pointclouds, "new"):
            continue  # older Blenders have them, but no way to make one
        obj = bpy.data.objects.new(f"My {kind}", MAKERS[kind]())
        if "PENCIL" in kind and obj.type != kind:
            continue  # Blender 4.2 knows both and makes one
        assert obj.type == kind
        root.objects.link(obj)
    differs, warnings = shown_by(root)
    assert not differs
    for obj in root.objects:
        assert any(text.startswith(f"{obj.name}: it is left out") for text in warnings), obj.name


# --- Cases ---------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """An edit, and the settings that are exported or reported for the object that it returns."""

    struct: str
    settings: str
    edit: Callable[[Collection], Any]


def first(root: Collection, kind: str, **wanted: Any) -> Any:
    return next(
        each
        for each in objects(root, kind)
        if all(
            getattr(each.data if name == "type" else each, name) == value for name, value in wanted.items()
        )
    )


def on(kind: str, edit: Callable[[Any], Any]) -> Callable[[Collection], Any]:
    """Return an edit of the first object of a kind."""

    def run(root: Collection) -> Any:
        obj = first(root, kind)
        edit(obj)
        return obj

    return run


def put(kind: str, name: str, value: Any) -> Callable[[Collection], Any]:
    return on(kind, lambda obj: setattr(obj, name, value))


def rotated(mode: str, name: str, value: Any) -> Callable[[Collection], Any]:
    def edit(obj: Any) -> None:
        obj.rotation_mode = mode
        setattr(obj, name, value)

    return on("ENTITY", edit)


def sized(root: Collection) -> None:
    next(each for each in objects(root, "LIGHT") if each.type == "EMPTY").empty_display_size = 3


def dusty(obj: Any) -> None:
    obj.modifiers.new("Dust", "PARTICLE_SYSTEM")


def hung(obj: Any) -> None:
    """Parent an entity to an empty at another location."""
    empty = bpy.data.objects.new("Handle", None)
    obj.users_collection[0].objects.link(empty)
    empty.location.x = 4
    obj.parent = empty


def keyed(obj: Any) -> None:
    obj.location.x += 2
    obj.keyframe_insert("location", frame=bpy.context.scene.frame_current)


def held(obj: Any) -> None:
    limit = obj.constraints.new("LIMIT_LOCATION")
    limit.use_min_x, limit.min_x = True, obj.location.x + 2


def shaped(obj: Any, value: float = 1.0) -> None:
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Key")
    key.data[0].co.z += 0.5
    key.value = value


def pinned(obj: Any) -> None:
    shaped(obj, 0.0)
    obj.active_shape_key_index, obj.show_only_shape_key = 1, True


def displaced(obj: Any) -> None:
    obj.modifiers.new("Mine", "DISPLACE").strength = 0.5


def moved_vertex(obj: Any) -> None:
    obj.data.vertices[0].co.z += 0.5


def split_corners(obj: Any) -> None:
    for corner in obj.data.color_attributes[0].data:
        corner.color = (0.2, 0.2, 0.2, 1.0)


def new_uvs(obj: Any) -> None:
    for corner in obj.data.uv_layers[0].uv:
        corner.vector = corner.vector * 0.5


def image_material() -> Any:
    made = bpy.data.materials.new("Mine")
    image = bpy.data.images.new("Mine", 8, 8)
    texels: Any = image.pixels
    texels.foreach_set(np.tile(np.array([1, 0, 1, 1], np.float32), 64))
    if not made.use_nodes:  # older Blenders
        made.use_nodes = True
    node = made.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    shader = made.node_tree.nodes["Principled BSDF"]
    made.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return made


def own_slot(obj: Any, link: str = "DATA") -> None:
    slot = obj.material_slots[0]
    slot.link = link
    slot.material = image_material()


def other_model(obj: Any) -> None:
    models = [each for each in bpy.data.collections if each.tomb_raider.kind == "MODEL"]
    obj.instance_collection = next(each for each in models if each != obj.instance_collection)


def other_mesh(root: Collection) -> Any:
    obj = first(root, "PLACEMENT")
    obj.data = next(each.data for each in objects(root, "STATIC_MESH") if each.data != obj.data)
    return obj


def lit(kind: str, edit: Callable[[Any], Any]) -> Callable[[Collection], Any]:
    def run(root: Collection) -> Any:
        obj = next(each for each in objects(root, "LIGHT") if each.data and each.data.type == kind)
        edit(obj.data)
        return obj

    return run


def warm(lamp: Any) -> None:
    if hasattr(lamp, "use_temperature"):
        lamp.use_temperature, lamp.temperature, lamp.exposure = True, 3000, 0.5
    else:
        lamp.energy *= 2


def exotic(lamp: Any) -> None:
    """Change all settings that no light of the games has."""
    for setting in lamp.bl_rna.properties:
        name = setting.identifier
        if name not in decided(TOLD, "Light") or setting.is_readonly:
            continue
        value = getattr(lamp, name)
        if setting.type == "BOOLEAN":
            setattr(lamp, name, not value)
        elif setting.type == "INT":
            setattr(lamp, name, value - 1 if value > setting.hard_min else value + 1)
        elif setting.type == "FLOAT" and setting.is_array:
            setattr(lamp, name, [0.25] * setting.array_length)
        elif setting.type == "FLOAT":
            setattr(lamp, name, value * 0.5 if value else 0.5)


def wide(lamp: Any) -> None:
    lamp.type = "AREA"


def loud(obj: Any) -> None:
    speaker = obj.data
    for name in decided(TOLD, "Speaker"):
        value = getattr(speaker, name)
        setattr(speaker, name, not value if isinstance(value, bool) else value * 0.5 if value else 0.5)


def other_sound(root: Collection) -> Any:
    obj = first(root, "SOUND_SOURCE")
    speaker = obj.data
    speaker.sound = next(each for each in bpy.data.sounds if each != speaker.sound)
    return obj


def filmed(obj: Any) -> None:
    camera = obj.data
    camera.shift_x, camera.shift_y, camera.dof.use_dof, camera.type = 0.2, 0.1, True, "ORTHO"


def rig_edit(edit: Callable[[Collection, Any], Any]) -> Callable[[Collection], Any]:
    def run(root: Collection) -> Any:
        rig = armature(root)
        return edit(root, rig) or rig

    return run


def free_bone(_root: Collection, rig: Any) -> None:
    bone = rig.data.bones[1]
    bone.use_inherit_rotation, bone.inherit_scale, bone.use_local_location = False, "NONE", False


def moved_bone(_root: Collection, rig: Any) -> None:
    """Lengthen a limb in the rest pose, as edit mode does."""
    for layer in bpy.context.view_layer.layer_collection.children:
        for child in layer.children:
            child.exclude = False
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones[-1]
    bone.use_connect = False
    bone.head.z += 0.5
    bone.tail.z += 0.5
    bpy.ops.object.mode_set(mode="OBJECT")


def constrained_bone(root: Collection, rig: Any) -> None:
    limit = rig.pose.bones[1].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.min_x, limit.max_x, limit.owner_space = True, 0.5, 0.6, "LOCAL"


def driven_bone(_root: Collection, rig: Any) -> None:
    rig.pose.bones[1].driver_add("rotation_quaternion", 1).driver.expression = "0.5"


def curve_of(root: Collection, rig: Any, path: str = "rotation") -> Any:
    channels: Any = compat.find_channels(actions(root)[0], rig)
    return next(each for each in channels.fcurves if path in each.data_path)


def scaled_bone(root: Collection, rig: Any) -> Any:
    action = actions(root)[0]
    rig.animation_data.action = action
    bone = rig.pose.bones[1]
    bone.scale = (2, 2, 2)
    bone.keyframe_insert("scale", frame=0)
    return action


def muted(what: str) -> Callable[[Collection, Any], Any]:
    def edit(root: Collection, rig: Any) -> Any:
        curve = curve_of(root, rig)
        (curve if what == "curve" else curve.group).mute = True
        return actions(root)[0]

    return edit


def moved_key(root: Collection, rig: Any) -> None:
    for key in curve_of(root, rig).keyframe_points:
        key.co.y += 0.25


def mixed(root: Collection, rig: Any) -> None:
    rig.animation_data.nla_tracks.new().strips.new("Mine", 0, actions(root)[0])


def shortened(root: Collection, _rig: Any) -> Any:
    action = actions(root)[0]
    action.use_frame_range = True
    action.frame_end -= 3
    return action


def loose(obj: Any) -> None:
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    mesh.verts.ensure_lookup_table()
    one, other = mesh.verts[0], mesh.verts[-1]
    mesh.edges.new((one, other))
    mesh.to_mesh(obj.data)
    mesh.free()


def painted(root: Collection) -> Any:
    material = first(root, "ROOM").data.materials[0]
    image = next(n.image for n in material.node_tree.nodes if n.type == "TEX_IMAGE" and n.image)
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    pixels.reshape(-1, 4)[:, :3] = 0.25
    texels: Any = image.pixels
    texels.foreach_set(pixels)
    image.update()
    return image


def simulated(obj: Any) -> None:
    make_active(obj)
    bpy.ops.rigidbody.object_add()


def jointed(obj: Any) -> None:
    make_active(obj)
    bpy.ops.rigidbody.world_add()
    bpy.ops.rigidbody.constraint_add()


def make_active(obj: Any) -> None:
    for each in bpy.context.selected_objects:
        each.select_set(False)
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def attracted(obj: Any) -> None:
    make_active(obj)
    bpy.ops.object.forcefield_toggle()


def linked_light(obj: Any) -> None:
    obj.light_linking.receiver_collection = bpy.data.collections.new("Lit")


def instancing(obj: Any) -> None:
    obj.instance_type = "VERTS"


def shifted(root: Collection) -> Any:
    home = next(each for each in bpy.data.collections if each.tomb_raider.kind == "MODEL" and each.objects)
    home.instance_offset = (5, 5, 5)
    return home


def unlinked(root: Collection) -> Any:
    obj = first(root, "ENTITY")
    bpy.data.objects.remove(objects(root, "ENTITY")[-1])
    return obj


def both_sides(root: Collection) -> Any:
    material = first(root, "ROOM").data.materials[0]
    material.use_backface_culling = not material.use_backface_culling
    return material


WRITTEN_CASES = [
    Case("Object", "location matrix_basis matrix_local matrix_world", put("ENTITY", "location", (1, 2, 3))),
    Case("Object", "delta_location", put("ENTITY", "delta_location", (1, 2, 3))),
    Case("Object", "delta_rotation_euler", put("ENTITY", "delta_rotation_euler", (0, 0, 1))),
    Case(
        "Object",
        "delta_rotation_quaternion",
        rotated("QUATERNION", "delta_rotation_quaternion", (0.7, 0, 0, 0.7)),
    ),
    Case("Object", "rotation_euler rotation_mode", rotated("XYZ", "rotation_euler", (0, 0, 1))),
    Case("Object", "rotation_quaternion", rotated("QUATERNION", "rotation_quaternion", (0.7, 0, 0, 0.7))),
    Case("Object", "rotation_axis_angle", rotated("AXIS_ANGLE", "rotation_axis_angle", (2, 0, 0, 1))),
    Case(
        "Object",
        "parent parent_type parent_vertices parent_bone parent_bone_head_tail_factor matrix_parent_inverse",
        on("ENTITY", hung),
    ),
    Case("Object", "constraints", on("ENTITY", held)),
    Case("Object", "animation_data", on("ENTITY", keyed)),
    Case("Object", "data", other_mesh),
    Case("Object", "instance_collection", on("ENTITY", other_model)),
    Case("Object", "modifiers", on("ROOM", displaced)),
    Case("Object", "active_shape_key", on("ROOM", shaped)),
    Case("Object", "active_shape_key_index show_only_shape_key", on("ROOM", pinned)),
    Case("Object", "material_slots", on("ROOM", lambda obj: own_slot(obj, "OBJECT"))),
    Case("Object", "empty_display_size", sized),
    Case("Object", "pose", rig_edit(constrained_bone)),
    Case(
        "Mesh",
        "vertices attributes loops loop_triangles loop_triangle_polygons polygons vertex_normals"
        " corner_normals polygon_normals normals_domain has_custom_normals",
        on("ROOM", moved_vertex),
    ),
    Case("Mesh", "color_attributes vertex_colors", on("ROOM", split_corners)),
    Case("Mesh", "uv_layers", on("ROOM", new_uvs)),
    Case("Mesh", "materials", on("ROOM", own_slot)),
    Case("Mesh", "shape_keys", on("ROOM", shaped)),
    Case("Light", "energy", lit("POINT", lambda lamp: setattr(lamp, "energy", lamp.energy / 2))),
    Case("Light", "color", lit("POINT", lambda lamp: setattr(lamp, "color", (1, 0, 0)))),
    Case("Light", "exposure temperature use_temperature temperature_color", lit("POINT", warm)),
    Case("Light", "spot_size", lit("SPOT", lambda lamp: setattr(lamp, "spot_size", 0.5))),
    Case("Light", "spot_blend", lit("SPOT", lambda lamp: setattr(lamp, "spot_blend", 0.9))),
    Case("Light", "type", lit("POINT", lambda lamp: setattr(lamp, "type", "SPOT"))),
    Case(
        "Camera",
        "angle angle_x angle_y lens lens_unit sensor_fit sensor_height sensor_width",
        on("FLYBY", lambda obj: setattr(obj.data, "lens", obj.data.lens / 2)),
    ),
    Case("Material", "node_tree use_nodes", on("ROOM", own_slot)),
    Case("Armature", "bones edit_bones", rig_edit(moved_bone)),
    Case(
        "Bone",
        " ".join(sorted(decided(WRITTEN, "Bone"))),
        rig_edit(moved_bone),
    ),
    Case("PoseBone", " ".join(sorted(decided(WRITTEN, "PoseBone"))), rig_edit(constrained_bone)),
    Case("Key", "eval_time key_blocks reference_key use_relative animation_data", on("ROOM", shaped)),
    Case("ShapeKey", " ".join(sorted(decided(WRITTEN, "ShapeKey"))), on("ROOM", shaped)),
    Case(
        "Action",
        "use_frame_range frame_end frame_start frame_range curve_frame_range pose_markers",
        rig_edit(shortened),
    ),
    Case("Action", "fcurves groups layers slots", rig_edit(moved_key)),
    Case("FCurve", " ".join(sorted(decided(WRITTEN, "FCurve"))), rig_edit(moved_key)),
    Case("Keyframe", " ".join(sorted(decided(WRITTEN, "Keyframe"))), rig_edit(moved_key)),
    Case("ActionGroup", "channels", rig_edit(moved_key)),
    Case("MeshUVLoopLayer", "uv data active_render", on("ROOM", new_uvs)),
    Case("MaterialSlot", "link material", on("ROOM", lambda obj: own_slot(obj, "OBJECT"))),
    Case("AnimData", "action action_slot", rig_edit(moved_key)),
    Case("AnimData", "drivers", rig_edit(driven_bone)),
    Case("Image", " ".join(sorted(decided(WRITTEN, "Image"))), painted),
    Case("Collection", "children objects all_objects", unlinked),
]

TOLD_CASES = [
    Case("Object", "scale delta_scale dimensions", put("ENTITY", "scale", (2, 2, 2))),
    Case("Object", "instance_type", on("ROOM", instancing)),
    Case("Object", "field", on("ROOM", attracted)),
    Case("Object", "rigid_body", on("ROOM", simulated)),
    Case("Object", "rigid_body_constraint", on("ENTITY", jointed)),
    Case("Object", "light_linking", on("LIGHT", linked_light)),
    Case("Object", "particle_systems soft_body", on("ROOM", dusty)),
    Case("Mesh", "edges", on("ROOM", loose)),
    Case("Light", "*point", lit("POINT", exotic)),
    Case("Light", "*sun", lit("SUN", exotic)),
    Case("Light", "*spot", lit("SPOT", exotic)),
    Case("Light", "shape size size_y spread animation_data", lit("POINT", wide)),
    Case("Speaker", " ".join(sorted(decided(TOLD, "Speaker"))), on("SOUND_SOURCE", loud)),
    Case("Camera", "type shift_x shift_y dof", on("FLYBY", filmed)),
    Case("Bone", "inherit_scale use_inherit_rotation use_local_location", rig_edit(free_bone)),
    Case("PoseBone", "scale", rig_edit(scaled_bone)),
    Case("NlaTrack", " ".join(sorted(decided(TOLD, "NlaTrack"))), rig_edit(mixed)),
    Case("NlaStrip", " ".join(sorted(decided(TOLD, "NlaStrip"))), rig_edit(mixed)),
    Case("AnimData", "nla_tracks", rig_edit(mixed)),
    Case("FCurve", "mute", rig_edit(muted("curve"))),
    Case("ActionGroup", "mute", rig_edit(muted("group"))),
    Case("Collection", "instance_offset", shifted),
]
# Exported for one kind of object and reported for another; tests of textures and sounds cover both.
ELSEWHERE = {
    "Material": {"surface_render_method", "blend_method", "use_backface_culling"},
    "Speaker": {"sound"},
    "Sound": decided(WRITTEN, "Sound"),
    "Mesh": {"animation_data"},
}


def _ids(case: Case) -> str:
    return f"{case.struct}-{case.settings.split()[0]}"


@pytest.mark.parametrize(("table", "cases"), [(WRITTEN, WRITTEN_CASES), (TOLD, TOLD_CASES)])
def test_every_decision_has_its_case(table: dict[str, str], cases: list[Case]) -> None:
    for struct in STRUCTS:
        shown = {name for case in cases if case.struct == struct for name in case.settings.split()}
        if "*point" in shown:
            shown |= decided(table, struct)
        assert decided(table, struct) - shown - ELSEWHERE.get(struct, set()) == set(), struct


@pytest.mark.once
@pytest.mark.parametrize("case", WRITTEN_CASES, ids=_ids)
def test_settings_that_are_exported_change_the_file(blender: ModuleType, case: Case) -> None:
    root = import_scene(DATA)
    case.edit(root)
    assert shown_by(root)[0]


@pytest.mark.once
@pytest.mark.parametrize("case", TOLD_CASES, ids=_ids)
def test_settings_with_a_warning_are_reported_for_their_object(blender: ModuleType, case: Case) -> None:
    root = import_scene(DATA)
    before = shown_by(root)[1]
    obj = case.edit(root)
    told = [text for text in shown_by(root)[1] if text not in before]
    assert any(text.startswith(f"{obj.name}: ") for text in told), told


@pytest.mark.parametrize("kind", ["POINT", "SUN", "SPOT"])
def test_all_settings_of_lights_that_are_lost_are_named(blender: ModuleType, kind: Any) -> None:
    root = import_scene(DATA)
    obj = lit(kind, exotic)(root)
    words = " ".join(text for text in shown_by(root)[1] if text.startswith(f"{obj.name}: "))
    fresh = bpy.data.lights.new("Fresh", kind)
    for setting in obj.data.bl_rna.properties:
        name = setting.identifier
        if name not in decided(TOLD, "Light") or setting.type not in ("BOOLEAN", "INT", "FLOAT"):
            continue
        value, usual = getattr(obj.data, name), getattr(fresh, name)
        if setting.is_array:
            value, usual = tuple(value), tuple(usual)
        label = {"shadow_soft_size": "Radius", "cutoff_distance": "Distance", "use_shadow": "Shadow"}
        assert value == usual or label.get(name, setting.name) in words, name


def test_an_untouched_level_gives_no_warning(blender: ModuleType) -> None:
    differs, warnings = shown_by(import_scene(DATA))
    assert not differs
    assert not warnings
    assert read_level(DATA).game is Game.TR4
