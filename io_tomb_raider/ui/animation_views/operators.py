"""Operators that play a chain and change its state, as a player does with the keys of the game."""

from typing import Any

import bpy
from bpy.props import IntProperty
from bpy.types import Context, Event, Object

from ...formats.base import T
from ..animations.operators import TOMB_RAIDER_OT_play_chain, armature_of, start_chain
from ..animations.playing import play
from ..base.active import active_scene
from ..base.conditions import condition
from ..base.levels import level_of
from ..base.operators import PlayingTool
from ..base.reports import Outcome, report_line
from ..base.text.i18n import translate
from .following import playing_armature

_MOST = 10  # states, one for each number key
_KEYS = {
    "ONE": 0,
    "TWO": 1,
    "THREE": 2,
    "FOUR": 3,
    "FIVE": 4,
    "SIX": 5,
    "SEVEN": 6,
    "EIGHT": 7,
    "NINE": 8,
    "ZERO": 9,
}
_KEYS |= {f"NUMPAD_{(place + 1) % 10}": place for place in range(10)}


def choices(armature: Object, frame: int) -> list[tuple[int, str]]:
    """Return the states that can be wanted at a frame of a chain, with their names, at most ten."""
    from ...scene.subjects.animations.changes import chains

    links, _ = chains.links_of(armature)
    number, _ = chains.link_at(links, frame)
    return chains.wanted_states(links[max(number, 0) :])[:_MOST]


class TOMB_RAIDER_OT_want_state(PlayingTool):
    """Continue the chain as if the game wanted this state at the current frame"""

    bl_idname = "tomb_raider.want_state"
    bl_label = "Want State"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    requires = condition(lambda context: playing_armature(context.object), T("Play a chain first"))

    state: IntProperty(
        name="State", min=0, max=0xFFFF, description="Number of the state", options={"SKIP_SAVE"}
    )

    @staticmethod
    def armature(context: Context) -> Object | None:
        return playing_armature(context.object)

    def execute(self, context: Context) -> Outcome:
        armature: Any = self.armature(context)
        kind, text = want(context, armature, self.state)
        report_line(self, kind, text)
        return {"FINISHED"} if kind == "INFO" else {"CANCELLED"}


def want(context: Context, armature: Any, state: int) -> tuple[Any, str]:
    """Continue the chain of an armature to a state; return a kind of report and its text."""
    from ...scene.subjects.animations.changes import chains

    scene = active_scene(context)
    names = dict(choices(armature, scene.frame_current))
    name = names.get(state, str(state))
    level = level_of(armature)
    route = chains.want(armature, scene, state, 1.0 if level is None else level.tomb_raider.scale)
    if route is None:
        return "WARNING", T("No state change to {name} is possible here", name=name)
    last = route.links[route.left - 1]
    if not route.delay:
        return "INFO", T("{name}: at the next tick", name=name)
    return "INFO", T(
        "{name}: after {delay} ticks, at frame {last} of {action}",
        name=name,
        delay=route.delay,
        last=last.last + 1,
        action=last.action.name,
    )


class TOMB_RAIDER_OT_press_keys(PlayingTool):
    """Play the chain, and choose the wanted state with the number keys. Esc ends it"""

    bl_idname = "tomb_raider.press_keys"
    bl_label = "Play with Keys"

    _armature = ""
    _said = ""
    _last = ""

    @staticmethod
    def armature(context: Context) -> Object | None:
        return armature_of(context)

    requires = condition(lambda context: TOMB_RAIDER_OT_play_chain.poll(context))

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.animations import is_playing

        armature = self.armature(context)
        if (armature is None or not is_playing(armature)) and not start_chain(self, context):
            return {"CANCELLED"}
        play(context)
        return {"FINISHED"}

    def invoke(self, context: Context, _event: Event) -> Outcome:
        armature = self.armature(context)
        if armature is None or "FINISHED" not in self.execute(context):
            return {"CANCELLED"}
        self._armature = armature.name
        self._show(context, armature)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        armature = playing_armature(bpy.data.objects.get(self._armature))  # undo may have replaced it
        if armature is None or event.type == "ESC":
            self._end(context)
            return {"FINISHED"}
        place = _KEYS.get(event.type, -1)
        if place < 0:
            self._show(context, armature)
            return {"PASS_THROUGH"}
        states = choices(armature, active_scene(context).frame_current)
        if event.value == "PRESS" and place < len(states):
            self._last = translate(want(context, armature, states[place][0])[1])
            self._show(context, armature)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        self._end(context)

    def _show(self, context: Context, armature: Object) -> None:
        """Show the states with their keys in the status bar."""
        states = choices(armature, active_scene(context).frame_current)
        parts = [f"{(place + 1) % 10}: {name}" for place, (_, name) in enumerate(states)]
        text = "    ".join([*parts, translate("Esc: End"), self._last])
        if text != self._said and context.workspace is not None:
            self._said = text
            context.workspace.status_text_set(text)

    def _end(self, context: Context) -> None:
        play(context, False)
        if context.workspace is not None:
            context.workspace.status_text_set(None)


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_want_state, TOMB_RAIDER_OT_press_keys)
)
