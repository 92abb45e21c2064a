"""Operators for the state machine of animations: edit its lists, follow transitions, play chains."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...formats import Game
from ...formats.base import T
from ...scene.core.blender import compat
from ...scene.properties import CONTEXT
from ...scene.subjects.animations import game_of_action, next_of, rename_event, set_target, target_of
from ..base.active import active_scene
from ..base.conditions import ConditionalTool, condition
from ..base.levels import level_of
from ..base.operators import EditingTool, PlayingTool
from ..base.reports import Outcome, ToolError, report_line, set_poll_message
from ..base.rows import move_row, remove_row
from .active_animation import active_graph_action, shown_graph
from .matching import match_shown
from .playing import play

LISTS = {"DISPATCHES": "dispatches", "COMMANDS": "commands", "EVENTS": "events"}
ACTIVE = {"DISPATCHES": "active_dispatch", "COMMANDS": "active_command", "EVENTS": "active_event"}


def shown_action(context: Context) -> Action | None:
    """Return the action shown in an animation editor or state graph; elsewhere, that of the active object."""
    if shown_graph(context.space_data) is not None:
        return active_graph_action(context.space_data)
    result = getattr(context, "active_action", None) or getattr(context.space_data, "action", None)
    if result is None and context.object is not None and context.object.animation_data is not None:
        from ...scene.subjects.animations import action_in_use

        result = action_in_use(context.object)
    return result


def armature_of(context: Context) -> Object | None:
    """Return the model of a state graph; elsewhere the active armature, or else that of the shown action."""
    graph = shown_graph(context.space_data)
    if graph is not None:
        from ...scene.authoring.animation_views import seen_armature

        return None if graph.model is None else seen_armature(graph.model)
    obj = context.object
    if obj is not None and obj.type == "ARMATURE":
        return obj
    action = shown_action(context)
    return None if action is None else action.tomb_raider.model


def _given_action(context: Context) -> Action:
    """Return the shown action; the poll has checked that there is one."""
    action = shown_action(context)
    assert action is not None
    return action


class _ActionTool(ConditionalTool, Operator):
    """Base of operators on the shown action."""

    bl_options = {"REGISTER", "UNDO"}
    requires = condition(lambda context: shown_action(context) is not None, T("Choose an action first"))

    def edited(self, context: Context) -> Iterable[Any]:
        return [shown_action(context)]


# --- Lists ----------------------------------------


class TOMB_RAIDER_OT_edit_animation_list(_ActionTool, EditingTool):
    """Add, remove or move a state change, command, sound or effect"""

    bl_idname = "tomb_raider.edit_animation_list"
    bl_label = "Edit List of an Animation"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    which: EnumProperty(
        name="List",
        items=[(key, key.title(), "") for key in LISTS],
        description="List to change",
        options={"SKIP_SAVE"},
    )
    change: EnumProperty(
        name="Change",
        translation_context=CONTEXT,
        items=[
            ("ADD", "Add", "Add an entry below the active one"),
            ("REMOVE", "Remove", "Remove the active entry"),
            ("UP", "Up", "Move the active entry up"),
            ("DOWN", "Down", "Move the active entry down"),
        ],
        description="Change to make to the list",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        action = _given_action(context)
        settings = action.tomb_raider
        rows, index = getattr(settings, LISTS[self.which]), getattr(settings, ACTIVE[self.which])
        target: int | None
        if self.change == "ADD":
            last = len(rows)
            self._fill(action, rows.add(), context)
            target = max(0, min(index + 1, last))
            rows.move(last, target)
        elif not 0 <= index < len(rows):
            return {"CANCELLED"}
        elif self.change == "REMOVE":
            self._clear(action, rows[index])
            target = remove_row(rows, index)
        else:
            target = move_row(rows, index, 1 if self.change == "DOWN" else -1)
        if target is None:
            return {"CANCELLED"}
        setattr(settings, ACTIVE[self.which], target)
        return {"FINISHED"}

    def _fill(self, action: Action, row: Any, context: Context) -> None:
        """Set defaults of a new row."""
        from ...scene.subjects.animations.changes import chains

        settings = action.tomb_raider
        if self.which == "DISPATCHES":
            rows = settings.dispatches
            if len(rows) > 1 and 0 <= settings.active_dispatch < len(rows) - 1:
                row.state = rows[settings.active_dispatch].state
            row.low, row.high = 0, chains.length(action)
            set_target(row, action)
        elif self.which == "EVENTS":
            rename_event(row)
            _mark(action, row, context)

    def _clear(self, action: Action, row: Any) -> None:
        """Remove the pose markers of a sound or effect before its row is removed."""
        if self.which != "EVENTS":
            return
        for marker in [marker for marker in action.pose_markers if marker.name == row.name]:
            action.pose_markers.remove(marker)


def _mark(action: Action, event: Any, context: Context) -> None:
    """Add a pose marker for a sound or effect at the current frame, clamped to the range of the action."""
    from ...scene.subjects.animations import first_frame, last_frame

    scene = active_scene(context)
    frame = min(max(scene.frame_current, first_frame(action)), last_frame(action))
    action.pose_markers.new(event.name).frame = frame


@cache
def _choices(game: Game, kind: str) -> list[tuple[str, str, str, int]]:
    """Return enumeration items for the names of a kind. Cached, since Blender does not keep the strings."""
    from ...catalogue import names

    return [
        (str(number), name, T("Number {number}", number=number), number)
        for number, name in names(game).known(kind).items()
    ]


class TOMB_RAIDER_OT_add_event(_ActionTool, EditingTool):
    """Add a sound or effect at the current frame"""

    bl_idname = "tomb_raider.add_event"
    bl_label = "Add Sound or Effect"
    bl_property = "choice"

    def _items(self, context: Context | None) -> list[tuple[str, str, str, int]]:
        action = None if context is None else shown_action(context)
        game = None if action is None else game_of_action(action, context.object)
        return [] if game is None else _choices(game, "sound" if self.kind == "SOUND" else "flipeffect")

    kind: EnumProperty(
        name="Kind",
        items=[("SOUND", "Sound", "Play a sound", 5), ("EFFECT", "Effect", "Start an effect of the game", 6)],
        description="What to add",
        options={"SKIP_SAVE"},
    )
    choice: EnumProperty(
        name="Name", items=_items, description="Name of the sound or effect", options={"SKIP_SAVE"}
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Context) -> Outcome:
        if not self.choice:
            raise ToolError(T("The action belongs to no level, so its game is unknown"))
        action = _given_action(context)
        number = int(self.choice)
        events = action.tomb_raider.events
        kinds = [(event.command, event.number, event.flags) for event in events]
        if (self.kind, number, 0) not in kinds:
            event = events.add()
            event.command, event.number = self.kind, number
            rename_event(event)
            kinds.append((self.kind, number, 0))
        index = kinds.index((self.kind, number, 0))
        _mark(action, events[index], context)
        action.tomb_raider.active_event = index
        return {"FINISHED"}


# --- Transitions and playback ----------------------------------------


class _ArmatureTool(PlayingTool, _ActionTool):
    """Base of operators on the armature that plays the shown action."""

    dispatch: IntProperty(
        name="State Change",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
        description="Index of the state change to follow; -1 for the next animation",
    )

    armature = staticmethod(armature_of)

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not super().poll(context):
            return False
        obj = armature_of(context)
        if obj is None or obj.type != "ARMATURE":
            set_poll_message(cls, T("Choose an armature first"))
            return False
        if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
            set_poll_message(cls, T("Leave the tweak mode of the NLA editor first"))
            return False
        return True

    def lacks_target(self, action: Action) -> bool:
        """Return whether the chosen dispatch has no target action, and report an error if so."""
        return _lacks_target(self, action, self.dispatch)


def _lacks_target(operator: Operator, action: Action, dispatch: int) -> bool:
    rows = action.tomb_raider.dispatches
    if dispatch < 0 or (dispatch < len(rows) and target_of(rows[dispatch]) is not None):
        return False
    report_line(operator, "ERROR", T("This state change has no target action in the scene"))
    return True


class TOMB_RAIDER_OT_go_to_animation(_ArmatureTool):
    """Go to the target action, at its start frame"""

    bl_idname = "tomb_raider.go_to_animation"
    bl_label = "Go to Animation"

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.animations import first_frame
        from ...scene.subjects.animations.changes import chains

        action = _given_action(context)
        armature = armature_of(context)
        scene = active_scene(context)
        if self.lacks_target(action):
            return {"CANCELLED"}
        settings = action.tomb_raider
        if self.dispatch < 0:
            target, frame = next_of(action), settings.next_frame
        else:
            row = settings.dispatches[self.dispatch]
            target, frame = target_of(row), row.frame
        target = action if target is None else target
        chains.stop(armature, scene)
        context.view_layer.update()
        compat.assign_action(armature, target)
        match_shown(armature, target)
        scene.frame_set(first_frame(target) + frame)
        return {"FINISHED"}


class TOMB_RAIDER_OT_play_chain(_ArmatureTool):
    """Play this animation and the next ones. Not exported; stopping restores the scene"""

    bl_idname = "tomb_raider.play_chain"
    bl_label = "Play Chain"

    moves: BoolProperty(
        name="Move", default=True, description="Move the model by the animations' speeds, as the game does"
    )
    plays: BoolProperty(
        name="Play",
        translation_context=CONTEXT,
        default=True,
        options={"SKIP_SAVE"},
        description="Start the playback, if there is a window",
    )

    def execute(self, context: Context) -> Outcome:
        if not start_chain(self, context, dispatch=self.dispatch, moves=self.moves):
            return {"CANCELLED"}
        if self.plays:
            play(context)
        return {"FINISHED"}


def start_chain(operator: Operator, context: Context, *, dispatch: int = -1, moves: bool = True) -> bool:
    """Put the chain of the shown action on the armature, and return whether that was possible, with a report.

    ``dispatch`` is the index of the state change to follow, -1 for what follows at the end.
    """
    from ...scene.subjects.animations import first_frame
    from ...scene.subjects.animations.changes import chains

    action = _given_action(context)
    armature = armature_of(context)
    scene = active_scene(context)
    if _lacks_target(operator, action, dispatch):
        return False
    if any(track.is_solo for track in getattr(armature.animation_data, "nla_tracks", ())):
        report_line(
            operator,
            "ERROR",
            T(
                "A track of {armature} is solo in the NLA editor: switch that off first",
                armature=armature.name,
            ),
        )
        return False
    now = scene.frame_current - first_frame(action)
    links = chains.chain_of(action) if dispatch < 0 else chains.chain_through(action, dispatch, now=now)
    level = level_of(action.tomb_raider.model or armature)
    scale = 1.0 if level is None else level.tomb_raider.scale
    context.view_layer.update()
    if armature.pose is None:
        report_line(
            operator, "ERROR", T("{armature} has no pose yet: make it visible first", armature=armature.name)
        )
        return False
    chains.play(armature, scene, links, scale, moves=moves and level is not None)
    text = ", ".join(link.action.name for link in links)
    report_line(operator, "INFO", T("Plays {name}", name=text))
    return True


class TOMB_RAIDER_OT_stop_chain(PlayingTool):
    """Stop the chain of animations and return to the action in use"""

    bl_idname = "tomb_raider.stop_chain"
    bl_label = "Stop Chain"

    armature = staticmethod(armature_of)

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.subjects.animations.changes import chains

        armature = armature_of(context)
        return armature is not None and chains.is_playing(armature)

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.animations.changes import chains

        armature = armature_of(context)
        scene = active_scene(context)
        chains.stop(armature, scene)
        play(context, False)
        return {"FINISHED"}


_CLASSES = (
    TOMB_RAIDER_OT_edit_animation_list,
    TOMB_RAIDER_OT_add_event,
    TOMB_RAIDER_OT_go_to_animation,
    TOMB_RAIDER_OT_play_chain,
    TOMB_RAIDER_OT_stop_chain,
)

register, unregister = bpy.utils.register_classes_factory(_CLASSES)
