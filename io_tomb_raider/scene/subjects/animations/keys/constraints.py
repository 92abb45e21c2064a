"""Poses of armatures with constraints as arrays: all frames of an action at once.

Blender evaluates an armature frame by frame. The constraints of control rigs have closed forms, which are
computed here for all frames and for similar bones together. An armature with any other constraint, driver or
setting is left to Blender.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from .....formats.base import Floats
from .....formats.levels.animations import matrices_from_quaternions
from .action_curves import ActionKeys
from .curves import CurveLayout, bone_of_property, bone_path, moved_bone
from .geometry import bend_chain, mixed, planes, product, quaternions, rotated, smallest_turns

_COMPARISON = re.compile(r"(\w+) == (\d+)")  # a driver's expression that compares a property with a number
_TINY = 1e-9
COMBINING = frozenset({"SUM", "AVERAGE", "MIN", "MAX"})  # drivers that are 0 if all their variables are


class _UnknownError(Exception):
    """Something that only Blender can evaluate."""


class _Value(NamedTuple):
    """A setting of a constraint: a number, or a driver's value of a property."""

    number: float = 1.0
    path: str = ""  #: the data path of the property, "" for the number.
    equal: int | None = None  #: the setting is 1 where the property has this value, else 0.


class _Constraint(NamedTuple):
    kind: str
    bones: tuple[int, ...]  #: the bones that it refers to; of inverse kinematics the goal and the pole.
    influence: _Value
    weights: tuple[_Value, ...] = ()  #: of the bones of an *Armature* constraint.


class _Unit(NamedTuple):
    """A bone, or the two bones of a chain that bends, with its constraints in their order."""

    bones: tuple[int, ...]
    constraints: tuple[_Constraint, ...]


class _Batch(NamedTuple):
    """k units of the same form, none of which depends on another one."""

    bones: NDArray[np.int64]  #: (k, 1) of single bones, (k, 2) of chains.
    constraints: list[tuple[_Constraint, ...]]  #: by their order, those of the k units.


@dataclass(eq=False)
class _Pose:
    """Bones in n poses, in the space of the armature; the last one stands for no parent."""

    turns: Floats  #: (n, m + 1, 3, 3).
    heads: Floats  #: (n, m + 1, 3).
    value: Callable[[_Value], Floats]  #: the values of a setting, (n,).

    def values(self, settings: Sequence[_Value]) -> Floats:
        """Return the values of k settings, (n, k)."""
        return np.stack([self.value(each) for each in settings], axis=1)


class _Moves(NamedTuple):
    """What the curves of an action move."""

    #: turns, locations: the numbers of curves, the bones that they move, and the parts of their rotations or
    #: locations.
    turns: tuple[list[int], list[int], list[int]]
    locations: tuple[list[int], list[int], list[int]]
    values: dict[str, int]  #: the curves of properties by data path.


# The numbers of poses that are computed at once, so that they stay in the processor's cache.
_AT_ONCE = 512


class ArrayPoses:
    """The poses of an armature whose constraints have closed forms.

    It is valid while nothing but the armature's action changes: bones and properties without curves have the
    values of its creation.
    """

    def __init__(self, armature: Object, names: Sequence[str]) -> None:
        """Read what some bones depend on.

        Raises:
            _UnknownError: if it is something that only Blender can evaluate.
        """
        pose: Any = armature.pose
        self._armature = armature
        self._bones: list[Any] = list(pose.bones)
        self._numbers = {bone.name: number for number, bone in enumerate(self._bones)}
        self._names = list(names)
        self._parents = np.array(
            [self._numbers[bone.parent.name] if bone.parent else len(self._bones) for bone in self._bones]
        )
        self._drivers = _drivers(armature)
        self._read: set[str] = set()  # the data paths of drivers that are followed
        self._moves: dict[CurveLayout, _Moves | None] = {}
        units = self._units([self._numbers[name] for name in names])
        self._needed = {bone for each in units for bone in each.bones}
        self._check([self._bones[number] for number in sorted(self._needed)])
        self._batches = self._sorted(units)
        self._read_rest()
        settings = [each for batch in self._batches for row in batch.constraints for each in row]
        self._values = {
            value.path: self._property(value.path)
            for constraint in settings
            for value in (constraint.influence, *constraint.weights)
            if value.path
        }
        if self._has_other_drivers():
            raise _UnknownError

    @classmethod
    def of(cls, armature: Object, names: Sequence[str]) -> ArrayPoses | None:
        """Return the poses of some bones of an armature; None if only Blender can evaluate them."""
        try:
            return cls(armature, names)
        except _UnknownError:
            return None

    def poses(self, actions: Sequence[tuple[ActionKeys, Floats]]) -> list[tuple[Floats, Floats] | None]:
        """Return the poses of the m bones in each action at n times; None if only Blender can evaluate it.

        Args:
            actions: actions, each with the frames.

        Returns:
            For each action, matrices (n, m, 4, 4) and quaternions (n, m, 4) in the space of the armature.
        """
        result: list[tuple[Floats, Floats] | None] = [None] * len(actions)
        for numbers in self._at_once(actions):
            samples = [
                (keys.layout, keys.sample(times)) for keys, times in (actions[each] for each in numbers)
            ]
            ends = np.cumsum([values.shape[1] for _, values in samples])[:-1]
            matrices, turns = self._evaluate(samples)
            for number, *poses in zip(numbers, np.split(matrices, ends), np.split(turns, ends), strict=True):
                result[number] = poses[0], poses[1]
        return result

    def _at_once(self, actions: Sequence[tuple[ActionKeys, Floats]]) -> Iterator[list[int]]:
        """Yield the numbers of the actions that are evaluated at once."""
        numbers, size = list[int](), 0
        for number, (keys, times) in enumerate(actions):
            if self._moved(keys.layout) is not None:
                numbers.append(number)
                size += len(times)
                if size >= _AT_ONCE:
                    yield numbers
                    numbers, size = [], 0
        if numbers:
            yield numbers

    def _evaluate(self, samples: Sequence[tuple[CurveLayout, Floats]]) -> tuple[Floats, Floats]:
        """Return the poses that the values of actions' curves give, one action after the other."""
        count, bones = sum(values.shape[1] for _, values in samples), len(self._bones)
        steps, arms, properties = self._local(samples, count)
        values: dict[_Value, Floats] = {}

        def value(setting: _Value) -> Floats:
            if setting not in values:
                row = properties[setting.path] if setting.path else np.full(count, setting.number)
                if setting.equal is not None:
                    row = (row.astype(np.int64) == setting.equal).astype(np.float64)
                values[setting] = row.clip(0.0, 1.0)
            return values[setting]

        turns, heads = planes(count, bones + 1, 3, 3), planes(count, bones + 1, 3)
        turns[:, bones], heads[:, bones] = np.eye(3), 0.0
        pose = _Pose(turns, heads, value)
        for batch in self._batches:
            first = batch.bones[:, 0]
            above = turns[:, self._parents[first]]
            turns[:, first] = product(above, steps[:, first])
            heads[:, first] = heads[:, self._parents[first]] + rotated(above, arms[:, first])
            for constraints in batch.constraints:
                self._apply(pose, batch.bones, constraints)
        numbers = [self._numbers[name] for name in self._names]
        result = np.zeros((count, len(numbers), 4, 4))
        result[..., :3, :3], result[..., :3, 3], result[..., 3, 3] = turns[:, numbers], heads[:, numbers], 1.0
        return result, quaternions(turns[:, numbers])

    # --- What the armature is

    def _units(self, waiting: list[int]) -> list[_Unit]:
        """Return the units that some bones consist of, and those that they depend on."""
        chains = self._chains()
        result: dict[tuple[int, ...], _Unit] = {}
        while waiting:
            bones = chains.get(number := waiting.pop(), (number,))
            if bones not in result:
                constraints = tuple(
                    constraint for bone in bones for constraint in self._constraints(self._bones[bone])
                )
                if len(bones) > 1 and len(constraints) > 1:
                    raise _UnknownError
                result[bones] = _Unit(bones, constraints)
                waiting += self._sources(result[bones])
        return list(result.values())

    def _chains(self) -> dict[int, tuple[int, ...]]:
        """Return the chains of inverse kinematics by their bones."""
        result: dict[int, tuple[int, ...]] = {}
        for number, bone in enumerate(self._bones):
            if any(constraint.type == "IK" for constraint in bone.constraints):
                chain = (int(self._parents[number]), number)
                result |= dict.fromkeys(chain, chain)
        return result

    def _sources(self, unit: _Unit) -> list[int]:
        """Return the bones that a unit depends on."""
        result = [int(self._parents[unit.bones[0]])]
        result += [bone for constraint in unit.constraints for bone in constraint.bones]
        return [bone for bone in result if bone < len(self._bones)]

    def _sorted(self, units: Sequence[_Unit]) -> list[_Batch]:
        """Return units of the same form together, after those that they depend on."""
        owners = {bone: unit for unit in units for bone in unit.bones}
        depths: dict[_Unit, int] = {}
        while len(depths) < len(units):
            known = len(depths)
            for each in units:
                above = [owners[bone] for bone in self._sources(each)]
                if each not in depths and all(other in depths for other in above):
                    depths[each] = 1 + max((depths[other] for other in above), default=0)
            if len(depths) == known:
                raise _UnknownError  # a circle
        groups: dict[tuple[Any, ...], list[_Unit]] = {}
        for each in sorted(units, key=lambda each: depths[each]):
            form = tuple((constraint.kind, len(constraint.bones)) for constraint in each.constraints)
            groups.setdefault((depths[each], len(each.bones), form), []).append(each)
        return [
            _Batch(
                np.array([each.bones for each in group]),
                list(zip(*(each.constraints for each in group), strict=True)),
            )
            for group in groups.values()
        ]

    def _constraints(self, bone: Any) -> list[_Constraint]:
        result = []
        for constraint in bone.constraints:
            setting = f'{bone_path(bone.name)}.constraints["{constraint.name}"]'
            influence = self._setting(f"{setting}.influence", constraint.influence)
            if constraint.mute or influence == _Value(0.0):
                continue
            form = _FORMS.get(constraint.type)
            if form is None or any(getattr(constraint, name) != value for name, value in form.items()):
                raise _UnknownError
            weights: list[_Value] = []
            if constraint.type == "ARMATURE":
                bones = [self._number(each.target, each.subtarget) for each in constraint.targets]
                weights = [
                    self._setting(f"{setting}.targets[{number}].weight", each.weight)
                    for number, each in enumerate(constraint.targets)
                ]
                if any(weight.equal is None for weight in weights):
                    raise _UnknownError
            else:
                bones = [self._number(constraint.target, constraint.subtarget)]
            if constraint.type == "IK":
                bones.append(self._number(constraint.pole_target, constraint.pole_subtarget))
                if abs(constraint.pole_angle - np.pi / 2) > 1e-6 or influence != _Value():
                    raise _UnknownError
            result.append(_Constraint(constraint.type, tuple(bones), influence, tuple(weights)))
        return result

    def _setting(self, path: str, number: float) -> _Value:
        if path not in self._drivers:
            return _Value(number)
        value = self._drivers[path]
        if value is None:
            raise _UnknownError
        self._read.add(path)
        return value

    def _has_other_drivers(self) -> bool:
        """Return whether drivers act on the needed bones, or on properties that are read, in another way."""
        for path in self._drivers.keys() - self._read:
            name, rest = bone_of_property(path) or ("", "")
            is_needed = self._numbers.get(name) in self._needed
            if path in self._values or (is_needed and not rest.startswith("[")):
                return True
        return False

    def _number(self, obj: Object | None, bone: str) -> int:
        if obj != self._armature or bone not in self._numbers:
            raise _UnknownError
        return self._numbers[bone]

    def _check(self, bones: Sequence[Any]) -> None:
        """Raise an error if bones are turned, moved or scaled in another way than usual."""
        pose: Any = self._armature.pose
        self._in_chains = set(self._chains())
        for bone in bones:
            is_usual = (
                bone.rotation_mode == "QUATERNION"
                and bone.bone.use_inherit_rotation
                and bone.bone.use_local_location
                and np.allclose(bone.scale, 1.0)
            )
            if self._numbers[bone.name] in self._in_chains:
                is_usual &= pose.ik_solver == "LEGACY" and not bone.ik_stretch
                is_usual &= np.allclose(bone.matrix_basis, np.eye(4))
                is_usual &= not any(getattr(bone, f"{name}_{axis}") for name in _LIMITS for axis in "xyz")
            if not is_usual:
                raise _UnknownError

    def _moved(self, layout: CurveLayout) -> _Moves | None:
        """Return what the curves of an action move; None if only Blender can evaluate one of them."""
        if layout not in self._moves:
            self._moves[layout] = self._read_moves(layout)
        return self._moves[layout]

    def _read_moves(self, layout: CurveLayout) -> _Moves | None:
        result = _Moves(([], [], []), ([], [], []), {})
        by_channel = {".rotation_quaternion": result.turns, ".location": result.locations}
        for curve, (path, part) in enumerate(zip(layout.paths, layout.indices, strict=True)):
            if layout.is_muted[curve]:
                continue
            name, rest = bone_of_property(path) or ("", "")
            bone = self._numbers.get(name, -1)
            if path in self._values:
                if not part:
                    result.values[path] = curve
            elif bone in self._needed:
                if rest in by_channel and bone not in self._in_chains:
                    for row, number in zip(by_channel[rest], (curve, bone, part), strict=True):
                        row.append(number)
                elif moved_bone(path) is not None or not rest.startswith("["):
                    return None
        return result

    def _property(self, path: str) -> float:
        """Return the value of a custom property of a bone."""
        name, rest = bone_of_property(path) or ("", "")
        owner = self._bones[self._numbers[name]] if name in self._numbers else {}
        value = owner.get(rest[2:-2])
        if not isinstance(value, int | float):
            raise _UnknownError
        return float(value)

    def _read_rest(self) -> None:
        """Read the bones at rest, and the poses of those without curves."""
        rests = np.array([bone.bone.matrix_local for bone in self._bones])
        self._rest_turns = np.concatenate([rests[:, :3, :3], np.eye(3)[None]])
        self._rest_heads = np.concatenate([rests[:, :3, 3], np.zeros((1, 3))])
        above = self._rest_turns[self._parents].swapaxes(-1, -2)
        self._steps = above @ self._rest_turns[:-1]
        self._arms = rotated(above, self._rest_heads[:-1] - self._rest_heads[self._parents])
        self._turns = np.array([bone.rotation_quaternion[:] for bone in self._bones])
        self._locations = np.array([bone.location[:] for bone in self._bones])
        self._is_connected = np.array([bone.bone.use_connect for bone in self._bones])

    # --- An action

    def _local(
        self, samples: Sequence[tuple[CurveLayout, Floats]], count: int
    ) -> tuple[Floats, Floats, dict[str, Floats]]:
        """Return bones in the axes of their parents, and the values of properties by data path.

        Bones are rotations (n, m, 3, 3) and joints (n, m, 3).
        """
        turns, locations = planes(count, *self._turns.shape), planes(count, *self._locations.shape)
        turns[:], locations[:] = self._turns, self._locations
        properties = {path: np.full(count, value) for path, value in self._values.items()}
        start = 0
        for layout, values in samples:
            moves, rows = self._moves[layout], slice(start, start + values.shape[1])
            assert moves is not None  # only such actions are evaluated
            for array, (curves, bones, parts) in ((turns, moves.turns), (locations, moves.locations)):
                array[rows, bones, parts] = values[curves].T
            for path, curve in moves.values.items():
                properties[path][rows] = values[curve]
            start = rows.stop
        length = np.sqrt((turns * turns).sum(axis=-1, keepdims=True))
        turns = np.where(length > _TINY, turns / np.maximum(length, _TINY), (1.0, 0.0, 0.0, 0.0))
        locations[:, self._is_connected] = 0.0
        local = matrices_from_quaternions(turns, out=planes(*turns.shape[:2], 3, 3))
        return product(self._steps, local), self._arms + rotated(self._steps, locations), properties

    def _apply(self, pose: _Pose, bones: NDArray[np.int64], constraints: Sequence[_Constraint]) -> None:
        """Apply the constraints of k units, all of the same kind."""
        kind, first = constraints[0].kind, bones[:, 0]
        sources = np.array([constraint.bones for constraint in constraints])
        if kind == "IK":
            self._bend(pose, bones, sources)
            return
        turns, heads = pose.turns[:, first], pose.heads[:, first]
        fraction = pose.values([constraint.influence for constraint in constraints])
        if kind == "COPY_ROTATION":
            pose.turns[:, first] = mixed(turns, pose.turns[:, sources[:, 0]], fraction)
        elif kind == "COPY_LOCATION":
            way = pose.heads[:, sources[:, 0]] - heads
            pose.heads[:, first] = heads + fraction[..., None] * way
        elif kind == "DAMPED_TRACK":
            ahead = pose.heads[:, sources[:, 0]] - heads
            turned = product(smallest_turns(turns[..., 1], ahead), turns)
            pose.turns[:, first] = mixed(turns, turned, fraction)
        else:
            self._follow(pose, first, constraints)

    def _follow(self, pose: _Pose, bones: NDArray[np.int64], constraints: Sequence[_Constraint]) -> None:
        """Move bones along with those whose weight is 1."""
        turns, heads = pose.turns[:, bones], pose.heads[:, bones]
        for sources, weights in zip(
            np.array([constraint.bones for constraint in constraints]).T,
            zip(*(constraint.weights for constraint in constraints), strict=True),
            strict=True,
        ):
            moved = product(pose.turns[:, sources], self._rest_turns[sources].swapaxes(-1, -2))
            place = pose.heads[:, sources] + rotated(moved, heads - self._rest_heads[sources])
            is_followed = pose.values(weights)[..., None] > 0.5
            turned = product(moved, turns)
            pose.turns[:, bones] = np.where(is_followed[..., None], turned, pose.turns[:, bones])
            pose.heads[:, bones] = np.where(is_followed, place, pose.heads[:, bones])

    def _bend(self, pose: _Pose, bones: NDArray[np.int64], sources: NDArray[np.int64]) -> None:
        """Bend chains of two bones to their goals, toward their poles."""
        upper, lower = bones.T
        lengths = np.array([[self._bones[bone].bone.length for bone in chain] for chain in bones.tolist()])
        goals, poles = pose.heads[:, sources[:, 0]], pose.heads[:, sources[:, 1]]
        bend = bend_chain(pose.heads[:, upper], goals, poles, lengths[:, :1], lengths[:, 1:])
        pose.heads[:, lower], pose.turns[:, upper], pose.turns[:, lower] = bend


# Kinds of constraints, with the settings for which this module has closed forms.
_IN_WORLD = {"target_space": "WORLD", "owner_space": "WORLD"}
_EVERY_AXIS = {
    **_IN_WORLD,
    **dict.fromkeys(("use_x", "use_y", "use_z"), True),
    **dict.fromkeys(("invert_x", "invert_y", "invert_z"), False),
}
_FORMS: dict[str, dict[str, Any]] = {
    "COPY_ROTATION": {**_EVERY_AXIS, "mix_mode": "REPLACE"},
    "COPY_LOCATION": {**_EVERY_AXIS, "use_offset": False, "head_tail": 0.0},
    "DAMPED_TRACK": {**_IN_WORLD, "track_axis": "TRACK_Y", "head_tail": 0.0},
    "ARMATURE": {"use_deform_preserve_volume": False, "use_bone_envelopes": False, "influence": 1.0},
    "IK": {
        **{"chain_count": 2, "use_tail": True, "use_location": True, "use_rotation": False},
        **{"use_stretch": False, "reference_axis": "BONE", "influence": 1.0},
    },
}
_LIMITS = ("lock_ik", "use_ik_limit", "ik_stiffness")


def _drivers(armature: Object) -> dict[str, _Value | None]:
    """Return the drivers of an armature by their data paths; None for those that only Blender evaluates."""
    data = armature.animation_data
    curves: list[Any] = [] if data is None else [curve for curve in data.drivers if not curve.mute]
    return {curve.data_path: _driver(curve, armature) for curve in curves}


def _driver(curve: Any, armature: Object) -> _Value | None:
    """Return the value of a driver that takes a custom property of a bone, or compares it with a number."""
    driver, variables = curve.driver, curve.driver.variables
    if not _is_identity(curve) or len(variables) != 1 or variables[0].type != "SINGLE_PROP":
        return None
    target = variables[0].targets[0]
    rest = (bone_of_property(target.data_path) or ("", ""))[1]
    if target.id != armature or not (rest.startswith('["') and rest.endswith('"]')):
        return None
    if driver.type in COMBINING:
        return _Value(0.0, target.data_path)
    match = _COMPARISON.fullmatch(driver.expression) if driver.type == "SCRIPTED" else None
    if match is None or match[1] != variables[0].name:
        return None
    return _Value(0.0, target.data_path, int(match[2]))


def _is_identity(curve: Any) -> bool:
    """Return whether a driver's curve keeps its value, as a new one does."""
    keys = [tuple(point.co) for point in curve.keyframe_points]
    shapes = [
        (each.type, each.mode, tuple(each.coefficients)) if each.type == "GENERATOR" else (each.type,)
        for each in curve.modifiers
    ]
    is_straight = keys in ([], [(0.0, 0.0), (1.0, 1.0)])
    return is_straight and shapes in ([], [("GENERATOR", "POLYNOMIAL", (0.0, 1.0))])
