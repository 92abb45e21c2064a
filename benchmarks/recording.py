"""A scene as ready arrays, the input of the floor.

All data-blocks of an import are read back from Blender, so the floor makes exactly as much: the same
vertices, attributes, node trees, bones, curves and keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.types import (
    ID,
    Action,
    Armature,
    Attribute,
    Camera,
    Collection,
    LayerCollection,
    Light,
    Material,
    Mesh,
    Object,
    Speaker,
)
from numpy.typing import NDArray

from io_tomb_raider.scene.core.blender.compat import modifier_input

from .node_trees import TreeRecord, record_tree
from .properties import PropertyRecord, record_properties

# The property with the values of an attribute, its type and width, by Blender's name of the type.
ATTRIBUTE_TYPES: dict[str, tuple[str, Any, int]] = {
    "INT": ("value", np.int32, 1),
    "INT8": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "FLOAT": ("value", np.float32, 1),
    "FLOAT2": ("vector", np.float32, 2),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color", np.float32, 4),
    "INT16_2D": ("value", np.int32, 2),
    "INT32_2D": ("value", np.int32, 2),
}
_GEOMETRY = ("position", ".corner_vert", ".corner_edge", ".edge_verts")


@dataclass(frozen=True, eq=False)
class MeshRecord:
    name: str
    positions: NDArray[np.float32]
    corners: NDArray[np.int32]
    starts: NDArray[np.int32]
    attributes: list[tuple[str, str, str, NDArray[Any]]]  # name, type, domain, values
    materials: list[int]

    def form(self) -> tuple[Any, ...]:
        """Return the key of meshes that differ only in name and positions."""
        values = tuple((name, kind, domain, each.tobytes()) for name, kind, domain, each in self.attributes)
        faces = self.corners.tobytes(), self.starts.tobytes()
        return len(self.positions), *faces, values, tuple(self.materials)


@dataclass(frozen=True)
class MaterialRecord:
    name: str
    tree: int  # the number of its recorded tree, which has no images; -1 for none
    image: int  # the image of its active node, -1 for none
    settings: dict[str, Any]


@dataclass(frozen=True, eq=False)
class BoneRecord:
    name: str
    head: NDArray[np.float32]
    tail: NDArray[np.float32]
    parent: int


@dataclass(frozen=True)
class ModifierRecord:
    """A Geometry Nodes modifier."""

    name: str
    group: int
    inputs: list[tuple[int, Any]]  # the index of an input of the group, and its value
    objects: list[tuple[int, int]]  # the index of an input that is an object, and that object


@dataclass(frozen=True)
class ObjectRecord:
    name: str
    data: tuple[str, int] | None  # the kind of its data, and its number
    parent: int
    settings: dict[str, Any]
    instanced: int  # the number of its instanced collection, -1 for none
    modifiers: list[ModifierRecord]
    action: int  # the number of its action, -1 for none


@dataclass(frozen=True)
class CollectionRecord:
    name: str
    offset: Any
    objects: list[int]
    children: list[int]
    unrendered: NDArray[np.bool_]  # of its objects
    color: Any  # Blender's name of its color tag
    view: str  # "excluded" from the view layer, as libraries, "closed" as collision, or ""


@dataclass(frozen=True, eq=False)
class CurveRecord:
    path: str
    index: int
    group: str
    keys: NDArray[np.float32]


@dataclass(frozen=True)
class ActionRecord:
    name: str
    user: int  # the object with the action
    curves: list[CurveRecord]
    settings: dict[str, Any]
    markers: list[tuple[str, int]]

    def form(self) -> tuple[Any, ...]:
        """Return the key of actions that differ only in name and keys."""
        return tuple((curve.path, curve.index, curve.group) for curve in self.curves)


@dataclass
class Recording:
    """All data-blocks of a scene. References are indices in these lists."""

    images: list[tuple[str, bytes]] = field(default_factory=list)
    groups: list[tuple[str, TreeRecord]] = field(default_factory=list)
    trees: list[TreeRecord] = field(default_factory=list)
    materials: list[MaterialRecord] = field(default_factory=list)
    meshes: list[MeshRecord] = field(default_factory=list)
    armatures: list[tuple[str, list[BoneRecord], dict[str, Any]]] = field(default_factory=list)
    lights: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    cameras: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    speakers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    sounds: list[tuple[str, bytes]] = field(default_factory=list)
    objects: list[ObjectRecord] = field(default_factory=list)
    collections: list[CollectionRecord] = field(default_factory=list)
    actions: list[ActionRecord] = field(default_factory=list)
    properties: PropertyRecord = field(default_factory=PropertyRecord)

    def counts(self) -> dict[str, int]:
        """Return the numbers of elements that cost time."""
        return {
            "meshes": len(self.meshes),
            "faces": sum(len(mesh.starts) for mesh in self.meshes),
            "materials": len(self.materials),
            "images": len(self.images),
            "sounds": len(self.sounds),
            "bones": sum(len(bones) for _, bones, _ in self.armatures),
            "objects": len(self.objects),
            "actions": len(self.actions),
            "curves": sum(len(action.curves) for action in self.actions),
            "properties": self.properties.count(),
            "keys": sum(len(curve.keys) // 2 for action in self.actions for curve in action.curves),
        }


def record_scene() -> Recording:
    """Record all data-blocks of the open file."""
    out = Recording()
    data = bpy.data
    places = {
        obj: place
        for kind in (
            "images",
            "node_groups",
            "materials",
            "meshes",
            "armatures",
            "lights",
            "cameras",
            "speakers",
            "sounds",
            "objects",
            "collections",
            "actions",
        )
        for place, obj in enumerate(getattr(data, kind))
    }
    out.images = [(image.name, bytes(image.packed_file.data)) for image in data.images if image.packed_file]
    assert len(out.images) == len(data.images), "a level's images are packed"
    out.groups = [(group.name, record_tree(group, places)) for group in data.node_groups]
    for material in data.materials:
        out.materials.append(_record_material(material, out, places))
    out.meshes = [_record_mesh(mesh, places) for mesh in data.meshes]
    for armature in data.armatures:
        settings = _changed(armature, ("display_type",))
        out.armatures.append((armature.name, _record_bones(armature), settings))
    out.lights = [(light.name, light.type, _light_settings(light)) for light in data.lights]
    out.cameras = [(camera.name, _changed(camera, _CAMERA_SETTINGS)) for camera in data.cameras]
    out.speakers = [(speaker.name, _changed(speaker, _SPEAKER_SETTINGS)) for speaker in data.speakers]
    out.sounds = [(sound.name, bytes(sound.packed_file.data)) for sound in data.sounds if sound.packed_file]
    out.objects = [_record_object(obj, places) for obj in data.objects]
    views = _views(bpy.context.view_layer.layer_collection)
    out.collections = [_record_collection(each, places, views) for each in data.collections]
    out.actions = [_record_action(action, places) for action in data.actions]
    out.properties = record_properties(places)
    return out


_MATERIAL_SETTINGS = (
    "use_backface_culling",
    "use_backface_culling_shadow",
    "surface_render_method",
    "roughness",
)


def _record_material(material: Material, out: Recording, places: dict[Any, int]) -> MaterialRecord:
    settings = {name: getattr(material, name) for name in _MATERIAL_SETTINGS}
    settings["diffuse_color"] = _plain(material.diffuse_color)
    if not material.use_nodes or material.node_tree is None:
        return MaterialRecord(material.name, -1, -1, settings)
    tree = record_tree(material.node_tree, places)
    if tree not in out.trees:
        out.trees.append(tree)
    image = getattr(material.node_tree.nodes.active, "image", None)
    return MaterialRecord(material.name, out.trees.index(tree), places.get(image, -1), settings)


def _record_mesh(mesh: Mesh, places: dict[Any, int]) -> MeshRecord:
    positions = np.zeros((len(mesh.vertices), 3), np.float32)
    corners = np.zeros(len(mesh.loops), np.int32)
    starts = np.zeros(len(mesh.polygons), np.int32)
    if len(positions):
        mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    if len(corners):
        mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
        mesh.polygons.foreach_get("loop_start", starts)
    layers = [layer for layer in mesh.attributes if layer.name not in _GEOMETRY and layer.domain != "EDGE"]
    return MeshRecord(
        mesh.name,
        positions,
        corners,
        starts,
        [(layer.name, layer.data_type, layer.domain, _values(layer)) for layer in layers],
        [places[material] for material in mesh.materials],
    )


def _values(layer: Attribute) -> NDArray[Any]:
    name, dtype, width = ATTRIBUTE_TYPES[layer.data_type]
    values = np.zeros(len(layer.data) * width, dtype)
    if len(values):
        layer.data.foreach_get(name, values)
    return values


def _record_bones(armature: Armature) -> list[BoneRecord]:
    numbers = {bone.name: number for number, bone in enumerate(armature.bones)}
    return [
        BoneRecord(
            bone.name,
            np.array(bone.head_local, np.float32),
            np.array(bone.tail_local, np.float32),
            numbers[bone.parent.name] if bone.parent else -1,
        )
        for bone in armature.bones
    ]


def _light_settings(light: Light) -> dict[str, Any]:
    names = ("energy", "color", "use_shadow", "shadow_soft_size", "spot_size", "spot_blend", "angle")
    return {name: _plain(getattr(light, name)) for name in names if hasattr(light, name)}


_OBJECT_SETTINGS = (
    "location",
    "rotation_mode",
    "rotation_euler",
    "rotation_quaternion",
    "scale",
    "instance_type",
    "empty_display_type",
    "empty_display_size",
    "parent_type",
    "parent_bone",
    "matrix_parent_inverse",
    "show_in_front",
)


_DATA = {
    Mesh: "meshes",
    Armature: "armatures",
    Light: "lights",
    Camera: "cameras",
    Speaker: "speakers",
}
_CAMERA_SETTINGS = ("lens", "sensor_fit", "sensor_width", "display_size", "clip_start", "clip_end")
_SPEAKER_SETTINGS = ("volume", "muted", "distance_max", "distance_reference", "attenuation", "pitch")


def _changed(obj: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings that differ from those of a new data-block of the kind."""
    defaults = type(obj).bl_rna.properties
    values = {name: getattr(obj, name) for name in names}
    return {name: value for name, value in values.items() if value != defaults[name].default}


def _record_object(obj: Object, places: dict[Any, int]) -> ObjectRecord:
    plain = bpy.data.objects.new("", None)
    settings = {}
    for name in _OBJECT_SETTINGS:
        value = getattr(obj, name)
        if value != getattr(plain, name):  # default values need not be set
            settings[name] = value.copy() if hasattr(value, "copy") else value
    bpy.data.objects.remove(plain)
    kind = next((name for of, name in _DATA.items() if isinstance(obj.data, of)), "")
    moved = obj.animation_data
    return ObjectRecord(
        name=obj.name,
        data=None if obj.data is None else (kind, places[obj.data]),
        parent=-1 if obj.parent is None else places[obj.parent],
        settings=settings,
        instanced=-1 if obj.instance_collection is None else places[obj.instance_collection],
        modifiers=[_record_modifier(each, places) for each in obj.modifiers],
        action=-1 if moved is None or moved.action is None else places[moved.action],
    )


def _record_modifier(modifier: Any, places: dict[Any, int]) -> ModifierRecord:
    assert modifier.type == "NODES", "nothing else is shown of a level"
    items = [item for item in modifier.node_group.interface.items_tree if item.in_out == "INPUT"]
    values = [modifier_input(modifier, item.identifier) for item in items]
    given = [(place, value) for place, value in enumerate(values) if value is not None]
    inputs = [
        (place, _plain(value))
        for place, value in given
        if not isinstance(value, ID) and _plain(value) != _plain(items[place].default_value)
    ]
    objects = [(place, places[value]) for place, value in given if isinstance(value, Object)]
    return ModifierRecord(modifier.name, places[modifier.node_group], inputs, objects)


def _views(layer: LayerCollection) -> dict[Collection, str]:
    """Return the hidden collections of a view layer, without their children."""
    if layer.exclude or layer.hide_viewport:
        return {layer.collection: "excluded" if layer.exclude else "closed"}
    return {home: view for child in layer.children for home, view in _views(child).items()}


def _record_collection(
    collection: Collection, places: dict[Any, int], views: dict[Collection, str]
) -> CollectionRecord:
    return CollectionRecord(
        collection.name,
        collection.instance_offset.copy(),
        [places[obj] for obj in collection.objects],
        [places[child] for child in collection.children],
        np.array([obj.hide_render for obj in collection.objects], np.bool_),
        collection.color_tag,
        views.get(collection, ""),
    )


_ACTION_SETTINGS = ("use_frame_range", "frame_start", "frame_end", "use_cyclic", "use_fake_user")


def _record_action(action: Action, places: dict[Any, int]) -> ActionRecord:
    channels: Any = action
    if hasattr(action, "layers"):
        channels = action.layers[0].strips[0].channelbags[0] if action.layers else None
    curves = []
    for curve in channels.fcurves if channels is not None else ():
        keys = np.zeros(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        curves.append(
            CurveRecord(curve.data_path, curve.array_index, curve.group.name if curve.group else "", keys)
        )
    user = action.tomb_raider.model
    return ActionRecord(
        action.name,
        places.get(user, -1),
        curves,
        _changed(action, _ACTION_SETTINGS),
        [(marker.name, marker.frame) for marker in action.pose_markers],
    )


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
