"""Everything in which the supported Blender versions differ, and nothing else."""

from __future__ import annotations

import atexit
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import ID, Action, FCurve, Light, Material, NlaStrip, Object, PropertyGroup, ShaderNodeTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLOTTED = hasattr(bpy.types, "ActionSlot")  # from 4.4 on
LONGEST_NAME = 60  # bytes: Blender before 5.0 cuts the names of datablocks at 63
LINEAR = 1  # of an enumeration that foreach_set takes as numbers only


def let_go_at_exit(groups: Iterable[type[PropertyGroup]]) -> None:
    """Give up what property groups declare, once Python ends.

    As a module, Blender before 4.5 is not freed while any declaration is alive, and crashes then.
    """
    if bpy.app.version < (4, 5, 0):
        for group in groups:
            atexit.register(group.__annotations__.clear)


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
    """Show a material's faces from one side only, or from both, wherever Blender can be told."""
    material.use_backface_culling = cull
    material.use_backface_culling_shadow = cull


def make_channels(action: Action, user: ID) -> Any:
    """Make what holds the curves and groups of a new action, to be used by an object or its data.

    Where actions have slots, all actions of one object need the same slot, by name: Blender then keeps it
    when the user switches between them.
    """
    if not _SLOTTED:
        unslotted: Any = action
        unslotted.id_root = user.id_type  # a first assignment, as exports make it, would set it
        return action
    if not hasattr(action, "fcurve_ensure_for_datablock"):
        slot: Any = action.slots.new(user.id_type, user.name)
        strip: Any = action.layers.new("Layer").strips.new(type="KEYFRAME")
        return strip.channelbag(slot, ensure=True)
    # A slot that is made by itself is looked for in all that the file has.
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
    """Return what holds the curves of an action that an object or its data uses or may use, or None."""
    if not _SLOTTED:
        return action
    slot = _find_slot(action, user)
    if slot is None or not action.layers or not action.layers[0].strips:
        return None
    strip: Any = action.layers[0].strips[0]
    return strip.channelbag(slot)


def _find_slot(action: Action, user: Any) -> Any | None:
    """Return the slot of an action that an object or its data uses or may use, or None."""
    slots = list(action.slots)
    if len(slots) < 2:
        return slots[0] if slots else None
    data = user.animation_data
    wanted = [f"{'CA' if user.id_type == 'CAMERA' else 'OB'}{user.name}"]
    if data is not None:
        current = data.action_slot if data.action == action else None
        wanted = [*([current.identifier] if current else []), *wanted, data.last_slot_identifier]
    by_name = {slot.identifier: slot for slot in slots}
    return next((by_name[name] for name in wanted if name in by_name), slots[0])


def assign_as(user: Any, action: Action, other: Any) -> None:
    """Assign an action to a copy of another object, with the channels that the other uses or may use."""
    data = user.animation_data_create()
    data.action = action
    if _SLOTTED:
        slot = _find_slot(action, other)
        if slot is not None and data.action_slot != slot:
            data.action_slot = slot


def assign_action(user: Any, action: Action) -> None:
    """Assign an action to an object or its data. A pose must have been built before, or 5.0 and 5.2 crash."""
    data = user.animation_data_create()
    data.action = action
    if _SLOTTED and data.action_slot is None and list(action.slots):
        data.action_slot = action.slots[0]


def assign_strip_slot(strip: NlaStrip, user: Object) -> None:
    """Assign an NLA strip the slot of its action that is an object's. Blender itself finds a single one."""
    if not _SLOTTED or strip.action is None:
        return
    by_name = {slot.identifier: slot for slot in strip.action.slots}
    wanted = by_name.get(f"OB{user.name}")
    if wanted is not None and strip.action_slot != wanted:
        strip.action_slot = wanted


class CurveMaker:
    """Makes curves of linear keys. Where Blender can, by copying one that has as many already."""

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
        # Keys come in order and are linear, so that update(), which sorts and shapes them, is not needed.
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
        """Remove what the copies were made of."""
        if self._scratch is not None:
            bpy.data.actions.remove(self._scratch)
        self._scratch = None
        self._ready.clear()


FORGETS_POINTERS: bool = (5, 0, 0) <= bpy.app.version < (5, 2, 0)


def let_pointers_be_cleared(host: ID) -> None:
    """Make sure that typed pointers of a datablock are emptied when what they point at is removed.

    Blender 5.0 looks for them in collections, actions, images and texts only where there are plain custom
    properties too. Else they are left pointing at freed memory, and reading one crashes.
    """
    if FORGETS_POINTERS and not list(host.keys()):
        host["tomb_raider_pointers"] = True


_STORES_APART = bpy.app.version >= (5, 0, 0)


def property_store(owner: ID, *, create: bool = False) -> Any:
    """Return where a datablock keeps the values of typed properties, by their names.

    Before 5.0 they stand among custom properties, from then on in a place of their own.

    Args:
        owner: the datablock.
        create: make that place where there is none yet; else None is returned.
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
    """Give a light a linear color, whatever its temperature was."""
    light.color = color
    if hasattr(light, "use_temperature"):
        light.use_temperature = False


def set_light_energy(light: Light, energy: float) -> None:
    """Give a light a power, whatever its exposure was."""
    light.energy = energy
    if hasattr(light, "exposure"):
        light.exposure = 0.0


_EMISSION = {"EMISSION", "OUTPUT_LIGHT"}


def has_own_nodes(light: Light) -> bool:
    """Tell whether nodes shape a light. From 5.1 on every light has some that say nothing."""
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
    """Set an input of a modifier that runs nodes. From 5.2 on, these are properties of their own."""
    if bpy.app.version >= (5, 2, 0):
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value


def modifier_input(modifier: Any, identifier: str) -> Any:
    """Return an input of a modifier that runs nodes, None where it was never set."""
    if bpy.app.version >= (5, 2, 0):
        return getattr(getattr(modifier.properties.inputs, identifier, None), "value", None)
    return modifier.get(identifier)
