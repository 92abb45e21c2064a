"""Effects of constraints and drivers on the bones of a model, and the actions that they act in.

An action without keys of a property shows the value that another action left. So exports count a property
that any action of the model keys as its default in the others, and the influence of a constraint as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import bpy
from bpy.types import Action, FCurve, Object

from ..models.bones import own_bones
from .changes.layers import action_in_use, is_helper_track
from .keys.action_curves import ActionKeys
from .keys.constraints import COMBINING
from .keys.curves import BonePaths, bone_of_property, moved_bone


class Activity(Enum):
    """What effects do in one action."""

    NONE = "none"
    KEYED = "keyed"  # the action has keys that they depend on
    ALWAYS = "always"  # they act whatever the action has keys of


@dataclass(frozen=True)
class BoneEffect:
    """A constraint or a driver that acts on a model's own bone, or the motion of a control above it."""

    bone: str  #: the name of the bone.
    influence: str = ""  #: the data path of the constraint's influence, "" for other effects.
    value: float = 1.0  #: the influence without keys.
    sources: tuple[str, ...] = ()  #: data paths of properties of the armature object that a driver reads.
    is_scaled: bool = False  #: the influence is 0 where all sources are.


class Effects:
    """The effects on an armature's own bones."""

    def __init__(self, armature: Object) -> None:
        self.armature = armature  #: the armature.
        bones = own_bones(armature)
        own_names = {bone.name for bone in bones}
        #: the names of its bones that are no parts of the model.
        self.controls = {bone.name for bone in armature.data.bones} - own_names
        data = armature.animation_data
        curves = [] if data is None else [curve for curve in data.drivers if not curve.mute]
        drivers = {curve.data_path: curve.driver for curve in curves}
        self.effects: list[BoneEffect] = []  #: the effects.
        for bone in armature.pose.bones if armature.pose is not None else ():
            if bone.name in own_names:
                self.effects += _effects_on(bone, drivers)
        self._switches = {each.influence for each in self.effects if each.influence}
        self._switches |= {path for each in self.effects if each.is_scaled for path in each.sources}
        # The bones below controls.
        self._carried = [
            bone.name for bone in bones if any(each.name in self.controls for each in bone.parent_recursive)
        ]

    @property
    def bones(self) -> list[str]:
        """The names of the bones that they act on, each once."""
        return list(dict.fromkeys([*(each.bone for each in self.effects), *self._carried]))

    def __bool__(self) -> bool:
        return bool(self.effects or self._carried)

    def are_all_in(self, effects: Effects) -> bool:
        """Return whether another armature with bones of the same names has these effects, too."""
        other_keys = {(each.bone, each.influence) for each in effects.effects}
        return {(each.bone, each.influence) for each in self.effects} <= other_keys and (
            {*self._carried} <= {*effects._carried}
        )

    def states(self, keys: ActionKeys, others: Mapping[str, Sequence[int]]) -> dict[str, bool | None]:
        """Return whether an action's curves are 0 everywhere if they are switches of effects, else None.

        ``others`` are the curves that do not pose the model's own bones themselves, by data path.
        """
        return {
            path: _are_zero([keys.curves[number] for number in numbers]) if path in self._switches else None
            for path, numbers in others.items()
        }

    def activity(self, states: Mapping[str, bool | None], keyed: set[str]) -> Activity:
        """Return what the effects do in an action with some :meth:`states`.

        ``keyed`` has the data paths of all such curves of all actions of the model.
        """
        if self._carried and any(moved_bone(path) in self.controls for path in states):
            return Activity.KEYED
        activities = {self._of(effect, states, keyed) for effect in self.effects} - {Activity.NONE}
        if not activities:
            return Activity.NONE
        is_keyed = Activity.KEYED in activities or any(path not in self._switches for path in states)
        return Activity.KEYED if is_keyed else Activity.ALWAYS

    def _of(self, effect: BoneEffect, states: Mapping[str, bool | None], keyed: set[str]) -> Activity:
        if effect.influence in states:
            return Activity.NONE if states[effect.influence] else Activity.KEYED
        keyed_sources = [path for path in effect.sources if path in states]
        if effect.is_scaled:
            if not all(states[path] for path in keyed_sources):
                return Activity.KEYED
            others = (path for path in effect.sources if path not in states)
            is_off = not any(self.unkeyed_value(path, keyed) for path in others)
            return Activity.NONE if is_off else Activity.ALWAYS
        if keyed_sources:
            return Activity.KEYED
        is_off = effect.influence in keyed or (not effect.sources and not effect.value)
        return Activity.NONE if is_off else Activity.ALWAYS

    def unkeyed_value(self, path: str, keyed: set[str]) -> Any:
        """Return the value of a property, by its data path from the armature, in an action without its keys.

        ``keyed`` has the data paths that any action of the model has keys of.
        """
        if path in keyed:
            return default_of(self.armature, path)
        try:
            return self.armature.path_resolve(path)
        except ValueError:  # there is no such property
            return 0.0


class ActingEffects(NamedTuple):
    """What effects do in the actions of a model."""

    keys: dict[Action, ActionKeys]  #: the curves of each action.
    keyed: set[str]  #: the data paths of all curves besides those of the model's own bones.
    activities: dict[Action, Activity]  #: the actions in which effects act.

    @classmethod
    def of(
        cls, effects: Effects, actions: Iterable[Action], armature: Object, bones: BonePaths
    ) -> ActingEffects:
        """Return what effects do in actions."""
        keys = {action: ActionKeys(action, armature, bones) for action in actions}
        others = {action: bones.split(each.layout).others for action, each in keys.items()}
        keyed = {path for curves in others.values() for path in curves}
        acting: dict[Action, Activity] = {}
        # Most actions have the same switches.
        by_states: dict[tuple[tuple[str, bool | None], ...], Activity] = {}
        for action, curves in others.items():
            states = effects.states(keys[action], curves)
            key = tuple(states.items())
            if key not in by_states:
                by_states[key] = effects.activity(states, keyed)
            if by_states[key] is not Activity.NONE:
                acting[action] = by_states[key]
        return cls(keys, keyed, acting)


def in_use(armature: Object) -> list[Action]:
    """Return the actions that an armature shows now."""
    data = armature.animation_data
    if data is None:
        return []
    tracks = (track for track in data.nla_tracks if not track.mute and not is_helper_track(track))
    used = [action_in_use(armature), *(strip.action for track in tracks for strip in track.strips)]
    return [action for action in used if action is not None]


def default_of(armature: Object, path: str) -> Any:
    """Return the default of a custom property of an armature object or of one of its bones, else 0."""
    owner, name = owner_of(armature, path)
    if owner is None or name not in owner:
        return 0.0
    try:
        ui_data = owner.id_properties_ui(name).as_dict()
    except TypeError:  # properties of some types have none
        return 0.0
    return ui_data.get("default", 0.0)


def owner_of(armature: Object, path: str) -> tuple[Any, str]:
    """Return the owner and the name of a custom property by its data path; (None, "") for other paths."""
    bone_property = bone_of_property(path)
    owner: Any = armature
    if bone_property is not None:
        owner, path = armature.pose.bones.get(bone_property[0]), bone_property[1]
    if not (path.startswith('["') and path.endswith('"]')):
        return None, ""
    return owner, bpy.utils.unescape_identifier(path[2:-2])


def _effects_on(bone: Any, drivers: Mapping[str, Any]) -> list[BoneEffect]:
    root = bone.path_from_id()
    bone_drivers = {path: driver for path, driver in drivers.items() if path.startswith(f"{root}.")}
    result = []
    for constraint in bone.constraints:
        if constraint.mute:
            continue
        path = f'{root}.constraints["{bpy.utils.escape_identifier(constraint.name)}"].influence'
        driver = bone_drivers.pop(path, None)
        sources, is_scaled = ((), False) if driver is None else _sources(bone.id_data, driver)
        result.append(BoneEffect(bone.name, path, constraint.influence, sources, is_scaled))
    # Drivers of settings of constraints do nothing by themselves.
    posing = [driver for path, driver in bone_drivers.items() if moved_bone(path) == bone.name]
    return result + [BoneEffect(bone.name, sources=_sources(bone.id_data, driver)[0]) for driver in posing]


def _sources(armature: Object, driver: Any) -> tuple[tuple[str, ...], bool]:
    """Return the data paths that a driver reads of its armature, and whether it is 0 where all are."""
    paths: list[str] = []
    is_known = True
    for variable in driver.variables:
        target = variable.targets[0]
        is_property = variable.type == "SINGLE_PROP" and target.id == armature
        is_known &= is_property
        if is_property:
            paths.append(target.data_path)
    is_plain = driver.type in COMBINING or (
        len(driver.variables) == 1 and driver.expression.strip() == driver.variables[0].name
    )
    return tuple(paths), bool(is_known and is_plain and paths)


def _are_zero(curves: Sequence[FCurve]) -> bool:
    return all(
        not len(curve.modifiers) and all(not point.co.y for point in curve.keyframe_points)
        for curve in curves
    )
