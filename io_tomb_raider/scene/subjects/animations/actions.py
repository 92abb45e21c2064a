"""Import and export of animations (documentation, chapter 6.2): actions with a key at every key frame."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object
from numpy.typing import NDArray

from ....catalogue import idle_animation
from ....formats.base import T, plural
from ....formats.levels.animations import (
    Z_AXIS,
    AddedAnimation,
    AnimationEdit,
    AnimationReference,
    AnimationTables,
    EncodedKeys,
    Keys,
    angles_from_quaternions,
    animation_models,
    edit_animations,
    encode_frames,
    model_animations,
    quaternions_from_angles,
    round_angles,
    ticks,
)
from ....formats.levels.meshes import MeshBlock, decode_meshes
from ....formats.levels.models import posed_boxes
from ...core.blender import compat
from ...core.context import Bake, ExportContext, ImportContext
from ...core.level_uid import is_foreign
from ...core.order import ordered
from ...core.reporting.report import Report, first_few
from ...core.space import checked
from ...core.stages import ExportStage, ImportStage, Product, Steps
from ..models.build import Skeleton
from ..models.figures import drawn_models, is_drawn_for
from ..models.poses import positions_to_file, rotations_to_file
from ..models.read import Rig
from ..models.steps import SKELETONS, WRITTEN_MODELS
from .baking import BakedCurves, Baker, baking
from .changes.chains import is_chain_track
from .changes.outside import Frames, warn_of_outside
from .changes.references import AnimationReferences, imported_animations
from .changes.transitions import ImportedActions
from .deleted import DeletedActions
from .effects import ActingEffects, Activity, Effects, in_use
from .from_files import FileKeys, file_keys, has_source
from .keys.boxes import apply_edits, edited_boxes, store_boxes
from .keys.build import build_actions
from .keys.curves import ActionCurves, BonePaths, ModelAtRest, ModelCurves, level_curves, unchanged_actions
from .keys.ranges import set_range
from .keys.stretched import counts_ticks, is_stretched, warn_of_stretched
from .keys.timing import Timing, refined, timing_of, warn_of_keys_outside
from .names import action_name
from .new_actions import is_pose_asset
from .settings import SettingsExport, import_settings

# --- Import ----------------------------------------


class _Columns(NamedTuple):
    """Values of all animations that actions need, by index of the animation."""

    rates: list[int]
    lengths: list[int]
    repeats: list[bool]
    states: list[int]
    #: center of the box of the first key frame, in Blender's space; None without key frames.
    middles: list[list[float] | None]

    @classmethod
    def of(cls, context: ImportContext) -> _Columns:
        animations, keys = context.level.animations, context.keys
        some = np.flatnonzero(keys.key_counts)
        boxes = keys.boxes[keys.first_keys[some]].reshape(-1, 3, 2)
        middles: list[list[float] | None] = [None] * len(animations)
        for index, middle in zip(some, context.space.to_blender(boxes.mean(axis=2)).tolist(), strict=True):
            middles[index] = middle
        return cls(
            rates=np.maximum(animations["frame_rate"], 1).tolist(),
            lengths=_lengths(animations),
            repeats=(animations["next_animation"] == np.arange(len(animations))).tolist(),
            states=animations["state"].tolist(),
            middles=middles,
        )


def import_actions(context: ImportContext, skeletons: Sequence[Skeleton]) -> None:
    """Make an action of every animation that a model owns, and put each armature into its rest pose."""
    level = context.level
    for problem in context.keys.problems:
        context.report.warn(T("animations"), str(problem))
    owners = animation_models(level.models, level.animations)
    first, count = model_animations(level.models, level.animations)
    context.root.tomb_raider.imported |= {"ANIMATIONS"}
    own = {
        model: range(first[model], first[model] + count[model])
        for model in range(len(skeletons))
        if first[model] >= 0 and owners[first[model]] == model
    }
    moved = [ModelAtRest(each, skeletons[model].frames, np.zeros(3)) for model, each in own.items()]
    curves = level_curves(context.keys, moved, level.animations["frame_rate"], context.space)
    columns = _Columns.of(context)
    made: dict[int, Action] = {}
    for model, each in zip(own, curves, strict=True):
        made |= _import_model(context, skeletons[model], model, own[model], each, columns)
    import_settings(level, context.names, ImportedActions(made, own.values()))


def _import_model(
    context: ImportContext,
    skeleton: Skeleton,
    model: int,
    animations: range,
    curves: ModelCurves,
    columns: _Columns,
) -> dict[int, Action]:
    """Make the actions of a model, and return them by index of the animation."""
    armature, level = skeleton.armature, context.level
    model_id, known_names = int(level.models["id"][model]), context.names
    names = [
        action_name(armature.name, number, known_names.animation(model_id, number))
        for number in range(len(animations))
    ]
    actions = build_actions(names, armature, skeleton.names, curves)
    made = dict(zip(animations, actions, strict=True))
    references = armature.tomb_raider.model.animations  # keep actions without other users
    for index, action in made.items():
        settings = action.tomb_raider
        settings.index, settings.frame_rate = index, columns.rates[index]
        first, count = context.keys.first_keys[index], int(context.keys.key_counts[index])
        last_key = (count - 1) * columns.rates[index] if count else None
        set_range(action, 0, columns.lengths[index], last_key)
        store_boxes(action, context.keys.boxes[first : first + count], columns.rates[index])
        if columns.repeats[index]:
            action.use_cyclic = True
        references.add().action = action
    if made:
        states = columns.states[animations.start : animations.stop]
        known = context.names.known("state", model_id)
        rest = animations.start + idle_animation(level.game, model_id, states, known)
        compat.assign_action(armature, made[rest])
        middle = columns.middles[rest]
        if middle is not None:
            armature.tomb_raider.model.middle = middle
    return made


def _lengths(animations: NDArray[np.void]) -> list[int]:
    """Return the last frame of each animation's action."""
    return np.maximum(ticks(animations), 0).tolist()


# --- Export ----------------------------------------


def export_actions(context: ExportContext, rigs: Sequence[Rig]) -> dict[Action, int]:
    """Write changed and new animations of models.

    The games refer to animations by number. So an animation whose action was deleted is only deleted if it is
    the last of its model and no transition refers to it; otherwise it is kept, with a warning.

    Returns:
        The number of each exported action within its model.

    Raises:
        ExportError: if an action holds something that no game can.
    """
    return _ActionExport(context, rigs).run() if rigs else {}


@dataclass(frozen=True, eq=False)
class _Task:
    """A model to export: its animations in the original, their actions by index, and new actions."""

    rig: Rig
    own: range
    bones: BonePaths
    olds: dict[int, Action] = field(default_factory=dict)
    news: list[Action] = field(default_factory=list)

    @property
    def actions(self) -> list[Action]:
        return [*self.olds.values(), *self.news]


class _Before(NamedTuple):
    """The key frames that an action was made from."""

    keys: Keys  #: none for a new action.
    rate: int  #: ticks per key, 0 for a new action.
    length: int  #: the last frame.
    is_file: bool = False  #: whether they are those of a file, and differ from the original.


def _actions_of(rigs: Sequence[Rig], report: Report) -> dict[Object, list[Action]]:
    """Return the actions of all models: those made for them, and unclaimed ones that they use."""
    found: dict[Object, list[Action]] = {rig.armature: [] for rig in rigs}
    for action in bpy.data.actions:
        if action.tomb_raider.model in found and not action.tomb_raider.is_helper:
            found[action.tomb_raider.model].append(action)
    for armature, actions in found.items():
        data = armature.animation_data
        if data is None:
            continue
        tracks = [track for track in data.nla_tracks if not is_chain_track(track)]
        used = [data.action, *(strip.action for track in tracks for strip in track.strips)]
        mine = [each for each in dict.fromkeys(used) if each and not each.tomb_raider.is_helper]
        actions += [each for each in mine if each.tomb_raider.model is None and not is_pose_asset(each)]
        for each in (action for action in mine if is_pose_asset(action)):
            text = T("it shows {name}, a pose of a pose library, which is not exported", name=each.name)
            report.warn(armature.name, T("{text}: show an animation, and apply the pose to it", text=text))
        _warn_of_use(armature, mine, report)
        if any(not track.mute and len(track.strips) for track in tracks):
            text = T("mixes of actions by NLA tracks are not exported, only the single actions")
            report.warn(armature.name, T("{text}: bake the mix to an action to keep it", text=text))
    return found


def _may_have_effects(armature: Object, count: int) -> bool:
    """Return whether an armature has constraints, drivers or bones besides the ``count`` of its model.

    Most have none, and are skipped fast.
    """
    data, pose = armature.animation_data, armature.pose
    has_drivers = data is not None and len(data.drivers) > 0
    if has_drivers or len(armature.data.bones) != count:
        return True
    return pose is not None and any(len(bone.constraints) for bone in pose.bones)


def _warn_of_use(armature: Object, used: Sequence[Action], report: Report) -> None:
    """Warn of actions that a model uses but that are animations of another model."""
    override = armature.override_library
    linked = None if override is None else override.reference  # actions stay linked, and name this one
    for action in used:
        owner = action.tomb_raider.model
        if owner not in (None, armature, linked) and not is_drawn_for(armature, owner):
            text = T(
                "its action {action} is an animation of {owner}, and is exported for that model only",
                action=action.name,
                owner=owner.name,
            )
            hint = T(
                "copy the action, and choose {armature} as the Model of the copy", armature=armature.name
            )
            report.warn(armature.name, T("{text}: {hint}", text=text, hint=hint))


def _shown_copies(rigs: Sequence[Rig]) -> set[Action]:
    """Return the copies of a model's action that only models drawn in its place show, such as Lara's skin.

    A full copy of a scene copies an action for each model that shows it.
    """
    found: set[Action] = set()
    for rig in rigs:
        data = rig.armature.animation_data
        shown = data.action if data else None
        owner: Object | None = shown.tomb_raider.model if shown else None
        if shown is None or owner is None or owner == rig.armature or not is_drawn_for(rig.armature, owner):
            continue
        played = owner.animation_data.action if owner.animation_data else None
        if played is None or played == shown:
            continue
        one, other = played.tomb_raider, shown.tomb_raider
        if (one.model, one.index, one.origin) == (owner, other.index, other.origin):
            found.add(shown)
    return found


def _listing(bones: Sequence[str]) -> str:
    """Return a listing of bones, shortened if there are many."""
    return plural("the bone {bones}", "the bones {bones}", len(bones), bones=first_few(bones, 3))


class _ActionExport:
    """State of one export of all actions."""

    def __init__(self, context: ExportContext, rigs: Sequence[Rig]) -> None:
        self.context = context
        self.original = context.original
        self.game = context.original.game
        self.lengths = _lengths(self.original.animations)
        self._owners = animation_models(self.original.models, self.original.animations)
        self._first, self._count = model_animations(self.original.models, self.original.animations)
        self.edits: dict[int, AnimationEdit] = {}
        self.added: dict[int, list[AnimationEdit]] = {}
        self.deleted: list[int] = []
        self._own: dict[Action, AnimationReference] = {}
        self._baker: Baker | None = None
        self._baked: set[Action] = set()
        self._others: dict[Action, dict[str, list[FCurve]]] = {}
        self._vertices: dict[int, list[NDArray[np.int16]]] = {}
        self._actions = _actions_of(rigs, context.report)
        self._shown_copies = _shown_copies(rigs)
        self._tasks = [self._sort(rig, self._actions[rig.armature]) for rig in rigs]
        for task in self._tasks:
            self._add_edited_copies(task)
        self.references = AnimationReferences(self._own, context.root, self.original, self._owners)
        self.settings = SettingsExport(
            self.original, self.references, context.report, rebuild=context.rebuild
        )

    def run(self) -> dict[Action, int]:
        context = self.context
        numbers: dict[Action, int] = {}
        was_imported = "ANIMATIONS" in context.root.tomb_raider.imported
        acting = {index: action for task in self._tasks for index, action in task.olds.items()}
        deleted = DeletedActions(context, self.settings, self.references, acting)
        for task in self._tasks:
            if task.olds or task.news or not task.rig.has_original_bones():
                self._export_as_evaluated(task, deleted)
            elif task.own and was_imported and not imported_animations(task.rig.armature):
                text = T("its actions were deleted; the level keeps its animations")
                context.report.warn(task.rig.name, text)
            numbers |= self._numbers(task)
        self._warn_of_frames_outside()
        if not (self.edits or self.added or self.deleted):
            return numbers
        tables = AnimationTables.of(context.level)
        edited = edit_animations(self.game, tables, self.edits, added=self.added, deleted=self.deleted)
        edited.store(context.level)
        new = sum(len(each) for each in self.added.values())
        context.rebuilt.count("animations", len(self.edits) + new + len(self.deleted))
        return numbers

    def _warn_of_frames_outside(self) -> None:
        """Warn of transitions of exported animations to frames that these do not have."""

        def old_last(reference: AnimationReference) -> int | None:
            if isinstance(reference, AddedAnimation) or not 0 <= reference < len(self.lengths):
                return None
            return self.lengths[reference]

        def last(reference: AnimationReference) -> int | None:
            if isinstance(reference, AddedAnimation):
                return self.added[reference.model][reference.position].ticks
            edit = self.edits.get(reference)
            return old_last(reference) if edit is None or edit.ticks is None else edit.ticks

        frames = Frames(last, old_last, {own: action.name for action, own in self._own.items()})
        for action, own in self._own.items():
            targets = self.settings.targets_of(action)
            if targets.are_inside(own, last):
                continue
            # A new animation may be a copy of any of its model.
            sources = [own] if isinstance(own, int) else self._own_range(own.model)
            originals = ((source, self.settings.original_targets(source)) for source in sources)
            warn_of_outside(action, own, targets, originals, frames, self.context.report)

    def _numbers(self, task: _Task) -> dict[Action, int]:
        """Return the number of each action within the model; only the last animations are ever deleted."""
        kept = len(set(task.own) - set(self.deleted))
        old = {action: index - task.own.start for index, action in task.olds.items()}
        return old | {action: kept + place for place, action in enumerate(task.news)}

    def _own_range(self, model: int) -> range:
        """Return the animations of the original that a model owns."""
        if model < len(self.original.models):
            first, count = self._first[model], self._count[model]
            if first >= 0 and self._owners[first] == model:
                return range(int(first), int(first + count))
        return range(0)

    def _sort(self, rig: Rig, actions: list[Action]) -> _Task:
        """Match the actions of a model to its animations."""
        own = self._own_range(rig.model)
        task = _Task(rig, own, BonePaths.of(rig.names, rig.old_names))
        actions = [action for action in actions if action not in self._shown_copies]
        foreign = {action for action in actions if is_foreign(action, self.context.root)}
        rows = [
            *ordered(set(actions) - foreign, imported_animations(rig.armature)),
            *((action, -1) for action, _ in ordered(foreign)),
        ]
        for action, index in rows:
            if index in own:
                task.olds[index] = action
                self._own[action] = index
            else:
                self._own[action] = AddedAnimation(rig.model, len(task.news))
                task.news.append(action)
        return task

    def _add_edited_copies(self, task: _Task) -> None:
        """Make those copies that only other models show new animations of a model if they were edited."""
        for action in self._actions[task.rig.armature]:
            index = action.tomb_raider.index
            if action in self._shown_copies and index not in self._same(task, {index: action}):
                self._own[action] = AddedAnimation(task.rig.model, len(task.news))
                task.news.append(action)

    def _export_as_evaluated(self, task: _Task, deleted: DeletedActions) -> None:
        """Export a model with baked constraints and drivers, and with a warning where they are not baked."""
        effects = self._effects(task)
        if effects is None:
            self._export_model(task, deleted)
            return
        found = ActingEffects.of(effects, task.actions, task.rig.armature, task.bones)
        acting, self._others = found.activities, found.others
        if self.context.bake is Bake.ALL:
            self._baked = {*acting}
        elif self.context.bake is Bake.IN_USE:
            shown = {*in_use(task.rig.armature), *in_use(effects.armature), *task.news}
            self._baked = {each for each in acting if acting[each] is Activity.KEYED or each in shown}
        left = len(acting) - len(self._baked)
        if left or not task.actions:
            self._warn_of_unbaked(task, effects, left)
        if self._baked:
            with baking(task.rig, effects.armature, self.context.space, found.keyed) as self._baker:
                self._export_model(task, deleted)
        else:
            self._export_model(task, deleted)
        self._baker, self._baked, self._others = None, set(), {}

    def _effects(self, task: _Task) -> Effects | None:
        """Return what constraints and drivers do to a model as it is seen, None if there are none.

        Constraints on a model that is drawn in its place count for its animations. Those that both have, as
        of a control rig, act on its own joints.
        """
        count, names = len(task.rig.names), {*task.rig.names}
        model = task.rig.armature
        own = Effects(model) if _may_have_effects(model, count) else None
        for armature in self._skins.get(model, ()):
            if _may_have_effects(armature, count) and names <= {bone.name for bone in armature.data.bones}:
                found = Effects(armature)
                if found and (own is None or not found.are_all_in(own)):
                    return found
        return own or None

    @cached_property
    def _skins(self) -> dict[Object, list[Object]]:
        """The models drawn in place of others, by those."""
        rigs = {task.rig.armature for task in self._tasks}
        found: dict[Object, list[Object]] = {}
        for model, skin in drawn_models(self.context.root):
            if skin in rigs and skin != model:
                found.setdefault(model, []).append(skin)
        return found

    def _warn_of_unbaked(self, task: _Task, effects: Effects, left: int) -> None:
        listing, report = _listing(effects.bones), self.context.report
        if self.context.bake is Bake.NONE:
            text = T("the effect of constraints and drivers on {names} is not exported", names=listing)
            report.warn(
                task.rig.name, T("{text}: export with Bake Constraints, or bake its actions", text=text)
            )
        elif not any(task.rig.armature in skins for skins in self._skins.values()):
            text = T(
                "the effect of constraints and drivers on {names} is exported for the animation in use",
                names=listing,
            )
            text = T("{text}, but not for {left} others without keys for it", text=text, left=left)
            report.warn(
                task.rig.name,
                T("{text}: export with Bake Constraints: All, or key their influence", text=text),
            )

    def _curves(self, task: _Task, action: Action) -> ActionCurves:
        """Return the curves of an action, baked if constraints or drivers act in it."""
        if self._baker is None or action not in self._baked:
            return ActionCurves(action, task.rig.armature, task.bones)
        others = self._others[action]
        return BakedCurves(action, self._baker, task.bones, others, self.context.report)

    def _export_model(self, task: _Task, deleted: DeletedActions) -> None:
        rig, own = task.rig, task.own
        if task.olds or task.news:
            self.deleted += deleted.of(task.rig, task.own, task.olds)
        same = self._unchanged(task)
        for index in own:
            edit = None
            if index in task.olds:
                action = task.olds[index]
                if index not in same:
                    edit = self._edit(rig, action, index, self._curves(task, action))
                changes = self.settings.changes(action, index)
                if edit is not None and edit.ticks is not None:
                    self._warn_if_stretched(task, action, index, edit.ticks, changes)
                if changes:
                    edit = replace(edit or AnimationEdit(name=action.name), **changes)
            elif not rig.has_original_bones() and index not in self.deleted:
                edit = self._remapped(rig, index)
            if edit is not None:
                self.edits[index] = edit
        if task.news:
            self.added[rig.model] = [self._new(task, action) for action in task.news]

    @cached_property
    def _expected(self) -> dict[int, ModelCurves]:
        """The expected curves of untouched actions, for models with their own bones, by model."""
        context = self.context
        rigs = {task.rig.model: task for task in self._tasks if task.olds and task.rig.has_original_bones()}
        rest = [ModelAtRest(task.own, task.rig.frames, task.rig.head) for task in rigs.values()]
        rates = self.original.animations["frame_rate"]
        curves = level_curves(context.original_keys, rest, rates, context.space)
        return dict(zip(rigs, curves, strict=True))

    def _unchanged(self, task: _Task) -> set[int]:
        """Return the indices of the animations whose key frames are unchanged, compared all at once."""
        if self.context.rebuild:
            return set()
        return self._same(
            task, {index: action for index, action in task.olds.items() if action not in self._baked}
        )

    def _same(self, task: _Task, actions: Mapping[int, Action]) -> set[int]:
        """Return the indices of the animations whose key frames are those of the original."""
        context, rig, own = self.context, task.rig, task.own
        if not rig.has_original_bones() or not task.olds or rig.armature.tomb_raider.model.fit_boxes:
            return set()
        rates = self.original.animations["frame_rate"]
        candidates = {
            index - own.start: action
            for index, action in actions.items()
            if index in own
            and action.tomb_raider.frame_rate == max(int(rates[index]), 1)
            and action.use_frame_range
            and not edited_boxes(action)
            and not has_source(action)
            and (action.frame_start, action.frame_end) == (0, self.lengths[index])
        }
        same = unchanged_actions(
            candidates, rig.armature, task.bones, self._expected[rig.model], context.space
        )
        return {own.start + number for number in same}

    # --- One animation

    def _edit(self, rig: Rig, action: Action, index: int, curves: ActionCurves) -> AnimationEdit | None:
        """Return the changes of an animation of the original, or None."""
        record = self.original.animations[index]
        before = self._before(rig, action, index)
        timing = self._timing(action, curves, before)
        old = self._original_keys(rig, None) if self.context.rebuild else before.keys
        is_replaced = before.is_file
        frames = self._frames(rig, action, curves, timing, old, before.rate, rebuild=is_replaced)
        rate = timing.rate if timing.rate != max(int(record["frame_rate"]), 1) else None
        length = timing.ticks if timing.ticks != self.lengths[index] else None
        if frames is None and rate is None and length is None:
            return None
        return AnimationEdit(frames=frames, frame_rate=rate, ticks=length, name=action.name)

    def _new(self, task: _Task, action: Action) -> AnimationEdit:
        """Return a new animation. A copy has the state changes of its source."""
        rig, own = task.rig, task.own
        index = action.tomb_raider.index
        source = index if index in own and not is_foreign(action, self.context.root) else None
        curves = self._curves(task, action)
        before = self._before(rig, action, source)
        timing = self._timing(action, curves, before)
        frames = self._frames(rig, action, curves, timing, before.keys, before.rate, rebuild=True)
        settings = self.settings.of_new(action, source, own.start if own else None)
        if source is not None and timing.ticks != self.lengths[source]:
            changes = self.settings.changes(action, source)
            self._warn_if_stretched(task, action, source, timing.ticks, changes)
        return AnimationEdit(
            frames=frames, frame_rate=timing.rate, ticks=timing.ticks, name=action.name, **settings
        )

    def _warn_if_stretched(
        self, task: _Task, action: Action, index: int, ticks: int, changes: Container[str]
    ) -> None:
        """Warn if keys were scaled to another length, but not what counts in ticks."""
        if not counts_ticks(action, changes):
            return
        curves = ActionCurves(action, task.rig.armature, task.bones)
        old, rate = self._original_keys(task.rig, index), int(self.original.animations["frame_rate"][index])
        bits, space = self.game.traits.single_axis_bits, self.context.space
        if is_stretched(curves, task.rig, old, max(rate, 1), bits, space):
            warn_of_stretched(action, ticks, self.lengths[index], self.context.report)

    def _before(self, rig: Rig, action: Action, index: int | None) -> _Before:
        """Return the key frames that an action was made from: of a file, else of the original animation."""
        keys, made = self._original_keys(rig, index), file_keys(action, len(rig.names))
        rate = 0 if index is None else max(int(self.original.animations["frame_rate"][index]), 1)
        before = _Before(keys, rate, 0 if index is None else self.lengths[index])
        if made is None or self._is_same(before, made):
            return before
        return _Before(*made, is_file=True)

    def _is_same(self, before: _Before, made: FileKeys) -> bool:
        """Return whether a file has the key frames of an original animation."""
        keys, other = before.keys, made.keys
        if (before.rate, before.length, len(keys)) != (made.rate, made.length, len(other)):
            return False
        angles = round_angles(other.angles, self.game.traits.single_axis_bits)
        return (
            np.array_equal(keys.boxes, other.boxes)
            and np.array_equal(keys.offsets, other.offsets)
            and np.array_equal(keys.angles, angles)
        )

    def _timing(self, action: Action, curves: ActionCurves, before: _Before) -> Timing:
        imported = None
        if before.rate:
            imported = Timing(0.0, before.rate, len(before.keys), before.length)
        timing = timing_of(action, curves.span(), imported)
        warn_of_keys_outside(timing, action, curves, self.context.report)
        return refined(timing, action, curves, self.context.report, self.context.space)

    def _original_keys(self, rig: Rig, index: int | None) -> Keys:
        """Return the key frames of an animation, with a rotation for every bone of the scene's model."""
        bones = len(rig.names)
        if index is None:
            return Keys(
                np.zeros((0, 6), np.int16), np.zeros((0, 3), np.int16), np.zeros((0, bones, 3), np.uint16)
            )
        keys = self.context.original_keys.keys(index)
        if rig.has_original_bones():
            return keys
        # Index -1, of new bones, selects the last column, which is zero.
        angles = np.pad(keys.angles, ((0, 0), (0, 1), (0, 0)))[:, rig.columns]
        assert keys.kinds is not None  # always set for decoded keys
        kinds = np.pad(keys.kinds, ((0, 0), (0, 1)), constant_values=Z_AXIS)[:, rig.columns]
        return Keys(keys.boxes, keys.offsets, angles, kinds)

    def _remapped(self, rig: Rig, index: int) -> AnimationEdit | None:
        """Return an animation without an action, adjusted to added or deleted bones of its model."""
        keys = self._original_keys(rig, index)
        if not len(keys):
            return None
        return AnimationEdit(frames=encode_frames(self.game, keys, subject=rig.name), name=rig.name)

    def _frames(
        self,
        rig: Rig,
        action: Action,
        curves: ActionCurves,
        timing: Timing,
        old: Keys,
        old_rate: int,
        *,
        rebuild: bool = False,
    ) -> EncodedKeys | None:
        """Encode the key frames of an action, or return None if they are unchanged.

        A key frame with the same pose as the old one at its time keeps the original encoding of its
        rotations, and its box unless the model's boxes follow its meshes.
        """
        context, bones = self.context, len(rig.names)
        times = timing.times
        if not bones or not timing.keys:
            return None
        curves.warn_of_unsupported(action.name, context.report)
        rotations, locations = curves.poses(times)
        checked(rotations, action.name, T("the rotation of a bone at a key"))
        checked(locations, action.name, T("the position of a bone at a key"))
        positions = positions_to_file(locations, rig.frames[0], rig.head, context.space)
        source = self._sources(timing, len(old), old_rate)
        known = source >= 0
        old_angles = old.angles[source] if len(old) else np.zeros((timing.keys, bones, 3), np.uint16)
        old_angles[~known] = 0
        angles = old_angles.copy()
        angles[:, :bones] = angles_from_quaternions(
            rotations_to_file(rotations, rig.frames),
            self.game.traits.single_axis_bits,
            hints=None if context.rebuild else old_angles[:, :bones],
            subject=action.name,
        )
        same = known & (angles == old_angles).all(axis=(1, 2))
        same[same] = (positions[same] == old.offsets[source[same]]).all(axis=1)
        is_old = timing.keys == len(old) and same.all() and rig.has_original_bones() and not rebuild
        is_old = is_old and bool((source == np.arange(len(source))).all())
        is_fitted = rig.armature.tomb_raider.model.fit_boxes
        if is_old and not is_fitted and not edited_boxes(action):
            return None
        boxes = np.zeros((timing.keys, 6), np.int64)
        boxes[same] = old.boxes[source[same]]
        fitted = ~same | is_fitted
        boxes[fitted] = posed_boxes(
            rig.tree,
            quaternions_from_angles(angles[fitted, :bones], np.float64),
            positions[fitted],
            self._model_vertices(rig),
        )
        apply_edits(action, times, boxes, context.report)
        if is_old and np.array_equal(boxes, old.boxes):
            return None
        kinds = np.full(angles.shape[:2], Z_AXIS, np.uint8)
        if old.kinds is not None:
            kinds[known] = old.kinds[source[known]]
        counts = np.full(timing.keys, angles.shape[1])
        if old.counts is not None:
            counts[:] = bones
            counts[same] = old.counts[source[same]]
        keys = Keys(boxes, positions, angles, kinds, counts, old.padding, old.frame_size)
        return encode_frames(self.game, keys, subject=action.name)

    def _sources(self, timing: Timing, count: int, old_rate: int) -> NDArray[np.int64]:
        """Return the index of the old key at the time of each key, -1 for none."""
        source = timing.times / max(old_rate, 1)
        number = np.rint(source).astype(np.int64)
        aligned = (np.abs(source - number) < 1e-3) & bool(old_rate)
        return np.where(aligned & (number >= 0) & (number < count), number, -1)

    def _model_vertices(self, rig: Rig) -> list[NDArray[np.int16]]:
        """Return the vertices of a model's meshes as they are exported."""
        if rig.model not in self._vertices:
            context, level = self.context, self.context.level
            block = context.original_meshes
            if level.mesh_data is not context.original.mesh_data:
                block = self._written_meshes
            first = int(level.models["first_mesh"][rig.model])
            numbers = block.pointers[first : first + len(rig.names)].tolist()
            self._vertices[rig.model] = [block.meshes[number].vertices for number in numbers]
        return self._vertices[rig.model]

    @cached_property
    def _written_meshes(self) -> MeshBlock:
        level = self.context.level
        return decode_meshes(level.game, level.mesh_data, level.mesh_pointers)


ANIMATION_NUMBERS: Product[Mapping[Action, int]] = Product("ANIMATION_NUMBERS", dict)


def _export(context: ExportContext) -> None:
    ANIMATION_NUMBERS.set(context, export_actions(context, WRITTEN_MODELS.of(context).rigs))


STEPS = Steps(
    {ImportStage.ANIMATIONS: lambda context: import_actions(context, SKELETONS.of(context))},
    {ExportStage.GEOMETRY: _export},
)
