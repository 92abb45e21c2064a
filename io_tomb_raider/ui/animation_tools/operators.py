"""Operators that edit the keys of the animation in use."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object

from ...formats.base import T
from ...scene.core.blender import compat
from ...scene.properties import CONTEXT
from ...scene.subjects.animations import known_names
from ..animations.playing import refresh_pose
from ..base.active import active_scene
from ..base.conditions import condition
from ..base.operators import EditingTool
from ..base.reports import Outcome, report_line
from .actors import ONLY_MODELS, is_on_actor, key_actor


def target_of(context: Context) -> tuple[Object, Action] | None:
    """Return the armature that the active object poses and the action that it shows, or None."""
    from ...scene.subjects.animations import action_in_use
    from ...scene.subjects.models import posed_armature

    armature = posed_armature(context.object)
    if armature is None or armature.type != "ARMATURE":
        return None
    action = action_in_use(armature)
    return None if action is None else (armature, action)


def has_layer(context: Context) -> bool:
    """Return whether the active model shows an animation with a layer."""
    from ...scene.subjects.animations import layered_action

    target = target_of(context)
    return target is not None and layered_action(target[0]) is not None


class KeyTool(EditingTool):
    """Base of operators on the animation that the active model shows, or on the action of an actor."""

    shows_pose = condition(
        lambda context: target_of(context) or is_on_actor(context),
        T("Make a model active that shows an animation"),
    ) + condition(
        lambda context: (
            is_on_actor(context) or ((found := target_of(context)) is not None and found[0].pose is not None)
        ),
        T("Make the model visible first"),
    )
    requires = shows_pose + condition(
        lambda context: not has_layer(context), T("The animation has a layer: bake or discard it first")
    )

    def edited(self, context: Context) -> Iterable[Any]:
        from ...scene.authoring.animation_tools import model_of

        found = target_of(context)
        return [] if found is None else [found[1], found[0], model_of(found[1], found[0])]

    def execute(self, context: Context) -> Outcome:
        key_actor(context)
        found = target_of(context)
        assert found is not None  # the poll has checked it
        text = self.edit(context, *found)
        if text is None:
            return {"CANCELLED"}
        report_line(self, "INFO", text)
        return {"FINISHED"}

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        """Edit the action that an armature shows, and return the report; None after reporting no change."""
        raise NotImplementedError


def show_action(context: Context, armature: Object, action: Action, edited: Iterable[Action] = ()) -> None:
    """Show an action after an edit, and forget what was known of the actions before."""
    from ...scene.authoring.animation_tools import refresh_seams
    from ...scene.subjects.animations import action_in_use, show_in_range

    model = action.tomb_raider.model or armature
    actions = [action, *edited]
    refresh_seams(actions, armature)
    if action_in_use(armature) != action:
        show_in_range(model, action, active_scene(context), from_start=False)
        if armature != model:
            compat.assign_action(armature, action)
    refresh_pose(context)


def _result() -> object:
    """Declare the choice between a copy and an edit in place."""
    return EnumProperty(
        name="Result",
        translation_context=CONTEXT,
        items=[
            ("COPY", "New Animation", "Add a new animation to the model. Actors of cutscenes keep their one"),
            ("IN_PLACE", "In Place", "Change this animation"),
        ],
        description="Destination of the result",
    )


# --- Copy, mirror and reverse ----------------------------------------


class TOMB_RAIDER_OT_duplicate_animation(KeyTool):
    """Add a copy of this animation to the model, with its transitions and sounds, and show it"""

    bl_idname = "tomb_raider.duplicate_animation"
    bl_label = "Duplicate Animation"
    requires = KeyTool.requires + ONLY_MODELS

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import copy_animation, model_of

        made = copy_animation(action, model_of(action, armature), "copy")
        show_action(context, armature, made)
        return T("{name}: a new animation, in use", name=made.name)


class TOMB_RAIDER_OT_mirror_animation(KeyTool):
    """Swap left and right in this animation: keys, footprints, lateral speeds and positions"""

    bl_idname = "tomb_raider.mirror_animation"
    bl_label = "Mirror Animation"

    result: _result()

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import (
            copy_animation,
            mirror,
            model_of,
            partners_of,
            read_clip,
        )

        rest = read_clip(action, armature).rest
        partners = partners_of(rest)
        is_new = self.result == "COPY" and not is_on_actor(context)
        made = copy_animation(action, model_of(action, armature), "mirrored") if is_new else action
        clip = read_clip(made, armature, rest)
        mirror(clip, partners, is_new=is_new)
        show_action(context, armature, made)
        pairs = sum(partner != number for number, partner in enumerate(partners.tolist())) // 2
        if not pairs and len(rest.names) > 1:
            text = T("no bones were swapped, as none mirror each other or have names with .L and .R")
            report_line(
                self,
                "WARNING",
                T("{name}: mirrored, but {text}: rename those that are pairs", name=made.name, text=text),
            )
        return T(
            "{name}: {count} keys mirrored, {pairs} pairs of bones swapped",
            name=made.name,
            count=len(clip.poses.frames),
            pairs=pairs,
        )


class TOMB_RAIDER_OT_reverse_animation(KeyTool):
    """Reverse this animation: keys, markers, ranges of state changes, speeds and positions"""

    bl_idname = "tomb_raider.reverse_animation"
    bl_label = "Reverse Animation"

    result: _result()

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import copy_animation, model_of, read_clip, reverse

        rest = read_clip(action, armature).rest
        is_new = self.result == "COPY" and not is_on_actor(context)
        made = copy_animation(action, model_of(action, armature), "reversed") if is_new else action
        clip = read_clip(made, armature, rest)
        reverse(clip, is_new=is_new)
        show_action(context, armature, made)
        return T("{name}: {count} keys reversed", name=made.name, count=len(clip.poses.frames))


# --- Spread and smooth ----------------------------------------


def _wraps() -> object:
    return BoolProperty(
        name="Across the Loop",
        default=True,
        description="Continue at the other end of the animation if it repeats",
    )


def _selected_only() -> object:
    return BoolProperty(name="Selected Bones Only", default=False, description="Change only selected bones")


def _selected_bones(armature: Any) -> set[str]:
    """Return the names of selected bones, and of the limbs' bones that selected controls move."""
    from ...scene.authoring.control_rig import rig_limbs

    selected = {bone.name for bone in armature.pose.bones if compat.is_bone_selected(bone)}
    limbs = (limb for limb in rig_limbs(armature) if selected & {*limb.controls()})
    return selected.union(*(limb.own for limb in limbs))


class TOMB_RAIDER_OT_spread_edit(KeyTool):
    """Blend the pose edit at this frame into the keys around it, keyed or not"""

    bl_idname = "tomb_raider.spread_edit"
    bl_label = "Spread Edit"
    requires = condition(lambda context: context.mode == "POSE", T("Pose bones in Pose Mode first")) + (
        KeyTool.requires
    )

    ticks: IntProperty(
        name="Ticks",
        default=5,
        min=1,
        max=10000,
        soft_max=60,
        description="Reach of the change before and after this frame",
    )
    wraps: _wraps()
    selected_only: _selected_only()
    posed: StringProperty(
        name="Pose",
        options={"HIDDEN", "SKIP_SAVE"},
        description="Pose to spread, for repeated calls with other settings",
    )

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import (
            loop_frames,
            pack_pose,
            refresh_seams,
            spread_edit,
            unpack_pose,
        )
        from ...scene.core import first_few

        scene = active_scene(context)
        frame = scene.frame_current + scene.frame_subframe
        if self.posed:
            unpack_pose(armature, frame, self.posed)
        self.posed = pack_pose(armature, frame)
        only = _selected_bones(armature) if self.selected_only else None
        loop = loop_frames(action) if self.wraps and not is_on_actor(context) else None
        found = spread_edit(armature, action, frame, self.ticks, loop=loop, only=only)
        if found is None:
            text = T("pose bones, or select those whose keys here you have edited before")
            report_line(
                self,
                "WARNING",
                T("{action}: nothing was posed at this frame: {text}", action=action.name, text=text),
            )
            return None
        refresh_seams([action], armature)
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
        text = T(
            "{action}: {bones} changed over {keys} keys",
            action=action.name,
            bones=first_few(found.bones, 4),
            keys=found.keys,
        )
        text = T("{text}, frames {first:g} to {last:g}", text=text, first=found.first, last=found.last)
        return T("{text}; compared with the keys around this frame", text=text) if found.is_guessed else text


class TOMB_RAIDER_OT_smooth_keys(KeyTool):
    """Smooth the motion: move each key toward the average of its neighbors"""

    bl_idname = "tomb_raider.smooth_keys"
    bl_label = "Smooth Keys"

    strength: FloatProperty(
        name="Strength", default=0.5, min=0.0, max=1.0, subtype="FACTOR", description="Amount of smoothing"
    )
    repeat: IntProperty(name="Repeat", default=1, min=1, max=100, soft_max=20, description="Number of passes")
    wraps: _wraps()
    selected_only: _selected_only()

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import read_clip, smooth

        clip = read_clip(action, armature)
        only = _selected_bones(armature) if self.selected_only else None
        smooth(clip, self.strength, self.repeat, only, wraps=self.wraps and not is_on_actor(context))
        show_action(context, armature, action)
        return T("{action}: {count} keys smoothed", action=action.name, count=len(clip.poses.frames))


# --- Loops ----------------------------------------


class TOMB_RAIDER_OT_check_loops(KeyTool):
    """Measure the gap between each animation of this model and the next one, for the list"""

    bl_idname = "tomb_raider.check_loops"
    bl_label = "Loop Check"
    requires = KeyTool.requires + ONLY_MODELS

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import model_of, note_seams
        from ...scene.subjects.animations import own_animations

        actions = own_animations(model_of(action, armature)) or [action]
        jumps = note_seams(actions, armature)
        text = T(
            "{jumps} of {count} animations jump at their end; the list shows the distance",
            jumps=jumps,
            count=len(actions),
        )
        seam = action.tomb_raider.seam
        return (
            T("{text}. {action}: {seam:.0f} units", text=text, action=action.name, seam=seam)
            if seam >= 0
            else text
        )


class TOMB_RAIDER_OT_close_loop(KeyTool):
    """Spread the gap between this animation and the next one over its keys"""

    bl_idname = "tomb_raider.close_loop"
    bl_label = "Close Loop"
    requires = KeyTool.requires + ONLY_MODELS

    ticks: IntProperty(
        name="Ticks",
        default=0,
        min=0,
        max=10000,
        soft_max=60,
        description="Ticks before the end to change, 0 for all",
    )
    share: FloatProperty(
        name="Share of the Start",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        description="Share of the gap to close at the start of a loop; 0 keeps the first pose",
    )

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import close_loop, follows_itself, read_clip

        clip = read_clip(action, armature)
        share = self.share if follows_itself(action) and action.tomb_raider.next_frame == 0 else 0.0
        gap = close_loop(clip, self.ticks, at_start=share)
        if gap is None:
            report_line(self, "WARNING", T("{action}: its next animation has no keys", action=action.name))
            return None
        show_action(context, armature, action)
        return T(
            "{action}: closed a gap of {gap:.0f} units to the next animation", action=action.name, gap=gap
        )


# --- Many at once ----------------------------------------


def _names_of_kind(context: Context | None, kind: str) -> Mapping[int, str]:
    """Return the names of the sounds or effects of the game, by number."""
    found = None if context is None else target_of(context)
    return {} if found is None else known_names(found[1], "sound" if kind == "SOUND" else "flipeffect")


def _search(operator: Any, context: Context, text: str) -> list[str]:
    wanted = text.casefold()
    names = _names_of_kind(context, operator.kind).items()
    return [f"{name} ({number})" for number, name in names if wanted in name.casefold()]


def _numbers(known: Mapping[int, str], text: str) -> int | None:
    """Return the number that a text names or ends with, or None."""
    for number, name in known.items():
        if name.casefold() == text.strip().casefold():
            return number
    digits = re.search(r"(\d+)\)?\s*$", text)
    return int(digits[1]) if digits and int(digits[1]) <= 0x3FFF else None


class TOMB_RAIDER_OT_replace_events(KeyTool):
    """Replace a sound or effect of animations with another one, or remove it"""

    bl_idname = "tomb_raider.replace_events"
    bl_label = "Replace Sound or Effect"
    requires = KeyTool.requires + ONLY_MODELS

    kind: EnumProperty(
        name="Kind",
        items=[("SOUND", "Sound", "Replace a sound"), ("EFFECT", "Effect", "Replace an effect of the game")],
        description="What to replace",
    )
    find: StringProperty(
        name="Find", search=_search, description="Sound or effect to replace, by name or number"
    )
    replacement: StringProperty(
        name="Replace With", search=_search, description="Sound or effect to use instead, by name or number"
    )
    removes: BoolProperty(
        name="Remove",
        description="Remove the sound or effect with its markers instead",
        options={"SKIP_SAVE"},
    )
    scope: EnumProperty(
        name="Animations",
        items=[
            ("ONE", "This One", "Only the animation in use"),
            ("MODEL", "All of the Model", "All animations of the model"),
        ],
        default="MODEL",
        description="Animations to change",
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self)

    def edited(self, context: Context) -> Iterable[Any]:
        return [*super().edited(context), *self._actions(context)]

    def _actions(self, context: Context) -> list[Action]:
        from ...scene.authoring.animation_tools import model_of
        from ...scene.subjects.animations import own_animations

        found = target_of(context)
        if found is None:
            return []
        own = own_animations(model_of(found[1], found[0])) if self.scope == "MODEL" else []
        return own or [found[1]]

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import replace_events

        known = _names_of_kind(context, self.kind)
        old, new = _numbers(known, self.find), _numbers(known, self.replacement)
        if old is None or (new is None and not self.removes):
            report_line(self, "ERROR", T("Choose a sound or effect to find, and its replacement"))
            return None
        new = None if self.removes else new
        markers, animations = replace_events(self._actions(context), self.kind, old, new)
        return T(
            "{markers} markers of {animations} animations changed", markers=markers, animations=animations
        )


class TOMB_RAIDER_OT_fix_animations(KeyTool):
    """Give all animations of this model their game names and trim them to their keys"""

    bl_idname = "tomb_raider.fix_animations"
    bl_label = "Fix Names and Ends"
    requires = KeyTool.requires + ONLY_MODELS

    def edited(self, context: Context) -> Iterable[Any]:
        return [*super().edited(context), *self._actions(context)]

    def _actions(self, context: Context) -> list[Action]:
        from ...scene.authoring.animation_tools import model_of
        from ...scene.subjects.animations import own_animations

        found = target_of(context)
        return [] if found is None else own_animations(model_of(found[1], found[0]))

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import fix_names_and_ends, model_of

        fixed = fix_names_and_ends(model_of(action, armature), self._actions(context))
        if not fixed.names and not fixed.ends:
            report_line(self, "INFO", T("{action}: there is nothing to fix", action=action.name))
            return None
        return T(
            "{names} animations renamed, {ends} ends moved to the last key",
            names=fixed.names,
            ends=fixed.ends,
        )


_CLASSES = (
    TOMB_RAIDER_OT_spread_edit,
    TOMB_RAIDER_OT_duplicate_animation,
    TOMB_RAIDER_OT_mirror_animation,
    TOMB_RAIDER_OT_reverse_animation,
    TOMB_RAIDER_OT_smooth_keys,
    TOMB_RAIDER_OT_check_loops,
    TOMB_RAIDER_OT_close_loop,
    TOMB_RAIDER_OT_replace_events,
    TOMB_RAIDER_OT_fix_animations,
)

register, unregister = bpy.utils.register_classes_factory(_CLASSES)
