"""Import and export of animations (documentation, chapter 6.2): actions with a key at every key frame."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from bpy.types import Action, Object

from ....formats.base import T, plural
from ....formats.editors.wads import AnimationExtras
from ....formats.levels.animations import (
    AddedAnimation,
    AnimationEdit,
    AnimationReference,
    AnimationTables,
    EncodedKeys,
    Keys,
    animation_models,
    edit_animations,
    encode_frames,
    model_animations,
    round_angles,
)
from ...core.context import Bake, ExportContext
from ...core.level_uid import is_foreign
from ...core.order import ordered
from ...core.reporting.report import first_few
from ...core.stages import ExportStage, ImportStage, Product, Steps
from ..models.figures import drawn_models
from ..models.read import Rig
from ..models.steps import SKELETONS, WRITTEN_MODELS
from .baking import BakedCurves, Baker, baking
from .build import import_actions, last_frames
from .changes.layers import is_layered
from .changes.outside import Frames, warn_of_outside
from .changes.references import AnimationReferences, imported_animations
from .deleted import DeletedActions
from .effects import ActingEffects, Activity, Effects, in_use
from .frames import ActionMotion, FrameExport
from .from_files import FileKeys, file_keys, has_source
from .keys.action_curves import ActionCurves, ActionKeys, unchanged_actions
from .keys.boxes import edited_boxes
from .keys.curves import BonePaths
from .keys.level_curves import ModelAtRest, ModelCurves, level_curves
from .keys.stretched import counts_ticks, is_stretched, warn_of_stretched
from .keys.timing import Timing, refined, timing_of, warn_of_keys_outside
from .settings import SettingsExport, animation_extras
from .used import actions_by_model, may_have_effects, shown_copies


def export_actions(context: ExportContext) -> None:
    """Write changed and new animations of models, and note the number of each action within its model.

    Raises:
        ExportError: if an action holds something that no game can.
    """
    rigs = WRITTEN_MODELS.of(context).rigs
    ANIMATION_NUMBERS.set(context, _ActionExport(context, rigs).run() if rigs else {})


@dataclass(frozen=True, eq=False)
class _Task:
    """A model to export: its animations in the original, their actions by index, and new actions."""

    rig: Rig
    animations: range
    bones: BonePaths
    old_actions: dict[int, Action] = field(default_factory=dict)
    new_actions: list[Action] = field(default_factory=list)

    @property
    def actions(self) -> list[Action]:
        return [*self.old_actions.values(), *self.new_actions]


class _Before(NamedTuple):
    """The key frames that an action was made from."""

    keys: Keys  #: none for a new action.
    rate: int  #: ticks per key, 0 for a new action.
    length: int  #: the last frame.
    is_file: bool = False  #: whether they are those of a file, and differ from the original.


class _ActionExport:
    """State of one export of all actions."""

    def __init__(self, context: ExportContext, rigs: Sequence[Rig]) -> None:
        self.context = context
        self.original = context.original
        self.game = context.original.game
        self.lengths = last_frames(self.original.animations)
        self._owners = animation_models(self.original.models, self.original.animations)
        self._first, self._count = model_animations(self.original.models, self.original.animations)
        self.edits: dict[int, AnimationEdit] = {}
        self.added: dict[int, list[AnimationEdit]] = {}
        self.deleted: list[int] = []
        self._by_action: dict[Action, AnimationReference] = {}
        self._baker: Baker | None = None
        self._baked: set[Action] = set()
        self._keys: dict[Action, ActionKeys] = {}
        self._frames = FrameExport(context)
        self._actions = actions_by_model(rigs, context.report)
        self._shown_copies = shown_copies(rigs)
        self._tasks = [self._sort(rig, self._actions[rig.armature]) for rig in rigs]
        for task in self._tasks:
            self._add_edited_copies(task)
        self.references = AnimationReferences(self._by_action, context.root, self.original, self._owners)
        self.settings = SettingsExport(
            self.original, self.references, context.report, rebuild=context.rebuild
        )

    def run(self) -> dict[Action, int]:
        context = self.context
        for action in self._by_action:
            if is_layered(action):
                text = T("its layer is not exported: bake or discard it")
                context.report.warn(action.name, text)
        numbers: dict[Action, int] = {}
        extras: dict[tuple[int, int], AnimationExtras] = {}
        was_imported = "ANIMATIONS" in context.root.tomb_raider.imported
        acting = {index: action for task in self._tasks for index, action in task.old_actions.items()}
        deleted = DeletedActions(context, self.settings, self.references, acting)
        for task in self._tasks:
            if task.old_actions or task.new_actions or not task.rig.has_original_bones():
                self._export_as_evaluated(task, deleted)
            elif task.animations and was_imported and not imported_animations(task.rig.armature):
                text = T("its actions were deleted; the level keeps its animations")
                context.report.warn(task.rig.name, text)
            new_numbers = self._numbers(task)
            numbers |= new_numbers
            extras |= {
                (task.rig.model, number): animation_extras(action) for action, number in new_numbers.items()
            }
        ANIMATION_EXTRAS.set(context, extras)
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

        names = {exported: action.name for action, exported in self._by_action.items()}
        frames = Frames(last, old_last, names)
        for action, exported in self._by_action.items():
            targets = self.settings.targets_of(action)
            if targets.are_inside(exported, last):
                continue
            # A new animation may be a copy of any of its model.
            sources = [exported] if isinstance(exported, int) else self._animations_of(exported.model)
            originals = ((source, self.settings.original_targets(source)) for source in sources)
            warn_of_outside(action, exported, targets, originals, frames, self.context.report)

    def _numbers(self, task: _Task) -> dict[Action, int]:
        """Return the number of each action within the model; only the last animations are ever deleted."""
        kept_count = len(set(task.animations) - set(self.deleted))
        old = {action: index - task.animations.start for index, action in task.old_actions.items()}
        return old | {action: kept_count + position for position, action in enumerate(task.new_actions)}

    def _animations_of(self, model: int) -> range:
        """Return the animations of the original that a model owns."""
        if model < len(self.original.models):
            first, count = self._first[model], self._count[model]
            if first >= 0 and self._owners[first] == model:
                return range(int(first), int(first + count))
        return range(0)

    def _sort(self, rig: Rig, actions: list[Action]) -> _Task:
        """Match the actions of a model to its animations."""
        animations = self._animations_of(rig.model)
        task = _Task(rig, animations, BonePaths.of(rig.names, rig.old_names))
        actions = [action for action in actions if action not in self._shown_copies]
        foreign = {action for action in actions if is_foreign(action, self.context.root)}
        rows = [
            *ordered(set(actions) - foreign, imported_animations(rig.armature)),
            *((action, -1) for action, _ in ordered(foreign)),
        ]
        for action, index in rows:
            if index in animations:
                task.old_actions[index] = action
                self._by_action[action] = index
            else:
                self._by_action[action] = AddedAnimation(rig.model, len(task.new_actions))
                task.new_actions.append(action)
        return task

    def _add_edited_copies(self, task: _Task) -> None:
        """Make those copies that only other models show new animations of a model if they were edited."""
        for action in self._actions[task.rig.armature]:
            index = action.tomb_raider.index
            if action in self._shown_copies and index not in self._unchanged(task, {index: action}):
                self._by_action[action] = AddedAnimation(task.rig.model, len(task.new_actions))
                task.new_actions.append(action)

    def _export_as_evaluated(self, task: _Task, deleted: DeletedActions) -> None:
        """Export a model with baked constraints and drivers, and with a warning where they are not baked."""
        effects = self._effects(task)
        if effects is None:
            self._export_model(task, deleted)
            return
        acting_effects = ActingEffects.of(effects, task.actions, task.rig.armature, task.bones)
        acting, self._keys = acting_effects.activities, acting_effects.keys
        if self.context.bake is Bake.ALL:
            self._baked = {*acting}
        elif self.context.bake is Bake.IN_USE:
            in_use_now = {*in_use(task.rig.armature), *in_use(effects.armature), *task.new_actions}
            self._baked = {each for each in acting if acting[each] is Activity.KEYED or each in in_use_now}
        unbaked_count = len(acting) - len(self._baked)
        if unbaked_count or not task.actions:
            self._warn_of_unbaked(task, effects, unbaked_count)
        if self._baked:
            with baking(task.rig, effects.armature, self.context.space, acting_effects.keyed) as self._baker:
                self._export_model(task, deleted)
        else:
            self._export_model(task, deleted)
        self._baker, self._baked, self._keys = None, set(), {}

    def _effects(self, task: _Task) -> Effects | None:
        """Return what constraints and drivers do to a model as it is seen, None if there are none.

        Constraints on a model that is drawn in its place count for its animations. Those that both have, as
        of a control rig, act on its own joints.
        """
        count, names = len(task.rig.names), {*task.rig.names}
        model = task.rig.armature
        own_effects = Effects(model) if may_have_effects(model, count) else None
        for armature in self._skins.get(model, ()):
            if may_have_effects(armature, count) and names <= {bone.name for bone in armature.data.bones}:
                result = Effects(armature)
                if result and (own_effects is None or not result.are_all_in(own_effects)):
                    return result
        return own_effects or None

    @cached_property
    def _skins(self) -> dict[Object, list[Object]]:
        """The models drawn in place of others, by those."""
        rigs = {task.rig.armature for task in self._tasks}
        result: dict[Object, list[Object]] = {}
        for model, skin in drawn_models(self.context.root):
            if skin in rigs and skin != model:
                result.setdefault(model, []).append(skin)
        return result

    def _warn_of_unbaked(self, task: _Task, effects: Effects, unbaked_count: int) -> None:
        bones, report = effects.bones, self.context.report
        listing = plural("the bone {bones}", "the bones {bones}", len(bones), bones=first_few(bones, 3))
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
            text = T("{text}, but not for {left} others without keys for it", text=text, left=unbaked_count)
            report.warn(
                task.rig.name,
                T("{text}: export with Bake Constraints: All, or key their influence", text=text),
            )

    def _curves(self, task: _Task, action: Action) -> ActionCurves:
        """Return the curves of an action, baked if constraints or drivers act in it."""
        if self._baker is None or action not in self._baked:
            return ActionCurves(action, task.rig.armature, task.bones)
        return BakedCurves(self._keys[action], self._baker, task.bones, self.context.report)

    def _export_model(self, task: _Task, deleted: DeletedActions) -> None:
        rig, animations = task.rig, task.animations
        if task.old_actions or task.new_actions:
            self.deleted += deleted.of(task.rig, task.animations, task.old_actions)
        unbaked = {index: action for index, action in task.old_actions.items() if action not in self._baked}
        same = set() if self.context.rebuild else self._unchanged(task, unbaked)
        motions = {
            index: self._motion(task, action, index)
            for index, action in task.old_actions.items()
            if index not in same
        }
        sources = [self._source(task, action) for action in task.new_actions]
        new = [
            self._motion(task, action, source, is_new=True)
            for action, source in zip(task.new_actions, sources, strict=True)
        ]
        frames = self._frames.encode(rig, [*motions.values(), *new])
        encoded = dict(zip(motions, frames, strict=False))
        for index in animations:
            edit = None
            if index in task.old_actions:
                action = task.old_actions[index]
                if index in motions:
                    edit = self._edit(motions[index], encoded[index], index)
                changes = self.settings.changes(action, index)
                if edit is not None and edit.ticks is not None:
                    self._warn_if_stretched(task, action, index, edit.ticks, changes)
                if changes:
                    edit = replace(edit or AnimationEdit(name=action.name), **changes)
            elif not rig.has_original_bones() and index not in self.deleted:
                edit = self._remapped(rig, index)
            if edit is not None:
                self.edits[index] = edit
        if new:
            parts = zip(new, frames[len(motions) :], sources, strict=True)
            self.added[rig.model] = [self._new(task, *each) for each in parts]

    @cached_property
    def _expected(self) -> dict[int, ModelCurves]:
        """The expected curves of untouched actions, for models with their own bones, by model."""
        context = self.context
        rigs = {
            task.rig.model: task for task in self._tasks if task.old_actions and task.rig.has_original_bones()
        }
        rest = [ModelAtRest(task.animations, task.rig.frames, task.rig.head) for task in rigs.values()]
        rates = self.original.animations["frame_rate"]
        curves = level_curves(context.original_keys, rest, rates, context.space)
        return dict(zip(rigs, curves, strict=True))

    def _unchanged(self, task: _Task, actions: Mapping[int, Action]) -> set[int]:
        """Return the indices of the animations whose key frames are unchanged, compared all at once."""
        context, rig, animations = self.context, task.rig, task.animations
        if not rig.has_original_bones() or not task.old_actions or rig.armature.tomb_raider.model.fit_boxes:
            return set()
        rates = self.original.animations["frame_rate"]
        candidates = {
            index - animations.start: action
            for index, action in actions.items()
            if index in animations
            and action.tomb_raider.frame_rate == max(int(rates[index]), 1)
            and action.use_frame_range
            and not edited_boxes(action)
            and not has_source(action)
            and (action.frame_start, action.frame_end) == (0, self.lengths[index])
        }
        same = unchanged_actions(
            candidates, rig.armature, task.bones, self._expected[rig.model], context.space, self._keys
        )
        return {animations.start + number for number in same}

    # --- One animation

    def _motion(
        self, task: _Task, action: Action, index: int | None, *, is_new: bool = False
    ) -> ActionMotion:
        """Return the motion of an action that was made from an animation, None for none of the original."""
        curves, before = self._curves(task, action), self._before(task.rig, action, index)
        timing = self._timing(action, curves, before)
        rebuilds = self.context.rebuild and not is_new
        old = self._frames.original_keys(task.rig, None) if rebuilds else before.keys
        return ActionMotion(action, curves, timing, old, before.rate, is_new or before.is_file)

    def _source(self, task: _Task, action: Action) -> int | None:
        """Return the animation of the original that a new action is a copy of, or None."""
        index = action.tomb_raider.index
        return index if index in task.animations and not is_foreign(action, self.context.root) else None

    def _edit(self, motion: ActionMotion, frames: EncodedKeys | None, index: int) -> AnimationEdit | None:
        """Return the changes of an animation of the original, or None."""
        record, timing = self.original.animations[index], motion.timing
        rate = timing.rate if timing.rate != max(int(record["frame_rate"]), 1) else None
        length = timing.ticks if timing.ticks != self.lengths[index] else None
        if frames is None and rate is None and length is None:
            return None
        return AnimationEdit(frames=frames, frame_rate=rate, ticks=length, name=motion.action.name)

    def _new(
        self, task: _Task, motion: ActionMotion, frames: EncodedKeys | None, source: int | None
    ) -> AnimationEdit:
        """Return a new animation. A copy has the state changes of its source."""
        action, timing, animations = motion.action, motion.timing, task.animations
        settings = self.settings.of_new(action, source, animations.start if animations else None)
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
        old = self._frames.original_keys(task.rig, index)
        rate = int(self.original.animations["frame_rate"][index])
        bits, space = self.game.traits.single_axis_bits, self.context.space
        if is_stretched(curves, task.rig, old, max(rate, 1), bits, space):
            warn_of_stretched(action, ticks, self.lengths[index], self.context.report)

    def _before(self, rig: Rig, action: Action, index: int | None) -> _Before:
        """Return the key frames that an action was made from: of a file, else of the original animation."""
        keys, from_file = self._frames.original_keys(rig, index), file_keys(action, len(rig.names))
        rate = 0 if index is None else max(int(self.original.animations["frame_rate"][index]), 1)
        before = _Before(keys, rate, 0 if index is None else self.lengths[index])
        if from_file is None or self._is_same(before, from_file):
            return before
        return _Before(*from_file, is_file=True)

    def _is_same(self, before: _Before, from_file: FileKeys) -> bool:
        """Return whether a file has the key frames of an original animation."""
        keys, file_frames = before.keys, from_file.keys
        if (before.rate, before.length, len(keys)) != (from_file.rate, from_file.length, len(file_frames)):
            return False
        angles = round_angles(file_frames.angles, self.game.traits.single_axis_bits)
        return (
            np.array_equal(keys.boxes, file_frames.boxes)
            and np.array_equal(keys.offsets, file_frames.offsets)
            and np.array_equal(keys.angles, angles)
        )

    def _timing(self, action: Action, curves: ActionCurves, before: _Before) -> Timing:
        imported = Timing(0.0, before.rate, len(before.keys), before.length) if before.rate else None
        timing = timing_of(action, curves.span(), imported)
        warn_of_keys_outside(timing, action, curves, self.context.report)
        return refined(timing, action, curves, self.context.report, self.context.space)

    def _remapped(self, rig: Rig, index: int) -> AnimationEdit | None:
        """Return an animation without an action, adjusted to added or deleted bones of its model."""
        keys = self._frames.original_keys(rig, index)
        if not len(keys):
            return None
        return AnimationEdit(frames=encode_frames(self.game, keys, subject=rig.name), name=rig.name)


ANIMATION_NUMBERS: Product[Mapping[Action, int]] = Product("ANIMATION_NUMBERS", dict)
# By the number of the model, and of the animation within it.
ANIMATION_EXTRAS: Product[Mapping[tuple[int, int], AnimationExtras]] = Product("ANIMATION_EXTRAS", dict)
STEPS = Steps(
    {ImportStage.ANIMATIONS: lambda context: import_actions(context, SKELETONS.of(context))},
    {ExportStage.GEOMETRY: export_actions},
)
