"""The floor: the time that Blender itself needs to make the data-blocks of a level from ready arrays.

Each kind is made by the fastest calls of Blender's API in the cheapest order: armatures in one edit mode in
the otherwise empty file, meshes by attributes or as copies that differ only in positions, material slots,
materials and actions as copies, keys by ``foreach_set``, the extension's own properties of a data-block by
one dictionary, and one update at the end. Temporary data-blocks are freed without a search for users. Nothing
is decoded or computed, and the extension's handlers have nothing to do.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, LayerCollection, Mesh, Object

from io_tomb_raider.formats.levels.sounds.waves import encode_wave
from io_tomb_raider.scene.core.blender.compat import set_modifier_input
from io_tomb_raider.scene.core.blender.handler_suspension import handlers_suspended

from .actions import make_actions, plan_actions
from .meshes import make_meshes, plan_meshes
from .node_trees import adjust_tree, build_tree, plan_trees
from .properties import set_properties
from .recording import BoneRecord, ModifierRecord, Recording
from .timing import clock

_SILENCE = encode_wave(np.zeros((1, 1), np.int16), 22050)


class Floor:
    """Makes the recorded data-blocks, once, in an empty file.

    Attributes:
        parts: seconds per kind of data-block.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.parts: dict[str, float] = {}
        self._images: list[Any] = []
        self._groups: list[Any] = []
        self._materials: list[Any] = []
        self._meshes: list[Mesh] = []
        self._armatures: list[Any] = []
        self._sounds: list[Any] = []
        self._objects: list[Object] = []
        self._collections: list[Collection] = []
        self._actions: list[Any] = []
        # An importer knows which data-blocks are alike, so plans are made before any clock runs.
        rigs = sum(record.data is not None and record.data[0] == "armatures" for record in recording.objects)
        self._mesh_steps = plan_meshes(recording.meshes, len(bpy.data.objects) + rigs)
        self._group_sources = plan_trees([tree for _, tree in recording.groups])
        self._action_steps = plan_actions(recording.actions)

    def make(self) -> None:
        """Make all data-blocks, and link them into the scene."""
        steps = {
            "armatures": self._make_armatures,
            "images": self._make_images,
            "sounds": self._make_sounds,
            "materials": self._make_materials,
            "meshes": self._make_meshes,
            "objects": self._make_objects,
            "actions": self._make_actions,
            "properties": self._set_properties,
            # Last, since Blender also evaluates the targets of properties, such as actions with all their
            # keys.
            "update": bpy.context.view_layer.update,
        }
        with handlers_suspended():  # as in an import: the extension's handlers have nothing to do
            for name, step in steps.items():
                start = clock()
                step()
                self.parts[name] = clock() - start

    def _make_armatures(self) -> None:
        self._objects = [None] * len(self.recording.objects)  # type: ignore[list-item]
        for name, _, settings in self.recording.armatures:
            armature = bpy.data.armatures.new(name)
            for key, value in settings.items():
                setattr(armature, key, value)
            self._armatures.append(armature)
        rigs = []
        for place, record in enumerate(self.recording.objects):
            if record.data is not None and record.data[0] == "armatures":
                obj = bpy.data.objects.new(record.name, self._armatures[record.data[1]])
                self._objects[place] = obj
                rigs.append((obj, self.recording.armatures[record.data[1]][1]))
        if not rigs:
            return
        # In a separate scene, so that the other objects of the file are not evaluated again.
        scene = bpy.data.scenes.new("Floor")
        layer = scene.view_layers[0]
        for obj, _ in rigs:
            scene.collection.objects.link(obj)
        layer.update()
        layer.objects.active = rigs[0][0]
        for obj, _ in rigs:
            obj.select_set(True, view_layer=layer)
        objects = [obj for obj, _ in rigs]
        with bpy.context.temp_override(
            scene=scene, view_layer=layer, active_object=objects[0], selected_objects=objects
        ):
            bpy.ops.object.mode_set(mode="EDIT")
            for obj, bones in rigs:
                _draw_bones(obj, bones)
            bpy.ops.object.mode_set(mode="OBJECT")
        _free(bpy.data.scenes, scene)

    def _make_images(self) -> None:
        for name, png in self.recording.images:
            image = bpy.data.images.new(name, 1, 1, alpha=True)
            image.pack(data=png, data_len=len(png))
            image.source = "FILE"
            self._images.append(image)

    def _make_sounds(self) -> None:
        if not self.recording.sounds:
            return
        # Loading decodes the file; a copy of a loaded sound packs the file's current content.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sound.wav")
            with open(path, "wb", buffering=0) as file:
                file.write(_SILENCE)
                template: Any = bpy.data.sounds.load(path)
                for name, wave in self.recording.sounds:
                    file.seek(0)
                    file.write(wave)
                    file.truncate()
                    sound = template.copy()
                    sound.name = name
                    sound.pack()
                    self._sounds.append(sound)
            _free(bpy.data.sounds, template)

    def _make_materials(self) -> None:
        groups = self._groups
        for (name, tree), source in zip(self.recording.groups, self._group_sources, strict=True):
            # A copy takes a tenth of the time of new nodes.
            if source >= 0:
                group = groups[source].copy()
                group.name = name
                adjust_tree(group, self.recording.groups[source][1], tree)
            else:
                group = bpy.data.node_groups.new(name, tree.kind)  # type: ignore[arg-type]
                if tree.kind == "GeometryNodeTree":
                    group.is_modifier = True
                build_tree(group, tree, groups)
            groups.append(group)
        templates: dict[int, Any] = {}
        for record in self.recording.materials:
            material: Any
            if record.tree < 0:  # without nodes
                material = bpy.data.materials.new(record.name)
            elif record.tree in templates:
                # A copy takes an eighth of the time of a new node tree.
                material = templates[record.tree].copy()
                material.name = record.name
            else:
                material = templates[record.tree] = bpy.data.materials.new(record.name)
                if material.node_tree is None:
                    material.use_nodes = True
                build_tree(material.node_tree, self.recording.trees[record.tree], groups)
            if record.image >= 0:
                material.node_tree.nodes.active.image = self._images[record.image]
            for name, value in record.settings.items():
                setattr(material, name, value)
            self._materials.append(material)

    def _make_meshes(self) -> None:
        self._meshes = make_meshes(self.recording.meshes, self._mesh_steps, self._materials)

    def _make_objects(self) -> None:
        recording = self.recording
        lights: list[Any] = []
        kind: Any
        for name, kind, settings in recording.lights:
            light = bpy.data.lights.new(name, kind)
            for key, value in settings.items():
                setattr(light, key, value)
            lights.append(light)
        data: dict[str, list[Any]]
        data = {"meshes": self._meshes, "armatures": self._armatures, "lights": lights}
        for home, records in (("cameras", recording.cameras), ("speakers", recording.speakers)):
            data[home] = []
            for name, settings in records:
                made = getattr(bpy.data, home).new(name)
                for key, value in settings.items():
                    setattr(made, key, value)
                data[home].append(made)
        for place, record in enumerate(recording.objects):
            if self._objects[place] is None:
                of = data[record.data[0]][record.data[1]] if record.data else None
                self._objects[place] = bpy.data.objects.new(record.name, of)
        collections = [bpy.data.collections.new(record.name) for record in recording.collections]
        self._collections = collections
        for obj, record in zip(self._objects, recording.objects, strict=True):
            if record.parent >= 0:
                obj.parent = self._objects[record.parent]
            for key, value in record.settings.items():
                setattr(obj, key, value)
            if record.instanced >= 0:
                obj.instance_collection = collections[record.instanced]
            for modifier in record.modifiers:
                _add_modifier(obj, modifier, self._groups, self._objects)
        for collection, each in zip(collections, recording.collections, strict=True):
            collection.instance_offset = each.offset
            for number in each.objects:
                collection.objects.link(self._objects[number])
            if each.unrendered.any():
                collection.objects.foreach_set("hide_render", each.unrendered)
            if collection.color_tag != each.color:
                collection.color_tag = each.color
            for number in each.children:
                collection.children.link(collections[number])
        inner = {number for each in recording.collections for number in each.children}
        for number, collection in enumerate(collections):
            if number not in inner:
                bpy.context.scene.collection.children.link(collection)
        views = zip(collections, recording.collections, strict=True)
        _hide(bpy.context.view_layer.layer_collection, {home: each.view for home, each in views if each.view})

    def _make_actions(self) -> None:
        users = [
            self._objects[record.user] if record.user >= 0 else None for record in self.recording.actions
        ]
        self._actions = make_actions(self.recording.actions, self._action_steps, users)
        for obj, record in zip(self._objects, self.recording.objects, strict=True):
            if record.action >= 0:
                obj.animation_data_create().action = self._actions[record.action]

    def _set_properties(self) -> None:
        made: dict[str, Sequence[Any]] = {
            "objects": self._objects,
            "meshes": self._meshes,
            "materials": self._materials,
            "images": self._images,
            "collections": self._collections,
            "actions": self._actions,
            "sounds": self._sounds,
            "groups": self._groups,
        }
        set_properties(self.recording.properties, made)


def _add_modifier(obj: Object, record: ModifierRecord, groups: list[Any], objects: list[Object]) -> None:
    modifier: Any = obj.modifiers.new(record.name, "NODES")
    group = modifier.node_group = groups[record.group]
    values = [*record.inputs, *((place, objects[number]) for place, number in record.objects)]
    if values:
        items = [item for item in group.interface.items_tree if item.in_out == "INPUT"]
        for place, value in values:
            set_modifier_input(modifier, items[place].identifier, value)


def _hide(layer: LayerCollection, views: dict[Collection, str]) -> None:
    for child in layer.children:
        view = views.get(child.collection)
        if view is None:
            _hide(child, views)
        elif view == "excluded":
            child.exclude = True
        else:
            child.hide_viewport = True


def _draw_bones(obj: Object, bones: list[BoneRecord]) -> None:
    made: list[Any] = []
    edit_bones = obj.data.edit_bones
    for record in bones:
        bone = edit_bones.new(record.name)
        bone.head, bone.tail = record.head, record.tail
        if record.parent >= 0:
            bone.parent = made[record.parent]
        made.append(bone)


def _free(home: Any, made: Any) -> None:
    made.user_clear()
    home.remove(made, do_unlink=False)
