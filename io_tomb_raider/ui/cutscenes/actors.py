"""Operators that add actors to cutscenes, and animations to actors."""

from typing import Any

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object

from ...formats.base import T, about
from ...scene.core import Kind
from ..base.active import active_scene
from ..base.levels import level_with
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, report_line, report_result, set_poll_message
from .operators import active_cutscene


class TOMB_RAIDER_OT_add_actors(EditingTool):
    """Add the selected models and entities to the active cutscene as actors"""

    bl_idname = "tomb_raider.add_actors"
    bl_label = "Add Actors to Cutscene"

    collection: StringProperty(
        name="Cutscene",
        description="Collection of the cutscene. Empty: the active one",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.cutscenes import add_actors

        named = bpy.data.collections.get(self.collection) if self.collection else active_cutscene(context)
        if named is None or named.tomb_raider.kind != Kind.CUTSCENE:
            raise ToolError(T("Make a cutscene's collection or one of its objects active"))
        actors = add_actors(named, list(context.selected_objects))
        if not actors:
            raise ToolError(T("Select the models or entities to add as actors"))
        report_line(self, "INFO", T("{named}: {count} added", named=named.name, count=len(actors)))
        return {"FINISHED"}


def _search(operator: Any, context: Context, text: str) -> list[str]:
    from ...scene.subjects.animations import own_animations

    model = None if context.object is None else context.object.tomb_raider.actor.model
    names = [action.name for action in own_animations(model)] if model is not None else []
    return [name for name in names if text.casefold() in name.casefold()]


def _unbaked(action: Action, model: Object) -> list[str]:
    """Return a warning about an animation that a control rig poses, as a strip on an actor without keys."""
    from ...scene.authoring.control_rig import rig_limbs, uses_controls

    if not uses_controls(action, model, rig_limbs(model)):
        return []
    text = T("actors play the keys of its bones, not what controls do: use Bake Animation first")
    return [about(action.name, text)]


class TOMB_RAIDER_OT_add_actor_animation(EditingTool):
    """Add an animation of its model to the active actor from this frame on, and go to the end of that"""

    bl_idname = "tomb_raider.add_actor_animation"
    bl_label = "Add Animation to Actor"

    animation: StringProperty(
        name="Animation", search=_search, description="Animation of the actor's model", options={"SKIP_SAVE"}
    )
    count: IntProperty(
        name="Animations",
        default=1,
        min=1,
        max=64,
        description="Number of animations: this one, and those that follow it in the game",
        options={"SKIP_SAVE"},
    )
    moves: BoolProperty(
        name="Move", default=True, description="Move the actor by the animations' speeds, as the game does"
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        obj = context.object
        is_actor = obj is not None and obj.tomb_raider.kind == Kind.CUTSCENE_ACTOR
        if not is_actor or obj.tomb_raider.actor.model is None or context.mode not in ("OBJECT", "POSE"):
            set_poll_message(cls, T("Make an actor of a cutscene active, whose model is in the level"))
            return False
        return True

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.animation_tools import play_animation
        from ...scene.subjects.animations import own_animations
        from ...scene.subjects.cutscenes import add_animation, extend, has_all_keys

        actor, scene = context.object, active_scene(context)
        assert actor is not None
        model, collection = actor.tomb_raider.actor.model, active_cutscene(context)
        animations = {action.name: action for action in own_animations(model)}
        if self.animation not in animations:
            raise ToolError(T("Choose an animation of {model}", model=model.name))
        level = None if collection is None else level_with(collection)
        if collection is None or level is None:
            raise ToolError(T("Make a cutscene's collection or one of its objects active"))
        context.view_layer.update()
        scale, data, chosen = level.tomb_raider.scale, actor.animation_data, animations[self.animation]
        options: Any = {"count": self.count, "moves": self.moves}
        warnings: list[str] = []
        if has_all_keys(actor) and data is not None and data.action is not None:
            last = play_animation(data.action, actor, chosen, scene.frame_current, scale, **options)
        else:
            last = add_animation(actor, chosen, scene.frame_current, scale, **options)
            warnings = _unbaked(chosen, model)
        extend(collection, scene, last)
        text = T(
            "{name}: frames {frame_start} to {frame_end}",
            name=actor.name,
            frame_start=scene.frame_current,
            frame_end=last,
        )
        report_result(self, text, warnings)
        scene.frame_set(last + 1)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_add_actors,
        TOMB_RAIDER_OT_add_actor_animation,
    )
)
