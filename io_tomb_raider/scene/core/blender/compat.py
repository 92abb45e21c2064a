"""All differences between the supported Blender versions."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import ID, Action, FCurve, Light, Material, NlaStrip, Object, Scene, ShaderNodeTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLOTTED = hasattr(bpy.types, "ActionSlot")  # from 4.4 on
LONGEST_NAME = 60  # bytes: Blender before 5.0 cuts the names of datablocks at 63
CONSTANT = 0  # values of an enumeration that foreach_set accepts as numbers only
LINEAR = 1


def clear_at_exit(groups: Iterable[type[Any]]) -> None:
    """Clear the property declarations and computed attributes of groups and nodes when Python exits.

    Blender before 4.5, as a module, crashes at exit while any of them is alive. As a program it would crash
    by this: its extensions are unregistered by then.
    """
    if not bpy.app.binary_path and bpy.app.version < (4, 5, 0):
        for group in groups:
            atexit.register(group.__annotations__.clear)
            for name, value in vars(group).items():
                if isinstance(value, property):
                    atexit.register(delattr, group, name)


def material_nodes(material: Material) -> ShaderNodeTree:
    """Return a material's node tree. From 5.0 on every material has one, and asking for it warns."""
    if material.node_tree is None:
        material.use_nodes = True
    assert material.node_tree is not None
    return material.node_tree


def used_nodes(material: Material) -> ShaderNodeTree | None:
    """Return the node tree that a material is drawn with, or None. Before 5.0 it can be switched off."""
    if bpy.app.version >= (5, 0, 0) or material.use_nodes:
        return material.node_tree
    return None


def cull_back_faces(material: Material, cull: bool) -> None:
    """Set whether a material shows its faces from one side only, shadows included."""
    material.use_backface_culling = cull
    material.use_backface_culling_shadow = cull


def make_channels(action: Action, user: ID) -> Any:
    """Create and return the container of a new action's curves and groups, for an object or its data.

    All actions of one object use slots of the same name, so that Blender keeps the slot when the user
    switches between them.
    """
    if not _SLOTTED:
        unslotted: Any = action
        unslotted.id_root = user.id_type  # as the first assignment in an export would
        return action
    if not hasattr(action, "fcurve_ensure_for_datablock"):
        slot: Any = action.slots.new(user.id_type, user.name)
        strip: Any = action.layers.new("Layer").strips.new(type="KEYFRAME")
        return strip.channelbag(slot, ensure=True)
    # Blender searches the whole file for the users of a slot created by slots.new.
    data: Any = user.animation_data_create()
    before = data.action, data.action_slot
    data.action = action
    action.fcurve_ensure_for_datablock(user, "location")
    strip = action.layers[0].strips[0]
    channels = strip.channelbag(action.slots[0])
    channels.fcurves.clear()
    data.action = before[0]
    if before[1] is not None:
        data.action_slot = before[1]
    return channels


def find_channels(action: Action, user: object) -> Any | None:
    """Return the container of the curves of an action that an object or its data can use, or None."""
    if not _SLOTTED:
        return action
    slot = _find_slot(action, user)
    if slot is None or not action.layers or not action.layers[0].strips:
        return None
    strip: Any = action.layers[0].strips[0]
    return strip.channelbag(slot)


def _find_slot(action: Action, user: Any) -> Any | None:
    """Return the slot of an action that an object or its data can use, or None."""
    slots = list(action.slots)
    if len(slots) < 2:
        return slots[0] if slots else None
    data = user.animation_data
    names = [f"{'CA' if user.id_type == 'CAMERA' else 'OB'}{user.name}"]
    if data is not None:
        current = data.action_slot if data.action == action else None
        names = [*([current.identifier] if current else []), *names, data.last_slot_identifier]
    by_name = {slot.identifier: slot for slot in slots}
    return next((by_name[name] for name in names if name in by_name), slots[0])


def assign_as(user: Any, action: Action, other: Any, *, source: Action | None = None) -> None:
    """Assign an action to a copy of another object, with the slot that the other object uses or would use.

    Args:
        source: the action of the other object, if ``action`` is a copy of it.
    """
    data = user.animation_data_create()
    data.action = action
    if _SLOTTED:
        slot = _find_slot(source or action, other)
        if slot is not None and (data.action_slot is None or data.action_slot.handle != slot.handle):
            data.action_slot = next(each for each in action.slots if each.handle == slot.handle)


def assign_action(user: Any, action: Action) -> None:
    """Assign an action to an object or its data.

    Blender 5.0 to 5.2 crash if the object's pose was not built before.
    """
    data = user.animation_data_create()
    data.action = action
    if _SLOTTED and data.action_slot is None and list(action.slots):
        data.action_slot = action.slots[0]


def is_bone_selected(bone: Any) -> bool:
    """Return whether a pose bone is selected."""
    return bool(bone.select if hasattr(bone, "select") else bone.bone.select)


def select_bone(bone: Any, selected: bool = True) -> None:
    """Select or deselect a pose bone."""
    if hasattr(bone, "select"):
        bone.select = selected
    else:
        bone.bone.select = selected


def assign_strip_slot(strip: NlaStrip, user: Object) -> None:
    """Assign the action slot of an object to an NLA strip. Blender finds the slot if there is only one."""
    if not _SLOTTED or strip.action is None:
        return
    by_name = {slot.identifier: slot for slot in strip.action.slots}
    wanted = by_name.get(f"OB{user.name}")
    if wanted is not None and strip.action_slot != wanted:
        strip.action_slot = wanted


class CurveMaker:
    """Creates curves of linear keys, by copying curves with as many keys where Blender can."""

    def __init__(self) -> None:
        self._scratch: Action | None = None
        self._channels: Any = None  # of the scratch action
        self._ready: dict[tuple[int, int], FCurve] = {}

    def make(self, channels: Any, path: str, index: int, group: Any, keys: NDArray[np.float32]) -> None:
        """Add a curve of n keys; ``keys`` holds frame, value, frame, value, …, shape (2 n,)."""
        count = len(keys) // 2
        if hasattr(channels.fcurves, "new_from_fcurve"):
            curve = channels.fcurves.new_from_fcurve(self._template(count, index), data_path=path)
        else:
            curve = self._new(channels, path, index, count)
        curve.group = group
        # The keys are sorted and linear: update() is not needed.
        curve.keyframe_points.foreach_set("co", keys)

    def _template(self, count: int, index: int) -> FCurve:
        if (count, index) not in self._ready:
            if self._scratch is None:
                self._scratch = bpy.data.actions.new("Scratch")
                slot = self._scratch.slots.new("OBJECT", "Scratch")
                strip: Any = self._scratch.layers.new("Layer").strips.new(type="KEYFRAME")
                self._channels = strip.channelbag(slot, ensure=True)
            self._ready[count, index] = self._new(self._channels, f"keys_{count}", index, count)
        return self._ready[count, index]

    def _new(self, channels: Any, path: str, index: int, count: int) -> FCurve:
        curve = channels.fcurves.new(path, index=index)
        curve.keyframe_points.add(count)
        curve.keyframe_points.foreach_set("interpolation", np.full(count, LINEAR, np.uint8))
        return curve

    def close(self) -> None:
        """Remove the action that held the templates."""
        if self._scratch is not None:
            bpy.data.actions.remove(self._scratch)
        self._scratch = None
        self._ready.clear()


def model_importer(suffix: str) -> Callable[[str], object] | None:
    """Return the function that imports a model file into the current scene, None without an importer.

    Args:
        suffix: of the file, in lower case.
    """
    scene: Any = bpy.ops.import_scene
    wm: Any = bpy.ops.wm
    if suffix == ".fbx" and "fbx_import" in dir(wm):  # from 5.0 on
        return lambda path: wm.fbx_import(filepath=path, use_anim=False)
    if suffix == ".fbx" and "fbx" in dir(scene):
        return lambda path: scene.fbx(filepath=path, use_anim=False)
    if suffix in (".gltf", ".glb") and "gltf" in dir(scene):
        return lambda path: scene.gltf(filepath=path, merge_vertices=False)
    if suffix == ".dae" and "collada_import" in dir(wm):  # up to 4.5
        return lambda path: wm.collada_import(filepath=path)
    return None


FORGETS_POINTERS: bool = (5, 0, 0) <= bpy.app.version < (5, 2, 0)


def ensure_pointers_are_cleared(host: ID) -> None:
    """Ensure that Blender clears typed pointers of a data-block when their targets are removed.

    Blender 5.0 and 5.1 do so for collections, actions, images and texts only if these also have custom
    properties. Otherwise the pointers dangle, and reading one crashes.
    """
    if FORGETS_POINTERS and not list(host.keys()):
        host["tomb_raider_pointers"] = True


_STORES_APART = bpy.app.version >= (5, 0, 0)


def property_store(owner: ID, *, create: bool = False) -> Any:
    """Return the storage of a data-block's typed properties, by name, or None.

    Before 5.0 they are stored among the custom properties, since then separately.
    """
    return owner.bl_system_properties_get(do_create=create) if _STORES_APART else owner


def light_emission(light: Any) -> tuple[tuple[float, float, float], float]:
    """Return the linear color and the power of a light, temperature and exposure included."""
    red, green, blue = light.color
    if getattr(light, "use_temperature", False):
        warm = light.temperature_color
        red, green, blue = red * warm[0], green * warm[1], blue * warm[2]
    return (red, green, blue), light.energy * 2.0 ** getattr(light, "exposure", 0.0)


def set_light_color(light: Light, color: tuple[float, float, float]) -> None:
    """Set the linear color of a light, and switch off its temperature."""
    light.color = color
    if hasattr(light, "use_temperature"):
        light.use_temperature = False


def set_light_energy(light: Light, energy: float) -> None:
    """Set the power of a light, and reset its exposure."""
    light.energy = energy
    if hasattr(light, "exposure"):
        light.exposure = 0.0


_EMISSION = {"EMISSION", "OUTPUT_LIGHT"}


def has_own_nodes(light: Light) -> bool:
    """Return whether nodes change the light. Since 5.1 every light has a default tree, which does not."""
    if bpy.app.version < (5, 1, 0) and not light.use_nodes:
        return False
    tree = light.node_tree
    if tree is None:
        return False
    nodes = {node.type: node for node in reversed(tree.nodes[:])}
    if nodes.keys() != _EMISSION or len(tree.links) > 1:
        return True
    emission = nodes["EMISSION"]
    return bool(emission.inputs["Color"].default_value[:3] != (1, 1, 1)) or bool(
        emission.inputs["Strength"].default_value != 1
    )


def set_modifier_input(modifier: Any, identifier: str, value: Any) -> None:
    """Set an input of a geometry nodes modifier. Since 5.2 inputs are properties."""
    if bpy.app.version >= (5, 2, 0):
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value


def modifier_input(modifier: Any, identifier: str) -> Any:
    """Return an input of a geometry nodes modifier, None if it was never set."""
    if bpy.app.version >= (5, 2, 0):
        return getattr(getattr(modifier.properties.inputs, identifier, None), "value", None)
    return modifier.get(identifier)


def blender_version() -> str:
    """Return Blender's version and the hash of its build, for reports of errors."""
    return f"{bpy.app.version_string} ({bpy.app.build_hash.decode('ascii', 'replace')})"


def strips_of(scene: Scene) -> Any:
    """Return the list of all strips of a scene's sequencer, which is made if it is missing."""
    editor: Any = scene.sequence_editor or scene.sequence_editor_create()
    return editor.strips if hasattr(editor, "strips") else editor.sequences  # from 4.4 on, and before


def strip_start(strip: Any) -> float:
    """Return the frame at which the content of a strip of the sequencer begins."""
    return float(strip.content_start if hasattr(strip, "content_start") else strip.frame_start)
