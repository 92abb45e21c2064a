"""Operators of the state graph: open it, refresh it, show the animation of a node."""

from typing import Any

import bpy
from bpy.props import BoolProperty, IntProperty
from bpy.types import Context, Menu, Object, Operator

from ...formats.base import T
from ..animations.active_animation import TREE, shown_graph
from ..animations.library import show
from ..base.conditions import ConditionalTool, condition
from ..base.layout.menu_entries import Entries, with_entries
from ..base.operators import PlayingTool
from ..base.reports import Outcome, ToolError, report_line, set_poll_message
from .opening import arrange_soon, choose_node
from .refreshing import shown_animation


class TOMB_RAIDER_OT_show_state_graph(Operator):
    """Show the animations of the model as a graph: by state, with their transitions"""

    bl_idname = "tomb_raider.show_state_graph"
    bl_label = "State Graph"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.subjects.models import armature_of_model

        if armature_of_model(context.object) is None:
            set_poll_message(cls, T("Make a model or an entity that shows one active"))
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.animation_views import make_tree
        from ...scene.subjects.animations import action_in_use
        from ...scene.subjects.models import armature_of_model

        armature = armature_of_model(context.object)
        assert armature is not None
        action = action_in_use(armature)
        owner = None if action is None else action.tomb_raider.model
        model = owner or armature  # what the game draws for Lara shows her animations
        tree = make_tree(model, shown_animation(model))
        if not tree.actions:
            report_line(self, "WARNING", T("{model} has no animations", model=model.name))
        choose_node(tree, shown_animation(model))
        if not bpy.app.background:
            _show(context, tree)
            arrange_soon(tree)
        return {"FINISHED"}


def _show(context: Context, tree: Any) -> None:
    """Show a tree in a node editor: one that shows graphs, any other, or a new window."""
    areas = [area for area in context.screen.areas if area.type == "NODE_EDITOR"]
    areas.sort(key=lambda area: area.ui_type != TREE)
    if not areas:
        bpy.ops.wm.window_new()  # there is no data API for windows
        areas = list(context.window_manager.windows[-1].screen.areas)[:1]
    area: Any = areas[0]
    area.ui_type = TREE
    area.spaces.active.node_tree = tree
    area.spaces.active.show_region_ui = True


class TOMB_RAIDER_OT_refresh_state_graph(ConditionalTool, Operator):
    """Update the graph from the model. Copies of nodes are removed"""

    bl_idname = "tomb_raider.refresh_state_graph"
    bl_label = "Refresh State Graph"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    arrange: BoolProperty(name="Arrange", description="Arrange all nodes", options={"SKIP_SAVE"})

    requires = condition(lambda context: shown_graph(context.space_data) is not None)

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.animation_views import fill

        fill(shown_graph(context.space_data), arrange=self.arrange)
        return {"FINISHED"}


class TOMB_RAIDER_OT_show_graph_animation(PlayingTool):
    """Show this animation on the model"""

    bl_idname = "tomb_raider.show_graph_animation"
    bl_label = "Show Animation of a Node"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    number: IntProperty(name="Number", description="Number of the animation", options={"SKIP_SAVE"})

    @staticmethod
    def armature(context: Context) -> Object | None:
        tree = shown_graph(context.space_data)
        return None if tree is None else tree.model

    @classmethod
    def poll(cls, context: Context) -> bool:
        return cls.armature(context) is not None

    def execute(self, context: Context) -> Outcome:
        tree = shown_graph(context.space_data)
        action = tree.actions[self.number].action if 0 <= self.number < len(tree.actions) else None
        if action is None:
            raise ToolError(T("{armature} has no such animation", armature=tree.model.name))
        if not show(context, tree.model, action):
            raise ToolError(T("{armature} has no pose yet: make it visible first", armature=tree.model.name))
        from ...scene.authoring.animation_views import set_focus

        set_focus(tree, action)
        choose_node(tree, action)
        if not tree.shows_all:
            arrange_soon(tree)
        return {"FINISHED"}


def _draw_header(menu: Menu, context: Context) -> None:
    tree = shown_graph(context.space_data)
    if tree is not None:
        menu.layout.prop(tree, "shows_all")
        menu.layout.operator("tomb_raider.refresh_state_graph", text="Refresh", icon="FILE_REFRESH")
        button = menu.layout.operator("tomb_raider.refresh_state_graph", text="Arrange", icon="ALIGN_TOP")
        button.arrange = True


_ENTRIES: Entries = (("NODE_MT_editor_menus", _draw_header),)

register, unregister = with_entries(
    (
        TOMB_RAIDER_OT_show_state_graph,
        TOMB_RAIDER_OT_refresh_state_graph,
        TOMB_RAIDER_OT_show_graph_animation,
    ),
    _ENTRIES,
)
